"""Records of Spion (`.spion`): written from a match's log, played again from seed, phrases and
sheets (rules section 6.7)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from msgspec import to_builtins
from msgspec.structs import replace

from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import Line
from adjudicator.core.record import (
    Chronicle,
    OptionTags,
    PlyReplayed,
    RecordEntry,
    Refused,
    Replayed,
    Transcript,
    all_sound,
    chance_of,
    entries,
    final_state,
    option_tags,
    options_of_tags,
    record_lines,
    record_of_sheets,
    replayed_plies,
    sheet_line,
    tag_faults,
    unbroken,
)
from adjudicator.core.visible import plain
from adjudicator.games.spion.orders import own_board
from adjudicator.games.spion.orders.check import playable
from adjudicator.games.spion.orders.parse import parse
from adjudicator.games.spion.orders.values import Order, Phrase
from adjudicator.games.spion.rules.effects import apply
from adjudicator.games.spion.rules.state import (
    MOST_ROUNDS,
    OPTIONS,
    SEATS,
    Dealt,
    Event,
    Left,
    Ordered,
    Replaced,
    Settings,
    State,
    TurnOpened,
)
from adjudicator.games.spion.rules.turns import (
    adjudicate,
    awaiting,
    close,
    leave,
    phrases,
    set_up,
    succeed,
)
from adjudicator.games.spion.rules.variants import VARIANTS, board_of
from adjudicator.games.spion.sight.observe import observe
from adjudicator.games.spion.sight.witness import unveil

LABEL = "SPION1"

OPTION_TAGS: OptionTags = {
    "Mode": ("mode", "turns|rounds"),
    "Memory": ("memory", "honour|once|open"),
    "OpenDoors": ("open_doors", "true|false"),
    "MaxRounds": ("max_rounds", f"[0-9]|[1-9][0-9]|[1-8][0-9][0-9]|{MOST_ROUNDS}"),
    "RollWhenBlocked": ("roll_when_blocked", "true|false"),
}


def write(chronicle: Chronicle, state: State, events: Sequence[Event]) -> str:
    """Write the record of a match, `state` being its last and `events` all of it in order: the
    seed, the phrases and every sheet, from which all else follows."""
    settings = state.settings
    told = state.phrases if any(state.phrases.values()) else {}  # of a match until 0.2.28
    return record_of_sheets(
        "Spion",
        chronicle,
        state.seats,
        record_lines(events, Left, _line),
        about={
            "Variant": settings.variant,
            **({"Board": settings.own_board} if settings.own_board else {}),
            **option_tags(settings, OPTION_TAGS),
        },
        more={f"{seat.capitalize()}Phrase": phrase for seat, phrase in told.items()},
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


# Played again.

_BEGUN = re.compile(r"[0-9]+\.|left |replaced ")
_REPLACED = re.compile(r"replaced (?P<seat>[a-z]+)")

Facts: TypeAlias = Sequence[tuple[Event, State]]


def replay(transcript: Transcript) -> Replayed | Refused:
    """Play the match again; return the first thing in it that the rules do not allow, if there is
    one."""
    for faults in (_tag_faults, _seat_faults):
        if fault := next(faults(transcript), None):
            return fault
    played = all_sound(_plies(transcript))
    return played if isinstance(played, Refused) else _finished(transcript, played)


def retell(transcript: Transcript) -> Sequence[Facts]:
    """Return for each ply what happened, with the state after it; nothing of a match that is not
    sound."""
    played = all_sound(_plies(transcript))
    return [] if isinstance(played, Refused) else [ply.facts for ply in played]


def _opening(values: Mapping[str, str]) -> State:
    return set_up(_setting(values), chance_of(values, LABEL))


def _plies(transcript: Transcript) -> Iterator[PlyReplayed[State, Event] | Refused]:
    """Yield ply by ply, up to the first thing that the rules do not allow."""
    values = transcript.values
    found = entries(transcript.body, _BEGUN, parse, _replaced)
    return replayed_plies(found, _opening(values), partial(_ply, values=values), apply)


def _tag_faults(transcript: Transcript) -> Iterator[Refused]:
    yield from tag_faults(transcript, ("Match", "Variant"), OPTION_TAGS)
    values = transcript.values
    if values["Variant"] not in VARIANTS:
        known = ", ".join(VARIANTS)
        yield transcript.refusal("Variant", say("the variant must be one of: {known}", known=known))
    if "Board" in values:
        board = own_board.write_board(values["Board"])
        if isinstance(board, Message):
            yield transcript.refusal("Board", board)


def _seat_faults(transcript: Transcript) -> Iterator[Refused]:
    values = transcript.values
    seating = board_of(_settings(values)).seating
    seats = _seats(values)
    if seating.get(len(seats)) != seats:
        named = ", ".join(seats) or "-"
        yield transcript.refusal("Game", say("this board cannot be played as {seats}", seats=named))


def _settings(values: Mapping[str, str]) -> Settings:
    return Settings(variant=values["Variant"], own_board=values.get("Board", ""))


def _seats(values: Mapping[str, str]) -> tuple[Seat, ...]:
    return tuple(seat for seat in SEATS if seat.capitalize() in values)


def _setting(values: Mapping[str, str]) -> Setting:
    told = options_of_tags(values, OPTION_TAGS)
    return Setting.of(OPTIONS, values["Variant"], told, _seats(values), values.get("Board", ""))


def _replaced(line: Line) -> RecordEntry[Order] | None:
    """Read that a seat got a new holder."""
    found = _REPLACED.fullmatch(line.text)
    return RecordEntry(line, (Seat(found["seat"]),)) if found else None


def _ply(
    state: State, together: Sequence[RecordEntry[Order]], values: Mapping[str, str]
) -> Iterable[Event] | Refused:
    first = together[0]
    for entry in together:
        if fault := _misplaced(state, entry, together) or _fault(state, entry, values):
            return Refused(entry.line.number, fault)
    if first.ply is None:
        if not first.reason:
            return succeed(state, first.seats[0])
        return leave(state, first.seats, first.reason)
    orders = {entry.seats[0]: _with_phrase(state, entry, values) for entry in together}
    if set(orders) != awaiting(state):
        return Refused(first.line.number, say("these are not the seats that were due to order"))
    chance = replace(chance_of(values, LABEL), phrases=phrases(state))
    return adjudicate(state, orders, chance)


def _misplaced(
    state: State, entry: RecordEntry[Order], beside: Sequence[RecordEntry[Order]]
) -> Message | None:
    """Say why a line cannot stand where it does; `beside` are those of its ply."""
    if state.outcome:
        return say("the match is over before this line")
    if strange := [seat for seat in entry.seats if seat not in state.seats]:
        return say("nobody plays {seat}", seat=strange[0])
    if entry.ply is None:
        gone = [seat for seat in entry.seats if seat in state.left or entry.seats.count(seat) > 1]
        return say("{seat} has already left", seat=gone[0]) if gone else None
    if entry.ply != state.ply + 1:
        return say(
            "expected orders with the number {n} here, not {seen}",
            n=state.ply + 1,
            seen=entry.ply,
        )
    if [other.seats for other in beside].count(entry.seats) > 1:
        return say(
            "{seat} has two order sheets with the number {n}", seat=entry.seats[0], n=entry.ply
        )
    return None


def _with_phrase(
    state: State, entry: RecordEntry[Order], values: Mapping[str, str]
) -> tuple[Order, ...]:
    """Add to a seat's sheet its phrase, which stands in a tag, for it may hold any sign."""
    seat = entry.seats[0]
    phrase = values.get(f"{seat.capitalize()}Phrase", "")
    return entry.sheet.orders if state.turn else (Phrase(phrase),)


