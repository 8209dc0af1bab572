"""All rows that are about one person, for himself: what is kept of him, and what he was told.

The operator prints them, and he may be a player himself. So of a match that goes on nothing is
returned that would tell who has sent orders for its open turn: orders and emails only from the
plies before, no marks and notes, and no emails of the club as a whole while any match goes on.

Which columns are shown, each says itself (`store/rows`); here is which rows are.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.core.email_kinds import TELLING_OF_SEATS
from adjudicator.core.text import folded_address
from adjudicator.store import rows
from adjudicator.store.database import IN_PARTS, Tx
from adjudicator.store.outbox import FOR_ADVANCE
from adjudicator.store.players import AUTO
from adjudicator.store.tables import (
    absence,
    charge,
    email,
    joining,
    jotting,
    match,
    muted,
    outbox,
    player,
    report,
    said,
    seat,
    submission,
    tenure,
    turn,
)
from adjudicator.store.tables_club import email_part, guest, parked_email

Row = Mapping[str, Any]
CHOICES = tuple(column.name for column in rows.columns_that([player], is_choice=True))


class HeldSeat(Struct, frozen=True, kw_only=True):
    """A seat that somebody holds or held: from the moment after `since`, until `until`.

    `ply` is the last one of the match; `ended_at` and `result`, as `core/result` writes it, are
    those of one that is over.
    """

    match_id: int
    match: str
    game: str
    variant: str
    status: str
    seat: str
    tenure: int
    since: datetime | None
    until: datetime | None
    ply: int
    ended_at: datetime | None = None
    result: str | None = None

    @property
    def is_over(self) -> bool:
        return self.status == "over"


_HELD = (match.c.id.label("match_id"), match.c.name.label("match"))
_OF_MATCH = (match.c.game, match.c.variant, match.c.status, match.c.ply)
_ENDED = (match.c.ended_at, match.c.result)
_before = tenure.alias()
_SINCE = (
    sa.select(sa.func.max(_before.c.ended_at))
    .where(_before.c.match_id == match.c.id)
    .correlate(match, seat, tenure)
)


def holdings(tx: Tx, player_id: int) -> list[HeldSeat]:
    """Return the seats that a player holds and held, the oldest match first."""
    now = sa.select(
        *_HELD,
        *_OF_MATCH,
        *_ENDED,
        seat.c.name.label("seat"),
        seat.c.tenure,
        _SINCE.where(_before.c.seat == seat.c.name).scalar_subquery().label("since"),
        sa.null().label("until"),
    ).select_from(seat.join(match))
    before = sa.select(
        *_HELD,
        *_OF_MATCH,
        *_ENDED,
        tenure.c.seat,
        tenure.c.number.label("tenure"),
        _SINCE.where(_before.c.seat == tenure.c.seat, _before.c.number < tenure.c.number)
        .scalar_subquery()
        .label("since"),
        tenure.c.ended_at.label("until"),
    ).select_from(tenure.join(match, tenure.c.match_id == match.c.id))
    rows = [
        *tx.execute(now.where(seat.c.player_id == player_id)).mappings(),
        *tx.execute(before.where(tenure.c.player_id == player_id)).mappings(),
    ]
    found = [HeldSeat(**row) for row in rows]
    return sorted(found, key=lambda one: (one.match_id, one.seat, one.tenure))


def while_held(held: HeldSeat, at: sa.Column[datetime]) -> list[sa.ColumnElement[bool]]:
    """Select what came while the seat was his."""
    ends = [at > held.since] if held.since else []
    return [*ends, at <= held.until] if held.until else ends


def _select_shown(
    table: sa.Table, *where: sa.ColumnElement[bool], by: Any = None
) -> sa.Select[Any]:
    """Select what an export shows of a table, the oldest row first."""
    wanted = sa.select(*rows.export_columns(table)).where(*where)
    return wanted.order_by(table.c.id if by is None else by)


def _until(at: sa.Column[datetime], before: datetime | None) -> tuple[sa.ColumnElement[bool], ...]:
    return () if before is None else (at < before,)


def _rows_of(tx: Tx, wanted: sa.Select[Any]) -> list[Row]:
    return [dict(row) for row in tx.execute(wanted).mappings()]


def _in_parts(tx: Tx, wanted: sa.Select[Any]) -> Iterator[Row]:
    yield from map(dict, tx.execute(wanted, execution_options=IN_PARTS).mappings())


def absences(tx: Tx, player_id: int, *, playing: bool) -> list[Row]:
    """Return a player's absences; while he is `playing`, only those that he announced."""
    wanted = _select_shown(absence, absence.c.player_id == player_id)
    return _rows_of(tx, wanted.where(absence.c.kind != AUTO) if playing else wanted)


def joinings(tx: Tx, address: str) -> list[Row]:
    """Return the requests for seats that came from an address."""
    return _rows_of(
        tx, _select_shown(joining, sa.func.lower(joining.c.address) == folded_address(address))
    )


