"""Show the operator a table of letters: what came in (`inbox_shown`), what goes out
(`outbox_shown`)."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import IN_PARTS, Tx

L = TypeVar("L")


class Shown(Struct, Generic[L], frozen=True, kw_only=True):
    """A table of letters as the operator is shown it.

    `rows` selects what each `kind` of letter tells of itself, `came` is when it came or was queued.
    `discreet` selects the letters that do not tell the operator who has sent orders, or who has
    not.
    """

    kind: type[L]
    table: sa.Table
    rows: sa.Select[Any]
    came: sa.Column[datetime]
    discreet: sa.ColumnElement[bool]

    def listed(
        self,
        tx: Tx,
        statuses: Sequence[str] = (),
        letter_id: int | None = None,
        *,
        discreet: bool = False,
        newest: int | None = None,
    ) -> list[L]:
        """Return letters, the oldest first: all of them, those with some statuses, or one; with
        `newest` no more than so many, the newest first."""
        wanted = self._wanted(statuses, discreet=discreet)
        if newest is None:
            wanted = wanted.order_by(self.table.c.id)
        else:
            wanted = wanted.order_by(self.came.desc(), self.table.c.id.desc()).limit(newest)
        if letter_id is not None:
            wanted = wanted.where(self.table.c.id == letter_id)
        return [self.kind(**row) for row in tx.execute(wanted).mappings()]

    def each(self, tx: Tx, statuses: Sequence[str], *, discreet: bool) -> Iterator[L]:
        """Yield what `listed` returns by time, without holding all of it."""
        wanted = self._wanted(statuses, discreet=discreet).order_by(self.came, self.table.c.id)
        for row in tx.execute(wanted, execution_options=IN_PARTS).mappings():
            yield self.kind(**row)

    def _wanted(self, statuses: Sequence[str], *, discreet: bool) -> sa.Select[Any]:
        wanted = self.rows
        if statuses:
            wanted = wanted.where(self.table.c.status.in_(list(statuses)))
        return wanted.where(self.discreet) if discreet else wanted
