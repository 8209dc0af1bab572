"""The results of ended matches, as their rows keep them (club, 15)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.tables import match, outbox, player, seat, tenure, turn
from adjudicator.store.types import as_kept

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


# Read what ended matches count for, of all of them at once.


class PastHolder(Struct, frozen=True):
    """A player who gave a seat up, and how many plies he had held it."""

    name: str
    plies: int


class EndedSeat(Struct, frozen=True):
    """A seat, who held it at the end, and for how many plies. `player` is None for a computer;
    `before` are those who held it earlier."""

    seat: str
    player: str | None
    plies: int
    before: Sequence[PastHolder] = ()


class EndedRow(Struct, frozen=True):
    """A match that has ended and has a result, as `core/result` writes it."""

    match: str
    game: str
    ended_at: datetime
    result: str
    seats: Sequence[EndedSeat]


_ENDED = (match.c.status == "over", match.c.result.is_not(None))


def ended(tx: Tx, game: str | None = None) -> list[EndedRow]:
    """Return the matches that have ended, of one game or of all, in the order in which they did.

    Three statements, however many there are.
    """
    chosen = _ENDED if game is None else (*_ENDED, match.c.game == game)
    before = _past_holders(tx)
    seats: dict[int, list[EndedSeat]] = defaultdict(list)
    held = sa.select(seat.c.match_id, seat.c.name, player.c.name.label("player"), _PLIES)
    joined = held.select_from(seat.join(match).outerjoin(player, seat.c.player_id == player.c.id))
    for row in tx.execute(joined.where(*chosen).order_by(seat.c.match_id, seat.c.name)):
        key = (row.match_id, row.name)
        seats[row.match_id].append(EndedSeat(row.name, row.player, row.plies, before.get(key, ())))
    columns = (match.c.id, match.c.name, match.c.game, match.c.ended_at, match.c.result)
    wanted = sa.select(*as_kept(columns)).where(*chosen).order_by(match.c.ended_at, match.c.id)
    rows = []
    for row in tx.execute(wanted):
        with suppress(ValueError):  # its time is damaged
            at = datetime.fromisoformat(row.ended_at)
            rows.append(EndedRow(row.name, row.game, at, row.result, seats[row.id]))
    return rows


class Held(Struct, frozen=True):
    """A seat that a player holds, or held at the end of its match."""

    player_id: int
    player: str
    match: str
    status: str
    options: str  # JSON


def held(tx: Tx) -> list[Held]:
    """Return all seats that players hold who were not erased, those of the oldest match first."""
    columns = (player.c.id, player.c.name.label("player"), match.c.name, match.c.status)
    joined = seat.join(match).join(player, seat.c.player_id == player.c.id)
    wanted = sa.select(*columns, match.c.options).select_from(joined)
    wanted = wanted.where(player.c.erased_at.is_(None)).order_by(match.c.id, player.c.id)
    return [
        Held(row.id, row.player, row.name, row.status, row.options) for row in tx.execute(wanted)
    ]


def former_holders(tx: Tx) -> dict[str, int]:
    """Return the ids of the players who gave a seat up and were not erased, by their names."""
    wanted = sa.select(player.c.name, player.c.id).where(
        player.c.id.in_(sa.select(tenure.c.player_id)), player.c.erased_at.is_(None)
    )
    return {row.name: row.id for row in tx.execute(wanted.order_by(player.c.id))}


def changes_of_former_holders(tx: Tx) -> tuple[int, int]:
    """Return how many players gave a seat up, and how often what is shown of them has changed."""
    wanted = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(player.c.changes), 0)).where(
        player.c.id.in_(sa.select(tenure.c.player_id))
    )
    number, changes = tx.execute(wanted).one()
    return int(number), int(changes)


_PLIES = (match.c.ply - seat.c.since_ply).label("plies")


def _past_holders(tx: Tx) -> Mapping[tuple[int, str], Sequence[PastHolder]]:
    """Return who held seats of ended matches earlier, the first before the others."""
    c = tenure.c
    columns = (c.match_id, c.seat, player.c.name, (c.until_ply - c.since_ply).label("plies"))
    joined = tenure.join(player, c.player_id == player.c.id)
    joined = joined.join(match, c.match_id == match.c.id)
    wanted = sa.select(*columns).select_from(joined).where(*_ENDED)
    found: dict[tuple[int, str], list[PastHolder]] = defaultdict(list)
    for row in tx.execute(wanted.order_by(c.match_id, c.seat, c.number)):
        found[row.match_id, row.seat].append(PastHolder(row.name, row.plies))
    return found
