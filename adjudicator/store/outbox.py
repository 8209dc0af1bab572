"""The outbox: rows of letters to send, each key queued once.

Theory of operation. A row is written in the transaction of what it tells, so there is never a turn
without its letters, nor a letter about a turn that was not stored. The key says what the letter is
about and is unique, so whatever is done twice queues its letter once. Its Message-ID follows from
the key. A row says what to tell; the bytes are made when the letter first goes out.

`letters_out/delivery` hands letters over in three steps, some letters at a time. The first is a
transaction. It locks the matches, then the letters, drops a letter that is no longer true (a
reminder to somebody who has ordered, a letter to a former holder), makes and stores the bytes, and
leases the letters to this worker for fifteen minutes by moving `next_at`. Then, outside any
transaction and with no lock held, the server gets the bytes, letter by letter. The last step, a
transaction again, notes what the server said; what was not tried is given back. If the program is
killed in between, the letters still wait: when the lease has run out, the next tick sends the same
bytes with the same Message-ID. A letter may arrive twice, but is never lost.

| status | becomes | when |
|---|---|---|
| kept | - | no way out was set when it was queued; it is printed and never sent |
| unconfirmed | waiting | its player confirms his address |
| waiting | sent | the server took it |
| waiting | waiting | the server said "not now": again after 5 and 30 minutes, 2, 6 and 24 hours |
| waiting | unconfirmed | its player has an address by now that he has not confirmed |
| waiting | dropped | it is no longer true, a newer report tells it, its seat has another holder |
| dropped | waiting | an undo has taken back that newer report |
| waiting, sent | waiting | a report was refused for good or came back: once more, in an hour |
| waiting, sent | bounced | that report was refused or came back again; any other letter came back |
| waiting | stuck | five waits were in vain, another letter was refused for good, or we stumbled |
| waiting, unconfirmed, stuck | dropped | `adjud mail queue drop`, or its seat changes hands |
| stuck, dropped, bounced | waiting | `adjud mail queue retry` |

Rows stay for ever, but for two cases: an undo deletes the letters of its ply that never went out,
and whoever never held a seat is forgotten with the letters that asked for his address.

Operators may not learn who has sent orders. A reminder for the ply that is awaited would tell them,
and so would an answer to orders; the functions that list and count leave these out (`discreet`).
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import encode

from adjudicator.store.clock import FAR
from adjudicator.store.database import IN_PARTS, Tx, insert_once
from adjudicator.store.tables import match, outbox, player, report, seat, submission
from adjudicator.store.turns import StoredReport


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


class Letter(Struct, frozen=True, kw_only=True):
    """A letter to be queued.

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


_LETTERS = sa.insert(outbox)


def put(tx: Tx, letters: Sequence[Letter], now: datetime, *, way_out: bool) -> None:
    """Queue letters.

    Without a way out they are kept and never sent later. To an address that is not confirmed,
    nothing goes but the letter that asks for confirmation.
    """
    if not letters:
        return
    rows = [_row(letter, now, way_out) for letter in letters]
    tx.execute(_LETTERS, rows)


def put_once(tx: Tx, letter: Letter, now: datetime, *, way_out: bool) -> bool:
    """Queue a letter unless one with its key was queued before; return whether it was queued."""
    return insert_once(tx, outbox, _row(letter, now, way_out))


def _row(letter: Letter, now: datetime, way_out: bool) -> Mapping[str, Any]:
    status = "kept" if not way_out else "waiting" if letter.confirmed else "unconfirmed"
    return {
        "key": letter.key,
        "kind": letter.kind,
        "match_id": letter.match_id,
        "ply": letter.ply,
        "seat": letter.seat,
        "tenure": letter.tenure,
        "player_id": letter.player_id,
        "since": letter.since,
        "body": encode(letter.body).decode(),
        "created_at": now,
        "status": status,
        "tries": 0,
        "next_at": (letter.not_before or now) if status == "waiting" else None,
    }


