"""Show the operator the letters that came in, and how many of them wait for a human.

He may be a player himself, and a letter that was read tells him that its seat, or some seat, has
written, and when. Before its match is over he is shown only what needs a human: letters that are
stuck, that he dropped, or that are nobody's.
"""

from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.letters_shown import Shown
from adjudicator.store.tables import letter, match


class Arrived(Struct, frozen=True, kw_only=True):
    """A letter as the operator's list shows it: never what it says, nor who wrote it."""

    id: int
    spool_name: str
    match: str | None
    seat: str | None
    received_at: datetime
    channel: str
    length: int
    status: str
    tries: int
    reason: str | None


_DISCREET = sa.or_(
    letter.c.status.in_(["stuck", "dropped"]),
    sa.and_(letter.c.match_id.is_(None), letter.c.status == "junk"),
    match.c.status == "over",
)

_LISTED = sa.select(
    letter.c.id,
    letter.c.spool_name,
    match.c.name.label("match"),
    letter.c.seat,
    letter.c.received_at,
    letter.c.channel,
    letter.c.length,
    letter.c.status,
    letter.c.tries,
    letter.c.reason,
).select_from(letter.outerjoin(match))

LETTERS_IN = Shown(
    kind=Arrived, table=letter, rows=_LISTED, came=letter.c.received_at, discreet=_DISCREET
)


def stuck(tx: Tx) -> dict[str, int]:
    """Return how many letters wait for a human; empty for none.

    Other numbers would tell who has sent orders.
    """
    wanted = sa.select(sa.func.count()).where(letter.c.status == "stuck")
    n = int(tx.execute(wanted).scalar_one())
    return {"stuck": n} if n else {}
