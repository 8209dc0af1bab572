"""Compare the acts of an opened log with what was so when they were done (A1), and the rulings and
the holders that emails tell with those of the log (A2 to A4).

An act of a log has values and no sentence. One that does not fit its struct is in no line of a log.
One that fits, and could not have been done, contradicts: it tells of a seat that the match does not
have, excuses others than it says, changes an option from a value that it did not have, lets a
search for substitutes last longer than the rules say, or sets the clock back to another time than
its own. Acts are numbered from 1 as they were done, so none can be left out or slipped in. Looks
have numbers of their own and are told in reports alone, so no other act may stand with one.

The value of an email to a seat has the numbers of the rulings that it tells. Each of them must be
what the log says of that number: sentence, reason and time. And each ruling of the log must be told
in an email to the seat, where its holder has an email that tells an earlier one and a report that
tells a later one. If all emails to him are here, one that is in none of them contradicts; if some
are missing, it may have been in these, and he is asked if he lost by it (A3). Names of players
stand in no log, so these are taken from the reports themselves; whether they are persons, and the
number of the seat's holder, is compared here.

A match that began with version 0.3.0 counted looks of the game master among its rulings until it
was upgraded. A match with the label ADJUD2 has sentences in its log. They are read as they stand.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from operator import itemgetter

from msgspec import UNSET
from msgspec.structs import replace

from adjudicator.core import chain
from adjudicator.core.acts import (
    AnyAct,
    Cancelled,
    ClockSetBack,
    Continued,
    ContinuedUntil,
    Excused,
    MatchBegun,
    MatchBegunUntil,
    NeverOpened,
    OptionChanged,
    Plays,
    PlaysNow,
    Restored,
    SubstitutesSought,
)
from adjudicator.core.chain import PlyText, Ruled
from adjudicator.core.clock import SEARCH
from adjudicator.core.email_kinds import ANSWERS
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, at, both, listed, say
from adjudicator.core.orders import shown
from adjudicator.core.report import Notice
from adjudicator.core.worded_acts import acts_in
from adjudicator.service.audit.log import (
    LOOK,
    ParsedLog,
    ReplayedMatch,
    first_lost_ply,
    is_forfeit_decided,
    moment,
    times_silent,
)
from adjudicator.service.audit.papers import Document, ToldReport, by_key, read_values
from adjudicator.service.audit.verdicts import (
    AuditFinding,
    AuditVerdict,
    by_rule,
    contradicting,
    contradicts,
    remark,
)
from adjudicator.service.base.bank import A_SECOND
from adjudicator.service.base.calendar import when
from adjudicator.service.base.options import DEFAULTS, UNCHOSEN, options_after
from adjudicator.service.emails.paragraphs import EmailContents, Lines
from adjudicator.service.emails.value import EmailValue, each_of

COUNTED_TOGETHER = "0.3.0"  # began matches in which looks were counted among rulings


def compare_acts(played: ReplayedMatch) -> Iterator[AuditFinding]:
    """Yield what in the acts of a log could not have been done."""
    if played.log.opening.label == chain.SENTENCES:
        return
    yield from _numbers(played.log)
    titles = {seat: played.title(seat) for seat in played.setting.seats}
    options = {**DEFAULTS, **UNCHOSEN, **played.log.opening.options}
    # After a ply was taken back, some stand in later lines than newer ones.
    for entry, ruled in sorted(played.log.rulings, key=lambda one: one[1].number):
        if ruled.action == LOOK and any(act.action != LOOK for act in ruled.acts):
            told = say("a look of the game master has another act beside it")
            yield from contradicting("A1", [played.log.in_ply(entry, told)])
        for act in ruled.acts:
            if (wrong := _fault(act, ruled, titles, options)) is not None:
                paper, ply = played.log.paper.name, entry.ply
                yield contradicts(
                    "A1: {paper}: ply {ply}: {what}", paper=paper, ply=ply, what=wrong
                )
            options = options_after(options, [act])


def _numbers(log: ParsedLog) -> Iterator[AuditFinding]:
    """Compare the numbers of rulings, and those of looks, with the order in which they stand."""
    looks = [(entry, one.number) for entry, one in log.rulings if one.action == LOOK]
    others = [(entry, one.number) for entry, one in log.rulings if one.action != LOOK]
    counted_together = log.opening.version == COUNTED_TOGETHER
    yield from _in_turn(log, others, looks if counted_together else ())
    yield from _in_turn(log, looks, others if counted_together else ())


def _in_turn(
    log: ParsedLog,
    found: Sequence[tuple[PlyText, int]],
    others: Sequence[tuple[PlyText, int]],
) -> Iterator[AuditFinding]:
    """Compare numbers with 1, 2, 3 and so on. One that stands among `others` may be left out."""
    told, besides = ([number for _, number in each] for each in (found, others))
    if log.has_undo:  # what was ruled in that ply stands in a later line
        told = sorted(told)
    newest = min(max(told, default=0), len(told) + len(besides)) if besides else len(told)
    lost = first_lost_ply(log.entries)
    if lost <= len(log.entries):  # some of what was ruled since then may stand nowhere
        newest = max((number for entry, number in found if entry.ply < lost), default=0)
    right = [one for one in range(1, newest + 1) if one in told or one not in besides]
    right += sorted({one for one in told if one > newest}) if lost <= len(log.entries) else []
    for number, seen in zip_longest(right, told):
        if number != seen:
            yield contradicts(
                "A1: {paper}: act {number} is not where it must be in the full log",
                paper=log.paper.name,
                number=seen,
            )
            return


def _fault(
    act: AnyAct, ruled: Ruled, titles: Mapping[Seat, Message], options: Mapping[str, str]
) -> Message | None:
    """Return what is wrong with an act; None if nothing is."""
    seat = getattr(act, "seat", None)
    if seat is not None and seat not in titles.values():
        return say("an act names {seat}, but the match has no such seat", seat=shown(str(seat)))
    match act:
        case Excused(seats=seats):
            named = [titles[Seat(one)] for one in act.names.split() if one in titles]
            if not named or listed(named) != seats:
                return say(
                    "the missed deadline of {seats} is excused, and others are meant", seats=seats
                )
        case OptionChanged(key=key, before=before) if options.get(key) != before:
            seen = shown(before)
            return say("{key} was not '{seen}' before it was changed", key=shown(key), seen=seen)
        case ClockSetBack(before=before, after=after):
            # It was set back to the time at which that was told.
            if abs(after - datetime.fromisoformat(ruled.at)) > A_SECOND or after >= before:
                return say(
                    "the clock was set back from {before} to {after}, says an act of {at}",
                    before=when(before),
                    after=when(after),
                    at=at(ruled.at),
                )
        case SubstitutesSought(when=until):
            ends = datetime.fromisoformat(ruled.at) + SEARCH
            if until > ends + A_SECOND:  # in it the time of silent seats is not up
                return say(
                    "the search for substitutes lasts until {seen}, and by the rules until {due}",
                    seen=when(until),
                    due=when(ends),
                )
    return None


# A2 and A3: what emails tell.

_WITH_NAMES = (PlaysNow, Plays)
# What emails tell without a number: a seat that is taken, and what befalls a match without a log.
_OF_OPEN_SEATS = (Plays, MatchBegun, MatchBegunUntil)
_WITHOUT_NUMBER = (*_OF_OPEN_SEATS, PlaysNow, Cancelled, NeverOpened)


@by_rule("A2")
def findings(played: ReplayedMatch, papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Yield the rulings that emails tell otherwise than the log, or not at all."""
    if played.log.opening.label == chain.SENTENCES:
        return
    tenures = by_key(
        ((told.to.seat, told.to.tenure), (paper, told))
        for paper, told in counting_values(papers, played.log)
    )
    logged = {one.number: one for _, one in played.log.rulings if one.action != LOOK}
    for (seat, _), those in sorted(tenures.items()):
        for paper, told in those:
            has_opened = any(one.report and (one.n or 0) < (told.n or 0) for _, one in those)
            yield from _otherwise(played.log, logged, paper, told, has_opened=has_opened)
        yield from _before_it_opened(played.log, those)
        if seat in played.setting.seats:
            its = [one for _, one in those]
            yield from _untold(played, logged, seat, its, is_whole=_has_all(papers, seat, its))


