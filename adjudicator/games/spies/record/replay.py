"""Records of Spies played again from seed and sheets (rules 10.2, 10.3).

A record is read in three passes, each of which ends at the first thing that is wrong: what the
tags say, what the lines say, and what the rules make of them. In the last each line is judged on
the view of its seat at that moment, as when it was sent.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Setting
from adjudicator.core.message import count, say
from adjudicator.core.orders import shown
from adjudicator.core.record import (
    RecordEntry,
    Refused,
    Replayed,
    Transcript,
    closed_by,
    entries,
    options_told,
    plies,
    result_fault,
    tag_faults,
)
from adjudicator.core.visible import plain
from adjudicator.games.spies.orders.check import check
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.values import Order
from adjudicator.games.spies.record.position import position, result
from adjudicator.games.spies.record.write import OPTION_TAGS
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import SET_UP, atlas
from adjudicator.games.spies.rules.events import AnyEvent, Guard, Turned
from adjudicator.games.spies.rules.state import OPTIONS, State
from adjudicator.games.spies.sight.observe import observe
from adjudicator.games.spies.sight.witness import private, public

_BEGUN = re.compile(r"[0-9]+\. [a-z]+:|left ")


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
    found = entries(transcript.body, _BEGUN, parse)
    if isinstance(found, Refused):
        yield found
        return
    state, chance = opening(transcript.values), _chance(transcript.values)
    for together in plies(found):
        made = _ply(state, together, chance)
        yield made
        if isinstance(made, Refused):
            return
        state = made.after


def opening(values: Mapping[str, str]) -> State:
    seats = tuple(atlas().seating[int(values["Players"])])
    setting = Setting.of(OPTIONS, "standard", options_told(values, OPTION_TAGS), seats)
    return match.set_up(setting, _chance(values))


def _chance(values: Mapping[str, str]) -> Chance:
    return Chance(bytes.fromhex(values["Seed"]), values["Match"], label=LABEL)


def _tag_faults(transcript: Transcript) -> Iterator[Refused]:
    yield from tag_faults(transcript, ("Match", "Players"), OPTION_TAGS)
    players = transcript.values["Players"]
    if players not in map(str, atlas().seating):
        wrong = say("{tag} cannot be '{seen}'", tag="Players", seen=shown(players))
        yield transcript.refused("Players", wrong)


def _ply(state: State, together: Sequence[RecordEntry[Order]], chance: Chance) -> Told | Refused:
    first = together[0]
    if state.outcome:
        return Refused(first.line.number, say("the match is over before this line"))
    for entry in together:
        for seat in entry.seats:
            if seat not in state.seats:
                return Refused(entry.line.number, say("nobody plays {seat}", seat=seat))
    if first.ply is None:
        return _leaving(state, first, chance)
    if first.ply != state.ply + 1:
        return Refused(
            first.line.number,
            say("expected ply {n} here, not {seen}", n=state.ply + 1, seen=first.ply),
        )
    orders = {entry.seats[0]: entry.sheet.orders for entry in together}
    if set(orders) != match.awaiting(state) or len(orders) != len(together):
        return Refused(first.line.number, say("these are not the seats that were due to order"))
    for entry in together:
        if fault := _fault(state, entry):
            return fault
    return _told(state, first.ply, tuple(match.adjudicate(state, orders, chance)))


def _leaving(state: State, entry: RecordEntry[Order], chance: Chance) -> Told | Refused:
    """Let seats leave. Powers of theirs whose place has come act at once (5.1), also if chits must
    be shuffled for it."""
    if any(seat in state.left for seat in entry.seats):
        return Refused(entry.line.number, say("this seat has already left"))
    events = tuple(match.leave(state, entry.seats, entry.reason))
    left = _told(state, None, events)
    if match.awaiting(left.after) & left.after.left.keys():
        more = tuple(match.adjudicate(left.after, {}, chance))
        return _told(state, None, (*events, *more))
    return left


def _fault(state: State, entry: RecordEntry[Order]) -> Refused | None:
    problems = check(observe(state, entry.seats[0]), entry.sheet)
    return Refused(entry.line.number, problems[0].message) if problems else None


def _told(state: State, number: int | None, events: tuple[AnyEvent, ...]) -> Told:
    after = state
    for event in events:
        after = apply(after, event)
    return Told(number, max(state.year, SET_UP), events, state, after)


def _finished(transcript: Transcript, state: State, told: Sequence[Told]) -> Replayed | Refused:
    if reason := closed_by(transcript, state.outcome):
        for event in match.close(state, reason):
            state = apply(state, event)
    if fault := result_fault(transcript, state.outcome):
        return fault
    data = {
        "players": len(state.seats),
        "mode": state.settings.mode,
        "order": state.settings.order,
        "plies": list(plies_told(told)),
        "result": result(state),
    }
    summary = count(
        "{match}: {n} ply, {result}",
        "{match}: {n} plies, {result}",
        state.ply,
        match=transcript.values["Match"],
        result=transcript.values["Result"],
    )
    return Replayed(transcript.line, transcript.values, summary, data)


def plies_told(told: Sequence[Told]) -> Iterator[dict[str, Any]]:
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
