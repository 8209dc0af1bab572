"""The club to which the database belongs: its one row, its clock, what a wrong clock wrote, and its
epochs. One begins with the club, and one with each restore of a backup.

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
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import guests
from adjudicator.store.database import Tx, is_reading
from adjudicator.store.offers import IS_SECRET
from adjudicator.store.tables import (
    clock,
    club,
    declaration,
    email,
    joining,
    match,
    outbox,
    parked,
    past_epoch,
    player,
    press,
    report,
    seat,
    submission,
    turn,
)
from adjudicator.store.tables_club import (
    challenge,
    conduct,
    guest,
    happening,
    offer,
    pairing,
    parked_email,
    substitute_search,
    tournament,
    written_to,
)


def domain(tx: Tx) -> str:
    """Return the domain to which the club's emails come home; empty while it has none."""
    return str(tx.execute(sa.select(club.c.domain)).scalar_one())


def move(tx: Tx, domain: str) -> None:
    tx.execute(sa.update(club), {"domain": domain})


def fingerprints(tx: Tx) -> tuple[str, ...]:
    """Return the fingerprints of the club's keys, the signing key first; none before a key was
    seen."""
    return tuple(str(tx.execute(sa.select(club.c.fingerprints)).scalar_one()).split())


def know_keys(tx: Tx, fingerprints: Sequence[str]) -> None:
    tx.execute(sa.update(club), {"fingerprints": " ".join(fingerprints)})


def site_built(tx: Tx) -> datetime | None:
    """Return of when the club's pages are; None if they were never built, or could not be."""
    found: datetime | None = tx.execute(sa.select(club.c.site_at)).scalar_one()
    return found


def build_site(tx: Tx, now: datetime | None) -> None:
    """Note that the club's pages were built; None: that they could not be."""
    tx.execute(sa.update(club).values(site_at=now))


def last_restore(tx: Tx) -> tuple[datetime, datetime] | None:
    """Return of when the backup was from which the club was restored, and when that was done; None
    if it never was."""
    row = tx.execute(sa.select(club.c.saved_at, club.c.restored_at)).one()
    return None if row.restored_at is None else (row.saved_at, row.restored_at)


def epoch(tx: Tx) -> str:
    return str(tx.execute(sa.select(club.c.epoch)).scalar_one())


_MARK, _UNSIGNED = sa.select(club.c.mark), sa.select(club.c.unsigned)


def mark(tx: Tx) -> str:
    """Return the club's mark, which its spool carries too; the migration drew it by lot."""
    return str(tx.execute(_MARK).scalar_one())


def number_of_unsigned(tx: Tx) -> int:
    """Return how many emails for seats came to addresses that are nobody's, since the last
    warning."""
    return int(tx.execute(_UNSIGNED).scalar_one())


def count_unsigned(tx: Tx) -> None:
    tx.execute(sa.update(club).values(unsigned=club.c.unsigned + 1))


def forget_unsigned(tx: Tx) -> None:
    """Count those emails from 0 again, because the operator was warned."""
    tx.execute(sa.update(club).values(unsigned=0))


# The time at which a tick last looked at every match.


# No email is put off for longer. One that waits for later than this was put off by a clock that
# ran ahead and has been set right since, so it waits no more.
FAR = timedelta(days=2)
SLACK = timedelta(minutes=10)  # by so much the clocks of programs that run at once may differ

_LAST = sa.select(clock.c.last_tick_at)
_SET = sa.update(clock)


def last_tick(tx: Tx) -> datetime | None:
    """Return the time of the last tick, or of the start of the first match; None before that.

    A transaction that may write locks the row, so that two ticks never judge the time between them
    at once.
    """
    return tx.execute(_LAST if is_reading(tx) else _LAST.with_for_update()).scalar()


def begin_clock(tx: Tx, now: datetime) -> None:
    """Start the clock when the first match starts: from now on there should be ticks."""
    tx.execute(_SET.where(clock.c.last_tick_at.is_(None)), {"last_tick_at": now})


def note_tick(tx: Tx, now: datetime) -> None:
    tx.execute(_SET, {"last_tick_at": now})


# What is known of a clock that may be wrong.