def guests(tx: Tx, player_id: int) -> list[Row]:
    """Return when a player invited somebody who was no member."""
    return _rows_of(tx, _select_shown(guest, guest.c.asker_id == player_id))


def _of_seat(table: sa.Table, held: HeldSeat) -> sa.ColumnElement[bool]:
    return sa.and_(table.c.match_id == held.match_id, table.c.seat == held.seat)


def orders(tx: Tx, held: HeldSeat) -> list[Row]:
    c = submission.c
    wanted = _select_shown(submission, _of_seat(submission, held), *while_held(held, c.received_at))
    return _rows_of(tx, wanted if held.is_over else wanted.where(c.ply <= held.ply))


def words(tx: Tx, held: HeldSeat) -> list[Row]:
    """Return the RESIGN, DRAW and CLEAR of his that took effect."""
    wanted = _select_shown(said, _of_seat(said, held), *while_held(held, said.c.at))
    return _rows_of(tx, wanted if held.is_over else wanted.where(said.c.ply < held.ply))


def jottings(tx: Tx, held: HeldSeat) -> list[Row]:
    """Return his marks and notes of a match that is over."""
    if not held.is_over:
        return []
    return _rows_of(
        tx, _select_shown(jotting, _of_seat(jotting, held), jotting.c.tenure == held.tenure)
    )


def reserve(tx: Tx, held: HeldSeat) -> list[Row]:
    """Return what his seat had in reserve before each ply that changed it, while it was his."""
    of_ply = sa.and_(turn.c.match_id == charge.c.match_id, turn.c.ply == charge.c.ply)
    wanted = _select_shown(charge, of_ply, _of_seat(charge, held), by=charge.c.ply)
    return _rows_of(tx, wanted.where(*while_held(held, turn.c.adjudicated_at)))


def mutings(tx: Tx, player_id: int) -> list[Row]:
    """Return whose messages he does not want, and in which match; None for unsigned ones."""
    c = muted.c
    wanted = (
        sa.select(match.c.name.label("match"), player.c.name.label("player"))
        .select_from(muted.join(match).outerjoin(player, player.c.id == c.other_id))
        .where(c.player_id == player_id)
        .order_by(c.id)
    )
    return _rows_of(tx, wanted)


def waiting_words(tx: Tx, player_id: int, before: datetime | None) -> list[Row]:
    """Return what he wrote to his personal address before that moment and had to confirm."""
    c = parked_email.c
    return _rows_of(
        tx, _select_shown(parked_email, c.player_id == player_id, *_until(c.created_at, before))
    )


def parts(tx: Tx, player_id: int) -> list[Row]:
    """Return what became of the parts of his emails about several matches."""
    c = email_part.c
    wanted = (
        sa.select(email.c.received_at, *rows.export_columns(email_part))
        .join(email, email.c.id == c.letter_id)
        .where(email.c.player_id == player_id)
    )
    return _rows_of(tx, wanted.order_by(c.letter_id, c.number))


def reports(tx: Tx, held: HeldSeat) -> Iterator[Row]:
    """Yield the reports to his seat, as they were stored."""
    its = (_of_seat(report, held), report.c.tenure == held.tenure)
    return _in_parts(tx, _select_shown(report, *its, by=report.c.ply))


def emails_out(tx: Tx, player_id: int, before: datetime | None, *, playing: bool) -> Iterator[Row]:
    """Yield what was written to a player before that moment, also to a seat that was his."""
    c = outbox.c
    called = match.c.name.label("match")
    columns = [called if one is c.match_id else one for one in rows.export_columns(outbox)]
    settled = sa.or_(
        match.c.status == "over",
        c.ply < match.c.ply,
        sa.and_(c.kind.not_in(TELLING_OF_SEATS), c.body != FOR_ADVANCE, match.c.id.is_not(None)),
    )
    wanted = (
        sa.select(*columns)
        .select_from(outbox.outerjoin(match))
        .where(c.player_id == player_id, *_until(c.created_at, before))
    )
    return _in_parts(tx, (wanted.where(settled) if playing else wanted).order_by(c.id))


def letters_in(tx: Tx, held: HeldSeat) -> Iterator[Row]:
    """Yield what came to his seat while it was his."""
    c = email.c
    wanted = _select_shown(email, _of_seat(email, held), *while_held(held, c.received_at))
    return _in_parts(tx, wanted if held.is_over else wanted.where(c.ply <= held.ply))


def emails_to_the_club(
    tx: Tx, player_id: int, address: str, before: datetime | None
) -> Iterator[Row]:
    """Yield what came before that moment from an address and was for no seat, and what came to a
    personal address."""
    from_him = sa.or_(
        sa.func.lower(email.c.sender) == folded_address(address), email.c.player_id == player_id
    )
    until = _until(email.c.received_at, before)
    return _in_parts(tx, _select_shown(email, email.c.match_id.is_(None), from_him, *until))
