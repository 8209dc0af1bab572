"""Sheets for later turns: kept until their turn comes, then put in force or dropped."""

from collections.abc import Iterable, Sequence
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode, encode

from adjudicator.core.orders import Problem
from adjudicator.store.database import Tx
from adjudicator.store.submissions import KeptSheet, NewSheet, Submission, last_revision
from adjudicator.store.tables import submission


class Verdict(Struct, frozen=True, kw_only=True):
    """The outcome of a sheet for a later turn: the line that was used, or why each was not."""

    ply: int = 0
    turn: int = 0
    used: tuple[int, str] | None = None
    fallen: tuple[Problem, ...] = ()
    revision: int = 0
    digest: str = ""  # of the orders that it gave


def keep(tx: Tx, new: NewSheet, turn: int) -> KeptSheet:
    """Keep a sheet for a later turn, in place of the one that was kept for it."""
    revision = last_revision(tx, new.match_id, new.ply, new.seat) + 1
    end_kept(tx, new.match_id, [new.seat], "replaced", ply=new.ply)
    values = {
        "match_id": new.match_id,
        "ply": new.ply,
        "seat": new.seat,
        "revision": revision,
        "received_at": new.received_at,
        "channel": new.channel,
        "text": new.text,
        "orders": encode(tuple(new.lines)).decode(),
        "status": "kept",
        "letter_id": new.letter_id,
        "turn": turn,
    }
    number = tx.execute(sa.insert(submission).values(values).returning(submission.c.id))
    return KeptSheet(
        id=number.scalar_one(),
        seat=new.seat,
        ply=new.ply,
        turn=turn,
        revision=revision,
        lines=tuple(new.lines),
        text=new.text,
        channel=new.channel,
        letter_id=new.letter_id,
    )


def use(
    tx: Tx, sheet: KeptSheet, lines: Sequence[str], verdict: Verdict, now: datetime
) -> Submission:
    """Put a kept sheet in force, with the orders that it has given."""
    changes = {
        "status": "in force",
        "orders": encode(tuple(lines)).decode(),
        "received_at": now,
        "verdict": encode(verdict).decode(),
    }
    tx.execute(sa.update(submission).where(submission.c.id == sheet.id).values(changes))
    return Submission(
        seat=sheet.seat,
        ply=sheet.ply,
        revision=sheet.revision,
        received_at=now,
        lines=tuple(lines),
        channel=sheet.channel,
        letter_id=sheet.letter_id,
        in_advance=True,
    )


def drop(tx: Tx, sheet: KeptSheet, verdict: Verdict) -> None:
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


def verdicts(tx: Tx, match_id: int, since: int) -> dict[str, list[Verdict]]:
    """Return by seat what became of the sheets in advance, of that ply and later ones.

    Of those that were put in force, the ones that were replaced or withdrawn later do not count.
    """
    found: dict[str, list[Verdict]] = {}
    for row in tx.execute(_VERDICTS, {"of_match": match_id, "since": since}):
        found.setdefault(row.seat, []).append(decode(row.verdict, type=Verdict))
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
