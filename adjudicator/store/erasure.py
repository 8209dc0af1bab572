"""Take a person out of the rows of a club, and delete what a club keeps no longer.

What was hashed stays as it is: the lines of a log, the orders and rulings in them. All other texts
are changed row by row, some at a time, so that nobody waits long. A second try finds what the first
one has left.

What is kept no longer are old reports and emails of ended matches, and what old emails said. What
such a match came to stays: its log, its orders, its rulings and its last reports. So results,
tables, pages, records and `verify` are as before.
"""

import json
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeAlias

import sqlalchemy as sa
from msgspec.json import decode, encode

from adjudicator.core.text import folded_address
from adjudicator.store import matches, rows, tables
from adjudicator.store.database import IN_PARTS, Store, Tx
from adjudicator.store.personal import HeldSeat, while_held
from adjudicator.store.rows import unpack
from adjudicator.store.tables import (
    email,
    joining,
    match,
    outbox,
    parked,
    player,
    press,
    press_copy,
    report,
    ruling,
    submission,
    turn,
)
from adjudicator.store.tables_club import email_part, parked_email

Clean: TypeAlias = Callable[[str], str]
Holds: TypeAlias = Callable[[bytes], bool]

_SOME = 100  # rows that are changed in one transaction

# Of each row alone: words, JSON, and the bytes of emails.
WORDS, JSON, BYTES = (rows.columns_that(clean=what) for what in ("text", "json", "bytes"))
_HASHED, _CLEANED = (rows.columns_that(of_match=what) for what in ("hashed", "cleaned"))

_OPEN_ORDERS = ("kept", "in force")
_GOING_OUT = ("waiting", "unconfirmed", "stuck")
_COMING_IN = ("received", "parked", "stuck")
_OVER = sa.select(match.c.id).where(match.c.status == "over")


def addresses(tx: Tx, player_id: int) -> list[str]:
    """Return the addresses to which emails were written to a player."""
    wanted = sa.select(outbox.c.address).where(
        outbox.c.player_id == player_id, outbox.c.address.is_not(None)
    )
    return list(tx.execute(wanted.distinct().order_by(outbox.c.address)).scalars())


def names(tx: Tx, held: Collection[HeldSeat]) -> list[str]:
    """Return the names by which reports to these seats of his called a player."""
    found: dict[str, None] = {}
    for one in held:
        wanted = sa.select(report.c.body).where(
            report.c.match_id == one.match_id,
            report.c.seat == one.seat,
            report.c.tenure == one.tenure,
        )
        with suppress(ValueError, LookupError, zlib.error):  # rows that are damaged
            for body in tx.execute(wanted, execution_options=IN_PARTS).scalars():
                found[decode(body)["players"].get(one.seat, "")] = None
    return [name for name in found if name]


def others(tx: Tx, player_id: int) -> list[tuple[str, str]]:
    """Return name and address of all other players."""
    wanted = sa.select(player.c.name, player.c.address).where(player.c.id != player_id)
    return [(row.name, row.address) for row in tx.execute(wanted)]


# What is his alone.


def forget(tx: Tx, player_id: int, of_his: Collection[str], *, name: str, now: datetime) -> None:
    """Forget a player's own row, his absences, and what was written to him, also to his addresses
    before they were known as his."""
    values = {
        **rows.empty_values(player),
        "name": name,
        "name_key": name.casefold(),
        "erased_at": now,
        "token": tables.fresh_token(),  # nobody knows the address that it would be part of
        "changes": player.c.changes + 1,
    }
    tx.execute(sa.update(player).where(player.c.id == player_id).values(values))
    forget_rows(tx, player_id, "deleted")
    folded = [folded_address(one) for one in of_his]
    to_nobody = sa.and_(outbox.c.player_id.is_(None), sa.func.lower(outbox.c.address).in_(folded))
    to_him = sa.or_(outbox.c.player_id == player_id, to_nobody)
    tx.execute(
        sa.update(outbox)
        .where(to_him, outbox.c.status.in_(_GOING_OUT))
        .values(status="dropped", next_at=None)
    )
    tx.execute(sa.update(outbox).where(to_him).values(rows.empty_values(outbox)))


def forget_rows(tx: Tx, player_id: int, *become: str) -> None:
    """Delete the rows that name a player and that become this if he is erased (`store/rows`)."""
    for column in (one for row in become for one in rows.columns_that(row=row)):
        tx.execute(sa.delete(column.table).where(column == player_id))


def remove_rows(tx: Tx, player_id: int) -> None:
    """Delete the rows of a player of whom no row must stay. The emails that came from him stay, and
    are nobody's: SQLite may give his number to the next player."""
    tx.execute(sa.update(email).where(email.c.player_id == player_id).values(player_id=None))
    forget_rows(tx, player_id, "deleted", "emptied")


