"""Decide when the orders of a match are due, by its calendar and its players' absences."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime

from adjudicator.resources import zone_of
from adjudicator.service.base import calendar
from adjudicator.service.base.calendar import A_DAY, Away
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import Terms, terms
from adjudicator.store import players
from adjudicator.store.database import Tx
from adjudicator.store.players import Absence


def fresh(
    tx: Tx,
    options: Mapping[str, str],
    people: Iterable[int | None],
    now: datetime,
    pace: float = 1.0,
) -> datetime | None:
    """Return the deadline one period from now, for a turn that awaits these people.

    With `pace` it is that share of the period.
    """
    agreed = terms(options)
    if isinstance(agreed.deadline, calendar.Never):
        return None
    away = _away(tx, agreed, people)
    due = calendar.next_deadline(agreed.deadline, agreed.zone, now, agreed.skip, away)
    return due if due is None or pace == 1 else now + pace * (due - now)


def one_more(tx: Tx, loaded: Loaded, now: datetime) -> datetime | None:
    """Return the deadline one period after the present one or, after a long pause, from now."""
    match, people = loaded.match, people_of(loaded, loaded.awaited)
    if match.deadline_at is None:
        return None
    later = fresh(tx, match.options, people, match.deadline_at)
    return fresh(tx, match.options, people, now) if later is None or later <= now else later


def anew(tx: Tx, loaded: Loaded, now: datetime) -> datetime:
    """Return until when a turn has that gets its whole time again; without a deadline it is a week.

    If the match's calendar has its next deadline in less than half of the usual time, it is the one
    after that.
    """
    agreed, people = terms(loaded.match.options), people_of(loaded, loaded.awaited)
    usual = loaded.game.rules.pace(loaded.state) * calendar.period(agreed.deadline)
    due = fresh(tx, loaded.match.options, people, now, loaded.game.rules.pace(loaded.state))
    if due is not None and due - now < usual / 2:
        due = fresh(tx, loaded.match.options, people, due)
    return now + usual if due is None else due


def kept_free(tx: Tx, loaded: Loaded, moment: datetime) -> datetime:
    """Return `moment`, moved past the days that the match skips and the absence of awaited
    players."""
    agreed = terms(loaded.match.options)
    away = _away(tx, agreed, people_of(loaded, loaded.awaited))
    return calendar.allowed(moment, agreed.zone, agreed.skip, away)


def held_from(loaded: Loaded, now: datetime) -> datetime:
    """Return since when no time has passed in a match: since it was put on hold, else `now`.

    A hold that a clock wrote which ran ahead begins now, and one that is older than the turn, by a
    clock that ran behind, with the turn: no hold may take time from anybody, nor give years.
    """
    held_at = loaded.match.held_at
    if held_at is None or held_at > now:
        return now
    return max(held_at, loaded.since) if loaded.since <= now else held_at


def people_of(loaded: Loaded, seats: Iterable[str]) -> list[int | None]:
    """Return the players of these seats; None for a seat that no person holds."""
    return [loaded.holders[seat].player_id for seat in seats if seat in loaded.holders]


def _away(tx: Tx, agreed: Terms, people: Iterable[int | None]) -> list[Away]:
    """Return the announced absences of these people. Days that were given to a silent player move
    no deadline, for all would see that."""
    if agreed.leave == "none":
        return []
    ids = {one for one in people if one is not None}
    return [
        Away(zone_of(entry.zone), entry.first, entry.last)
        for entry in players.absences_of(tx, sorted(ids))
    ]


def days_of(away: Iterable[Absence]) -> set[date]:
    """Return the days of absences, each once."""
    return {day for one in away for day in days_between(one.first, one.last)}


def days_spent(year: int, days: Iterable[date]) -> int:
    """Return how many of these days are of that year."""
    return sum(day.year == year for day in days)


def days_between(first: date, last: date) -> Iterable[date]:
    return (first + n * A_DAY for n in range((last - first).days + 1))
