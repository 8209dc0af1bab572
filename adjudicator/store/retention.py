"""Delete what a club keeps no longer: old reports and emails of ended matches, and what old
emails said.

What a match came to stays: its log, its orders, its rulings and its last reports. So results,
tables, pages, records and `verify` are as before.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from adjudicator.store import types
from adjudicator.store.database import Tx
from adjudicator.store.tables import (
    email,
    match,
    outbox,
    parked,
    press,
    press_copy,
    report,
    turn,
)
from adjudicator.store.tables_club import parked_email

SOME = 500  # emails that are emptied in one transaction
_WAITING = ("waiting", "stuck")
_UNREAD = ("received", "stuck")  # what waits for a code of an ended match waits for nothing

_last = sa.and_(turn.c.match_id == match.c.id, turn.c.ply == match.c.ply)
_ENDED = sa.func.coalesce(turn.c.adjudicated_at, match.c.created_at)
_OLD = sa.select(match.c.id, match.c.name).select_from(match.outerjoin(turn, _last))


def matches_to_archive(tx: Tx, moment: datetime) -> list[tuple[int, str]]:
    """Return id and name of the matches that ended before a moment and are not archived."""
    wanted = _OLD.where(match.c.status == "over", match.c.archived_at.is_(None), moment > _ENDED)
    return [(row.id, row.name) for row in tx.execute(wanted.order_by(match.c.id))]


def with_old_reports(tx: Tx, moment: datetime) -> list[tuple[int, str]]:
    """Return id and name of the matches that ended before a moment and have reports of before their
    end."""
    old = sa.exists().where(report.c.match_id == match.c.id, report.c.ply < match.c.ply)
    wanted = _OLD.where(match.c.status == "over", moment > _ENDED, old)
    return [(row.id, row.name) for row in tx.execute(wanted.order_by(match.c.id))]


def is_over(tx: Tx, match_id: int) -> bool:
    """Lock a match until the transaction ends, and return whether it is over."""
    wanted = sa.select(match.c.status).where(match.c.id == match_id)
    return bool(tx.execute(wanted.with_for_update()).scalar_one() == "over")


def archive_time(tx: Tx, match_id: int) -> datetime | None:
    wanted = sa.select(match.c.archived_at).where(match.c.id == match_id)
    found: datetime | None = tx.execute(wanted).scalar_one()
    return found


def is_busy(tx: Tx, match_id: int) -> bool:
    """Return whether emails of a match still wait to go out or to be read."""
    out = sa.exists().where(outbox.c.match_id == match_id, outbox.c.status.in_(_WAITING))
    into = sa.exists().where(email.c.match_id == match_id, email.c.status.in_(_UNREAD))
    return bool(tx.execute(sa.select(sa.or_(out, into))).scalar_one())


def drop_reports(tx: Tx, match_id: int, now: datetime) -> None:
    """Delete the reports of a match but those of its last ply, which count as shown."""
    last = sa.select(match.c.ply).where(match.c.id == match_id).scalar_subquery()
    tx.execute(sa.delete(report).where(report.c.match_id == match_id, report.c.ply < last))
    kept = sa.update(report).where(report.c.match_id == match_id, report.c.shown_at.is_(None))
    tx.execute(kept.values(shown_at=now))


def drop_emails(tx: Tx, match_id: int) -> None:
    """Delete the emails of a match, but those that were never to be sent and wait to be
    printed."""
    _keep_words_of_persons(tx, match_id)
    for table in (press_copy, press, parked, email):
        tx.execute(sa.delete(table).where(table.c.match_id == match_id))
    printed_once = sa.and_(outbox.c.status == "kept", outbox.c.kind == "aside")
    tx.execute(sa.delete(outbox).where(outbox.c.match_id == match_id, sa.not_(printed_once)))


def _keep_words_of_persons(tx: Tx, match_id: int) -> None:
    """Count the emails to seats of a match that had a command of the player's own in them, which
    waits for a code or did, as emails to his personal address, and forget what they said."""
    c = parked_email.c
    whose = sa.select(sa.func.min(c.player_id)).where(c.letter_id == email.c.id).scalar_subquery()
    its = (email.c.match_id == match_id, email.c.id.in_(sa.select(c.letter_id)))
    gone = {"match_id": None, "seat": None, "ply": None, "raw": b"", "reason": None}
    tx.execute(sa.update(email).where(*its).values(**gone, player_id=whose))


def mark_archived(tx: Tx, match_id: int, now: datetime) -> None:
    tx.execute(sa.update(match).where(match.c.id == match_id).values(archived_at=now))


_DONE = ("sent", "dropped", "bounced")
_GOES_ON = sa.select(match.c.id).where(match.c.status != "over")


def forget_emails(tx: Tx, before: datetime) -> bool:
    """Forget what some old emails said that are done with; return whether there may be more.

    Those of matches that go on stay. So do those that asked somebody to confirm his address.
    """
    c, o = email.c, outbox.c
    p = parked_email.c
    confirmed = sa.select(p.id).where(p.created_at < before, p.status != "waiting", p.text != "")
    came = sa.select(c.id).where(
        c.received_at < before,
        c.status.not_in(_UNREAD),
        sa.or_(sa.func.length(c.raw) > 0, c.sender != ""),
        sa.or_(c.match_id.is_(None), c.match_id.not_in(_GOES_ON)),
    )
    went = sa.select(o.id).where(
        o.created_at < before,
        o.status.in_(_DONE),
        sa.or_(o.body != "null", o.address.is_not(None)),
        sa.or_(o.match_id.is_not(None), o.kind != "confirm"),
        sa.or_(o.match_id.is_(None), o.match_id.not_in(_GOES_ON)),
    )
    said = sa.select(press.c.id).where(
        press.c.sent_at < before, press.c.body.is_not(None), press.c.match_id.not_in(_GOES_ON)
    )
    old: Sequence[tuple[sa.Table, Any]] = (
        (press, said),
        (parked_email, confirmed),
        (email, came),
        (outbox, went),
    )
    more = False
    for table, wanted in old:
        ids = list(tx.execute(wanted.order_by(table.c.id).limit(SOME)).scalars())
        tx.execute(sa.update(table).where(table.c.id.in_(ids)).values(types.empty_values(table)))
        more = more or len(ids) == SOME
    return more
