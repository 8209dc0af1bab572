"""The sheets that were adjudicated."""

from collections.abc import Mapping

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.submissions import DEFAULT, Submission, as_in_force
from adjudicator.store.tables import submission
from adjudicator.store.tables import turn as turn_table


class Used(Struct, frozen=True):
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


def used(tx: Tx, match_id: int, ply: int) -> list[Used]:
    """Return the sheets that a ply adjudicated."""
    return [Used(*row) for row in tx.execute(_USED, {"of_match": match_id, "of_ply": ply})]


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
