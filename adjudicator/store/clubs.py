"""The club that the database is of: one row."""

from collections.abc import Sequence

import sqlalchemy as sa

from adjudicator.store.database import Tx
from adjudicator.store.tables import club


def domain(tx: Tx) -> str:
    """Where its letters come home to; empty while it has none."""
    return str(tx.execute(sa.select(club.c.domain)).scalar_one())


def move(tx: Tx, domain: str) -> None:
    tx.execute(sa.update(club), {"domain": domain})


def fingerprints(tx: Tx) -> tuple[str, ...]:
    """Of its keys, the one that signs first; none before any was seen."""
    return tuple(str(tx.execute(sa.select(club.c.fingerprints)).scalar_one()).split())


def know_keys(tx: Tx, fingerprints: Sequence[str]) -> None:
    tx.execute(sa.update(club), {"fingerprints": " ".join(fingerprints)})


def mark(tx: Tx) -> str:
    """What its spool carries; the migration drew it by lot."""
    return str(tx.execute(sa.select(club.c.mark)).scalar_one())


def unsigned(tx: Tx) -> int:
    """How many letters came to seats by addresses that are nobody's since this was told last."""
    return int(tx.execute(sa.select(club.c.unsigned)).scalar_one())


def count_unsigned(tx: Tx) -> None:
    tx.execute(sa.update(club).values(unsigned=club.c.unsigned + 1))


def forget_unsigned(tx: Tx) -> None:
    """It was told."""
    tx.execute(sa.update(club).values(unsigned=0))
