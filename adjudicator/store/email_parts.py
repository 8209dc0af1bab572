"""The parts of emails about several matches (club, 4.2): one row each, carried out one by one.

| status | becomes | when |
|---|---|---|
| waiting | accepted, refused, parked | it was carried out, in a transaction of its own |
| waiting | stuck | its match cannot be read |
| stuck | waiting | `adjud mail queue retry`: the email is read again, and of it only this |

What a part said and was answered is forgotten when the answer to the email is written, which holds
both; of a stuck part what it says is kept.
"""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict

from adjudicator.store import rows
from adjudicator.store.database import Tx
from adjudicator.store.tables import turn
from adjudicator.store.tables_club import email_part


@rows.of(email_part)
class EmailPart(Struct, frozen=True, kw_only=True):
    """A part of an email. `match` is the name as the player wrote it, empty for what is of no
    match; `parked_id` is the email in which it waited for a code, if it did."""

    number: int
    match: str
    text: str
    status: str
    match_id: int | None = None
    seat: str | None = None
    ply: int | None = None
    revision: int | None = None
    parked_id: int | None = None
    reply: str | None = None


def insert(tx: Tx, letter_id: int, parts: Sequence[EmailPart]) -> None:
    if parts:
        made = [{"letter_id": letter_id, **asdict(one)} for one in parts]
        tx.execute(sa.insert(email_part), made)


def of_letter(tx: Tx, letter_id: int) -> list[EmailPart]:
    """Return the parts of an email, in its order; none if it is of no several matches, or has not
    been begun."""
    return rows.find(tx, EmailPart, letter_id=letter_id)


def close(tx: Tx, letter_id: int) -> None:
    """Forget what the parts of an email said and were answered, but for what stuck ones said; those
    wait for the next time that the email is read."""
    c = email_part.c
    of_letter = sa.update(email_part).where(c.letter_id == letter_id)
    tx.execute(of_letter.where(c.status != "stuck").values(text="", reply=None))
    tx.execute(of_letter.where(c.status == "stuck").values(status="waiting", reply=None))


def ply_at(tx: Tx, match_id: int, moment: datetime) -> int:
    """Return the last ply that a match had at that moment; -1 before it opened."""
    wanted = sa.select(sa.func.max(turn.c.ply)).where(
        turn.c.match_id == match_id, turn.c.adjudicated_at <= moment
    )
    found: int | None = tx.execute(wanted).scalar()
    return -1 if found is None else found


def plies(tx: Tx, letter_id: int, match_id: int) -> list[int]:
    """Return the last ply of a match when a part of an email was read, which the answer to it
    tells."""
    c = email_part.c
    wanted = sa.select(c.ply).where(
        c.letter_id == letter_id, c.match_id == match_id, c.ply.is_not(None)
    )
    return [ply - 1 for ply in tx.execute(wanted).scalars()]
