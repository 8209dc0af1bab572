"""Letters that the club sent to itself to see whether they come home; only the last trial is
kept."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.tables import trial


class Trial(Struct, frozen=True, kw_only=True):
    """A letter of a trial.

    `claims` is the server in whose name a verdict was forged in the letter, or empty. `found` is a
    forged verdict that was still there when the letter came home, or why the letter came back.
    """

    tag: str
    claims: str
    sent_at: datetime
    home_at: datetime | None
    found: str


def begin(tx: Tx, letters: Iterable[tuple[str, str]], now: datetime) -> None:
    """Keep the letters of a new trial, as (tag, claims), and forget those of the last one."""
    tx.execute(sa.delete(trial))
    rows = [{"tag": tag, "claims": claims, "sent_at": now} for tag, claims in letters]
    tx.execute(sa.insert(trial), rows)


def forget(tx: Tx) -> None:
    tx.execute(sa.delete(trial))


def listed(tx: Tx) -> list[Trial]:
    wanted = sa.select(trial.c.tag, trial.c.claims, trial.c.sent_at, trial.c.home_at, trial.c.found)
    return [Trial(**row) for row in tx.execute(wanted.order_by(trial.c.id)).mappings()]


def came_home(tx: Tx, tag: str, now: datetime, found: str) -> None:
    tx.execute(sa.update(trial).where(trial.c.tag == tag), {"home_at": now, "found": found})


def came_back(tx: Tx, tag: str, why: str) -> None:
    tx.execute(sa.update(trial).where(trial.c.tag == tag), {"found": why})
