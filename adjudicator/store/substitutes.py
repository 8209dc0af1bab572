"""Searches for substitutes, a row for each seat (club, 6.3).

A search for silent seats has a row for each of them, with one deadline; the first row leads the
others: by its number the offers are known, and at its `next_at` a tick looks.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import rows
from adjudicator.store.database import Tx
from adjudicator.store.tables import match, seat, tenure
from adjudicator.store.tables_club import substitute_search

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
_OPEN = _c.status == "open"
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


def of_coming_plies(tx: Tx, match_ids: Sequence[int]) -> dict[int, list[Search]]:
    """Return all searches for silent seats that began while the coming ply of each of these matches
    was awaited, by the match's id."""
    found: dict[int, list[Search]] = {}
    if match_ids:
        for row in tx.execute(_OF_COMING_PLIES, {"of_matches": match_ids}).mappings():
            found.setdefault(row["match_id"], []).append(rows.read(Search, row))
    return found


def open_in(tx: Tx, match_id: int) -> list[Search]:
    """Return the searches in a match that have not ended."""
    return rows.find(tx, Search, match_id=match_id, status="open")


def led_by(tx: Tx, leader: Search) -> list[Search]:
    """Return the open searches for which the offers of that row are, itself among them."""
    if leader.cause == ASKED:
        return rows.find(tx, Search, id=leader.id, status="open")
    same = {name: getattr(leader, name) for name in ("match_id", "cause", "ply", "due_at")}
    return rows.find(tx, Search, status="open", **same)


def end(tx: Tx, ended: Collection[Search], status: str, now: datetime) -> None:
    """End open searches. The next tick withdraws their offers: whoever ends a search has locked its
    match, and offers are locked before matches (club, 14)."""
    ids = [one.id for one in ended]
    if ids:
        changed = sa.update(substitute_search).where(_c.id.in_(ids), _OPEN)
        tx.execute(changed.values(status=status, next_at=now))


def carry(tx: Tx, found: Collection[Search], *, awaited: int) -> None:
    """Let searches go their way while a later ply is awaited, with the same deadline."""
    ids = [one.id for one in found]
    if ids:
        tx.execute(sa.update(substitute_search).where(_c.id.in_(ids)).values(ply=awaited))


def due(tx: Tx, now: datetime) -> list[tuple[int, int]]:
    """Return the searches at which a tick must look, the oldest first, with their matches' ids."""
    wanted = sa.select(_c.id, _c.match_id).where(_c.next_at <= now).order_by(_c.id)
    return [(row.id, row.match_id) for row in tx.execute(wanted)]


def is_due(tx: Tx, now: datetime) -> bool:
    """Return whether a tick must look at a search."""
    return bool(tx.execute(sa.select(sa.exists().where(_c.next_at <= now))).scalar_one())


def match_name(tx: Tx, search: Search) -> str:
    return str(tx.execute(sa.select(match.c.name).where(match.c.id == search.match_id)).scalar())


def ever_in(tx: Tx, match_id: int) -> set[int]:
    """Return the players who have or had a seat of a match."""
    has = sa.select(seat.c.player_id).where(
        seat.c.match_id == match_id, seat.c.player_id.is_not(None)
    )
    had = sa.select(tenure.c.player_id).where(tenure.c.match_id == match_id)
    return set(tx.execute(has.union(had)).scalars())
