"""What people, matches, tournaments and ladders have chosen once and nobody may know any more: time
zones and languages."""

from collections.abc import Callable, Mapping

import sqlalchemy as sa
from msgspec.json import decode

from adjudicator.store.database import Tx
from adjudicator.store.tables import match, player
from adjudicator.store.tables_ladders import ladder
from adjudicator.store.tables_tournaments import tournament

Chosen = Mapping[str, list[str]]  # the names of who has chosen it, by what it is
IsKnown = Callable[[str], bool]


def strange_of_players(tx: Tx, column: str, is_known: IsKnown) -> Chosen:
    """Return the players who have something in a column that is not known."""
    chosen, living = player.c[column], player.c.erased_at.is_(None)
    all_of_them = tx.execute(sa.select(chosen).where(living).distinct()).scalars()
    found: dict[str, list[str]] = {one: [] for one in all_of_them if not is_known(one)}
    if found:
        whose = sa.select(chosen, player.c.name).where(living, chosen.in_([*found]))
        for value, name in tx.execute(whose.order_by(player.c.id)):
            found[value].append(name)
    return found


_GOING = (
    (match, match.c.status != "over"),
    (tournament, tournament.c.status.in_(("open", "playing", "held"))),
    (ladder, ladder.c.status == "open"),
)


def strange_zones_of_matches(tx: Tx, is_known: IsKnown) -> Chosen:
    """Return the matches that go on, and what makes matches, whose zone is not known."""
    found: dict[str, list[str]] = {}
    for table, is_going in _GOING:
        texts = tx.execute(sa.select(table.c.options).where(is_going).distinct()).scalars()
        strange = {text: zone for text in texts if (zone := _zone(text)) and not is_known(zone)}
        if strange:
            whose = sa.select(table.c.options, table.c.name)
            whose = whose.where(is_going, table.c.options.in_([*strange])).order_by(table.c.id)
            for text, name in tx.execute(whose):
                found.setdefault(strange[text], []).append(name)
    return found


def _zone(text: str) -> str | None:
    """Return the zone that options name; None if they name none, or cannot be read."""
    try:
        options = decode(text, type=dict[str, str] | list[str])
    except ValueError:
        return None
    if isinstance(options, list):
        options = dict(one.split("=", 1) for one in options if "=" in one)
    return options.get("timezone")
