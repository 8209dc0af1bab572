"""Rows that a clock wrote which ran ahead: find them, and take them back to the time that they
mean."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.tables import (
    joining,
    letter,
    match,
    outbox,
    parked,
    player,
    press,
    turn,
)
from adjudicator.store.tables_club import happening, offer, parked_letter, substitute_search
from adjudicator.store.tables_tournaments import pairing, tournament

SUBSTITUTE = "substitute"  # offers of this kind are told to nobody (club, 6.3)


class DoneAfter(Struct, frozen=True):
    """What was done after a moment, as far as the operator may know it."""

    played: Sequence[str]
    begun: Sequence[str]
    held: Sequence[str]
    paired: Sequence[str]
    offers: int


def done_after(tx: Tx, moment: datetime) -> DoneAfter:
    """Return what was done later than that; nothing of it follows from open turns."""
    of_match = sa.select(match.c.name).join(turn, turn.c.match_id == match.c.id).distinct()
    after = of_match.where(turn.c.adjudicated_at > moment).order_by(match.c.name)
    held = sa.select(match.c.name).where(match.c.held_at > moment).order_by(match.c.name)
    waiting = sa.select(match.c.name).where(match.c.full_at > moment, match.c.status == "waiting")
    cups = sa.select(tournament.c.name).join(pairing).where(pairing.c.made_at > moment).distinct()
    ended = sa.select(sa.func.count()).select_from(offer)
    ended = ended.where(
        offer.c.ended_at > moment, offer.c.status == "expired", offer.c.kind != SUBSTITUTE
    )
    begun = [*tx.execute(after.where(turn.c.ply == 0)).scalars(), *tx.execute(waiting).scalars()]
    return DoneAfter(
        played=list(tx.execute(after.where(turn.c.ply > 0)).scalars()),
        begun=begun,
        held=list(tx.execute(held).scalars()),
        paired=list(tx.execute(cups.order_by(tournament.c.name)).scalars()),
        offers=int(tx.execute(ended).scalar_one()),
    )


def opened_after(tx: Tx, moment: datetime) -> list[str]:
    """Return the matches whose present turn began later than that, and that have a deadline."""
    present = sa.and_(turn.c.match_id == match.c.id, turn.c.ply == match.c.ply)
    wanted = sa.select(match.c.name).join(turn, present)
    wanted = wanted.where(turn.c.adjudicated_at > moment, match.c.deadline_at.is_not(None))
    return list(tx.execute(wanted.order_by(match.c.name)).scalars())


# When a row was written, and what was counted from then.
_WRITTEN: Sequence[tuple[sa.Column[Any], Sequence[sa.Column[Any]]]] = (
    (match.c.held_at, ()),
    (offer.c.created_at, (offer.c.expires_at,)),
    (substitute_search.c.begun_at, (substitute_search.c.next_at, substitute_search.c.ends_at)),
    (parked.c.created_at, ()),
    (parked_letter.c.created_at, ()),
    (joining.c.created_at, (joining.c.remind_at,)),
    (player.c.asked_at, (player.c.remind_at,)),
    (outbox.c.created_at, (outbox.c.next_at, outbox.c.sent_at)),
    (letter.c.received_at, (letter.c.again_at,)),
    (press.c.sent_at, (press.c.told_at,)),
)
# When a tick must look again; one that looks too early puts that right itself.
_LOOKED_AT: Sequence[sa.Column[Any]] = (
    match.c.wake_at,
    happening.c.next_at,
    substitute_search.c.next_at,
    player.c.remind_at,
    joining.c.remind_at,
)


def put_right(tx: Tx, last: datetime, now: datetime) -> None:
    """Take back what was written later than `now` by as much as the clock went back since the
    `last` tick, and let ticks look soon at what they would have looked at much later."""
    by = last - now
    for written, counted in _WRITTEN:
        table, columns = written.table, (written, *counted)
        keys = list(table.primary_key)
        for row in tx.execute(sa.select(*keys, *columns).where(written > now)).all():
            values = [*row]
            moved = {
                column.name: min(at - by, now) if column is written else at - by
                for column, at in zip(columns, values[len(keys) :], strict=True)
                if at is not None
            }
            same = [key == value for key, value in zip(keys, values, strict=False)]
            tx.execute(sa.update(table).where(*same).values(moved))
    for column in _LOOKED_AT:
        tx.execute(sa.update(column.table).where(column > now + by).values({column.name: now}))
    going = sa.and_(tournament.c.status == "playing", tournament.c.wake_at.is_not(None))
    tx.execute(sa.update(tournament).where(going).values(wake_at=now))
