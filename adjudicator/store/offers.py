"""Offers: each asks one player for a yes (club, 3); and searches for substitutes, which ask several
(club, 6.3).

A search for silent seats has a row for each of them, with one deadline; the first row leads the
others: by its number the offers are known, and at its `next_at` a tick looks.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import rows
from adjudicator.store.database import Tx
from adjudicator.store.tables import match, seat, tenure
from adjudicator.store.tables_club import offer, substitute_search


@rows.of(offer, spoilt={"details": {}, "is_spoilt": True})
class Offer(Struct, frozen=True, kw_only=True):
    """An offer. `about` is the same in all offers of one thing; `details` are its kind's; `tries`
    are the wrong codes that came while it was open. The number of one that the operator may not
    know of is below 0."""

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

    @property
    def is_secret(self) -> bool:
        return self.id < 0


_OPEN = offer.c.status == "open"
IS_SECRET = offer.c.id < 0


def insert(tx: Tx, **values: Any) -> Offer:
    """Insert an offer; one that is secret brings an `id` below 0."""
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


def secret_since(tx: Tx, player_id: int) -> datetime | None:
    """Return when the first secret offer to a player or of his was made whose match goes on."""
    first = sa.select(sa.func.min(offer.c.created_at)).join(match)
    found = first.where(_his(player_id), IS_SECRET, match.c.status != "over")
    return tx.execute(found).scalar()


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


def number_open(tx: Tx) -> int:
    """Return how many offers are open, without secret ones."""
    wanted = sa.select(sa.func.count()).select_from(offer).where(_OPEN, ~IS_SECRET)
    return int(tx.execute(wanted).scalar_one())


_TIME_IS_UP = offer.c.expires_at <= sa.bindparam("now")
_IS_DUE = sa.select(sa.exists().where(_TIME_IS_UP))
_IS_KNOWN_DUE = sa.select(sa.exists().where(_TIME_IS_UP, ~IS_SECRET))


def is_due(tx: Tx, now: datetime) -> bool:
    """Return whether a tick must look at an offer."""
    return bool(tx.execute(_IS_DUE, {"now": now}).scalar_one())


def is_known_due(tx: Tx, now: datetime) -> bool:
    """Return whether a tick must look at an offer that is not secret."""
    return bool(tx.execute(_IS_KNOWN_DUE, {"now": now}).scalar_one())


ASKED, SILENT = "asked", "silent"


@rows.of(substitute_search)
class Search(Struct, frozen=True, kw_only=True):
    """A search for who takes over a seat from the holder with that tenure, begun while `ply` was
    awaited; if he was silent, after the deadline `due_at`."""

    id: int
    match_id: int
    seat: str
    tenure: int
    ply: int
    cause: str
    due_at: datetime | None
    begun_at: datetime
    next_at: datetime | None
    ends_at: datetime
    status: str

    @property
    def about(self) -> str:
        """Return what is the same in all offers of a search that this row leads."""
        return f"substitute/{self.id}"


_c = substitute_search.c
_OPEN_SEARCH = _c.status == "open"
_OF_COMING_PLIES = (
    sa.select(*rows.columns(Search))
    .join(match, _c.match_id == match.c.id)
    .where(
        match.c.id.in_(sa.bindparam("of_matches", expanding=True)),
        _c.ply == match.c.ply + 1,
        _c.cause == SILENT,
    )
    .order_by(_c.id)
)


def searches_of_coming_plies(tx: Tx, match_ids: Sequence[int]) -> dict[int, list[Search]]:
    """Return all searches for silent seats that began while the coming ply of each of these matches
    was awaited, by the match's id."""
    found: dict[int, list[Search]] = {}
    for row in tx.execute(_OF_COMING_PLIES, {"of_matches": match_ids}).mappings():
        found.setdefault(row["match_id"], []).append(rows.read(Search, row))
    return found


def searches_led_by(tx: Tx, leader: Search) -> list[Search]:
    """Return the open searches for which the offers of that row are, itself among them."""
    if leader.cause == ASKED:
        return rows.find(tx, Search, id=leader.id, status="open")
    same = {name: getattr(leader, name) for name in ("match_id", "cause", "ply", "due_at")}
    return rows.find(tx, Search, status="open", **same)


def end_searches(tx: Tx, ended: Collection[Search], status: str, now: datetime) -> None:
    """End open searches. The next tick withdraws their offers: whoever ends a search has locked its
    match, and offers are locked before matches."""
    ids = [one.id for one in ended]
    if ids:
        changed = sa.update(substitute_search).where(_c.id.in_(ids), _OPEN_SEARCH)
        tx.execute(changed.values(status=status, next_at=now))


def carry_searches(tx: Tx, found: Collection[Search], *, awaited: int) -> None:
    """Let searches go their way while a later ply is awaited, with the same deadline."""
    ids = [one.id for one in found]
    if ids:
        tx.execute(sa.update(substitute_search).where(_c.id.in_(ids)).values(ply=awaited))


def searches_due(tx: Tx, now: datetime) -> list[tuple[int, int]]:
    """Return the searches at which a tick must look, the oldest first, with their matches' ids."""
    wanted = sa.select(_c.id, _c.match_id).where(_c.next_at <= now).order_by(_c.id)
    return [(row.id, row.match_id) for row in tx.execute(wanted)]


_IS_SEARCH_DUE = sa.select(sa.exists().where(_c.next_at <= sa.bindparam("now")))


def is_search_due(tx: Tx, now: datetime) -> bool:
    """Return whether a tick must look at a search."""
    return bool(tx.execute(_IS_SEARCH_DUE, {"now": now}).scalar_one())


def match_of_search(tx: Tx, search: Search) -> str:
    return str(tx.execute(sa.select(match.c.name).where(match.c.id == search.match_id)).scalar())


def seats_ever_searched(tx: Tx, match_id: int) -> set[int]:
    """Return the players who have or had a seat of a match."""
    has = sa.select(seat.c.player_id).where(
        seat.c.match_id == match_id, seat.c.player_id.is_not(None)
    )
    had = sa.select(tenure.c.player_id).where(tenure.c.match_id == match_id)
    return set(tx.execute(has.union(had)).scalars())
