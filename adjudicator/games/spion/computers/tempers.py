"""The built-in players that think: they differ in where they move, and in what they order besides.

`computer` goes to the best place that `thinking` finds, but in some turns anywhere, and the easy
one in all. The strong one looks a turn ahead: it weighs the ends of
its move by how likely it reaches a card with its next dice. A card that it gives up goes far away,
and it does not take it again. Where these are it remembers by its own standing orders: their FIFTH
lines list some embassies that are free, and behind them those to which it gave a card before. A
card goes to the first of the list, so one there is its own. What an opponent gave up is no worse
than any other card, for an opponent collects another type. Nothing can be put on a card, so a
listed embassy that has one does no harm.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from adjudicator.core.dice import Stream
from adjudicator.games.spion.computers.thinking import Habits, choose_orders, goals, own_cards
from adjudicator.games.spion.orders.values import Fifth, Goal, Order, Out, Refuse
from adjudicator.games.spion.rules.board import steps_to
from adjudicator.games.spion.rules.cards import PLACES, rarest
from adjudicator.games.spion.rules.movement import ROLLS, ends
from adjudicator.games.spion.rules.position import Position, vacant
from adjudicator.games.spion.rules.state import Card, Place
from adjudicator.games.spion.sight.view import View, position_of, standing_of

# In so many of a hundred turns a level goes anywhere, so that the next one wins three of four
# matches against it.
BLUNDERS: Mapping[str, int] = {"computer": 48, "computer:easy": 100}
LOOKED_AT = 4  # ends of a move that are weighed a turn ahead
LISTED = 5  # free embassies in a FIFTH line; so many are always free (I2)
JUNK = 0.05  # what a card that it gave up is worth, an unknown one being worth 1
LATER = 0.8  # what a card of the next turn is worth beside one of this turn
WAYS: Mapping[int, float] = {count: (6 - abs(count - 7)) / 36 for count in ROLLS}


def easy(view: View, chance: Stream) -> tuple[Order, ...]:
    return _blundering(view, chance, BLUNDERS["computer:easy"])


def normal(view: View, chance: Stream) -> tuple[Order, ...]:
    return _blundering(view, chance, BLUNDERS["computer"])


def _blundering(view: View, chance: Stream, share: int) -> tuple[Order, ...]:
    """Return the orders of a player who goes anywhere in that many of a hundred turns."""
    careless = chance.below(100) < share
    ends_by = _anywhere if careless else goals
    return choose_orders(view, chance, Habits(goals=ends_by, besides=lambda view, chance: ()))


def _anywhere(view: View, here: Position, chance: Stream) -> Iterator[Goal]:
    yield Goal(chance.choice(view.reach))


def strong(view: View, chance: Stream) -> tuple[Order, ...]:
    return choose_orders(view, chance, Habits(goals=_goals, besides=_fifth))


def _goals(view: View, here: Position, chance: Stream) -> Iterator[Goal]:
    """Yield the ends of the move, the best first."""
    junk = abandoned_embassies(view, here)
    cards = {code: JUNK if code in junk else 1.0 for code in here.out}
    near = sorted(
        chance.shuffled(view.reach),
        key=lambda place: (-cards.get(place, 0.0), _far(here, cards, place)),
    )
    weighed = {place: _promise(view, here, cards, place) for place in near[:LOOKED_AT]}
    ranked = sorted(weighed, key=lambda place: -weighed[place])
    yield from (Goal(place) for place in (*ranked, *near[LOOKED_AT:]))
    if here.out:
        closest = min(here.out, key=lambda code: (code in junk, _steps(here, code, view)))
        yield Goal(closest, near=True)


def _steps(here: Position, code: Place, view: View) -> int:
    return steps_to(here.board, code).get(here.spies[view.seat], len(here.board.order))


def _far(here: Position, cards: Mapping[Place, float], place: Place) -> int:
    """Count the steps to the closest card that is worth taking."""
    wanted = [code for code, worth in cards.items() if worth == 1.0] or list(here.board.embassies)
    return min(steps_to(here.board, code)[place] for code in wanted)


def _promise(view: View, here: Position, cards: Mapping[Place, float], place: Place) -> float:
    """Return what an end promises: its card, and those within reach of the next dice."""
    left = {code: worth for code, worth in cards.items() if code != place}
    then = replace(here, spies={**here.spies, view.seat: place})
    found = cards.get(place, 0.0) - 0.001 * _far(here, left or cards, place)
    for count, ways in WAYS.items():
        reached = ends(then, view.seat, count).paths
        found += LATER * ways * max((left[code] for code in reached if code in left), default=0.0)
    return found


def abandoned_embassies(view: View, here: Position) -> Sequence[Place]:
    """Return the embassies with cards that the seat gave up."""
    fifth = next((order for order in standing_of(view) if isinstance(order, Fifth)), None)
    if fifth is None:
        return []
    listed = dict.fromkeys((*fifth.act.to[:1], *fifth.act.to[LISTED:]))
    return [code for code in listed if code in here.out]


def _fifth(view: View, chance: Stream) -> Iterator[Order]:
    """Give up the rarest card, to the embassy that is furthest away."""
    here, held = position_of(view), own_cards(view)
    free = sorted(chance.shuffled(vacant(here)), key=lambda code: -_steps(here, code, view))
    if len(free) < LISTED:
        return
    to = (*free[:LISTED], *abandoned_embassies(view, here))
    for card in view.types:
        rare = _given(held, card)
        yield Fifth(card, Refuse(to) if card == rare or rare is None else Out(rare, to))


def _given(held: Sequence[Card], card: Card) -> Card | None:
    """Return the type to give up of four cards and a fifth: one of which there are fewest, the new
    one if it is among them."""
    if len(held) < len(PLACES):
        return None
    rare = rarest([*held, card])
    return card if card in rare else min(rare)
