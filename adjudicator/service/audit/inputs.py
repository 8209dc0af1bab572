"""Play an opened log again from its inputs and the rules, and compare the log with what follows.

Theory of operation. A match is its opening, its inputs and the rules: the seed, what was agreed,
and in each ply the orders, or who left, and between two plies who got another seat. All else
follows. So the state is made from these alone. The events of the log are compared with the events
that follow, and they are never taken over: an event that nothing explains changes nothing here, and
is named. The inputs themselves are judged as the club must judge them: orders must be those of the
seats that were to move, and legal on their view of the position before the ply.

Where a ply contradicts the rules, the audit goes on from the state that follows from the rules. So
later plies may come out differently because of it; only the first of them is named.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from msgspec import Struct

from adjudicator.core import chain
from adjudicator.core.chain import AdjudicatedSheet, PlyText
from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame, fold
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import Message, listed, say
from adjudicator.core.orders import MOST_ORDERS, Sheet, numbered, shown
from adjudicator.service.audit.public_chance import chance_of, decided
from adjudicator.service.audit.receipts import ParsedLog, replaced_seats
from adjudicator.service.audit.verdicts import AuditFinding, contradicts, uncompared

# What rules and readers raise that are given what no club of ours has written.
UNREPLAYABLE = (ValueError, LookupError, TypeError, AttributeError, AssertionError)

BY_DEFAULT = "default"  # who gave orders for a silent seat, as the log says


class Happened(Struct, frozen=True):
    """An event of a match and its ply. `number` counts from 1 those that came between that ply and
    the next."""

    ply: int
    event: Any
    number: int = 0


class ReplayedPly(Struct, frozen=True, kw_only=True):
    """A ply that was played again. `since` are the states from the ply before on: after it, and
    after each of the events `between` the two. The last of them is the one that was ordered in."""

    entry: PlyText
    since: Sequence[Any]
    between: Sequence[Any]
    events: Sequence[Any]
    state: Any

    @property
    def before(self) -> Any:
        return self.since[-1]


class ReplayedMatch(Struct, frozen=True, kw_only=True):
    """A match that was played again: its opening position, its plies, its events, and its states
    after each ply and after each event that came between that and the next."""

    game: AnyGame
    match: str
    seed: bytes
    setting: Setting
    number: chain.PublicChance | None
    opening: Any
    plies: Sequence[ReplayedPly]

    @property
    def last(self) -> Any:
        return self.plies[-1].state if self.plies else self.opening

    def happened(self) -> Iterator[Happened]:
        for one in self.plies:
            ply = one.entry.ply
            for number, event in enumerate(one.between, start=1):
                yield Happened(ply - 1, event, number)
            for event in one.events:
                yield Happened(ply, event)

    def states(self) -> Mapping[int, Sequence[Any]]:
        found: dict[int, Sequence[Any]] = {0: [self.opening]}
        for one in self.plies:
            found[one.entry.ply - 1] = one.since
            found[one.entry.ply] = [one.state]
        return found

    def chance(self, state: Any) -> Chance:
        phrases = self.game.proof.phrases(state)
        return chance_of(self.game, self.match, self.seed, self.number, phrases)


class Recomputed(Struct, frozen=True):
    """What came of playing a log again."""

    played: ReplayedMatch
    findings: Sequence[AuditFinding]


def recompute(
    game: AnyGame, match: str, seed: bytes, setting: Setting, log: ParsedLog
) -> Recomputed:
    """Play a match again from its inputs; say what of its log does not follow from them."""
    number = decided(log.lines[0])
    state = game.rules.set_up(setting, chance_of(game, match, seed, number))
    plies: list[ReplayedPly] = []
    played = ReplayedMatch(
        game=game,
        match=match,
        seed=seed,
        setting=setting,
        number=number,
        opening=state,
        plies=plies,
    )
    findings: list[AuditFinding] = []
    replaced = replaced_seats(log)
    for entry in log.entries:
        try:
            ply, found = _ply(played, entry, replaced)
        except UNREPLAYABLE as trouble:
            why = say("it cannot be played by the rules ({kind})", kind=type(trouble).__name__)
            findings.append(_in_ply(log, entry, contradicts(why)))
            if entry.ply < len(log.entries):
                findings.append(uncompared(_not_played(entry.ply, len(log.entries))))
            break
        findings += [_in_ply(log, entry, one) for one in found]
        plies.append(ply)
    return Recomputed(played, findings)


def _not_played(ply: int, last: int) -> Message:
    return say("not played again: plies {first} to {last}", first=ply + 1, last=last)


def _in_ply(log: ParsedLog, entry: PlyText, found: AuditFinding) -> AuditFinding:
    told = say("{paper}: ply {ply}: {what}", paper=log.paper.name, ply=entry.ply, what=found.told)
    return AuditFinding(found.verdict, told)


def _ply(
    played: ReplayedMatch, entry: PlyText, replaced: Collection[str]
) -> tuple[ReplayedPly, Sequence[AuditFinding]]:
    game = played.game
    between, findings = _between(played, entry, replaced)
    since = [played.last]
    for event in between:
        since.append(game.rules.apply(since[-1], event))
    before = since[-1]
    findings = [*findings, *_turn(game, before, entry)]
    if entry.cause == "orders":
        findings += _orders(played, since, entry)
        events, told = _adjudicated(played, before, entry)
    else:
        events, told = _ended(played, before, entry)
    findings += told
    state = fold(game, before, events)
    return (
        ReplayedPly(entry=entry, since=since, between=between, events=events, state=state),
        findings,
    )


def _turn(game: AnyGame, before: Any, entry: PlyText) -> Iterator[AuditFinding]:
    turn = game.rules.turn(before)
    if entry.turn != turn:
        what = say("it is called turn {seen}, and is turn {turn}", seen=entry.turn, turn=turn)
        yield contradicts(what)


# What came between two plies: seats that got other holders.


def _between(
    played: ReplayedMatch, entry: PlyText, replaced: Collection[str]
) -> tuple[list[Any], list[AuditFinding]]:
    """Return what follows from seats that changed hands since the ply before.

    The line of the log names these events; the rulings in the log name the seats.
    """
    game, state = played.game, played.last
    told = [chain.unpacked(game.rules.event, one, {}) for one in entry.between]
    explained: list[Any] = []
    seats = [seat for seat in played.setting.seats if seat in replaced]
    rest = told
    while rest:
        step = next(
            (
                events
                for seat in seats
                if (events := list(game.rules.succeed(state, seat)))
                and rest[: len(events)] == events
            ),
            None,
        )
        if step is None:
            what = say(
                "before it there is an event that no change of players explains: {event}",
                event=called(rest[0]),
            )
            return explained, [contradicts(what)]
        state = fold(game, state, step)
        explained += step
        rest = rest[len(step) :]
    return explained, []


def called(event: Any) -> str:
    """Return an event as the log writes it, short enough for a sentence."""
    return shown(json.dumps(chain.packed(event, {}), separators=(",", ":")), 80)


# What a ply does that nobody ordered: players who leave, and the end of a match.


def _ended(
    played: ReplayedMatch, before: Any, entry: PlyText
) -> tuple[list[Any], list[AuditFinding]]:
    """Return the events of a ply in which seats left or the match was ended."""
    game = played.game
    told = [chain.unpacked(game.rules.event, one, {}) for one in entry.events]
    possible = [*_possible(played, before, entry)]
    if told in possible:
        return told, []
    if not possible:
        return [], [contradicts(say("its cause is unknown: '{cause}'", cause=shown(entry.cause)))]
    closest = max(possible, key=lambda events: _alike(events, told))
    return closest, [contradicts(_first_difference(closest, told, game))]


def _possible(played: ReplayedMatch, before: Any, entry: PlyText) -> Iterator[list[Any]]:
    """Yield what the cause of a ply can do by the rules."""
    game = played.game
    if entry.cause in ("agreement", "cancelled"):
        yield list(game.rules.close(before, entry.cause))
    elif entry.cause in ("resignation", "forfeit"):
        seats = [seat for seat in played.setting.seats if seat not in game.rules.gone(before)]
        most = 1 if entry.cause == "resignation" else len(seats)
        for number in range(1, most + 1):
            for leaving in combinations(seats, number):
                yield list(game.rules.leave(before, leaving, entry.cause))


def _alike(events: Sequence[Any], told: Sequence[Any]) -> int:
    return sum(one in told for one in events)


# Orders: whose they are, whether they are legal, and what comes of them.


def _orders(played: ReplayedMatch, since: Sequence[Any], entry: PlyText) -> Iterator[AuditFinding]:
    game, before = played.game, since[-1]
    awaited = [seat for seat in played.setting.seats if seat in game.rules.awaiting(before)]
    given = [one.seat for one in entry.orders]
    titles = game.seat_titles
    if absent := [seat for seat in awaited if seat not in given]:
        seats = listed(titles[seat] for seat in absent)
        yield contradicts(
            say("the orders of {seats} are missing, and it was their turn", seats=seats)
        )
    for number, one in enumerate(entry.orders):
        if one.seat not in awaited:
            seat = titles.get(Seat(one.seat)) or shown(one.seat)
            yield contradicts(say("{seat} gave orders, and it was not their turn", seat=seat))
        elif one.seat in given[:number]:
            seat = titles[Seat(one.seat)]
            yield contradicts(say("{seat} gave orders twice", seat=seat))
        else:
            yield from _sheet(played, since, entry, one)


def _sheet(
    played: ReplayedMatch, since: Sequence[Any], entry: PlyText, one: AdjudicatedSheet
) -> Iterator[AuditFinding]:
    """Judge the orders of a seat as the club must have judged them."""
    game, seat, before = played.game, Seat(one.seat), since[-1]
    title = game.seat_titles[seat]
    if one.at > entry.at:
        what = say("the orders of {seat} came after it, at {at}", seat=title, at=shown(one.at))
        yield contradicts(what)
    if one.by == BY_DEFAULT:
        if not _is_default(played, since, entry, one):
            what = say("the default orders of {seat} are not those of the rules", seat=title)
            yield contradicts(what)
        return
    sheet: Sheet[Any] = game.orders.parse(numbered(one.lines))
    if len(one.lines) > MOST_ORDERS * 2 or sheet.problems:
        yield contradicts(_not_legal(title, sheet))
        return
    problems = game.orders.check(game.sight.observe(before, seat), sheet)
    if problems:
        yield contradicts(_not_legal(title, Sheet(sheet.written, tuple(problems))))
    elif tuple(game.orders.lines(sheet.orders)) != one.lines:
        what = say("the orders of {seat} are not written as adjud writes them", seat=title)
        yield contradicts(what)


def _not_legal(title: Message, sheet: Sheet[Any]) -> Message:
    """Say what is wrong with orders, with the first line that is not allowed."""
    if not sheet.problems:
        return say("the orders of {seat} are too many", seat=title)
    first = min(sheet.problems, key=lambda one: one.line)
    lines = [one.line for one in sheet.written]
    text = first.text or next((one.text for one in lines if one.number == first.line), "")
    return say(
        "{seat} ordered '{text}', which was not allowed: {why}",
        seat=title,
        text=shown(text),
        why=first.message,
    )


def _is_default(
    played: ReplayedMatch, since: Sequence[Any], entry: PlyText, one: AdjudicatedSheet
) -> bool:
    """Return whether orders are those that the rules give a silent seat.

    They may have been given for an earlier ply, in which a player left and nothing was ordered:
    then they were carried on.
    """
    game = played.game
    if game.rules.default is None:
        return False
    for number, states in _awaited_since(played, since, entry):
        for state in states:
            chance = played.chance(state).private(one.seat, f"default {number}")
            orders = game.rules.default(state, Seat(one.seat), chance)
            if orders is not None and tuple(game.orders.lines(orders)) == one.lines:
                return True
    return False


def _awaited_since(
    played: ReplayedMatch, since: Sequence[Any], entry: PlyText
) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the plies, the last first, for which orders of this ply can have been given, each with
    the states in which."""
    yield entry.ply, since[::-1]
    for ply in reversed(played.plies):
        if ply.entry.cause == "orders":
            return
        yield ply.entry.ply, ply.since[::-1]


