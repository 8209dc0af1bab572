"""The outbox: rows of emails to send, each key queued once.

Theory of operation. A row is written in the transaction of what it tells, so there is never a turn
without its emails, nor an email about a turn that was not stored. The key says what the email is
about and is unique, so whatever is done twice queues its email once. Its Message-ID follows from
the key. A row says what to tell; the bytes are made when the email first goes out.

`outbound/delivery`, with `store/outgoing`, delivers emails in three steps, some emails
at a time. The first is a transaction. It locks the matches, then the emails, drops an email that
is no longer true (a reminder to somebody who has ordered, an email to a former holder), makes and
stores the bytes, and leases the emails to this worker for fifteen minutes by moving `next_at`.
Then, outside any transaction and with no lock held, the server gets the bytes, email by email.
The last step, a transaction again, notes what the server said; what was not tried is given back. If
the program is killed in between, the emails still wait: when the lease has run out, the next tick
sends the same bytes with the same Message-ID. An email may arrive twice, but is never lost.

| status | becomes | when |
|---|---|---|
| kept | - | no way out was set when it was queued; it is printed and never sent |
| unconfirmed | waiting | its player confirms his address |
| waiting | sent | the server took it, or the daily email that carries it (`store/daily`) |
| waiting | waiting | the server said "not now": again after 5 and 30 minutes, 2, 6 and 24 hours |
| waiting | unconfirmed | its player has an address by now that he has not confirmed |
| waiting | dropped | it is no longer true, a newer report tells it, its seat has another holder |
| waiting | dropped | it is a receipt, and stands in a report that goes to the same reader |
| dropped | waiting | an undo has taken back that newer report, or that report was dropped |
| waiting, sent | waiting | a report was refused for good or came back: once more, in an hour |
| waiting, sent | waiting | the daily email that carries it did: once more by itself, in an hour |
| waiting, sent | bounced | that report was refused or came back again; any other email came back |
| waiting | stuck | five waits were in vain, another email was refused for good, or we stumbled |
| waiting, unconfirmed, stuck | dropped | `adjud mail queue drop`, or its seat changes hands |
| stuck, dropped, bounced | waiting | `adjud mail queue retry` |

Rows stay for ever, but for three cases: an undo deletes the emails of its ply that never went out,
whoever never held a seat is forgotten with the emails that asked for his address, and an ended
match loses its emails when it is archived (`store/erasure`). What a row says is forgotten when
its reader is erased (`store/erasure`), or when the settings keep it no longer.

Operators may not learn who has sent orders. A reminder for the ply that is awaited would tell them,
and so would an answer to orders; what lists and counts leaves these out (`store/listings`).
"""

from base64 import b32encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from secrets import token_bytes
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import encode

from adjudicator.core.email_kinds import ANSWERS
from adjudicator.store.database import Tx, insert_once
from adjudicator.store.tables import club, match, outbox, player, seat


class OutgoingEmail(Struct, frozen=True, kw_only=True):
    """An email to be queued.

    If `player_id` is None, it goes to the operator. `body` is what it says beside the report that
    its key names. `tenure` is that of the seat's holder for whom it is written; it never goes to
    his successor. `since` is the first ply of which a report tells; its own ply is the last.
    """

    key: str
    kind: str
    match_id: int | None = None
    ply: int | None = None
    seat: str | None = None
    tenure: int | None = None
    player_id: int | None = None
    confirmed: bool = True
    body: Any = None
    not_before: datetime | None = None
    since: int | None = None


# Before the club was ever restored no email names an epoch.
_EPOCH = sa.select(club.c.epoch).where(club.c.restored_at.is_not(None)).scalar_subquery()
_EMAILS = sa.insert(outbox).values(epoch=_EPOCH)


def put(tx: Tx, emails: Sequence[OutgoingEmail], now: datetime, *, sends_mail: bool) -> None:
    """Queue emails.

    Without an outbound transport they are kept and never sent later. To an address that is not
    confirmed, nothing goes but the email that asks for confirmation.
    """
    if not emails:
        return
    rows = [_row(email, now, sends_mail) for email in emails]
    tx.execute(_EMAILS, rows)


def put_once(tx: Tx, email: OutgoingEmail, now: datetime, *, sends_mail: bool) -> bool:
    """Queue an email unless one with its key was queued before; return whether it was queued."""
    return insert_once(tx, outbox, {**_row(email, now, sends_mail), "epoch": _epoch(tx)})


def _epoch(tx: Tx) -> str | None:
    found: str | None = tx.execute(sa.select(_EPOCH)).scalar()
    return found


