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
| C5 | seats that changed hands, with their reserves, and no player was told |

Of lines of other versions only C3 is compared: they may have counted otherwise.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core import chain, clock
from adjudicator.core.acts import CameLate, PlaysNow, SeatLeft, TakenBack, TakenBackUntil, effect_of
from adjudicator.core.chain import HolderChange, PlyText, Ruled
from adjudicator.core.clock import DORMANT_AFTER, ClockFacts, SeatTime
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, count, say
from adjudicator.releases import CLOCK, plays_alike
from adjudicator.service.audit.log import (
    BY_DEFAULT,
    LOOK,
    ParsedLog,
    ReplayedMatch,
    ReplayedPly,
    calendar_of,
    deadline_after,
    is_forfeit_decided,
    moment,
    taken_back,
    undone_rulings,
)
from adjudicator.service.audit.papers import by_key
from adjudicator.service.audit.sequence import find_outages, goes_back
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
from adjudicator.service.base.deadlines import timing_of
from adjudicator.service.base.options import Terms
from adjudicator.service.base.outages import gap_at_opening, longest_gap, may_be_used

_PEOPLE = (chain.PERSON, chain.OPEN, "")
# A longer outage puts a match on hold; of one that began before 1.0.0 nobody knows the `max_gap`.
_LONG = timedelta(days=2)
_ENDS_ANNOUNCED = (SeatLeft, TakenBack, TakenBackUntil)  # the announced forfeits of all seats
_AFTER = "~"  # behind a time it stands for the end of that second


class _LoggedPly(Struct, frozen=True):
    """A line of the log, with the options that were in force when its ply was made."""

    match: ReplayedMatch
    ply: ReplayedPly
    agreed: Terms

    @property
    def log(self) -> ParsedLog:
        return self.match.log

    @property
    def entry(self) -> PlyText:
        return self.ply.entry

    @property
    def rulings(self) -> list[Ruled]:
        """Return the rulings since orders were adjudicated last."""
        before = self.log.entries[: self.entry.ply - 1]
        ordered = max((n for n, one in enumerate(before, 1) if one.cause == "orders"), default=0)
        return [one for entry in (*before[ordered:], self.entry) for one in entry.rulings]

    @property
    def awaited(self) -> list[str]:
        awaiting = self.match.game.rules.awaiting(self.ply.before)
        return [seat for seat in self.match.setting.seats if seat in awaiting]

    @property
    def began(self) -> str:
        """Return when the line before was written."""
        return self.log.at(self.entry.ply - 1)

    @property
    def due(self) -> str:
        """Return the deadline that the line before told."""
        return self.log.due(self.entry.ply - 1)

    @property
    def undone(self) -> frozenset[int]:
        return undone_rulings(self.log.entries[: self.entry.ply])

    @property
    def is_in_order(self) -> bool:
        """Return whether all that was decided since the line before came between the two: unless
        the clock was set back, of which all are told. In a match that began before 1.0.0 nobody is,
        and a ply may have been taken back whose line nobody has."""
        if self.log.is_whole:
            return not goes_back(self.log, self.entry)
        times = [*(one.at for one in self.entry.rulings), *(one.at for one in self.entry.holders)]
        return all(self.began <= at <= self.entry.at for at in times)

    def contradicts(self, told: Message | str, /, **values: Value) -> AuditFinding:
        return self._in_ply(contradicts(told, **values))

    def asks(self, told: Message | str, /, **values: Value) -> AuditFinding:
        return self._in_ply(asks(told, **values))

    def _in_ply(self, found: AuditFinding) -> AuditFinding:
        return replace(found, told=self.log.in_ply(self.entry, found.told))


