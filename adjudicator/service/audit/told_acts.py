"""Compare the rulings and the holders that emails tell with those of an opened log (A2 to A4).

The value of an email to a seat has the numbers of the rulings that it tells. Each of them must be
what the log says of that number: sentence, reason and time. And each ruling of the log must be told
in an email to the seat, where its holder has an email that tells an earlier one and a report that
tells a later one. If all emails to him are here, one that is in none of them contradicts; if some
are missing, it may have been in these, and he is asked if he lost by it (A3).

Looks of the game master have numbers of their own, and stand in reports alone, which are made
again. Names of players stand in no log, so these are taken from the reports themselves; whether
they are persons, and the number of the seat's holder, is compared here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from operator import itemgetter

from msgspec import UNSET
from msgspec.structs import replace

from adjudicator.core import chain
from adjudicator.core.acts import (
    AnyAct,
    Cancelled,
    Continued,
    ContinuedUntil,
    MatchBegun,
    MatchBegunUntil,
    NeverOpened,
    Plays,
    PlaysNow,
    Restored,
)
from adjudicator.core.chain import PlyText, Ruled
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, both, say
from adjudicator.core.orders import shown
from adjudicator.core.report import Notice
from adjudicator.core.worded_acts import acts_in
from adjudicator.service.audit.emailed import read_values
from adjudicator.service.audit.log import (
    BY_DEFAULT,
    LOOK,
    ParsedLog,
    ReplayedMatch,
    holders_before,
    lost_until,
    moment,
)
from adjudicator.service.audit.papers import Document, ToldReport
from adjudicator.service.audit.verdicts import AuditFinding, AuditVerdict
from adjudicator.service.emails.paragraphs import Lines
from adjudicator.service.emails.value import EmailValue, each_of

_WITH_NAMES = (PlaysNow, Plays)
# What emails tell without a number: a seat that is taken, and what befalls a match without a log.
_WITHOUT_NUMBER = (PlaysNow, Plays, MatchBegun, MatchBegunUntil, Cancelled, NeverOpened)


def findings(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield the rulings that emails tell otherwise than the log, or not at all."""
    if log.opening.label == chain.SENTENCES:
        return
    tenures: dict[tuple[Seat, int], list[tuple[Document, EmailValue]]] = {}
    for paper, told in values_to_seats(papers, log):
        tenures.setdefault((told.to.seat, told.to.tenure), []).append((paper, told))
    acts = LoggedActs(log)
    for (seat, _), those in sorted(tenures.items()):
        for paper, told in those:
            yield from _otherwise(acts, paper, told)
        if seat in played.setting.seats:
            is_whole = _has_all(papers, seat, [one for _, one in those])
            yield from _untold(acts, played, seat, [one for _, one in those], is_whole=is_whole)


def values_to_seats(
    papers: Sequence[Document], log: ParsedLog
) -> Iterator[tuple[Document, EmailValue]]:
    """Yield what the emails to seats of a match say, but for those that a restore has undone."""
    for paper, whole in whole_values(papers, log):
        for told in each_of(whole):
            if told.to.match == paper.match:
                yield paper, told


def whole_values(
    papers: Sequence[Document], log: ParsedLog
) -> Iterator[tuple[Document, EmailValue]]:
    """Yield the values of emails, but for those that a restore has undone."""
    restores = [
        act
        for entry in log.entries
        for ruled in entry.rulings
        for act in ruled.acts
        if isinstance(act, Restored)
    ]
    for paper, told in read_values(papers):
        epochs = {one.to.epoch for one in each_of(told)}  # a daily email has none but in its parts
        at = datetime.fromisoformat(told.at)
        if not any(one.ended in epochs and one.saved < at for one in restores):
            yield paper, told


class LoggedActs:
    """The rulings of a log that are no looks."""

    def __init__(self, log: ParsedLog) -> None:
        self.log = log

    @cached_property
    def by_number(self) -> Mapping[int, tuple[PlyText, Ruled]]:
        return {
            ruled.number: (entry, ruled)
            for entry in self.log.entries
            for ruled in entry.rulings
            if ruled.action != LOOK
        }

    def may_lack(self, at: str) -> bool:
        """Return whether what was ruled then may be in no line: it came after the last one, or in a
        ply that was taken back, if the line after that was never written."""
        entries = self.log.entries
        return not entries or at >= entries[-1].at or at <= lost_until(entries)


