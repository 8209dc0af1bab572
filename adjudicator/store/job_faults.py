"""Faults of ours in the jobs of a tick: a row for each kind of fault in one thing.

What a row is of may be a secret while its match goes on. So the operator reads only how many kinds
there are, until the match is over.
"""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import rows
from adjudicator.store.database import Tx, insert_once
from adjudicator.store.tables import match
from adjudicator.store.tables_club import job_fault


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


def note(
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


def is_to_tell(tx: Tx) -> bool:
    """Return whether a fault was a secret of a match that is over now."""
    return bool(tx.execute(sa.select(sa.exists().where(_TO_TELL))).scalar_one())


def to_tell(tx: Tx) -> list[tuple[int, str]]:
    """Return the faults that were secrets of matches that are over now, with the matches' names."""
    wanted = sa.select(_c.id, match.c.name).where(_TO_TELL).order_by(_c.id)
    return [(row.id, row.name) for row in tx.execute(wanted)]


def number_of_kinds(tx: Tx, since: datetime) -> int:
    """Return how many kinds of faults stopped something since then. In how many things is not
    told: that could be how many secret searches there are."""
    kinds = sa.func.count(_c.kind.distinct())
    return int(tx.execute(sa.select(kinds).where(_c.last_at >= since)).scalar_one())


def is_old(tx: Tx, before: datetime) -> bool:
    return bool(tx.execute(sa.select(sa.exists().where(*_old(before)))).scalar_one())


def forget(tx: Tx, before: datetime) -> None:
    """Delete what has not come again since then, unless it is still to be told."""
    tx.execute(sa.delete(job_fault).where(*_old(before)))


def _old(before: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return _c.last_at < before, sa.or_(_c.told_at.is_not(None), _c.match_id.is_(None))
