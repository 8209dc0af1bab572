"""What people, matches, tournaments and ladders have chosen once and nobody may know any more: time
zones and languages."""

from collections.abc import Callable, Collection, Mapping

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


def strange_of_matches(
    tx: Tx, strange: Callable[[str, Mapping[str, str]], Collection[str]]
) -> Chosen:
    """Return the matches that go on, and what makes matches, by what is `strange` in their options;
    it is asked once for a game and options. Options that cannot be read at all are left out."""
    found: dict[str, list[str]] = {}
    for table, is_going in _GOING:
        columns = (table.c.game, table.c.options)
        chosen = [tuple(row) for row in tx.execute(sa.select(*columns).where(is_going).distinct())]
        told = {one: some for one in chosen if (some := strange(one[0], _options(one[1])))}
        if told:
            whose = sa.select(*columns, table.c.name)
            whose = whose.where(is_going, table.c.options.in_({text for _, text in told}))
            for game, text, name in tx.execute(whose.order_by(table.c.id)):
                for one in told.get((game, text), ()):
                    found.setdefault(one, []).append(name)
    return found


def _options(text: str) -> Mapping[str, str]:
    try:
        options = decode(text, type=dict[str, str] | list[str])
    except ValueError:
        return {}
    if isinstance(options, list):
        options = dict(one.split("=", 1) for one in options if "=" in one)
    return options