def _row(email: OutgoingEmail, now: datetime, sends_mail: bool) -> Mapping[str, Any]:
    status = "kept" if not sends_mail else "waiting" if email.confirmed else "unconfirmed"
    return {
        "key": email.key,
        "name": b32encode(token_bytes(5)).decode().lower(),  # as the operator calls it
        "kind": email.kind,
        "match_id": email.match_id,
        "ply": email.ply,
        "seat": email.seat,
        "tenure": email.tenure,
        "player_id": email.player_id,
        "since": email.since,
        "body": encode(email.body).decode(),
        "created_at": now,
        "status": status,
        "tries": 0,
        "next_at": (email.not_before or now) if status == "waiting" else None,
    }


def begins(prefix: str) -> sa.ColumnElement[bool]:
    """Select the emails whose key begins with the prefix.

    LIKE would look at every key. This compares the signs in their order, in which the index holds
    the keys (on PostgreSQL because the migration says so).
    """
    return sa.and_(outbox.c.key >= prefix, outbox.c.key < f"{prefix}\U0010ffff")


def count(tx: Tx, prefix: str) -> int:
    """Return how many emails have a key that begins with the prefix; it numbers the next notice to
    a seat."""
    wanted = sa.select(sa.func.count()).select_from(outbox)
    return int(tx.execute(wanted.where(begins(prefix))).scalar_one())


def last_time(tx: Tx, prefix: str) -> datetime | None:
    """Return when the last email was sent whose key begins with the prefix."""
    wanted = sa.select(outbox.c.sent_at).where(begins(prefix), outbox.c.sent_at.is_not(None))
    found: datetime | None = tx.execute(wanted.order_by(outbox.c.sent_at.desc()).limit(1)).scalar()
    return found


def times_between(tx: Tx, since: datetime, until: datetime) -> list[datetime]:
    """Return the times at which emails to players were queued or sent between two others."""
    found = set[datetime]()
    for column in (outbox.c.created_at, outbox.c.sent_at):
        made = sa.select(column).where(
            column > since, column < until, outbox.c.player_id.is_not(None)
        )
        found.update(tx.execute(made.distinct()).scalars())
    return sorted(found)


def since(tx: Tx, prefix: str, moment: datetime) -> int:
    """Return how many emails with a key that begins with the prefix were queued after that
    moment."""
    wanted = sa.select(sa.func.count()).where(begins(prefix), outbox.c.created_at > moment)
    return int(tx.execute(wanted).scalar_one())


def standing(tx: Tx, key: str) -> tuple[int, str] | None:
    """Return id and status of the email with that key."""
    row = tx.execute(sa.select(outbox.c.id, outbox.c.status).where(outbox.c.key == key)).first()
    return (row.id, row.status) if row else None


# The body of a report that a seat gets only because it had sent its orders in advance.
FOR_ADVANCE = '{"ahead":true}'
# How the keys begin of emails with what players asked.
OF_QUESTIONS = "questions/"
# How the keys begin of emails that go out from a player's personal address (club, 2).
OF_PERSONS = "own/"


def first_to_render(tx: Tx, prefix: str) -> tuple[int, str] | None:
    """Return the first of `all_to_render`; None if there is none."""
    return next(iter(all_to_render(tx, prefix)), None)


def all_to_render(tx: Tx, prefix: str) -> list[tuple[int, str]]:
    """Return id and body of the emails whose bytes are not made yet, by the beginning of their
    keys, the oldest first.

    Their bytes cannot be made until the transaction ends.
    """
    wanted = sa.select(outbox.c.id, outbox.c.body).where(
        begins(prefix),
        outbox.c.raw.is_(None),
        outbox.c.status.in_(["waiting", "kept", "unconfirmed"]),
    )
    found = tx.execute(wanted.order_by(outbox.c.id).with_for_update())
    return [(row.id, row.body) for row in found]


def newest_body(tx: Tx, prefix: str) -> str | None:
    """Return what the newest email with a key that begins with the prefix says."""
    wanted = sa.select(outbox.c.body).where(begins(prefix))
    found: str | None = tx.execute(wanted.order_by(outbox.c.id.desc()).limit(1)).scalar()
    return found


def forget(tx: Tx, letter_id: int) -> None:
    """Delete what an email said; the row that there was one stays."""
    update(tx, letter_id, body="null", raw=None)


def answers(tx: Tx, match_id: int, seat_name: str, tenure: int, most: int) -> Sequence[str]:
    """Return what the newest answers to a seat's holder say."""
    wanted = sa.select(outbox.c.body).where(
        outbox.c.match_id == match_id,
        outbox.c.seat == seat_name,
        outbox.c.tenure == tenure,
        outbox.c.kind.in_(ANSWERS),
    )
    return tx.execute(wanted.order_by(outbox.c.id.desc()).limit(most)).scalars().all()


