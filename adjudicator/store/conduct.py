"""How players kept their deadlines (club, 6.1): rows of each ply while a match goes on, and days
once it is over."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, structs

from adjudicator.store.database import Tx
from adjudicator.store.tables import outbox
from adjudicator.store.tables_club import conduct, conduct_day

ON_TIME, MISSED, LEFT, ENDED = "on_time", "missed", "left", "ended"


class Counted(Struct, frozen=True, kw_only=True):
    """Something that is counted of a player, on a day in UTC. The `ply` of the end of a tenure is
    `of_tenure`: no undo takes it back."""

    match_id: int
    seat: str
    ply: int
    kind: str
    player_id: int
    day: str
    hidden: int = 0  # 1: nothing is shown of it before the match has ended


class Figures(Struct, frozen=True):
    """What is counted of a player since some day. Misses of one day are one."""

    on_time: int
    missed: int
    left: int
    ended: int


def of_tenure(number: int) -> int:
    """Return in place of a ply what names the tenure of a seat."""
    return -1 - number


def count(tx: Tx, rows: Sequence[Counted]) -> None:
    if rows:
        tx.execute(sa.insert(conduct), [structs.asdict(one) for one in rows])


def take_back(tx: Tx, match_id: int, ply: int) -> None:
    of_ply = (conduct.c.match_id == match_id, conduct.c.ply == ply)
    tx.execute(sa.delete(conduct).where(*of_ply))


_KINDS = (ON_TIME, MISSED, LEFT, ENDED)
_COUNTS = [sa.func.sum(sa.case((conduct.c.kind == one, 1), else_=0)).label(one) for one in _KINDS]
_OF_PLIES = sa.select(conduct.c.player_id, conduct.c.day, *_COUNTS).group_by(
    conduct.c.player_id, conduct.c.day
)


def fold(tx: Tx, match_id: int) -> None:
    """Keep of an ended match what its days count, and nothing of its plies."""
    for row in tx.execute(_OF_PLIES.where(conduct.c.match_id == match_id)).mappings().all():
        of_day = (conduct_day.c.player_id == row["player_id"], conduct_day.c.day == row["day"])
        added = {kind: conduct_day.c[kind] + row[kind] for kind in _KINDS}
        if not tx.execute(sa.update(conduct_day).where(*of_day).values(added)).rowcount:
            tx.execute(sa.insert(conduct_day), dict(row))
    tx.execute(sa.delete(conduct).where(conduct.c.match_id == match_id))


def _by_player(people: Collection[int] | None) -> Any:
    """Select what each day counts, of plies and of ended matches together."""
    of_plies = _OF_PLIES.where(conduct.c.hidden == 0)
    of_days = sa.select(
        conduct_day.c.player_id, conduct_day.c.day, *(conduct_day.c[one] for one in _KINDS)
    )
    if people is not None:
        of_plies = of_plies.where(conduct.c.player_id.in_(list(people)))
        of_days = of_days.where(conduct_day.c.player_id.in_(list(people)))
    return sa.union_all(of_plies, of_days).subquery()


def figures(tx: Tx, since: date, people: Collection[int] | None = None) -> Mapping[int, Figures]:
    """Return what is counted since that day of players, by their ids, or of all: of each of whom a
    turn was ever counted, or who has left a match."""
    every = _by_player(people)
    recent = every.c.day >= since.isoformat()
    missed = sa.func.max(sa.case((sa.and_(recent, every.c.missed > 0), 1), else_=0))
    counted = [
        sa.func.sum(sa.case((recent, every.c[one]), else_=0)).label(one)
        for one in (ON_TIME, LEFT, ENDED)
    ]
    ever = sa.func.sum(every.c.on_time + every.c.missed + every.c.left).label("ever")
    days = (
        sa.select(every.c.player_id, missed.label(MISSED), *counted, ever)
        .group_by(every.c.player_id, every.c.day)
        .subquery()
    )
    sums = [sa.func.sum(days.c[one]).label(one) for one in _KINDS]
    wanted = sa.select(days.c.player_id, *sums).group_by(days.c.player_id)
    wanted = wanted.having(sa.func.sum(days.c.ever) > 0)
    return {
        row.player_id: Figures(int(row.on_time), int(row.missed), int(row.left), int(row.ended))
        for row in tx.execute(wanted)
    }


def of_player(tx: Tx, player_id: int) -> Iterable[Mapping[str, Any]]:
    """Return all that is kept of a player, day by day."""
    every = _by_player([player_id])
    sums = [sa.func.sum(every.c[one]).label(one) for one in _KINDS]
    wanted = sa.select(every.c.day, *sums).group_by(every.c.day).order_by(every.c.day)
    return [dict(row) for row in tx.execute(wanted).mappings()]


def bounced(tx: Tx, match_id: int, ply: int) -> set[str]:
    """Return the seats whose report of a ply has come back."""
    c = outbox.c
    of_ply = (c.match_id == match_id, c.ply == ply, c.kind == "report", c.bounces > 0)
    return set(tx.execute(sa.select(c.seat).where(*of_ply)).scalars())
