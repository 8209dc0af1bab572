"""Read what a database holds, as values that can be compared."""

from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa

from tests.database import Store, Tx, metadata, tables

# Columns of numbers that tell only in which order the rows came.
ROW_NUMBERS = {"submission": ["id"], "outbox": ["id"], "declaration": ["id"], "ruling": ["id"]}
# Columns of names that are drawn by lot.
DRAWN = {"outbox": ["name"], "club": ["mark", "epoch"], "player": ["token"]}
# Numbers of rows that were deleted: SQLite gives them again, a server does not.
REUSED = {"conduct": ["id"]}

Rows = Mapping[str, list[str]]


def rows_of(store: Store, *, numbered: bool = True, without: Collection[str] = ()) -> Rows:
    """Return every row of every table as text, sorted, without names that are drawn by lot.

    `numbered=False` leaves out the numbers that depend on which match came first; `without` names
    more columns to leave out.
    """
    with store.reading() as tx:
        return {
            name: sorted(
                str([value for key, value in row.items() if key not in hidden])
                for row in tx.execute(sa.select(table)).mappings()
            )
            for name, table in metadata.tables.items()
            for numbers in [() if numbered else ROW_NUMBERS.get(name, ())]
            for hidden in [{*without, *numbers, *DRAWN.get(name, ()), *REUSED.get(name, ())}]
        }


def count(store: Store, name: str) -> int:
    with store.reading() as tx:
        found: Any = tx.execute(sa.select(sa.func.count()).select_from(metadata.tables[name]))
        return int(found.scalar_one())


def letters_in(tx: Tx) -> dict[str, int]:
    """Return how many emails that came in have each status."""
    wanted = sa.select(tables.email.c.status, sa.func.count()).group_by(tables.email.c.status)
    return {status: int(n) for status, n in tx.execute(wanted.order_by(tables.email.c.status))}