def body(tx: Tx, letter_id: int) -> str:
    return str(tx.execute(sa.select(outbox.c.body).where(outbox.c.id == letter_id)).scalar_one())


def update(tx: Tx, letter_id: int, **changes: Any) -> None:
    tx.execute(sa.update(outbox).where(outbox.c.id == letter_id).values(changes))


TOLD_BY_NEWER = "a newer report tells it, too"
SAID_IN = "it stands in "  # and the key of a report

FORMER = sa.and_(
    seat.c.match_id == outbox.c.match_id,
    seat.c.name == outbox.c.seat,
    outbox.c.tenure.is_distinct_from(seat.c.tenure),
)


def release_receipts(tx: Tx, reports: Sequence[str]) -> None:
    """Let the receipts wait again that stand in the reports with these keys."""
    if reports:
        carried = sa.and_(
            outbox.c.status == "dropped", outbox.c.reason.in_([SAID_IN + key for key in reports])
        )
        values = {"status": "waiting", "next_at": outbox.c.created_at, "reason": None}
        tx.execute(sa.update(outbox).where(carried).values(values))


def drop_to_seat(tx: Tx, match_id: int, seat_name: str) -> None:
    """Drop all emails to the holder of a seat that have not gone out."""
    waiting = sa.and_(
        outbox.c.match_id == match_id,
        outbox.c.seat == seat_name,
        outbox.c.status.in_(["waiting", "unconfirmed", "stuck"]),
    )
    tx.execute(sa.update(outbox).where(waiting).values(status="dropped", next_at=None))


def readdress(tx: Tx, match_id: int, seats: Mapping[int, tuple[str, int]]) -> None:
    """Let the emails of a match that have not gone out be of the seat and the tenure that each of
    these players has now."""
    waiting = outbox.c.status.in_(["waiting", "unconfirmed", "stuck"])
    for player_id, (seat_name, tenure) in seats.items():
        theirs = (outbox.c.match_id == match_id, outbox.c.player_id == player_id, waiting)
        values = {"seat": seat_name, "tenure": tenure, "raw": None}
        tx.execute(sa.update(outbox).where(*theirs).values(values))


def drop_of_match(tx: Tx, match_id: int) -> None:
    """Drop all emails of a match that have not gone out."""
    waiting = sa.and_(
        outbox.c.match_id == match_id, outbox.c.status.in_(["waiting", "unconfirmed", "stuck"])
    )
    tx.execute(sa.update(outbox).where(waiting).values(status="dropped", next_at=None))


class AnswerableEmail(Struct, frozen=True, kw_only=True):
    """An email to a seat, with what is needed to recognise an answer to it."""

    key: str
    kind: str
    ply: int
    epoch: str | None


def emails_to(tx: Tx, match_id: int, seat: str) -> Iterator[AnswerableEmail]:
    """Yield all emails to a seat, the newest first."""
    columns = (outbox.c.key, outbox.c.kind, outbox.c.ply, outbox.c.epoch)
    wanted = sa.select(*columns).where(
        outbox.c.match_id == match_id, outbox.c.seat == seat, outbox.c.ply.is_not(None)
    )
    for row in tx.execute(wanted.order_by(outbox.c.id.desc())):
        yield AnswerableEmail(key=row.key, kind=row.kind, ply=row.ply, epoch=row.epoch)


class OwnEmail(Struct, frozen=True, kw_only=True):
    """An email to a player and not to a seat; `answers` is the email that it answers."""

    id: int
    key: str
    epoch: str | None

    @property
    def answers(self) -> int | None:
        about = self.key.removeprefix(OF_PERSONS).split("/")[1:]
        is_answer = self.key.startswith(OF_PERSONS) and about[:1] == ["answer"]
        return int(about[2]) if is_answer else None


def own_emails(tx: Tx, player_id: int) -> Iterator[OwnEmail]:
    """Yield all emails to a player and to none of his seats, the newest first; also those that
    went to his address before it was known as his."""
    c = outbox.c
    his = sa.select(sa.func.lower(player.c.address)).where(player.c.id == player_id)
    to_nobody = sa.and_(c.player_id.is_(None), sa.func.lower(c.address) == his.scalar_subquery())
    wanted = sa.select(c.id, c.key, c.epoch).where(
        c.match_id.is_(None), sa.or_(c.player_id == player_id, to_nobody)
    )
    for row in tx.execute(wanted.order_by(c.id.desc())):
        yield OwnEmail(id=row.id, key=row.key, epoch=row.epoch)


