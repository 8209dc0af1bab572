"""A finished match as text: the seed and every sheet, from which all else follows (rules 10.1,
10.2). `replay` plays it again."""

from collections.abc import Sequence

from adjudicator.core.record import (
    Chronicle,
    OptionTags,
    option_tags,
    record_of_sheets,
    sheet_line,
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
    about = {"Players": str(len(state.seats)), **option_tags(state.settings, OPTION_TAGS)}
    lines = written(events, Left, _line)
    return record_of_sheets("Spies", chronicle, state.seats, lines, about=about)


def _line(event: AnyEvent) -> str | None:
    """Write the sheet of an awaited seat, without lines if it was silent."""
    return sheet_line(event.ply, event.seat, event.lines) if isinstance(event, Ordered) else None
