"""What people, matches, tournaments and ladders have chosen once and nobody may know any more: time
zones, languages and options."""

from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode

from adjudicator.store.database import Tx
from adjudicator.store.tables import match, player
from adjudicator.store.tables_club import ladder, tournament


class Choice(Struct, frozen=True):
    """Something chosen, `of` a kind: a player's zone or language, or the options of a game in a
    match, a tournament or a ladder, as text."""

    of: str
    game: str
    value: str

    @property
    def options(self) -> Mapping[str, str] | None:
        """Return the options; None if they cannot be read."""
        try:
            options = decode(self.value, type=dict[str, str] | list[str])
        except ValueError:
            return None
        if isinstance(options, list):
            options = dict(one.split("=", 1) for one in options if "=" in one)
        return options


_living = player.c.erased_at.is_(None)
_SOURCES: Mapping[str, tuple[Any, sa.ColumnElement[str], sa.ColumnElement[bool]]] = {
    "zone": (player, sa.literal(""), _living),
    "language": (player, sa.literal(""), _living),
    "match": (match, match.c.game, match.c.status != "over"),
    "tournament": (
        tournament,
        tournament.c.game,
        tournament.c.status.in_(("open", "playing", "held")),
    ),
    "ladder": (ladder, ladder.c.game, ladder.c.status == "open"),
}


def _value(of: str) -> sa.ColumnElement[str]:
    table, _, _ = _SOURCES[of]
    value: sa.ColumnElement[str] = table.c[of if of in ("zone", "language") else "options"]
    return value


_ALL = sa.union(
    *(
        sa.select(sa.literal(of), game, _value(of)).select_from(table).where(is_going)
        for of, (table, game, is_going) in _SOURCES.items()
    )
)


def in_use(tx: Tx) -> list[Choice]:
    """Return what is chosen now, each once, however many have chosen it."""
    return sorted((Choice(*row) for row in tx.execute(_ALL)), key=lambda one: (one.of, one.value))


def names(tx: Tx, found: Collection[Choice]) -> list[str]:
    """Return who, or what, has one of these choices; they are all of one kind or several."""
    named: dict[str, None] = {}
    for one in found:
        table, game, is_going = _SOURCES[one.of]
        its = (is_going, game == one.game, _value(one.of) == one.value)
        wanted = sa.select(table.c.name).where(*its).order_by(table.c.id)
        named |= dict.fromkeys(tx.execute(wanted).scalars())
    return list(named)
