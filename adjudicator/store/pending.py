"""What waits until a code confirms it: orders and commands, and emails to personal addresses (club,
2)."""

from collections.abc import Callable
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import rows
from adjudicator.store.database import Tx
from adjudicator.store.tables import match, parked
from adjudicator.store.tables import seat as seats
from adjudicator.store.tables_club import parked_email


@rows.of(parked)
class Parked(Struct, frozen=True, kw_only=True):
    """A text that a seat's holder is to confirm; `ply` is the one that was awaited when it came."""

    id: int
    letter_id: int
    text: str
    ply: int | None


class WaitingText(Struct, frozen=True, kw_only=True):
    """A text that waits under a code, for the seat of a player in a match."""

    match: str
    seat: str
    code: str
    text: str
    ply: int | None


def drop_older(tx: Tx, match_id: int, seat: str, *, on_file: bool, most: int) -> bool:
    """Drop all waiting texts of a seat but the newest `most`; return whether any were dropped.

    Texts from the address on file (`on_file`) and those from other addresses are counted apart.
    """
    waiting = sa.select(parked.c.id).where(
        *_waiting(match_id, seat), parked.c.on_file == int(on_file)
    )
    older = list(tx.execute(waiting.order_by(parked.c.id.desc()).offset(most)).scalars())
    tx.execute(sa.update(parked).where(parked.c.id.in_(older)).values(status="fallen"))
    return bool(older)


def find(tx: Tx, match_id: int, seat: str, tenure: int, code: str) -> Parked | None:
    """Return the text that waits under that code; None if there is none."""
    return rows.first(tx, Parked, *_waiting(match_id, seat), tenure=tenure, code=code)


def codes_of_player(tx: Tx, player_id: int) -> dict[str, str]:
    """Return the codes of what waits for the seats of a player, each with the name of its match;
    the oldest first."""
    return {one.code: one.match for one in waiting_of_player(tx, player_id)}


def waiting_of_player(tx: Tx, player_id: int) -> list[WaitingText]:
    """Return what waits for the seats of a player, the oldest first."""
    wanted = (
        sa.select(*_TOLD)
        .join(seats, sa.and_(seats.c.match_id == parked.c.match_id, seats.c.name == parked.c.seat))
        .join(match, match.c.id == parked.c.match_id)
        .where(
            parked.c.status == "waiting",
            parked.c.tenure == seats.c.tenure,
            seats.c.player_id == player_id,
        )
    )
    return [WaitingText(**row) for row in tx.execute(wanted.order_by(parked.c.id)).mappings()]


def count_wrong_code(tx: Tx, match_id: int, seat: str, most: int) -> bool:
    """Count a wrong code for everything of the seat that waits.

    At the `most`th wrong code a text becomes void. Return whether any did.
    """
    waiting = _waiting(match_id, seat)
    tx.execute(sa.update(parked).where(*waiting).values(tries=parked.c.tries + 1))
    void = sa.update(parked).where(*waiting, parked.c.tries >= most).values(status="void")
    return tx.execute(void).rowcount > 0


def was_used_by(tx: Tx, player_id: int, code: str) -> bool:
    """Return whether something has waited under that code for a seat of a player."""
    return rows.has(tx, Parked, _of_player(player_id), code=code)


def match_of_code(tx: Tx, player_id: int, code: str) -> str | None:
    """Return the match of what waited under a code for a seat of a player, and ended because he
    plays on; None if there is none."""
    wanted = (
        sa.select(match.c.name)
        .join(parked, match.c.id == parked.c.match_id)
        .where(_of_player(player_id), parked.c.code == code, parked.c.status == "ended")
    )
    return tx.execute(wanted.limit(1)).scalar()


def count_wrong_code_of(tx: Tx, player_id: int, most: int) -> bool:
    """Count a wrong code for everything that waits for the seats of a player, as `count_wrong_code`
    does for one seat."""
    waiting = (_of_player(player_id), parked.c.status == "waiting")
    tx.execute(sa.update(parked).where(*waiting).values(tries=parked.c.tries + 1))
    void = sa.update(parked).where(*waiting, parked.c.tries >= most).values(status="void")
    return tx.execute(void).rowcount > 0


def _of_player(player_id: int) -> sa.ColumnElement[bool]:
    its = (seats.c.match_id == parked.c.match_id, seats.c.name == parked.c.seat)
    return sa.exists().where(*its, seats.c.player_id == player_id)


def void(tx: Tx, match_id: int, seat: str) -> None:
    """Make everything of the seat that waits void."""
    waiting = _waiting(match_id, seat)
    tx.execute(sa.update(parked).where(*waiting).values(status="void"))


def void_all(tx: Tx, match_id: int) -> None:
    """Make everything void that waits in a match."""
    waiting = sa.and_(parked.c.match_id == match_id, parked.c.status == "waiting")
    tx.execute(sa.update(parked).where(waiting).values(status="void"))


