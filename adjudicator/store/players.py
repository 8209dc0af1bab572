"""People and their addresses."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.core.text import folded_address
from adjudicator.store import rows
from adjudicator.store.database import Tx
from adjudicator.store.tables import absence, joining, outbox, player

_SHOWN = {"name", "language", "zone", "tips"}  # by the pages of the site


@rows.of(player)
class Player(Struct, frozen=True, kw_only=True):
    """A player. While `confirmed_at` is None, no content may go to his address."""

    id: int
    name: str
    name_key: str
    address: str
    language: str
    zone: str
    confirmed_at: datetime | None
    created_at: datetime
    reminders: str = "on"  # on, off, daily
    board: str = "table"  # table, picture
    page: str = "attached"  # attached, link, none
    receipts: str = "full"  # full, short
    reports: str = "few"  # few, all
    tips: str = "first"  # first (matches of each game), on, off
    asked_at: datetime | None = None  # to confirm the address
    remind_at: datetime | None = None  # the operator, that it is not confirmed
    changes: int = 0  # of what the site shows of him, or how it speaks to him
    muted_at: datetime | None = None  # messages to other players are not passed on since then
    erased_at: datetime | None = None  # since then he has neither name nor address
    token: str = ""  # of his personal address (club, 2)
    number: int = 1  # of his address on file: with a new one the old personal address is dead
    letters: str = "each"  # each, daily: what can wait comes as one email a day (club, 4.3)
    substitute: str = "off"  # on: he is asked to take over seats (club, 6.3)

    @property
    def unconfirmed_since(self) -> datetime | None:
        """Return since when the address waits to be confirmed; None if it is."""
        return None if self.confirmed_at else self.asked_at or self.created_at


def _is_at(column: sa.Column[str], address: str) -> sa.ColumnElement[bool]:
    """Select an address in whatever case."""
    return sa.func.lower(column) == folded_address(address)


def of_token(tx: Tx, token: str) -> Player | None:
    """Return the player whose personal address has that token."""
    return rows.first(tx, Player, token=token, erased_at=None) if token else None


def update(tx: Tx, player_id: int, **changes: Any) -> None:
    if changes.keys() & _SHOWN:
        changes["changes"] = player.c.changes + 1
    tx.execute(sa.update(player).where(player.c.id == player_id).values(changes))


def find(tx: Tx, name: str) -> Player | None:
    """Return the player of that name, in whatever case."""
    return rows.first(tx, Player, name_key=name.casefold())


def at(tx: Tx, address: str) -> Player | None:
    """Return the first player with that address, in whatever case."""
    return next(iter(all_at(tx, address)), None)


def all_at(tx: Tx, address: str) -> list[Player]:
    """Return all players with that address, in whatever case."""
    return rows.find(tx, Player, _is_at(player.c.address, address), erased_at=None)


def unconfirmed_player_at(tx: Tx, address: str) -> Player | None:
    """Return the last player who was given that address and has not confirmed it."""
    his = _is_at(player.c.address, address)
    newest = player.c.id.desc()
    return rows.first(tx, Player, his, confirmed_at=None, erased_at=None, order=newest)


def to_remind_of(tx: Tx, now: datetime) -> list[int]:
    """Return the players of whose addresses the operator is to be reminded."""
    wanted = sa.select(player.c.id).where(player.c.remind_at <= now).order_by(player.c.id)
    return list(tx.execute(wanted).scalars())


_IS_TO_REMIND = sa.select(sa.exists().where(player.c.remind_at <= sa.bindparam("now")))


def is_to_remind_of_any(tx: Tx, now: datetime) -> bool:
    """Return whether the operator is to be reminded of an address."""
    return bool(tx.execute(_IS_TO_REMIND, {"now": now}).scalar_one())


def take_to_remind(tx: Tx, player_id: int, now: datetime) -> Player | None:
    """Lock and return a player if the operator is to be reminded of his address."""
    return rows.first(tx, Player, player.c.remind_at <= now, id=player_id, lock=True)


def unconfirmed_players(tx: Tx) -> list[Player]:
    """Return the players whose addresses are not confirmed."""
    return rows.find(tx, Player, confirmed_at=None, erased_at=None, order=player.c.name_key)


def one(tx: Tx, player_id: int) -> Player:
    return rows.one(tx, Player, player_id)


def if_readable(tx: Tx, player_id: int) -> Player | None:
    """Return a player; None if there is no such row, or it cannot be read."""
    try:
        return rows.first(tx, Player, id=player_id)
    except ValueError:
        return None


def all_players(tx: Tx) -> list[Player]:
    """Return all players but those who were erased."""
    return rows.find(tx, Player, erased_at=None, order=player.c.name_key)


def names(tx: Tx) -> list[str]:
    wanted = sa.select(player.c.name).where(player.c.erased_at.is_(None))
    return list(tx.execute(wanted.order_by(player.c.id)).scalars())


def hold(tx: Tx, ids: Collection[int]) -> None:
    """Lock these players until the transaction ends, so that nobody else queues an email they get
    once."""
    wanted = sa.select(player.c.id).where(player.c.id.in_(sorted(ids)))
    tx.execute(wanted.order_by(player.c.id).with_for_update()).all()


_OF_EMAILS = (
    sa.select(player.c.id)
    .where(
        player.c.id.in_(
            sa.select(outbox.c.player_id).where(
                outbox.c.id.in_(sa.bindparam("ids", expanding=True)), outbox.c.seat.is_(None)
            )
        )
    )
    .order_by(player.c.id)
)
# Others may queue emails to them meanwhile.
_FREE_OF_EMAILS = _OF_EMAILS.with_for_update(skip_locked=True, key_share=True)
_HELD_OF_EMAILS = _OF_EMAILS.with_for_update(key_share=True)


def take_of_emails(tx: Tx, email_ids: Sequence[int]) -> set[int]:
    """Lock the players to whom these emails go out, and to no seat, until the transaction ends, for
    such emails are numbered for each player; return their ids.

    Those that other workers hold are left out.
    """
    return set(tx.execute(_FREE_OF_EMAILS, {"ids": list(email_ids)}).scalars())


def hold_of_email(tx: Tx, email_id: int) -> None:
    """Lock the player of an email to no seat, likewise, once no other worker holds him."""
    tx.execute(_HELD_OF_EMAILS, {"ids": [email_id]}).all()


# The days on which players said that they would be away.


class Absence(Struct, frozen=True, kw_only=True):
    """An absence from `first` to `last`, both days included, in the player's time zone."""

    zone: str
    first: date
    last: date
    player_id: int
    auto: bool  # a silent player was given it (club, 5.3): nobody else may know of it
    created_at: datetime


