"""Events for the club's hooks: written in the transaction of the fact, handed over after it (club,
12.1).

A row lives until each hook that was set when it was made has got its event, or was given up.
"""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import encode

from adjudicator.store.database import Store, Tx
from adjudicator.store.tables_club import happening

FILE, COMMAND = 1, 2  # the hooks; a row has the sum of those that still want it
MOST_TRIES = 100
_OPTION = "adjud_hooks"


class Happening(Struct, frozen=True):
    """An event that waits; `body` is its JSON, the same at each try."""

    id: int
    body: str
    tries: int
    next_at: datetime | None


def listen(store: Store, hooks: int) -> None:
    """Let the transactions of this store write events for these hooks."""
    store.engine.update_execution_options(**{_OPTION: hooks})


def note_event(
    tx: Tx,
    event: str,
    *,
    at: datetime,
    match: str | None = None,
    tournament: str | None = None,
    ladder: str | None = None,
    **facts: Any,
) -> None:
    """Note an event of a match, a tournament or a ladder, for the hooks that there are; nothing if
    there are none. `facts` are the further keys of the event (club, 12.2): nothing that the first
    page would not say, no names of people."""
    hooks = tx.get_execution_options().get(_OPTION, 0)
    if not hooks:
        return
    told = {
        "id": secrets.token_hex(16),
        "at": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "event": event,
        **{
            key: name
            for key, name in (("match", match), ("tournament", tournament), ("ladder", ladder))
            if name is not None
        },
        **facts,
    }
    row = {"body": encode(told).decode(), "wanted": hooks, "tries": 0, "next_at": at}
    tx.execute(sa.insert(happening), row)


_ROW = sa.select(happening.c.id, happening.c.body, happening.c.tries, happening.c.next_at)


def _is_wanted(hook: int) -> sa.ColumnElement[bool]:
    return happening.c.wanted.in_([hook, FILE | COMMAND])


_HOOKS = sa.select(happening.c.wanted).distinct()


def wanting(tx: Tx) -> int:
    """Return the sum of the hooks that still want an event; 0 if none does."""
    hooks = 0
    for wanted in tx.execute(_HOOKS).scalars():
        hooks |= wanted
    return hooks


def waiting(tx: Tx, hook: int, most: int | None = None) -> list[Happening]:
    """Return the first events that a hook still wants, in the order in which they were made."""
    rows = tx.execute(_ROW.where(_is_wanted(hook)).order_by(happening.c.id).limit(most))
    return [Happening(**row) for row in rows.mappings()]


def claim(tx: Tx, now: datetime, until: datetime) -> Happening | None:
    """Return the first event that the command still wants, and let no other worker have it until
    then; None if there is none, or if it is not its time."""
    wanted = _ROW.where(_is_wanted(COMMAND), happening.c.next_at.is_not(None))
    row = tx.execute(wanted.order_by(happening.c.id).limit(1).with_for_update()).mappings().first()
    if row is None or row["next_at"] > now:
        return None
    tx.execute(sa.update(happening).where(happening.c.id == row["id"]).values(next_at=until))
    return Happening(**row)


def hand_over(tx: Tx, ids: Sequence[int], hook: int) -> None:
    """Note that a hook has these events; a row that no hook wants any more is deleted."""
    some = happening.c.id.in_(ids)
    tx.execute(sa.delete(happening).where(some, happening.c.wanted == hook))
    both = sa.update(happening).where(some, happening.c.wanted == FILE | COMMAND)
    tx.execute(both.values(wanted=(FILE | COMMAND) - hook))


def put_off(tx: Tx, one: Happening, reason: str, again: datetime | None) -> None:
    """Note that the command failed; without `again` the event is given up."""
    values = {"tries": one.tries + 1, "reason": reason, "next_at": again}
    tx.execute(sa.update(happening).where(happening.c.id == one.id).values(values))


def forget(tx: Tx, hook: int) -> None:
    """Forget all events for a hook that there is no more."""
    rows = [one.id for one in waiting(tx, hook)]
    for first in range(0, len(rows), 500):
        hand_over(tx, rows[first : first + 500], hook)


class WaitingEvents(Struct, frozen=True):
    """How many events wait for a hook, since when the oldest has, how many were given up, and the
    newest reason of a failure."""

    waiting: int
    given_up: int
    reason: str


def count_waiting(tx: Tx) -> WaitingEvents:
    c = happening.c
    given_up = sa.and_(c.wanted.in_([COMMAND, FILE | COMMAND]), c.next_at.is_(None))
    n = tx.execute(sa.select(sa.func.count()).select_from(happening)).scalar_one()
    lost = tx.execute(sa.select(sa.func.count()).select_from(happening).where(given_up))
    why = sa.select(c.reason).where(c.reason.is_not(None)).order_by(c.id.desc()).limit(1)
    gone = int(lost.scalar_one())
    return WaitingEvents(int(n) - gone, gone, tx.execute(why).scalar() or "")