def _otherwise(acts: LoggedActs, paper: Document, told: EmailValue) -> Iterator[AuditFinding]:
    """Yield the rulings of an email that are not those of the log."""
    notices = told.told.notices if told.report is not None else ()
    said = _messages_in(told) if told.report is None else []
    for number in told.acts:
        if number not in acts.by_number:
            if not acts.may_lack(told.at):
                yield _contradicts(
                    say(
                        "{paper} tells ruling {number}, and the log has none",
                        paper=paper.name,
                        number=number,
                    )
                )
            continue
        _, ruled = acts.by_number[number]
        right = Notice(at=ruled.at, told=ruled.message, reason=ruled.reason)
        if told.report is None:
            is_told = _nameless(_whole(right)) in map(_nameless, said)
        else:
            is_told = right in notices
        if not is_told:
            yield _contradicts(
                say(
                    "{paper} tells ruling {number} otherwise than the log, where it is: {ruled}",
                    paper=paper.name,
                    number=number,
                    ruled=_whole(right),
                )
            )
    found = [act for one in said for act in acts_in(one)] if not told.acts else []
    if told.kind == "notice" and (more := [one for one in found if not _needs_none(one, found)]):
        yield _contradicts(
            say(
                "{paper} tells a ruling that has no number: {ruled}",
                paper=paper.name,
                ruled=say(type(more[0]).words.text, **_holes(more[0])),
            )
        )


def _holes(act: AnyAct) -> dict[str, str]:
    return {name: str(getattr(act, name)) for name in type(act).__struct_fields__}


def _needs_none(act: AnyAct, besides: Sequence[AnyAct]) -> bool:
    """Return whether an act stands in no line: a match also goes on with a seat that is taken."""
    is_taken = any(isinstance(one, Plays) for one in besides)
    goes_on = is_taken and isinstance(act, Continued | ContinuedUntil)
    return goes_on or isinstance(act, _WITHOUT_NUMBER)


def _messages_in(told: EmailValue) -> list[Message]:
    """Return the sentences that stand in an email without a report."""
    parts = told.said.contents.above if told.said else ()
    lines = (line for part in parts if isinstance(part, Lines) for line in part.lines)
    return [line for line in lines if isinstance(line, Message)]


def _whole(notice: Notice) -> Message:
    reason = notice.reason.rstrip()
    return both(notice.told, reason) if reason else notice.told


def _nameless(message: Message) -> Message:
    """Return a sentence without the names of players, which no log has."""
    named = {kind.words.text for kind in _WITH_NAMES}
    values = {
        key: _nameless(value) if isinstance(value, Message) else value
        for key, value in message.values.items()
        if not (message.text in named and key == "player")
    }
    return replace(message, values=values)


def _has_all(papers: Sequence[Document], seat: Seat, told: Sequence[EmailValue]) -> bool:
    """Return whether all emails to a seat's holder are here, each with its value."""
    known = {n for one in told for n in (one.n or 0, *one.skipped)}
    if known - {0} != {*range(1, max(known, default=0) + 1)}:
        return False
    return not any(
        paper.is_email and (paper.unread or not (paper.value or paper.is_part))
        for paper in papers
        if seat in paper.seats or not paper.seats
    )


def _untold(
    acts: LoggedActs,
    played: ReplayedMatch,
    seat: Seat,
    told: Sequence[EmailValue],
    *,
    is_whole: bool,
) -> Iterator[AuditFinding]:
    """Yield the rulings that no email to a seat's holder tells, or none before he lost by them."""
    every = {number for one in told for number in one.acts}
    # Some rulings are told in reports alone, and a notice of a later one may come before these.
    last_reported = max((number for one in told if one.report for number in one.acts), default=0)
    title = played.game.seat_titles[seat]
    begun = min(one.at for one in told)
    losses = [*_losses(acts.log, seat, begun, _end_of_tenure(acts.log, seat, begun))]
    for number, (_, ruled) in sorted(acts.by_number.items()):
        if not begun <= ruled.at:
            continue
        lost = next((one for one in losses if ruled.at < one[1]), None)
        is_late = lost is not None and not any(
            number in one.acts and _came_before(one, *lost) for one in told
        )
        is_within = number not in every and min(every, default=0) < number < last_reported
        named: dict[str, Value] = {
            "number": number,
            "ruled": ruled.message,
            "at": moment(ruled.at),
            "seat": title,
        }
        if is_late and any(act.at_once for act in ruled.acts):
            told_late = say(
                "{seat} was treated as silent after what was ruled on {at}, and none of your "
                "emails said so before: {ruled}",
                **named,
            )
            if is_whole and number not in every:
                yield _contradicts(told_late)
            else:
                yield AuditFinding(
                    AuditVerdict.ASKS, say("{told} Did you get it?", told=told_late), "A3"
                )
        elif is_within and is_whole:
            yield _contradicts(say("no email to {seat} has ruling {number}: {ruled}", **named))
        elif is_within:
            missing = say("missing: the email about ruling {number}, of {at}", **named)
            yield AuditFinding(AuditVerdict.REMARK, missing, "A2")


def _came_before(told: EmailValue, ply: int, at: str) -> bool:
    """Return whether an email was made before that ply, in which its seat lost, and that time."""
    return told.at <= at and (told.report is None or told.told.ply < ply)