def _begins(prefix: str) -> sa.ColumnElement[bool]:
    """Select the letters whose key begins with the prefix.

    LIKE would look at every key. This compares the signs in their order, in which the index holds
    the keys (on PostgreSQL because the migration says so).
    """
    return sa.and_(outbox.c.key >= prefix, outbox.c.key < f"{prefix}\U0010ffff")


def count(tx: Tx, prefix: str) -> int:
    """Return how many letters have a key that begins with the prefix; it numbers the next notice to
    a seat."""
    wanted = sa.select(sa.func.count()).select_from(outbox)
    return int(tx.execute(wanted.where(_begins(prefix))).scalar_one())


def since(tx: Tx, prefix: str, moment: datetime) -> int:
    """Return how many letters with a key that begins with the prefix were queued after that
    moment."""
    wanted = sa.select(sa.func.count()).where(_begins(prefix), outbox.c.created_at > moment)
    return int(tx.execute(wanted).scalar_one())


def standing(tx: Tx, key: str) -> tuple[int, str] | None:
    """Return id and status of the letter with that key."""
    row = tx.execute(sa.select(outbox.c.id, outbox.c.status).where(outbox.c.key == key)).first()
    return (row.id, row.status) if row else None


# A reminder for the coming ply tells that its seat has not sent orders, an answer tells that it
# has. Operators may see neither while the ply is awaited, and before the end no answer to a letter
# with orders in advance.
ANSWERS = ("receipt", "refusal", "confirm")
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


def _listed(statuses: Sequence[str], *, discreet: bool) -> sa.Select[Any]:
    wanted = _LISTED
    if statuses:
        wanted = wanted.where(outbox.c.status.in_(list(statuses)))
    return wanted.where(_DISCREET) if discreet else wanted


def listed(
    tx: Tx,
    statuses: Sequence[str] = (),
    letter_id: int | None = None,
    *,
    discreet: bool = False,
    newest: int | None = None,
) -> list[Queued]:
    """Return the queue, the oldest first: all of it, letters with some statuses, or one letter;
    with `newest` no more than so many, the newest first.

    `discreet` leaves out all that would tell the operator who has not sent orders yet.
    """
    wanted = _listed(statuses, discreet=discreet)
    if newest is None:
        wanted = wanted.order_by(outbox.c.id)
    else:
        wanted = wanted.order_by(outbox.c.created_at.desc(), outbox.c.id.desc()).limit(newest)
    if letter_id is not None:
        wanted = wanted.where(outbox.c.id == letter_id)
    return [Queued(**row) for row in tx.execute(wanted).mappings()]


def each(tx: Tx, statuses: Sequence[str], *, discreet: bool) -> Iterator[Queued]:
    """Yield what `listed` returns by time, without holding all of it."""
    wanted = _listed(statuses, discreet=discreet).order_by(outbox.c.created_at, outbox.c.id)
    for row in tx.execute(wanted, execution_options=IN_PARTS).mappings():
        yield Queued(**row)


def unsent(tx: Tx, prefix: str) -> tuple[int, str] | None:
    """Return id and body of a letter whose bytes are not made yet, by the beginning of its key.

    Its bytes cannot be made until the transaction ends.
    """
    wanted = sa.select(outbox.c.id, outbox.c.body).where(
        _begins(prefix),
        outbox.c.raw.is_(None),
        outbox.c.status.in_(["waiting", "kept", "unconfirmed"]),
    )
    row = tx.execute(wanted.limit(1).with_for_update()).first()
    return (row.id, row.body) if row else None


def newest_body(tx: Tx, prefix: str) -> str | None:
    """Return what the newest letter with a key that begins with the prefix says."""
    wanted = sa.select(outbox.c.body).where(_begins(prefix))
    found: str | None = tx.execute(wanted.order_by(outbox.c.id.desc()).limit(1)).scalar()
    return found


