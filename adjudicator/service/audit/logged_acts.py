"""Compare the acts of an opened log with what was so when they were done (A1).

An act of a log has values and no sentence. One that does not fit its struct is in no line of a log.
One that fits, and could not have been done, contradicts: it tells of a seat that the match does not
have, excuses others than it says, changes an option from a value that it did not have, lets a
search for substitutes last longer than the rules say, or sets the clock back to another time than
its own. Acts are numbered from 1 as they were done, so none can be left out or slipped in. Looks
have numbers of their own and are told in reports alone, so no other act may stand with one.

A match that began with version 0.3.0 counted looks of the game master among its rulings until it
was upgraded. A match with the label ADJUD2 has sentences in its log. They are read as they stand.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest

from adjudicator.core import chain
from adjudicator.core.acts import AnyAct, ClockSetBack, Excused, OptionChanged, SubstitutesSought
from adjudicator.core.chain import PlyText, Ruled
from adjudicator.core.clock import SEARCH
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, at, listed, say
from adjudicator.core.orders import shown
from adjudicator.service.audit.log import (
    LOOK,
    ParsedLog,
    ReplayedMatch,
    in_ply,
    lost_until,
    taken_back,
)
from adjudicator.service.audit.verdicts import AuditFinding, contradicting, contradicts
from adjudicator.service.base.bank import A_SECOND
from adjudicator.service.base.calendar import when
from adjudicator.service.base.options import DEFAULTS, UNCHOSEN, options_after

COUNTED_TOGETHER = "0.3.0"  # began matches in which looks were counted among rulings


def compare_acts(played: ReplayedMatch, log: ParsedLog) -> Iterator[AuditFinding]:
    """Yield what in the acts of a log could not have been done."""
    if log.opening.label == chain.SENTENCES:
        return
    yield from _numbers(log)
    titles = {seat: played.game.seat_titles[seat] for seat in played.setting.seats}
    options = {**DEFAULTS, **UNCHOSEN, **log.opening.options}
    for entry, ruled in _in_order(log):
        if ruled.action == LOOK and any(act.action != LOOK for act in ruled.acts):
            told = say("a look of the game master has another act beside it")
            yield from contradicting("A1", [in_ply(log, entry, told)])
        for act in ruled.acts:
            faults = (_fault(act, titles, options), _too_long(act, ruled), _of_clock(act, ruled))
            if wrong := next((one for one in faults if one is not None), None):
                paper, ply = log.paper.name, entry.ply
                told = say("A1: {paper}: ply {ply}: {what}", paper=paper, ply=ply, what=wrong)
                yield contradicts(told)
            options = options_after(options, [act])


def _in_order(log: ParsedLog) -> list[tuple[PlyText, Ruled]]:
    """Return the rulings as they were made. After a ply was taken back, some stand in later lines
    than newer ones."""
    every = [(entry, ruled) for entry in log.entries for ruled in entry.rulings]
    return sorted(every, key=lambda one: one[1].number)


def _numbers(log: ParsedLog) -> Iterator[AuditFinding]:
    """Compare the numbers of rulings, and those of looks, with the order in which they stand."""
    every = [ruled for entry in log.entries for ruled in entry.rulings]
    looks = [one.number for one in every if one.action == LOOK]
    others = [one.number for one in every if one.action != LOOK]
    counted_together = log.opening.version == COUNTED_TOGETHER
    yield from _in_turn(log, others, looks if counted_together else ())
    yield from _in_turn(log, looks, others if counted_together else ())


def _in_turn(log: ParsedLog, told: Sequence[int], besides: Sequence[int]) -> Iterator[AuditFinding]:
    """Compare numbers with 1, 2, 3 and so on. One that stands `besides` may be left out."""
    if any(map(taken_back, log.entries)):  # what was ruled in that ply stands in a later line
        told = sorted(told)
    if lost_until(log.entries):
        right = sorted({*told})
    else:
        newest = min(max(told, default=0), len(told) + len(besides)) if besides else len(told)
        right = [one for one in range(1, newest + 1) if one in told or one not in besides]
    for number, seen in zip_longest(right, told):
        if number != seen:
            wrong = say(
                "A1: {paper}: act {number} is not where it must be in the full log",
                paper=log.paper.name,
                number=seen,
            )
            yield contradicts(wrong)
            return


def _fault(
    act: AnyAct, titles: Mapping[Seat, Message], options: Mapping[str, str]
) -> Message | None:
    seat = getattr(act, "seat", None)
    if seat is not None and seat not in titles.values():
        return say("an act names {seat}, but the match has no such seat", seat=shown(str(seat)))
    if isinstance(act, Excused):
        named = [titles[Seat(one)] for one in act.names.split() if one in titles]
        if not named or listed(named) != act.seats:
            return say(
                "the missed deadline of {seats} is excused, and others are meant", seats=act.seats
            )
    if isinstance(act, OptionChanged) and options.get(act.key) != act.before:
        return say(
            "{key} was not '{seen}' before it was changed",
            key=shown(act.key),
            seen=shown(act.before),
        )
    return None


def _of_clock(act: AnyAct, ruled: Ruled) -> Message | None:
    """Return what is wrong with an act that says that the clock was set back: it was to the time at
    which that was told."""
    if not isinstance(act, ClockSetBack):
        return None
    apart = abs(act.after - datetime.fromisoformat(ruled.at))
    if apart <= A_SECOND and act.after < act.before:
        return None
    return say(
        "the clock was set back from {before} to {after}, says an act of {at}",
        before=when(act.before),
        after=when(act.after),
        at=at(ruled.at),
    )


def _too_long(act: AnyAct, ruled: Ruled) -> Message | None:
    """Return what is wrong with a search for substitutes, in which the time of silent seats is not
    up."""
    if not isinstance(act, SubstitutesSought):
        return None
    ends = datetime.fromisoformat(ruled.at) + SEARCH
    if act.when <= ends + A_SECOND:
        return None
    return say(
        "the search for substitutes lasts until {seen}, and by the rules until {due}",
        seen=when(act.when),
        due=when(ends),
    )