def counting_values(
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
    for paper, told in read_values(papers):
        epochs = {one.to.epoch for one in each_of(told)}  # a daily email has none but in its parts
        at = datetime.fromisoformat(told.at)
        if not any(one.ended in epochs and one.saved < at for one in log.acts(Restored)):
            yield paper, told


def _may_lack(log: ParsedLog, at: str) -> bool:
    """Return whether what was ruled then may be in no line: it came after the last one, or in a ply
    that was taken back, if the line after that was never written."""
    lost = first_lost_ply(log.entries)
    undone = [one.at for entry, one in log.rulings if entry.ply >= lost and one.action == "undo"]
    is_within = bool(undone) and min([log.at(lost - 1), *undone]) <= at <= max(undone)
    return not log.entries or at >= log.entries[-1].at or is_within


def _otherwise(
    log: ParsedLog,
    logged: Mapping[int, Ruled],
    paper: Document,
    told: EmailValue,
    *,
    has_opened: bool,
) -> Iterator[AuditFinding]:
    """Yield the rulings of an email that are not those of the log."""
    notices = told.told.notices if told.report is not None else ()
    said = _messages_in(told) if told.report is None else []
    rights = list[Message]()
    for number in told.acts:
        ruled = logged.get(number)
        if ruled is None:
            if not _may_lack(log, told.at):
                yield contradicts(
                    "{paper} tells ruling {number}, and the log has none",
                    paper=paper.name,
                    number=number,
                )
            continue
        right = Notice(at=ruled.at, told=ruled.message, reason=ruled.reason)
        rights.append(_nameless(_whole(right)))
        is_there = right in notices if told.report else rights[-1] in map(_nameless, said)
        if not is_there:
            yield contradicts(
                "{paper} tells ruling {number} otherwise than the log, where it is: {ruled}",
                paper=paper.name,
                number=number,
                ruled=_whole(right),
            )
    found = [act for one in said if _nameless(one) not in rights for act in acts_in(one)]
    is_open = told.kind in ANSWERS or len(rights) < len(told.acts)  # what the log lacks
    # A match also goes on with a seat that is taken, which stands in no line.
    is_taken = any(isinstance(one, Plays) for one in found)
    ever = _OF_OPEN_SEATS if has_opened else _WITHOUT_NUMBER
    needless = (*ever, *((Continued, ContinuedUntil) if is_taken else ()))
    more = [one for one in found if not isinstance(one, needless)]
    # What was ruled before the match opened has no number, and may be told in that second.
    is_opened = told.at > log.opening.at
    if more and is_opened and not is_open:
        yield _unnumbered(paper, more[0])


def _unnumbered(paper: Document, act: AnyAct) -> AuditFinding:
    holes = {name: str(getattr(act, name)) for name in type(act).__struct_fields__}
    ruled_so = say(type(act).words.text, **holes)
    return contradicts(
        "{paper} tells a ruling that has no number: {ruled}", paper=paper.name, ruled=ruled_so
    )


def _before_it_opened(
    log: ParsedLog, those: Iterable[tuple[Document, EmailValue]]
) -> Iterator[AuditFinding]:
    """Yield changes of options that were told while the match waited for its number, and that it
    did not open with. Of several of one option the last counts."""
    early = [
        (paper, told)
        for paper, told in those
        if told.at <= log.opening.at and not (told.acts or told.report)
    ]
    last: dict[str, tuple[Document, OptionChanged]] = {}
    for paper, told in sorted(early, key=lambda one: one[1].at):
        for act in (act for one in _messages_in(told) for act in acts_in(one)):
            if isinstance(act, OptionChanged):
                last[act.key] = paper, act
    for paper, act in last.values():
        if log.opening.options.get(act.key) != act.value:
            yield _unnumbered(paper, act)


def _messages_in(told: EmailValue) -> list[Message]:
    """Return the sentences that stand in an email without a report."""
    contents = told.said.contents if told.said else EmailContents()
    parts = (*contents.above, *contents.below)
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
    played: ReplayedMatch,
    logged: Mapping[int, Ruled],
    seat: Seat,
    told: Sequence[EmailValue],
    *,
    is_whole: bool,
) -> Iterator[AuditFinding]:
    """Yield the rulings that no email to a seat's holder tells, or none before he lost by them."""
    every = {number for one in told for number in one.acts}
    # Some rulings are told in reports alone, and a notice of a later one may come before these.
    last_reported = max((number for one in told if one.report for number in one.acts), default=0)
    begun = min(one.at for one in told)
    entries = played.log.entries
    changes = [one.at for entry in entries for one in entry.holders if one.seat == seat]
    ended = min((at for at in changes if at > begun), default="~")  # when he gave the seat up
    losses = [
        (entry.ply, at)
        for entry in entries
        for at in times_silent(entry, seat)
        if begun <= at <= ended and not is_forfeit_decided(entry)
    ]
    for number, ruled in sorted(logged.items()):
        if not begun <= ruled.at:
            continue
        lost = next((one for one in losses if ruled.at < one[1]), None)
        telling = [one for one in told if number in one.acts]
        is_late = lost is not None and not any(_came_before(one, *lost) for one in telling)
        is_within = number not in every and min(every, default=0) < number < last_reported
        named: dict[str, Value] = {
            "number": number,
            "ruled": ruled.message,
            "at": moment(ruled.at),
            "seat": played.title(seat),
        }
        if is_late and any(act.at_once for act in ruled.acts):
            told_late = say(
                "{seat} was treated as silent after what was ruled on {at}, and none of your "
                "emails said so before: {ruled}",
                **named,
            )
            if is_whole and number not in every:
                yield contradicts(told_late)
            else:
                yield AuditFinding(
                    AuditVerdict.ASKS, say("{told} Did you get it?", told=told_late), "A3"
                )
        elif is_within and is_whole:
            yield contradicts("no email to {seat} has ruling {number}: {ruled}", **named)
        elif is_within:
            yield remark("missing: the email about ruling {number}, of {at}", **named)


