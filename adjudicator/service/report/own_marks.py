"""Show a seat's report its own marks and notes (Espionage rule 9.3).

A mark is stored with the place and the ply in which it was made. Where its piece stands now is
followed anew whenever a report is made, along what the seat itself saw since. So nothing has to be
changed when a piece moves or an adjudication is taken back, and a mark tells its seat nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from adjudicator.core.game import AnyGame, MarkEnd
from adjudicator.core.match import Seat
from adjudicator.core.report import AnyReport
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.store.jottings import Jottings, Mark


class Seen(Struct, frozen=True):
    """An event of the log and what a seat saw of it."""

    ply: int
    event: Any
    sighting: Any


class Followed(Struct, frozen=True):
    """The place where a mark stands now, or how it ended and with which event."""

    place: str
    end: MarkEnd | None = None
    event: Any = None


def seen_by(game: AnyGame, seat: Seat, log: Iterable[tuple[int, Any]]) -> list[Seen]:
    """Return what a seat has seen of the (ply, event) of a log."""
    found = ((ply, event, game.sight.witness(event, seat)) for ply, event in log)
    return [Seen(*one) for one in found if one[2] is not None]


def followed(game: AnyGame, seen: Iterable[Seen], ply: int, place: str) -> Followed:
    """Follow what stood on a place after that ply through all that was seen since."""
    assert game.marks is not None
    for one in seen:
        if one.ply > ply:
            then = game.marks.follow(one.sighting, place)
            if isinstance(then, MarkEnd):
                return Followed(place, then, one.event)
            place = then
    return Followed(place)


def own(loaded: Loaded, seat: Seat, marks: Iterable[Mark]) -> list[Mark]:
    """Return the marks of the seat's present holder."""
    tenure = loaded.holders[seat].tenure
    return [mark for mark in marks if (mark.seat, mark.tenure) == (seat, tenure)]


def notebook(loaded: Loaded, seat: Seat, jottings: Jottings) -> tuple[str, ...]:
    """Return the notes of the seat's present holder."""
    tenure = loaded.holders[seat].tenure
    mine = (note for note in jottings.notes if (note.seat, note.tenure) == (seat, tenure))
    return tuple(note.text for note in mine)


def view_with_marks(
    loaded: Loaded, seat: Seat, view: Any, jottings: Jottings, log: Iterable[tuple[int, Any]]
) -> Any:
    """Return the seat's view with its marks on it."""
    game = loaded.game
    assert game.marks is not None
    marks = own(loaded, seat, jottings.marks)
    seen = seen_by(game, seat, log) if marks else ()
    standing: dict[str, str] = {}
    lost: list[tuple[Any, str]] = []
    for mark in marks:
        now = followed(game, seen, mark.ply, mark.place)
        if now.end is None:
            standing[now.place] = mark.text
        elif now.end is MarkEnd.REMOVED:
            lost.append((now.event, mark.text))
    view = game.marks.shown(view, standing)
    if game.rules.outcome(loaded.state) is None:
        return view
    return game.marks.shown_lost(view, _in_order(lost, seen))


def _in_order(lost: Sequence[tuple[Any, str]], seen: Sequence[Seen]) -> list[tuple[str, Any]]:
    return [(text, one.event) for one in seen for event, text in lost if event is one.event]


def without_jottings(game: AnyGame, report: AnyReport) -> AnyReport:
    """Return a report of a former holder as his successor may read it: as if he had written
    nothing down."""
    if game.marks is None or report.notes is UNSET:
        return report
    nothing: Mapping[str, str] = {}
    view = game.marks.shown(report.view, nothing)
    if report.result is not None:
        view = game.marks.shown_lost(view, ())
    return replace(report, view=view, notes=())
