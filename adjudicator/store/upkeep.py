"""Look after the database as a file: check it, copy it; and what the operator hears of a tick.

Faults of ours in jobs have a row for each kind of fault in one thing, which may be a secret while
its match goes on. So he reads only how many kinds there are, until the match is over.

He hears, too, what was chosen once and nobody may know any more: time zones, languages, options.
"""

import fcntl
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode

from adjudicator.core.message import say
from adjudicator.store import rows
from adjudicator.store.database import (
    Store,
    StoreTrouble,
    Tx,
    insert_once,
    of_copy,
    refuse_moved,
    revision,
    sentences,
    sqlite_path,
)
from adjudicator.store.rows import as_text, metadata
from adjudicator.store.tables import (
    clock,
    match,
    player,
    seat,
    turn,
)
from adjudicator.store.tables_club import (
    guest,
    job_fault,
    ladder,
    offer,
    substitute_search,
    tournament,
    trial,
)

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


def lacking_columns(tx: Tx) -> str | None:
    """Return the first column that is not there, as `match.board`, or table; None if all are.

    The number of a database says which migrations it went through, not what they did: a program
    between two versions may have had another one of the same number.
    """
    there = sa.inspect(tx)
    found = set(there.get_table_names())
    for table in metadata.sorted_tables:
        if table.name not in found:
            return table.name
        columns = {column["name"] for column in there.get_columns(table.name)}
        for column in table.c:
            if column.name not in columns:
                return f"{table.name}.{column.name}"
    return None


def try_to_write(store: Store) -> None:
    """Raise StoreTrouble if this user may not write; nothing is changed."""
    with sentences(store.engine.url), store.engine.connect() as connection:
        connection.execute(sa.update(clock).values(last_tick_at=clock.c.last_tick_at))
        connection.rollback()


def copy_to(store: Store, target: Path) -> None:
    """Copy an SQLite database consistently, even while it is in use.

    Raises Moved if the club was moved away meanwhile, for a closed copy cannot be restored.
    """
    with store.raw() as source, of_copy(target):
        source.cursor().execute("VACUUM INTO ?", (str(target),))
    with store.reading() as tx:
        refuse_moved(store.engine.url, str(revision(tx)))


def forget_free_pages(store: Store) -> None:
    """Rewrite an SQLite file without the pages that are free, so that nothing that was deleted
    stays in it. Raises StoreTrouble while another program reads it."""
    if store.engine.dialect.name == "sqlite":
        with store.raw() as connection:
            connection.cursor().execute("VACUUM")
        end_log(store)


def end_log(store: Store) -> None:
    """Bring all of SQLite's write-ahead log into the file, and empty the log. Raises StoreTrouble
    while another program reads it."""
    if store.engine.dialect.name != "sqlite":
        return
    with store.raw() as connection:
        busy, *_ = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise StoreTrouble(
            say(
                "another program is reading the database, so its log could not be emptied; run "
                "this again when it is done"
            )
        )


def latest_ply(tx: Tx) -> datetime | None:
    """Return when the latest ply of all matches was adjudicated."""
    newest = sa.select(turn.c.adjudicated_at).order_by(turn.c.adjudicated_at.desc())
    return tx.execute(newest.limit(1)).scalar()


def longest_due(tx: Tx) -> datetime | None:
    """Return since when the longest waiting match has been due for a tick."""
    waiting = sa.select(match.c.wake_at).where(match.c.wake_at.is_not(None))
    return tx.execute(waiting.order_by(match.c.wake_at).limit(1)).scalar()


_TIMES = (
    *(match.c.wake_at, tournament.c.wake_at, offer.c.expires_at, guest.c.expires_at),
    substitute_search.c.next_at,
)
_WAITS = sa.select(sa.or_(*(sa.exists().where(time.is_not(None)) for time in _TIMES)))


def waits_for_time(tx: Tx) -> bool:
    """Return whether a tick will have to do anything because its time has come."""
    return bool(tx.execute(_WAITS).scalar_one())


class DueMatch(Struct, frozen=True):
    """A match at which a tick should have looked."""

    wake_at: datetime
    deadline_at: datetime | None
    adjudicated_at: datetime
    options: Mapping[str, str]
    name: str = ""


def due_since(tx: Tx, moment: datetime) -> list[DueMatch]:
    """Return the matches that have been due for a tick since before that moment, but those whose
    rows cannot be read."""
    last = sa.and_(turn.c.match_id == match.c.id, turn.c.ply == match.c.ply)
    times = (match.c.wake_at, match.c.deadline_at, turn.c.adjudicated_at)
    columns = (*times, match.c.options, match.c.name)
    wanted = sa.select(*as_text(columns)).join(turn, last)
    found = []
    for wake_at, deadline_at, last_at, options, name in tx.execute(
        wanted.where(match.c.wake_at < moment)
    ):
        with suppress(ValueError):
            wake, deadline, last_ply = (
                one and datetime.fromisoformat(one) for one in (wake_at, deadline_at, last_at)
            )
            agreed = decode(options, type=dict[str, str])
            found.append(DueMatch(wake, deadline, last_ply, agreed, name))
    return found


