"""A finished match as text: the seed, the phrases and every sheet, from which all else follows
(rules section 6.7). `replay` plays it again."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from adjudicator.core.game import Chronicle
from adjudicator.core.record import tag_line
from adjudicator.core.record_of_sheets import BETWEEN, result
from adjudicator.games.spion.rules.state import Event, Left, Ordered, Replaced, State


def write(chronicle: Chronicle, state: State, events: Sequence[Event]) -> str:
    """Write the record of a match, `state` being its last and `events` all of it in order."""
    return "\n".join((*_tags(chronicle, state), "", *_sheets(events))).rstrip() + "\n"


def _tags(chronicle: Chronicle, state: State) -> Iterator[str]:
    settings = state.settings
    yield tag_line("Game", "Spion")
    yield tag_line("Match", chronicle.match)
    yield tag_line("Variant", settings.variant)
    if settings.own_board:
        yield tag_line("Board", settings.own_board)
    yield tag_line("Mode", settings.mode)
    yield tag_line("Memory", settings.memory)
    yield tag_line("OpenDoors", str(settings.open_doors).lower())
    yield tag_line("MaxRounds", str(settings.max_rounds))
    yield tag_line("RollWhenBlocked", str(settings.roll_when_blocked).lower())
    for seat in state.seats:
        yield tag_line(seat.capitalize(), chronicle.names.get(seat, "?"))
    for seat, phrase in state.phrases.items():
        yield tag_line(f"{seat.capitalize()}Phrase", phrase)
    yield tag_line("Date", chronicle.date)
    yield tag_line("Seed", chronicle.seed)
    yield tag_line("Result", result(chronicle.outcome))


def _sheets(events: Sequence[Event]) -> Iterator[str]:
    """Yield a line for each sheet that was used, in the order of the plies, for the seats that left
    at one time, and for a seat that got a new holder. A sheet of nothing but defaults has no words;
    phrases stand in tags, where any sign may stand."""
    for reason, alike in groupby(events, _reason):
        together = list(alike)
        if reason:
            seats = ", ".join(event.seat for event in together if isinstance(event, Left))
            yield f"left {seats}: {reason}"
            continue
        for event in together:
            if isinstance(event, Ordered):
                lines = (line for line in event.lines if not line.startswith("PHRASE"))
                yield f"{event.ply}. {event.seat}: {BETWEEN.join(lines)}".rstrip()
            elif isinstance(event, Replaced):
                yield f"replaced {event.seat}"


def _reason(event: Event) -> str | None:
    return event.reason if isinstance(event, Left) else None
