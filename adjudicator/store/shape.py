"""Compare the tables of a database with those that the program works with."""

import sqlalchemy as sa

from adjudicator.store.database import Tx
from adjudicator.store.tables import metadata


def lacking(tx: Tx) -> str | None:
    """Return the first column that is not there, as `match.board`, or table; None if all are.

    The number of a database says which migrations it went through, not what they did: a program
    between two versions may have had another one of the same number.
    """
    there = sa.inspect(tx)
    found = set(there.get_table_names())
    for table in metadata.sorted_tables:
        if table.name not in found:
            return table.name
        columns = {column["name"] for column in there.get_columns(table.name)}
        for column in table.c:
            if column.name not in columns:
                return f"{table.name}.{column.name}"
    return None