def compare_times(played: ReplayedMatch) -> Iterator[AuditFinding]:
    """Yield what the times of a log contradict: what was agreed, and what all players were told."""
    log, later = played.log, 0
    for ply in played.plies:
        agreed = log.terms_at(ply.entry.ply)
        if agreed is None:
            told = say("its options are none that a match can have")
            yield from contradicting("C1", [log.in_ply(ply.entry, told)])
            continue
        line = _LoggedPly(played, ply, agreed)
        yield from _silence(line)
        if not plays_alike(log.version_at(ply.entry.ply), CLOCK):
            continue
        yield from _deadline(line)
        later += _is_later(line)
        yield from _changed_hands(line)
        yield from _played(line)
        if line.is_in_order or line.log.is_whole:
            yield from _moved(line)
        if line.is_in_order:
            yield from _late(line)
        elif line.log.is_whole:  # where the clock was set back, nobody knows who was late
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
def _deadline(line: _LoggedPly) -> Iterator[AuditFinding]:
    """Compare the deadline that a line tells with the one that its cause gives."""
    entry = line.entry
    if line.match.game.rules.outcome(line.ply.state) is not None:
        return
    is_open = chain.OPEN in line.log.holders_at(entry.ply).values()
    if entry.cause == "orders":
        due = None if is_open else _next_due(line)
        is_certain = line.agreed.leave == "none"
        if _differs(entry.due, due, latest=due if is_certain else None):
            yield line.contradicts(_not_agreed(entry.due, due))
        return
    now = "" if is_open else _in_force(line)
    if entry.due != now and (line.log.is_whole or not taken_back(entry)):
        yield line.contradicts(
            "it sets the deadline {seen}, and the deadline then was {due}",
            seen=moment(entry.due) or "-",
            due=moment(now) or "-",
        )


def _next_due(line: _LoggedPly) -> datetime | None:
    """Return the earliest deadline of the turn that a ply opens."""
    agreed, at = line.agreed, datetime.fromisoformat(line.entry.at)
    due = next_deadline(agreed.deadline, agreed.zone, at, agreed.skip)
    return due and at + line.match.game.rules.pace(line.ply.state) * (due - at)


def _is_later(line: _LoggedPly) -> bool:
    """Return whether orders were adjudicated, and the next deadline is later than the options
    say."""
    if line.entry.cause != "orders" or not line.entry.due:
        return False
    due = _next_due(line)
    return due is not None and datetime.fromisoformat(line.entry.due) > due + A_SECOND


def _differs(told: str, due: datetime | None, *, latest: datetime | None = None) -> bool:
    if due is None or not told:
        return bool(told) != (due is not None)
    seen = datetime.fromisoformat(told)
    return seen < due - A_SECOND or (latest is not None and seen > latest + A_SECOND)


def _not_agreed(told: str, due: datetime | None) -> Message:
    if due is None:
        return say(
            "it sets the deadline {seen}, and the current options have no deadlines",
            seen=moment(told),
        )
    if not told:
        return say("it sets no deadline, and by the current options it is {due}", due=when(due))
    if datetime.fromisoformat(told) > due:
        return say(
            "it sets the deadline {seen}, and by the current options it is {due}",
            seen=moment(told),
            due=when(due),
        )
    return say(
        "it sets the deadline {seen}, and by the current options that is not before {due}",
        seen=moment(told),
        due=when(due),
    )


def _in_force(line: _LoggedPly, *, before: str = "") -> str:
    """Return the deadline that was in force when a ply was made, or `before` a time."""
    entry = line.entry
    if line.log.is_whole:
        rulings = [one for one in entry.rulings if one.number not in line.undone]
        return deadline_after(line.due, rulings, entry.holders, before=before)
    rulings = [one for one in entry.rulings if line.began <= one.at <= entry.at]
    holders = [one for one in entry.holders if line.began <= one.at <= entry.at]
    return deadline_after(line.due, rulings, holders, before=before)


@by_rule("C1")
def _moved(line: _LoggedPly) -> Iterator[AuditFinding]:
    """Find deadlines that a ruling or a new holder sets and that no player was told."""
    entry = line.entry
    set_by = (effect_of(one.acts).due for one in entry.rulings)
    known = {line.due, "", *(rfc3339(due) for due in set_by if isinstance(due, datetime))}
    starts = chain.OPEN in line.log.holders_at(entry.ply - 1).values() or any(
        one.kind == chain.OPEN for one in entry.holders
    )
    made: list[Ruled | HolderChange] = [one for one in entry.rulings if one.action != LOOK]
    for one in [] if starts else [*made, *entry.holders]:
        if one.due not in known:
            yield line.contradicts(
                "what was decided on {at} sets the deadline {seen}, and the players were not "
                "informed",
                at=moment(one.at),
                seen=moment(one.due),
            )
            return


