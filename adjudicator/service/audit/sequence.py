"""Compare the order of the times in an opened log, and outages with the club's emails (C6).

A line is not before the one before it, nor a ruling before what was ruled or played before it, but
for an act that says that the clock was set back. Clocks of programs that run at once may differ by
some minutes, and what was ruled in a ply that was taken back stands in a later line.

In an outage that the log tells the club made no email, to whichever match: an email of a time
within contradicts it. The emails of an epoch that a restore has ended do not count, nor those of a
clock that ran ahead. If an email with a lower number has a later time, the clock was set back
before this one, be it after the end of the match, of which no log tells. An outage that a clock
which ran ahead has told was none. Where nothing in the log shows that it did, the player is asked.

A match that began before first lines told `max_gap` has no such acts, and nothing is compared.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from adjudicator.core.acts import ClockSetBack, Outage, Restored, clock_changes
from adjudicator.core.chain import PlyText
from adjudicator.core.message import Message, Value, at, say
from adjudicator.releases import is_later
from adjudicator.service.audit.log import LOOK, ParsedLog, taken_back, undone_rulings
from adjudicator.service.audit.papers import Document, by_key, values_to_seats
from adjudicator.service.audit.verdicts import AuditFinding, asks, by_rule, contradicts
from adjudicator.service.base.calendar import when
from adjudicator.service.base.outages import LONGEST
from adjudicator.store.clubs import SLACK

_NO_MAX_GAP = "0.3.1"  # the last version that wrote none


@by_rule("C6")
def findings(log: ParsedLog, papers: Iterable[Document]) -> Iterator[AuditFinding]:
    """Yield what contradicts; `papers` are those of all matches of the reader's."""
    opening = log.opening
    if not log.is_whole:
        if is_later(opening.version, _NO_MAX_GAP):
            told = say(
                "{paper}: the first line has no `max_gap`, and adjud {version} writes it",
                paper=log.paper.name,
                version=opening.version,
            )
            yield contradicts(told)
        return
    try:
        found = [*_out_of_order(log), *_emails_in_outages(log, papers)]
    except (ValueError, TypeError):  # a time that is none, or has no zone
        told = say("{paper}: the full log cannot be read", paper=log.paper.name)
        found = [contradicts(told)]
    yield from found


def _out_of_order(log: ParsedLog) -> Iterator[AuditFinding]:
    last = datetime.fromisoformat(log.opening.at)
    undone = undone_rulings(log.entries)
    was_taken_back = False
    for entry in log.entries:
        began, is_set_back = last, False
        was_taken_back = was_taken_back or taken_back(entry)
        for one in (one for one in entry.rulings if one.action != LOOK):
            if one.number in undone:
                continue
            made = datetime.fromisoformat(one.at)
            if clock_changes(one.acts):
                is_set_back, last = True, min(last, made)
            if made < last - SLACK:
                yield contradicts(log.in_ply(entry, _before(one.at, last)))
                last = made
            last = max(last, made)
        played = datetime.fromisoformat(entry.at)
        if played < last - SLACK:
            yield contradicts(log.in_ply(entry, _before(entry.at, last)))
            last = played
        if not is_set_back and not was_taken_back:
            yield from _holders(log, entry, began, played)
        last = max(last, played)


def _holders(
    log: ParsedLog, entry: PlyText, began: datetime, until: datetime
) -> Iterator[AuditFinding]:
    for one in entry.holders:
        changed = datetime.fromisoformat(one.at)
        if changed < began - SLACK:
            yield contradicts(log.in_ply(entry, _before(one.at, began)))
        elif changed > until + SLACK:
            yield contradicts(log.in_ply(entry, _before(entry.at, changed)))


def _before(seen: str, last: datetime) -> Message:
    return say(
        "something has the time {seen}, and what was before it {last}; no act says that the "
        "clock was set back",
        seen=at(seen),
        last=when(last),
    )


# Clocks that were set back.


def changes_of_clock(entries: Sequence[PlyText]) -> list[ClockSetBack]:
    return [act for entry in entries for one in entry.rulings for act in clock_changes(one.acts)]


def is_of_wrong_clock(made: datetime, back: Iterable[ClockSetBack]) -> bool:
    """Return whether an email may have been made by a clock that was set back afterwards; what was
    logged of a match is not the last that such a clock wrote."""
    return any(act.after <= made <= act.before + LONGEST for act in back)


def goes_back(log: ParsedLog, entry: PlyText) -> bool:
    """Return whether the clock was set back before a line, to before a time that the log has."""
    before = log.entries[: entry.ply - 1]
    times = [log.opening.at, *(one.at for one in before)]
    times += [one.at for each in before for one in each.rulings]
    latest = max(map(datetime.fromisoformat, times))
    for one in entry.rulings:
        if any(act.after < latest for act in clock_changes(one.acts)):
            return True
        latest = max(latest, datetime.fromisoformat(one.at))
    return False


# Outages.


def find_outages(entries: Sequence[PlyText]) -> list[Outage]:
    """Return the outages that these lines tell, but for those that a clock which ran ahead has
    told: it was set back after that, to before their ends."""
    acts = [act for entry in entries for one in entry.rulings for act in one.acts]
    return [
        act
        for number, act in enumerate(acts, 1)
        if isinstance(act, Outage)
        and not any(one.after < act.until for one in clock_changes(acts[number:]))
    ]


def _emails_in_outages(log: ParsedLog, papers: Iterable[Document]) -> Iterator[AuditFinding]:
    outages = find_outages(log.entries)
    if not outages:
        return
    undone = [
        (act, datetime.fromisoformat(one.at))
        for _, one in log.rulings
        for act in one.acts
        if isinstance(act, Restored)
    ]
    known = {epoch for act, _ in undone for epoch in ("", act.ended, act.epoch)}
    back = [act for one in log.entries if goes_back(log, one) for act in changes_of_clock([one])]
    said_only = [act for act in changes_of_clock(log.entries) if act not in back]
    every = [*values_to_seats(papers)]
    readers = by_key((told.to, told) for _, told in every)
    for paper, told in every:
        made, epoch = datetime.fromisoformat(told.at), told.to.epoch
        before = [one for one in readers[told.to] if (one.n or 0) < (told.n or 0)]
        if is_of_wrong_clock(made, back) or any(
            act.saved < made and (epoch == act.ended or (epoch == "" and made <= told_at))
            for act, told_at in undone
        ):  # before the first restore emails to no seat name no epoch
            continue
        if undone and epoch not in known:
            continue  # a backup was restored twice, and what began the first time is undone
        if any(one.at > told.at for one in before):
            continue  # the clock was set back; of what it did after the end of a match no log tells
        is_doubtful = is_of_wrong_clock(made, said_only)
        for act in outages:
            # The clock of another worker may have been a little behind.
            if act.since < made < act.until - SLACK:
                named: dict[str, Value] = {
                    "paper": paper.name,
                    "at": at(told.at),
                    "log": log.paper.name,
                    "since": when(act.since),
                    "until": when(act.until),
                }
                found = say(
                    "{log} says that the club was out of order from {since} until {until}, and it "
                    "made {paper} on {at}",
                    **named,
                )
                yield asks(found) if is_doubtful else contradicts(found)