def kept_asides(tx: Tx, match_id: int, seat: str, tenure: int) -> list[tuple[int, int, str]]:
    """Return id, ply and body of the news told once only to a seat's holder, if no letters go
    out."""
    c = outbox.c
    of_seat = (c.match_id == match_id, c.seat == seat, c.tenure == tenure)
    kept = (c.kind == "aside", c.status == "kept", c.body != "null")
    wanted = sa.select(c.id, c.ply, c.body).where(*of_seat, *kept).order_by(c.id)
    return [(row.id, row.ply, row.body) for row in tx.execute(wanted)]


def kept_report(tx: Tx, match_id: int, ply: int, seat: str) -> list[int]:
    """Return the ids of the kept letters with a ply's report to a seat."""
    c = outbox.c
    of_seat = (c.match_id == match_id, c.ply == ply, c.seat == seat)
    wanted = sa.select(c.id).where(*of_seat, c.kind == "report", c.status == "kept")
    return list(tx.execute(wanted).scalars())


def mark_printed(tx: Tx, letter_ids: Sequence[int], now: datetime) -> None:
    """Note that kept letters were printed, and forget what they said."""
    chosen = outbox.c.id.in_(list(letter_ids))
    tx.execute(sa.update(outbox).where(chosen).values(body="null", raw=None, sent_at=now))


def forget(tx: Tx, letter_id: int) -> None:
    """Delete what a letter said; the row that there was one stays."""
    update(tx, letter_id, body="null", raw=None)


def forget_player(tx: Tx, player_id: int) -> None:
    """Delete the letters to somebody who never held a seat: they only asked him to confirm his
    address."""
    tx.execute(sa.delete(outbox).where(outbox.c.player_id == player_id))


def body(tx: Tx, letter_id: int) -> str:
    return str(tx.execute(sa.select(outbox.c.body).where(outbox.c.id == letter_id)).scalar_one())


def update(tx: Tx, letter_id: int, **changes: Any) -> None:
    tx.execute(sa.update(outbox).where(outbox.c.id == letter_id).values(changes))


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


class Waiting(Struct, frozen=True, kw_only=True):
    """A letter that is due, with everything from which its bytes are made.

    `to` is the address of its player, `confirmed` whether he has confirmed it; `is_to_former` says
    that its seat has another holder by now, and `reports` is what he wishes of them.
    """

    id: int
    key: str
    kind: str
    match_id: int | None
    match: str | None
    ply: int | None
    seat: str | None
    player_id: int | None
    body: str
    created_at: datetime
    tries: int
    raw: bytes | None
    address: str | None  # the address for which the bytes were made
    since: int | None = None  # the first ply of which a report tells
    to: str | None
    confirmed: bool
    is_to_former: bool
    reports: str | None
    told: StoredReport | None  # that of its ply; for a receipt, of the ply of its orders
    first_report: str | None  # the key of the first report to the seat's holder
    is_first_report: bool  # no older one goes or went to him
    is_told_by_newer: bool  # a newer report that still stands tells the same


_REPORTS = ("report", "aside")
TOLD_BY_NEWER = "a newer report tells it, too"


def _is_due(now: Any, far: Any) -> sa.ColumnElement[bool]:
    return sa.or_(outbox.c.next_at <= now, outbox.c.next_at > far)


def due(tx: Tx, now: datetime) -> list[int]:
    """Return the ids of the letters to hand over now, the oldest first, but reports after all
    others.

    Whoever has just written to us waits for his answer.
    """
    return list(tx.execute(_DUE, {"now": now, "far": now + FAR}).scalars())


_DUE = (
    sa.select(outbox.c.id)
    .where(outbox.c.status == "waiting", _is_due(sa.bindparam("now"), sa.bindparam("far")))
    .order_by(sa.case((outbox.c.kind.in_(_REPORTS), 1), else_=0), outbox.c.id)
)
_FREE = (
    _DUE.where(outbox.c.id.in_(sa.bindparam("ids", expanding=True)))
    .limit(sa.bindparam("most"))
    .with_for_update(skip_locked=True)
)


