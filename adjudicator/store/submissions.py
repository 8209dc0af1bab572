"""The sheets that were accepted, from the one in force to those of the plies to come.

Below them stands what is done with sheets for later turns, and what was adjudicated.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode, encode

from adjudicator.core.orders import Problem
from adjudicator.store.database import Tx
from adjudicator.store.tables import seat as seat_table
from adjudicator.store.tables import submission
from adjudicator.store.tables import turn as turn_table

DEFAULT = "default"  # the channel of orders that the game gives a silent seat


class Submission(Struct, frozen=True, kw_only=True):
    """A sheet as it was accepted.

    `lines` are its orders in canonical form; `channel` says how they came. It may have
    been sent `in_advance` of its turn.
    """

    seat: str
    ply: int
    revision: int
    received_at: datetime
    lines: tuple[str, ...]
    channel: str
    letter_id: int | None = None
    in_advance: bool = False


class KeptSheet(Struct, frozen=True, kw_only=True):
    """A sheet for a later turn. `lines` are canonical, `text` is as it was written, head too."""

    id: int
    seat: str
    ply: int
    turn: int
    revision: int
    lines: tuple[str, ...]
    text: str
    channel: str
    letter_id: int | None = None

    def __repr__(self) -> str:
        return f"KeptSheet({self.id})"  # never whose it is, nor what it says


COUNTS = submission.c.status.in_(["in force", "kept"])


def in_force_by_seat(rows: Iterable[Any], ply: int) -> Mapping[str, Submission]:
    """Return by seat the sheets that would be adjudicated in that ply, of rows that count."""
    found = (row for row in rows if row.status != "kept" and row.ply == ply)
    return {row.seat: as_in_force(row) for row in found}


def later_by_seat(rows: Iterable[Any]) -> Mapping[str, tuple[KeptSheet, ...]]:
    """Return by seat the sheets for later plies, the next first, of rows that count."""
    found: dict[str, tuple[KeptSheet, ...]] = {}
    for row in sorted((row for row in rows if row.status == "kept"), key=lambda row: row.ply):
        found[row.seat] = (*found.get(row.seat, ()), _as_kept(row))
    return found


def as_in_force(row: Any) -> Submission:
    return Submission(
        seat=row.seat,
        ply=row.ply,
        revision=row.revision,
        received_at=row.received_at,
        lines=decode(row.orders, type=tuple[str, ...]),
        channel=row.channel,
        letter_id=row.letter_id,
        in_advance=row.turn is not None,
    )


def _as_kept(row: Any) -> KeptSheet:
    return KeptSheet(
        id=row.id,
        seat=row.seat,
        ply=row.ply,
        turn=row.turn,
        revision=row.revision,
        lines=decode(row.orders, type=tuple[str, ...]),
        text=row.text,
        channel=row.channel,
        letter_id=row.letter_id,
    )


def _last(*of_ply: Any) -> Any:
    """Select the last revision of a seat for some plies, or the one above which it goes on after a
    restore, whichever is higher."""
    sent = sa.select(submission.c.revision).where(
        submission.c.match_id == sa.bindparam("of_match"),
        submission.c.seat == sa.bindparam("of_seat"),
        *of_ply,
    )
    told = sa.select(seat_table.c.above).where(
        seat_table.c.match_id == sa.bindparam("of_match"),
        seat_table.c.name == sa.bindparam("of_seat"),
    )
    both = sa.union_all(sent, told).subquery()
    return sa.select(sa.func.max(both.c.revision))


_LAST_REVISION = _last(submission.c.ply == sa.bindparam("of_ply"))

_BEFORE, _NOW = turn_table.alias("before"), turn_table.alias("now")
_BEFORE_THE_TURN = (
    sa.select(_BEFORE.c.ply)
    .where(
        _BEFORE.c.match_id == sa.bindparam("of_match"),
        _BEFORE.c.ply < sa.bindparam("of_ply"),
        _BEFORE.c.turn
        != sa.select(_NOW.c.turn)
        .where(
            _NOW.c.match_id == sa.bindparam("of_match"),
            _NOW.c.ply == sa.bindparam("of_ply") - 1,
        )
        .scalar_subquery(),
    )
    .order_by(_BEFORE.c.ply.desc())
    .limit(1)
)

# Receipts name a turn and a revision, and some turns have several plies for a seat: each of its
# powers has its own (Spies rule 5.1), or another seat has left. So revisions count through all
# plies of the coming one's turn. What was sent for a ply that was taken back counts as well.
_LAST_REVISION_OF_TURN = _last(
    submission.c.ply > sa.func.coalesce(_BEFORE_THE_TURN.scalar_subquery(), -1) + 1,
    sa.or_(submission.c.ply <= sa.bindparam("of_ply"), submission.c.turn.is_(None)),
)

# It counts the revisions itself; whoever stores a sheet has locked its match.
_NEXT_REVISION = (
    sa.insert(submission)
    .from_select(
        [
            "match_id",
            "ply",
            "seat",
            "revision",
            "received_at",
            "channel",
            "text",
            "orders",
            "status",
            "letter_id",
        ],
        sa.select(
            sa.bindparam("of_match", type_=sa.Integer),
            sa.bindparam("of_ply", type_=sa.Integer),
            sa.bindparam("of_seat", type_=sa.Text),
            sa.func.coalesce(_LAST_REVISION_OF_TURN.scalar_subquery(), 0) + 1,
            sa.bindparam("received_at", type_=submission.c.received_at.type),
            sa.bindparam("channel", type_=sa.Text),
            sa.bindparam("text", type_=sa.Text),
            sa.bindparam("orders", type_=sa.Text),
            sa.literal("in force"),
            sa.bindparam("letter_id", type_=sa.Integer),
        ),
    )
    .returning(submission.c.revision)
)

_REPLACED = (
    sa.update(submission)
    .where(
        submission.c.match_id == sa.bindparam("of_match"),
        submission.c.ply == sa.bindparam("of_ply"),
        submission.c.seat == sa.bindparam("of_seat"),
        submission.c.revision < sa.bindparam("of_revision"),
        submission.c.status == "in force",
    )
    .values(status="replaced")
)


def last_revision(tx: Tx, match_id: int, ply: int, seat: str) -> int:
    """Return the number of the seat's last sheet for that ply, or the one above which it goes on; 0
    if it has sent none."""
    asked = {"of_match": match_id, "of_ply": ply, "of_seat": seat}
    return tx.execute(_LAST_REVISION, asked).scalar() or 0


def last_revision_of_turn(tx: Tx, match_id: int, coming: int, seat: str) -> int:
    """Return the number of the seat's last sheet for the turn of the coming ply, or the one above
    which it goes on; 0 if it has sent none."""
    asked = {"of_match": match_id, "of_ply": coming, "of_seat": seat}
    return tx.execute(_LAST_REVISION_OF_TURN, asked).scalar() or 0


def store(
    tx: Tx,
    match_id: int,
    *,
    ply: int,
    seat: str,
    received_at: datetime,
    channel: str,
    lines: Sequence[str],
    text: str,
    letter_id: int | None = None,
    turn: int | None = None,
) -> int:
    """Put a sheet in force in place of the one before or, if it is for a later `turn`, keep it in
    place of the one that was kept for that; return its revision. `lines` are canonical, `text` is
    as it was written."""
    row = {
        "received_at": received_at,
        "channel": channel,
        "text": text,
        "orders": encode(tuple(lines)).decode(),
        "letter_id": letter_id,
    }
    if turn is not None:
        revision = last_revision(tx, match_id, ply, seat) + 1
        end_kept(tx, match_id, [seat], "replaced", ply=ply)
        of_turn = {"match_id": match_id, "ply": ply, "seat": seat, "turn": turn}
        kept = {**row, **of_turn, "revision": revision, "status": "kept"}
        tx.execute(sa.insert(submission).values(kept))
        return revision
    of_seat = {"of_match": match_id, "of_ply": ply, "of_seat": seat}
    revision = int(tx.execute(_NEXT_REVISION, {**row, **of_seat}).scalar_one())
    if revision > 1:
        # Any other key that is a column's name would be written into the older sheets.
        tx.execute(_REPLACED, {**of_seat, "of_revision": revision})
    return revision


# This statement runs in every turn and is built once: to build one costs more than to run it.
_IN_FORCE = sa.update(submission).where(
    submission.c.match_id == sa.bindparam("of_match"),
    submission.c.ply == sa.bindparam("of_ply"),
    submission.c.seat.in_(sa.bindparam("seats", expanding=True)),
    submission.c.status == "in force",
)


def close(tx: Tx, match_id: int, ply: int, seats: Iterable[str], status: str) -> int:
    """Give the sheets in force of these seats another status; return how many there were."""
    row = {"of_match": match_id, "of_ply": ply, "seats": list(seats), "status": status}
    return tx.execute(_IN_FORCE, row).rowcount


def withdraw_all(tx: Tx, match_id: int, seat: str) -> None:
    """Withdraw all sheets of a seat that are in force or kept, for whatever ply."""
    of_seat = (submission.c.match_id == match_id, submission.c.seat == seat)
    tx.execute(sa.update(submission).where(*of_seat, COUNTS).values(status="withdrawn"))


def carry(tx: Tx, match_id: int, ply: int, seats: Iterable[str]) -> None:
    """Move the sheets in force of these seats to the next ply."""
    of_seats = (*_of(match_id, ply), submission.c.seat.in_(list(seats)))
    _move(tx, match_id, of_seats, ply + 1)


def carry_kept(tx: Tx, match_id: int) -> None:
    """Move the kept sheets of a match to the next ply, the last first."""
    kept = sa.select(submission.c.id, submission.c.ply).where(
        submission.c.match_id == match_id, submission.c.status == "kept"
    )
    for row in sorted(tx.execute(kept).all(), key=lambda row: -row.ply):
        _move(tx, match_id, (submission.c.id == row.id,), row.ply + 1)


def bring_back(tx: Tx, match_id: int, ply: int) -> None:
    """Move the sheets in force back from the next ply to this one, where they replace the unused
    ones."""
    for seat in _move(tx, match_id, _of(match_id, ply + 1), ply):
        unused = (*_of(match_id, ply, "unused"), submission.c.seat == seat)
        tx.execute(sa.update(submission).where(*unused).values(status="replaced"))


def _move(tx: Tx, match_id: int, which: tuple[Any, ...], ply: int) -> list[str]:
    """Move sheets to another ply, and return their seats.

    A sheet keeps its revision unless that ply has one of that number or higher.
    """
    found = tx.execute(
        sa.select(submission.c.id, submission.c.seat, submission.c.revision).where(*which)
    ).all()
    for row in found:
        revision = max(row.revision, last_revision(tx, match_id, ply, row.seat) + 1)
        moved = sa.update(submission).where(submission.c.id == row.id)
        tx.execute(moved.values(ply=ply, revision=revision))
    return [row.seat for row in found]


def _of(match_id: int, ply: int, status: str = "in force") -> tuple[Any, ...]:
    of_match = submission.c.match_id == match_id
    return of_match, submission.c.ply == ply, submission.c.status == status


_IS_IN_USE = submission.c.status.in_(["in force", "used", "unused", "dropped"])


def reopen(tx: Tx, match_id: int, ply: int, *, but: Collection[str] = ()) -> None:
    """Open the sheets of a ply again, as they were before it; withdraw later sheets, and all that
    were sent in advance.

    Those of the seats `but` stay closed.
    """
    of_match = submission.c.match_id == match_id
    closed = sa.and_(
        of_match,
        submission.c.ply == ply,
        submission.c.status.in_(["used", "unused"]),
        submission.c.seat.not_in(list(but)),
        submission.c.turn.is_(None),
    )
    later = sa.and_(
        of_match, submission.c.ply > ply, submission.c.status.in_(["in force", "kept", "dropped"])
    )
    early = sa.and_(of_match, submission.c.ply == ply, submission.c.turn.is_not(None), _IS_IN_USE)
    tx.execute(sa.update(submission).where(early).values(status="withdrawn"))
    tx.execute(sa.update(submission).where(closed).values(status="in force"))
    tx.execute(sa.update(submission).where(later).values(status="withdrawn"))


# Sheets for later turns: kept until their turn comes, then put in force or dropped.


class AdvanceVerdict(Struct, frozen=True, kw_only=True):
    """The outcome of a sheet for a later turn: the line that was used, or why each was not."""

    ply: int = 0
    turn: int = 0
    used: tuple[int, str] | None = None
    fallen: tuple[Problem, ...] = ()
    revision: int = 0
    digest: str = ""  # of the orders that it gave
    hashed: str = ""  # before these


def use_kept(
    tx: Tx, sheet: KeptSheet, lines: Sequence[str], verdict: AdvanceVerdict, now: datetime
) -> None:
    """Put a kept sheet in force, with the orders that it has given."""
    changes = {
        "status": "in force",
        "orders": encode(tuple(lines)).decode(),
        "received_at": now,
        "verdict": encode(verdict).decode(),
    }
    tx.execute(sa.update(submission).where(submission.c.id == sheet.id).values(changes))


def drop_kept(tx: Tx, sheet: KeptSheet, verdict: AdvanceVerdict) -> None:
    """End a kept sheet that gave no order when its turn came."""
    changes = {"status": "dropped", "verdict": encode(verdict).decode()}
    tx.execute(sa.update(submission).where(submission.c.id == sheet.id).values(changes))


def end_kept(
    tx: Tx, match_id: int, seats: Iterable[str], status: str, *, ply: int | None = None
) -> None:
    """Give the sheets that are kept for these seats another status; only that of a ply, if one is
    given."""
    which = [
        submission.c.match_id == match_id,
        submission.c.seat.in_(list(seats)),
        submission.c.status == "kept",
    ]
    if ply is not None:
        which.append(submission.c.ply == ply)
    tx.execute(sa.update(submission).where(*which).values(status=status))


_VERDICTS = (
    sa.select(submission.c.seat, submission.c.verdict)
    .where(
        submission.c.match_id == sa.bindparam("of_match"),
        submission.c.ply >= sa.bindparam("since"),
        submission.c.verdict.is_not(None),
        submission.c.status.in_(["in force", "used", "dropped"]),
    )
    .order_by(submission.c.ply, submission.c.revision)
)


def verdicts(tx: Tx, match_id: int, since: int) -> dict[str, list[AdvanceVerdict]]:
    """Return by seat what became of the sheets in advance, of that ply and later ones.

    Of those that were put in force, the ones that were replaced or withdrawn later do not count.
    """
    found: dict[str, list[AdvanceVerdict]] = {}
    for row in tx.execute(_VERDICTS, {"of_match": match_id, "since": since}):
        found.setdefault(row.seat, []).append(decode(row.verdict, type=AdvanceVerdict))
    return found


def ordered_in_advance(tx: Tx, match_id: int, ply: int, seat: str) -> bool:
    """Return whether the order of the seat that a ply adjudicated had been sent in advance."""
    wanted = sa.select(submission.c.id).where(
        submission.c.match_id == match_id,
        submission.c.ply == ply,
        submission.c.seat == seat,
        submission.c.status == "used",
        submission.c.turn.is_not(None),
    )
    return tx.execute(wanted.limit(1)).first() is not None


def forget_verdicts(tx: Tx, match_id: int, seat: str) -> None:
    """Forget what became of a seat's sheets in advance: its next holder is told nothing of them."""
    of_seat = (submission.c.match_id == match_id, submission.c.seat == seat)
    judged = sa.update(submission).where(*of_seat, submission.c.verdict.is_not(None))
    tx.execute(judged.values(verdict=None))