def _end_of_tenure(log: ParsedLog, seat: Seat, begun: str) -> str:
    """Return when the holder gave a seat up who got his first email then; a time after all others
    if he never did."""
    changes = (one for entry in log.entries for one in entry.holders if one.seat == seat)
    return min((one.at for one in changes if one.at > begun), default="~")


def _losses(log: ParsedLog, seat: Seat, since: str, until: str) -> Iterator[tuple[int, str]]:
    """Yield the plies in which a seat was treated as silent in that time, and when."""
    for entry in log.entries:
        left = entry.leave.seats if entry.cause == "forfeit" and entry.leave else ()
        if seat in left and entry.at <= until:
            yield entry.ply, entry.at
        yield from (
            (entry.ply, one.at)
            for one in entry.orders
            if one.seat == seat and one.by == BY_DEFAULT and since <= one.at <= until
        )


def _contradicts(told: Message) -> AuditFinding:
    return AuditFinding(AuditVerdict.CONTRADICTS, told, "A2")


# A4: who holds the seats.


def compare_holders(
    played: ReplayedMatch, reports: Iterable[tuple[Document, ToldReport]], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield the reports that tell of other holders than the log: of a computer where a person
    played, or the other way round, or of an open seat; or of the same holder of their own seat
    where it had others, or of others where it had one."""
    tenures: dict[tuple[str, int], list[tuple[Document, range]]] = {}
    for paper, told in reports:
        for seat in played.setting.seats:
            possible = [*_kinds_at(log, told.ply, seat)]
            name = str(told.body["players"].get(seat, ""))
            if not any(_is_named(played, kind, name) for kind in possible):
                yield _of_holder(
                    say(
                        "{paper} names '{name}' for {seat}, and by the log it was: {kind}",
                        paper=paper.name,
                        name=shown(name) or "-",
                        seat=played.game.seat_titles[seat],
                        kind=", ".join(dict.fromkeys(possible)),
                    )
                )
        tenure = told.made.tenure if told.made else UNSET
        if isinstance(tenure, int):
            given_up = _times_given_up(log, told.ply, told.seat)
            tenures.setdefault((told.seat, tenure), []).append((paper, given_up))
    yield from _other_tenures(tenures)


def _of_holder(told: Message) -> AuditFinding:
    return AuditFinding(AuditVerdict.CONTRADICTS, told, "A4")


def _is_named(played: ReplayedMatch, kind: str, name: str) -> bool:
    """Return whether a holder of that kind can have that name: a hidden one is empty."""
    if kind == chain.PERSON:
        return name not in played.game.computers
    return name == ("" if kind == chain.OPEN else kind)


def _kinds_at(log: ParsedLog, ply: int, seat: str) -> Iterator[str]:
    """Yield who held a seat at a ply, and after it until the next one."""
    yield holders_before(log, ply)[seat]
    if ply < len(log.entries):
        yield from (one.kind for one in log.entries[ply].holders if one.seat == seat)


def _times_given_up(log: ParsedLog, ply: int, seat: str) -> range:
    """Return how often a seat can have been given up when a report of a ply was made."""
    kind = {str(one.seat): one.kind for one in log.opening.holders}[seat]
    times = [0, 0]
    for number, entry in enumerate(log.entries[: ply + 1]):
        for one in entry.holders:
            if one.seat == seat:
                is_given_up = kind != chain.OPEN
                times = [times[0] + (is_given_up and number < ply), times[1] + is_given_up]
                kind = one.kind
    return range(times[0], times[1] + 1)


def _other_tenures(
    tenures: Mapping[tuple[str, int], Sequence[tuple[Document, range]]],
) -> Iterator[AuditFinding]:
    """Compare the numbers of holders: one has the same from when the seat was given up before him
    to when he gives it up, and the next one has a higher one."""
    before = "", 0, 0
    for (seat, tenure), those in sorted(tenures.items()):
        latest, after = max(
            ((given_up.start, paper) for paper, given_up in those), key=itemgetter(0)
        )
        earliest, first = min(
            ((given_up.stop - 1, paper) for paper, given_up in those), key=itemgetter(0)
        )
        if earliest < latest:
            yield _of_holder(
                say(
                    "{one} and {other} are for the same holder of {seat}, number {tenure}, and by "
                    "the log it had another one in between",
                    one=first.name,
                    other=after.name,
                    seat=seat,
                    tenure=tenure,
                )
            )
        elif before[0] == seat and earliest <= before[2]:
            yield _of_holder(
                say(
                    "{one} is for holder {tenure} of {seat}, and there are reports for holder "
                    "{before}; by the log it was the same one",
                    one=first.name,
                    seat=seat,
                    tenure=tenure,
                    before=before[1],
                )
            )
        before = seat, tenure, latest