def claim(tx: Tx, letter_ids: Sequence[int], now: datetime, most: int) -> list[int]:
    """Lock the first of these letters that are still due and that no other worker holds, until the
    transaction ends; return their ids.

    SQLite has one writer at a time, so there are no other workers, and `take` finds what is due.
    """
    if tx.dialect.name == "sqlite":
        return list(letter_ids[:most])
    free = {"ids": list(letter_ids), "now": now, "far": now + FAR, "most": most}
    return list(tx.execute(_FREE, free).scalars())


def hold_match(tx: Tx, letter_id: int) -> None:
    """Lock the match of a letter until the transaction ends.

    Whoever needs both locks the match before its letters; otherwise two workers could wait for each
    other.
    """
    held = sa.select(match.c.id).join(outbox).where(outbox.c.id == letter_id)
    tx.execute(held.with_for_update(of=match))


def wait_for(tx: Tx, letter_id: int) -> None:
    """Wait until no other worker holds a letter or its match."""
    hold_match(tx, letter_id)
    tx.execute(sa.select(outbox.c.id).where(outbox.c.id == letter_id).with_for_update())


_FORMER = sa.and_(
    seat.c.match_id == outbox.c.match_id,
    seat.c.name == outbox.c.seat,
    outbox.c.tenure.is_distinct_from(seat.c.tenure),
)


# What is asked for every letter is asked for all at once, with the letters themselves.
_STANDS = ("waiting", "sent", "unconfirmed")
_other = outbox.alias()
_TO_SAME = (
    _other.c.match_id == outbox.c.match_id,
    _other.c.seat == outbox.c.seat,
    _other.c.tenure == outbox.c.tenure,
    _other.c.kind == "report",
)
_FIRST_OF_HOLDER = (
    sa.select(_other.c.key).where(*_TO_SAME).order_by(_other.c.id).limit(1).scalar_subquery()
)
_HAS_OLDER = sa.exists().where(*_TO_SAME, _other.c.id < outbox.c.id, _other.c.status != "dropped")
# A report tells of what happened from its `since` on, a notice of what came after its ply.
_HAS_NEWER = sa.exists().where(
    *_TO_SAME,
    _other.c.ply > outbox.c.ply,
    _other.c.since <= sa.case((outbox.c.kind == "report", outbox.c.since), else_=outbox.c.ply + 1),
    _other.c.status.in_(_STANDS),
)
_TELLS = sa.and_(
    report.c.match_id == outbox.c.match_id,
    report.c.seat == outbox.c.seat,
    report.c.ply == outbox.c.ply + sa.case((outbox.c.kind == "receipt", 1), else_=0),
    outbox.c.kind.in_(["receipt", *_REPORTS]),
)
_STORED = [
    column.label(f"told_{column.name}")
    for column in (
        report.c.ply,
        report.c.seat,
        report.c.turn,
        report.c.tenure,
        report.c.body,
        report.c.shown_at,
    )
]
_WAITING = (
    sa.select(
        outbox.c.id,
        outbox.c.key,
        outbox.c.kind,
        outbox.c.match_id,
        match.c.name.label("match"),
        outbox.c.ply,
        outbox.c.seat,
        outbox.c.player_id,
        outbox.c.body,
        outbox.c.created_at,
        outbox.c.tries,
        outbox.c.raw,
        outbox.c.address,
        outbox.c.since,
        player.c.address.label("to"),
        player.c.confirmed_at.is_not(None).label("confirmed"),
        seat.c.name.is_not(None).label("is_to_former"),
        player.c.reports,
        _FIRST_OF_HOLDER.label("first_report"),
        sa.not_(_HAS_OLDER).label("is_first_report"),
        _HAS_NEWER.label("is_told_by_newer"),
        *_STORED,
    )
    .select_from(
        outbox.outerjoin(match).outerjoin(player).outerjoin(seat, _FORMER).outerjoin(report, _TELLS)
    )
    .where(
        outbox.c.id.in_(sa.bindparam("ids", expanding=True)),
        outbox.c.status == "waiting",
        _is_due(sa.bindparam("now"), sa.bindparam("far")),
    )
    .order_by(outbox.c.id)
)


