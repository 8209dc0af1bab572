"""The results of ended matches, as their rows keep them; those of older matches are filled in
(club, 15)."""

import sqlalchemy as sa

from adjudicator.store.database import Tx
from adjudicator.store.tables import club, outbox, seat, turn

_LEAVING = ("resignation", "forfeit")  # causes of a ply in which seats left


def leaving_plies(tx: Tx, match_id: int, before: int) -> list[tuple[int, str]]:
    """Return the plies before that one in which seats left a match, each with its cause."""
    wanted = (
        sa.select(turn.c.ply, turn.c.cause)
        .where(turn.c.match_id == match_id, turn.c.ply < before, turn.c.cause.in_(_LEAVING))
        .order_by(turn.c.ply)
    )
    return [(row.ply, row.cause) for row in tx.execute(wanted)]


def has_bounced(tx: Tx, match_id: int, seat: str, before: int) -> bool:
    """Return whether the last report to a seat that was queued before a ply came back for good."""
    reports = (
        outbox.c.match_id == match_id,
        outbox.c.seat == seat,
        outbox.c.kind == "report",
        outbox.c.ply < before,
    )
    newest = sa.select(outbox.c.status).where(*reports).order_by(outbox.c.ply.desc())
    return tx.execute(newest.order_by(outbox.c.id.desc()).limit(1)).scalar() == "bounced"


def seats(tx: Tx, match_id: int) -> list[str]:
    """Return the names of a match's seats, also of one that cannot be read."""
    named = sa.select(seat.c.name).where(seat.c.match_id == match_id)
    return list(tx.execute(named.order_by(seat.c.name)).scalars())


# Fill in the results of matches that ended before there was a column for them.


def unfilled_since(tx: Tx) -> int | None:
    """Return the id of the match after which results are to be filled in; None if nothing is to be
    done. A transaction that may write locks the row."""
    found: int | None = tx.execute(sa.select(club.c.unfilled_since).with_for_update()).scalar_one()
    return found


def filled_up_to(tx: Tx, match_id: int | None) -> None:
    """Note that the matches up to that one have been looked at, or all."""
    tx.execute(sa.update(club).values(unfilled_since=match_id))
