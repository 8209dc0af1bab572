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
from collections.abc import Iterator, Sequence
from typing import Any

from adjudicator.core import chain
from adjudicator.core.chain import AdjudicatedSheet, PlyText
from adjudicator.core.game import AnyGame, fold
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import Message, listed, say
from adjudicator.core.orders import MOST_ORDERS, Sheet, number_lines, shown
from adjudicator.service.audit.computers import THINKING, Computers, Thinking
from adjudicator.service.audit.log import (
    BY_DEFAULT,
    UNREPLAYABLE,
    ParsedLog,
    PlyToJudge,
    ReplayedMatch,
    ReplayedPly,
    chance_of,
    holders_before,
    in_ply,
    moment,
    number_of,
    offers_after,
    possible_plies,
    taken_back,
)
from adjudicator.service.audit.verdicts import AuditFinding, contradicts, leaves_open


def recompute(
    game: AnyGame,
    match: str,
    seed: bytes,
    setting: Setting,
    log: ParsedLog,
    thinking: Thinking = THINKING,
) -> tuple[ReplayedMatch, Sequence[AuditFinding], int]:
    """Play a match again from its inputs; say what of its log does not follow from them, and how
    many orders of computers were found again."""
    number = number_of(log.opening)
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
    findings: list[AuditFinding] = [*_committed(played, log)]
    computers = Computers(played, log, thinking)
    for entry in log.entries:
        try:
            ply, found = _ply(played, entry, log, computers)
        except UNREPLAYABLE as trouble:
            why = say("it cannot be played by the rules ({kind})", kind=type(trouble).__name__)
            findings.append(_in_ply(log, entry, contradicts(why)))
            if entry.ply < len(log.entries):
                findings.append(leaves_open(_not_played(entry.ply, len(log.entries))))
            break
        findings += [_in_ply(log, entry, one) for one in found]
        plies.append(ply)
    return played, [*findings, *computers.sheets_left_out()], computers.found


def _committed(played: ReplayedMatch, log: ParsedLog) -> Iterator[AuditFinding]:
    """Compare the commitments in the first line with those that follow from the seed."""
    chance = played.chance(played.opening)
    links = (
        ("key" if one.opened else "anchor", one.seat, chance.key(one.chain, one.number - 1).hex())
        for one in played.game.proof.links(played.opening, Seat(""))
    )
    if log.opening.commitments != (("seed", None, chance.commitment), *links):
        told = say(
            "{paper}: the proofs in the first line of the log do not follow from the seed",
            paper=log.paper.name,
        )
        yield contradicts(told)


def _not_played(ply: int, last: int) -> Message:
    return say("not played again: plies {first} to {last}", first=ply + 1, last=last)


def _in_ply(log: ParsedLog, entry: PlyText, found: AuditFinding) -> AuditFinding:
    told = in_ply(log, entry, found.told)
    return AuditFinding(found.verdict, told)


def _ply(
    played: ReplayedMatch, entry: PlyText, log: ParsedLog, computers: Computers
) -> tuple[ReplayedPly, Sequence[AuditFinding]]:
    game = played.game
    between, findings = _between(played, entry, log)
    since = [played.last]
    for event in between:
        since.append(game.rules.apply(since[-1], event))
    before = since[-1]
    findings = [*findings, *_turn(game, before, entry)]
    if entry.cause == "orders":
        ply = PlyToJudge(entry=entry, since=since, between=between)
        findings += _orders(played, ply, computers)
        events, told = _adjudicated(played, before, entry)
    else:
        events, told = _ended(played, before, entry, log)
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
    played: ReplayedMatch, entry: PlyText, log: ParsedLog
) -> tuple[list[Any], list[AuditFinding]]:
    """Return what follows from seats that changed hands since the ply before.

    The line names these seats, in order. After a ply was taken back, a seat that had changed hands
    twice has given up only once.
    """
    told = [chain.unpack(played.game.rules.event, one, {}) for one in entry.between]
    changed = _changed_hands(entry, log)
    in_order = not taken_back(entry)
    explained, rest, used = _explained(
        played, told, changed if in_order else sorted(changed), in_order
    )
    findings = []
    if rest:
        what = say(
            "before it there is an event that no change of players explains: {event}",
            event=event_text(rest[0]),
        )
        findings.append(contradicts(what))
    if lacking := [seat for seat in changed if seat not in used]:
        title = played.game.seat_titles[Seat(lacking[0])]
        findings.append(
            contradicts(
                say(
                    "before it {seat} changed hands, without what the rules say of that", seat=title
                )
            )
        )
    return explained, findings


