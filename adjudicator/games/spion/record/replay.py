"""Records of Spion played again from seed, phrases and sheets (rules section 6.7)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import Line, shown
from adjudicator.core.record import Refused, Replayed, Transcript
from adjudicator.core.record_of_sheets import BETWEEN, result, unbroken
from adjudicator.core.record_of_sheets import sheets as sheets_of
from adjudicator.core.visible import plain
from adjudicator.games.spion.orders.check import playable
from adjudicator.games.spion.orders.parse import parse
from adjudicator.games.spion.orders.values import Order, Phrase
from adjudicator.games.spion.rules.board import VARIANTS, board_of, written
from adjudicator.games.spion.rules.effects import apply
from adjudicator.games.spion.rules.rolls import MOST_ROUNDS
from adjudicator.games.spion.rules.state import (
    SEATS,
    Dealt,
    Event,
    Ordered,
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
from adjudicator.games.spion.sight.observe import observe
from adjudicator.games.spion.sight.witness import unveiled

LABEL = "SPION1"

# Tags of the options: the option's name, and what it may say.
_OPTIONS: Mapping[str, tuple[str, str]] = {
    "Mode": ("mode", "turns|rounds"),
    "Memory": ("memory", "honour|once|open"),
    "OpenDoors": ("open_doors", "true|false"),
    "MaxRounds": ("max_rounds", f"[0-9]|[1-9][0-9]|[1-8][0-9][0-9]|{MOST_ROUNDS}"),
    "RollWhenBlocked": ("roll_when_blocked", "true|false"),
}
_SHEET = re.compile(r"(?P<ply>[0-9]{1,6})\. (?P<seat>[a-z]+):(?: (?P<orders>.*))?")
_BEGUN = re.compile(r"[0-9]+\.|left |replaced ")
_LEFT = re.compile(r"left (?P<seats>[a-z]+(?:, [a-z]+)*): (?P<reason>resignation|forfeit)")
_REPLACED = re.compile(r"replaced (?P<seat>[a-z]+)")


Facts = Sequence[tuple[Event, State]]


class Sheet(Struct, frozen=True):
    """A line of the record: a seat's sheet for a ply, or, without one, seats that left (`reason`)
    or a seat that got a new holder."""

    line: Line
    seats: tuple[Seat, ...]
    ply: int | None = None
    orders: tuple[Order, ...] = ()
    reason: str = ""


def replay(transcript: Transcript) -> Replayed | Refused:
    """Play the match again; return the first thing in it that the rules do not allow, if there is
    one."""
    for faults in (_tag_faults, _seat_faults):
        if fault := next(faults(transcript), None):
            return fault
    plies = []
    for facts in _plies(transcript):
        if isinstance(facts, Refused):
            return facts
        plies.append(facts)
    return _finished(transcript, plies)


def retell(transcript: Transcript) -> Sequence[Facts]:
    """Return for each ply what happened, with the state after it; nothing of a match that is not
    sound."""
    plies = list(_plies(transcript))
    sound = [facts for facts in plies if not isinstance(facts, Refused)]
    return sound if len(sound) == len(plies) else ()


def _opening(values: Mapping[str, str]) -> State:
    return set_up(_setting(values), _chance(values))


def _plies(transcript: Transcript) -> Iterator[Facts | Refused]:
    """Yield ply by ply, up to the first thing that the rules do not allow."""
    values = transcript.values
    state, sheets = _opening(values), sheets_of(transcript.body, _BEGUN, _read)
    if isinstance(sheets, Refused):
        yield sheets
        return
    for _, alike in groupby(sheets, key=_ply_of):
        made = _ply(state, list(alike), values)
        if isinstance(made, Refused):
            yield made
            return
        facts = []
        for event in made:
            state = apply(state, event)
            facts.append((event, state))
        yield facts


def _ply_of(sheet: Sheet) -> int | Sheet:
    """Return what the sheets of one ply have in common; what happens between plies stands alone."""
    return sheet if sheet.ply is None else sheet.ply


def _tag_faults(transcript: Transcript) -> Iterator[Refused]:
    needed = ("Match", "Variant", "Seed", "Result", *_OPTIONS)
    for name in needed:
        if name not in transcript.tags:
            yield transcript.refused(name, say("the tag {name} is missing", name=name))
    values = transcript.values
    if values["Variant"] not in VARIANTS:
        known = ", ".join(VARIANTS)
        yield transcript.refused("Variant", say("the variant is one of: {known}", known=known))
    if not re.fullmatch("[0-9a-f]{64}", values["Seed"]):
        yield transcript.refused("Seed", say("a seed is 64 hex digits"))
    for name, (_, pattern) in _OPTIONS.items():
        if not re.fullmatch(pattern, values[name]):
            yield transcript.refused(
                name, say("{tag} cannot be '{seen}'", tag=name, seen=shown(values[name]))
            )
    if "Board" in values:
        board = written(values["Board"])
        if isinstance(board, Message):
            yield transcript.refused("Board", board)


def _seat_faults(transcript: Transcript) -> Iterator[Refused]:
    values = transcript.values
    seating = board_of(_settings(values)).seating
    seats = _seats(values)
    if seating.get(len(seats)) != seats:
        named = ", ".join(seats) or "-"
        yield transcript.refused("Game", say("nobody plays this board as {seats}", seats=named))


def _settings(values: Mapping[str, str]) -> Settings:
    return Settings(variant=values["Variant"], own_board=values.get("Board", ""))


def _seats(values: Mapping[str, str]) -> tuple[Seat, ...]:
    return tuple(seat for seat in SEATS if seat.capitalize() in values)


def _setting(values: Mapping[str, str]) -> Setting:
    options = {option: values[name] for name, (option, _) in _OPTIONS.items()}
    return Setting(values["Variant"], options, _seats(values), values.get("Board", ""))


def _chance(values: Mapping[str, str]) -> Chance:
    return Chance(bytes.fromhex(values["Seed"]), values["Match"], label=LABEL)


def _read(line: Line) -> Sheet | Refused:
    if found := _LEFT.fullmatch(line.text):
        seats = tuple(Seat(word) for word in found["seats"].split(", "))
        return Sheet(line, seats, reason=found["reason"])
    if found := _REPLACED.fullmatch(line.text):
        return Sheet(line, (Seat(found["seat"]),))
    found = _SHEET.fullmatch(line.text)
    if not found:
        return Refused(line.number, say("I do not understand '{seen}'", seen=shown(line.text)))
    texts = (found["orders"] or "").split(BETWEEN)
    read = parse([Line(line.number, text) for text in texts])
    if read.problems:
        return Refused(line.number, read.problems[0].message)
    return Sheet(line, (Seat(found["seat"]),), int(found["ply"]), read.orders)


def _ply(
    state: State, sheets: Sequence[Sheet], values: Mapping[str, str]
) -> tuple[Event, ...] | Refused:
    first = sheets[0]
    for sheet in sheets:
        if fault := _misplaced(state, sheet, sheets) or _fault(state, sheet, values):
            return Refused(sheet.line.number, fault)
    if first.ply is None:
        if not first.reason:
            return tuple(succeed(state, first.seats[0]))
        return tuple(leave(state, first.seats, first.reason))
    orders = {sheet.seats[0]: _with_phrase(state, sheet, values) for sheet in sheets}
    if set(orders) != awaiting(state):
        return Refused(first.line.number, say("these are not the seats that were to order"))
    chance = replace(_chance(values), phrases=phrases(state))
    return tuple(adjudicate(state, orders, chance))


def _misplaced(state: State, sheet: Sheet, beside: Sequence[Sheet]) -> Message | None:
    """Say why a line cannot stand where it does; `beside` are those of its ply."""
    if state.outcome:
        return say("the match is over before this line")
    if strange := [seat for seat in sheet.seats if seat not in state.seats]:
        return say("nobody plays {seat}", seat=strange[0])
    if sheet.ply is None:
        gone = [seat for seat in sheet.seats if seat in state.left or sheet.seats.count(seat) > 1]
        return say("{seat} has left already", seat=gone[0]) if gone else None
    if sheet.ply != state.ply + 1:
        return say(
            "sheets with the number {n} are to stand here, not {seen}",
            n=state.ply + 1,
            seen=sheet.ply,
        )
    if [other.seats for other in beside].count(sheet.seats) > 1:
        return say("{seat} has two sheets with the number {n}", seat=sheet.seats[0], n=sheet.ply)
    return None


def _with_phrase(state: State, sheet: Sheet, values: Mapping[str, str]) -> tuple[Order, ...]:
    """Add to a seat's sheet its phrase, which stands in a tag, for it may hold any sign."""
    seat = sheet.seats[0]
    phrase = values.get(f"{seat.capitalize()}Phrase", "")
    return sheet.orders if state.turn else (Phrase(phrase),)