# C2 and C3: when a turn was played, and what was done about silence.


@by_rule("C2")
def _played(line: _LoggedPly) -> Iterator[AuditFinding]:
    """Compare when a turn was played with its orders, the time to settle and the deadline."""
    entry, rules = line.entry, line.match.game.rules
    if entry.cause != "orders" or (entry.ply == 1 and rules.opens_at_once):
        return
    sent = {one.seat: one for one in entry.orders}
    seats = {
        seat: _seat_time(line, seat, sent_at=datetime.fromisoformat(sent[seat].at))
        for seat in line.awaited
        if seat in sent
    }
    facts = _facts(line, seats, _in_force(line))
    at = datetime.fromisoformat(entry.at)
    if seats and not isinstance(clock.decide(facts, at), clock.Adjudicate):
        until = clock.until(facts, at)
        yield line.contradicts(
            "it was played at {at}, and by its orders and the options not before {due}",
            at=moment(entry.at),
            due=when(until) if until else "-",
        )


@by_rule("C3")
def _silence(line: _LoggedPly) -> Iterator[AuditFinding]:
    """Compare when silent seats got default orders, or lost by forfeit, with their own time."""
    entry = line.entry
    if not (entry.ply == 1 and line.match.game.rules.opens_at_once):
        # Orders of before the line before were carried on when a seat left.
        silent = [one for one in entry.orders if one.by == BY_DEFAULT and one.at >= line.began]
        for at, seats in by_key((one.at, one.seat) for one in silent).items():
            yield from _early(line, seats, at, clock.Default)
    if entry.cause == "forfeit" and entry.leave and not is_forfeit_decided(entry):
        yield from _early(line, entry.leave.seats, entry.at, clock.Forfeit)


def _early(
    line: _LoggedPly,
    silent: Sequence[str],
    at: str,
    right: type[clock.Default] | type[clock.Forfeit],
) -> Iterator[AuditFinding]:
    """Yield the seats that were treated as silent where the clock decides otherwise."""
    orders = [one for one in line.entry.orders if one.at <= at]
    sent = {one.seat: datetime.fromisoformat(one.at) for one in orders}
    opened = datetime.fromisoformat(line.began)  # when a seat of which no time is known sent its
    asked = {*line.awaited, *silent}
    # All seats count, for everybody is waited for where all are dormant. One that is to send
    # nothing now may have sent orders in advance, which wake it: no log has that.
    seats = {
        str(seat): _seat_time(
            line,
            seat,
            sent_at=None if seat in silent else sent.get(seat, opened),
            is_awaited=seat in asked,
        )
        for seat in line.match.setting.seats
    }
    now = datetime.fromisoformat(at)
    # What was decided in that second may have been decided before or after it. A seat that had sent
    # orders at the time that was announced for it is not forfeited if it withdraws them then: no
    # log has that, so it may also be as if nothing had been announced.
    unwarned = {seat: replace(one, forfeit_at=None) for seat, one in seats.items()}
    for due, told_of in product(
        dict.fromkeys([_in_force(line, before=at), _in_force(line, before=at + _AFTER)]),
        (unwarned, seats),
    ):
        facts = _facts(line, told_of, due)
        step = clock.decide(facts, now)
        if isinstance(step, right):
            return
    up = clock.absence_at(facts)
    if isinstance(step, clock.Seek) and up is not None:
        up += clock.SEARCH
    for seat in silent:
        ended = facts.seats[seat].forfeit_at or up
        named: dict[str, Value] = {"seat": line.match.title(seat), "at": moment(at)}
        if ended is None or ended <= now:
            yield line.contradicts(
                "{seat} was treated as silent at {at}, and by the current options it had more time",
                **named,
            )
        else:
            yield line.contradicts(
                "{seat} was treated as silent at {at}, before the deadline, {due}",
                **named,
                due=when(ended),
            )


