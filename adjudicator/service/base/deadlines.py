"""Until when the orders of a match are due: by its calendar and its players' absences, and by each
seat's own time in a match with a reserve, whose bank changes with each ply (club, 5.2).

Whose orders are here the reserve asks only to charge for them, in the ply that adjudicates them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta

from msgspec import Struct

from adjudicator.core.chain import HolderChange, Opening, PlyText, Ruled
from adjudicator.core.message import Message, say
from adjudicator.resources import zone_of
from adjudicator.service.base import calendar
from adjudicator.service.base.bank import A_SECOND, NOTHING, Bank, Running
from adjudicator.service.base.calendar import A_DAY, Away
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import Terms, options_after, terms
from adjudicator.store import players
from adjudicator.store.database import Tx
from adjudicator.store.players import Absence
from adjudicator.store.submissions import DEFAULT


class Balance(Struct, frozen=True):
    """What a seat's bank holds, in seconds, and in how many adjudications it was awaited."""

    bank: int
    turns: int


def has_reserve(loaded: Loaded) -> bool:
    return terms(loaded.match.options).has_reserve


def running(
    loaded: Loaded, seat: str, *, known: datetime | None = None, given: bool = True
) -> Running:
    """Return what of the time runs for a seat.

    With `known` it is without days of absence of which nobody knew at that time; unless `given`
    without those that a silent player was given.
    """
    agreed = terms(loaded.match.options)
    days = given_days(loaded, seat)
    away = (
        one
        for one in loaded.away.get(seat, ())
        if (known is None or one.created_at <= known)
        and (not one.auto or (given and one.first in days))
    )
    return Running(
        zone=agreed.zone,
        skip=agreed.skip,
        away=tuple(Away(zone_of(one.zone), one.first, one.last) for one in away),
        double=agreed.double,
    )


def given_days(loaded: Loaded, seat: str) -> frozenset[date]:
    """Return the days that a seat's player was given for silence and on which the time of this
    match does not run: no more than were agreed, whichever of his matches they were given for."""
    opened, agreed = loaded.match.created_at, terms(loaded.match.options)
    days = sorted(
        one.first
        for one in loaded.away.get(seat, ())
        if one.auto and one.first >= opened.astimezone(zone_of(one.zone)).date()
    )
    return frozenset(days[: agreed.leave_days])


def own_end(
    loaded: Loaded, seat: str, *, known: datetime | None = None, given: bool = True
) -> datetime | None:
    """Return when a seat's own time ends, Z; None if the turn has no deadline. Without a reserve it
    is the deadline."""
    if not has_reserve(loaded):
        return loaded.match.deadline_at
    return _drawn_at(loaded, seat, _balance(loaded, seat), known, given=given)


def half_drawn(loaded: Loaded, seat: str) -> datetime | None:
    """Return when half of a seat's bank is drawn; None if it holds nothing."""
    balance = _balance(loaded, seat)
    return _drawn_at(loaded, seat, balance / 2, None) if balance else None


def has_reserve_until(
    loaded: Loaded, seat: str, *, known: datetime | None = None
) -> datetime | None:
    """Return until when a seat has time with its bank, to be told to its holder alone; None if it
    is not awaited, or has none beyond the deadline."""
    if seat not in loaded.awaited or terms(loaded.match.options).bank is None:
        return None
    ends, deadline = own_end(loaded, seat, known=known), loaded.match.deadline_at
    return None if ends == deadline else ends


def message_for_reserve(ends: datetime) -> Message:
    """Say until when a seat has time with its reserve."""
    return say("With your reserve, you have until {when}.", when=calendar.when(ends))


def _balance(loaded: Loaded, seat: str) -> timedelta:
    return (loaded.holders[seat].bank or 0) * A_SECOND


def _drawn_at(
    loaded: Loaded, seat: str, drawn: timedelta, known: datetime | None, *, given: bool = True
) -> datetime | None:
    deadline = loaded.match.deadline_at
    if deadline is None:
        return None
    return running(loaded, seat, known=known, given=given).lasts_until(deadline, drawn)