def is_remembered(tx: Tx, player_id: int) -> bool:
    """Return whether a row that stays names a player, as a seat that he held in a match that is
    over."""
    stay = rows.columns_that(row="stays")
    named = (sa.exists().where(column == player_id) for column in stay)
    return bool(tx.execute(sa.select(sa.or_(*named))).scalar_one())


def forget_emails(
    tx: Tx, player_id: int, held: Collection[HeldSeat], of_his: Collection[str]
) -> None:
    """Forget the emails that came to his seats while they were his, to his personal address, and
    from his addresses to no seat, with his requests for seats."""
    c = email.c
    folded = [folded_address(one) for one in of_his]
    which = [
        sa.and_(c.match_id == one.match_id, c.seat == one.seat, *while_held(one, c.received_at))
        for one in held
    ]
    which.append(sa.func.lower(c.sender).in_(folded))
    which.append(c.player_id == player_id)
    for chosen in which:
        parts = email_part.c.letter_id.in_(sa.select(c.id).where(chosen))
        tx.execute(sa.update(email_part).where(parts).values(rows.empty_values(email_part)))
        tx.execute(
            sa.update(email).where(chosen, c.status.in_(_COMING_IN)).values(status="dropped")
        )
        tx.execute(sa.update(email).where(chosen).values(rows.empty_values(email)))
    tx.execute(sa.delete(joining).where(sa.func.lower(joining.c.address).in_(folded)))


def forget_press(tx: Tx, one: HeldSeat, is_his: Callable[[str], bool]) -> None:
    """Forget what he wrote to others from a seat of his; `is_his` is asked of each email's
    body."""
    c, o = press_copy.c, outbox.c
    his = sa.select(press.c.id).where(
        press.c.match_id == one.match_id, press.c.seat == one.seat, press.c.tenure == one.tenure
    )
    copies = sa.select(c.seat, c.tenure, c.number, c.key).where(c.press_id.in_(his))
    keys = [f"operator/alert/press/{number}" for number in tx.execute(his).scalars()]
    for row in tx.execute(copies):
        keys.append(f"operator/alert/complaint/{one.match_id}/{row.seat}/{row.tenure}/{row.number}")
        keys += [row.key] if row.key else []
    for first in range(0, len(keys), _SOME):
        some = o.key.in_(keys[first : first + _SOME])
        tx.execute(
            sa.update(outbox)
            .where(some, o.status.in_(_GOING_OUT))
            .values(status="dropped", next_at=None)
        )
        tx.execute(sa.update(outbox).where(some).values(body="null", raw=None))
    tx.execute(sa.update(press).where(press.c.id.in_(his)).values(rows.empty_values(press)))
    _forget_older_press(tx, one, is_his)


def _forget_older_press(tx: Tx, one: HeldSeat, is_his: Callable[[str], bool]) -> None:
    """Forget what he wrote before messages were kept by themselves."""
    c = outbox.c
    sent = sa.select(press.c.sent_at).where(
        press.c.match_id == one.match_id,
        press.c.seat == one.seat,
        press.c.tenure.is_(None),
        *while_held(one, press.c.sent_at),
    )
    written = (c.match_id == one.match_id, c.kind == "press", c.created_at.in_(sent))
    for row in tx.execute(sa.select(c.id, c.body, c.status).where(*written)).all():
        if row.body != "null" and is_his(row.body):
            body = {**decode(row.body), "text": ""}
            changes: dict[str, Any] = {"body": encode(body).decode(), "raw": None}
            if row.status in _GOING_OUT:
                changes |= {"status": "dropped", "next_at": None}
            tx.execute(sa.update(outbox).where(c.id == row.id).values(changes))


# What is others', and names him.


def _holding(column: Any, needles: Collection[str]) -> sa.ColumnElement[bool]:
    """Select texts that hold one of these, in whatever case of the letters of ASCII, as words or as
    JSON has them."""
    written = {*needles, *(encode(one).decode()[1:-1] for one in needles)}
    lowered = sa.func.lower(column)
    either = [column.contains(one, autoescape=True) for one in written]
    plain = [one.lower() for one in written if one.isascii()]
    return sa.or_(*either, *(lowered.contains(one, autoescape=True) for one in plain))


def clean_words(store: Store, column: Any, needles: Collection[str], clean: Clean) -> int:
    """Clean a column of texts; return how many rows were changed."""
    table = column.table
    wanted = sa.select(table.c.id).where(_holding(column, needles)).order_by(table.c.id)
    if table is submission:  # nobody touches orders of an open turn
        wanted = wanted.where(submission.c.status.not_in(_OPEN_ORDERS))
    if table is parked:
        wanted = wanted.where(sa.or_(parked.c.status != "waiting", parked.c.match_id.in_(_OVER)))
    with store.reading() as tx:
        found = list(tx.execute(wanted).scalars())
    changed = 0
    for first in range(0, len(found), _SOME):
        with store.transaction() as tx:
            some = table.c.id.in_(found[first : first + _SOME])
            for number, text in tx.execute(sa.select(table.c.id, column).where(some)).all():
                cleaned = None if text is None else clean(text)
                if cleaned != text:
                    one = sa.update(table).where(table.c.id == number)
                    tx.execute(one.values({column.name: cleaned}))
                    changed += 1
    return changed


