"""Hand emails over: claim what is due, with all from which an email is made, number it, lease it,
note it.

`store/outbox` opens with the theory.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.core.email_kinds import names_of
from adjudicator.store import daily, email_numbers, players
from adjudicator.store.clubs import FAR
from adjudicator.store.daily import is_due
from adjudicator.store.database import Tx
from adjudicator.store.outbox import FORMER, SAID_IN
from adjudicator.store.tables import match, outbox, player, report, seat
from adjudicator.store.turns import StoredReport


class DueEmail(Struct, frozen=True, kw_only=True):
    """An email that is due, with everything from which its bytes are made, and with these then.

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
    tenure: int | None = None
    player_id: int | None
    body: str
    created_at: datetime
    epoch: str | None
    raw: bytes | None
    address: str | None  # the address for which the bytes were made
    is_fresh: bool = False  # they were made for this time
    since: int | None = None  # the first ply of which a report tells
    to: str | None
    confirmed: bool
    is_to_former: bool
    reports: str | None
    told: StoredReport | None  # that of its ply; for a receipt, of the ply of its orders
    first_report: str | None  # the key of the first report to the seat's holder
    first_epoch: str | None
    is_first_report: bool  # no older one goes or went to him
    is_told_by_newer: bool  # a newer report that still stands tells the same
    has_carrier: bool = False  # a report goes now as well that tells of the ply after it
    has_receipts: bool = False  # there are some that it carries, or may carry
    letters: str | None = None  # how its player wishes his emails: each, daily
    is_untried: bool = True  # no hand-over of it has failed, and it has not come back


_REPORTS = ("report", "aside")
_LAST = names_of(lambda kind: kind.goes_last)


def due(tx: Tx, now: datetime) -> list[int]:
    """Return the ids of the emails to hand over now, the oldest first, but reports after all
    others.

    Whoever has just written to us waits for his answer.
    """
    return list(tx.execute(_DUE, {"now": now, "far": now + FAR}).scalars())


_DUE = (
    sa.select(outbox.c.id)
    .where(outbox.c.status == "waiting", is_due(sa.bindparam("now"), sa.bindparam("far")))
    .where(outbox.c.carrier_id.is_(None))
    .order_by(sa.case((outbox.c.kind.in_(_LAST), 1), else_=0), outbox.c.id)
)

_DUE_TO = _DUE.add_columns(daily.reader).select_from(outbox.outerjoin(player))


def due_to(tx: Tx, now: datetime) -> tuple[list[int], list[int]]:
    """Return the same, and the players who wish one email a day and have emails among them that
    may wait for it."""
    rows = tx.execute(_DUE_TO, {"now": now, "far": now + FAR}).all()
    return [row[0] for row in rows], sorted({row[1] for row in rows if row[1] is not None})


_FREE = (
    _DUE.where(outbox.c.id.in_(sa.bindparam("ids", expanding=True)))
    .limit(sa.bindparam("most"))
    .with_for_update(skip_locked=True)
)


def claim(tx: Tx, email_ids: Sequence[int], now: datetime, most: int) -> list[int]:
    """Lock the first of these emails that are still due and that no other worker holds, until the
    transaction ends; return their ids.

    SQLite has one writer at a time, so there are no other workers, and `take` finds what is due.
    """
    if tx.dialect.name == "sqlite":
        return list(email_ids[:most])
    free = {"ids": list(email_ids), "now": now, "far": now + FAR, "most": most}
    return list(tx.execute(_FREE, free).scalars())


def hold_match(tx: Tx, letter_id: int) -> None:
    """Lock the match of an email until the transaction ends.

    Whoever needs both locks the match before its emails; otherwise two workers could wait for each
    other.
    """
    held = sa.select(match.c.id).join(outbox).where(outbox.c.id == letter_id)
    tx.execute(held.with_for_update(of=match))


def wait_for(tx: Tx, letter_id: int) -> None:
    """Wait until no other worker holds an email, its match or its player."""
    hold_match(tx, letter_id)
    players.hold_of_email(tx, letter_id)
    tx.execute(sa.select(outbox.c.id).where(outbox.c.id == letter_id).with_for_update())


# What is asked for every email is asked for all at once, with the emails themselves.
_STANDS = ("waiting", "sent", "unconfirmed")

_other = outbox.alias()

_TO_SAME = (
    _other.c.match_id == outbox.c.match_id,
    _other.c.seat == outbox.c.seat,
    _other.c.tenure == outbox.c.tenure,
    _other.c.kind == "report",
)


def _of_first_report(column: Any) -> Any:
    """Select a column of the first report to the seat's holder."""
    return sa.select(column).where(*_TO_SAME).order_by(_other.c.id).limit(1).scalar_subquery()


_HAS_OLDER = sa.exists().where(*_TO_SAME, _other.c.id < outbox.c.id, _other.c.status != "dropped")

