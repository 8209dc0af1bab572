"""Which matches are listed for somebody who asks by email: those that can be joined, and a player's
own. Each list has a limit, so that an answer does not grow with the club; that of packages, which
the doctor reads, has none.
"""

from collections.abc import Collection

import sqlalchemy as sa

from adjudicator.store.database import Tx
from adjudicator.store.tables import match, seat


def soonest_of_player(tx: Tx, player_id: int, most: int) -> tuple[list[str], int]:
    """Return the names of so many of the player's matches that are not over, the soonest deadline
    first, and how many matches there are."""
    due = sa.case((match.c.status == "playing", match.c.deadline_at))
    held = sa.select(seat.c.match_id).where(seat.c.player_id == player_id)
    theirs = (match.c.id.in_(held), match.c.status != "over")
    wanted = sa.select(match.c.name).where(*theirs).order_by(due.is_(None), due, match.c.name)
    count = sa.select(sa.func.count()).select_from(match).where(*theirs)
    return [*tx.execute(wanted.limit(most)).scalars()], int(tx.execute(count).scalar_one())


def _is_free(games: Collection[str]) -> sa.ColumnElement[bool]:
    """Return what is true of a seat that can be joined, in a match of one of these games; one that
    is kept for somebody who was asked is none."""
    empty = (seat.c.player_id.is_(None), seat.c.computer.is_(None), seat.c.kept == 0)
    return sa.and_(match.c.status == "open", match.c.game.in_(games), *empty)


def with_free_seats(tx: Tx, games: Collection[str], most: int) -> tuple[list[str], int]:
    """Return the names of so many matches that can be joined, the oldest first, and how many such
    matches there are."""
    free = sa.select(seat.c.match_id).join(match, seat.c.match_id == match.c.id)
    theirs = match.c.id.in_(free.where(_is_free(games)))
    wanted = sa.select(match.c.name).where(theirs).order_by(match.c.id).limit(most)
    count = sa.select(sa.func.count()).select_from(match).where(theirs)
    return [*tx.execute(wanted).scalars()], int(tx.execute(count).scalar_one())


def first_free(
    tx: Tx, games: Collection[str], word: str, name: str | None = None
) -> tuple[str, str] | None:
    """Return the oldest match with a seat that can be joined, of that match's or game's name, and
    its game; with `name` one in which the seat of that name can be."""
    wanted = (
        sa.select(match.c.name, match.c.game)
        .join(seat, seat.c.match_id == match.c.id)
        .where(_is_free(games), sa.or_(match.c.name == word, match.c.game == word))
        .order_by(match.c.id)
        .limit(1)
    )
    if name is not None:
        wanted = wanted.where(seat.c.name == name)
    found = tx.execute(wanted).first()
    return (found[0], found[1]) if found else None


def packages_of_going(tx: Tx) -> list[tuple[str, str, str]]:
    """Return name, game and package of each match that is not over and of a package, the oldest
    first."""
    wanted = sa.select(match.c.name, match.c.game, match.c.package)
    mine = wanted.where(match.c.status != "over", match.c.package != "").order_by(match.c.id)
    return [(one.name, one.game, one.package) for one in tx.execute(mine)]