def take(tx: Tx, letter_ids: Sequence[int], now: datetime) -> dict[int, Waiting]:
    """Lock those of the letters that are still due, until the transaction ends; return them by
    their ids.

    Letters that another worker holds are left out.
    """
    rows = tx.execute(
        _WAITING_AND_FREE, {"ids": list(letter_ids), "now": now, "far": now + FAR}
    ).mappings()
    return {row["id"]: _waiting(row) for row in rows}


_WAITING_AND_FREE = _WAITING.with_for_update(skip_locked=True, of=outbox)
_FLAGS = ("confirmed", "is_to_former", "is_first_report", "is_told_by_newer")


def _waiting(row: Mapping[Any, Any]) -> Waiting:
    values = {name: value for name, value in row.items() if not name.startswith("told_")}
    values |= {name: bool(row[name]) for name in _FLAGS}
    told = {column.element.name: row[column.name] for column in _STORED}
    return Waiting(**values, told=StoredReport(**told) if told["body"] is not None else None)


class Leased(Struct, frozen=True, kw_only=True):
    """A letter whose bytes are made and stored, for this address; until then it is ours.

    `since` is the first ply of which it tells.
    """

    id: int
    raw: bytes
    address: str
    bounce_tag: str | None
    since: int | None
    until: datetime


_LEASED = (
    sa.update(outbox)
    .where(outbox.c.id == sa.bindparam("of_letter"))
    .values(
        raw=sa.bindparam("new_raw"),
        address=sa.bindparam("new_address"),
        bounce_tag=sa.bindparam("new_tag"),
        since=sa.bindparam("new_since"),
        next_at=sa.bindparam("until"),
    )
)


def lease(tx: Tx, letters: Sequence[Leased]) -> None:
    """Store the bytes of letters, and keep other workers from them for a while."""
    if letters:
        rows = [
            {
                "of_letter": letter.id,
                "new_raw": letter.raw,
                "new_address": letter.address,
                "new_tag": letter.bounce_tag,
                "new_since": letter.since,
                "until": letter.until,
            }
            for letter in letters
        ]
        tx.execute(_LEASED, rows)


_SENT = (
    sa.update(outbox)
    .where(outbox.c.id.in_(sa.bindparam("ids", expanding=True)))
    .values(status="sent", sent_at=sa.bindparam("now"), next_at=None, raw=None)
)


def mark_sent(tx: Tx, letter_ids: Sequence[int], now: datetime) -> None:
    """Note that letters were handed over."""
    tx.execute(_SENT, {"ids": list(letter_ids), "now": now})


def keep_leased(tx: Tx, letter_ids: Sequence[int], until: datetime) -> None:
    """Keep other workers longer from leased letters."""
    untried = sa.and_(outbox.c.id.in_(list(letter_ids)), outbox.c.status == "waiting")
    tx.execute(sa.update(outbox).where(untried).values(next_at=until))


def give_back(tx: Tx, letter_ids: Sequence[int], now: datetime, *, fresh: bool) -> None:
    """Let leased letters wait again that were not tried. `fresh` bytes were never tried: they are
    dropped."""
    untried = sa.and_(outbox.c.id.in_(list(letter_ids)), outbox.c.status == "waiting")
    forgotten = {"raw": None, "address": None, "bounce_tag": None} if fresh else {}
    tx.execute(sa.update(outbox).where(untried).values(next_at=now, **forgotten))


def still_waits(tx: Tx, letter_id: int) -> int | None:
    """Lock a letter until the transaction ends, and return how often its hand-over has failed so
    far.

    Return None if it no longer waits, because it was dropped while it was being handed over.
    """
    wanted = sa.select(outbox.c.tries).where(outbox.c.id == letter_id, outbox.c.status == "waiting")
    return tx.execute(wanted.with_for_update()).scalar()


