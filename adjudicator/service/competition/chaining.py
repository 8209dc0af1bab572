"""Add a line to the log of a tournament or a ladder, in the transaction of what it tells."""

from datetime import datetime
from typing import TypeVar

from msgspec import structs

from adjudicator.core import contest_log
from adjudicator.core.contest_log import ContestLine, RestoredLine
from adjudicator.service.base.calendar import rfc3339
from adjudicator.store import clubs, contest_logs
from adjudicator.store.contest_logs import LoggedLine, LogTable
from adjudicator.store.database import Tx

L = TypeVar("L", bound=ContestLine)
LABELS = {contest_logs.TOURNAMENTS: contest_log.LABEL, contest_logs.LADDERS: contest_log.LADDER}


def add(tx: Tx, table: LogTable, id_: int, name: str, line: L, now: datetime) -> L:
    """Add a line to the log of what is called so, whose row is locked; return it as it stands
    there. After a restore a line says so first."""
    last, epoch = contest_logs.last_line(tx, table, id_), clubs.epoch(tx)
    n, before = (last.n + 1, last.head) if last else (1, "")
    if last is not None and last.epoch != epoch and not isinstance(line, RestoredLine):
        add(tx, table, id_, name, RestoredLine(epoch=epoch), now)
        return add(tx, table, id_, name, line, now)
    numbered = structs.replace(line, n=n, at=rfc3339(now))
    text = contest_log.write(numbered)
    head = contest_log.head(name, n, before, text, LABELS[table])
    contest_logs.add_line(tx, table, id_, LoggedLine(n=n, line=text, head=head, epoch=epoch))
    return numbered
