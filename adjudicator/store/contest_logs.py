"""The rows of the logs of tournaments and ladders (core/contest_log.py)."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, structs

from adjudicator.store import rows
from adjudicator.store.database import Tx
from adjudicator.store.tables_club import ladder_log, tournament_log


class LoggedLine(Struct, frozen=True, kw_only=True):
    """A line of a log with its number and its head, and the club's epoch when it was written."""

    n: int
    line: str
    head: str
    epoch: str


@rows.of(tournament_log)
class TournamentLogRow(LoggedLine, frozen=True, kw_only=True):
    pass


@rows.of(ladder_log)
class LadderLogRow(LoggedLine, frozen=True, kw_only=True):
    pass


class LogTable(Struct, frozen=True):
    """Where the log of a tournament or a ladder is: its kind of rows, and the column that names
    it."""

    kind: type[LoggedLine]
    key: str

    def of(self, id_: int) -> Mapping[str, Any]:
        return {self.key: id_}


TOURNAMENTS = LogTable(TournamentLogRow, "tournament_id")
LADDERS = LogTable(LadderLogRow, "ladder_id")


def log(tx: Tx, table: LogTable, id_: int) -> list[LoggedLine]:
    """Return the log of a tournament or a ladder; empty if it has none."""
    return rows.find(tx, table.kind, **table.of(id_))


def last_line(tx: Tx, table: LogTable, id_: int) -> LoggedLine | None:
    n = rows.TIES[table.kind].table.c.n
    return rows.first(tx, table.kind, order=n.desc(), **table.of(id_))


def add_line(tx: Tx, table: LogTable, id_: int, line: LoggedLine) -> None:
    rows.add(tx, table.kind, **table.of(id_), **structs.asdict(line))
