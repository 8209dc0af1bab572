"""Compare the deadlines of a log with what was agreed: the options in its first line, as rulings
that all players were told have changed them.

A deadline may be later than the options say, for a player who is away moves it, and no log has
that. It is never earlier. Only lines of this version are compared: another may have counted
otherwise.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from operator import itemgetter

from adjudicator import __version__
from adjudicator.core import chain
from adjudicator.core.chain import HolderChange, Opening, PlyText, Ruled
from adjudicator.core.clock import SEARCH
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import shown
from adjudicator.service.audit.receipts import ParsedLog
from adjudicator.service.audit.replayed import (
    ReplayedMatch,
    ReplayedPly,
    holders_before,
)
from adjudicator.service.audit.verdicts import AuditFinding, contradicts, remark
from adjudicator.service.base import calendar
from adjudicator.service.base.bank import A_SECOND, NOTHING, Running
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.deadlines import reserves_after, with_new_holders
from adjudicator.service.base.options import Terms, options_after, terms

_A_SECOND = timedelta(seconds=1)  # the log has times in whole seconds
LOOK = "look"  # a ruling that is told with the next ply and not before, and moves no deadline


def options_at(
    opening: Opening, entries: Iterable[PlyText], since: Sequence[Ruled] = ()
) -> dict[str, str]:
    """Return the options after these plies and the rulings since."""
    made = [*(one for entry in entries for one in entry.rulings), *since]
    return options_after(opening.options, (one.message for one in made))


def deadline_after(
    due: str, rulings: Iterable[Ruled], holders: Iterable[HolderChange], *, before: str = ""
) -> str:
    """Return the deadline in force after these, where it was `due`; or `before` a time."""
    moved = [(one.at, one.due) for one in holders]
    moved += [(one.at, one.due) for one in rulings if one.action != LOOK]
    moved = [one for one in moved if not before or one[0] < before]
    return sorted(moved, key=itemgetter(0))[-1][1] if moved else due  # of one second the last


def earliest_end(
    opening: Opening,
    entries: Sequence[PlyText],
    entry: PlyText,
    seat: str,
    due: str,
    *,
    forfeits: bool,
) -> str:
    """Return when the own time of a seat ended at the earliest, if it was silent until that ply:
    the deadline, or the end of its reserve, and if it `forfeits` in a match with substitutes
    the end of the search for one. `entries` are the plies before."""
    try:
        agreed = terms(options_at(opening, entries, entry.rulings))
        held = reserves_after(opening, entries, [seat])
    except (Refusal, ValueError, KeyError):
        return due  # they are none that a match can have
    if not due:
        return due
    searched = (
        SEARCH if agreed.substitutes and agreed.absence == "forfeit" and forfeits else NOTHING
    )
    if agreed.bank is None or held is None:
        return rfc3339(datetime.fromisoformat(due) + searched) if searched else due
    balance = with_new_holders(held, agreed.bank, entry.holders)[seat] * A_SECOND
    running = calendar_of(agreed)
    ends = running.lasts_until(datetime.fromisoformat(due), balance - A_SECOND)
    return rfc3339(ends + searched)


def calendar_of(agreed: Terms) -> Running:
    """Return what runs for a seat whose player is never away."""
    return Running(zone=agreed.zone, skip=agreed.skip, double=agreed.double)


def compare_deadlines(played: ReplayedMatch, log: ParsedLog) -> Iterator[AuditFinding]:
    """Yield the deadlines of turns that contradict what was agreed; say how many are later."""
    opening = log.opening
    version, later = opening.version, 0
    for ply in played.plies:
        entry = ply.entry
        version = entry.version or version
        if version != __version__ or entry.cause != "orders":
            continue
        if played.game.rules.outcome(ply.state) is not None:
            continue
        is_open = chain.OPEN in holders_before(log, entry.ply).values()
        options = options_at(opening, log.entries[: entry.ply])
        due = None if is_open else _due(played, ply, options)
        if isinstance(due, Message):
            yield _in_line(log, entry, due)
        elif _differs(entry.due, due):
            yield _in_line(log, entry, _not_agreed(entry.due, due))
        elif due is not None and datetime.fromisoformat(entry.due) > due + _A_SECOND:
            later += 1
    if later:
        yield remark(
            count(
                "the deadline of {n} turn is later than the options say, as when a player is away",
                "the deadlines of {n} turns are later than the options say, as when a player is "
                "away",
                later,
            )
        )


def _due(
    played: ReplayedMatch, ply: ReplayedPly, options: dict[str, str]
) -> datetime | Message | None:
    """Return the earliest deadline of the turn that a ply opens, or why there can be none."""
    try:
        agreed = terms(options)
        at = datetime.fromisoformat(ply.entry.at)
        due = calendar.next_deadline(agreed.deadline, agreed.zone, at, agreed.skip)
    except (Refusal, ValueError, KeyError):
        return say("its options are none that a match can have")
    return due and at + played.game.rules.pace(ply.state) * (due - at)


def _differs(told: str, due: datetime | None) -> bool:
    if due is None or not told:
        return bool(told) != (due is not None)
    return datetime.fromisoformat(told) < due - _A_SECOND


def _not_agreed(told: str, due: datetime | None) -> Message:
    if due is None:
        return say(
            "it sets the deadline {seen}, and the current options have no deadlines",
            seen=shown(told),
        )
    if not told:
        return say("it sets no deadline, and by the current options it is {due}", due=rfc3339(due))
    return say(
        "it sets the deadline {seen}, and by the current options that is not before {due}",
        seen=shown(told),
        due=rfc3339(due),
    )


def _in_line(log: ParsedLog, entry: PlyText, what: Message) -> AuditFinding:
    told = say("{paper}: ply {ply}: {what}", paper=log.paper.name, ply=entry.ply, what=what)
    return contradicts(told)
