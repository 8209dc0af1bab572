"""Forfeits that the game master announces: a seat has until then to send orders."""

from collections.abc import Callable
from datetime import datetime

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.service.base.calendar import when
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.next_step import announced
from adjudicator.store import matches
from adjudicator.store.database import Tx


def announce(tx: Tx, loaded: Loaded, seat: Seat, at: datetime) -> Message:
    """Announce a forfeit; return what everybody is told. It replaces an earlier announcement."""
    coming = loaded.match.ply + 1
    matches.update_seats(tx, loaded.match.id, [seat], forfeit_at=at, forfeit_ply=coming)
    return _told(loaded, seat, at)


def move(tx: Tx, loaded: Loaded, moved: Callable[[datetime], datetime]) -> list[Message]:
    """Move the announced times together with the time of the match.

    Return what is told of it beside the new deadline.
    """
    times = {seat: moved(at) for seat, at in announced(loaded).items() if moved(at) != at}
    for seat, at in times.items():
        matches.update_seats(tx, loaded.match.id, [seat], forfeit_at=at)
    return [_told(loaded, Seat(seat), at) for seat, at in times.items()]


def _told(loaded: Loaded, seat: Seat, at: datetime) -> Message:
    return say(
        "{seat} will be forfeited if it has sent no orders by {when}.",
        seat=loaded.game.seat_titles[seat],
        when=when(at),
    )
