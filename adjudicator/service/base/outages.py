"""How long a match may go without a tick, and how late orders may be used: what the club decides
with, and a player's audit (C4).

Theory of operation. A tick that comes after a longer gap than is ordinary for a match holds it if
seats are silent, so a seat's time is over for good within such a gap. Its orders can be used later
than that only because of an outage, in whose first tick they were all in; or because the clock was
still in doubt then (`service/matches/doubt`). Outages are told to all (`core/acts.Outage`). In them
the club has made no email, so a player can compare them with his emails (C6).

How long a gap is ordinary depends on the `max_gap` with which the match began: it stands in the
first line of its log. Another setting holds for matches that begin later.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from adjudicator.core import chain
from adjudicator.core.acts import Outage
from adjudicator.service.base import calendar
from adjudicator.service.base.context import Context
from adjudicator.service.base.options import Terms
from adjudicator.store import clubs, outbox, turns
from adjudicator.store.clubs import SLACK
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match

HOUR = timedelta(hours=1)
LEAST = timedelta(minutes=90)  # ticks are noted to the hour, and some run every half an hour
LONGEST = timedelta(days=1)  # after so long of ordinary ticks no leap is doubted any more


def longest_gap(agreed: Terms, max_gap: timedelta | None) -> timedelta | None:
    """Return how long a gap is ordinary for a match, by the length of its turns; None if any is."""
    if max_gap is None:
        return None
    return min(max_gap, max(LEAST, calendar.period(agreed.deadline) + SLACK))


def gap_at_opening(opening: chain.Opening) -> timedelta | None:
    """Return the `max_gap` with which a match began, None for none; the first line must tell it."""
    return timedelta(seconds=opening.max_gap) if opening.max_gap else None


def agreed_gap(tx: Tx, match: Match, context: Context) -> timedelta | None:
    """Return the `max_gap` with which a match began; the present one if it began before first lines
    told it."""
    first = turns.first_line(tx, match.id)
    if first is None or chain.is_older(first):
        return context.max_gap
    opening = chain.read_opening(first)
    return context.max_gap if opening.max_gap is None else gap_at_opening(opening)


def may_be_used(
    up: datetime, came: datetime, most: timedelta | None, outages: Iterable[Outage]
) -> bool:
    """Return whether orders may be used that came so long after the time of their seat was up,
    where gaps up to `most` are ordinary and these outages are told."""
    if most is None:
        return True
    near = [one for one in outages if one.since < came and up <= one.until + LONGEST]
    excused, lost_until = timedelta(), up  # what two of them have in common counts once
    for one in sorted(near, key=lambda one: one.since):
        end = min(came, one.until)
        excused += max(timedelta(), end - max(lost_until, one.since))
        lost_until = max(lost_until, end)
    in_doubt = LONGEST + LEAST if near else timedelta()
    return came - up <= most + excused + in_doubt


def known_outages(tx: Tx, now: datetime) -> list[Outage]:
    """Return the last outage, if there was one. It begins when the next tick would have been noted,
    for the last ones before that may not have been."""
    clock = clubs.clock_of(tx)
    last, doubt = clock.last_tick, clock.doubt
    if last is not None and now - last > LEAST:  # it ends with this tick
        return _without_emails(tx, last + HOUR, now)
    if doubt is None or doubt.right_at >= doubt.since:
        return []
    since = doubt.right_at + HOUR
    if timedelta() < doubt.leap < doubt.since - since:
        since = doubt.since - doubt.leap / 2  # of two outages the later one, which is the longer
    return _without_emails(tx, since, doubt.since)


def _without_emails(tx: Tx, since: datetime, until: datetime) -> list[Outage]:
    """Return the outage as all are told it: the whole of it if no email was made then, as commands
    and ticks that cannot reach the mailbox make them, else the last half, quarter and so on in
    which none was. Times or hours of emails would tell all when somebody has written."""
    begun, end = (at.replace(microsecond=0) for at in (since, until))
    made = outbox.times_between(tx, begun, end - SLACK)  # an audit looks no later
    while made and begun <= made[-1] and end - begun > SLACK:
        begun += timedelta(seconds=(end - begun) // timedelta(seconds=2))
    return [Outage(begun, end)] if end - begun > SLACK else []