AUTO = "auto"
_OF_PLAYERS = (
    sa.select(
        player.c.zone,
        absence.c.first_day,
        absence.c.last_day,
        absence.c.player_id,
        absence.c.kind,
        absence.c.created_at,
    )
    .join(player)
    .where(absence.c.player_id.in_(sa.bindparam("players", expanding=True)))
    .order_by(absence.c.first_day, absence.c.id)
)


def insert_absence(tx: Tx, player_id: int, first: date, last: date, now: datetime) -> None:
    row = {
        "player_id": player_id,
        "first_day": first.isoformat(),
        "last_day": last.isoformat(),
        "created_at": now,
    }
    tx.execute(sa.insert(absence), row)


def spend_day(tx: Tx, player_id: int, day: date, now: datetime) -> None:
    """Note a day of absence that the player did not announce."""
    row = {
        "player_id": player_id,
        "first_day": day.isoformat(),
        "last_day": day.isoformat(),
        "created_at": now,
        "kind": AUTO,
    }
    tx.execute(sa.insert(absence), row)


def absences_of(tx: Tx, players: Collection[int]) -> list[Absence]:
    """Return the absences that these players announced, the earliest first."""
    return [one for one in days_away(tx, players) if not one.auto]


def days_away(tx: Tx, players: Collection[int]) -> list[Absence]:
    """Return all days on which these players are away, also those that they did not announce."""
    if not players:
        return []
    return [
        Absence(
            zone=row.zone,
            first=date.fromisoformat(row.first_day),
            last=date.fromisoformat(row.last_day),
            player_id=row.player_id,
            auto=row.kind == AUTO,
            created_at=row.created_at,
        )
        for row in tx.execute(_OF_PLAYERS, {"players": list(players)})
    ]


# People who asked for a seat and have not confirmed their address yet.


@rows.of(joining)
class Joining(Struct, frozen=True, kw_only=True):
    """A request for a seat.

    `name` and `language` are those that a new player would get; if `seat` is None, any open seat
    will do.
    """

    id: int
    address: str
    name: str
    language: str
    match: str
    seat: str | None
    code: str
    created_at: datetime
    status: str
    tries: int
    remind_at: datetime | None = None  # the operator, that it is not confirmed


def joinings_waiting(tx: Tx, address: str, since: datetime) -> list[Joining]:
    """Return the requests from that address, made after that moment, that wait for a code."""
    new = joining.c.created_at > since
    return rows.find(tx, Joining, _is_at(joining.c.address, address), new, status="waiting")


def unconfirmed_joinings(tx: Tx, since: datetime, until: datetime) -> list[Joining]:
    """Return the requests that were made between these times and still wait for a code."""
    made = joining.c.created_at
    return rows.find(tx, Joining, made > since, made <= until, status="waiting")


_IS_TO_HEAR = sa.select(sa.exists().where(joining.c.remind_at <= sa.bindparam("now")))


def is_to_remind_of_joinings(tx: Tx, now: datetime) -> bool:
    """Return whether the operator is to hear of a request."""
    return bool(tx.execute(_IS_TO_HEAR, {"now": now}).scalar_one())


def joinings_to_remind_of(tx: Tx, now: datetime) -> list[Joining]:
    """Return the requests that the operator is to hear of, and let him hear of them no more."""
    due = joining.c.remind_at <= now
    found = rows.find(tx, Joining, due, lock=True)
    tx.execute(sa.update(joining).where(due).values(remind_at=None))
    return [one for one in found if one.status == "waiting"]
