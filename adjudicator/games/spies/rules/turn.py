"""One power's turn (rules 5.2): tile, police, search, spies, gifts."""

from collections.abc import Sequence

from adjudicator.games.spies.orders.values import Give, Order, Post
from adjudicator.games.spies.rules import events
from adjudicator.games.spies.rules.atlas import Code, Power, owner_of
from adjudicator.games.spies.rules.control import is_original, name_for
from adjudicator.games.spies.rules.events import Rearranged, Spot, Turned
from adjudicator.games.spies.rules.plans import spies_step
from adjudicator.games.spies.rules.ply_in_progress import Course
from adjudicator.games.spies.rules.search import search_all
from adjudicator.games.spies.rules.state import State
from adjudicator.games.spies.rules.tiles import tile_step


def play(course: Course, power: Power, sheet: Sequence[Order]) -> None:
    """Play a power's turn. An empty sheet is silence: the rest follows from standing orders (6.7).
    A dormant power only searches (1.5)."""
    course.tell(Turned(power, course.state.year))
    tile_step(course, power, sheet)
    _police_step(course, power, sheet)
    search_all(course, power)
    spies_step(course, power, sheet)
    _gifts_step(course, power, sheet)


def _police_step(course: Course, power: Power, sheet: Sequence[Order]) -> None:
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


def _gifts_step(course: Course, power: Power, sheet: Sequence[Order]) -> None:
    """Make gifts in the order of the lines; what is not there in full is left out without an
    event."""
    for order in sheet:
        if isinstance(order, Give):
            _give(course, power, order)


def _give(course: Course, power: Power, order: Give) -> None:
    state = course.state
    hand = state.hands[power]
    if order.power == power or order.power not in state.hands or len(state.seats) == 2:
        return
    if order.chit is None:
        if hand.money >= order.money:
            course.tell(events.Give(power, order.power, order.money))
    elif hand.chits.get(order.chit, 0):
        told = (name_for(state, power), name_for(state, order.power))
        course.tell(events.Give(power, order.power, 0, order.chit, told))
