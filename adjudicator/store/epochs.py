"""Epochs of a club: one begins with the club, and one with each restore of a backup.

Theory of operation. What was told after a backup is unknown to the club that is restored from it,
but players have it: reports of later plies, receipts, addresses. So the restored club must know an
answer to such a report, and must not give a number again that may have been told. An epoch has a
name that is drawn by lot, for the same backup can be restored twice. Each sheet that is to be
filled in says its epoch and its ply; `past_epoch` says up to which ply each match had come when an
epoch ended. A sheet that names the present epoch, or an earlier one and no later ply than that, was
made with a report of ours; any other was not.

A ply whose report waited in the backup was told, too, and is not taken back any more. Revisions and
tenures go on above `seat.above`. Nobody sends a sheet every second; so no number can
have been told that is higher by more than the seconds since the backup, however often that is
restored. The thousand on top is for clocks that differ.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import guests
from adjudicator.store.database import Tx
from adjudicator.store.tables import club, match, past_epoch, report, seat, submission

AT_LEAST = 1000  # by which numbers go on higher

_OPEN = sa.and_(seat.c.player_id.is_(None), seat.c.computer.is_(None))


def begin(tx: Tx, epoch: str, saved: datetime, now: datetime) -> None:
    """End the present epoch of a club that was saved at one time and restored now, and begin
    another."""
    step = AT_LEAST + max(0, (now - saved) // timedelta(seconds=1))
    _end(tx, saved, now)
    _number_higher(tx, step)
    _count_as_shown(tx, now)
    guests.restore(tx)
    above = club.c.above + step
    tx.execute(sa.update(club).values(epoch=epoch, above=above, saved_at=saved, restored_at=now))


def _end(tx: Tx, saved: datetime, now: datetime) -> None:
    """Note how far each match has come; players of one that is over need not be told."""
    told = sa.case((match.c.status == "over", sa.literal(now, past_epoch.c.told_at.type)))
    columns = [club.c.epoch, match.c.id, match.c.ply]
    times = [sa.literal(moment, past_epoch.c.ended_at.type) for moment in (saved, now)]
    rows = sa.select(*columns, *times, told).select_from(match.join(club, sa.true()))
    names = ["epoch", "match_id", "ply", "saved_at", "ended_at", "told_at"]
    tx.execute(sa.insert(past_epoch).from_select(names, rows))


def _number_higher(tx: Tx, step: int) -> None:
    last = (
        sa.select(sa.func.max(submission.c.revision))
        .where(submission.c.match_id == seat.c.match_id, submission.c.seat == seat.c.name)
        .scalar_subquery()
    )
    columns = (seat.c.match_id, seat.c.name, seat.c.tenure, seat.c.above, last.label("last"))
    rows = tx.execute(sa.select(*columns)).all()
    told = [
        {
            "of_match": row.match_id,
            "of_seat": row.name,
            "higher": max(row.above, row.tenure, row.last or 0) + step,
        }
        for row in rows
    ]
    if not told:
        return
    of_seat = (seat.c.match_id == sa.bindparam("of_match"), seat.c.name == sa.bindparam("of_seat"))
    higher = sa.bindparam("higher", type_=sa.Integer)
    tx.execute(sa.update(seat).where(*of_seat).values(above=higher), told)
    # What a kept sheet orders is told under its revision when its turn comes.
    kept = (
        submission.c.match_id == sa.bindparam("of_match"),
        submission.c.seat == sa.bindparam("of_seat"),
        submission.c.status == "kept",
    )
    tx.execute(sa.update(submission).where(*kept).values(revision=higher + 1), told)
    # A seat that is open now may have been somebody's.
    tx.execute(sa.update(seat).where(_OPEN).values(tenure=seat.c.above + 1))
    tenure = (
        sa.select(seat.c.tenure)
        .where(seat.c.match_id == report.c.match_id, seat.c.name == report.c.seat)
        .scalar_subquery()
    )
    is_open = sa.exists().where(
        _OPEN, seat.c.match_id == report.c.match_id, seat.c.name == report.c.seat
    )
    tx.execute(sa.update(report).where(is_open).values(tenure=tenure))


def _count_as_shown(tx: Tx, now: datetime) -> None:
    """Note that the last reports were shown: emails that wait in a backup went out after it."""
    is_last = sa.exists().where(match.c.id == report.c.match_id, match.c.ply == report.c.ply)
    tx.execute(sa.update(report).where(report.c.shown_at.is_(None), is_last).values(shown_at=now))


def last_ply(tx: Tx, epoch: str, match_id: int) -> int | None:
    """Return the last ply of a match in an epoch that has ended; None if the club had no such match
    or no such epoch."""
    wanted = sa.select(past_epoch.c.ply).where(
        past_epoch.c.epoch == epoch, past_epoch.c.match_id == match_id
    )
    return tx.execute(wanted).scalar()


def previous(tx: Tx) -> str | None:
    """Return the epoch before the present one; None if no match had begun in it."""
    wanted = sa.select(past_epoch.c.epoch).order_by(past_epoch.c.ended_at.desc()).limit(1)
    return tx.execute(wanted).scalar()


def is_ours(tx: Tx, match_id: int, present: str, epoch: str, ply: int | None) -> bool:
    """Return whether the club made a report of that ply in that epoch; `present` is the epoch that
    has not ended."""
    if epoch == present:
        return True
    last = last_ply(tx, epoch, match_id)
    return last is not None and ply is not None and ply <= last


def first_tenure(tx: Tx) -> int:
    """Return the number of the first holder of a seat in a match that opens now."""
    return int(tx.execute(sa.select(club.c.above)).scalar_one()) + 1


class PastEpoch(Struct, frozen=True, kw_only=True):
    """An epoch that a restore ended, with the last ply of a match in it. Its players were not told
    yet."""

    match: str
    match_id: int
    epoch: str
    ply: int
    saved_at: datetime


_UNTOLD = (
    sa.select(past_epoch.c.match_id, past_epoch.c.epoch, past_epoch.c.ply, past_epoch.c.saved_at)
    .add_columns(match.c.name)
    .join(match)
    .where(past_epoch.c.told_at.is_(None))
    .order_by(match.c.id, past_epoch.c.ended_at)
)


def restores_to_tell(tx: Tx) -> Sequence[PastEpoch]:
    """Return, for each match whose players are to be told of a restore, the first epoch that ended
    without their being told."""
    rows = tx.execute(_UNTOLD)
    return [
        PastEpoch(
            match=first.name,
            match_id=match_id,
            epoch=first.epoch,
            ply=first.ply,
            saved_at=first.saved_at,
        )
        for match_id, found in groupby(rows, key=lambda row: row.match_id)
        for first in [next(found)]
    ]


def mark_told(tx: Tx, match_id: int, now: datetime) -> bool:
    """Note that a match's players are told; return False if they were told already."""
    waits = (past_epoch.c.match_id == match_id, past_epoch.c.told_at.is_(None))
    return tx.execute(sa.update(past_epoch).where(*waits).values(told_at=now)).rowcount > 0
