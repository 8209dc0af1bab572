"""Records of Spies played again from seed and sheets (rules 10.2, 10.3).

A record is read in three passes, each of which ends at the first thing that is wrong: what the
tags say, what the lines say, and what the rules make of them. In the last each line is judged on
the view of its seat at that moment, as when it was sent.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from adjudicator.core.dice import Chance
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import count, say
from adjudicator.core.orders import Line, shown
from adjudicator.core.record import Refused, Replayed, Transcript
from adjudicator.core.record_of_sheets import result as written_result
from adjudicator.core.record_of_sheets import sheets as sheets_of
from adjudicator.core.visible import plain
from adjudicator.games.spies.orders.check import check
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.values import Order
from adjudicator.games.spies.record.position import position, result
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import SET_UP, atlas
from adjudicator.games.spies.rules.events import AnyEvent, Guard, Turned
from adjudicator.games.spies.rules.state import State
from adjudicator.games.spies.sight.observe import observe
from adjudicator.games.spies.sight.witness import private, public

# Tags of the options: the option's name, and what it may say.
_OPTIONS: Mapping[str, tuple[str, str]] = {
    "Mode": ("mode", "turns|years"),
    "Order": ("order", "rotating|fixed"),
    "Assassination": ("assassination", "true|false"),
}
_SHEET = re.compile(r"(?P<ply>[0-9]{1,6})\. (?P<seat>[a-z]+):(?:\s+(?P<orders>.*))?")
_BEGUN = re.compile(r"[0-9]+\. [a-z]+:|left ")
_LEFT = re.compile(r"left (?P<seats>[a-z]+(?:, ?[a-z]+)*): (?P<reason>resignation|forfeit)")
_BETWEEN = re.compile(r"\s*\|\s*")


class Sheet(Struct, frozen=True):
    """A line of the record: a seat's sheet for a ply, or seats that left (`reason`)."""

    line: Line
    seats: tuple[Seat, ...]
    ply: int | None = None
    orders: tuple[Order, ...] = ()
    reason: str = ""


class Told(Struct, frozen=True):
    """The events of a ply. `number` is None for a leaving with the turns that it set off."""

    number: int | None
    year: int
    events: tuple[AnyEvent, ...]
    before: State
    after: State


def replay(transcript: Transcript) -> Replayed | Refused:
    """Play the match again; return the first thing in it that the rules do not allow, if there is
    one."""
    if fault := next(_tag_faults(transcript), None):
        return fault
    told: list[Told] = []
    for ply in retell(transcript):
        if isinstance(ply, Refused):
            return ply
        told.append(ply)
    state = told[-1].after if told else opening(transcript.values)
    return _finished(transcript, state, told)


def retell(transcript: Transcript) -> Iterator[Told | Refused]:
    """Yield ply by ply, up to the first thing that the rules do not allow. The tags are sound."""
    sheets = sheets_of(transcript.body, _BEGUN, _read)
    if isinstance(sheets, Refused):
        yield sheets
        return
    state, chance = opening(transcript.values), _chance(transcript.values)
    for _, alike in groupby(sheets, key=_ply_of):
        made = _ply(state, list(alike), chance)
        yield made
        if isinstance(made, Refused):
            return
        state = made.after


def opening(values: Mapping[str, str]) -> State:
    options = {option: values[name] for name, (option, _) in _OPTIONS.items()}
    seats = tuple(atlas().seating[int(values["Players"])])
    return match.set_up(Setting("standard", options, seats), _chance(values))


def _chance(values: Mapping[str, str]) -> Chance:
    return Chance(bytes.fromhex(values["Seed"]), values["Match"])


def _ply_of(sheet: Sheet) -> int | Sheet:
    """Return what the sheets of one ply have in common; each leaving is by itself."""
    return sheet if sheet.ply is None else sheet.ply


def _tag_faults(transcript: Transcript) -> Iterator[Refused]:
    for name in ("Match", "Players", *_OPTIONS, "Seed", "Result"):
        if name not in transcript.tags:
            yield transcript.refused(name, say("the tag {name} is missing", name=name))
    values = transcript.values
    if values["Players"] not in map(str, atlas().seating):
        yield transcript.refused(
            "Players",
            say("{tag} cannot be '{seen}'", tag="Players", seen=shown(values["Players"])),
        )
    if not re.fullmatch("[0-9a-f]{64}", values["Seed"]):
        yield transcript.refused("Seed", say("a seed is 64 hex digits"))
    for name, (_, pattern) in _OPTIONS.items():
        if not re.fullmatch(pattern, values[name]):
            yield transcript.refused(
                name, say("{tag} cannot be '{seen}'", tag=name, seen=shown(values[name]))
            )


