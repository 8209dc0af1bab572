"""Give silent players days of absence from their yearly budget before anything happens to them
(club, 5.3).

Only the player himself is told, by one email for each time of silence, which the operator's queue
does not show. Nothing else changes that anybody could see: no deadline, no page, no line of a tick.
"""

from datetime import date, timedelta

from adjudicator.core.message import both, count, say
from adjudicator.resources import zone_of
from adjudicator.service.base.deadlines import days_of, days_spent
from adjudicator.service.base.loaded_match import Loaded, load
from adjudicator.service.base.next_step import out_of_time
from adjudicator.service.base.options import terms
from adjudicator.service.base.reserve import given_days, own_end
from adjudicator.service.base.session import Session
from adjudicator.service.matches import doubt
from adjudicator.service.outbox import queue
from adjudicator.store import matches, players

TOLD_FOR = timedelta(days=7)  # a day within it is of the same silence, of which he was told


def spend(s: Session, loaded: Loaded) -> Loaded:
    """Spend a day for each silent seat whose own time has ended, and another one if that is over,
    too, as long as the player has any left. Return the match as it is then.

    While the clock is in doubt nothing is spent; a later tick looks again.
    """
    late = out_of_time(loaded, s.now)
    if not late or doubt.of_match(s.tx, loaded.match.options, s.context):
        return loaded
    people = {seat: loaded.holders[seat].player_id for seat in late}
    players.hold(s.tx, [one for one in people.values() if one is not None])
    for seat, player_id in people.items():
        if player_id is not None:
            loaded = _spend(s, loaded, seat, player_id)
    # That this was looked at is noted by the time at which a tick looks next.
    matches.update(s.tx, loaded.match.id, wake_at=None)
    return load(s.tx, loaded.match.name)


def _spend(s: Session, loaded: Loaded, seat: str, player_id: int) -> Loaded:
    zone, most = zone_of(players.one(s.tx, player_id).zone), terms(loaded.match.options).leave_days
    loaded = load(s.tx, loaded.match.name)  # another worker may have spent a day meanwhile
    while (ends := own_end(loaded, seat)) is not None and ends <= s.now:
        day = ends.astimezone(zone).date()
        away = players.days_away(s.tx, [player_id])
        known = days_of(away)
        left = s.context.absence_days - days_spent(day.year, known) - 1
        if left < 0 or day in known or (most is not None and len(given_days(loaded, seat)) >= most):
            return loaded
        players.spend_day(s.tx, player_id, day, s.now)
        if not any(one.auto and day - TOLD_FOR <= one.first < day for one in away):
            _tell(s, loaded, player_id, day, left)
        loaded = load(s.tx, loaded.match.name)
    return loaded


def _tell(s: Session, loaded: Loaded, player_id: int, day: date, left: int) -> None:
    told = both(
        say(
            "Your time for {match} ran out, and you had sent no orders. So {day} was used as one "
            "of your days of absence, and your time stops on that day. Please send your orders as "
            "soon as you can. Days of absence left in {year}: {left}.",
            match=loaded.match.name,
            day=str(day),
            year=str(day.year),
            left=left,
        ),
        say("If none come, the next days are used in the same way, without another email."),
    )
    if (most := terms(loaded.match.options).leave_days) is not None:
        told = both(
            told,
            count(
                "In one match this is done on {n} day at most.",
                "In one match this is done on {n} days at most.",
                most,
            ),
        )
    queue.queue_leave_day(s, players.one(s.tx, player_id), day, told)
