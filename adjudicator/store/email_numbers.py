"""The numbers of emails to a seat's holder, which their values have: from 1, by one.

A number is given in the transaction that makes an email's bytes, and these keep it as often as they
are sent. It is used up even if they never are: then later values say that it was skipped. An email
that came back keeps its number when it goes again.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from msgspec import Struct, structs

from adjudicator.core.match import Seat
from adjudicator.store.database import Tx
from adjudicator.store.tables import outbox
from adjudicator.store.tables_club import email_number


class EmailNumber(Struct, frozen=True):
    """The number of an email, the SHA-256 of the value that was numbered before it and not skipped,
    and the numbers below it that were skipped."""

    n: int
    before: str | None
    skipped: tuple[int, ...]


_C = email_number.c
_newer = email_number.alias()
# The bytes that an email has now are those that were made last.
_IS_NEWEST = sa.not_(sa.exists().where(_newer.c.outbox_id == _C.outbox_id, _newer.c.id > _C.id))
_STANDS = sa.or_(
    _C.sent == 1,
    sa.and_(_IS_NEWEST, outbox.c.raw.is_not(None), outbox.c.id != sa.bindparam("of_outbox")),
)
_GIVEN = (
    sa.select(
        _C.n,
        _C.digest,
        sa.func.coalesce(_STANDS, sa.false()).label("stands"),
        sa.and_(_C.outbox_id == sa.bindparam("of_outbox"), _C.sent == 1, _IS_NEWEST).label("own"),
    )
    .select_from(email_number.outerjoin(outbox, outbox.c.id == _C.outbox_id))
    .where(
        _C.match_id == sa.bindparam("of_match"),
        _C.seat == sa.bindparam("of_seat"),
        _C.tenure == sa.bindparam("of_tenure"),
    )
    .order_by(_C.n)
)


def next_number(tx: Tx, match_id: int, seat: Seat, tenure: int, outbox_id: int) -> EmailNumber:
    """Return the number that the bytes get which are now made for an email to a seat's holder, in
    place of those that it may have. One that was sent and came back has the number that it had."""
    of = {"of_match": match_id, "of_seat": seat, "of_tenure": tenure}
    every = tx.execute(_GIVEN, {**of, "of_outbox": outbox_id}).all()
    own = next((one.n for one in every if one.own), None)
    given = [one for one in every if own is None or one.n < own]
    skipped = tuple(one.n for one in given if not one.stands)
    before = next((str(one.digest) for one in reversed(given) if one.stands), None)
    return EmailNumber(own or (given[-1].n + 1 if given else 1), before, skipped)


class GivenNumber(Struct, frozen=True, kw_only=True):
    """The number of the bytes of an email that have just been made, and its value's digest."""

    match_id: int
    seat: Seat
    tenure: int
    n: int
    outbox_id: int
    digest: str


def give(tx: Tx, number: GivenNumber) -> None:
    """Note a number; that of an email which goes again is noted already."""
    said = structs.asdict(number)
    known = (_C.match_id, _C.seat, _C.tenure, _C.n)
    again = sa.update(email_number).where(*(column == said[column.name] for column in known))
    if not tx.execute(again.values(digest=number.digest)).rowcount:
        tx.execute(sa.insert(email_number), said)


_SENT = (
    sa.update(email_number)
    .where(_C.outbox_id.in_(sa.bindparam("ids", expanding=True)), _IS_NEWEST)
    .values(sent=1)
)


def mark_sent(tx: Tx, email_ids: Sequence[int]) -> None:
    """Note that the bytes of emails were handed over."""
    tx.execute(_SENT, {"ids": list(email_ids)})
