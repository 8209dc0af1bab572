"""Each seat's own time in a match with a reserve, and what its bank is after a ply and by the
lines of its log (club, 5.2).

These functions are pure: they see a loaded match, or a log. Whose orders are here they
ask only to charge for them, in the ply that adjudicates them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta

from msgspec import Struct

from adjudicator.core.chain import HolderChange, Opening, PlyText
from adjudicator.resources import zone_of
from adjudicator.service.base.bank import A_SECOND, NOTHING, Bank, Running
from adjudicator.service.base.calendar import Away
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import options_after, terms
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
    drawn = running(loaded, seat).drawn(deadline, min(sheet.received_at, now))
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
    options, bank = dict(opening.options), terms(opening.options).bank
    held = reserves_begun(None, bank, seats)
    for entry in entries:
        if held is not None:
            held = with_new_holders(held, bank, entry.holders)
        told = [one.message for one in entry.rulings]
        if told and (after := options_after(options, told)) != options:
            options, bank = after, terms(after).bank
            held = reserves_begun(held, bank, seats)
        if held is not None and entry.bank:
            held = {seat: entry.bank.get(seat, n) for seat, n in held.items()}
    return held


def reserves_begun(
    held: dict[str, int] | None, bank: Bank | None, seats: Sequence[str]
) -> dict[str, int] | None:
    """Return what the reserves hold once that bank is agreed: what they held, or its START."""
    if bank is None:
        return None
    return dict.fromkeys(seats, bank.start // A_SECOND) if held is None else held


def with_new_holders(
    held: dict[str, int], bank: Bank | None, changes: Iterable[HolderChange]
) -> dict[str, int]:
    """Return what the reserves hold after seats were given away."""
    least = 0 if bank is None else bank.half
    changed = {one.seat for one in changes}
    return {seat: max(n, least) if seat in changed else n for seat, n in held.items()}
