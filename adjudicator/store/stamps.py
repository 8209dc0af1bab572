"""Stamps of matches: a stamp changes whenever a row changes from which a match's pages follow.

It leaves out what only comes or goes with a ply (events, commitments, the bodies of reports),
because the ply has a row of its own, with the time at which it was adjudicated; and whatever a seat
can change by a letter of its own, because no page changes by that (`service/club/site`).
"""

from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.rulings import LOOK
from adjudicator.store.tables import club, match, outbox, player, report, ruling, seat, turn
from adjudicator.store.types import as_kept


class Stamped(Struct, frozen=True):
    """A match and its stamp. `shown`: its newest reports to people count as handed over."""

    id: int
    name: str
    stamp: str
    shown: bool


def _all_but(table: sa.Table, *names: str) -> list[Any]:
    return as_kept(column for column in table.columns if column.name not in names)


def _among(match_id: Any) -> Any:
    return match_id.between(sa.bindparam("first"), sa.bindparam("last"))


_THIS_PLY = sa.and_(match.c.id == report.c.match_id, match.c.ply == report.c.ply)
_OF_PERSON = sa.and_(
    seat.c.match_id == report.c.match_id,
    seat.c.name == report.c.seat,
    seat.c.player_id.is_not(None),
)

_EPOCH = sa.select(club.c.epoch).scalar_subquery()

# What a tick notes for itself shows on no page.
_MATCHES = (
    sa.select(
        *_all_but(match, "wake_at", "reminded_ply", "alerted_ply", "hurried_ply", "trouble"),
        _EPOCH,
    )
    .where(match.c.id > sa.bindparam("after"))
    .order_by(match.c.id)
    .limit(sa.bindparam("most"))
)

# Each row begins with the id of its match.
_ROWS = (
    sa.select(
        seat.c.match_id,
        seat.c.name,
        seat.c.player_id,
        seat.c.computer,
        seat.c.tenure,
        player.c.name,
        player.c.language,
        player.c.zone,
    )
    .select_from(seat.outerjoin(player))
    .where(_among(seat.c.match_id))
    .order_by(seat.c.match_id, seat.c.name),
    sa.select(*_all_but(turn, "snapshot", "line"))
    .join(match, sa.and_(match.c.id == turn.c.match_id, match.c.ply == turn.c.ply))
    .where(_among(turn.c.match_id)),
    # A look is told with the next ply.
    sa.select(ruling.c.match_id, *_all_but(ruling, "match_id", "id"))
    .where(_among(ruling.c.match_id), ruling.c.action != LOOK)
    .order_by(ruling.c.match_id, ruling.c.id),
    # Where a seat's news begin, once the match is over, depends on the reports that reached it.
    sa.select(
        outbox.c.match_id,
        outbox.c.id,
        outbox.c.ply,
        outbox.c.seat,
        outbox.c.tenure,
        outbox.c.status,
        outbox.c.since,
        outbox.c.bounces,
        *as_kept([outbox.c.sent_at]),
        outbox.c.raw.is_not(None),
    )
    .join(match, sa.and_(match.c.id == outbox.c.match_id, match.c.status == "over"))
    .where(_among(outbox.c.match_id), outbox.c.kind == "report")
    .order_by(outbox.c.match_id, outbox.c.seat, outbox.c.ply, outbox.c.id),
    sa.select(report.c.match_id, sa.func.count(report.c.shown_at))
    .join(match, sa.and_(match.c.id == report.c.match_id, report.c.ply < match.c.ply))
    .where(_among(report.c.match_id), match.c.status == "over")
    .group_by(report.c.match_id),
)
_UNSHOWN = (
    sa.select(report.c.match_id)
    .join(match, _THIS_PLY)
    .join(seat, _OF_PERSON)
    .where(_among(report.c.match_id), report.c.shown_at.is_(None))
)


def some(tx: Tx, after: int, most: int) -> list[Stamped]:
    """Return no more than `most` matches, the first of those whose id is larger than `after`."""
    found = tx.execute(_MATCHES, {"after": after, "most": most}).all()
    if not found:
        return []
    ends = {"first": found[0].id, "last": found[-1].id}
    digests = {row.id: sha256(repr(row).encode()) for row in found}
    for number, wanted in enumerate(_ROWS):
        for row in tx.execute(wanted, ends):
            digests[row[0]].update(repr((number, row)).encode())
    unshown = set(tx.execute(_UNSHOWN, ends).scalars())
    return [
        Stamped(row.id, row.name, digests[row.id].hexdigest(), row.id not in unshown)
        for row in found
    ]
