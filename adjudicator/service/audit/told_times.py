"""Compare the deadlines that emails tell with those of an opened log (C3), and what the reserves of
seats hold by the log with what was agreed (C5; club, 5.2).

Deadlines in reports and rulings are compared with these (O4, A2). Here are the other places: when a
reserve ends, in a report and a reminder; reminders with their Subjects; the table of a daily email
and its Subject; and the notice that a match begins.

A reminder is written when it goes, which may be after it was queued. So it may tell a deadline that
was set later, in the same turn.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from operator import attrgetter

from msgspec import Struct

from adjudicator.core.acts import ContinuedUntil, MatchBegunUntil
from adjudicator.core.chain import AdjudicatedSheet, in_log
from adjudicator.core.email_kinds import ANSWERS
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, at, listed, say, sentences, shortly
from adjudicator.core.worded_acts import acts_in
from adjudicator.releases import CLOCK, plays_alike
from adjudicator.service.audit.acts import counting_values, whole_values
from adjudicator.service.audit.log import (
    BY_DEFAULT,
    LOOK,
    ReplayedMatch,
    calendar_of,
    moment,
    undone_rulings,
)
from adjudicator.service.audit.papers import Document, ToldReport, within
from adjudicator.service.audit.sequence import changes_of_clock, goes_back, is_of_wrong_clock
from adjudicator.service.audit.shown import comparable
from adjudicator.service.audit.verdicts import AuditFinding, by_rule, contradicts
from adjudicator.service.base.bank import A_SECOND, NOTHING
from adjudicator.service.base.deadlines import message_for_reserve
from adjudicator.service.base.options import Terms
from adjudicator.service.emails.value import DailyTable, EmailValue, each_of

_UNTIL = message_for_reserve(datetime(2000, 1, 1, tzinfo=UTC)).text
_DEADLINES = (
    say("You can change these orders until {when}, or {until}.").text,
    say(
        "The deadline, {when}, has passed. You can still send orders until the turn is played."
    ).text,
    say("Deadline: {when}.").text,
)
_NONE = Message("-")
_SLACK = 2 * A_SECOND  # a log has whole ones


class SetDeadline(Struct, frozen=True):
    """The deadline that something set, empty for none, and when; whether that was a ply."""

    at: str
    due: str
    is_ply: bool = False


class LoggedTimes:
    """The deadlines of a log, in their order. Which was in force is not known while a ply stood
    that was taken back, nor by a clock that was set back afterwards. In a match that began before
    1.0.0 none is known then."""

    def __init__(self, played: ReplayedMatch) -> None:
        log = played.log
        self.played, self.log = played, log
        self.all = [SetDeadline(log.opening.at, log.opening.due, is_ply=True)]
        self.back, self.undone = changes_of_clock(log.entries), list[tuple[str, str]]()
        undone = undone_rulings(log.entries) if log.is_whole else ()
        for entry in log.entries:
            began = self.all[-1].at
            made = (one for one in entry.rulings if one.action != LOOK)
            rulings = [one for one in made if one.number not in undone]
            between = [SetDeadline(one.at, one.due) for one in entry.holders]
            between += [SetDeadline(one.at, one.due) for one in rulings]
            self.all += between if goes_back(log, entry) else sorted(between, key=attrgetter("at"))
            self.all.append(SetDeadline(entry.at, entry.due, is_ply=True))
            self.undone += [(began, one.at) for one in rulings if one.action == "undo"]
        times = [one.at for one in self.all]
        is_in_order = times == sorted(times) and not log.has_undo
        self.are_known = is_in_order or log.is_whole

    def is_known(self, made: str) -> bool:
        """Return whether it is known what was in force then."""
        if any(began <= made <= until for began, until in self.undone):
            return False
        return not is_of_wrong_clock(datetime.fromisoformat(made), self.back)

    def at(self, when: str) -> list[str]:
        """Return the deadlines that were in force in that second."""
        before = [one.due for one in self.all if one.at < when]
        return [*before[-1:], *(one.due for one in self.all if one.at == when)]

    def from_then(self, when: str) -> list[str]:
        """Return the deadlines in force in that second and later, until the next ply."""
        found = self.at(when)
        for one in (one for one in self.all if one.at > when):
            if one.is_ply:
                break
            found.append(one.due)
        return found

    def ends(self, seat: Seat, ply: int, dues: Iterable[str]) -> tuple[list[datetime], bool]:
        """Return when a seat's own time can have ended after a ply, and whether it cannot have been
        later, as it can be for a player who is away."""
        log, after = self.log, self.log.entries[ply : ply + 1]
        options = [log.terms_at(ply), *(log.terms_at(ply, one.rulings) for one in after)]
        agreed = [one for one in options if one is not None]
        if len(agreed) < len(options):  # none that a match can have: A1 and C1 say so
            return [], False
        seats = [str(one) for one in self.played.setting.seats]
        held = [log.reserves_at(seats, ply)]
        held += [log.reserves_at(seats, ply, one.rulings, one.holders) for one in after]
        found = [
            calendar_of(one).lasts_until(
                datetime.fromisoformat(due), bank.get(seat, 0) * A_SECOND + spare
            )
            for due in dues
            if due
            for bank in held
            if bank is not None
            for one in agreed
            for spare in (NOTHING, A_SECOND)  # which a log does not tell, and may end a day later
        ]
        return found, all(one.leave == "none" for one in agreed)


@by_rule("C3")
def findings(played: ReplayedMatch, papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Yield the deadlines that emails tell otherwise than the log."""
    times = LoggedTimes(played)
    if not times.are_known:
        return
    for paper, report in comparable(papers, played.log):
        yield from _of_report(times, paper, report)
    for paper, value in counting_values(papers, played.log):
        if not times.is_known(value.at):
            continue
        if value.kind == "reminder":
            yield from _of_reminder(times, paper, value)
        elif value.kind in ANSWERS:
            yield from _of_answer(times, paper, value)
        elif value.kind == "notice" and not value.acts:
            yield from _of_notice(times, paper, value)
    for paper, whole in whole_values(papers, played.log):
        if whole.table is not None and times.is_known(whole.table.at):
            yield from _of_table(times, paper, whole.table)