# The last ply of which a report that was handed over has told, and of all from this report's
# `since` on.
_handed_over = outbox.alias()
_TOLD_UNTIL = (
    sa.select(sa.func.max(_handed_over.c.ply))
    .where(
        _handed_over.c.match_id == outbox.c.match_id,
        _handed_over.c.seat == outbox.c.seat,
        _handed_over.c.tenure == outbox.c.tenure,
        _handed_over.c.kind == "report",
        _handed_over.c.ply < outbox.c.ply,
        _handed_over.c.since <= outbox.c.since,
        _handed_over.c.status == "sent",
    )
    .correlate(outbox)  # two levels below the email's own row, this is not done unasked
    .scalar_subquery()
)

# A report tells of what happened from its `since` on, a notice of what came after its ply.
_HAS_NEWER = sa.exists().where(
    *_TO_SAME,
    _other.c.ply > outbox.c.ply,
    sa.case(
        (outbox.c.kind != "report", _other.c.since <= outbox.c.ply + 1),
        else_=sa.or_(_other.c.since <= outbox.c.since, _other.c.since <= _TOLD_UNTIL + 1),
    ),
    _other.c.status.in_(_STANDS),
)

# A report may say in its place what a receipt says, if both are still to go and it tells of the
# ply of its orders. In a daily email it does not, for a receipt goes at once.
_HAS_CARRIER = sa.and_(
    outbox.c.kind == "receipt",
    outbox.c.raw.is_(None),
    sa.exists().where(
        *_TO_SAME,
        _other.c.ply > outbox.c.ply,
        _other.c.since <= outbox.c.ply + 1,
        _other.c.status == "waiting",
        _other.c.raw.is_(None),
        _other.c.carrier_id.is_(None),
        _other.c.next_at <= sa.bindparam("now"),
    ),
)

_receipt = outbox.alias()
_RECEIPTS = (
    _receipt.c.match_id == outbox.c.match_id,
    _receipt.c.seat == outbox.c.seat,
    _receipt.c.tenure == outbox.c.tenure,
    _receipt.c.kind == "receipt",
    _receipt.c.ply < outbox.c.ply,
    _receipt.c.ply >= outbox.c.since - 1,
    sa.or_(
        sa.and_(
            _receipt.c.status == "waiting",
            _receipt.c.raw.is_(None),
            outbox.c.carrier_id.is_(None),
        ),
        sa.and_(_receipt.c.status == "dropped", _receipt.c.reason == SAID_IN + outbox.c.key),
    ),
)
_HAS_RECEIPTS = sa.and_(outbox.c.kind == "report", sa.exists().where(*_RECEIPTS))

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

_EVERY = (
    sa.select(
        outbox.c.id,
        outbox.c.key,
        outbox.c.kind,
        outbox.c.match_id,
        match.c.name.label("match"),
        outbox.c.ply,
        outbox.c.seat,
        outbox.c.tenure,
        outbox.c.player_id,
        outbox.c.body,
        outbox.c.created_at,
        outbox.c.epoch,
        outbox.c.raw,
        outbox.c.address,
        outbox.c.since,
        player.c.address.label("to"),
        player.c.confirmed_at.is_not(None).label("confirmed"),
        seat.c.name.is_not(None).label("is_to_former"),
        player.c.reports,
        _of_first_report(_other.c.key).label("first_report"),
        _of_first_report(_other.c.epoch).label("first_epoch"),
        sa.not_(_HAS_OLDER).label("is_first_report"),
        _HAS_NEWER.label("is_told_by_newer"),
        _HAS_CARRIER.label("has_carrier"),
        _HAS_RECEIPTS.label("has_receipts"),
        player.c.letters,
        sa.and_(outbox.c.tries == 0, outbox.c.bounces == 0).label("is_untried"),
        *_STORED,
    )
    .select_from(
        outbox.outerjoin(match).outerjoin(player).outerjoin(seat, FORMER).outerjoin(report, _TELLS)
    )
    .order_by(outbox.c.id)
)
_WAITING = _EVERY.where(
    outbox.c.id.in_(sa.bindparam("ids", expanding=True)),
    outbox.c.status == "waiting",
    is_due(sa.bindparam("now"), sa.bindparam("far")),
    outbox.c.carrier_id.is_(None),
)


def take(tx: Tx, email_ids: Sequence[int], now: datetime) -> dict[int, DueEmail]:
    """Lock those of the emails that are still due, until the transaction ends; return them by
    their ids.

    Emails that another worker holds are left out.
    """
    rows = tx.execute(
        _WAITING_AND_FREE, {"ids": list(email_ids), "now": now, "far": now + FAR}
    ).mappings()
    return {row["id"]: _waiting(row) for row in rows}


_WAITING_AND_FREE = _WAITING.with_for_update(skip_locked=True, of=outbox)


