"""The numbers of emails to a seat's holder and of those to a player, which their values have.

Theory of operation. They count from 1, by one: the emails to each tenure of a seat, and for each
player those to no seat, daily ones included. A part of a daily email to a seat has a number among
those to the seat; one to no seat has none, for the fingerprint of the whole email covers it.

A number is given in the transaction that makes an email's bytes, and these keep it as often as they
are sent. Bytes that are made anew and say the same keep it, too. Others get the next one; that of
bytes which never went is used up, and later values say that it was skipped. So a number never
stands for two different values in one epoch of the club: whoever makes an email's bytes holds its
match, and for one to no seat its player, and no number is noted twice. After a restore numbers go
on from the backup, in a new epoch.

What a number tells. A player's emails count for him alone: a number, a gap and what was skipped
say how many emails were made for him, and to nobody else. A skipped one was mostly a daily email
that was made anew. It may also have been an offer whose seat was given to another one before the
email could go. Then he learns that some email to him did not go, and nothing of it: not of which
match it was, for personal emails are of none in particular, nor whether it was secret. No number
depends on what another player was sent or has sent. If a player is erased, his numbers go with him.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.store.database import Clash, Tx, insert_once
from adjudicator.store.tables import outbox
from adjudicator.store.tables_club import email_number, personal_number


class EmailNumber(Struct, frozen=True):
    """The number of an email, the SHA-256 of the value that was numbered before it and not skipped,
    and the numbers below it that were skipped. `digest` is that of the value that has this number
    already, if one has."""

    n: int
    before: str | None
    skipped: tuple[int, ...]
    digest: str | None = None


_carrier = outbox.alias()
_HAS_BYTES = sa.or_(
    outbox.c.raw.is_not(None), outbox.c.id.in_(sa.bindparam("beside", expanding=True))
)
_HAS_THEM_IN_ANOTHER = sa.exists().where(
    _carrier.c.id == outbox.c.carrier_id, _carrier.c.raw.is_not(None)
)


def _is_newest(table: sa.Table) -> Any:
    """Return the question whether a number is that of the bytes that its email has now: those that
    were made last."""
    newer = table.alias()
    return sa.not_(
        sa.exists().where(newer.c.outbox_id == table.c.outbox_id, newer.c.id > table.c.id)
    )


def _given(table: sa.Table, has_bytes: Any, *of: Any) -> Any:
    """Select the numbers that were given to one reader."""
    c, is_newest = table.c, _is_newest(table)
    stands = sa.or_(
        c.sent == 1,
        sa.and_(is_newest, has_bytes, outbox.c.id != sa.bindparam("of_outbox")),
    )
    return (
        sa.select(
            c.n,
            c.digest,
            sa.func.coalesce(stands, sa.false()).label("stands"),
            c.sent,
            sa.and_(c.outbox_id == sa.bindparam("of_outbox"), is_newest).label("own"),
            outbox.c.carrier_id,
        )
        .select_from(table.outerjoin(outbox, outbox.c.id == c.outbox_id))
        .where(*of)
        .order_by(c.n)
    )


_OF_SEAT = _given(
    email_number,
    sa.or_(_HAS_BYTES, _HAS_THEM_IN_ANOTHER),
    email_number.c.match_id == sa.bindparam("of_match"),
    email_number.c.seat == sa.bindparam("of_seat"),
    email_number.c.tenure == sa.bindparam("of_tenure"),
)
# What goes to no seat has no number in a daily email.
_OF_PLAYER = _given(
    personal_number, _HAS_BYTES, personal_number.c.player_id == sa.bindparam("of_player")
)


def of_seat(
    tx: Tx, match_id: int, seat: Seat, tenure: int, outbox_id: int, beside: Collection[int] = ()
) -> tuple[EmailNumber | None, EmailNumber]:
    """Return the number that an email to a seat's holder has, and the next one. It has none if its
    bytes never were, or were thrown away unsent and a later email has said so. Those that stand
    `beside` it in a daily email were numbered just now, before that has its bytes."""
    of = {"of_match": match_id, "of_seat": seat, "of_tenure": tenure, "beside": list(beside)}
    return _own_and_next(tx.execute(_OF_SEAT, {**of, "of_outbox": outbox_id}).all())


def of_player(tx: Tx, player_id: int, outbox_id: int) -> tuple[EmailNumber | None, EmailNumber]:
    """Return the number that an email to a player has, and the next one, likewise."""
    of = {"of_player": player_id, "of_outbox": outbox_id, "beside": []}
    return _own_and_next(tx.execute(_OF_PLAYER, of).all())


def _own_and_next(given: Sequence[sa.Row[Any]]) -> tuple[EmailNumber | None, EmailNumber]:
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


def note_of_seat(
    tx: Tx, match_id: int | None, seat: str | None, tenure: int, n: int, outbox_id: int, digest: str
) -> None:
    """Note the number of bytes that have just been made for a seat's holder, and the digest of
    their value; that of an email which goes again is noted already. Raises Clash if the number is
    another value's."""
    whose = {"match_id": match_id, "seat": seat, "tenure": tenure, "n": n}
    _note(tx, email_number, {**whose, "outbox_id": outbox_id, "digest": digest})


def note_of_player(tx: Tx, player_id: int, n: int, outbox_id: int, digest: str) -> None:
    """Note the number of bytes that have just been made for a player, likewise."""
    row = {"player_id": player_id, "n": n, "outbox_id": outbox_id, "digest": digest}
    _note(tx, personal_number, row)


def _note(tx: Tx, table: sa.Table, row: Mapping[str, Any]) -> None:
    if insert_once(tx, table, row):
        return
    is_noted = sa.select(table.c.id).where(*(table.c[key] == told for key, told in row.items()))
    if tx.execute(is_noted).first() is None:
        raise Clash(say("another email has the number {n}", n=row["n"]))


_ids: sa.BindParameter[Any] = sa.bindparam("ids", expanding=True)
_CARRIED = sa.select(outbox.c.id).where(outbox.c.carrier_id.in_(_ids))


def _sent(table: sa.Table, which: Any) -> Any:
    return sa.update(table).where(which, _is_newest(table)).values(sent=1)


_SENT = (
    _sent(
        email_number,
        sa.or_(email_number.c.outbox_id.in_(_ids), email_number.c.outbox_id.in_(_CARRIED)),
    ),
    _sent(personal_number, personal_number.c.outbox_id.in_(_ids)),
)


def mark_sent(tx: Tx, email_ids: Sequence[int]) -> None:
    """Note that the numbers of these emails were of bytes that went, with those of what daily
    emails carry."""
    for statement in _SENT:
        tx.execute(statement, {"ids": list(email_ids)})