def _came_before(told: EmailValue, ply: int, at: str) -> bool:
    """Return whether an email was made before that ply, in which its seat lost, and that time."""
    return told.at <= at and (told.report is None or told.told.ply < ply)


# A4: who holds the seats.


@by_rule("A4")
def compare_holders(
    played: ReplayedMatch, reports: Iterable[tuple[Document, ToldReport]]
) -> Iterator[AuditFinding]:
    """Yield the reports that tell of other holders than the log: of a computer where a person
    played, or the other way round, or of an open seat; or of the same holder of their own seat
    where it had others, or of others where it had one."""
    tenures: dict[tuple[str, int], list[tuple[Document, range]]] = {}
    for paper, told in reports:
        for seat in played.setting.seats:
            possible = [*_kinds_at(played.log, told.ply, seat)]
            name = str(told.body["players"].get(seat, ""))
            if not any(_is_named(played, kind, name) for kind in possible):
                yield contradicts(
                    "{paper} names '{name}' for {seat}, and by the log it was: {kind}",
                    paper=paper.name,
                    name=shown(name) or "-",
                    seat=played.title(seat),
                    kind=", ".join(dict.fromkeys(possible)),
                )
        tenure = told.made.tenure if told.made else UNSET
        if isinstance(tenure, int):
            given_up = _times_given_up(played.log, told.ply, told.seat)
            tenures.setdefault((told.seat, tenure), []).append((paper, given_up))
    yield from _other_tenures(tenures)


