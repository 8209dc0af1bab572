"""When the orders of a match are due: its calendar and who said that he would be away."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from adjudicator.service.base import calendar
from adjudicator.service.base.calendar import Away
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import terms
from adjudicator.store import absences
from adjudicator.store.database import Tx


def fresh(
    tx: Tx,
    options: Mapping[str, str],
    people: Iterable[int | None],
    now: datetime,
    pace: float = 1.0,
) -> datetime | None:
    """One period from now on, or the share `pace` of it, for a turn that awaits these people."""
    agreed = terms(options)
    if isinstance(agreed.deadline, calendar.Never):
        return None
    away = _away(tx, people)
    due = calendar.next_deadline(agreed.deadline, agreed.zone, now, agreed.skip, away)
    return due if due is None or pace == 1 else now + pace * (due - now)


def one_more(tx: Tx, loaded: Loaded, now: datetime) -> datetime | None:
    """One period after the present deadline; after a long pause, from now on."""
    match, people = loaded.match, people_of(loaded, loaded.awaited)
    if match.deadline_at is None:
        return None
    later = fresh(tx, match.options, people, match.deadline_at)
    return fresh(tx, match.options, people, now) if later is None or later <= now else later


def kept_free(tx: Tx, loaded: Loaded, moment: datetime) -> datetime:
    """`moment`, moved past what the match skips and past the absence of who is awaited."""
    agreed = terms(loaded.match.options)
    away = _away(tx, people_of(loaded, loaded.awaited))
    return calendar.allowed(moment, agreed.zone, agreed.skip, away)


def people_of(loaded: Loaded, seats: Iterable[str]) -> list[int | None]:
    """The players of these seats; None for who is none."""
    return [loaded.holders[seat].player_id for seat in seats if seat in loaded.holders]


def _away(tx: Tx, people: Iterable[int | None]) -> list[Away]:
    ids = {one for one in people if one is not None}
    return [
        Away(ZoneInfo(entry.zone), entry.first, entry.last)
        for entry in absences.of_players(tx, sorted(ids))
    ]
