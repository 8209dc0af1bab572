"""Rows that a clock wrote which ran ahead: find them, and take them back to the time that they
mean."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.clubs import FAR
from adjudicator.store.database import Tx
from adjudicator.store.tables import (
    declaration,
    email,
    joining,
    match,
    outbox,
    parked,
    player,
    press,
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

SUBSTITUTE = "substitute"  # offers of this kind are told to nobody (club, 6.3)


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
    ended = ended.where(
        offer.c.ended_at >= since, offer.c.status == "expired", offer.c.kind != SUBSTITUTE
    )
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
    Written(submission.c.received_at, (), submission.c.status.in_(("in force", "kept"))),
    Written(declaration.c.received_at, (), declaration.c.status == "pending"),
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


def put_right(tx: Tx, ahead: WrongTime) -> None:
    """Take back what was written then by as much as the clock went back, and let ticks look soon
    at what they would have looked at much later."""
    now = ahead.now
    early = sa.exists().where(
        submission.c.match_id == match.c.id, submission.c.received_at >= ahead.since
    )
    tx.execute(sa.update(match).where(match.c.status == "playing", early).values(wake_at=now))
    for one in _WRITTEN:
        _move(tx, one, ahead)
    today = now.date().isoformat()
    tx.execute(sa.update(conduct).where(conduct.c.day > today).values(day=today))
    for column in _LOOKED_AT:
        tx.execute(sa.update(column.table).where(column > now + FAR).values({column.name: now}))
    going = sa.and_(tournament.c.status == "playing", tournament.c.wake_at.is_not(None))
    tx.execute(sa.update(tournament).where(going).values(wake_at=now))


def _move(tx: Tx, written: Written, ahead: WrongTime) -> None:
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
