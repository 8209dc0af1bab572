"""Show the operator the outbox: the letters that go out, and those that wait.

He is never shown who has sent orders; `store/outbox` opens with the theory.
"""

from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.letters_shown import Shown
from adjudicator.store.outbox import ANSWERS
from adjudicator.store.tables import match, outbox, player, submission


class Queued(Struct, frozen=True, kw_only=True):
    """A letter as the operator's list shows it: to whom and when, never what it says."""

    id: int
    name: str
    key: str
    kind: str
    match: str | None
    seat: str | None
    to: str | None
    created_at: datetime
    status: str
    tries: int
    next_at: datetime | None
    sent_at: datetime | None


_TO_ADVANCE = (
    sa.select(submission.c.id)
    .where(
        submission.c.match_id == outbox.c.match_id,
        submission.c.seat == outbox.c.seat,
        submission.c.turn.is_not(None),
        (outbox.c.key + "/").like(
            "%/" + outbox.c.kind + "/" + sa.cast(submission.c.letter_id, sa.Text) + "/%"
        ),
    )
    .exists()
)

_DISCREET = sa.or_(
    sa.and_(outbox.c.match_id.is_(None), outbox.c.kind != "reminder"),  # a digest
    outbox.c.status == "stuck",
    match.c.status == "over",
    sa.and_(outbox.c.kind == "reminder", outbox.c.ply <= match.c.ply),
    sa.and_(outbox.c.kind.in_(ANSWERS), outbox.c.ply < match.c.ply, sa.not_(_TO_ADVANCE)),
    outbox.c.kind.not_in(["reminder", *ANSWERS]),
)

_LISTED = sa.select(
    outbox.c.id,
    outbox.c.name,
    outbox.c.key,
    outbox.c.kind,
    match.c.name.label("match"),
    outbox.c.seat,
    player.c.name.label("to"),
    outbox.c.created_at,
    outbox.c.status,
    outbox.c.tries,
    outbox.c.next_at,
    outbox.c.sent_at,
).select_from(outbox.outerjoin(match).outerjoin(player))

LETTERS_OUT = Shown(
    kind=Queued, table=outbox, rows=_LISTED, came=outbox.c.created_at, discreet=_DISCREET
)


def counts(tx: Tx) -> dict[str, int]:
    """Return how many letters have each status, without those that would tell who has not sent
    yet."""
    wanted = (
        sa.select(outbox.c.status, sa.func.count())
        .select_from(outbox.outerjoin(match))
        .where(_DISCREET)
        .group_by(outbox.c.status)
    )
    return {status: int(n) for status, n in tx.execute(wanted.order_by(outbox.c.status))}


def longest_due(tx: Tx) -> datetime | None:
    """Return since when the longest waiting letter should have gone out.

    Letters that would tell who has not sent orders yet are left out.
    """
    return _first_of_waiting(tx, outbox.c.next_at)


def oldest_waiting(tx: Tx) -> datetime | None:
    """Return when the oldest waiting letter was queued.

    Letters that would tell who has not sent orders yet are left out.
    """
    return _first_of_waiting(tx, outbox.c.created_at)


def _first_of_waiting(tx: Tx, moment: sa.Column[datetime]) -> datetime | None:
    wanted = sa.select(moment).select_from(outbox.outerjoin(match))
    wanted = wanted.where(outbox.c.status == "waiting", _DISCREET)
    return tx.execute(wanted.order_by(moment).limit(1)).scalar()


class PutOff(Struct, frozen=True):
    """The letters that wait because no server took them when they were tried.

    `n` is how many there are, `since` when the oldest of them was queued, `reason` what the server
    said to the newest.
    """

    n: int
    since: datetime
    reason: str


def put_off(tx: Tx, before: datetime) -> PutOff | None:
    """Return the tried letters that were queued before that moment and still wait; None if there
    are none.

    Letters that would tell who has not sent orders yet are left out.
    """
    late = sa.and_(
        outbox.c.status == "waiting",
        outbox.c.tries > 0,
        outbox.c.created_at < before,
        _DISCREET,
    )
    of_all = sa.select(sa.func.count(), sa.func.min(outbox.c.created_at), sa.func.max(outbox.c.id))
    n, since, newest = tx.execute(of_all.select_from(outbox.outerjoin(match)).where(late)).one()
    if not n:
        return None
    said = tx.execute(sa.select(outbox.c.reason).where(outbox.c.id == newest)).scalar()
    return PutOff(n, since, said or "")
