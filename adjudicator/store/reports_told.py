"""Tell how far the letters of a match have told its plies, and note it when one is taken back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.outbox import TOLD_BY_NEWER
from adjudicator.store.tables import outbox


def kept_asides(tx: Tx, match_id: int, seat: str, tenure: int) -> list[tuple[int, int, str]]:
    """Return id, ply and body of the news told once only to a seat's holder, if no letters go
    out."""
    c = outbox.c
    of_seat = (c.match_id == match_id, c.seat == seat, c.tenure == tenure)
    kept = (c.kind == "aside", c.status == "kept", c.body != "null")
    wanted = sa.select(c.id, c.ply, c.body).where(*of_seat, *kept).order_by(c.id)
    return [(row.id, row.ply, row.body) for row in tx.execute(wanted)]


def kept_report(tx: Tx, match_id: int, ply: int, seat: str) -> list[int]:
    """Return the ids of the kept letters with a ply's report to a seat."""
    c = outbox.c
    of_seat = (c.match_id == match_id, c.ply == ply, c.seat == seat)
    wanted = sa.select(c.id).where(*of_seat, c.kind == "report", c.status == "kept")
    return list(tx.execute(wanted).scalars())


def mark_printed(tx: Tx, letter_ids: Sequence[int], now: datetime) -> None:
    """Note that kept letters were printed, and forget what they said."""
    chosen = outbox.c.id.in_(list(letter_ids))
    tx.execute(sa.update(outbox).where(chosen).values(body="null", raw=None, sent_at=now))


# The letters that tell a player of a ply: those with its number, and reminders for the next ply.
_OF_PLY = ("report", "aside", "receipt", "refusal")


def _telling(match_id: int, ply: int) -> Any:
    of_ply = sa.and_(outbox.c.ply == ply, outbox.c.kind.in_(_OF_PLY))
    reminders = sa.and_(outbox.c.ply == ply + 1, outbox.c.kind == "reminder")
    return sa.and_(outbox.c.match_id == match_id, sa.or_(of_ply, reminders))


def has_told(tx: Tx, match_id: int, ply: int) -> bool:
    """Return whether a letter that tells of a ply was handed over, or a hand-over was tried.

    It may have arrived. The letters stay locked until the transaction ends, so that none goes out
    meanwhile.
    """
    tried = sa.or_(outbox.c.raw.is_not(None), outbox.c.sent_at.is_not(None))
    came = (outbox.c.kind == "receipt", outbox.c.ply == ply - 1, outbox.c.since == ply)
    receipts = sa.and_(outbox.c.match_id == match_id, *came)
    telling = sa.or_(_telling(match_id, ply), receipts)
    wanted = sa.select(outbox.c.id, tried.label("tried")).where(telling)
    return any(row.tried for row in tx.execute(wanted.with_for_update()))


def was_tried(tx: Tx, match_id: int, ply: int, seat_name: str) -> bool:
    """Return whether the report of a ply to a seat was printed or handed over, or a hand-over was
    tried."""
    c = outbox.c
    reports = (c.match_id == match_id, c.ply == ply, c.seat == seat_name, c.kind == "report")
    tried = sa.or_(c.raw.is_not(None), c.sent_at.is_not(None))
    return tx.execute(sa.select(c.id).where(*reports, tried).limit(1)).first() is not None


class Reach(Struct, frozen=True, kw_only=True):
    """How far the reports that were handed over have told a seat's holder what happened.

    `until` is the last ply of which the newest of them tells, None if there is none; `first` the
    first ply of which any was to tell; `unsent` says that no letters go out, and `returned` that
    one came back after it was handed over.
    """

    until: int | None
    first: int | None
    unsent: bool
    returned: bool


_HANDED_OVER = outbox.c.status.in_(["sent", "kept"])

_TOLD = (
    sa.select(
        outbox.c.seat,
        outbox.c.tenure,
        sa.func.max(sa.case((_HANDED_OVER, outbox.c.ply))).label("until"),
        sa.func.min(outbox.c.since).label("first"),
        sa.func.max(sa.case((outbox.c.status == "kept", outbox.c.ply))).label("kept"),
        sa.func.max(
            sa.case((sa.and_(outbox.c.bounces > 0, outbox.c.status != "sent"), 1), else_=0)
        ).label("returned"),
    )
    .where(outbox.c.match_id == sa.bindparam("of_match"), outbox.c.kind == "report")
    .group_by(outbox.c.seat, outbox.c.tenure)
)


def told_by_reports(tx: Tx, match_id: int) -> dict[tuple[str, int], Reach]:
    """Return how far each seat's holders were told what happened, by seat and tenure."""
    rows = tx.execute(_TOLD, {"of_match": match_id})
    return {
        (row.seat, row.tenure): Reach(
            until=row.until,
            first=row.first,
            unsent=row.kept is not None and row.kept == row.until,
            returned=bool(row.returned),
        )
        for row in rows
    }


def spans_told(tx: Tx, match_id: int, seat_name: str, tenure: int) -> list[tuple[int, int]]:
    """Return the first and the last ply of which each report tells that a seat's holder was handed
    over, the earliest first."""
    c = outbox.c
    of_seat = (c.match_id == match_id, c.seat == seat_name, c.tenure == tenure)
    wanted = sa.select(c.since, c.ply).where(*of_seat, c.kind == "report", _HANDED_OVER)
    return sorted((row.since or 0, row.ply) for row in tx.execute(wanted))


def told_anew(tx: Tx, match_id: int, ply: int, seat_name: str, since: int) -> None:
    """Note from which ply on a report tells, because it was made anew before it went out."""
    c = outbox.c
    which = (c.match_id == match_id, c.ply == ply, c.seat == seat_name, c.kind == "report")
    unsent = (c.raw.is_(None), c.sent_at.is_(None))
    tx.execute(sa.update(outbox).where(*which, *unsent).values(since=since))


def revive_reports(tx: Tx, match_id: int) -> None:
    """Let reports and notices wait again that a newer report told, too, for that was taken back.

    Where a newer one was tried, that has told of them.
    """
    newer = outbox.alias()
    told = (
        sa.select(newer.c.id)
        .where(
            newer.c.match_id == match_id,
            newer.c.seat == outbox.c.seat,
            newer.c.tenure == outbox.c.tenure,
            newer.c.kind == "report",
            newer.c.ply > outbox.c.ply,
            sa.or_(newer.c.raw.is_not(None), newer.c.sent_at.is_not(None)),
        )
        .exists()
    )
    dropped = sa.and_(
        outbox.c.match_id == match_id,
        outbox.c.kind.in_(["report", "notice"]),
        outbox.c.status == "dropped",
        outbox.c.reason == TOLD_BY_NEWER,
        sa.not_(told),
    )
    values = {"status": "waiting", "next_at": outbox.c.created_at, "reason": None}
    tx.execute(sa.update(outbox).where(dropped).values(values))


def delete_of_ply(tx: Tx, match_id: int, ply: int) -> list[str]:
    """Delete the letters that tell of a ply, and return their keys. Call it only if none of them
    went out."""
    gone = sa.delete(outbox).where(
        sa.or_(
            _telling(match_id, ply),
            sa.and_(
                outbox.c.match_id == match_id,
                outbox.c.ply == ply + 1,
                outbox.c.kind == "alert",
                outbox.c.raw.is_(None),
            ),
        )
    )
    return list(tx.execute(gone.returning(outbox.c.key)).scalars())
