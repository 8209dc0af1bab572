"""Compare the acts of an opened log with what came of them (A1).

All players are told an act, so what it says must have happened: a match on hold is not played, who
is said to have lost by forfeit or to have sent nothing did, and a turn has the number that it is
called by. One that no email tells at once moves no deadline nearer.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import combinations

from adjudicator.core import chain
from adjudicator.core.acts import (
    AnyAct,
    Cancelled,
    DefaultsUsed,
    ForfeitDecided,
    LeftTournament,
    LostInTournament,
    NearlyForgotten,
    NothingSent,
    PlaysNow,
    Restored,
    SeatLeft,
    sentence,
)
from adjudicator.core.chain import PlyText, Ruled
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, listed, say
from adjudicator.core.orders import shown
from adjudicator.service.audit.acts import counting_values
from adjudicator.service.audit.log import (
    BY_DEFAULT,
    LOOK,
    ParsedLog,
    ReplayedMatch,
    is_forfeit_decided,
    moment,
    taken_back,
    times_silent,
    undone_rulings,
)
from adjudicator.service.audit.papers import Document, differ, read_values, within
from adjudicator.service.audit.sequence import changes_of_clock, is_of_wrong_clock
from adjudicator.service.audit.verdicts import (
    AuditFinding,
    asks,
    by_rule,
    contradicting,
    contradicts,
)
from adjudicator.service.base.bank import A_SECOND
from adjudicator.service.base.calendar import when
from adjudicator.service.base.outages import LONGEST
from adjudicator.service.emails.paragraphs import Receipt
from adjudicator.store.clubs import SLACK

_NONE = Message("-")


def findings(played: ReplayedMatch, papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Yield the acts of which something else came than they say."""
    log = played.log
    yield from _changed_hands(played, log)
    yield from _told_too_early(papers, log)
    yield from _times_of_orders(papers, log)
    yield from _not_resigned(played, papers)
    if log.opening.label == chain.SENTENCES:
        return
    undone, due, newest = undone_rulings(log.entries), log.opening.due, 0
    every = [one for entry in log.entries for one in entry.rulings if one.action != LOOK]
    every.sort(key=lambda one: one.number)
    for entry in log.entries:
        made = [one for one in entry.rulings if one.action != LOOK and one.number not in undone]
        newest = max([newest, *(one.number for one in made)])
        until_then = [act for one in every if one.number <= newest for act in one.acts]
        faults = [*_of_ply(played, entry, made), *_on_hold(entry, until_then), *_nearer(made, due)]
        yield from contradicting("A1", (log.in_ply(entry, one) for one in faults))
        due = entry.due


def _on_hold(entry: PlyText, done: Sequence[AnyAct]) -> Iterator[Message]:
    effects = (act.effect() for act in reversed(done))
    holds = next((one.holds for one in effects if one.holds or one.resumes), False)
    if holds and (entry.cause == "orders" or isinstance(done[-1], NothingSent)):
        yield say("it was played while the match was on hold")


def _nearer(made: Sequence[Ruled], due: str) -> Iterator[Message]:
    for one in made:
        if due and "" < one.due < due and not any(act.at_once for act in one.acts):
            yield say(
                "what was decided on {at} sets the deadline {seen}, and it was {due}: all must be "
                "informed at once",
                at=moment(one.at),
                seen=moment(one.due),
                due=moment(due),
            )
        due = one.due


def _of_ply(played: ReplayedMatch, entry: PlyText, made: Sequence[Ruled]) -> Iterator[Message]:
    """Yield what acts say otherwise than the ply in whose line they stand."""
    titles = played.game.seat_titles
    back = max((one.number for one in made if one.action == "undo"), default=0)
    left = entry.leave.seats if entry.leave and entry.cause == "forfeit" else ()
    lost = [listed(titles[Seat(seat)] for seat in left)] if left else []
    told: list[Message] = []
    for one, act in ((ruled, act) for ruled in made for act in ruled.acts):
        turn = getattr(act, "turn", entry.turn)
        if turn != entry.turn:
            yield say("an act names turn {seen}, and it is turn {turn}", seen=turn, turn=entry.turn)
        if one.number < back:
            continue
        if isinstance(act, NothingSent):
            told.append(act.seats)
        elif isinstance(act, ForfeitDecided | LostInTournament | LeftTournament):
            told.append(act.seat)
        elif isinstance(act, DefaultsUsed | NearlyForgotten) and entry.cause == "orders":
            # Each seat once: a line that somebody made up may have orders of one without end.
            seats = dict.fromkeys(
                sheet.seat
                for sheet in entry.orders
                if (sheet.at == one.at if sheet.by == BY_DEFAULT else sheet.at > one.at)
            )
            silent = [titles[Seat(seat)] for seat in seats]
            if not _names_some(act, silent):
                yield say("{told} By the log it was not so", told=sentence(act))
    is_told = any(isinstance(act, Cancelled) for one in made for act in one.acts)
    if is_told != (entry.cause == "cancelled"):
        yield say("its cause is '{cause}', and all were informed otherwise", cause=entry.cause)
    if told != lost:
        yield say(
            "{seats} lost by forfeit, and all were informed of: {told}",
            seats=listed(lost or [_NONE]),
            told=listed(told or [_NONE]),
        )


def _names_some(act: DefaultsUsed | NearlyForgotten, silent: Sequence[Message]) -> bool:
    """Return whether an act on default orders is of some of the seats that were silent."""
    told = act.told if isinstance(act, NearlyForgotten) else sentence(act)
    sizes = range(1, len(silent) + 1)
    some = (one for size in sizes for one in combinations(silent, size))
    return any(told == sentence(DefaultsUsed(listed(one))) for one in some)