def lock_contents(tx: Tx, carrier_id: int, now: datetime) -> list[DueEmail]:
    """Lock what a daily email carries and what still waits, until the transaction ends; return it,
    the oldest first."""
    rows = tx.execute(_CARRIED_BY, {"of_carrier": carrier_id, "now": now}).mappings()
    return [_waiting(row) for row in rows]


_CARRIED_BY = _EVERY.where(
    outbox.c.carrier_id == sa.bindparam("of_carrier"), outbox.c.status == "waiting"
).with_for_update(of=outbox)

_FLAGS = (
    "confirmed",
    "is_to_former",
    "is_first_report",
    "is_told_by_newer",
    "has_carrier",
    "has_receipts",
    "is_untried",
)


def _waiting(row: Mapping[Any, Any]) -> DueEmail:
    values = {name: value for name, value in row.items() if not name.startswith("told_")}
    values |= {name: bool(row[name]) for name in _FLAGS}
    told = {column.element.name: row[column.name] for column in _STORED}
    return DueEmail(**values, told=StoredReport(**told) if told["body"] is not None else None)


class WaitingReceipt(Struct, frozen=True):
    """A receipt that a report may carry."""

    id: int
    key: str
    ply: int
    body: str


_CARRIED = (
    sa.select(_receipt.c.id, _receipt.c.key, _receipt.c.ply, _receipt.c.body)
    .join(outbox, sa.and_(*_RECEIPTS))
    .where(outbox.c.id == sa.bindparam("of_letter"))
    .order_by(_receipt.c.id)
    .with_for_update(of=_receipt)
)


def receipts_of(tx: Tx, letter_id: int) -> list[WaitingReceipt]:
    """Lock the receipts that a report carries, or may carry, until the transaction ends."""
    rows = tx.execute(_CARRIED, {"of_letter": letter_id})
    return [WaitingReceipt(row.id, row.key, row.ply, row.body) for row in rows]


def carry(tx: Tx, email_ids: Sequence[int], report: str) -> None:
    """Drop receipts that stand in the report with that key."""
    if email_ids:
        changes = {"status": "dropped", "next_at": None, "reason": SAID_IN + report}
        tx.execute(sa.update(outbox).where(outbox.c.id.in_(list(email_ids))).values(changes))


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


def lease(tx: Tx, email: DueEmail, bounce_tag: str | None, until: datetime) -> None:
    """Store the bytes of an email, and keep other workers from it for a while."""
    made = {"new_raw": email.raw, "new_address": email.address, "new_since": email.since}
    new = {**made, "new_tag": bounce_tag}
    tx.execute(_LEASED, {**new, "of_letter": email.id, "until": until})


_SENT = (
    sa.update(outbox)
    .where(outbox.c.id.in_(sa.bindparam("ids", expanding=True)))
    .values(status="sent", sent_at=sa.bindparam("now"), next_at=None, raw=None)
)


def mark_sent(tx: Tx, email_ids: Sequence[int], now: datetime) -> None:
    """Note that emails were handed over, and that the numbers were of their bytes, with those of
    what daily emails carry."""
    tx.execute(_SENT, {"ids": list(email_ids), "now": now})
    email_numbers.mark_sent(tx, email_ids)


def keep_leased(tx: Tx, email_ids: Sequence[int], until: datetime) -> None:
    """Keep other workers longer from leased emails."""
    untried = sa.and_(outbox.c.id.in_(list(email_ids)), outbox.c.status == "waiting")
    tx.execute(sa.update(outbox).where(untried).values(next_at=until))


def give_back(tx: Tx, email_ids: Sequence[int], now: datetime, *, fresh: bool) -> None:
    """Let leased emails wait again that were not tried. `fresh` bytes were never tried: they are
    dropped."""
    untried = sa.and_(outbox.c.id.in_(list(email_ids)), outbox.c.status == "waiting")
    forgotten = {"raw": None, "address": None, "bounce_tag": None} if fresh else {}
    tx.execute(sa.update(outbox).where(untried).values(next_at=now, **forgotten))


def still_waits(tx: Tx, letter_id: int) -> int | None:
    """Lock an email until the transaction ends, and return how often its hand-over has failed so
    far.

    Return None if it no longer waits, because it was dropped while it was being handed over.
    """
    wanted = sa.select(outbox.c.tries).where(outbox.c.id == letter_id, outbox.c.status == "waiting")
    return tx.execute(wanted.with_for_update()).scalar()


# What is asked for every email is built once: to build a statement costs more than to run it.
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
    """Return the ply of the newest report that still stands to the seat and tenure of an email."""
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
    were dropped since the email was taken."""
    wanted = sa.select(_HAS_OLDER).select_from(outbox).where(outbox.c.id == letter_id)
    return not tx.execute(wanted).scalar_one()
