"""All rows from which a match is loaded beside its own, asked in one statement; for many matches
in four.

The one statement is part of every email and every ply. A match has few seats, and a seat has few
sheets that count and two declarations at most; so their product is small.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import matches, rulings, submissions
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
from adjudicator.store.rows import unpack
from adjudicator.store.rulings import Declaration
from adjudicator.store.submissions import KeptSheet, Submission
from adjudicator.store.tables import declaration, match, player, seat, submission, turn


class MatchRows(Struct, frozen=True, kw_only=True):
    """The last ply: the JSON of the state after it, when it was adjudicated, the head of the log's
    chain there and how many events were added since. The holder of each seat. The sheets in force
    for the coming ply and those that are kept for later ones, the next first. The declarations that
    are pending or standing, by time of receipt."""

    snapshot: Any
    since: datetime
    head: str | None
    added: int
    holders: Mapping[str, Holder]
    sheets: Mapping[str, Submission]
    kept: Mapping[str, tuple[KeptSheet, ...]]
    declarations: Sequence[Declaration]

    def __repr__(self) -> str:
        return "MatchRows()"  # never the state, nor sheets


_PLY = (
    turn.c.ply,
    turn.c.adjudicated_at,
    sa.type_coerce(turn.c.snapshot, sa.Text).label("snapshot"),  # unpacked once, not for each row
    turn.c.head,
    turn.c.added,
)
_DECLARED = (
    declaration.c.id,
    declaration.c.seat,
    declaration.c.kind,
    declaration.c.received_at,
    declaration.c.status,
)
_PARTS: Sequence[Sequence[Any]] = (matches.HOLDER, _PLY, _DECLARED, tuple(submission.c))
_NAMES = [[column.name for column in part] for part in _PARTS]
_COLUMNS = [column for part in _PARTS for column in part]
_DECLARES = sa.and_(
    declaration.c.match_id == seat.c.match_id,
    declaration.c.seat == seat.c.name,
    rulings.IS_OPEN,
)
_ORDERS = sa.and_(
    submission.c.match_id == seat.c.match_id,
    submission.c.seat == seat.c.name,
    submission.c.ply > sa.bindparam("of_ply"),
    submissions.COUNTS,
)
_WHOLE = (
    sa.select(*(column.label(f"c{number}") for number, column in enumerate(_COLUMNS)))
    .select_from(
        seat.outerjoin(player)
        .join(turn, turn.c.match_id == seat.c.match_id)
        .outerjoin(declaration, _DECLARES)
        .outerjoin(submission, _ORDERS)
    )
    .where(seat.c.match_id == sa.bindparam("of_match"), turn.c.ply == sa.bindparam("of_ply"))
)


def of_match(tx: Tx, match_id: int, ply: int) -> MatchRows:
    """Return what belongs to a match of which that ply is the last."""
    rows = tx.execute(_WHOLE, {"of_match": match_id, "of_ply": ply}).all()
    seats, plies, declared, sheets = zip(*map(_split_row, rows), strict=True)
    holders = {row.name: matches.as_holder(row) for row in seats}
    return _read(holders, plies[0], _each_once(declared), _each_once(sheets))


def _read(
    holders: Mapping[str, Holder],
    last: SimpleNamespace,
    declared: Collection[SimpleNamespace],
    sheets: Collection[SimpleNamespace],
) -> MatchRows:
    made = (Declaration(**vars(one)) for one in declared)
    return MatchRows(
        snapshot=unpack(last.snapshot),
        since=last.adjudicated_at,
        head=last.head,
        added=last.added,
        holders=holders,
        sheets=submissions.in_force_by_seat(sheets, last.ply + 1),
        kept=submissions.later_by_seat(sheets),
        declarations=sorted(made, key=lambda one: (one.received_at, one.id)),
    )


_AMONG = match.c.id.in_(sa.bindparam("of_matches", expanding=True))
_PLIES = sa.select(match.c.id.label("of"), *_PLY).where(
    _AMONG, turn.c.match_id == match.c.id, turn.c.ply == match.c.ply
)
_DECLARATIONS = sa.select(match.c.id.label("of"), *_DECLARED).where(
    _AMONG, declaration.c.match_id == match.c.id, rulings.IS_OPEN
)
_SHEETS = sa.select(match.c.id.label("of"), *submission.c).where(
    _AMONG,
    submission.c.match_id == match.c.id,
    submission.c.ply > match.c.ply,
    submissions.COUNTS,
)


class RowsOfMatch(Struct, frozen=True):
    """The rows of a match among many; to read them fails for that match alone."""

    holders: Mapping[str, Holder]
    last: SimpleNamespace
    declared: Sequence[SimpleNamespace]
    sheets: Sequence[SimpleNamespace]

    def read(self) -> MatchRows:
        return _read(self.holders, self.last, self.declared, self.sheets)


def of_matches(tx: Tx, match_ids: Sequence[int]) -> dict[int, RowsOfMatch]:
    """Return what belongs to each of these matches that has its last ply."""
    holders = matches.holders_of(tx, match_ids)
    declared, sheets = (_by_match(tx, one, match_ids) for one in (_DECLARATIONS, _SHEETS))
    return {
        of: RowsOfMatch(holders[of], last, declared.get(of, ()), sheets.get(of, ()))
        for of, (last,) in _by_match(tx, _PLIES, match_ids).items()
    }


def _by_match(
    tx: Tx, wanted: sa.Select[Any], match_ids: Sequence[int]
) -> dict[int, list[SimpleNamespace]]:
    """Return the rows of each match, whose id comes first."""
    result = tx.execute(wanted, {"of_matches": match_ids})
    names = [*result.keys()][1:]
    found: dict[int, list[SimpleNamespace]] = {}
    for match_id, *values in result.all():
        row = SimpleNamespace(**dict(zip(names, values, strict=True)))
        found.setdefault(match_id, []).append(row)
    return found


def _split_row(row: Iterable[Any]) -> list[SimpleNamespace]:
    """Divide a row into those of the tables from which it was joined."""
    values = iter(row)
    return [SimpleNamespace(**{name: next(values) for name in names}) for names in _NAMES]


def _each_once(rows: Iterable[SimpleNamespace]) -> Collection[SimpleNamespace]:
    """Return each row once, however often it was joined."""
    return {row.id: row for row in rows if row.id is not None}.values()