def _changed_hands(played: ReplayedMatch, log: ParsedLog) -> Iterator[AuditFinding]:
    """Find seats that got other holders and of which no player was told (C5), and those of which
    it was told and that did not."""
    titles = played.game.seat_titles
    told = [
        (entry, ruled.at, act.seat)
        for entry in log.entries
        for ruled in entry.rulings
        for act in ruled.acts
        if isinstance(act, PlaysNow | SeatLeft)
    ]
    changed = [(one.at, titles[Seat(one.seat)]) for each in log.entries for one in each.holders]
    for entry in log.entries:
        # What was told before an undo stands in the next line, if there is one.
        is_lost = taken_back(entry) and entry is log.entries[-1]
        for change in log.handovers(entry):
            title = titles[Seat(change.seat)]
            is_told = any((at, seat) == (change.at, title) for _, at, seat in told)
            if not is_told and not is_lost:
                untold = say(
                    "{seat} changed hands on {at}, and the players were not informed",
                    seat=title,
                    at=moment(change.at),
                )
                yield from contradicting("C5", [log.in_ply(entry, untold)])
    for entry, at, seat in told:
        if (at, seat) not in changed:
            wrong = say(
                "{seat} did not change hands on {at}, as all were informed",
                seat=seat,
                at=moment(at),
            )
            yield from contradicting("A1", [log.in_ply(entry, wrong)])


@by_rule("C6")
def _told_too_early(papers: Sequence[Document], log: ParsedLog) -> Iterator[AuditFinding]:
    """Find emails that were made before a ply or a ruling that they tell (C6). A report that was
    not handed over at once tells what was ruled while it waited. What a clock wrote that was set
    back afterwards is none such; after the last line no log tells that, and the player is asked."""
    every = [(one, act) for entry in log.entries for one in entry.rulings for act in one.acts]
    back = changes_of_clock(log.entries)
    for paper, value in counting_values(papers, log):
        # The part of a daily email has the time of its report.
        whole = paper.value.told if paper.value else value
        made = datetime.fromisoformat(max(value.at, whole.at))
        if value.report is None:
            told = [one.at for one, act in every if act.action != LOOK and one.number in value.acts]
        else:
            told = [entry.at for entry in log.entries if entry.ply == value.told.ply]
        times = [datetime.fromisoformat(one) for one in told]
        last = max((one for one in times if not is_of_wrong_clock(one, back)), default=made)
        is_undone = any(
            one.ended == value.to.epoch and made > one.saved - A_SECOND
            for one in log.acts(Restored)
        )
        if not is_undone and made < last - SLACK:
            early = say(
                "{paper} was made on {made}, and tells what came on {at}, says {log}",
                paper=paper.name,
                made=when(made),
                at=when(last),
                log=log.paper.name,
            )
            is_last = chain.in_log(last) == log.entries[-1].at
            yield asks(early) if is_last else contradicts(early)


@by_rule("O2")
def _times_of_orders(papers: Sequence[Document], log: ParsedLog) -> Iterator[AuditFinding]:
    """Compare when orders came, by their confirmations, with the log. When a clock is set back, the
    club puts right what came by it."""
    if any(log.acts(Restored)):
        return  # an answer to no seat may name no epoch, so it may be of orders that were undone
    wrong = [
        (chain.in_log(act.after), chain.in_log(act.before + LONGEST))
        for act in changes_of_clock(log.entries)
    ]
    for paper, value in read_values(papers):
        for one in within(value, Receipt):
            same = (
                order
                for entry in log.entries
                for order in entry.orders
                if (order.seat, entry.turn, order.revision) == (one.seat, one.turn, one.revision)
                and not (order.by or one.kept)
            )
            if one.match != paper.match or not (one.proof and one.at):
                continue
            is_wrong = any(since <= one.at <= until for since, until in wrong)
            if not is_wrong and any(order.at != one.at for order in same):
                what = say(
                    "when orders came that are version {revision}", revision=one.revision or 0
                )
                yield asks(differ(what, paper, log.paper))


@by_rule("O2")
def _not_resigned(played: ReplayedMatch, papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Find plies in which a seat played on, or was treated as silent, after a confirmed RESIGN that
    no line has. The seat may have got another holder meanwhile."""
    entries = played.log.entries
    if any(played.log.acts(Restored)):
        return  # what a restore has undone is in no line, and a printed confirmation has no epoch
    logged = [word for entry in entries for word in entry.said]
    for where, one in ((paper, told.said) for paper in papers for told in paper.said):
        changed = [each.at for entry in entries for each in entry.holders if each.seat == one.seat]
        later = (
            entry
            for entry in entries
            if entry.at > one.at and not any(one.at <= at <= entry.at for at in changed)
        )
        is_forgotten = one.word == "RESIGN" and one not in logged
        if is_forgotten and any(_plays(ply, one.seat) for ply in later):
            what = say("{word} of {seat}", word=one.word, seat=shown(one.seat))
            yield contradicts(differ(what, where, played.log.paper))


def _plays(entry: PlyText, seat: str) -> bool:
    """Return whether orders of a seat were adjudicated, or it lost because it was silent."""
    is_lost = any(times_silent(entry, seat)) and not is_forfeit_decided(entry)
    return is_lost or any(one.seat == seat for one in entry.orders)