def _facts(
    line: _LoggedPly, seats: Mapping[str, SeatTime], due: str, *, spare: timedelta = -A_SECOND
) -> ClockFacts:
    rules, before = line.match.game.rules, line.ply.before
    effects = [(one, effect_of(one.acts)) for one in line.rulings]
    sought = [made.sought_until for one, made in effects if made.sought_until and one.due == due]
    ends = _own_ends(line, due, spare)
    return ClockFacts(
        timing=timing_of(line.agreed),
        since=datetime.fromisoformat(line.began),
        due=datetime.fromisoformat(due) if due else None,
        seats={
            seat: replace(one, own_end=ends.get(seat), sought=bool(sought))
            for seat, one in seats.items()
        },
        provides=rules.provides(before),
        is_setup=rules.phase(before) == "setup",
        is_hurried=any(made.ends_waiting for _, made in effects),
        sought_until=max(sought, default=None),
    )


def _own_ends(line: _LoggedPly, due: str, spare: timedelta) -> Mapping[str, datetime]:
    """Return when the reserves of seats end, with some `spare` time, for a log has whole seconds: a
    second may be a day, where one begins that does not run. None in a match without."""
    if not due or not line.agreed.has_reserve:
        return {}
    seats = [str(seat) for seat in line.match.setting.seats]
    entry = line.entry
    held = line.log.reserves_at(seats, entry.ply - 1, entry.rulings, entry.holders)
    running, since = calendar_of(line.agreed), datetime.fromisoformat(due)
    return {
        seat: running.lasts_until(since, (held or {}).get(seat, 0) * A_SECOND + spare)
        for seat in seats
    }


def _seat_time(
    line: _LoggedPly, seat: str, *, sent_at: datetime | None, is_awaited: bool = True
) -> SeatTime:
    """Return what decides about a seat, as the log tells it."""
    entry, rules = line.entry, line.match.game.rules
    return SeatTime(
        is_awaited=is_awaited,
        is_computer=line.log.holders_at(entry.ply).get(seat) not in _PEOPLE,
        has_left=seat in rules.gone(line.ply.before),
        sent_at=sent_at,
        missed=_excused(line, seat),
        silent=DORMANT_AFTER if is_awaited and _sleeps(line, seat) else 0,
        forfeit_at=_announced(line, seat),
        has_default=sent_at is None and _has_default(line, seat),
    )


def _has_default(line: _LoggedPly, seat: str) -> bool:
    default, before = line.match.game.rules.default, line.ply.before
    chance = line.match.chance(before).private(seat, f"default {line.entry.ply}")
    return default is not None and default(before, Seat(seat), chance) is not None


def _excused(line: _LoggedPly, seat: str) -> int:
    """Return how many misses of a seat's holder were excused, and not given back because their ply
    was taken back; in a match that began before 1.0.0 all, if one was."""
    lines, undone = line.log.entries[: line.entry.ply], line.undone
    if any(map(taken_back, lines)) and not line.log.is_whole:
        return line.agreed.excused
    named: Counter[str] = Counter()
    for entry in lines:
        for change in entry.holders:
            named[change.seat] = 0
        for one in entry.rulings:
            named.update(effect_of(one.acts).excused if one.number not in undone else ())
    return named[seat]


def _sleeps(line: _LoggedPly, seat: str) -> bool:
    """Return whether a match does not wait for a seat, whose holder missed so many deadlines."""
    given: list[str] = []
    for entry in line.log.entries[: line.entry.ply]:
        given = [] if any(one.seat == seat for one in entry.holders) else given
        given += [one.by for one in entry.orders if one.seat == seat and entry.ply < line.entry.ply]
    return given[-DORMANT_AFTER:] == [BY_DEFAULT] * DORMANT_AFTER


def _announced(line: _LoggedPly, seat: str) -> datetime | None:
    """Return the time by which a seat had to send orders, as the game master announced it last
    since its own orders were adjudicated, a ply was taken back, or the seat got another holder.
    Moved deadlines are told with new times."""
    title = line.match.title(seat)
    found: datetime | None = None
    for entry in line.log.entries[: line.entry.ply]:
        made = (one for one in entry.rulings if one.number not in line.undone)
        for act in (act for one in made for act in one.acts):
            is_over = isinstance(act, _ENDS_ANNOUNCED) or (
                isinstance(act, PlaysNow) and act.seat == title
            )
            found = None if is_over else found
            for named, until in act.effect().forfeits:
                found = until if named == title else found
        ordered = any(one.seat == seat and one.by != BY_DEFAULT for one in entry.orders)
        if ordered and entry is not line.entry:
            found = None
    return found


