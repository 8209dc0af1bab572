"""The sheets of people that the log of a match does not have as they were sent."""

from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode

from adjudicator.store.database import Tx
from adjudicator.store.submissions import DEFAULT
from adjudicator.store.tables import submission
from adjudicator.store.tables import turn as turn_table


class UnusedSheet(Struct, frozen=True, kw_only=True):
    """A sheet of a person whose own lines were not adjudicated, and its turn: `became` is its last
    status. One that was `in_advance` and was used gave other lines; when it came is then known no
    more."""

    seat: str
    turn: int
    revision: int
    received_at: datetime
    lines: tuple[str, ...]
    text: str
    became: str
    in_advance: bool


_UNUSED = (
    sa.select(submission, turn_table.c.turn.label("of_turn"))
    .outerjoin(
        turn_table,
        sa.and_(
            turn_table.c.match_id == submission.c.match_id,
            turn_table.c.ply == submission.c.ply - 1,
        ),
    )
    .where(
        submission.c.match_id == sa.bindparam("of_match"),
        sa.or_(submission.c.status != "used", submission.c.turn.is_not(None)),
        submission.c.channel.not_in(["computer", DEFAULT]),
    )
    .order_by(submission.c.ply, submission.c.revision, submission.c.id)
)


def sheets(tx: Tx, match_id: int) -> list[UnusedSheet]:
    """Return the sheets of people in a match that are not in its log as they were sent."""
    return [
        UnusedSheet(
            seat=row.seat,
            turn=row.of_turn if row.turn is None else row.turn,
            revision=row.revision,
            received_at=row.received_at,
            lines=decode(row.orders, type=tuple[str, ...]),
            text=row.text,
            became=row.status,
            in_advance=row.turn is not None,
        )
        for row in tx.execute(_UNUSED, {"of_match": match_id})
        if row.turn is not None or row.of_turn is not None
    ]