def is_to_former(tx: Tx, letter_id: int) -> bool:
    """Return whether a letter was written for somebody who no longer holds its seat."""
    wanted = sa.select(outbox.c.id).join(seat, _FORMER).where(outbox.c.id == letter_id)
    return tx.execute(wanted).first() is not None


def drop_to_seat(tx: Tx, match_id: int, seat_name: str) -> None:
    """Drop all letters to the holder of a seat that have not gone out."""
    waiting = sa.and_(
        outbox.c.match_id == match_id,
        outbox.c.seat == seat_name,
        outbox.c.status.in_(["waiting", "unconfirmed", "stuck"]),
    )
    tx.execute(sa.update(outbox).where(waiting).values(status="dropped", next_at=None))


# The letters that tell a player of a ply: those with its number, and reminders for the next ply.
_OF_PLY = ("report", "aside", "receipt", "refusal")


def _telling(match_id: int, ply: int) -> Any:
    of_ply = sa.and_(outbox.c.ply == ply, outbox.c.kind.in_(_OF_PLY))
    reminders = sa.and_(outbox.c.ply == ply + 1, outbox.c.kind == "reminder")
    return sa.and_(outbox.c.match_id == match_id, sa.or_(of_ply, reminders))


def has_told(tx: Tx, match_id: int, ply: int) -> bool:
    """Return whether a letter that tells of a ply was handed over, or a hand-over was tried.

    It may have arrived. The letters stay locked until the transaction ends, so that none goes out
    meanwhile.
    """
    tried = sa.or_(outbox.c.raw.is_not(None), outbox.c.sent_at.is_not(None))
    came = (outbox.c.kind == "receipt", outbox.c.ply == ply - 1, outbox.c.since == ply)
    receipts = sa.and_(outbox.c.match_id == match_id, *came)
    telling = sa.or_(_telling(match_id, ply), receipts)
    wanted = sa.select(outbox.c.id, tried.label("tried")).where(telling)
    return any(row.tried for row in tx.execute(wanted.with_for_update()))


def was_tried(tx: Tx, match_id: int, ply: int, seat_name: str) -> bool:
    """Return whether the report of a ply to a seat was printed or handed over, or a hand-over was
    tried."""
    c = outbox.c
    reports = (c.match_id == match_id, c.ply == ply, c.seat == seat_name, c.kind == "report")
    tried = sa.or_(c.raw.is_not(None), c.sent_at.is_not(None))
    return tx.execute(sa.select(c.id).where(*reports, tried).limit(1)).first() is not None


class Reach(Struct, frozen=True, kw_only=True):
    """How far the reports that were handed over have told a seat's holder what happened.

    `until` is the last ply of which the newest of them tells, None if there is none; `first` the
    first ply of which any was to tell; `unsent` says that no letters go out, and `returned` that
    one came back after it was handed over.
    """

    until: int | None
    first: int | None
    unsent: bool
    returned: bool


_HANDED_OVER = outbox.c.status.in_(["sent", "kept"])
_TOLD = (
    sa.select(
        outbox.c.seat,
        outbox.c.tenure,
        sa.func.max(sa.case((_HANDED_OVER, outbox.c.ply))).label("until"),
        sa.func.min(outbox.c.since).label("first"),
        sa.func.max(sa.case((outbox.c.status == "kept", outbox.c.ply))).label("kept"),
        sa.func.max(
            sa.case((sa.and_(outbox.c.bounces > 0, outbox.c.status != "sent"), 1), else_=0)
        ).label("returned"),
    )
    .where(outbox.c.match_id == sa.bindparam("of_match"), outbox.c.kind == "report")
    .group_by(outbox.c.seat, outbox.c.tenure)
)


def told_by_reports(tx: Tx, match_id: int) -> dict[tuple[str, int], Reach]:
    """Return how far each seat's holders were told what happened, by seat and tenure."""
    rows = tx.execute(_TOLD, {"of_match": match_id})
    return {
        (row.seat, row.tenure): Reach(
            until=row.until,
            first=row.first,
            unsent=row.kept is not None and row.kept == row.until,
            returned=bool(row.returned),
        )
        for row in rows
    }


