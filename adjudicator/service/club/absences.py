"""Planned absences: no deadline that is set later falls on these days (letters, section 7)."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from adjudicator.core.message import Message, say
from adjudicator.service.base.refusal import Refusal
from adjudicator.store import absences, players
from adjudicator.store.database import Tx

A_DAY = timedelta(days=1)
AHEAD = timedelta(days=366)  # how long before its last day an absence may be announced


def announce(
    tx: Tx, player_id: int, first: date, last: date, *, now: datetime, budget: int
) -> Message:
    """Note that the player is away on these days, both included, as dates where he lives.

    Each calendar year has its `budget` of days; days announced twice count once. Raises Refusal.
    """
    players.hold(tx, [player_id])
    zone = players.one(tx, player_id).zone
    today = now.astimezone(ZoneInfo(zone)).date()
    _refuse_strange(first, last, today)
    known = {
        day
        for entry in absences.of_players(tx, [player_id])
        for day in _days(entry.first, entry.last)
    }
    added = set(_days(first, last)) - known
    if not added:
        raise Refusal(say("these days are noted as an absence already"))
    left = _left(known, added, budget)
    absences.insert(tx, player_id, first, last, now)
    return say(
        "Noted: away from {first} to {last}. Deadlines that are set already stay; later ones do "
        "not fall on these days. Days of absence that are left: {left}.",
        first=str(first),
        last=str(last),
        left=", ".join(f"{days} ({year})" for year, days in left.items()),
    )


def _refuse_strange(first: date, last: date, today: date) -> None:
    if last < first:
        raise Refusal(
            say("an absence ends on {last} before it begins", first=str(first), last=str(last))
        )
    if first < today:
        raise Refusal(
            say("an absence begins today, {today}, or later, not {first}", **_texts(today, first))
        )
    if last > today + AHEAD:
        raise Refusal(say("an absence is announced for the coming year only"))


def _texts(today: date, first: date) -> Mapping[str, str]:
    return {"today": str(today), "first": str(first)}


def _left(known: set[date], added: set[date], budget: int) -> Mapping[int, int]:
    """Return how many days are left of each year with new days. Raises Refusal if they are too
    few."""
    left = {}
    for year in sorted({day.year for day in added}):
        before = budget - _in(year, known)
        left[year] = before - _in(year, added)
        if left[year] < 0:
            raise Refusal(
                say(
                    "{wanted} days of absence in {year} are too many: {left} of {budget} are left",
                    wanted=_in(year, added),
                    year=str(year),
                    left=max(before, 0),
                    budget=budget,
                )
            )
    return left


def _in(year: int, days: Iterable[date]) -> int:
    return sum(day.year == year for day in days)


def _days(first: date, last: date) -> Iterable[date]:
    return (first + n * A_DAY for n in range((last - first).days + 1))