# C4 and C5: seats that have more time, or more of it, than was told.


@by_rule("C4")
def _late(line: _LoggedPly) -> Iterator[AuditFinding]:
    """Find orders that came after the time of their seat was up, of which all must be told; and
    ask about those that came long after it, where silence has consequences by itself."""
    entry, agreed, titles = line.entry, line.agreed, line.match.game.seat_titles
    due = _in_force(line)
    last_undo = max((one.number for one in entry.rulings if one.action == "undo"), default=0)
    made = [one for one in entry.rulings if one.number > last_undo or not line.log.is_whole]
    made = [one for one in made if one.number not in line.undone]
    told = [act for one in made for act in one.acts if isinstance(act, CameLate)]
    if line.log.is_whole or not taken_back(entry):
        yield from _wrongly_late(line, told)
    if entry.cause != "orders" or not due or agreed.has_private_time:
        return
    seats = {
        one.seat: _seat_time(line, one.seat, sent_at=datetime.fromisoformat(one.at))
        for one in entry.orders
        if not one.by
    }
    late = clock.late_seats(_facts(line, seats, due, spare=A_SECOND))
    for one in entry.orders:
        came = datetime.fromisoformat(one.at)
        if one.seat not in late or came <= late[one.seat] + A_SECOND:
            continue
        title, up = titles[Seat(one.seat)], late[one.seat]
        named: dict[str, Value] = {"seat": title, "at": moment(one.at), "due": when(up)}
        is_told = any(act.seat == title and act.came == came for act in told)
        if not is_told and line.log.opening.label != chain.SENTENCES:
            yield line.contradicts(
                "the orders of {seat} came at {at}, and its time was up at {due}; no email to "
                "the players says that they came late",
                **named,
            )
        elif agreed.absence == "forfeit":
            yield from _too_late(line, up, came, named)


def _too_late(
    line: _LoggedPly, up: datetime, came: datetime, named: Mapping[str, Value]
) -> Iterator[AuditFinding]:
    """Yield orders that came later than they may be used: that depends on what the club takes for
    an outage, and on the outages that all were told."""
    opening = line.log.opening
    if opening.max_gap is None:
        if came > up + _LONG:
            yield line.asks(
                "the orders of {seat} came at {at}, and its time was up at {due}: do your emails "
                "tell of an outage?",
                **named,
            )
        return
    most = longest_gap(line.agreed, gap_at_opening(opening))
    until_then = line.log.entries[: line.entry.ply]
    for entries, finding in ((until_then, line.contradicts), (line.log.entries, line.asks)):
        # An outage may have been told by a clock that ran ahead, and was set back afterwards.
        if not may_be_used(up, came - A_SECOND, most, find_outages(entries)):
            late = say(
                "the orders of {seat} came at {at}, and its time was up at {due}: that is later "
                "than orders may be used, and no outage explains it",
                **named,
            )
            yield finding(late)
            return


def _wrongly_late(line: _LoggedPly, told: Sequence[CameLate]) -> Iterator[AuditFinding]:
    """Yield what all were told of late orders that were not so late."""
    titles = line.match.game.seat_titles
    came = [(titles[Seat(one.seat)], one.at) for one in line.entry.orders if not one.by]
    for act in told:
        if (act.seat, chain.in_log(act.came)) not in came or act.came <= act.due:
            yield line.contradicts(
                "an email to all says that the orders of {seat} came late, on {at}, and they did "
                "not",
                seat=act.seat,
                at=when(act.came),
            )


@by_rule("C5")
def _changed_hands(line: _LoggedPly) -> Iterator[AuditFinding]:
    """Find seats that got other holders and of which no player was told."""
    entry, log = line.entry, line.log
    told_at = {one.at for _, one in log.rulings if one.action in ("replace", "leave")}
    # What was told before an undo stands in the next line, if there is one.
    is_lost = taken_back(entry) and entry is log.entries[-1]
    for change in log.handovers(entry):
        if change.at not in told_at and not is_lost:
            yield line.contradicts(
                "{seat} changed hands on {at}, and the players were not informed",
                seat=line.match.title(change.seat),
                at=moment(change.at),
            )