def _is_named(played: ReplayedMatch, kind: str, name: str) -> bool:
    """Return whether a holder of that kind can have that name: a hidden one is empty."""
    if kind == chain.PERSON:
        return name not in played.game.computers
    return name == ("" if kind == chain.OPEN else kind)


def _kinds_at(log: ParsedLog, ply: int, seat: str) -> Iterator[str]:
    """Yield who held a seat at a ply, and after it until the next one."""
    yield log.holders_at(ply)[seat]
    if ply < len(log.entries):
        yield from (one.kind for one in log.entries[ply].holders if one.seat == seat)


def _times_given_up(log: ParsedLog, ply: int, seat: str) -> range:
    """Return how often a seat can have been given up when a report of a ply was made."""
    later = log.entries[: ply + 1]
    times = [sum(one.seat == seat for one in log.handovers(entry)) for entry in later]
    return range(sum(times[:ply]), sum(times) + 1)


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
            yield contradicts(
                "{one} and {other} are for the same holder of {seat}, number {tenure}, and by "
                "the log it had another one in between",
                one=first.name,
                other=after.name,
                seat=seat,
                tenure=tenure,
            )
        elif before[0] == seat and earliest <= before[2]:
            yield contradicts(
                "{one} is for holder {tenure} of {seat}, and there are reports for holder "
                "{before}; by the log it was the same one",
                one=first.name,
                seat=seat,
                tenure=tenure,
                before=before[1],
            )
        before = seat, tenure, latest
