"""Records of Spies (`.spies`): written from a match's log, played again from seed and sheets (rules
10).

A record is read in three passes, each of which ends at the first thing that is wrong: what the
tags say, what the lines say, and what the rules make of them. In the last each line is judged on
the view of its seat at that moment, as when it was sent.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Any, TypeAlias

from msgspec import to_builtins

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Setting
from adjudicator.core.message import say
from adjudicator.core.orders import shown
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
    plies_played,
    ply_fault,
    record_lines,
    record_of_sheets,
    replayed_plies,
    sheet_line,
    tag_faults,
)
from adjudicator.core.visible import plain
from adjudicator.games.spies.orders.check import check
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.values import Order
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import POWERS, SET_UP, atlas, owner_of
from adjudicator.games.spies.rules.control import face
from adjudicator.games.spies.rules.events import AnyEvent, Guard, Left, Ordered, Turned
from adjudicator.games.spies.rules.outcome import points
from adjudicator.games.spies.rules.state import OPTIONS, State
from adjudicator.games.spies.sight.observe import observe
from adjudicator.games.spies.sight.witness import private, public

OPTION_TAGS: OptionTags = {
    "Mode": ("mode", "turns|years"),
    "Order": ("order", "rotating|fixed"),
    "Assassination": ("assassination", "true|false"),
}


def write(chronicle: Chronicle, state: State, events: Sequence[AnyEvent]) -> str:
    """Write the record of a match, `state` being its last and `events` all of it in order: its
    seed and every sheet, from which all else follows."""
    about = {"Players": str(len(state.seats)), **option_tags(state.settings, OPTION_TAGS)}
    lines = record_lines(events, Left, _line)
    return record_of_sheets("Spies", chronicle, state.seats, lines, about=about)


def _line(event: AnyEvent) -> str | None:
    """Write the sheet of an awaited seat, without lines if it was silent."""
    return sheet_line(event.ply, event.seat, event.lines) if isinstance(event, Ordered) else None


# Played again.

_BEGUN = re.compile(r"[0-9]+\. [a-z]+:|left ")

# A leaving, without a number, has the turns that it set off.
Ply: TypeAlias = PlyReplayed[State, AnyEvent]


def replay(transcript: Transcript) -> Replayed | Refused:
    """Play the match again; return the first thing in it that the rules do not allow, if there is
    one."""
    if fault := next(_tag_faults(transcript), None):
        return fault
    told = all_sound(retell(transcript))
    return told if isinstance(told, Refused) else _finished(transcript, told)


def retell(transcript: Transcript) -> Iterator[Ply | Refused]:
    """Yield ply by ply, up to the first thing that the rules do not allow. The tags are sound."""
    found = entries(transcript.body, _BEGUN, parse)
    played = partial(_played, chance=chance_of(transcript.values, LABEL))
    return replayed_plies(found, opening(transcript.values), played, apply)


def opening(values: Mapping[str, str]) -> State:
    seats = tuple(atlas().seating[int(values["Players"])])
    setting = Setting.of(OPTIONS, "standard", options_of_tags(values, OPTION_TAGS), seats)
    return match.set_up(setting, chance_of(values, LABEL))


def _tag_faults(transcript: Transcript) -> Iterator[Refused]:
    yield from tag_faults(transcript, ("Match", "Players"), OPTION_TAGS)
    players = transcript.values["Players"]
    if players not in map(str, atlas().seating):
        wrong = say("{tag} cannot be '{seen}'", tag="Players", seen=shown(players))
        yield transcript.refusal("Players", wrong)


def _played(
    state: State, together: Sequence[RecordEntry[Order]], chance: Chance
) -> Iterable[AnyEvent] | Refused:
    if fault := ply_fault(
        together,
        outcome=state.outcome,
        last=state.ply,
        seats=state.seats,
        awaited=match.awaiting(state),
    ):
        return fault
    if together[0].ply is None:
        return _leaving(state, together[0], chance)
    for entry in together:
        for problem in check(observe(state, entry.seats[0]), entry.sheet):
            return Refused(entry.line.number, problem.message)
    orders = {entry.seats[0]: entry.sheet.orders for entry in together}
    return match.adjudicate(state, orders, chance)


def _leaving(
    state: State, entry: RecordEntry[Order], chance: Chance
) -> Sequence[AnyEvent] | Refused:
    """Let seats leave. Powers of theirs whose place has come act at once (5.1), also if chits must
    be shuffled for it."""
    if any(seat in state.left for seat in entry.seats):
        return Refused(entry.line.number, say("this seat has already left"))
    events = tuple(match.leave(state, entry.seats, entry.reason))
    after = reduce(apply, events, state)
    if match.awaiting(after) & after.left.keys():
        return (*events, *match.adjudicate(after, {}, chance))
    return events


def _finished(transcript: Transcript, told: Sequence[Ply]) -> Replayed | Refused:
    last = told[-1].after if told else opening(transcript.values)
    state = final_state(transcript, last, lambda state: state.outcome, match.close, apply)
    if isinstance(state, Refused):
        return state
    data = {
        "players": len(state.seats),
        "mode": state.settings.mode,
        "order": state.settings.order,
        "plies": list(ply_data(told)),
        "result": result(state),
    }
    summary = plies_played(transcript, state.ply)
    return Replayed(transcript.line, transcript.values, summary, data)


def ply_data(told: Sequence[Ply]) -> Iterator[dict[str, Any]]:
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


def _plain_ply(ply: Ply, number: int, events: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "ply": number,
        "year": max(ply.before.year, SET_UP),
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


# A position as other programs compare it (10.3).


def position(state: State) -> dict[str, Any]:
    """Return everything that lies on the table and in the hands, as plain data."""
    return {
        "year": state.year,
        "to_move": state.to_move,
        "powers": {
            power: {
                "money": hand.money,
                "chits": dict(hand.chits),
                "tiles": sorted(hand.tiles),
            }
            for power, hand in state.hands.items()
        },
        "record": {
            power: [[entry.kind, entry.code, entry.year] for entry in state.record[power]]
            for power in POWERS
        },
        "spies": {
            code: {
                "strength": spy.strength,
                "city": spy.city,
                "captor": spy.captor,
                "carries": spy.carries,
            }
            for code, spy in state.spies.items()
        },
        "police": {power: _police(state, power) for power in POWERS},
        "secrets": {code: _secret(state, code) for code in state.secrets},
        "result": result(state),
    }


def _police(state: State, power: str) -> list[list[Any]]:
    return sorted(
        [piece.city or "", -piece.strength, piece.on or ""]
        for code, piece in state.police.items()
        if owner_of(code) == power
    )


def _secret(state: State, code: str) -> dict[str, Any]:
    secret, shown = state.secrets[code], face(state, code)
    return {
        "value": shown.value,
        "counterspy": shown.strength,
        "city": secret.city,
        "spy": secret.spy,
        "gone": secret.gone,
    }


def result(state: State) -> dict[str, Any] | None:
    """Return how the match ended, with everybody's points; None before."""
    if state.outcome is None:
        return None
    told: dict[str, Any] = to_builtins(state.outcome)
    return {**told, "points": dict(points(state))}
