"""Guests: people who are not members, and whom a player would like to play with (club, 6.2).

An address is kept only while somebody waits for its answer. Of one to which the club wrote by
itself a digest stays, its `mark`, so that it is not written to again.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.core.result import read as read_result
from adjudicator.store import rows
from adjudicator.store.database import Tx, insert_once
from adjudicator.store.tables import club, match, outbox, seat
from adjudicator.store.tables_club import guest, written_to

VALID = timedelta(days=14)  # after which nobody waits for a guest any more
OPEN = ("open", "wished", "asked")


@rows.of(guest, spoilt={"planned": {}})
class Guest(Struct, frozen=True, kw_only=True):
    """Somebody who is invited; the columns say what each field is."""

    id: int
    asker_id: int
    planned: Mapping[str, Any]
    door: str
    status: str
    address: str | None
    name: str
    language: str
    code: str
    tries: int
    created_at: datetime
    expires_at: datetime | None
    ended_at: datetime | None
    mark: str | None = None

    @property
    def prefix(self) -> str:
        """Return with what the keys of emails to him begin."""
        return f"guest/{self.id}/"


def end(tx: Tx, found: Guest, status: str, now: datetime) -> None:
    """End an invitation, and forget the address with all that was written to it."""
    gone = {"expires_at": None, "address": None, "name": ""}
    rows.change(tx, Guest, found.id, status=status, ended_at=now, **gone)
    forget_emails(tx, found)


def forget_emails(tx: Tx, found: Guest) -> None:
    """Delete what was written to a guest and of him to the game master, sent or not."""
    tx.execute(sa.delete(outbox).where(outbox.c.key.startswith(found.prefix, autoescape=True)))


def due(tx: Tx, now: datetime) -> list[int]:
    wanted = sa.select(guest.c.id).where(guest.c.expires_at <= now).order_by(guest.c.id)
    return [int(one) for one in tx.execute(wanted).scalars()]


IS_DUE = sa.select(sa.exists().where(guest.c.expires_at <= sa.bindparam("now")))


def take_due(tx: Tx, guest_id: int, now: datetime) -> Guest | None:
    """Lock and return a guest whose time is up, unless another worker has it."""
    return rows.first(tx, Guest, guest.c.expires_at <= now, id=guest_id, skip_locked=True)


def of_letter(key: str) -> int | None:
    """Return the number of the guest to whom an email with that key went."""
    parts = key.split("/")
    is_to_guest = len(parts) == 3 and (parts[0], parts[2]) == ("guest", "letter")
    return int(parts[1]) if is_to_guest and parts[1].isdecimal() else None


# To whom the club wrote by itself.


def lock(tx: Tx) -> None:
    """Let one worker at a time decide to whom the club writes, until the transaction ends."""
    tx.execute(sa.select(club.c.domain).with_for_update())


def count_emails_since(tx: Tx, moment: datetime) -> int:
    """Return to how many addresses the club wrote after that moment."""
    wanted = sa.select(sa.func.count()).where(written_to.c.written_at > moment)
    return int(tx.execute(wanted).scalar_one())


def count_wishes_since(tx: Tx, moment: datetime) -> int:
    """Return for how many addresses players asked after that moment."""
    asked = (guest.c.mark.is_not(None), guest.c.created_at > moment)
    return int(tx.execute(sa.select(sa.func.count()).where(*asked)).scalar_one())


def is_closed(tx: Tx, marks: Collection[str], since: datetime) -> bool:
    """Return whether the club does not write to an address: it did after that moment, or must never
    again. `marks` are the digests of it under all keys."""
    c = written_to.c
    wanted = sa.select(c.mark).where(
        c.mark.in_(marks), sa.or_(c.written_at > since, c.refused_at.is_not(None))
    )
    return tx.execute(wanted).first() is not None


def has_refused(tx: Tx, marks: Collection[str]) -> bool:
    c = written_to.c
    wanted = sa.select(c.mark).where(c.mark.in_(marks), c.refused_at.is_not(None))
    return tx.execute(wanted).first() is not None


def note_written(tx: Tx, mark: str, now: datetime) -> None:
    """Note that the club writes to an address now."""
    if not insert_once(tx, written_to, {"mark": mark, "written_at": now}):
        c = written_to.c
        tx.execute(sa.update(written_to).where(c.mark == mark).values(written_at=now))


def refuse(tx: Tx, mark: str, now: datetime) -> None:
    """Note that the club never writes to an address again."""
    insert_once(tx, written_to, {"mark": mark, "written_at": now})
    still = (written_to.c.mark == mark, written_to.c.refused_at.is_(None))
    tx.execute(sa.update(written_to).where(*still).values(refused_at=now))


def forget_written(tx: Tx, before: datetime) -> None:
    """Delete what is no limit any more: emails of before that moment to which nobody said no."""
    old = (written_to.c.written_at < before, written_to.c.refused_at.is_(None))
    tx.execute(sa.delete(written_to).where(*old))


def has_finished(tx: Tx, player_id: int) -> bool:
    """Return whether a player has played a match to its end."""
    wanted = sa.select(match.c.result).join(seat, seat.c.match_id == match.c.id)
    ended = (seat.c.player_id == player_id, match.c.status == "over", match.c.result.is_not(None))
    found = tx.execute(wanted.where(*ended)).scalars()
    return any(not read_result(one).is_void for one in found)


def restore(tx: Tx) -> None:
    """End what a restored club must not do again: emails to strangers that wait in a backup, or
    that were to be allowed, may have gone out after it."""
    for one in rows.find(tx, Guest, status="wished"):
        gone = {"status": "void", "address": None, "expires_at": one.created_at + VALID}
        rows.change(tx, Guest, one.id, **gone)
        forget_emails(tx, one)
    sent = sa.select(guest.c.id).where(guest.c.status == "asked", guest.c.mark.is_not(None))
    for number in [*tx.execute(sent).scalars()]:
        again = (outbox.c.key == f"guest/{number}/letter", outbox.c.sent_at.is_(None))
        tx.execute(sa.delete(outbox).where(*again))
