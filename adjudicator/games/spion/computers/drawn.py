"""A player that draws everything it orders: for tests, and for those who want to win."""

from collections.abc import Iterator

from adjudicator.core.dice import Stream
from adjudicator.games.spion.orders.values import (
    ANY,
    Ambush,
    Answer,
    At,
    Challenge,
    Fifth,
    Goal,
    Keep,
    Move,
    Order,
    Out,
    Pass,
    Phrase,
    Put,
    Refuse,
    Swap,
)
from adjudicator.games.spion.rules.cards import PLACES
from adjudicator.games.spion.sight.view import View


def random_sheet(view: View, chance: Stream) -> tuple[Order, ...]:
    """Draw some sheet that is allowed; now and then an empty one."""
    if view.phase == "setup":
        return tuple(_phrase(chance))
    if chance.below(8) == 0:
        return ()
    if view.pending:
        return tuple(_answers(view, chance))
    return (*_turn(view, chance), *_tables(view, chance))


def _phrase(chance: Stream) -> Iterator[Order]:
    if chance.below(4):
        yield Phrase(" ".join(str(chance.below(256)) for _ in range(4)))


def _turn(view: View, chance: Stream) -> Iterator[Order]:
    others = [entry.seat for entry in view.seats if entry.seat != view.seat]
    embassies = [embassy.code for embassy in view.board.embassies]
    if view.reach:
        goal = Goal(chance.choice(view.reach))
        near = Goal(chance.choice(embassies), near=True)
        card = Goal(chance.choice(embassies), if_card=True)
        yield Move((card, goal, near) if chance.below(2) else (near,))
    for target in view.targets[: 1 + chance.below(2)]:
        yield Challenge(target, chance.choice(PLACES), chance.choice(view.types))
    for other, places in view.ambushes.items():
        via = chance.choice(places) if chance.below(2) else None
        yield Ambush(other, chance.choice(PLACES), chance.choice(view.types), via)
    yield Swap(chance.choice(others)) if chance.below(2) else Pass()
    yield Put(chance.choice(PLACES))


def _tables(view: View, chance: Stream) -> Iterator[Order]:
    for card in (*view.types, ANY):
        if chance.below(2):
            yield Fifth(card, _out(view, chance) if chance.below(2) else _refuse(view, chance))
    if chance.below(2):
        yield from _answers(view, chance)


def _answers(view: View, chance: Stream) -> Iterator[Order]:
    places = chance.shuffled(PLACES)
    yield Answer(ANY, tuple(places[: 1 + chance.below(4)]), final=bool(chance.below(2)))
    for card in (*view.types, ANY):
        yield Keep(card, _act(view, chance))


def _act(view: View, chance: Stream) -> At | Out | Refuse:
    match chance.below(3):
        case 0:
            return At(chance.choice(PLACES))
        case 1:
            return _out(view, chance)
        case _:
            return _refuse(view, chance)


def _out(view: View, chance: Stream) -> Out:
    what = chance.choice(view.types) if chance.below(2) else chance.choice(PLACES)
    return Out(what, _to(view, chance))


def _refuse(view: View, chance: Stream) -> Refuse:
    return Refuse(_to(view, chance))


def _to(view: View, chance: Stream) -> tuple[str, ...]:
    embassies = chance.shuffled(embassy.code for embassy in view.board.embassies)
    return tuple(embassies[: chance.below(4)])
