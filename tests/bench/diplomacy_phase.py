"""One adjudication: an order of Espionage with both seats' views, against `process()` of
`diplomacy`."""

from collections.abc import Callable, Iterator
from random import Random
from statistics import median
from typing import Any

from adjudicator.games.espionage import ESPIONAGE
from tests.bench.matches import positions
from tests.bench.measuring import MISSING, Row, milliseconds, peer, scaled, timed
from tests.games.one_turn import play_turn


def rows(scale: float) -> Iterator[Row]:
    number = scaled(300, scale, least=3)
    library = peer("diplomacy")
    phases = _phases(library.Game, Random(1)) if library else None
    own, other = [], []
    for state, orders, chance in positions(Random(1), number):
        own.append(timed(lambda: _adjudicate(state, orders, chance)))  # noqa: B023  # called here
        if phases:
            other.append(timed(next(phases)))
    name = "an order and both views (diplomacy: a phase)"
    if not other:
        yield Row(name=name, ours=milliseconds(median(own)), theirs=MISSING, most=0.1)
        return
    yield Row(
        name=name,
        ours=milliseconds(median(own)),
        theirs=milliseconds(median(other)),
        ratio=median(own) / median(other),
        most=0.1,
    )


def _adjudicate(state: Any, orders: Any, chance: Any) -> None:
    _, after = play_turn(ESPIONAGE, state, orders, chance)
    for seat in ESPIONAGE.seats:
        ESPIONAGE.sight.observe(after, seat)


def _phases(new_game: Callable[[], Any], rng: Random) -> Iterator[Callable[[], object]]:
    """Yield `process()` of phases in which every power has random orders; giving them is not
    counted."""
    game = new_game()
    while True:
        if game.is_game_done:
            game = new_game()
        possible = game.get_all_possible_orders()
        for power in game.powers:
            places = game.get_orderable_locations(power)
            game.set_orders(power, [rng.choice(possible[at]) for at in places if possible[at]])
        yield game.process
