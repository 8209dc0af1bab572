"""Look after the database as a file: check it, copy it."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode

from adjudicator.store import inbox
from adjudicator.store.database import (
    Store,
    Tx,
    refuse_moved,
    revision,
    sentences,
    sqlite_path,
)
from adjudicator.store.tables import clock, joining, match, past_epoch, player, seat, turn
from adjudicator.store.types import as_kept

_FEW = 5  # faults that are told


def file_of(store: Store) -> Path | None:
    """Return the SQLite file; None for a database server."""
    return sqlite_path(store.engine.url)


def faults(store: Store) -> list[str]:
    """Return the first faults that SQLite itself finds; empty for a sound database and for a
    server."""
    if store.engine.dialect.name != "sqlite":
        return []
    with store.reading() as tx:
        said = [str(row[0]) for row in tx.exec_driver_sql(f"PRAGMA integrity_check({_FEW})")]
        broken = tx.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(_FEW)
    found = [line for line in said if line != "ok"]
    return found + [f"a row of {row[0]} refers to nothing" for row in broken]


def try_to_write(store: Store) -> None:
    """Raise StoreTrouble if this user may not write; nothing is changed."""
    with sentences(store.engine.url), store.engine.connect() as connection:
        connection.execute(sa.update(clock).values(last_tick_at=clock.c.last_tick_at))
        connection.rollback()


def copy_to(store: Store, target: Path) -> None:
    """Copy an SQLite database consistently, even while it is in use.

    Raises Moved if the club was moved away meanwhile, for a closed copy cannot be restored.
    """
    with store.raw() as source:
        source.cursor().execute("VACUUM INTO ?", (str(target),))
    with store.reading() as tx:
        refuse_moved(store.engine.url, str(revision(tx)))


class Chores(Struct, frozen=True):
    """When the last tick was, whether there are bytes of letters to be forgotten, whether the
    operator is to hear of addresses that nobody confirms, and whether players are to be told that
    the club was restored."""

    last_tick: datetime | None
    old_bytes: bool
    unconfirmed: bool
    restored: bool


def chores(tx: Tx, before: datetime, now: datetime) -> Chores:
    """Return what a tick must know of the whole club; `before` is when old letters came."""
    due = sa.or_(
        sa.exists().where(player.c.remind_at <= now), sa.exists().where(joining.c.remind_at <= now)
    )
    restored = sa.exists().where(past_epoch.c.told_at.is_(None))
    columns = (clock.c.last_tick_at, inbox.old_bytes(before).exists(), due, restored)
    row = tx.execute(sa.select(*columns)).one()
    return Chores(row[0], *map(bool, row[1:]))


def latest_ply(tx: Tx) -> datetime | None:
    """Return when the latest ply of all matches was adjudicated."""
    newest = sa.select(turn.c.adjudicated_at).order_by(turn.c.adjudicated_at.desc())
    return tx.execute(newest.limit(1)).scalar()


def longest_due(tx: Tx) -> datetime | None:
    """Return since when the longest waiting match has been due for a tick."""
    waiting = sa.select(match.c.wake_at).where(match.c.wake_at.is_not(None))
    return tx.execute(waiting.order_by(match.c.wake_at).limit(1)).scalar()


class DueMatch(Struct, frozen=True):
    """A match at which a tick should have looked."""

    wake_at: datetime
    deadline_at: datetime | None
    adjudicated_at: datetime
    options: Mapping[str, str]


def due_since(tx: Tx, moment: datetime) -> list[DueMatch]:
    """Return the matches that have been due for a tick since before that moment, but those whose
    rows cannot be read."""
    last = sa.and_(turn.c.match_id == match.c.id, turn.c.ply == match.c.ply)
    columns = (match.c.wake_at, match.c.deadline_at, turn.c.adjudicated_at, match.c.options)
    wanted = sa.select(*as_kept(columns)).join(turn, last)
    found = []
    for *times, options in tx.execute(wanted.where(match.c.wake_at < moment)):
        with suppress(ValueError):
            wake, deadline, last_ply = (one and datetime.fromisoformat(one) for one in times)
            found.append(DueMatch(wake, deadline, last_ply, decode(options, type=dict[str, str])))
    return found


def people_playing(tx: Tx) -> int:
    """Return how many seats people hold in matches that are not over."""
    wanted = sa.select(sa.func.count()).select_from(seat.join(match))
    wanted = wanted.where(match.c.status != "over", seat.c.player_id.is_not(None))
    return int(tx.execute(wanted).scalar_one())