class Doubt(Struct, frozen=True):
    """The clock leapt, or no tick ran for long: `right_at` is the last tick before that, `since`
    the tick that found it, and `leap` what lay between them that nobody can tell from an outage;
    it is negative if the clock went back, and nothing once the doubt is over."""

    right_at: datetime
    since: datetime
    leap: timedelta


class ClubClock(Struct, frozen=True):
    """When the last tick was, and whether the time since then can be believed."""

    last_tick: datetime | None
    doubt: Doubt | None


CLOCK = (clock.c.last_tick_at, clock.c.right_at, clock.c.doubted_at, clock.c.leap)
_KNOWN = sa.select(*CLOCK)


def read_clock(
    last: datetime | None, right_at: datetime | None, since: datetime | None, leap: int | None
) -> ClubClock:
    """Return what these columns say of the clock."""
    if right_at is None or since is None or leap is None:
        return ClubClock(last, None)
    return ClubClock(last, Doubt(right_at, since, timedelta(seconds=leap)))


def clock_of(tx: Tx, *, lock: bool = False) -> ClubClock:
    """Return what is known of the clock."""
    return read_clock(*tx.execute(_KNOWN.with_for_update() if lock else _KNOWN).one())


def put_doubt(tx: Tx, doubt: Doubt | None) -> None:
    """Note that the clock is in doubt, or no longer is."""
    values: dict[str, object] = {"right_at": None, "doubted_at": None, "leap": None}
    if doubt is not None:
        seconds = round(doubt.leap.total_seconds())
        values = {"right_at": doubt.right_at, "doubted_at": doubt.since, "leap": seconds}
    tx.execute(_SET, values)


AT_LEAST = 1000  # by which numbers go on higher

_OPEN = sa.and_(seat.c.player_id.is_(None), seat.c.computer.is_(None))


