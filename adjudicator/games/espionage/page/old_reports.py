"""Read a seat's old reports as far as a page needs them, to look back."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.games.espionage.sight.observe import SeenPiece, SeenStep


class OldReport(Struct, frozen=True, gc=False):
    """The part of its seat's old report that a page needs; nothing else of it is read."""

    seat: Seat
    pieces: tuple[SeenPiece, ...]
    news: tuple[SeenStep, ...]


def fresh_steps(reports: Iterable[OldReport]) -> Iterator[tuple[OldReport, list[SeenStep]]]:
    """Yield each report with those of its news that none before it had."""
    told: set[tuple[int, Seat, int]] = set()
    for old in reports:
        news = [step for step in old.news if _key(step) not in told]
        yield old, news
        told.update(map(_key, news))


def _key(step: SeenStep) -> tuple[int, Seat, int]:
    return step.turn, step.side, step.step