def _adjudicated(
    played: ReplayedMatch, before: Any, entry: PlyText
) -> tuple[list[Any], list[AuditFinding]]:
    """Return what comes of the orders."""
    game = played.game
    lines = {one.seat: one.lines for one in entry.orders}
    told = [chain.unpacked(game.rules.event, one, lines) for one in entry.events]
    orders = {Seat(one.seat): game.orders.parse(numbered(one.lines)).orders for one in entry.orders}
    events = list(game.rules.adjudicate(before, orders, played.chance(before)))
    lean = chain.lean(events, game.proof.repeated)
    if told in (lean, events):
        return events, []
    return events, [contradicts(_first_difference(lean, told, game))]


def _first_difference(follows: Sequence[Any], told: Sequence[Any], game: AnyGame) -> Message:
    """Say where the events of the log are others than those that follow from the rules."""
    if len(told) > len(follows) or any(isinstance(one, game.proof.repeated) for one in told):
        told = [one for one in told if not isinstance(one, game.proof.repeated)]
    number = next(
        (n for n, (one, other) in enumerate(zip(follows, told, strict=False)) if one != other),
        min(len(follows), len(told)),
    )
    right = called(follows[number]) if number < len(follows) else say("nothing")
    seen = called(told[number]) if number < len(told) else say("nothing")
    return say(
        "it comes out differently when it is replayed: {seen} in the log, {right} by the rules",
        seen=seen,
        right=right,
    )