def emails_in_daily(tx: Tx, carrier_id: int, match_id: int, seat: str) -> list[AnswerableEmail]:
    """Return the emails to a seat that went in a daily email."""
    columns = (outbox.c.key, outbox.c.kind, outbox.c.ply, outbox.c.epoch)
    wanted = sa.select(*columns).where(
        outbox.c.carrier_id == carrier_id,
        outbox.c.match_id == match_id,
        outbox.c.seat == seat,
        outbox.c.ply.is_not(None),
    )
    return [AnswerableEmail(**row) for row in tx.execute(wanted).mappings()]


def release(tx: Tx, player_id: int, now: datetime) -> None:
    """Release the emails that were held back until a player's address was confirmed."""
    held = sa.and_(outbox.c.player_id == player_id, outbox.c.status == "unconfirmed")
    tx.execute(sa.update(outbox).where(held).values(status="waiting", next_at=now))


class StoredAnswer(Struct, frozen=True, kw_only=True):
    """The answer to an email that came, and when the email was read."""

    id: int
    key: str
    status: str
    created_at: datetime
    body: str
    reason: str | None


def answer_to(tx: Tx, match_id: int, letter_id: int) -> StoredAnswer | None:
    """Return the first answer to an email."""
    answers = sa.or_(*(outbox.c.key.endswith(f"/{kind}/{letter_id}") for kind in ANSWERS))
    c = outbox.c
    wanted = sa.select(c.id, c.key, c.status, c.created_at, c.body, c.reason)
    row = tx.execute(wanted.where(c.match_id == match_id, answers)).mappings().first()
    return StoredAnswer(**row) if row else None


def goes_out_as(tx: Tx, answer: StoredAnswer) -> str:
    """Return the status of an answer, or of the report in which it stands."""
    key = (answer.reason or "").removeprefix(SAID_IN)
    if answer.status != "dropped" or key == answer.reason:
        return answer.status
    carrier = standing(tx, key)
    return carrier[1] if carrier else answer.status


def repeat(tx: Tx, letter_id: int, key: str, body: Any, now: datetime, *, sends_mail: bool) -> None:
    """Queue an email like that one, under another key, unless it was queued before."""
    first = tx.execute(sa.select(outbox).where(outbox.c.id == letter_id)).mappings().one()
    copied = ("kind", "match_id", "ply", "seat", "tenure", "player_id")
    email = OutgoingEmail(key=key, body=body, **{name: first[name] for name in copied})
    put_once(tx, email, now, sends_mail=sends_mail)


# Find the emails of ours that came back, or that a server refused.


def is_to_former(tx: Tx, letter_id: int) -> bool:
    """Return whether an email was written for somebody who no longer holds its seat."""
    wanted = sa.select(outbox.c.id).join(seat, FORMER).where(outbox.c.id == letter_id)
    return tx.execute(wanted).first() is not None


class Returned(Struct, frozen=True, kw_only=True):
    """An email of ours that came back. `bounces` counts the times before, `address` is where it
    went."""

    id: int
    key: str
    epoch: str | None
    kind: str
    match: str | None
    seat: str | None
    status: str
    bounces: int
    address: str | None
    player_id: int | None


_RETURNED = sa.select(
    outbox.c.id,
    outbox.c.key,
    outbox.c.epoch,
    outbox.c.kind,
    match.c.name.label("match"),
    outbox.c.seat,
    outbox.c.status,
    outbox.c.bounces,
    outbox.c.address,
    outbox.c.player_id,
).select_from(outbox.outerjoin(match))


def by_bounce_tag(tx: Tx, bounce_tag: str, since: datetime) -> Returned | None:
    """Return the email that went out with that bounce tag and was queued after that moment."""
    wanted = _RETURNED.where(outbox.c.bounce_tag == bounce_tag, outbox.c.created_at > since)
    row = tx.execute(wanted).mappings().first()
    return Returned(**row) if row else None


def newest_bounce_tag(tx: Tx) -> tuple[str, str | None, str] | None:
    """Return key, epoch and bounce tag of the newest email whose bytes were made."""
    wanted = sa.select(outbox.c.key, outbox.c.epoch, outbox.c.bounce_tag)
    tagged = wanted.where(outbox.c.bounce_tag.is_not(None))
    row = tx.execute(tagged.order_by(outbox.c.id.desc()).limit(1)).first()
    return (row.key, row.epoch, row.bounce_tag) if row else None


def refused_email(tx: Tx, letter_id: int) -> Returned | None:
    """Return a waiting email that a server refused for good; None if it no longer waits."""
    wanted = _RETURNED.where(outbox.c.id == letter_id, outbox.c.status == "waiting")
    row = tx.execute(wanted).mappings().first()
    return Returned(**row) if row else None