def _read(line: Line) -> Sheet | Refused:
    if found := _LEFT.fullmatch(line.text):
        seats = tuple(Seat(word.strip()) for word in found["seats"].split(","))
        return Sheet(line, seats, reason=found["reason"])
    found = _SHEET.fullmatch(line.text)
    if not found:
        return Refused(line.number, say("I do not understand '{seen}'", seen=shown(line.text)))
    read = parse([Line(line.number, text) for text in _texts(found["orders"])])
    if read.problems:
        return Refused(line.number, read.problems[0].message)
    return Sheet(line, (Seat(found["seat"]),), int(found["ply"]), read.orders)


def _texts(orders: str | None) -> Sequence[str]:
    return _BETWEEN.split(orders) if orders else ()


def _ply(state: State, sheets: Sequence[Sheet], chance: Chance) -> Told | Refused:
    first = sheets[0]
    if state.outcome:
        return Refused(first.line.number, say("the match is over before this line"))
    for sheet in sheets:
        for seat in sheet.seats:
            if seat not in state.seats:
                return Refused(sheet.line.number, say("nobody plays {seat}", seat=seat))
    if first.ply is None:
        return _leaving(state, first, chance)
    if first.ply != state.ply + 1:
        return Refused(
            first.line.number,
            say("ply {n} comes here, not {seen}", n=state.ply + 1, seen=first.ply),
        )
    orders = {sheet.seats[0]: sheet.orders for sheet in sheets}
    if set(orders) != match.awaiting(state) or len(orders) != len(sheets):
        return Refused(first.line.number, say("these are not the seats that were to order"))
    for sheet in sheets:
        if fault := _fault(state, sheet):
            return fault
    return _told(state, first.ply, tuple(match.adjudicate(state, orders, chance)))


def _leaving(state: State, sheet: Sheet, chance: Chance) -> Told | Refused:
    """Let seats leave. Powers of theirs whose place has come act at once (5.1), also if chits must
    be shuffled for it."""
    if any(seat in state.left for seat in sheet.seats):
        return Refused(sheet.line.number, say("this seat has left before"))
    events = tuple(match.leave(state, sheet.seats, sheet.reason))
    left = _told(state, None, events)
    if match.awaiting(left.after) & left.after.left.keys():
        more = tuple(match.adjudicate(left.after, {}, chance))
        return _told(state, None, (*events, *more))
    return left


def _fault(state: State, sheet: Sheet) -> Refused | None:
    found = _SHEET.fullmatch(sheet.line.text)
    texts = _texts(found["orders"]) if found else ()
    read = parse([Line(sheet.line.number, text) for text in texts])
    problems = check(observe(state, sheet.seats[0]), read)
    return Refused(sheet.line.number, problems[0].message) if problems else None


def _told(state: State, number: int | None, events: tuple[AnyEvent, ...]) -> Told:
    after = state
    for event in events:
        after = apply(after, event)
    return Told(number, max(state.year, SET_UP), events, state, after)


def _finished(transcript: Transcript, state: State, told: Sequence[Told]) -> Replayed | Refused:
    """Compare the end with the Result. Agreements and cancellations are the record's word; all else
    follows from the rules."""
    said = transcript.values["Result"]
    if state.outcome is None and said in ("none agreement", "none cancelled"):
        for event in match.close(state, said.split()[1]):
            state = apply(state, event)
    if written_result(state.outcome) != said:
        return transcript.refused(
            "Result",
            say(
                "Result is {seen}, but it was {found}",
                seen=shown(said),
                found=written_result(state.outcome),
            ),
        )
    data = {
        "players": len(state.seats),
        "mode": state.settings.mode,
        "order": state.settings.order,
        "plies": list(plies(told)),
        "result": result(state),
    }
    summary = count(
        "{match}: {n} ply, {result}",
        "{match}: {n} plies, {result}",
        state.ply,
        match=transcript.values["Match"],
        result=said,
    )
    return Replayed(transcript.line, transcript.values, summary, data)


def plies(told: Sequence[Told]) -> Iterator[dict[str, Any]]:
    """Yield the plies as plain data. Turns that a leaving sets off stand with the next one; behind
    the last ply they stand by themselves."""
    waiting: list[dict[str, Any]] = []
    for ply in told:
        events = [*waiting, *filter(None, map(plain_event, ply.events))]
        waiting = events if ply.number is None else []
        if ply.number is not None:
            yield _plain_ply(ply, ply.number, events)
    if waiting:
        last = told[-1]
        yield _plain_ply(last, last.after.ply + 1, waiting)


def _plain_ply(ply: Told, number: int, events: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "ply": number,
        "year": ply.year,
        "events": events,
        "position": position(ply.after),
    }


def plain_event(event: AnyEvent) -> dict[str, Any] | None:
    """Return an event of 7.3 with all its private parts; None for what is none."""
    seen = public(event)
    if seen is None:
        return None
    told: dict[str, Any] = plain(seen)
    if not isinstance(event, Turned | Guard):
        told["private"] = plain(private(event))
    return told
