"""Show the game master one player: what all may know, and what he keeps of them as an operator.

Nothing depends on what was sent for an open turn. So a seat's deadlines missed in a row are not
here: they are forgotten as soon as anything comes from it.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from adjudicator.core.match import Seat
from adjudicator.resources import zone_of
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import Unreadable, find, find_player, load
from adjudicator.service.base.next_step import announced_forfeits
from adjudicator.service.club.people import HIDDEN
from adjudicator.store import matches, personal, players
from adjudicator.store.database import Store, Tx
from adjudicator.store.personal import HeldSeat
from adjudicator.store.players import Player


def profile(store: Store, name: str, *, now: datetime) -> Mapping[str, Any]:
    """Return a player with seats, holds, misses and absences that are not over, for JSON."""
    with store.reading() as tx:
        player = find_player(tx, name)
        held, hidden = personal.holdings(tx, player.id), matches.hiding_names(tx)
        today = now.astimezone(zone_of(player.zone)).date()
        return {
            **plain(player),
            "absences": [
                [str(one.first), str(one.last)]
                for one in players.absences_of(tx, [player.id])
                if one.last >= today
            ],
            "seats": [
                _seat(tx, one, hidden) for one in held if one.until is None and not one.is_over
            ],
            "ended": [one.match for one in held if one.until is None and one.is_over],
            "left": [_seat_left(one, hidden) for one in held if one.until is not None],
        }


def plain(player: Player) -> Mapping[str, Any]:
    """Return what is kept of a player alone, as `player list` has it in JSON."""
    return {
        "name": player.name,
        "address": player.address,
        "language": player.language,
        "timezone": player.zone,
        "confirmed": player.confirmed_at is not None,
        "muted": player.muted_at is not None,
        "reminders": player.reminders,
        "substitute": player.substitute,
        "letters": player.letters,
    }


def _seat_left(held: HeldSeat, hidden: Collection[str]) -> Mapping[str, Any]:
    if held.match in hidden:
        return {"match": HIDDEN, "seat": None, "until": None}
    return {"match": held.match, "seat": held.seat, "until": rfc3339(held.until)}


def _seat(tx: Tx, held: HeldSeat, hidden: Collection[str]) -> Mapping[str, Any]:
    """Return a seat of his; of a match that hides names nothing by which it could be told."""
    match = find(tx, held.match)
    is_hidden = held.match in hidden
    told: dict[str, Any] = {
        "match": HIDDEN if is_hidden else held.match,
        "game": held.game,
        "seat": None if is_hidden else held.seat,
        "status": None if is_hidden else held.status,
        "turn": None if is_hidden else match.turn,
        "deadline": None if is_hidden else rfc3339(match.deadline_at),
        "held": None if is_hidden else rfc3339(match.held_at),
    }
    return told if is_hidden else told | dict(_of_position(tx, held))


def _of_position(tx: Tx, held: HeldSeat) -> Iterator[tuple[str, Any]]:
    """Yield what needs the position of the match; nothing if there is none, or it cannot be
    read."""
    with suppress(Unreadable):
        loaded = load(tx, held.match)
        if not loaded.is_opened:
            return
        yield "to_move", held.seat in loaded.awaited
        yield "missed", loaded.holders[Seat(held.seat)].missed
        yield "forfeits", rfc3339(announced_forfeits(loaded).get(held.seat))