def _of_report(times: LoggedTimes, paper: Document, told: ToldReport) -> Iterator[AuditFinding]:
    until, due = told.body.get("reserve_until"), told.body.get("deadline")
    if until and due and _time(str(due)):
        ends = times.ends(Seat(told.seat), told.ply, [str(due)])
        yield from _of_reserve(paper, str(until), *ends)


def _of_reserve(
    paper: Document, until: str, ends: Sequence[datetime], is_exact: bool
) -> Iterator[AuditFinding]:
    """Compare until when a reserve was told to last. More than one end is possible where the seat
    or its options changed before the next ply; it may then be any time between them."""
    seen = _time(until)
    if seen and ends:
        is_early = seen < min(ends) - _SLACK
        is_late = is_exact and seen > max(ends) + _SLACK
        if not (is_early or is_late):
            return
    right = [in_log(end) for end in ends]
    yield _other(paper, until, right)


def _other(paper: Document, seen: str, right: Iterable[str]) -> AuditFinding:
    return contradicts(
        "{paper} tells the time {seen}, and by the log it was {right}",
        paper=paper.name,
        seen=moment(seen),
        right=listed([*map(_one_of, dict.fromkeys(right))] or [_NONE]),
    )


def _one_of(due: str) -> Message:
    return at(due) if _time(due) else _NONE


