"""The one row about the club to which the database belongs."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx, is_reading
from adjudicator.store.tables import clock, club


def domain(tx: Tx) -> str:
    """Return the domain to which the club's emails come home; empty while it has none."""
    return str(tx.execute(sa.select(club.c.domain)).scalar_one())


def move(tx: Tx, domain: str) -> None:
    tx.execute(sa.update(club), {"domain": domain})


def fingerprints(tx: Tx) -> tuple[str, ...]:
    """Return the fingerprints of the club's keys, the signing key first; none before a key was
    seen."""
    return tuple(str(tx.execute(sa.select(club.c.fingerprints)).scalar_one()).split())


def know_keys(tx: Tx, fingerprints: Sequence[str]) -> None:
    tx.execute(sa.update(club), {"fingerprints": " ".join(fingerprints)})


def site_built(tx: Tx) -> datetime | None:
    """Return of when the club's pages are; None if they were never built, or could not be."""
    found: datetime | None = tx.execute(sa.select(club.c.site_at)).scalar_one()
    return found


def build_site(tx: Tx, now: datetime | None) -> None:
    """Note that the club's pages were built; None: that they could not be."""
    tx.execute(sa.update(club).values(site_at=now))


def last_restore(tx: Tx) -> tuple[datetime, datetime] | None:
    """Return of when the backup was from which the club was restored, and when that was done; None
    if it never was."""
    row = tx.execute(sa.select(club.c.saved_at, club.c.restored_at)).one()
    return None if row.restored_at is None else (row.saved_at, row.restored_at)


def epoch(tx: Tx) -> str:
    return str(tx.execute(sa.select(club.c.epoch)).scalar_one())


_MARK, _UNSIGNED = sa.select(club.c.mark), sa.select(club.c.unsigned)


def mark(tx: Tx) -> str:
    """Return the club's mark, which its spool carries too; the migration drew it by lot."""
    return str(tx.execute(_MARK).scalar_one())


def number_of_unsigned(tx: Tx) -> int:
    """Return how many emails for seats came to addresses that are nobody's, since the last
    warning."""
    return int(tx.execute(_UNSIGNED).scalar_one())


def count_unsigned(tx: Tx) -> None:
    tx.execute(sa.update(club).values(unsigned=club.c.unsigned + 1))


def forget_unsigned(tx: Tx) -> None:
    """Count those emails from 0 again, because the operator was warned."""
    tx.execute(sa.update(club).values(unsigned=0))


# The time at which a tick last looked at every match.


# No email is put off for longer. One that waits for later than this was put off by a clock that
# ran ahead and has been set right since, so it waits no more.
FAR = timedelta(days=2)
SLACK = timedelta(minutes=10)  # by so much the clocks of programs that run at once may differ

_LAST = sa.select(clock.c.last_tick_at)
_SET = sa.update(clock)


def last_tick(tx: Tx) -> datetime | None:
    """Return the time of the last tick, or of the start of the first match; None before that.

    A transaction that may write locks the row, so that two ticks never judge the time between them
    at once.
    """
    return tx.execute(_LAST if is_reading(tx) else _LAST.with_for_update()).scalar()


def begin_clock(tx: Tx, now: datetime) -> None:
    """Start the clock when the first match starts: from now on there should be ticks."""
    tx.execute(_SET.where(clock.c.last_tick_at.is_(None)), {"last_tick_at": now})


def note_tick(tx: Tx, now: datetime) -> None:
    tx.execute(_SET, {"last_tick_at": now})


# What is known of a clock that may be wrong.


class Doubt(Struct, frozen=True):
    """The clock leapt, or no tick ran for long: `right_at` is the last tick before that, `since`
    the tick that found it, and `leap` what lay between them that nobody can tell from an outage;
    it is negative if the clock went back, and nothing once the doubt is over."""

    right_at: datetime
    since: datetime
    leap: timedelta


class ClubClock(Struct, frozen=True):
    """When the last tick was, and whether the time since then can be believed."""

    last_tick: datetime | None
    doubt: Doubt | None


CLOCK = (clock.c.last_tick_at, clock.c.right_at, clock.c.doubted_at, clock.c.leap)
_KNOWN = sa.select(*CLOCK)


def read_clock(
    last: datetime | None, right_at: datetime | None, since: datetime | None, leap: int | None
) -> ClubClock:
    """Return what these columns say of the clock."""
    if right_at is None or since is None or leap is None:
        return ClubClock(last, None)
    return ClubClock(last, Doubt(right_at, since, timedelta(seconds=leap)))


def clock_of(tx: Tx, *, lock: bool = False) -> ClubClock:
    """Return what is known of the clock."""
    return read_clock(*tx.execute(_KNOWN.with_for_update() if lock else _KNOWN).one())


def put_doubt(tx: Tx, doubt: Doubt | None) -> None:
    """Note that the clock is in doubt, or no longer is."""
    values: dict[str, object] = {"right_at": None, "doubted_at": None, "leap": None}
    if doubt is not None:
        seconds = round(doubt.leap.total_seconds())
        values = {"right_at": doubt.right_at, "doubted_at": doubt.since, "leap": seconds}
    tx.execute(_SET, values)