def _fault(state: State, entry: RecordEntry[Order], values: Mapping[str, str]) -> Message | None:
    if entry.ply is None:
        return None
    seat = entry.seats[0]
    told = values.get(f"{seat.capitalize()}Phrase", "")
    if any(order.text != told for order in entry.sheet.orders if isinstance(order, Phrase)):
        return say("the tag {name} has another phrase", name=f"{seat.capitalize()}Phrase")
    problems = playable(observe(state, seat), entry.sheet)
    return problems[0].message if problems else None


def _finished(
    transcript: Transcript, played: Sequence[PlyReplayed[State, Event]]
) -> Replayed | Refused:
    last = played[-1].after if played else _opening(transcript.values)
    state = final_state(transcript, last, lambda state: state.outcome, close, apply)
    if isinstance(state, Refused):
        return state
    events = (event for ply in played for event in ply.events)
    turns = max((event.turn for event in events if isinstance(event, TurnOpened)), default=0)
    data = {
        "variant": state.settings.variant,
        "orders": len(unbroken(transcript.body, _BEGUN)),
        "turns": turns,
        "result": to_builtins(state.outcome) if state.outcome else None,
        **_pieces(state),
        "holders": to_builtins(state.holders),
        "embassies": to_builtins(state.embassies),
        "plies": [_ply_told(ply.facts) for ply in played],
    }
    summary = count(
        "{match}: {n} turn, {result}",
        "{match}: {n} turns, {result}",
        turns,
        match=transcript.values["Match"],
        result=transcript.values["Result"],
    )
    return Replayed(transcript.line, transcript.values, summary, data)


def _ply_told(facts: Facts) -> dict[str, Any]:
    """Return a ply with all cards open: what happened, and where the pieces stood then. It has no
    number if seats left."""
    number = next((event.ply for event, _ in facts if isinstance(event, Ordered)), None)
    events = (_told(event, state) for event, state in facts)
    return {"ply": number, "events": list(filter(None, events)), **_pieces(facts[-1][1])}


def _told(event: Event, state: State) -> dict[str, Any] | None:
    seen = unveil(event, state.seats)
    dealt = {"cards": dict(event.cards)} if isinstance(event, Dealt) else {}
    return None if seen is None else plain(seen) | dealt


def _pieces(state: State) -> dict[str, Any]:
    return {"spies": dict(state.spies), "bodyguards": dict(state.bodyguards)}
