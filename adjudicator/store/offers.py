"""Offers: each asks one player for a yes (club, 3)."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import rows
from adjudicator.store.database import Tx
from adjudicator.store.tables import match
from adjudicator.store.tables_club import offer


@rows.of(offer, spoilt={"details": {}, "is_spoilt": True})
class Offer(Struct, frozen=True, kw_only=True):
    """An offer. `about` is the same in all offers of one thing; `details` are its kind's; `tries`
    are the wrong codes that came while it was open."""

    id: int
    kind: str
    player_id: int
    asker_id: int | None
    match_id: int | None
    seat: str | None
    about: str
    details: Mapping[str, Any]
    code: str
    tries: int
    created_at: datetime
    expires_at: datetime | None
    status: str
    ended_at: datetime | None
    is_spoilt: bool = False  # its details cannot be read, and are left out


_OPEN = offer.c.status == "open"


def insert(tx: Tx, **values: Any) -> Offer:
    """Insert an offer; one that is not counted with the others brings an `id` below 0."""
    if "id" not in values and tx.dialect.name == "sqlite":  # a sequence, as servers have, counts so
        highest = sa.select(sa.func.max(offer.c.id)).where(offer.c.id > 0)
        values["id"] = int(tx.execute(highest).scalar() or 0) + 1
    return rows.add(tx, Offer, status="open", **values)


def newest(tx: Tx, player_id: int, code: str) -> Offer | None:
    """Return the newest offer to a player with that code, however it has ended."""
    return rows.first(tx, Offer, order=offer.c.id.desc(), player_id=player_id, code=code)


def open_to(tx: Tx, player_id: int) -> list[Offer]:
    """Return the open offers to a player, the oldest first."""
    return rows.find(tx, Offer, player_id=player_id, status="open")


def hold(tx: Tx, about: str) -> list[Offer]:
    """Lock all offers of one thing until the transaction ends, and return them as they are."""
    return rows.find(tx, Offer, about=about, lock=True)


def is_going(tx: Tx, one: Offer) -> bool:
    """Return whether an offer is of a match that is not over."""
    wanted = sa.select(match.c.id).where(match.c.id == one.match_id, match.c.status != "over")
    return tx.execute(wanted).first() is not None


def of_asker(tx: Tx, asker_id: int, kind: str, since: datetime) -> list[Offer]:
    """Return the offers of a kind that a player has made and that are open, or were made after that
    moment."""
    still = sa.or_(_OPEN, offer.c.created_at > since)
    return rows.find(tx, Offer, still, offer.c.kind == kind, asker_id=asker_id)


def of_person(tx: Tx, player_id: int) -> list[Offer]:
    """Return all offers to a player and of his."""
    return rows.find(tx, Offer, _his(player_id))


def _his(player_id: int) -> sa.ColumnElement[bool]:
    return sa.or_(offer.c.player_id == player_id, offer.c.asker_id == player_id)


def end(tx: Tx, ids: Collection[int], status: str, now: datetime) -> None:
    """End open offers."""
    which = sa.and_(offer.c.id.in_(list(ids)), _OPEN)
    values = {"status": status, "ended_at": now, "expires_at": None}
    tx.execute(sa.update(offer).where(which).values(values))


def count_wrong_code(tx: Tx, player_id: int, most: int) -> list[Offer]:
    """Count a wrong code for all open offers to a player; return those that have seen `most`."""
    mine = sa.and_(offer.c.player_id == player_id, _OPEN)
    tx.execute(sa.update(offer).where(mine).values(tries=offer.c.tries + 1))
    return rows.find(tx, Offer, mine, offer.c.tries >= most)


def due(tx: Tx, now: datetime) -> list[Offer]:
    """Return the offers whose time is up, the oldest first."""
    return rows.find(tx, Offer, offer.c.expires_at <= now)


def take_due(tx: Tx, offer_id: int, now: datetime) -> Offer | None:
    """Lock and return an offer if its time is up and no other worker has it."""
    return rows.first(tx, Offer, offer.c.expires_at <= now, id=offer_id, skip_locked=True)


def number_open(tx: Tx, *, but: str) -> int:
    """Return how many offers are open, without those of a kind."""
    wanted = sa.select(sa.func.count()).select_from(offer).where(_OPEN, offer.c.kind != but)
    return int(tx.execute(wanted).scalar_one())


def is_due(tx: Tx, now: datetime, *, but: Collection[str] = ()) -> bool:
    """Return whether a tick must look at an offer, without those of some kinds."""
    found = sa.exists().where(offer.c.expires_at <= now)
    if but:
        found = found.where(offer.c.kind.not_in(but))
    return bool(tx.execute(sa.select(found)).scalar_one())
