"""Set the deadline of the present turn, earlier or later, and ask before a very long wait."""

from datetime import datetime, timedelta
from functools import reduce

from adjudicator.core.message import Message, both, say
from adjudicator.service.base import calendar
from adjudicator.service.base.calendar import in_zone, parse_moment, when
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Loaded, load_open
from adjudicator.service.base.options import terms
from adjudicator.service.base.refusal import Doubtful, Refusal
from adjudicator.service.match import forfeits
from adjudicator.service.match.told_to_all import tell_all
from adjudicator.store import matches
from adjudicator.store.database import Store

LONG = 10  # periods of the match that nobody is given without a question
SHORT = timedelta(days=1)  # notice of an earlier deadline that is called short


def be_sure(loaded: Loaded, at: datetime, added: timedelta, *, zone: str, sure: bool) -> None:
    """Raise Doubtful if a wait until `at`, with so much `added` to it, is very long for the match
    and nobody is `sure`."""
    if sure or added <= LONG * calendar.period(terms(loaded.match.options).deadline):
        return
    raise Doubtful(
        say(
            "{match} would wait until {when}, more than {n} times the usual time of a turn",
            match=loaded.match.name,
            when=in_zone(at, zone),
            n=LONG,
        )
    )


def set_deadline(
    store: Store,
    name: str,
    time: str,
    *,
    sure: bool = False,
    zone: str = "UTC",
    reason: str,
    now: datetime,
    means: Means,
) -> tuple[Message, Message | None]:
    """Set the deadline of the present turn, also in a match that has none otherwise.

    Return what the game master reads, whose zone is `zone`, and a warning if the players get short
    notice. Raises Doubtful if they would wait very long and nobody is `sure`.
    """
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        match, agreed = loaded.match, terms(loaded.match.options)
        if match.status == "open":
            raise Refusal(say("{match} has not begun; it has no deadline yet", match=match.name))
        # In a held match no time has passed since it was held.
        paused = now - (match.held_at or now)
        before = match.deadline_at and match.deadline_at + paused
        deadline = parse_moment(time, agreed.zone, now, match.deadline_at)
        told = in_zone(deadline, zone)
        if deadline <= now:
            raise Refusal(say("{when} is in the past; write a later time", when=told))
        added = deadline - max(before or now, now)
        be_sure(loaded, deadline, added, zone=zone, sure=sure)
        matches.update(
            tx,
            match.id,
            deadline_at=deadline,
            held_at=match.held_at and now,
            reminded_ply=None,
            alerted_ply=None,
            trouble=match.trouble if match.held_at else None,
        )
        least = deadline if added > timedelta() else now
        moved = forfeits.move(tx, loaded, lambda at: max(at + paused, least))
        news = reduce(both, moved, say("The deadline is now {when}.", when=when(deadline)))
        tell_all(tx, loaded, "deadline", news, reason, now=now, means=means)
        answer = say("{match}: the deadline is now {when}", match=match.name, when=told)
        usual = calendar.period(agreed.deadline) / 2
        if added >= timedelta() or deadline - now >= min(SHORT, usual):
            return answer, None
        return answer, say(
            "{match}: the new deadline is soon; some players may read of it too late",
            match=match.name,
        )