def _explained(
    played: ReplayedMatch, told: Sequence[Any], seats: Sequence[str], in_order: bool
) -> tuple[list[Any], Sequence[Any], list[str]]:
    """Return the events that seats that changed hands explain, the first that they do not and all
    after it, and those seats."""
    game, state = played.game, played.last
    explained: list[Any] = []
    used: list[str] = []
    rest = told
    while True:
        possible = seats[len(used) : len(used) + 1] if in_order else seats
        for seat in possible:
            step = list(game.rules.succeed(state, Seat(seat)))
            if rest[: len(step)] == step and (step or in_order):
                break
        else:
            unseen = [seat for seat in seats if seat not in used]
            return (
                explained,
                rest,
                used + [one for one in unseen if not [*game.rules.succeed(state, Seat(one))]],
            )
        used.append(seat)
        state = fold(game, state, step)
        explained += step
        rest = rest[len(step) :]


def _changed_hands(entry: PlyText, log: ParsedLog) -> list[str]:
    """Return the seats that a holder gave up before a ply, in order."""
    held = holders_before(log, entry.ply - 1)
    seats = []
    for change in entry.holders:
        if held.get(change.seat) != chain.OPEN:
            seats.append(change.seat)
        held[change.seat] = change.kind
    return seats


def event_text(event: Any) -> str:
    """Return an event as the log writes it, short enough for a sentence."""
    return shown(json.dumps(chain.pack(event, {}), separators=(",", ":")), 80)


# What a ply does that nobody ordered: players who leave, and the end of a match.


def _ended(
    played: ReplayedMatch, before: Any, entry: PlyText, log: ParsedLog
) -> tuple[list[Any], list[AuditFinding]]:
    """Return the events of a ply in which seats left or the match was ended."""
    told = [chain.unpack(played.game.rules.event, one, {}) for one in entry.events]
    findings = [*_without_orders(entry), *_declared(played, before, entry, log)]
    possible = [*_possible(played, before, entry)]
    if told in possible:
        return told, findings
    if not possible:
        what = say("its cause is unknown: '{cause}'", cause=shown(entry.cause))
        return [], [contradicts(what), *findings]
    closest = max(possible, key=lambda events: _alike(events, told))
    return closest, [contradicts(_first_difference(closest, told)), *findings]


def _without_orders(entry: PlyText) -> Iterator[AuditFinding]:
    if entry.orders:
        what = say("it has orders, though its cause is '{cause}'", cause=shown(entry.cause))
        yield contradicts(what)


def _declared(
    played: ReplayedMatch, before: Any, entry: PlyText, log: ParsedLog
) -> Iterator[AuditFinding]:
    """Compare a resignation and an agreement with what the seats have said."""
    titles, gone = played.game.seat_titles, played.game.rules.gone(before)
    if entry.cause == "resignation":
        seats = entry.leave.seats if entry.leave else ()
        word, said = "RESIGN", {one.seat for one in entry.said if one.word == "RESIGN"}
    elif entry.cause == "agreement":
        seats = tuple(seat for seat in played.setting.seats if seat not in gone)
        before = log.entries[: entry.ply - 1]
        word, said = "DRAW", {*offers_after(before, entry.said, entry.holders)}
    else:
        return
    for seat in seats:
        if seat not in said:
            title = titles.get(Seat(seat)) or shown(seat)
            what = say("{seat} did not send {word}, by the log", seat=title, word=word)
            yield contradicts(what)


