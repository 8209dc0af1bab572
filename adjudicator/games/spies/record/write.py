"""A finished match as text: the seed and every sheet, from which all else follows (rules 10.1,
10.2). `replay` plays it again."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from adjudicator.core.game import Chronicle
from adjudicator.core.record import tag_line
from adjudicator.core.record_of_sheets import BETWEEN, result
from adjudicator.games.spies.rules.events import AnyEvent, Left, Ordered
from adjudicator.games.spies.rules.state import State


def write(chronicle: Chronicle, state: State, events: Sequence[AnyEvent]) -> str:
    """Write the record of a match, `state` being its last and `events` all of it in order."""
    return "\n".join((*_tags(chronicle, state), "", *_sheets(events))).rstrip() + "\n"


def _tags(chronicle: Chronicle, state: State) -> Iterator[str]:
    settings = state.settings
    yield tag_line("Game", "Spies")
    yield tag_line("Match", chronicle.match)
    yield tag_line("Players", str(len(state.seats)))
    yield tag_line("Mode", settings.mode)
    yield tag_line("Order", settings.order)
    yield tag_line("Assassination", str(settings.assassination).lower())
    for seat in state.seats:
        yield tag_line(seat.capitalize(), chronicle.names.get(seat, "?"))
    yield tag_line("Date", chronicle.date)
    yield tag_line("Seed", chronicle.seed)
    yield tag_line("Result", result(chronicle.outcome))


def _sheets(events: Sequence[AnyEvent]) -> Iterator[str]:
    """Yield a line for each awaited seat of each ply, empty for one that was silent, and for the
    seats that left at one time. Turns that a leaving set off stand between two leavings, so these
    are told apart."""
    for reason, alike in groupby(events, _reason):
        together = list(alike)
        if reason:
            seats = ", ".join(event.seat for event in together if isinstance(event, Left))
            yield f"left {seats}: {reason}"
            continue
        for event in together:
            if isinstance(event, Ordered):
                yield f"{event.ply}. {event.seat}: {BETWEEN.join(event.lines)}".rstrip()


def _reason(event: AnyEvent) -> str | None:
    return event.reason if isinstance(event, Left) else None
