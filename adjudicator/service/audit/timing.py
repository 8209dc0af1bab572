"""Compare the times of an opened log with what the club's own clock decides (`core/clock`).

The facts of each decision are taken from the log. What no log has, such as the days on which a
player is away, would only give more time: so the facts here are those of the earliest decision, and
what came before it contradicts. Each finding names the line and both values:

| rule | what is compared |
|---|---|
| C1 | the deadline of each line, of each ruling and of each new holder |
| C2 | when a turn was played of which all orders were in |
| C3 | when a silent seat got default orders or lost by forfeit |
| C4 | orders that came after the time of their seat was up: how late, and whether all were told |

Of lines of other versions only C3 is compared: they may have counted otherwise.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import product

from msgspec.structs import replace

from adjudicator.core import chain, clock
from adjudicator.core.acts import (
    CameLate,
)
from adjudicator.core.chain import AdjudicatedSheet, HolderChange, Ruled
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, count, say
from adjudicator.releases import CLOCK, plays_alike
from adjudicator.service.audit.log import (
    BY_DEFAULT,
    LOOK,
    ReplayedMatch,
    is_forfeit_decided,
    moment,
    taken_back,
)
from adjudicator.service.audit.logged_ply import (
    AFTER,
    LineInForce,
    effect_in,
    facts_of,
    in_force,
    seat_time,
)
from adjudicator.service.audit.papers import of_paper
from adjudicator.service.audit.sequence import find_outages
from adjudicator.service.audit.verdicts import (
    AuditFinding,
    AuditVerdict,
    asks,
    by_rule,
    contradicting,
    contradicts,
    remark,
)
from adjudicator.service.base.bank import A_SECOND
from adjudicator.service.base.calendar import next_deadline, rfc3339, when
from adjudicator.service.base.options import Terms
from adjudicator.service.base.outages import (
    LEAST,
    LONGEST,
    gap_at_opening,
    longest_gap,
    may_be_used,
)

# A longer outage puts a match on hold; of one that began before 1.0.0 nobody knows the `max_gap`.
_LONG = timedelta(days=2)


def compare_times(played: ReplayedMatch) -> Iterator[AuditFinding]:
    """Yield what the times of a log contradict: what was agreed, and what all players were told."""
    log, later = played.log, 0
    first = log.terms_at(0)
    if (
        first
        and plays_alike(log.opening.version, CLOCK)
        and chain.OPEN not in log.holders_at(0).values()
    ):
        told = (of_paper(log.paper, one) for one in _begun(first, log.opening))
        yield from contradicting("C1", told)
    for ply in played.plies:
        agreed = log.terms_at(ply.entry.ply)
        if agreed is None:
            wrong = say("its options are none that a match can have")
            yield from contradicting("C1", [log.in_ply(ply.entry, wrong)])
            continue
        line = LineInForce(played, ply, agreed)
        yield from _silence(line)
        if not plays_alike(log.version_at(ply.entry.ply), CLOCK):
            continue
        yield from _deadline(line)
        later += _is_later(line)
        yield from _played(line)
        if line.is_in_order or line.is_whole:
            yield from _moved(line)
        if line.is_in_order:
            yield from _late(line)
        elif line.is_whole:  # where the clock was set back, nobody knows who was late
            yield from (replace(one, verdict=AuditVerdict.ASKS) for one in _late(line))
    if later:
        yield remark(
            count(
                "the deadline of {n} turn is later than the options say, as when a player is away",
                "the deadlines of {n} turns are later than the options say, as when a player is "
                "away",
                later,
            )
        )


# C1: deadlines.


@by_rule("C1")
def _deadline(line: LineInForce) -> Iterator[AuditFinding]:
    """Compare the deadline that a line tells with the one that its cause gives."""
    entry = line.entry
    if line.match.game.rules.outcome(line.ply.state) is not None:
        return
    is_open = chain.OPEN in line.log.holders_at(entry.ply).values()
    if entry.cause == "orders":
        due = None if is_open else _next_due(line)
        if _is_other(entry.due, due, line.agreed):
            yield line.finding(_not_agreed(entry.due, due), contradicts)
        return
    now = "" if is_open else in_force(line)
    if entry.due != now and (line.is_whole or not taken_back(entry)):
        told = say(
            "it sets the deadline {seen}, and the deadline then was {due}",
            seen=moment(entry.due) or "-",
            due=moment(now) or "-",
        )
        yield line.finding(told, contradicts)


def _next_due(line: LineInForce) -> datetime | None:
    """Return the earliest deadline of the turn that a ply opens."""
    agreed, at = line.agreed, datetime.fromisoformat(line.entry.at)
    due = _next_deadline(agreed, at)
    return due and at + line.match.game.rules.pace(line.ply.state) * (due - at)


def _is_later(line: LineInForce) -> bool:
    """Return whether orders were adjudicated, and the next deadline is later than the options
    say."""
    if line.entry.cause != "orders" or not line.entry.due:
        return False
    due = _next_due(line)
    return due is not None and datetime.fromisoformat(line.entry.due) > due + A_SECOND


def _is_other(told: str, due: datetime | None, agreed: Terms) -> bool:
    """Return whether a deadline is another than that one, which is the earliest if players may be
    away."""
    if due is None or not told:
        return bool(told) != (due is not None)
    apart = datetime.fromisoformat(told) - due
    return apart < -A_SECOND or (agreed.leave == "none" and apart > A_SECOND)


def _not_agreed(told: str, due: datetime | None) -> Message:
    return say(
        "it sets the deadline {seen}, and by the current options it is {due}",
        seen=moment(told) or "-",
        due=when(due) if due else "-",
    )


@by_rule("C1")
def _moved(line: LineInForce) -> Iterator[AuditFinding]:
    """Find deadlines that a ruling or a new holder sets and that no player was told. Who takes the
    last open seat lets the match go on with a deadline that follows from the options."""
    entry, log = line.entry, line.log
    set_by = (effect_in(one).due for one in entry.rulings)
    known = {line.due, "", *(rfc3339(due) for due in set_by if isinstance(due, datetime))}
    held = log.holders_at(entry.ply - 1)
    for change in entry.holders:
        was_open = chain.OPEN in held.values()
        held[change.seat] = change.kind
        if was_open and chain.OPEN not in held.values():
            since = [one for one in entry.rulings if one.at <= change.at]
            agreed = log.terms_at(entry.ply - 1, since) or line.agreed
            yield from (line.finding(one, contradicts) for one in _begun(agreed, change))
            known.add(change.due)
    for then, made in line.of_the_clock():
        due = in_force(line, before=made.at)
        if due and effect_in(made).excused:
            later = _next_deadline(then.agreed, datetime.fromisoformat(due))
            if later is not None and later <= datetime.fromisoformat(made.at):
                later = _next_deadline(then.agreed, datetime.fromisoformat(made.at))
            if _is_other(made.due, later, then.agreed):
                yield line.finding(_not_agreed(made.due, later), contradicts)
    moved: list[Ruled | HolderChange] = [one for one in entry.rulings if one.action != LOOK]
    for one in [*moved, *entry.holders]:
        if one.due not in known:
            told = say(
                "what was decided on {at} sets the deadline {seen}, and the players were not "
                "informed",
                at=moment(one.at),
                seen=moment(one.due),
            )
            yield line.finding(told, contradicts)
            return


def _begun(agreed: Terms, begun: chain.Opening | HolderChange) -> Iterator[Message]:
    """Compare the deadline with which a match begins, or goes on, with its options."""
    due = _next_deadline(agreed, datetime.fromisoformat(begun.at))
    if _is_other(begun.due, due, agreed):
        yield _not_agreed(begun.due, due)


def _next_deadline(agreed: Terms, at: datetime) -> datetime | None:
    return next_deadline(agreed.deadline, agreed.zone, at, agreed.skip)


# C2 and C3: when a turn was played, and what was done about silence.


@by_rule("C2")
def _played(line: LineInForce) -> Iterator[AuditFinding]:
    """Compare when a turn was played with its orders, the time to settle and the deadline."""
    entry, rules = line.entry, line.match.game.rules
    if entry.cause != "orders" or (entry.ply == 1 and rules.opens_at_once):
        return
    sent = {one.seat: one for one in entry.orders}
    seats = {
        seat: seat_time(line, seat, sent_at=datetime.fromisoformat(sent[seat].at))
        for seat in line.awaited
        if seat in sent
    }
    facts = facts_of(line, seats, in_force(line))
    at = datetime.fromisoformat(entry.at)
    if seats and not isinstance(clock.decide(facts, at), clock.Adjudicate):
        until = clock.until(facts, at)
        told = say(
            "it was played at {at}, and by its orders and the options not before {due}",
            at=moment(entry.at),
            due=when(until) if until else "-",
        )
        yield line.finding(told, contradicts)


@by_rule("C3")
def _silence(line: LineInForce) -> Iterator[AuditFinding]:
    """Compare when silent seats got default orders, or lost by forfeit, with their own time."""
    entry = line.entry
    groups: dict[str, list[str]] = {}
    for one in entry.orders:
        # Orders of before the line before were carried on when a seat left.
        may_be_older = len(line.recent) > 1 or not line.is_in_order
        if one.by == BY_DEFAULT and (one.at >= line.began or not may_be_older):
            groups.setdefault(one.at, []).append(one.seat)
    if entry.ply == 1 and line.match.game.rules.opens_at_once:
        groups = {}
    for at, seats in groups.items():
        yield from _early(line, seats, at, clock.Default)
    if entry.cause == "forfeit" and entry.leave and not is_forfeit_decided(entry):
        yield from _early(line, entry.leave.seats, entry.at, clock.Forfeit)
    made = line.of_the_clock() if line.is_whole and line.is_in_order else []
    for then, ruled in made:
        yield from _early(then, effect_in(ruled).excused, ruled.at, clock.Excuse)
        if effect_in(ruled).sought_until and not _is_due(then, ruled):
            told = say(
                "substitutes were looked for at {at}, and not then by the options",
                at=moment(ruled.at),
            )
            yield line.finding(told, contradicts)


def _is_due(line: LineInForce, search: Ruled) -> bool:
    """Return whether a search for substitutes can have begun when it did: the time of a silent seat
    was up then, and not long before. Nobody knows which sent orders that it replaced afterwards."""
    at, now = search.at, datetime.fromisoformat(search.at)
    most, outages = _longest_gap(line), find_outages(line.log.entries)
    seats = {
        str(seat): seat_time(line, seat, sent_at=now, is_awaited=seat in line.awaited, before=at)
        for seat in line.match.setting.seats
    }
    sent = {one.seat for one in line.entry.orders if not one.by and one.at < at}
    for seat in (one for one in line.awaited if one not in sent):
        silent = seat_time(line, seat, sent_at=None, before=at)
        facts = facts_of(line, {**seats, seat: silent}, in_force(line, before=at), before=at)
        up = clock.absence_at(facts)
        is_due = up is not None and isinstance(clock.decide(facts, now), clock.Seek)
        # While the clock is in doubt, nothing is done.
        if is_due and may_be_used(up or now, now - LONGEST - LEAST, most, outages):
            return True
    return False


def _early(
    line: LineInForce,
    silent: Sequence[str],
    at: str,
    right: type[clock.Default] | type[clock.Forfeit] | type[clock.Excuse],
) -> Iterator[AuditFinding]:
    """Yield the seats that were treated as silent where the clock decides otherwise."""
    sheets = {one.seat: one for one in line.entry.orders if one.at <= at}
    sent = {seat for seat, one in sheets.items() if not one.by and one.at < at}
    opened = datetime.fromisoformat(line.began)
    asked = {*line.awaited, *silent}
    # All seats count, for everybody is waited for where all are dormant. One that is to send
    # nothing now may have sent orders in advance, which wake it: no log has that.
    seats = {
        str(seat): seat_time(
            line,
            seat,
            sent_at=None if seat in {*silent} - sent else _sent(sheets.get(seat), opened),
            is_awaited=seat in asked,
            before=at,
        )
        for seat in line.match.setting.seats
    }
    now = datetime.fromisoformat(at)
    # What was decided in that second may have been decided before or after it. A seat that had sent
    # orders at the time that was announced for it is not forfeited if it withdraws them then: no
    # log has that, so it may also be as if nothing had been announced.
    unwarned = {seat: replace(one, forfeit_at=None) for seat, one in seats.items()}
    for due, told_of in product(
        dict.fromkeys([in_force(line, before=at), in_force(line, before=at + AFTER)]),
        (unwarned, seats),
    ):
        facts = facts_of(line, told_of, due)
        step = clock.decide(facts, now)
        if not (rest := _unexplained(facts, silent, now, right)):
            return
    up = clock.absence_at(facts)
    if isinstance(step, clock.Seek) and up is not None:
        up += clock.SEARCH
    for seat in (one for one in silent if one in rest):
        ended = facts.seats[seat].forfeit_at or up
        title = line.match.title(seat)
        named: dict[str, Value] = {"seat": title, "at": moment(at)}
        if right is clock.Excuse:
            told = say("{seat} was excused at {at}, and by the options it was not to be", **named)
        elif ended is None or ended <= now:
            told = say(
                "{seat} was treated as silent at {at}, and by the current options it had more time",
                **named,
            )
        else:
            told = say(
                "{seat} was treated as silent at {at}, before the deadline, {due}",
                **named,
                due=when(ended),
            )
        yield line.finding(told, contradicts)


def _unexplained(
    facts: clock.ClockFacts,
    silent: Sequence[str],
    now: datetime,
    right: type[clock.Default] | type[clock.Forfeit] | type[clock.Excuse],
) -> set[str]:
    """Return the silent seats to which the clock does something else; it may deal with them one
    after another in that second."""
    rest, seats = {*silent}, facts.seats
    step = clock.decide(facts, now)
    while isinstance(step, right) and rest & {*step.silent}:
        rest -= {*step.silent}
        seats = {**seats, **{one: replace(seats[one], sent_at=now) for one in step.silent}}
        step = clock.decide(replace(facts, seats=seats), now)
    return rest


def _sent(sheet: AdjudicatedSheet | None, since: datetime) -> datetime:
    """Return when a seat sent its orders; of one of which that is not known, when the turn
    opened."""
    return since if sheet is None else datetime.fromisoformat(sheet.at)


# C4: seats that have more time than was told.


@by_rule("C4")
def _late(line: LineInForce) -> Iterator[AuditFinding]:
    """Find orders that came after the time of their seat was up, of which all must be told; and
    ask about those that came long after it, where silence has consequences by itself."""
    entry, agreed, titles = line.entry, line.agreed, line.match.game.seat_titles
    due = in_force(line)
    told = [act for one in line.made for act in one.acts if isinstance(act, CameLate)]
    sent = {one.seat: datetime.fromisoformat(one.at) for one in entry.orders if not one.by}
    if entry.cause != "orders" or not due or agreed.has_private_time:
        ends: list[Mapping[str, datetime]] = []
    else:
        seats = {seat: seat_time(line, seat, sent_at=came) for seat, came in sent.items()}
        spare = (-A_SECOND, A_SECOND)
        ends = [clock.late_seats(facts_of(line, seats, due, spare=one)) for one in spare]
    if line.is_whole or not taken_back(entry):
        yield from _wrongly_late(line, told, ends)
    for seat, up in ends[-1].items() if ends else ():
        came = sent[seat]
        if came <= up + A_SECOND:
            continue
        title = titles[Seat(seat)]
        named: dict[str, Value] = {"seat": title, "at": when(came), "due": when(up)}
        is_told = any(act.seat == title and act.came == came for act in told)
        if not is_told and line.log.opening.label != chain.SENTENCES:
            untold = say(
                "the orders of {seat} came at {at}, and its time was up at {due}; no email to "
                "the players says that they came late",
                **named,
            )
            yield line.finding(untold, contradicts)
        elif agreed.absence == "forfeit":
            yield from _too_late(line, up, came, named)


def _too_late(
    line: LineInForce, up: datetime, came: datetime, named: Mapping[str, Value]
) -> Iterator[AuditFinding]:
    """Yield orders that came later than they may be used: that depends on what the club takes for
    an outage, and on the outages that all were told."""
    opening = line.log.opening
    if opening.max_gap is None:
        if came > up + _LONG:
            outage = say(
                "the orders of {seat} came at {at}, and its time was up at {due}: do your emails "
                "tell of an outage?",
                **named,
            )
            yield line.finding(outage, asks)
        return
    most = _longest_gap(line)
    until_then = line.log.entries[: line.entry.ply]
    for entries, verdict in ((until_then, contradicts), (line.log.entries, asks)):
        # An outage may have been told by a clock that ran ahead, and was set back afterwards.
        if not may_be_used(up, came - A_SECOND, most, find_outages(entries)):
            late = say(
                "the orders of {seat} came at {at}, and its time was up at {due}: that is later "
                "than orders may be used, and no outage explains it",
                **named,
            )
            yield line.finding(late, verdict)
            return


def _longest_gap(line: LineInForce) -> timedelta | None:
    return longest_gap(line.agreed, gap_at_opening(line.log.opening))


def _wrongly_late(
    line: LineInForce, told: Sequence[CameLate], ends: Sequence[Mapping[str, datetime]]
) -> Iterator[AuditFinding]:
    """Yield what all were told of late orders that were not so late. `ends` are when the times of
    late seats were up, at the earliest and at the latest, where a log tells that."""
    titles = line.match.game.seat_titles
    came = [(titles[Seat(one.seat)], one.at) for one in line.entry.orders if not one.by]
    for act in told:
        is_right = (act.seat, chain.in_log(act.came)) in came and act.came > act.due
        if is_right and ends:
            earliest, latest = (
                next((up for seat, up in each.items() if titles[Seat(seat)] == act.seat), None)
                for each in ends
            )
            is_right = earliest is not None and earliest - A_SECOND <= act.due
            is_right = is_right and act.due <= (latest or act.due)
        if not is_right:
            wrong = say(
                "an email to all says that the orders of {seat} came late, on {at}, after {due}; "
                "by the log it was not so",
                seat=act.seat,
                at=when(act.came),
                due=when(act.due),
            )
            yield line.finding(wrong, contradicts)