def _possible(played: ReplayedMatch, before: Any, entry: PlyText) -> Iterator[list[Any]]:
    """Yield what the cause of a ply can do by the rules."""
    game = played.game
    if entry.cause in ("agreement", "cancelled"):
        yield list(game.rules.close(before, entry.cause))
    elif (
        entry.cause in ("resignation", "forfeit")
        and entry.leave
        and entry.leave.reason == entry.cause
        and set(entry.leave.seats) <= set(played.setting.seats)
    ):
        left = [Seat(seat) for seat in entry.leave.seats]
        yield list(game.rules.leave(before, left, entry.cause))


def _alike(events: Sequence[Any], told: Sequence[Any]) -> int:
    return sum(one in told for one in events)


# Orders: whose they are, whether they are legal, and what comes of them.


def _orders(played: ReplayedMatch, ply: PlyToJudge, computers: Computers) -> Iterator[AuditFinding]:
    game, entry, before = played.game, ply.entry, ply.before
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
            yield from _sheet(played, ply, one)
            yield from computers.judge(ply, one)


def _sheet(played: ReplayedMatch, ply: PlyToJudge, one: AdjudicatedSheet) -> Iterator[AuditFinding]:
    """Judge the orders of a seat as the club must have judged them."""
    game, seat, before = played.game, Seat(one.seat), ply.before
    title = game.seat_titles[seat]
    if one.at > ply.entry.at:
        what = say("the orders of {seat} came after it, at {at}", seat=title, at=moment(one.at))
        yield contradicts(what)
    if one.by == BY_DEFAULT:
        if not _is_default(played, ply, one):
            what = say("the default orders of {seat} are not those of the rules", seat=title)
            yield contradicts(what)
        return
    sheet: Sheet[Any] = game.orders.parse(number_lines(one.lines))
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


def _is_default(played: ReplayedMatch, ply: PlyToJudge, one: AdjudicatedSheet) -> bool:
    """Return whether orders are those that the rules give a silent seat."""
    game = played.game
    if game.rules.default is None:
        return False
    for possible in possible_plies(played, ply):
        for state in reversed(possible.since):
            use = f"default {possible.entry.ply}"
            chance = played.chance(state).private(one.seat, use)
            orders = game.rules.default(state, Seat(one.seat), chance)
            if orders is not None and tuple(game.orders.lines(orders)) == one.lines:
                return True
    return False


def _adjudicated(
    played: ReplayedMatch, before: Any, entry: PlyText
) -> tuple[list[Any], list[AuditFinding]]:
    """Return what comes of the orders."""
    game = played.game
    lines = {one.seat: one.lines for one in entry.orders}
    told = [chain.unpack(game.rules.event, one, lines) for one in entry.events]
    orders = {
        Seat(one.seat): game.orders.parse(number_lines(one.lines)).orders for one in entry.orders
    }
    events = list(game.rules.adjudicate(before, orders, played.chance(before)))
    lean = chain.lean(events, game.proof.repeated, entry.events)
    if told == lean:
        return events, []
    return events, [contradicts(_first_difference(lean, told))]


def _first_difference(follows: Sequence[Any], told: Sequence[Any]) -> Message:
    """Say where the events of the log are others than those that follow from the rules."""
    number = next(
        (n for n, (one, other) in enumerate(zip(follows, told, strict=False)) if one != other),
        min(len(follows), len(told)),
    )
    right = event_text(follows[number]) if number < len(follows) else say("nothing")
    seen = event_text(told[number]) if number < len(told) else say("nothing")
    return say(
        "it comes out differently when it is replayed: {seen} in the log, {right} by the rules",
        seen=seen,
        right=right,
    )
