"""A club of many matches, made in seconds: one is played a little, and its rows are copied."""

from pathlib import Path

from tests.bench.matches import MATCH, advance, begin, open_club, submit
from tests.database import metadata

# What a row of the first match says of itself, and what its copies say.
_OWN = {"match": "id", "outbox": "id", "submission": "id", "declaration": "id"}


def many(folder: Path, number: int, plies: int = 0) -> str:
    """Return the URL of a database with so many matches that await an order: their first one, or
    the one after so many plies."""
    url, store = open_club(folder)
    begin(store)
    for _ in range(plies):
        submit(store)
        assert advance(store, MATCH)
    with store.transaction() as tx:
        tx.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        tx.exec_driver_sql(
            "CREATE TEMP TABLE copy AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
            f" SELECT i + 1 FROM n WHERE i < {number - 1}) SELECT i FROM n"
        )
        for table in metadata.sorted_tables:
            columns = [column.name for column in table.columns]
            if table.name != "match" and "match_id" not in columns:
                continue
            made = [_copied(table.name, name) for name in columns]
            chosen = "" if table.name == "match" else " WHERE match_id = 1"
            into = ", ".join(f'"{name}"' for name, how in zip(columns, made, strict=True) if how)
            what = ", ".join(how for how in made if how)
            tx.exec_driver_sql(
                f'INSERT INTO "{table.name}" ({into}) SELECT {what} FROM "{table.name}", copy'
                f"{chosen}"
            )
        tx.exec_driver_sql("DROP TABLE copy")
    store.close()
    return url


def _copied(table: str, column: str) -> str:
    if column == "id":
        return "id + i" if table == "match" else ""
    if column == "match_id":
        return "match_id + i"
    if (table, column) == ("match", "name"):
        return "'m' || i"
    if (table, column) == ("outbox", "key"):
        return f"replace(key, '{MATCH}', 'm' || i)"
    if (table, column) == ("outbox", "name"):
        return "name || i"
    return f'"{column}"'