class UnconfirmedEmails(Struct, frozen=True):
    """A seat of which nothing but emails that were never confirmed came in so many plies."""

    match: str
    seat: str
    tenure: int
    plies: int


def unheard(tx: Tx, match_id: int | None = None) -> list[UnconfirmedEmails]:
    """Return the seats, of one match or of all that go on, from whose holder emails waited for a
    code in some plies since he last ordered, and were not confirmed.

    Only plies count that are adjudicated, so it tells nothing of who has sent for the coming one.
    """
    plies = sa.func.count(sa.distinct(parked.c.ply))
    wanted = (
        sa.select(match.c.name, seats.c.name.label("seat"), seats.c.tenure, plies)
        .select_from(parked)
        .join(
            seats,
            sa.and_(
                seats.c.match_id == parked.c.match_id,
                seats.c.name == parked.c.seat,
                seats.c.tenure == parked.c.tenure,
            ),
        )
        .join(match, match.c.id == parked.c.match_id)
        .where(
            match.c.status != "over",
            parked.c.status != "confirmed",
            parked.c.ply > seats.c.ordered_ply,
            parked.c.ply <= match.c.ply,
        )
        .group_by(match.c.id, match.c.name, seats.c.name, seats.c.tenure)
        .order_by(match.c.id, seats.c.name)
    )
    if match_id is not None:
        wanted = wanted.where(match.c.id == match_id)
    return [UnconfirmedEmails(*row) for row in tx.execute(wanted)]


def waiting(tx: Tx, match_id: int, seat: str, tenure: int) -> list[WaitingText]:
    """Return what waits for the seat's holder, the oldest first."""
    wanted = (
        sa.select(*_TOLD)
        .join(match, match.c.id == parked.c.match_id)
        .where(*_waiting(match_id, seat), parked.c.tenure == tenure)
    )
    return [WaitingText(**row) for row in tx.execute(wanted.order_by(parked.c.id)).mappings()]


def end(tx: Tx, match_id: int, seat: str, ends: Callable[[str], bool]) -> bool:
    """Let nothing of the seat wait any longer whose text ends (`ends`); return whether there was
    anything."""
    wanted = sa.select(parked.c.id, parked.c.text).where(*_waiting(match_id, seat))
    ended = [row.id for row in tx.execute(wanted) if ends(row.text)]
    if ended:
        tx.execute(sa.update(parked).where(parked.c.id.in_(ended)).values(status="ended"))
    return bool(ended)


_TOLD = (match.c.name.label("match"), parked.c.seat, parked.c.code, parked.c.text, parked.c.ply)


def _waiting(match_id: int, seat: str) -> tuple[sa.ColumnElement[bool], ...]:
    return parked.c.match_id == match_id, parked.c.seat == seat, parked.c.status == "waiting"


@rows.of(parked_email)
class ParkedEmail(Struct, frozen=True, kw_only=True):
    """An email that its player is to confirm."""

    id: int
    letter_id: int
    code: str
    text: str
    created_at: datetime


def park_email(
    tx: Tx, player_id: int, *, letter_id: int, code: str, text: str, now: datetime
) -> None:
    row = {"player_id": player_id, "letter_id": letter_id, "code": code, "text": text}
    rows.add(tx, ParkedEmail, **row, created_at=now, status="waiting")


def drop_older_emails(tx: Tx, player_id: int, most: int) -> bool:
    """Drop all that waits but the newest `most`; return whether anything was dropped."""
    waiting = sa.select(parked_email.c.id).where(*_waiting_emails(player_id))
    newest_first = waiting.order_by(parked_email.c.id.desc())
    older = list(tx.execute(newest_first.offset(most)).scalars())
    of_these = parked_email.c.id.in_(older)
    tx.execute(sa.update(parked_email).where(of_these).values(status="fallen"))
    return bool(older)


def claim_email(tx: Tx, player_id: int, code: str) -> ParkedEmail | None:
    """Return what waits under a code; from now on it waits no longer."""
    found = rows.first(tx, ParkedEmail, player_id=player_id, code=code, status="waiting")
    if found is not None:
        rows.change(tx, ParkedEmail, found.id, status="confirmed")
    return found


def count_wrong_code_of_email(tx: Tx, player_id: int, most: int) -> bool:
    """Count a wrong code for all that waits; what has seen `most` of them becomes void. Return
    whether anything did."""
    c, waiting = parked_email.c, _waiting_emails(player_id)
    tx.execute(sa.update(parked_email).where(*waiting).values(tries=c.tries + 1))
    void = sa.update(parked_email).where(*waiting, c.tries >= most).values(status="void")
    return tx.execute(void).rowcount > 0


def codes_of_emails(tx: Tx, player_id: int) -> list[str]:
    """Return the codes of what waits, the oldest first."""
    return [one.code for one in rows.find(tx, ParkedEmail, *_waiting_emails(player_id))]


def _waiting_emails(player_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return parked_email.c.player_id == player_id, parked_email.c.status == "waiting"