# The sheets that were adjudicated.


class UsedSheet(Struct, frozen=True):
    """A sheet that was adjudicated; `turn` is the turn that it ordered."""

    letter_id: int | None
    revision: int
    turn: int


_USED = (
    sa.select(submission.c.letter_id, submission.c.revision, turn_table.c.turn)
    .where(
        submission.c.match_id == sa.bindparam("of_match"),
        submission.c.ply == sa.bindparam("of_ply"),
        submission.c.status == "used",
        turn_table.c.match_id == submission.c.match_id,
        turn_table.c.ply == submission.c.ply - 1,
    )
    .order_by(submission.c.id)
)


def used(tx: Tx, match_id: int, ply: int) -> list[UsedSheet]:
    """Return the sheets that a ply adjudicated."""
    return [UsedSheet(*row) for row in tx.execute(_USED, {"of_match": match_id, "of_ply": ply})]


_OWN_SINCE = (
    sa.select(submission, turn_table.c.turn.label("of_turn"))
    .where(
        submission.c.match_id == sa.bindparam("of_match"),
        submission.c.ply >= sa.bindparam("since"),
        submission.c.status == "used",
        submission.c.channel.not_in(["computer", DEFAULT]),
        turn_table.c.match_id == submission.c.match_id,
        turn_table.c.ply == submission.c.ply - 1,
    )
    .order_by(submission.c.ply)
)


def own_since(tx: Tx, match_id: int, ply: int) -> list[tuple[int, Submission]]:
    """Return the sheets of people that were adjudicated from a ply on, each with its turn."""
    rows = tx.execute(_OWN_SINCE, {"of_match": match_id, "since": ply})
    return [(row.of_turn, as_in_force(row)) for row in rows]


def all_used(tx: Tx, match_id: int) -> Mapping[int, Mapping[str, Submission]]:
    """Return the sheets that were adjudicated, by ply and seat."""
    wanted = sa.select(submission).where(
        submission.c.match_id == match_id, submission.c.status == "used"
    )
    found: dict[int, dict[str, Submission]] = {}
    for row in tx.execute(wanted):
        found.setdefault(row.ply, {})[row.seat] = as_in_force(row)
    return found


def last_used_ply(tx: Tx, match_id: int, seat: str, before: int) -> int:
    """Return the last ply before that one that adjudicated the seat's own orders; 0 if there is
    none."""
    wanted = sa.select(sa.func.max(submission.c.ply)).where(
        submission.c.match_id == match_id,
        submission.c.seat == seat,
        submission.c.ply < before,
        submission.c.status == "used",
        submission.c.channel != DEFAULT,
    )
    return tx.execute(wanted).scalar() or 0
