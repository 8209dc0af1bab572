"""A finished match as text: the seed, the phrases and every sheet, from which all else follows
(rules section 6.7). `replay` plays it again."""

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
    return "\n".join((*_tags(chronicle, state), "", *written(events, Left, _line))).rstrip() + "\n"


def _tags(chronicle: Chronicle, state: State) -> Iterator[str]:
    settings = state.settings
    yield tag_line("Game", "Spion")
    yield tag_line("Match", chronicle.match)
    yield tag_line("Variant", settings.variant)
    if settings.own_board:
        yield tag_line("Board", settings.own_board)
    yield from option_lines(settings, OPTION_TAGS)
    for seat in state.seats:
        yield tag_line(seat.capitalize(), chronicle.names.get(seat, "?"))
    with_phrases = any(state.phrases.values())  # of a match that was made until 0.2.28
    for seat, phrase in state.phrases.items() if with_phrases else ():
        yield tag_line(f"{seat.capitalize()}Phrase", phrase)
    yield tag_line("Date", chronicle.date)
    yield from seed_lines(chronicle)
    yield tag_line("Result", result(chronicle.outcome))


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
