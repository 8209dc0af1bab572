"""A player with a plan: collect the type of which it has most, and keep away from who could
challenge it. It remembers nothing but what its view shows, which is much where all may write
things down (5.6)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.dice import Stream
from adjudicator.core.match import Seat
from adjudicator.games.spion.orders.values import (
    ANY,
    Ambush,
    Answer,
    Challenge,
    Goal,
    Move,
    Order,
    Phrase,
    Swap,
)
from adjudicator.games.spion.rules.board import steps_to
from adjudicator.games.spion.rules.cards import PLACES
from adjudicator.games.spion.rules.position import Position
from adjudicator.games.spion.rules.state import Card, Place
from adjudicator.games.spion.sight.view import (
    View,
    blocking,
    doubled,
    position_of,
    seat_in,
    standing_of,
)

TALLEST_LIST = 4  # goals and embassies that a line names


class Habits(Struct, frozen=True):
    """What players with a plan do differently: how they choose their goals, and what they order
    besides."""

    goals: Callable[[View, Position, Stream], Iterator[Goal]]
    besides: Callable[[View, Stream], Iterable[Order]]


def choose_orders(view: View, chance: Stream, habits: Habits) -> tuple[Order, ...]:
    """Order the turn as it may come, and once for all an answer to whoever guesses wrongly."""
    if view.phase == "setup":
        return (Phrase(" ".join(f"{chance.below(256):02x}" for _ in range(8))),)
    turn = () if view.pending else _turn(view, chance, habits)
    return (*turn, *_answers(view, chance))


def own_cards(view: View) -> list[Card]:
    return [card for card in seat_in(view, view.seat).cards or () if card is not None]


def wishes(view: View, chance: Stream) -> list[Card]:
    """Sort all types by which to collect first: the one of which it holds most; ties are drawn."""
    held = Counter(own_cards(view))
    return sorted(chance.shuffled(view.types), key=lambda card: -held[card])


def _turn(view: View, chance: Stream, habits: Habits) -> Iterator[Order]:
    here = position_of(view)
    if view.reach:
        yield Move(tuple(habits.goals(view, here, chance)))
    yield from _challenges(view, here, chance)
    yield from _ambushes(view, here, chance)
    yield from (Swap(seat) for seat in blocking(view))
    yield from habits.besides(view, chance)


def goals(view: View, here: Position, chance: Stream) -> Iterator[Goal]:
    """Yield embassies with a card, then what is best besides, then the direction of a card."""
    ranked = sorted(chance.shuffled(view.reach), key=lambda place: -_worth(view, here, place))
    for place in ranked[:TALLEST_LIST]:
        yield Goal(place, if_card=place in here.out)
    yield Goal(ranked[0])
    if here.out:
        yield Goal(_closest(here, here.out, here.spies[view.seat]), near=True)


def _worth(view: View, here: Position, place: Place) -> float:
    """A card is worth most; shelter something where there are cards to lose; else nearness."""
    if place in here.out:
        return 100.0
    worth = 0.0
    if here.out:
        worth -= min(steps_to(here.board, code)[place] for code in here.out)
    elif place in here.board.embassies:
        worth -= 6  # nobody finds anything in there now, and hiding ends no match
    if not here.out:
        worth -= _nearest_target(view, here, place)
    elif place in here.board.embassies:
        worth += 2.0 * len(own_cards(view)) - 3
    return worth


def _nearest_target(view: View, here: Position, place: Place) -> float:
    """Count the steps to the closest spy that could be ambushed."""
    spies = [here.spies[seat] for seat in view.targets]
    far = float(len(here.board.order))
    return min((steps_to(here.board, spy).get(place, far) for spy in spies), default=0.0)


def _closest(here: Position, places: Sequence[Place], to: Place) -> Place:
    return min(places, key=lambda code: steps_to(here.board, code).get(to, len(here.board.order)))


def _challenges(view: View, here: Position, chance: Stream) -> Iterator[Order]:
    """Yield challenges: those of which it knows the card before those that it hopes for; those that
    can be made now before those of spies that may leave their embassies before its turn; the
    fullest holders first."""
    if not doubled(view):
        return
    others = [seat for seat in here.seats if seat != view.seat]
    others.sort(key=lambda seat: (seat not in view.targets, -len(here.filled[seat])))
    guess = _guess(view, chance)
    for target in others:
        for place, card in _known(view, target).items():
            if card == guess:
                yield Challenge(target, place, guess)
    for target in others:
        for place in _hopeful(view, here, target, chance)[:2]:
            yield Challenge(target, place, _guess(view, chance))


def _ambushes(view: View, here: Position, chance: Stream) -> Iterator[Order]:
    guess = _guess(view, chance)
    for target in view.ambushes:
        sure = [place for place, card in _known(view, target).items() if card == guess]
        yield Ambush(target, (sure or _hopeful(view, here, target, chance))[0], guess)


def _hopeful(view: View, here: Position, target: str, chance: Stream) -> list[int]:
    """Return the filled places of a holder of which it knows nothing, or all if there are none."""
    filled = here.filled[Seat(target)]
    unknown = [place for place in filled if place not in _known(view, target)]
    return chance.shuffled(unknown or filled)


def _known(view: View, target: str) -> Mapping[int, Card]:
    """Return the places of a holder of which all know the card (5.6)."""
    notes = [note for note in view.dossier or () if note.seat == target and not note.moved]
    return {int(note.place): note.card for note in notes if note.place.isdigit()}


def _guess(view: View, chance: Stream) -> Card:
    """Guess a type of which others can have one: not all four are its own."""
    held = Counter(own_cards(view))
    return next((card for card in wishes(view, chance) if held[card] < 4), view.types[0])


def _answers(view: View, chance: Stream) -> Iterator[Order]:
    """Order the places to take in answers. They are a matter of luck, so one order serves for all
    times; what to give up the defaults know as well (5.4)."""
    if not any(isinstance(order, Answer) for order in standing_of(view)):
        yield Answer(ANY, tuple(chance.shuffled(PLACES)), final=True)