def matches_by_state(tx: Tx) -> dict[str, int]:
    """Return how many matches there are in each state."""
    states = dict.fromkeys(("open", "waiting", "playing", "held", "over"), 0)
    wanted = sa.select(match.c.status, sa.func.count()).group_by(match.c.status)
    return states | {str(state): int(n) for state, n in tx.execute(wanted)}


def people_playing(tx: Tx) -> int:
    """Return how many seats people hold in matches that are not over."""
    wanted = sa.select(sa.func.count()).select_from(seat.join(match))
    wanted = wanted.where(match.c.status != "over", seat.c.player_id.is_not(None))
    return int(tx.execute(wanted).scalar_one())


# Emails that the club sent to itself to see whether they come home; only the last trial is
# kept.


class SelfTest(Struct, frozen=True, kw_only=True):
    """An email of a trial.

    `claims` is the server in whose name a verdict was forged in the email, or empty. `found` is a
    forged verdict that was still there when the email came home, or why the email came back.
    """

    tag: str
    claims: str
    sent_at: datetime
    home_at: datetime | None
    found: str


def begin_self_tests(tx: Tx, emails: Iterable[tuple[str, str]], now: datetime) -> None:
    """Keep the emails of a new trial, as (tag, claims), and forget those of the last one."""
    tx.execute(sa.delete(trial))
    rows = [{"tag": tag, "claims": claims, "sent_at": now} for tag, claims in emails]
    tx.execute(sa.insert(trial), rows)


def forget_self_tests(tx: Tx) -> None:
    tx.execute(sa.delete(trial))


def self_tests(tx: Tx) -> list[SelfTest]:
    wanted = sa.select(trial.c.tag, trial.c.claims, trial.c.sent_at, trial.c.home_at, trial.c.found)
    return [SelfTest(**row) for row in tx.execute(wanted.order_by(trial.c.id)).mappings()]


def self_test_arrived(tx: Tx, tag: str, now: datetime, found: str) -> None:
    tx.execute(sa.update(trial).where(trial.c.tag == tag), {"home_at": now, "found": found})


def self_test_bounced(tx: Tx, tag: str, why: str) -> None:
    tx.execute(sa.update(trial).where(trial.c.tag == tag), {"found": why})


# One tick at a time on an SQLite file.
#
# SQLite has one writer at a time, so a second tick beside the first would gain nothing. A tick
# holds a lock of the kernel (`flock`) on a file beside the database; a killed program holds
# nothing. The lock keeps ticks from waiting for each other at every step, and no more: what keeps a
# turn from being adjudicated twice are the transactions themselves. On PostgreSQL there is no such
# lock: there several workers share the matches and the emails (`matches.claim`,
# `inbox.next_unread`).


TIMEOUT = 60.0  # seconds that a tick waits for another one
_PAUSE = 0.1  # seconds between two looks


class Busy(StoreTrouble):
    """Another tick has been at work on this database all the while that we waited."""

    def __init__(self) -> None:
        super().__init__(
            say(
                "another tick has been at work for {n} seconds, so nothing was done here; if it"
                " hangs, end it (`ps -C adjud` shows it)",
                n=round(TIMEOUT),
            )
        )


@contextmanager
def hold(store: Store) -> Iterator[None]:
    """Keep other ticks from this database, if it is an SQLite file. Raises Busy."""
    database = sqlite_path(store.engine.url)
    file = None if database is None else _open(database)
    if file is None:
        yield
        return
    try:
        _lock(file)
        yield
    finally:
        os.close(file)