def spans_told(tx: Tx, match_id: int, seat_name: str, tenure: int) -> list[tuple[int, int]]:
    """Return the first and the last ply of which each report tells that a seat's holder was handed
    over, the earliest first."""
    c = outbox.c
    of_seat = (c.match_id == match_id, c.seat == seat_name, c.tenure == tenure)
    wanted = sa.select(c.since, c.ply).where(*of_seat, c.kind == "report", _HANDED_OVER)
    return sorted((row.since or 0, row.ply) for row in tx.execute(wanted))


# What is asked for every letter is built once: to build a statement costs more than to run it.
_this = outbox.alias()
_TO_SAME_HOLDER = (
    _this.c.id == sa.bindparam("of_letter"),
    outbox.c.match_id == _this.c.match_id,
    outbox.c.seat == _this.c.seat,
    outbox.c.tenure == _this.c.tenure,
    outbox.c.kind == "report",
)
_NEWEST_STANDING = sa.select(sa.func.max(outbox.c.ply)).where(
    *_TO_SAME_HOLDER, outbox.c.status.in_(_STANDS)
)


def newest_standing_report(tx: Tx, letter_id: int) -> int | None:
    """Return the ply of the newest report that still stands to the seat and tenure of a letter."""
    found: int | None = tx.execute(_NEWEST_STANDING, {"of_letter": letter_id}).scalar()
    return found


def first_report_at(tx: Tx, match_id: int, seat_name: str, tenure: int) -> datetime | None:
    """Return when the first report to a seat's holder was queued."""
    c = outbox.c
    of_holder = (c.match_id == match_id, c.seat == seat_name, c.tenure == tenure)
    wanted = sa.select(c.created_at).where(*of_holder, c.kind == "report").order_by(c.id).limit(1)
    found: datetime | None = tx.execute(wanted).scalar()
    return found


def is_first_report(tx: Tx, letter_id: int) -> bool:
    """Return whether no older report goes or went to the same holder of the seat, now that others
    were dropped since the letter was taken."""
    wanted = sa.select(_HAS_OLDER).select_from(outbox).where(outbox.c.id == letter_id)
    return not tx.execute(wanted).scalar_one()


def told_anew(tx: Tx, match_id: int, ply: int, seat_name: str, since: int) -> None:
    """Note from which ply on a report tells, because it was made anew before it went out."""
    c = outbox.c
    which = (c.match_id == match_id, c.ply == ply, c.seat == seat_name, c.kind == "report")
    unsent = (c.raw.is_(None), c.sent_at.is_(None))
    tx.execute(sa.update(outbox).where(*which, *unsent).values(since=since))


def revive_reports(tx: Tx, match_id: int) -> None:
    """Let reports and notices wait again that a newer report told, too, for that was taken back.

    Where a newer one was tried, that has told of them.
    """
    newer = outbox.alias()
    told = (
        sa.select(newer.c.id)
        .where(
            newer.c.match_id == match_id,
            newer.c.seat == outbox.c.seat,
            newer.c.tenure == outbox.c.tenure,
            newer.c.kind == "report",
            newer.c.ply > outbox.c.ply,
            sa.or_(newer.c.raw.is_not(None), newer.c.sent_at.is_not(None)),
        )
        .exists()
    )
    dropped = sa.and_(
        outbox.c.match_id == match_id,
        outbox.c.kind.in_(["report", "notice"]),
        outbox.c.status == "dropped",
        outbox.c.reason == TOLD_BY_NEWER,
        sa.not_(told),
    )
    values = {"status": "waiting", "next_at": outbox.c.created_at, "reason": None}
    tx.execute(sa.update(outbox).where(dropped).values(values))