def _of_reminder(times: LoggedTimes, paper: Document, told: EmailValue) -> Iterator[AuditFinding]:
    dues = times.from_then(told.at)
    ply = sum(one.is_ply and one.at <= told.at for one in times.all) - 1
    for message in _messages_in(told.said):
        seen = message.values.get("when", "")
        stated = _moment(seen)
        if message.text == _UNTIL:
            yield from _of_reserve(paper, stated, *times.ends(told.to.seat, ply, dues))
        elif {"turn", "when"} <= message.values.keys() and _in_log(stated) not in dues:
            there = seen.text if isinstance(seen, Message) else str(seen)
            yield _other(paper, stated or there, dues)


def _of_answer(times: LoggedTimes, paper: Document, told: EmailValue) -> Iterator[AuditFinding]:
    """Compare the deadline that an answer tells as it was when it went out."""
    dues = times.from_then(told.at)
    for message in _messages_in(told.said.contents.below if told.said else ()):
        stated = _moment(message.values.get("when", ""))
        if message.text in _DEADLINES and _in_log(stated) not in dues:
            yield _other(paper, stated or "-", dues)


def _messages_in(said: object) -> Iterator[Message]:
    """Yield all sentences of an email without a report, and those within them."""
    for one in within(said, Message):
        yield from sentences(one)


def _moment(told: Value) -> str:
    """Return the time in a sentence as it stands there, empty if it has none."""
    if isinstance(told, Message) and told.text in (at("").text, shortly("").text):
        return str(next(iter(told.values.values()), ""))
    return ""


def _time(told: str) -> datetime | None:
    """Return a time with its zone. Anybody may have written it."""
    try:
        found = datetime.fromisoformat(told)
    except ValueError:
        return None
    return found if found.tzinfo else None


def _in_log(moment: str) -> str:
    """Return a time as a log has it, and what is none as it is: a log has an empty one, too."""
    return in_log(found) if (found := _time(moment)) else moment


def _of_notice(times: LoggedTimes, paper: Document, told: EmailValue) -> Iterator[AuditFinding]:
    """Compare the deadline with which a match begins, or goes on with a seat that is taken."""
    for act in (act for one in _messages_in(told.said) for act in acts_in(one)):
        dues = times.from_then(told.at)
        kinds = MatchBegunUntil if told.acts else MatchBegunUntil | ContinuedUntil
        if isinstance(act, kinds) and in_log(act.when) not in dues:
            yield _other(paper, in_log(act.when), dues)


def _of_table(times: LoggedTimes, paper: Document, table: DailyTable) -> Iterator[AuditFinding]:
    """Compare the row of the match in a daily email, and its Subject with the rows. Behind the
    deadline a row tells when the reader's reserve ends."""
    dues = [one for one in times.at(table.at) if one]
    for row in table.rows:
        if row.match != paper.match or row.due is None or row.due in dues:
            continue
        if not any(due <= table.at and due < row.due for due in dues):
            yield _other(paper, row.due, dues)
    for message in (one for subject in table.subject for one in sentences(subject)):
        stated = _moment(message)
        if stated and stated not in [row.due for row in table.rows]:
            yield _other(paper, stated, [row.due or "-" for row in table.rows])


# Which matches stand in the table of a daily email. A club lists those of which the email has a
# part, and those that wait for its reader's orders (`service/outbound/daily`). From an opened log
# it is known for what a match waited, and by the number of the orders that were used that none had
# come before. So a match that is left out is named where that is certain. Who held the seat is
# known from the emails to it: from another daily email, which has a part of the match for the same
# player, and from those of before and after.


