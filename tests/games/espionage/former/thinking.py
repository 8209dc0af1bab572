"""`computer`: the steps that weigh most, by what the view shows, fights of before among it."""

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.orders.values import Move, Order
from adjudicator.games.espionage.rules.movement import Ground, after, legal_steps
from adjudicator.games.espionage.rules.state import Step
from adjudicator.games.espionage.sight.observe import View, pieces_moved
from tests.games.espionage.former.setups import place
from tests.games.espionage.former.weighing import Situation, weigh

# Draws between steps of nearly the same weight, so that a match is not foreseen nor repeated.
_WHIM = 0.01


def play(view: View, chance: Stream) -> tuple[Order, ...]:
    """Return a legal order for the view's seat, which must be awaited."""
    if view.phase == "setup":
        return (place(view, chance),)
    here = Situation(view)
    weights = _Weights(here, chance)
    steps = weights.one(here.ground) if pieces_moved(view) == 1 else weights.two(here.ground)
    return tuple(Move(step.start, step.target) for step in steps)


class _Weights:
    """Every step's weight, drawn and worked out once."""

    def __init__(self, here: Situation, chance: Stream) -> None:
        self._here = here
        self._chance = chance
        self._known: dict[Step, float] = {}

    def of(self, step: Step) -> float:
        if step not in self._known:
            whim = _WHIM * self._chance.below(256)
            self._known[step] = weigh(self._here, step) + whim
        return self._known[step]

    def sorted(self, ground: Ground) -> list[Step]:
        return sorted(legal_steps(ground), key=self.of, reverse=True)

    def one(self, ground: Ground) -> tuple[Step, ...]:
        return tuple(self.sorted(ground)[:1])

    def two(self, ground: Ground) -> tuple[Step, ...]:
        """Return the best first step that leaves a second, as rule 2.6 demands, and the best
        second."""
        firsts = self.sorted(ground)
        for first in firsts:
            if seconds := self.sorted(after(ground, first)):
                return first, seconds[0]
        return tuple(firsts[:1])
