"""What becomes of what a column holds of people; each column says it where its table is made.

A column of text or bytes, and one that names a player, has a `Whose` in its `info`; so has any
other that the export of a person's data shows. What is exported, cleaned, emptied and deleted, and
who is remembered, follows from these and from no other list (docs/security.md, "A person's data").
"""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import UNSET, Struct
from sqlalchemy import Column, Table

from adjudicator.store.metadata import metadata


class Whose(Struct, frozen=True, kw_only=True):
    """What becomes of a column. Without any of these it has words and numbers of the program."""

    export: bool = False  # the export of a person's data shows it, if it is his
    clean: str = ""  # text, json, bytes: whoever is erased is taken out of what others wrote
    of_match: str = ""  # cleaned, hashed: the same, match by match; what is hashed is only told
    is_hashed: bool = False  # or a match is verified by it: it stays
    goes: bool = False  # with its row, or it is replaced, when its person is erased
    empty: Any = UNSET  # its value once its person is erased, or `[keep]` keeps it no longer
    is_choice: bool = False  # of a player's, which an export names as the column is called
    row: str = ""  # deleted, emptied, stays: the row of a player who is erased


def words(**how: Any) -> dict[str, Whose]:
    """Return the `info` of a column that may hold words of people."""
    return {"whose": Whose(**how)}


def person(row: str) -> dict[str, Whose]:
    """Return the `info` of a column that names a player: what becomes of the row if he is
    erased. A player whom a row that stays names cannot be removed without that."""
    return {"whose": Whose(row=row)}


OURS = words()  # words of the program: seats, states, keys, codes, addresses of the club
SHOWN = words(export=True)  # the same, and times and numbers, that an export shows
HASHED = words(is_hashed=True)
GOES = words(goes=True)


def of(column: Column[Any]) -> Whose | None:
    found: Whose | None = column.info.get("whose")
    return found


def columns(tables: Iterable[Table] | None = None, /, **how: Any) -> Sequence[Column[Any]]:
    """Return the columns that say this of themselves, in the order of their tables."""
    every = metadata.tables.values() if tables is None else tables
    return [
        column
        for table in every
        for column in table.c
        if (found := of(column)) and all(getattr(found, name) == how[name] for name in how)
    ]


def exported(table: Table) -> Sequence[Column[Any]]:
    """Return what an export of somebody's data shows of his rows."""
    return columns([table], export=True)


def emptied(table: Table) -> dict[str, Any]:
    """Return what a row has in its columns once nobody is to read any more what it said."""
    return {
        one.name: of_it.empty for one in table.c if (of_it := of(one)) and of_it.empty is not UNSET
    }
