"""Tell which later turns a seat may send sheets for, and compare turns as plies (Espionage rule
8.1)."""

from adjudicator.core.match import Seat
from adjudicator.service.base.loaded_match import Loaded

MOST_KEPT = 5  # sheets of a seat


def takes_advance(loaded: Loaded) -> bool:
    """Return whether the match takes sheets for later turns, and conditions.

    A match that an older program opened has agreed nothing else than the default.
    """
    advance = loaded.match.options.get("advance", "on")
    return loaded.game.advance is not None and advance == "on"


def ply_of(loaded: Loaded, seat: Seat, turn: int) -> int:
    """Return the ply in which a turn of the seat is adjudicated."""
    advance = loaded.game.advance
    assert advance is not None
    return loaded.match.ply + 1 + advance.ply(loaded.state, seat, turn)


def is_ahead(loaded: Loaded, seat: Seat, turn: int | None) -> bool:
    """Return whether a sheet names a turn that is not to be ordered yet."""
    if turn is None or not takes_advance(loaded):
        return False
    return ply_of(loaded, seat, turn) > loaded.match.ply + 1


def is_open(loaded: Loaded) -> bool:
    """Return whether sheets are kept now: not before the match begins, nor in its set-up."""
    return loaded.match.status != "open" and loaded.game.rules.phase(loaded.state) == "play"


def next_turn(loaded: Loaded, seat: Seat) -> int:
    """Return the first turn that the seat has not ordered."""
    coming = loaded.match.ply + 1
    turn = loaded.match.turn
    while True:
        ply = ply_of(loaded, seat, turn)
        if ply > coming or (ply == coming and seat not in loaded.sheets):
            return turn
        turn += 1
