"""Offers: each asks one player for a yes (club, 3)."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode, encode

from adjudicator.store.database import Tx
from adjudicator.store.tables import match
from adjudicator.store.tables_club import offer


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


_COLUMNS = [column for column in offer.c if column.name in Offer.__struct_fields__]
_NEWEST_FIRST = offer.c.id.desc()


def _offer(row: Any) -> Offer:
    try:
        return Offer(**{**row, "details": decode(row["details"], type=dict[str, Any])})
    except ValueError:  # of this offer alone: those beside it can be read
        return Offer(**{**row, "details": {}, "is_spoilt": True})


def _found(tx: Tx, wanted: sa.Select[Any]) -> list[Offer]:
    return [_offer(row) for row in tx.execute(wanted).mappings()]


def insert(tx: Tx, *, details: Mapping[str, Any], **values: Any) -> Offer:
    """Insert an offer; one that is not counted with the others brings an `id` below 0."""
    row = {**values, "details": encode(details).decode(), "status": "open"}
    if "id" not in row and tx.dialect.name == "sqlite":  # a sequence, as servers have, counts so
        highest = sa.select(sa.func.max(offer.c.id)).where(offer.c.id > 0)
        row["id"] = int(tx.execute(highest).scalar() or 0) + 1
    made = sa.insert(offer).values(row).returning(offer.c.id)
    return one(tx, int(tx.execute(made).scalar_one()))


def one(tx: Tx, offer_id: int) -> Offer:
    (found,) = _found(tx, sa.select(*_COLUMNS).where(offer.c.id == offer_id))
    return found


def find(tx: Tx, player_id: int, code: str) -> Offer | None:
    """Return the newest offer to a player with that code, however it has ended."""
    wanted = sa.select(*_COLUMNS).where(offer.c.player_id == player_id, offer.c.code == code)
    return next(iter(_found(tx, wanted.order_by(_NEWEST_FIRST).limit(1))), None)


def open_to(tx: Tx, player_id: int) -> list[Offer]:
    """Return the open offers to a player, the oldest first."""
    wanted = sa.select(*_COLUMNS).where(offer.c.player_id == player_id, _OPEN)
    return _found(tx, wanted.order_by(offer.c.id))


def hold(tx: Tx, about: str) -> list[Offer]:
    """Lock all offers of one thing until the transaction ends, and return them as they are."""
    wanted = sa.select(*_COLUMNS).where(offer.c.about == about).order_by(offer.c.id)
    return _found(tx, wanted.with_for_update())


def of_match(tx: Tx, match_id: int) -> list[Offer]:
    """Return the open offers of seats of a match."""
    wanted = sa.select(*_COLUMNS).where(offer.c.match_id == match_id, _OPEN)
    return _found(tx, wanted.order_by(offer.c.id))


def of_kind(tx: Tx, match_id: int, kind: str) -> list[Offer]:
    """Return all offers of a kind in a match, however they have ended."""
    mine = (offer.c.match_id == match_id, offer.c.kind == kind)
    return _found(tx, sa.select(*_COLUMNS).where(*mine).order_by(offer.c.id))


def is_going(tx: Tx, one: Offer) -> bool:
    """Return whether an offer is of a match that is not over."""
    wanted = sa.select(match.c.id).where(match.c.id == one.match_id, match.c.status != "over")
    return tx.execute(wanted).first() is not None


def of_asker(tx: Tx, asker_id: int, kinds: Collection[str], since: datetime) -> list[Offer]:
    """Return the offers of some kinds that a player has made and that are open, or were made after
    that moment."""
    c = offer.c
    mine = sa.and_(c.asker_id == asker_id, c.kind.in_(list(kinds)))
    wanted = sa.select(*_COLUMNS).where(mine, sa.or_(_OPEN, c.created_at > since))
    return _found(tx, wanted.order_by(c.id))


def of_player(tx: Tx, player_id: int) -> list[Offer]:
    """Return all offers to a player and of his."""
    his = sa.or_(offer.c.player_id == player_id, offer.c.asker_id == player_id)
    return _found(tx, sa.select(*_COLUMNS).where(his).order_by(offer.c.id))


def end(tx: Tx, ids: Collection[int], status: str, now: datetime) -> None:
    """End open offers."""
    which = sa.and_(offer.c.id.in_(list(ids)), _OPEN)
    values = {"status": status, "ended_at": now, "expires_at": None}
    tx.execute(sa.update(offer).where(which).values(values))


def count_wrong_code(tx: Tx, player_id: int, most: int) -> list[Offer]:
    """Count a wrong code for all open offers to a player; return those that have seen `most`."""
    mine = sa.and_(offer.c.player_id == player_id, _OPEN)
    tx.execute(sa.update(offer).where(mine).values(tries=offer.c.tries + 1))
    wanted = sa.select(*_COLUMNS).where(mine, offer.c.tries >= most)
    return _found(tx, wanted.order_by(offer.c.id))


def due(tx: Tx, now: datetime) -> list[Offer]:
    """Return the offers whose time is up, the oldest first."""
    wanted = sa.select(*_COLUMNS).where(offer.c.expires_at <= now)
    return _found(tx, wanted.order_by(offer.c.id))


def take_due(tx: Tx, offer_id: int, now: datetime) -> Offer | None:
    """Lock and return an offer if its time is up and no other worker has it."""
    wanted = sa.select(*_COLUMNS).where(offer.c.expires_at <= now, offer.c.id == offer_id)
    return next(iter(_found(tx, wanted.with_for_update(skip_locked=True))), None)


def put_off(tx: Tx, offer_id: int, until: datetime) -> None:
    tx.execute(sa.update(offer).where(offer.c.id == offer_id).values(expires_at=until))


def forget(tx: Tx, player_id: int) -> None:
    """Delete the offers to a player who is forgotten, and those that he made."""
    his = sa.or_(offer.c.player_id == player_id, offer.c.asker_id == player_id)
    tx.execute(sa.delete(offer).where(his))


def number_open(tx: Tx, *, but: str) -> int:
    """Return how many offers are open, without those of a kind."""
    wanted = sa.select(sa.func.count()).select_from(offer).where(_OPEN, offer.c.kind != but)
    return int(tx.execute(wanted).scalar_one())


def is_due(now: datetime) -> sa.Exists:
    """Ask whether a tick must look at an offer."""
    return sa.exists().where(offer.c.expires_at <= now)


def one_is_due(tx: Tx, now: datetime, *, but: Collection[str]) -> bool:
    """Return whether a tick must look at an offer, without those of some kinds."""
    return bool(tx.execute(sa.select(is_due(now).where(offer.c.kind.not_in(but)))).scalar_one())


_OPEN = offer.c.status == "open"
