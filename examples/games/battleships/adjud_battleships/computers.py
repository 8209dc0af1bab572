"""Two computers: one fires where chance says, one where most of the ships afloat could lie."""

from collections import Counter
from collections.abc import Iterator, Mapping

from adjud_battleships.orders import RANDOM
from adjud_battleships.rules import MISS, OTHER, SHIPS, SQUARES, Order, Place, Shoot, berths
from adjud_battleships.sight import View
from adjudicator.core.simple import Seat, Stream

_WORTH_OF_A_HIT = 40  # how much likelier a ship lies where one of its squares may be hit
_FLEET = (Place(RANDOM),)


def at_random(view: View, chance: Stream) -> tuple[Order, ...]:
    """Order what also stands for a player who sends nothing (1.5, 2.4)."""
    if not view.turn:
        return _FLEET
    left = [square for square in SQUARES if square not in _shots(view)]
    return (Shoot(tuple(chance.shuffled(left)[: view.salvo])),)


def hunting(view: View, chance: Stream) -> tuple[Order, ...]:
    """Fire one by one at the square that lies in most places of ships; each shot is taken for a
    miss when the next one is chosen, so that a salvo is spread."""
    if not view.turn:
        return _FLEET
    shots = _shots(view)
    closed = {square for square, called in shots.items() if called == MISS} | _wrecks(view)
    hits = shots.keys() - closed
    chosen: list[str] = []
    for _ in range(view.salvo):
        density = Counter(dict.fromkeys(SQUARES, 0))
        for berth, worth in _likely(view, closed.union(chosen), hits):
            for square in berth:
                density[square] += worth
        left = [square for square in SQUARES if square not in shots and square not in chosen]
        most = max(density[square] for square in left)
        chosen.append(chance.choice([square for square in left if density[square] == most]))
    return (Shoot(tuple(chosen)),)


def _shots(view: View) -> Mapping[str, str]:
    return view.shots.get(view.seat, {})


def _sunk(view: View) -> tuple[str, ...]:
    return view.sunk.get(OTHER[Seat(view.seat)], ())


def _wrecks(view: View) -> set[str]:
    """Return the hit squares in which a ship that was sunk is known to lie."""
    hits = {square for square, called in _shots(view).items() if called != MISS}
    named = {square for square in hits if _shots(view)[square] in _sunk(view)}
    for ship in sorted(_sunk(view), key=SHIPS.__getitem__, reverse=True):
        fits = [berth for berth in berths(SHIPS[ship]) if hits - named >= {*berth}]
        if len(fits) == 1:
            named |= {*fits[0]}
    return named


def _likely(view: View, closed: set[str], hits: set[str]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield where each ship afloat can lie, and how likely that is compared with others."""
    shots = _shots(view)
    for ship in (ship for ship in SHIPS if ship not in _sunk(view)):
        for berth in berths(SHIPS[ship]):
            if not closed.isdisjoint(berth):
                continue
            called = {shots[square] for square in berth if square in hits}
            if called.isdisjoint(SHIPS) or called == {ship}:
                yield berth, _WORTH_OF_A_HIT ** sum(square in hits for square in berth)