def _open(database: Path) -> int | None:
    """Open the file of the lock; None where there can be none, for it saves work and no more."""
    try:
        file = os.open(f"{database}-tick", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    made = os.fstat(file)
    # What root has made is the database's owner's to use, as with SQLite's own files. Whoever may
    # write in the folder can link another file to that name: one with content, or with two names.
    if os.geteuid() == 0 and made.st_size == 0 and made.st_nlink == 1:
        owner = os.stat(database)
        os.fchown(file, owner.st_uid, owner.st_gid)
    return file


def _lock(file: int) -> None:
    until = monotonic() + TIMEOUT
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() > until:
                raise Busy from None
            sleep(_PAUSE)
        except OSError:
            return  # a file system without such locks
        else:
            return


@rows.of(job_fault)
class JobFault(Struct, frozen=True, kw_only=True):
    """A fault with how often it came; `match_id` is the match after whose end it is told."""

    id: int
    job: str
    key: str
    kind: str
    match_id: int | None
    times: int
    first_at: datetime
    last_at: datetime
    told_at: datetime | None


_c = job_fault.c
_TO_TELL = sa.and_(_c.told_at.is_(None), _c.match_id == match.c.id, match.c.status == "over")


def note_job_fault(
    tx: Tx, job: str, key: str, kind: str, *, match_id: int | None, is_told: bool, now: datetime
) -> None:
    """Count a fault in one thing, or in a whole job (`key` is empty); `is_told` says whether the
    operator is told now what it stopped."""
    told_at = now if is_told else None
    row: dict[str, Any] = {"job": job, "key": key, "kind": kind, "match_id": match_id}
    if not insert_once(tx, job_fault, row | {"first_at": now, "last_at": now, "told_at": told_at}):
        same = sa.and_(_c.job == job, _c.key == key, _c.kind == kind)
        again = {"times": _c.times + 1, "last_at": now, "told_at": told_at}
        tx.execute(sa.update(job_fault).where(same).values(**again))


_IS_TO_TELL = sa.select(sa.exists().where(_TO_TELL))


def is_job_fault_to_tell(tx: Tx) -> bool:
    """Return whether a fault was a secret of a match that is over now."""
    return bool(tx.execute(_IS_TO_TELL).scalar_one())


def job_faults_to_tell(tx: Tx) -> list[tuple[int, str]]:
    """Return the faults that were secrets of matches that are over now, with the matches' names."""
    wanted = sa.select(_c.id, match.c.name).where(_TO_TELL).order_by(_c.id)
    return [(row.id, row.name) for row in tx.execute(wanted)]


def number_of_job_faults(tx: Tx, since: datetime) -> int:
    """Return how many kinds of faults stopped something since then. In how many things is not
    told: that could be how many secret searches there are."""
    kinds = sa.func.count(_c.kind.distinct())
    return int(tx.execute(sa.select(kinds).where(_c.last_at >= since)).scalar_one())


def has_old_job_faults(tx: Tx, before: datetime) -> bool:
    return bool(tx.execute(sa.select(sa.exists().where(*_old_job_faults(before)))).scalar_one())


def forget_job_faults(tx: Tx, before: datetime) -> None:
    """Delete what has not come again since then, unless it is still to be told."""
    tx.execute(sa.delete(job_fault).where(*_old_job_faults(before)))


def _old_job_faults(before: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return _c.last_at < before, sa.or_(_c.told_at.is_not(None), _c.match_id.is_(None))


class Choice(Struct, frozen=True):
    """Something chosen, `of` a kind: a player's zone or language, or the options of a game in a
    match, a tournament or a ladder, as text."""

    of: str
    game: str
    value: str

    @property
    def options(self) -> Mapping[str, str] | None:
        """Return the options; None if they cannot be read."""
        try:
            options = decode(self.value, type=dict[str, str] | list[str])
        except ValueError:
            return None
        if isinstance(options, list):
            options = dict(one.split("=", 1) for one in options if "=" in one)
        return options


_living = player.c.erased_at.is_(None)
_SOURCES: Mapping[str, tuple[Any, sa.ColumnElement[str], sa.ColumnElement[bool]]] = {
    "zone": (player, sa.literal(""), _living),
    "language": (player, sa.literal(""), _living),
    "match": (match, match.c.game, match.c.status != "over"),
    "tournament": (
        tournament,
        tournament.c.game,
        tournament.c.status.in_(("open", "playing", "held")),
    ),
    "ladder": (ladder, ladder.c.game, ladder.c.status == "open"),
}


def _value_of_choice(of: str) -> sa.ColumnElement[str]:
    table, _, _ = _SOURCES[of]
    value: sa.ColumnElement[str] = table.c[of if of in ("zone", "language") else "options"]
    return value


_ALL = sa.union(
    *(
        sa.select(sa.literal(of), game, _value_of_choice(of)).select_from(table).where(is_going)
        for of, (table, game, is_going) in _SOURCES.items()
    )
)


def choices_in_use(tx: Tx) -> list[Choice]:
    """Return what is chosen now, each once, however many have chosen it."""
    return sorted((Choice(*row) for row in tx.execute(_ALL)), key=lambda one: (one.of, one.value))


def names_with_choices(tx: Tx, found: Collection[Choice]) -> list[str]:
    """Return who, or what, has one of these choices; they are all of one kind or several."""
    named: dict[str, None] = {}
    for one in found:
        table, game, is_going = _SOURCES[one.of]
        its = (is_going, game == one.game, _value_of_choice(one.of) == one.value)
        wanted = sa.select(table.c.name).where(*its).order_by(table.c.id)
        named |= dict.fromkeys(tx.execute(wanted).scalars())
    return list(named)
