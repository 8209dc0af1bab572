"""The numbers of emails to a seat's holder, which their values have: from 1, by one.

A number is given in the transaction that makes an email's bytes, and these keep it as often as they
are sent. A daily email has one for each of its parts to a seat. Bytes that are made anew and say
the same keep it, too. Others get the next one; that of bytes which never went is used up, and later
values say that it was skipped. So a number never stands for two different values in one epoch of
the club.
"""

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, structs

from adjudicator.core.match import Seat
from adjudicator.store.database import Tx, insert_once
from adjudicator.store.tables import outbox
from adjudicator.store.tables_club import email_number


class EmailNumber(Struct, frozen=True):
    """The number of an email, the SHA-256 of the value that was numbered before it and not skipped,
    and the numbers below it that were skipped. `digest` is that of the value that has this number
    already, if one has."""

    n: int
    before: str | None
    skipped: tuple[int, ...]
    digest: str | None = None


_C = email_number.c
_newer = email_number.alias()
# The bytes that an email has now are those that were made last.
_IS_NEWEST = sa.not_(sa.exists().where(_newer.c.outbox_id == _C.outbox_id, _newer.c.id > _C.id))
_carrier = outbox.alias()
_HAS_BYTES = sa.or_(
    outbox.c.raw.is_not(None),
    outbox.c.id.in_(sa.bindparam("beside", expanding=True)),
    sa.exists().where(_carrier.c.id == outbox.c.carrier_id, _carrier.c.raw.is_not(None)),
)
_STANDS = sa.or_(
    _C.sent == 1,
    sa.and_(_IS_NEWEST, _HAS_BYTES, outbox.c.id != sa.bindparam("of_outbox")),
)
_GIVEN = (
    sa.select(
        _C.n,
        _C.digest,
        sa.func.coalesce(_STANDS, sa.false()).label("stands"),
        _C.sent,
        sa.and_(_C.outbox_id == sa.bindparam("of_outbox"), _IS_NEWEST).label("own"),
        outbox.c.carrier_id,
    )
    .select_from(email_number.outerjoin(outbox, outbox.c.id == _C.outbox_id))
    .where(
        _C.match_id == sa.bindparam("of_match"),
        _C.seat == sa.bindparam("of_seat"),
        _C.tenure == sa.bindparam("of_tenure"),
    )
    .order_by(_C.n)
)


def numbers(
    tx: Tx, match_id: int, seat: Seat, tenure: int, outbox_id: int, beside: Collection[int] = ()
) -> tuple[EmailNumber | None, EmailNumber]:
    """Return the number that an email to a seat's holder has, and the next one. It has none if its
    bytes never were, or were thrown away unsent and a later email has said so. Those that stand
    `beside` it in a daily email were numbered just now, before that has its bytes."""
    of = {"of_match": match_id, "of_seat": seat, "of_tenure": tenure, "beside": list(beside)}
    given = tx.execute(_GIVEN, {**of, "of_outbox": outbox_id}).all()
    own = next((at for at, one in enumerate(given) if one.own), None)
    coming = _after(given, given[-1].n + 1 if given else 1)
    if own is None or not (given[own].sent or _may_stay(given, own)):
        return None, coming
    return _after(given[:own], given[own].n, given[own].digest), coming


def _may_stay(given: Sequence[sa.Row[Any]], own: int) -> bool:
    """Return whether no later email can have said that a number was skipped: those that have later
    ones stand with it in a daily email."""
    daily = given[own].carrier_id
    return all(daily is not None and one.carrier_id == daily for one in given[own + 1 :])


def _after(given: Sequence[sa.Row[Any]], n: int, digest: str | None = None) -> EmailNumber:
    skipped = tuple(one.n for one in given if not one.stands)
    before = next((str(one.digest) for one in reversed(given) if one.stands), None)
    return EmailNumber(n, before, skipped, digest)


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
    insert_once(tx, email_number, structs.asdict(number))


_ids: sa.BindParameter[Any] = sa.bindparam("ids", expanding=True)
_SENT = (
    sa.update(email_number)
    .where(
        sa.or_(
            _C.outbox_id.in_(_ids),
            _C.outbox_id.in_(sa.select(outbox.c.id).where(outbox.c.carrier_id.in_(_ids))),
        ),
        _IS_NEWEST,
    )
    .values(sent=1)
)


def mark_sent(tx: Tx, email_ids: Sequence[int]) -> None:
    """Note that the bytes of emails were handed over, with what daily emails carry."""
    tx.execute(_SENT, {"ids": list(email_ids)})
