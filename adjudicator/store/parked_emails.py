"""Emails to personal addresses that wait until a code confirms them (club, 2)."""

from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import rows
from adjudicator.store.database import Tx
from adjudicator.store.tables_club import parked_email


@rows.of(parked_email)
class ParkedEmail(Struct, frozen=True, kw_only=True):
    """An email that its player is to confirm."""

    id: int
    letter_id: int
    code: str
    text: str
    created_at: datetime


def insert(tx: Tx, player_id: int, *, letter_id: int, code: str, text: str, now: datetime) -> None:
    row = {"player_id": player_id, "letter_id": letter_id, "code": code, "text": text}
    rows.add(tx, ParkedEmail, **row, created_at=now, status="waiting")


def drop_older(tx: Tx, player_id: int, most: int) -> bool:
    """Drop all that waits but the newest `most`; return whether anything was dropped."""
    waiting = sa.select(parked_email.c.id).where(*_waiting(player_id))
    newest_first = waiting.order_by(parked_email.c.id.desc())
    older = list(tx.execute(newest_first.offset(most)).scalars())
    of_these = parked_email.c.id.in_(older)
    tx.execute(sa.update(parked_email).where(of_these).values(status="fallen"))
    return bool(older)


def claim(tx: Tx, player_id: int, code: str) -> ParkedEmail | None:
    """Return what waits under a code; from now on it waits no longer."""
    found = rows.first(tx, ParkedEmail, player_id=player_id, code=code, status="waiting")
    if found is not None:
        rows.change(tx, ParkedEmail, found.id, status="confirmed")
    return found


def count_wrong_code(tx: Tx, player_id: int, most: int) -> bool:
    """Count a wrong code for all that waits; what has seen `most` of them becomes void. Return
    whether anything did."""
    c, waiting = parked_email.c, _waiting(player_id)
    tx.execute(sa.update(parked_email).where(*waiting).values(tries=c.tries + 1))
    void = sa.update(parked_email).where(*waiting, c.tries >= most).values(status="void")
    return tx.execute(void).rowcount > 0


def waiting(tx: Tx, player_id: int) -> list[ParkedEmail]:
    """Return what waits, the oldest first."""
    return rows.find(tx, ParkedEmail, player_id=player_id, status="waiting")


def codes(tx: Tx, player_id: int) -> list[str]:
    """Return the codes of what waits, the oldest first."""
    return [one.code for one in waiting(tx, player_id)]


def _waiting(player_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return parked_email.c.player_id == player_id, parked_email.c.status == "waiting"
