"""Game records (`.esp`) written from the event log (interface, section 4); `replay` reads them."""

from collections.abc import Iterable, Iterator, Sequence

from adjudicator.core.match import Outcome
from adjudicator.core.record import Chronicle, record_text
from adjudicator.games.espionage.rules.pieces import BLACK, SIDES, WHITE
from adjudicator.games.espionage.rules.state import Event, Ordered, SetUp, State


def write(chronicle: Chronicle, state: State, events: Sequence[Event]) -> str:
    """Write the record of a match, `state` being its last and `events` all of it in order."""
    return record_text(_tags(chronicle, state, events), _turns(events))


def _tags(chronicle: Chronicle, state: State, events: Sequence[Event]) -> dict[str, str]:
    settings = state.settings
    rows = {event.side: event.rows for event in events if isinstance(event, SetUp)}
    tags: dict[str, str] = {
        "Game": "Espionage",
        "Variant": settings.variant,
        "White": chronicle.names.get(WHITE, "?"),  # a seat that nobody took
        "Black": chronicle.names.get(BLACK, "?"),
        "Date": chronicle.date,
        "Volcanoes": " ".join(state.volcanoes),
    }
    if settings.fights != "hidden":
        tags["Fights"] = settings.fights
    if settings.no_progress:
        tags["NoProgress"] = str(settings.no_progress)
    if rows:
        tags |= {"WhiteSetup": rows[WHITE], "BlackSetup": rows[BLACK]}
    return {**tags, "Result": result(chronicle.outcome)}


def result(outcome: Outcome | None) -> str:
    """Return the value of the Result tag (rule 6.4)."""
    if outcome is None:
        return "*"
    if outcome.winner:
        return f"{outcome.winner} {outcome.reason}"
    return "none cancelled" if outcome.reason == "cancelled" else f"draw {outcome.reason}"


def _turns(events: Iterable[Event]) -> Iterator[str]:
    turns: dict[int, dict[str, str]] = {}
    for event in events:
        if isinstance(event, Ordered):
            steps = " ".join(str(step) for step in event.steps)
            turns.setdefault(event.turn, {})[event.side] = steps
    for number, by_side in turns.items():
        yield f"{number}. " + " / ".join(by_side[side] for side in SIDES if side in by_side)