def _fault(state: State, sheet: Sheet, values: Mapping[str, str]) -> Message | None:
    if sheet.ply is None:
        return None
    seat = sheet.seats[0]
    told = values.get(f"{seat.capitalize()}Phrase", "")
    if any(order.text != told for order in sheet.orders if isinstance(order, Phrase)):
        return say("the tag {name} has another phrase", name=f"{seat.capitalize()}Phrase")
    written = parse([Line(1, text) for text in _texts(sheet)])
    problems = playable(observe(state, seat), written)
    return problems[0].message if problems else None


def _texts(sheet: Sheet) -> Sequence[str]:
    found = _SHEET.fullmatch(sheet.line.text)
    return (found["orders"] or "").split(BETWEEN) if found else ()


def _finished(transcript: Transcript, plies: Sequence[Facts]) -> Replayed | Refused:
    """Compare the end with the Result. Agreements and cancellations are the record's word; all else
    follows from the rules."""
    told = transcript.values["Result"]
    state = next((facts[-1][1] for facts in reversed(plies)), _opening(transcript.values))
    if state.outcome is None and told in ("none agreement", "none cancelled"):
        for event in close(state, told.split()[1]):
            state = apply(state, event)
    if result(state.outcome) != told:
        return transcript.refused(
            "Result",
            say("Result is {seen}, but it was {found}", seen=told, found=result(state.outcome)),
        )
    played = [event for facts in plies for event, _ in facts]
    turns = max((event.turn for event in played if isinstance(event, TurnOpened)), default=0)
    data = {
        "variant": state.settings.variant,
        "orders": len(unbroken(transcript.body, _BEGUN)),
        "turns": turns,
        "result": to_builtins(state.outcome) if state.outcome else None,
        **_pieces(state),
        "holders": to_builtins(state.holders),
        "embassies": to_builtins(state.embassies),
        "plies": list(map(_ply_told, plies)),
    }
    summary = count(
        "{match}: {n} turn, {result}",
        "{match}: {n} turns, {result}",
        turns,
        match=transcript.values["Match"],
        result=told,
    )
    return Replayed(transcript.line, transcript.values, summary, data)


def _ply_told(facts: Facts) -> dict[str, Any]:
    """Return a ply with all cards open: what happened, and where the pieces stood then. It has no
    number if seats left."""
    number = next((event.ply for event, _ in facts if isinstance(event, Ordered)), None)
    events = (_told(event, state) for event, state in facts)
    return {"ply": number, "events": list(filter(None, events)), **_pieces(facts[-1][1])}


def _told(event: Event, state: State) -> dict[str, Any] | None:
    seen = unveiled(event, state.seats)
    dealt = {"cards": dict(event.cards)} if isinstance(event, Dealt) else {}
    return None if seen is None else plain(seen) | dealt


def _pieces(state: State) -> dict[str, Any]:
    return {"spies": dict(state.spies), "bodyguards": dict(state.bodyguards)}
