"""Find the letters that came before one: the same one, and how many of its seat in a day."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.tables import letter

MOST_SEEN = 20  # letters with one Message-ID that a new one is compared with


class Seen(Struct, frozen=True, kw_only=True):
    """An earlier letter. `reason` says why it was set aside; it is None for a letter that was
    heard."""

    id: int
    raw: bytes
    reason: str | None


_SEEN = sa.select(letter.c.id, letter.c.raw, letter.c.reason).where(letter.c.status != "duplicate")
_HEARD_FIRST = (letter.c.reason.is_not(None), letter.c.id.desc())


def to_nobody(tx: Tx, message_id: str) -> list[Seen]:
    """Return earlier letters to no seat with the same Message-ID: only some, as in `Earlier`."""
    wanted = _SEEN.where(
        letter.c.match_id.is_(None), letter.c.seat.is_(None), letter.c.message_id == message_id
    )
    rows = tx.execute(wanted.order_by(*_HEARD_FIRST).limit(MOST_SEEN)).mappings()
    return sorted((Seen(**row) for row in rows), key=lambda one: one.id)


class Earlier(Struct, frozen=True, kw_only=True):
    """Tell what else came for the seat of a letter.

    `same_id` are other letters with its Message-ID. Identical ones are given once. If there are
    very many different ones, only some are given, because each can be as long as a letter may be:
    first those that were heard, then the newest. `heard` and `unheard` count the letters that came
    after a moment, without duplicates: those that were heard, and those that failed the match's
    level.
    """

    same_id: Sequence[Seen]
    heard: int
    unheard: int


def earlier(
    tx: Tx, letter_id: int, match_id: int, seat: str, message_id: str, moment: datetime
) -> Earlier:
    """Return what else came for a seat beside that letter; `moment` is that of the count."""
    row = {
        "this": letter_id,
        "of_match": match_id,
        "of_seat": seat,
        "of_message": message_id,
        "moment": moment,
    }
    found = tx.execute(_EARLIER, row).all()
    same = [Seen(id=one.id, raw=one.raw, reason=one.reason) for one in found if one.id is not None]
    return Earlier(
        same_id=sorted(same, key=lambda one: one.id),
        heard=found[0].heard,
        unheard=found[0].unheard,
    )


_OF_SEAT = (
    letter.c.match_id == sa.bindparam("of_match"),
    letter.c.seat == sa.bindparam("of_seat"),
    letter.c.id != sa.bindparam("this"),
)
_OF_LATE = (
    sa.select(
        sa.func.count().filter(letter.c.reason.is_(None)).label("heard"),
        sa.func.count().filter(letter.c.reason.is_not(None)).label("unheard"),
    )
    .where(
        *_OF_SEAT,
        letter.c.status != "duplicate",
        letter.c.received_at > sa.bindparam("moment", type_=letter.c.received_at.type),
    )
    .subquery()
)
_SAME = (
    _SEEN.where(*_OF_SEAT, letter.c.message_id == sa.bindparam("of_message"))
    .order_by(*_HEARD_FIRST)
    .limit(MOST_SEEN)
    .subquery()
)
_EARLIER = sa.select(_OF_LATE, _SAME).select_from(_OF_LATE.outerjoin(_SAME, sa.true()))