def begin_epoch(tx: Tx, epoch: str, saved: datetime, now: datetime) -> None:
    """End the present epoch of a club that was saved at one time and restored now, and begin
    another."""
    step = AT_LEAST + max(0, (now - saved) // timedelta(seconds=1))
    _end_epoch(tx, saved, now)
    _number_higher(tx, step)
    _count_as_shown(tx, now)
    guests.restore(tx)
    above = club.c.above + step
    tx.execute(sa.update(club).values(epoch=epoch, above=above, saved_at=saved, restored_at=now))


def _end_epoch(tx: Tx, saved: datetime, now: datetime) -> None:
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


def last_ply_in_epoch(tx: Tx, epoch: str, match_id: int) -> int | None:
    """Return the last ply of a match in an epoch that has ended; None if the club had no such match
    or no such epoch."""
    wanted = sa.select(past_epoch.c.ply).where(
        past_epoch.c.epoch == epoch, past_epoch.c.match_id == match_id
    )
    return tx.execute(wanted).scalar()


def previous_epoch(tx: Tx) -> str | None:
    """Return the epoch before the present one; None if no match had begun in it."""
    wanted = sa.select(past_epoch.c.epoch).order_by(past_epoch.c.ended_at.desc()).limit(1)
    return tx.execute(wanted).scalar()


def is_of_our_reports(tx: Tx, match_id: int, present: str, epoch: str, ply: int | None) -> bool:
    """Return whether the club made a report of that ply in that epoch; `present` is the epoch that
    has not ended."""
    if epoch == present:
        return True
    last = last_ply_in_epoch(tx, epoch, match_id)
    return last is not None and ply is not None and ply <= last


_ABOVE = sa.select(club.c.above)


def first_tenure(tx: Tx) -> int:
    """Return the number of the first holder of a seat in a match that opens now."""
    return int(tx.execute(_ABOVE).scalar_one()) + 1


class PastEpoch(Struct, frozen=True, kw_only=True):
    """An epoch that a restore ended, with the last ply of a match in it. Its players were not told
    yet."""

    match: str
    match_id: int
    epoch: str
    ply: int
    saved_at: datetime


_PAST = (
    sa.select(past_epoch.c.match_id, past_epoch.c.epoch, past_epoch.c.ply, past_epoch.c.saved_at)
    .add_columns(match.c.name)
    .join(match)
    .order_by(match.c.id, past_epoch.c.ended_at)
)


def restores_to_tell(tx: Tx) -> Sequence[PastEpoch]:
    """Return, for each match whose players are to be told of a restore, the first epoch that ended
    without their being told."""
    rows = tx.execute(_PAST.where(past_epoch.c.told_at.is_(None)))
    return [_past(next(found)) for _, found in groupby(rows, key=lambda row: row.match_id)]


def past_epochs(tx: Tx, match_id: int) -> Sequence[PastEpoch]:
    """Return the epochs that have ended since a match was made, the first one first."""
    return [*map(_past, tx.execute(_PAST.where(past_epoch.c.match_id == match_id)))]


def _past(row: sa.Row[Any]) -> PastEpoch:
    return PastEpoch(
        match=row.name,
        match_id=row.match_id,
        epoch=row.epoch,
        ply=row.ply,
        saved_at=row.saved_at,
    )


def mark_restore_told(tx: Tx, match_id: int, now: datetime) -> bool:
    """Note that a match's players are told; return False if they were told already."""
    waits = (past_epoch.c.match_id == match_id, past_epoch.c.told_at.is_(None))
    return tx.execute(sa.update(past_epoch).where(*waits).values(told_at=now)).rowcount > 0


_UNPLAYED = submission.c.status.in_(("in force", "kept"))
_UNDECIDED = declaration.c.status == "pending"
_ORDERED = sa.and_(submission.c.match_id == match.c.id, submission.c.ply > match.c.ply, _UNPLAYED)
_DECLARED = sa.and_(declaration.c.match_id == match.c.id, _UNDECIDED)
_LATER = sa.or_(
    sa.exists().where(_ORDERED, submission.c.received_at > sa.bindparam("later")),
    sa.exists().where(_DECLARED, declaration.c.received_at > sa.bindparam("later")),
)
_WAIT = sa.select(match.c.name).where(match.c.wake_at > sa.bindparam("now"), _LATER)


def matches_with_later_orders(tx: Tx, now: datetime) -> list[str]:
    """Return the matches that wait with orders or declarations of a time that has not come: a clock
    wrote it that was put right before any tick saw it."""
    found = tx.execute(_WAIT.order_by(match.c.id), {"now": now, "later": now + SLACK})
    return list(found.scalars())


def put_orders_right(tx: Tx, match_id: int, now: datetime) -> None:
    """Give such orders and declarations of a match the present time."""
    for table, is_open in ((submission, _UNPLAYED), (declaration, _UNDECIDED)):
        later = (table.c.match_id == match_id, is_open, table.c.received_at > now + SLACK)
        tx.execute(sa.update(table).where(*later).values(received_at=now))


class WrongTime(Struct, frozen=True):
    """A clock ran ahead up to the `last` tick, and it is `now` in truth; what it wrote is later
    than `since`."""

    since: datetime
    last: datetime
    now: datetime

    @property
    def by(self) -> timedelta:
        return self.last - self.now


class DoneInWrongTime(Struct, frozen=True):
    """What was done in such a time, as far as the operator may know it."""

    played: Sequence[str]
    begun: Sequence[str]
    held: Sequence[str]
    paired: Sequence[str]
    offers: int


def work_done_then(tx: Tx, ahead: WrongTime) -> DoneInWrongTime:
    """Return what was done; nothing of it follows from open turns."""
    since = ahead.since
    of_match = sa.select(match.c.name).join(turn, turn.c.match_id == match.c.id).distinct()
    after = of_match.where(turn.c.adjudicated_at >= since).order_by(match.c.name)
    held = sa.select(match.c.name).where(match.c.held_at >= since).order_by(match.c.name)
    waiting = sa.select(match.c.name).where(match.c.full_at >= since, match.c.status == "waiting")
    cups = sa.select(tournament.c.name).join(pairing).where(pairing.c.made_at >= since).distinct()
    ended = sa.select(sa.func.count()).select_from(offer)
    ended = ended.where(offer.c.ended_at >= since, offer.c.status == "expired", ~IS_SECRET)
    begun = [*tx.execute(after.where(turn.c.ply == 0)).scalars(), *tx.execute(waiting).scalars()]
    return DoneInWrongTime(
        played=list(tx.execute(after.where(turn.c.ply > 0)).scalars()),
        begun=begun,
        held=list(tx.execute(held).scalars()),
        paired=list(tx.execute(cups.order_by(tournament.c.name)).scalars()),
        offers=int(tx.execute(ended).scalar_one()),
    )


def matches_with_turn_begun(tx: Tx, ahead: WrongTime) -> list[str]:
    """Return the matches whose present turn began then, and that have a deadline."""
    present = sa.and_(turn.c.match_id == match.c.id, turn.c.ply == match.c.ply)
    wanted = sa.select(match.c.name).join(turn, present)
    wanted = wanted.where(turn.c.adjudicated_at >= ahead.since, match.c.deadline_at.is_not(None))
    return list(tx.execute(wanted.order_by(match.c.name)).scalars())


class Written(Struct, frozen=True):
    """When a row was written, and what was counted from then; of all rows, or `only` of some."""

    at: sa.Column[Any]
    counted: Sequence[sa.Column[Any]] = ()
    only: sa.ColumnElement[bool] = sa.true()


# Not what the log of a match has: plies, the orders that they used, rulings.
_WRITTEN: Sequence[Written] = (
    Written(match.c.held_at),
    Written(submission.c.received_at, (), _UNPLAYED),
    Written(declaration.c.received_at, (), _UNDECIDED),
    Written(offer.c.created_at, (offer.c.expires_at,)),
    Written(guest.c.created_at, (guest.c.expires_at,)),
    Written(written_to.c.written_at),
    Written(
        substitute_search.c.begun_at, (substitute_search.c.next_at, substitute_search.c.ends_at)
    ),
    Written(challenge.c.created_at),
    Written(challenge.c.done_at),
    Written(parked.c.created_at),
    Written(parked_email.c.created_at),
    Written(joining.c.created_at, (joining.c.remind_at,)),
    Written(player.c.asked_at, (player.c.remind_at,)),
    Written(outbox.c.created_at, (outbox.c.next_at, outbox.c.sent_at)),
    Written(email.c.received_at, (email.c.again_at,)),
    Written(press.c.sent_at, (press.c.told_at,)),
)
# When a tick must look again; one that looks too early puts that right itself.
_LOOKED_AT: Sequence[sa.Column[Any]] = (
    match.c.wake_at,
    happening.c.next_at,
    substitute_search.c.next_at,
    player.c.remind_at,
    joining.c.remind_at,
)


def put_times_right(tx: Tx, ahead: WrongTime) -> None:
    """Take back what was written then by as much as the clock went back, and let ticks look soon
    at what they would have looked at much later."""
    now = ahead.now
    early = sa.exists().where(
        submission.c.match_id == match.c.id, submission.c.received_at >= ahead.since
    )
    tx.execute(sa.update(match).where(match.c.status == "playing", early).values(wake_at=now))
    for one in _WRITTEN:
        _move_times(tx, one, ahead)
    today = now.date().isoformat()
    tx.execute(sa.update(conduct).where(conduct.c.day > today).values(day=today))
    for column in _LOOKED_AT:
        tx.execute(sa.update(column.table).where(column > now + FAR).values({column.name: now}))
    going = sa.and_(tournament.c.status == "playing", tournament.c.wake_at.is_not(None))
    tx.execute(sa.update(tournament).where(going).values(wake_at=now))


def _move_times(tx: Tx, written: Written, ahead: WrongTime) -> None:
    table, columns = written.at.table, (written.at, *written.counted)
    keys = list(table.primary_key)
    then = sa.select(*keys, *columns).where(written.at >= ahead.since, written.only)
    for row in tx.execute(then).all():
        values = [*row]
        moved = {
            column.name: min(at - ahead.by, ahead.now) if column is written.at else at - ahead.by
            for column, at in zip(columns, values[len(keys) :], strict=True)
            if at is not None
        }
        same = [key == value for key, value in zip(keys, values, strict=False)]
        tx.execute(sa.update(table).where(*same).values(moved))
