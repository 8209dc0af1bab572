"""The rows of daily emails: which wait for one, and which go or went in it (club, 4.3 and 4.4).

A daily email is a row of the outbox, its carrier. The rows that it carries name it by their
`carrier_id`, from when it is made. Until it has gone they wait with it: `next_at`, `tries` and
`reason` are the carrier's, so that the operator's list and figures show of them what they would
show of emails that go by themselves, and nothing takes them by themselves. They become `sent` in
the statement in which it does, with its time. So all that asks what became of a report asks its own
row, but for one thing: a row that is carried has no bytes of its own, and whether a hand-over was
tried is asked of the carrier (`is_tried`).
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.core.email_kinds import TELLING_OF_SEATS, names_of
from adjudicator.store.clubs import FAR
from adjudicator.store.database import Tx
from adjudicator.store.outbox import FOR_ADVANCE, OF_PERSONS
from adjudicator.store.tables import match, outbox, player

KIND = "daily"
# The rest answers somebody, or has a code.
_CAN_WAIT = names_of(lambda kind: kind.can_wait)
_PREFIX = "daily/"

_carrier = outbox.alias()

is_tried = sa.or_(
    outbox.c.raw.is_not(None),
    outbox.c.sent_at.is_not(None),
    sa.exists().where(_carrier.c.id == outbox.c.carrier_id, _carrier.c.raw.is_not(None)),
)


def is_due(now: Any, far: Any) -> sa.ColumnElement[bool]:
    """Select what is due; also what a clock that ran ahead has put off until after `far`."""
    return sa.or_(outbox.c.next_at <= now, outbox.c.next_at > far)


# What was never tried by itself: an email that was goes on by itself.
_WAITS = sa.and_(
    outbox.c.status == "waiting",
    outbox.c.kind.in_(_CAN_WAIT),
    outbox.c.carrier_id.is_(None),
    outbox.c.raw.is_(None),
    outbox.c.tries == 0,
    outbox.c.bounces == 0,
)


class WaitingEmail(Struct, frozen=True, kw_only=True):
    """An email that is due, and that a daily email may carry."""

    id: int
    key: str
    kind: str
    match_id: int | None
    match: str | None
    ply: int | None
    seat: str | None
    body: str
    next_at: datetime


# The player of an email who wishes one email a day, if the email may wait for it; else null. It
# is asked with the emails that are due.
reader = sa.case(
    (
        sa.and_(_WAITS, player.c.letters == "daily", player.c.confirmed_at.is_not(None)),
        player.c.id,
    )
)


def hold_matches(tx: Tx, player_id: int, now: datetime) -> set[int]:
    """Lock the matches of what is due to a player, in the order of their ids, until the transaction
    ends: whoever locks several locks them so, and before their emails."""
    of_due = sa.select(outbox.c.match_id).where(
        outbox.c.player_id == player_id, _WAITS, is_due(now, now + FAR)
    )
    wanted = sa.select(match.c.id).where(match.c.id.in_(of_due)).order_by(match.c.id)
    return set(tx.execute(wanted.with_for_update()).scalars())


def due(tx: Tx, player_id: int, now: datetime) -> list[WaitingEmail]:
    """Lock what is due to a player and may wait, until the transaction ends; return it, the oldest
    first."""
    c = outbox.c
    columns = (c.id, c.key, c.kind, c.match_id, match.c.name.label("match"), c.ply, c.seat)
    wanted = (
        sa.select(*columns, c.body, c.next_at)
        .select_from(outbox.outerjoin(match))
        .where(c.player_id == player_id, _WAITS, is_due(now, now + FAR))
        .order_by(c.id)
        .with_for_update(of=outbox)
    )
    return [WaitingEmail(**row) for row in tx.execute(wanted).mappings()]


def put_off(tx: Tx, email_ids: Collection[int], until: datetime) -> None:
    """Let emails wait until then, each by itself."""
    if email_ids:
        chosen = outbox.c.id.in_(list(email_ids))
        changes = {"next_at": until, "carrier_id": None}
        tx.execute(sa.update(outbox).where(chosen).values(changes))


def look_again(tx: Tx, match_id: int) -> None:
    """Let a tick look again at what waits for daily emails of a match, for its deadline was moved:
    it may have to go at once."""
    _look_again(tx, outbox.c.match_id == match_id)


def _look_again(tx: Tx, which: sa.ColumnElement[bool]) -> None:
    """Whatever has a time of its own, or was tried, keeps its time."""
    c = outbox.c
    wish = sa.select(player.c.id).where(player.c.letters == "daily")
    anytime = sa.or_(c.kind != "reminder", c.body == "null")
    chosen = (which, _WAITS, c.player_id.in_(wish), anytime)
    tx.execute(sa.update(outbox).where(*chosen).values(next_at=c.created_at))


def look_again_for(tx: Tx, player_id: int) -> None:
    """Let a tick look again at what waits for the daily email of a player, for his morning has
    moved: it may have passed already where he is now."""
    _look_again(tx, outbox.c.player_id == player_id)


def release(tx: Tx, player_id: int, now: datetime) -> None:
    """Let go by itself at once what waited for a daily email; of a player who wishes none any
    more."""
    c = outbox.c
    anytime = sa.or_(c.kind != "reminder", c.body == "null")
    chosen = (c.player_id == player_id, _WAITS, c.next_at > now, anytime)
    tx.execute(sa.update(outbox).where(*chosen).values(next_at=now))


def open_carrier(tx: Tx, player_id: int) -> int | None:
    """Return a daily email to a player whose bytes are not made yet."""
    c = outbox.c
    wanted = sa.select(c.id).where(
        c.player_id == player_id, c.kind == KIND, c.status == "waiting", c.raw.is_(None)
    )
    found: int | None = tx.execute(wanted.order_by(c.id).limit(1)).scalar()
    return found


def fresh_key(tx: Tx, player_id: int, day: str) -> str:
    """Return a key for a daily email of a day that no other has had. The player is locked."""
    begin = f"{_PREFIX}{player_id}/{day}"
    taken = sa.select(outbox.c.key).where(
        outbox.c.key >= begin, outbox.c.key < f"{begin}\U0010ffff", outbox.c.kind == KIND
    )
    n = len(tx.execute(taken).all())
    return f"{begin}/{n + 1}" if n else begin


def renew(tx: Tx, carrier_id: int, key: str) -> None:
    """Let a daily email be written anew under another key, for what its bytes said is not all true
    any more. No Message-ID has two contents."""
    changes = {"key": key, "raw": None, "address": None, "bounce_tag": None}
    tx.execute(sa.update(outbox).where(outbox.c.id == carrier_id).values(changes))


def bind(tx: Tx, carrier_id: int, email_ids: Collection[int]) -> None:
    """Let a daily email carry these emails."""
    if email_ids:
        chosen = outbox.c.id.in_(list(email_ids))
        tx.execute(sa.update(outbox).where(chosen).values(carrier_id=carrier_id))
        mirror(tx, [carrier_id])


def bind_newer(tx: Tx, carrier_id: int, match_id: int, seat: str) -> bool:
    """Let a daily email carry the reports to a seat that wait for a later one, in place of an
    older one which they tell, too; return whether there are any."""
    c = outbox.c
    its = sa.select(c.player_id).where(c.id == carrier_id).scalar_subquery()
    chosen = (c.match_id == match_id, c.seat == seat, c.kind == "report", _WAITS)
    wanted = sa.select(c.id).where(*chosen, c.player_id == its)
    found = list(tx.execute(wanted.with_for_update()).scalars())
    bind(tx, carrier_id, found)
    return bool(found)


def let_loose(tx: Tx, email_ids: Collection[int], **changes: object) -> None:
    """Let no daily email carry these emails any more."""
    if email_ids:
        chosen = outbox.c.id.in_(list(email_ids))
        tx.execute(sa.update(outbox).where(chosen).values(carrier_id=None, **changes))


def statuses(tx: Tx, carrier_id: int) -> list[tuple[int, str]]:
    """Return id and status of what a daily email carries, the oldest first."""
    wanted = sa.select(outbox.c.id, outbox.c.status).where(outbox.c.carrier_id == carrier_id)
    return [(row.id, row.status) for row in tx.execute(wanted.order_by(outbox.c.id))]


def matches_of(tx: Tx, carrier_id: int) -> set[int]:
    """Return the ids of the matches of what a daily email carries."""
    c = outbox.c
    wanted = sa.select(c.match_id).where(c.carrier_id == carrier_id, c.match_id.is_not(None))
    return set(tx.execute(wanted.distinct()).scalars())


class CarriedEmail(Struct, frozen=True, kw_only=True):
    """What an operator or a bounce must know of an email in a daily email."""

    id: int
    key: str
    kind: str
    match_id: int | None
    match: str | None
    seat: str | None
    is_shown: bool  # in the operator's list, where the daily email is not


def contents(tx: Tx, carrier_id: int) -> list[CarriedEmail]:
    """Return what a daily email carries, the oldest first."""
    c = outbox.c
    columns = (c.id, c.key, c.kind, c.match_id, match.c.name.label("match"), c.seat)
    is_shown = sa.and_(c.kind.not_in(TELLING_OF_SEATS), c.body != FOR_ADVANCE).label("is_shown")
    wanted = sa.select(*columns, is_shown).select_from(outbox.outerjoin(match))
    rows = tx.execute(wanted.where(c.carrier_id == carrier_id).order_by(c.id)).mappings()
    return [CarriedEmail(**{**row, "is_shown": bool(row["is_shown"])}) for row in rows]


def hold_matches_of(tx: Tx, carrier_id: int) -> None:
    """Lock the matches of what a daily email carries, in the order of their ids, until the
    transaction ends."""
    of_carried = sa.select(outbox.c.match_id).where(outbox.c.carrier_id == carrier_id)
    wanted = sa.select(match.c.id).where(match.c.id.in_(of_carried)).order_by(match.c.id)
    tx.execute(wanted.with_for_update()).all()


_OF_CARRIER = (
    sa.select(_carrier.c.next_at, _carrier.c.tries, _carrier.c.reason)
    .where(_carrier.c.id == outbox.c.carrier_id)
    .correlate(outbox)
)
_MIRRORED = {
    column.name: _OF_CARRIER.with_only_columns(column).scalar_subquery()
    for column in (_carrier.c.next_at, _carrier.c.tries, _carrier.c.reason)
}


def mirror(tx: Tx, carrier_ids: Collection[int]) -> None:
    """Let what daily emails carry wait as they do."""
    chosen = (outbox.c.carrier_id.in_(list(carrier_ids)), outbox.c.status == "waiting")
    tx.execute(sa.update(outbox).where(*chosen).values(_MIRRORED))


def mark_sent(tx: Tx, carrier_ids: Collection[int], now: datetime) -> None:
    """Note that daily emails were handed over, with all that they carry. What was told once only
    is forgotten."""
    of_them = outbox.c.carrier_id.in_(list(carrier_ids))
    sent = {"status": "sent", "sent_at": now, "next_at": None}
    tx.execute(sa.update(outbox).where(of_them).values(sent))
    once = (of_them, outbox.c.kind == "aside")
    tx.execute(sa.update(outbox).where(*once).values(body="null"))


def come_back(tx: Tx, email_ids: Sequence[int], again: datetime, why: str) -> None:
    """Let emails whose daily email came back wait again, each by itself from now on."""
    changes = {"status": "waiting", "tries": 0, "next_at": again, "bounces": 1, "reason": why}
    let_loose(tx, email_ids, **changes, sent_at=None)


def dissolve(tx: Tx, carrier_id: int, now: datetime) -> bool:
    """Let what a daily email carries go each by itself, for the whole of it cannot be written;
    return whether the email is one."""
    c = outbox.c
    its = (c.id == carrier_id, c.kind == KIND)
    gone = sa.update(outbox).where(*its).values(status="dropped", next_at=None).returning(c.id)
    if tx.execute(gone).first() is None:
        return False
    waiting = [number for number, status in statuses(tx, carrier_id) if status == "waiting"]
    let_loose(tx, waiting, tries=1, next_at=now)
    return True


def get_stuck(tx: Tx, carrier_id: int) -> list[int]:
    """Let what a daily email carries be stuck with it; return what of it the operator is shown."""
    mirror(tx, [carrier_id])
    its = (outbox.c.carrier_id == carrier_id, outbox.c.status == "waiting")
    tx.execute(sa.update(outbox).where(*its).values(status="stuck"))
    return [one.id for one in contents(tx, carrier_id) if one.is_shown]


# What the operator does to an email that a daily email carries is done to that.

_LIVE = ("waiting", "unconfirmed", "stuck")


def carrier_of(tx: Tx, letter_id: int) -> int | None:
    """Return the daily email that carries an email and has not gone."""
    this = outbox.alias()
    wanted = sa.select(outbox.c.id).join(this, this.c.carrier_id == outbox.c.id)
    its = wanted.where(this.c.id == letter_id, outbox.c.status.in_(_LIVE))
    found: int | None = tx.execute(its).scalar()
    return found


def retry_with(tx: Tx, carrier_id: int) -> None:
    """Let what a daily email carries wait again with it."""
    chosen = (outbox.c.carrier_id == carrier_id, outbox.c.status == "stuck")
    tx.execute(sa.update(outbox).where(*chosen).values(status="waiting"))
    mirror(tx, [carrier_id])


def is_offer(key: str) -> bool:
    """Return whether an email from a personal address is an offer, or the end of one."""
    return key.startswith(OF_PERSONS) and "/offer/" in key
