"""A finished match as text: the seed, the phrases and every sheet, from which all else follows
(rules section 6.7). `replay` plays it again."""

from collections.abc import Sequence

from adjudicator.core.record import (
    Chronicle,
    OptionTags,
    option_tags,
    record_of_sheets,
    sheet_line,
    written,
)
from adjudicator.games.spion.rules.state import MOST_ROUNDS, Event, Left, Ordered, Replaced, State

OPTION_TAGS: OptionTags = {
    "Mode": ("mode", "turns|rounds"),
    "Memory": ("memory", "honour|once|open"),
    "OpenDoors": ("open_doors", "true|false"),
    "MaxRounds": ("max_rounds", f"[0-9]|[1-9][0-9]|[1-8][0-9][0-9]|{MOST_ROUNDS}"),
    "RollWhenBlocked": ("roll_when_blocked", "true|false"),
}


def write(chronicle: Chronicle, state: State, events: Sequence[Event]) -> str:
    """Write the record of a match, `state` being its last and `events` all of it in order."""
    settings = state.settings
    phrases = state.phrases if any(state.phrases.values()) else {}  # of a match until 0.2.28
    return record_of_sheets(
        "Spion",
        chronicle,
        state.seats,
        written(events, Left, _line),
        about={
            "Variant": settings.variant,
            **({"Board": settings.own_board} if settings.own_board else {}),
            **option_tags(settings, OPTION_TAGS),
        },
        more={f"{seat.capitalize()}Phrase": phrase for seat, phrase in phrases.items()},
    )


def _line(event: Event) -> str | None:
    """Write a sheet that was used, or that a seat got a new holder. A sheet of nothing but defaults
    has no words; phrases stand in tags, where any sign may stand."""
    match event:
        case Ordered(seat, ply, lines):
            return sheet_line(ply, seat, (one for one in lines if not one.startswith("PHRASE")))
        case Replaced(seat):
            return f"replaced {seat}"
        case _:
            return None