def after_ply(loaded: Loaded, ordering: Collection[str], now: datetime) -> Mapping[str, Balance]:
    """Return the balances of the seats whose orders a ply adjudicates now; none without a bank."""
    bank = terms(loaded.match.options).bank
    if bank is None:
        return {}
    found = {}
    for seat in loaded.seats:
        if seat in ordering:
            turns = loaded.holders[seat].turns + 1
            drawn = _charge(loaded, seat, now)
            balance = bank.after(loaded.holders[seat].bank or 0, drawn, turns)
            found[str(seat)] = Balance(balance, turns)
    return found


def _charge(loaded: Loaded, seat: str, now: datetime) -> int:
    """Return what is charged to a seat for its orders, in seconds; for those that came by a clock
    that ran ahead, what has run by now."""
    deadline, sheet = loaded.match.deadline_at, loaded.sheets[seat]
    balance = loaded.holders[seat].bank or 0
    if sheet.channel == DEFAULT:
        is_opening = loaded.match.ply == 0 and loaded.game.rules.opens_at_once
        in_time = deadline is None or sheet.received_at < deadline
        return 0 if is_opening and in_time else balance
    if deadline is None or sheet.in_advance:
        return 0
    drawn = running(loaded, seat).cost_of_delay(deadline, min(sheet.received_at, now))
    return min(balance, max(NOTHING, drawn) // A_SECOND)


def balances(loaded: Loaded) -> Mapping[str, int] | None:
    """Return what the bank of each seat holds, in seconds; None without a bank."""
    if terms(loaded.match.options).bank is None:
        return None
    return {str(seat): loaded.holders[seat].bank or 0 for seat in loaded.seats}


def reserves_after(
    opening: Opening, entries: Sequence[PlyText], seats: Sequence[str]
) -> dict[str, int] | None:
    """Return what the reserve of each seat holds after these plies, in seconds, as the log tells
    it; None without a bank."""
    options = dict(opening.options)
    held = _reserves_begun(None, terms(options).bank, seats)
    for entry in entries:
        held = reserves_decided(held, options, entry.rulings, entry.holders, seats)
        options = options_after(options, (act for one in entry.rulings for act in one.acts))
        if held is not None and entry.bank:
            held = {seat: entry.bank.get(seat, n) for seat, n in held.items()}
    return held


def reserves_decided(
    held: dict[str, int] | None,
    options: Mapping[str, str],
    rulings: Iterable[Ruled],
    holders: Iterable[HolderChange],
    seats: Sequence[str],
) -> dict[str, int] | None:
    """Return what the reserves hold once rulings were made and seats given away, of which each came
    in its time: a seat that is given away then has at least half of the START of that moment."""
    given = [*holders]
    for ruled in rulings:
        while given and given[0].at <= ruled.at:
            held = _with_new_holder(held, terms(options).bank, given.pop(0).seat)
        if (after := options_after(options, ruled.acts)) != options:
            options = after
            held = _reserves_begun(held, terms(options).bank, seats)
    for one in given:
        held = _with_new_holder(held, terms(options).bank, one.seat)
    return held


def _reserves_begun(
    held: dict[str, int] | None, bank: Bank | None, seats: Sequence[str]
) -> dict[str, int] | None:
    """Return what the reserves hold once that bank is agreed: what they held, or its START."""
    if bank is None:
        return None
    return dict.fromkeys(seats, bank.start // A_SECOND) if held is None else held


def _with_new_holder(
    held: dict[str, int] | None, bank: Bank | None, seat: str
) -> dict[str, int] | None:
    if held is None or bank is None or seat not in held:
        return held
    return {**held, seat: max(held[seat], bank.half)}


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


def move_past_free_days(tx: Tx, loaded: Loaded, moment: datetime) -> datetime:
    """Return `moment`, moved past the days that the match skips and the absence of awaited
    players."""
    agreed = terms(loaded.match.options)
    away = _away(tx, agreed, people_of(loaded, loaded.awaited))
    return calendar.first_free_moment(moment, agreed.zone, agreed.skip, away)


def start_of_hold(loaded: Loaded, now: datetime) -> datetime:
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