@by_rule("C3")
def compare_tables(played: ReplayedMatch, of_club: Sequence[Document]) -> Iterator[AuditFinding]:
    """Yield the daily emails that leave the match out though it waited for their reader."""
    if played.log.has_undo:
        return
    every = [*whole_values(of_club, played.log)]
    to_seats = [one for _, whole in every for one in each_of(whole) if one.to.match == played.match]
    for paper, whole in every:
        if whole.table is None or any(row.match == played.match for row in whole.table.rows):
            continue
        reader = whole.to.player
        same = [other for _, other in every if other.to.player == reader]
        its = (told.to for other in same for told in other.parts if reader is not None)
        holders = {(to.seat, to.tenure) for to in its if to.match == played.match}
        for seat, tenure in holders:
            times = [one.at for one in to_seats if (one.to.seat, one.to.tenure) == (seat, tenure)]
            held = min(times) < whole.table.at < max(times)
            if held and _is_waiting(played, seat, whole.table.at):
                yield contradicts(
                    "{paper} has no line for {match}, which waited for the orders of {seat} then",
                    paper=paper.name,
                    match=played.match,
                    seat=played.title(seat),
                )


def _is_waiting(played: ReplayedMatch, seat: Seat, at: str) -> bool:
    """Return whether the match waited for the orders of a seat then, and none had come: its first
    ones of the turn, which were used, came later."""
    for before, entry in pairwise(one.entry for one in played.plies):
        if before.at < at < entry.at:
            is_quiet = not (entry.rulings or entry.holders)  # nor on hold, nor the clock set back
            later = (one for one in entry.orders if one.seat == seat and one.at > at)
            is_first = any(not one.by and one.revision == 1 for one in later)
            return is_quiet and before.turn != entry.turn and is_first
    return False


# Reserves. A log does not have the days on which a player was away. So a charge may be lower than
# the options say, and the time of a seat may end later, but neither is ever the other way round.


@by_rule("C5")
def compare_reserves(played: ReplayedMatch) -> Iterator[AuditFinding]:
    """Yield the balances that contradict what was agreed and when the orders came."""
    log, seats, turns = played.log, [*map(str, played.setting.seats)], Counter[str]()
    for entry in log.entries:
        agreed = log.terms_at(entry.ply)
        if agreed is None:
            return  # said with the deadlines
        if agreed.bank is None:
            turns.clear()
            continue
        held = log.reserves_at(seats, entry.ply - 1, entry.rulings, entry.holders)
        if held is None or entry.cause != "orders":
            continue
        due = log.due_in(entry)
        opens_at_once = entry.ply == 1 and played.game.rules.opens_at_once
        for sheet in entry.orders:
            seat, balance = sheet.seat, held.get(sheet.seat, 0)
            turns[seat] += 1
            # Nobody was silent where the first ply was adjudicated with the opening.
            is_opening = opens_at_once and sheet.by == BY_DEFAULT and (not due or sheet.at < due)
            charges = (0, 0) if is_opening else _charges(agreed, balance, sheet, due, entry.at)
            least, most = (agreed.bank.after(balance, one, turns[seat]) for one in charges)
            told = entry.bank.get(seat)
            is_comparable = plays_alike(log.version_at(entry.ply), CLOCK)
            if is_comparable and (told is None or not least <= told <= most):
                yield contradicts(
                    "{paper}: ply {ply}: {seat} has a reserve of {seen}, and by its orders and the "
                    "options it is {right}",
                    paper=log.paper.name,
                    ply=entry.ply,
                    seat=played.title(seat),
                    seen="-" if told is None else str(told * A_SECOND),
                    right=" - ".join(dict.fromkeys(str(one * A_SECOND) for one in (least, most))),
                )


def _charges(
    agreed: Terms, balance: int, sheet: AdjudicatedSheet, due: str, played_at: str
) -> tuple[int, int]:
    """Return the most and the least that a seat can have drawn when its orders were adjudicated."""
    if sheet.by == BY_DEFAULT:
        return balance, balance
    drawn = timedelta()
    if due:
        came = min(map(datetime.fromisoformat, (sheet.at, played_at)))
        drawn = calendar_of(agreed).cost_of_delay(datetime.fromisoformat(due), came)
    charge = min(balance, drawn // A_SECOND + 2 if drawn else 0)
    # A log has whole seconds.
    return charge, 0 if agreed.leave != "none" else max(0, charge - 4)