def clean_bytes(store: Store, column: Any, holds: Holds) -> None:
    """Forget the bytes of emails that hold him. Those of an email to go out are made anew, and one
    that came in and is not done with stays."""
    table = column.table
    wanted = sa.select(table.c.id, column.label("raw")).where(sa.func.length(column) > 0)
    gone: dict[str, Any] = {"raw": None, "address": None, "bounce_tag": None}
    if table is email:
        done = sa.or_(email.c.status.not_in(_COMING_IN), email.c.match_id.in_(_OVER))
        wanted, gone = wanted.where(done), {"raw": b""}
    with store.reading() as tx:
        rows = tx.execute(wanted, execution_options=IN_PARTS)
        found = [row.id for row in rows if holds(bytes(row.raw))]
    for first in range(0, len(found), _SOME):
        with store.transaction() as tx:
            some = table.c.id.in_(found[first : first + _SOME])
            tx.execute(sa.update(table).where(some).values(gone))


def matches_holding(tx: Tx, needles: Collection[str]) -> set[int]:
    """Return the ids of matches in whose reports, rulings or hashed texts one of these stands, in
    whatever case, or may stand because a row cannot be read."""
    escaped = (json.dumps(one)[1:-1] for one in needles)  # as lines of a log have it
    written = {one.lower() for one in (*needles, *escaped)}
    found: set[int] = set()
    for column in (*_HASHED, *_CLEANED):
        wanted = sa.select(column.table.c.match_id, sa.type_coerce(column, sa.Text))
        for match_id, kept in tx.execute(wanted, execution_options=IN_PARTS):
            if match_id not in found and _may_hold(kept, written):
                found.add(match_id)
    return found


def _may_hold(kept: Any, written: Collection[str]) -> bool:
    try:
        text = unpack(kept or "").lower()
    except (ValueError, TypeError, zlib.error):
        return True
    return any(one in text for one in written)


def hashed_in(tx: Tx, match_id: int, is_in: Callable[[str], bool]) -> bool:
    """Return whether what a match has hashed, or what it is verified by, holds him."""
    sources = (
        sa.select(one).where(one.table.c.match_id == match_id, one.is_not(None)) for one in _HASHED
    )
    return any(is_in(text) for wanted in sources for text in tx.execute(wanted).scalars())


def clean_rulings(tx: Tx, match_id: int, clean: Clean, clean_words: Clean) -> None:
    wanted = sa.select(ruling.c.id, ruling.c.told, ruling.c.acts, ruling.c.reason)
    for row in tx.execute(wanted.where(ruling.c.match_id == match_id)).all():
        acts = None if row.acts is None else clean(row.acts)
        told, reason = clean(row.told), clean_words(row.reason)
        if (told, acts, reason) != (row.told, row.acts, row.reason):
            one = sa.update(ruling).where(ruling.c.id == row.id)
            tx.execute(one.values(told=told, acts=acts, reason=reason))


def clean_reports(tx: Tx, match_id: int, clean: Clean) -> bool:
    """Clean the reports of a match; return whether one was changed."""
    c = report.c
    wanted = sa.select(c.ply, c.seat, c.body).where(c.match_id == match_id)
    changed = False
    for row in tx.execute(wanted.order_by(c.ply, c.seat)).all():
        cleaned = clean(row.body)
        if cleaned != row.body:
            one = sa.and_(c.match_id == match_id, c.ply == row.ply, c.seat == row.seat)
            tx.execute(sa.update(report).where(one).values(body=cleaned))
            changed = True
    if changed:
        matches.count_change(tx, match_id)
    return changed


def matches_named(tx: Tx, is_in: Callable[[str], bool]) -> Iterator[str]:
    """Yield the matches whose own name holds him, or whose options do."""
    for name, options in tx.execute(sa.select(match.c.name, match.c.options)):
        if is_in(name) or is_in(options):
            yield name


def matches_with_archives(tx: Tx, held: Collection[HeldSeat]) -> list[str]:
    """Return the matches among those of these seats of which there may be a file."""
    ids = {one.match_id for one in held}
    wanted = sa.select(match.c.name).where(match.c.id.in_(ids), match.c.archived_at.is_not(None))
    return list(tx.execute(wanted.order_by(match.c.id)).scalars())


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


def forget_words_of_emails(tx: Tx, before: datetime) -> bool:
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
        tx.execute(sa.update(table).where(table.c.id.in_(ids)).values(rows.empty_values(table)))
        more = more or len(ids) == SOME
    return more