def delete_of_ply(tx: Tx, match_id: int, ply: int) -> list[str]:
    """Delete the letters that tell of a ply, and return their keys. Call it only if none of them
    went out."""
    gone = sa.delete(outbox).where(
        sa.or_(
            _telling(match_id, ply),
            sa.and_(
                outbox.c.match_id == match_id,
                outbox.c.ply == ply + 1,
                outbox.c.kind == "alert",
                outbox.c.raw.is_(None),
            ),
        )
    )
    return list(tx.execute(gone.returning(outbox.c.key)).scalars())


class Told(Struct, frozen=True, kw_only=True):
    """A letter to a seat, with what is needed to recognise an answer to it."""

    key: str
    kind: str
    ply: int


def told(tx: Tx, match_id: int, seat: str) -> Iterator[Told]:
    """Yield all letters to a seat, the newest first."""
    wanted = sa.select(outbox.c.key, outbox.c.kind, outbox.c.ply).where(
        outbox.c.match_id == match_id, outbox.c.seat == seat, outbox.c.ply.is_not(None)
    )
    for row in tx.execute(wanted.order_by(outbox.c.id.desc())):
        yield Told(key=row.key, kind=row.kind, ply=row.ply)


class Returned(Struct, frozen=True, kw_only=True):
    """A letter of ours that came back. `bounces` counts the times before."""

    id: int
    key: str
    kind: str
    match: str | None
    seat: str | None
    status: str
    bounces: int


_RETURNED = sa.select(
    outbox.c.id,
    outbox.c.key,
    outbox.c.kind,
    match.c.name.label("match"),
    outbox.c.seat,
    outbox.c.status,
    outbox.c.bounces,
).select_from(outbox.outerjoin(match))


def returned(tx: Tx, bounce_tag: str, since: datetime) -> Returned | None:
    """Return the letter that went out with that bounce tag and was queued after that moment."""
    wanted = _RETURNED.where(outbox.c.bounce_tag == bounce_tag, outbox.c.created_at > since)
    row = tx.execute(wanted).mappings().first()
    return Returned(**row) if row else None


def newest_tagged(tx: Tx) -> tuple[str, str] | None:
    """Return key and bounce tag of the newest letter whose bytes were made."""
    wanted = sa.select(outbox.c.key, outbox.c.bounce_tag).where(outbox.c.bounce_tag.is_not(None))
    row = tx.execute(wanted.order_by(outbox.c.id.desc()).limit(1)).first()
    return (row.key, row.bounce_tag) if row else None


def refused(tx: Tx, letter_id: int) -> Returned | None:
    """Return a waiting letter that a server refused for good; None if it no longer waits."""
    wanted = _RETURNED.where(outbox.c.id == letter_id, outbox.c.status == "waiting")
    row = tx.execute(wanted).mappings().first()
    return Returned(**row) if row else None


def release(tx: Tx, player_id: int, now: datetime) -> None:
    """Release the letters that were held back until a player's address was confirmed."""
    held = sa.and_(outbox.c.player_id == player_id, outbox.c.status == "unconfirmed")
    tx.execute(sa.update(outbox).where(held).values(status="waiting", next_at=now))


def repeat_answer(tx: Tx, match_id: int, letter_id: int, *, way_out: bool, now: datetime) -> None:
    """Queue the answer to an incoming letter once more, but never a third time."""
    answers = sa.or_(*(outbox.c.key.endswith(f"/{kind}/{letter_id}") for kind in ANSWERS))
    wanted = sa.select(outbox).where(outbox.c.match_id == match_id, answers)
    first = tx.execute(wanted).mappings().first()
    if first is None:
        return
    again = f"{first['key']}/again"
    if tx.execute(sa.select(outbox.c.id).where(outbox.c.key == again)).first():
        return
    row = {key: first[key] for key in first if key not in ("id", "name", "sent_at", "raw")}
    status = "waiting" if way_out else "kept"
    fresh = {"key": again, "since": None, "status": status, "tries": 0, "created_at": now}
    tx.execute(sa.insert(outbox), {**row, **fresh, "next_at": now if way_out else None})
