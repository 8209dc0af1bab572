"""Re-arranging police (rules 5.9): the lines of a sheet are one act."""

from collections.abc import Sequence

from adjudicator.games.spies.orders.values import Order, Post
from adjudicator.games.spies.rules.atlas import Code, Power, owner_of
from adjudicator.games.spies.rules.control import is_original
from adjudicator.games.spies.rules.events import Rearranged, Spot
from adjudicator.games.spies.rules.ply_in_progress import Course
from adjudicator.games.spies.rules.state import State


def police_step(course: Course, power: Power, sheet: Sequence[Order]) -> None:
    lines = [o for o in sheet if isinstance(o, Post) and owner_of(o.piece) == power]
    state = course.state
    named = {line.piece: Spot(line.city, _guarded(state, power, line)) for line in lines}
    taken = {spot.on for spot in named.values() if spot.on}
    displaced = {
        code: Spot(piece.city, None)
        for code, piece in state.police.items()
        if piece.on in taken and piece.city and code not in named
    }
    changed = {
        code: spot
        for code, spot in (named | displaced).items()
        if (spot.city, spot.on) != (state.police[code].city, state.police[code].on)
    }
    if changed:
        course.tell(Rearranged(power, changed))


def _guarded(state: State, power: Power, line: Post) -> Code | None:
    """Return what the piece guards: an own original that lies there and is not carried; else it
    stands free."""
    if line.on is None or not is_original(line.on, power):
        return None
    secret = state.secrets[line.on]
    return line.on if secret.city == line.city and secret.spy is None else None
