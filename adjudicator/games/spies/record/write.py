"""A finished match as text: the seed and every sheet, from which all else follows (rules 10.1,
10.2). `replay` plays it again."""

from collections.abc import Iterator, Sequence

from adjudicator.core.record import (
    Chronicle,
    OptionTags,
    option_lines,
    result,
    seed_lines,
    sheet_line,
    tag_line,
    written,
)
from adjudicator.games.spies.rules.events import AnyEvent, Left, Ordered
from adjudicator.games.spies.rules.state import State

OPTION_TAGS: OptionTags = {
    "Mode": ("mode", "turns|years"),
    "Order": ("order", "rotating|fixed"),
    "Assassination": ("assassination", "true|false"),
}


def write(chronicle: Chronicle, state: State, events: Sequence[AnyEvent]) -> str:
    """Write the record of a match, `state` being its last and `events` all of it in order."""
    return "\n".join((*_tags(chronicle, state), "", *written(events, Left, _line))).rstrip() + "\n"


def _tags(chronicle: Chronicle, state: State) -> Iterator[str]:
    yield tag_line("Game", "Spies")
    yield tag_line("Match", chronicle.match)
    yield tag_line("Players", str(len(state.seats)))
    yield from option_lines(state.settings, OPTION_TAGS)
    for seat in state.seats:
        yield tag_line(seat.capitalize(), chronicle.names.get(seat, "?"))
    yield tag_line("Date", chronicle.date)
    yield from seed_lines(chronicle)
    yield tag_line("Result", result(chronicle.outcome))


def _line(event: AnyEvent) -> str | None:
    """Write the sheet of an awaited seat, without lines if it was silent."""
    return sheet_line(event.ply, event.seat, event.lines) if isinstance(event, Ordered) else None
