"""Built-in players that think: they weigh steps by what the view shows, fights of before among it.

`computer:easy` takes the steps that bring most by themselves, and looks no further. `computer` also
asks what the enemy's next turn may cost and who could reach its Headquarters, weighs the two steps
of an order together, and begins with an army that guards its Headquarters well. It is bold, so that
its matches end soon. `computer:strong` is careful instead, and judges pieces also by who moves and
who stays. The two below it also blunder, as `BLUNDERS` says.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.computers.exposure import Standing, exposure, siege
from adjudicator.games.espionage.computers.placing import guarded_army
from adjudicator.games.espionage.computers.weighing import BOLD, BOLDER, Situation, gain, relief
from adjudicator.games.espionage.orders.values import Move, Order, Rows
from adjudicator.games.espionage.rules.armies import sensible_army
from adjudicator.games.espionage.rules.movement import after, legal_steps
from adjudicator.games.espionage.rules.state import Step
from adjudicator.games.espionage.sight.observe import View, pieces_moved

Steps: TypeAlias = tuple[Step, ...]

# Draws between steps of nearly the same weight, so that a match is not foreseen nor repeated.
_WHIM, _EASY_WHIM = 0.01, 0.04
# So many first steps are weighed together with so many seconds, fewer with those of less weight.
_WIDTH = 12
# A case less likely than this is not looked at.
_UNLIKELY = 0.03


def easy(view: View, chance: Stream) -> tuple[Order, ...]:
    """Return a legal order for the view's seat, which must be awaited."""
    if view.phase == "setup":
        return (Rows(sensible_army(view.board.size, chance)),)
    thoughts = Thoughts(Situation(view), view, chance, _EASY_WHIM)
    return _moves(next(thoughts.orders(thoughts.gain), thoughts.single))


def normal(view: View, chance: Stream) -> tuple[Order, ...]:
    """Return a legal order for the view's seat, which must be awaited."""
    temper = BOLDER if view.variant == "standard" else BOLD
    return _weighed(view, chance, lambda: Situation(view, temper))


def strong(view: View, chance: Stream) -> tuple[Order, ...]:
    """Return a legal order for the view's seat, which must be awaited."""
    return _weighed(view, chance, lambda: Situation(view, reads_moves=True))


def _weighed(view: View, chance: Stream, look: Callable[[], Situation]) -> tuple[Order, ...]:
    if view.phase == "setup":
        return (Rows(guarded_army(view.board.size, chance)),)
    thoughts = Thoughts(look(), view, chance, _WHIM)
    orders = thoughts.orders(thoughts.promise)
    return _moves(max(orders, key=thoughts.weight, default=thoughts.single))


def _moves(steps: Steps) -> tuple[Move, ...]:
    return tuple(Move(step.start, step.target) for step in steps)


class Thoughts:
    """A situation with the worth of its steps, each worked out once."""

    def __init__(self, here: Situation, view: View, chance: Stream, whim: float) -> None:
        self.here = here
        self._most = pieces_moved(view)
        roads = self.here.ground.own.values()
        self._whims = {step: whim * chance.below(256) for steps in roads for step in steps}
        self._gains: dict[Step, float] = {}

    @property
    def single(self) -> Steps:
        """Return the order of one step that rule 2.6 asks for where there is no pair."""
        return tuple(sorted(legal_steps(self.here.ground), key=self.promise, reverse=True)[:1])

    def gain(self, step: Step) -> float:
        if step not in self._gains:
            self._gains[step] = gain(self.here, step) + self._whims[step]
        return self._gains[step]

    def promise(self, step: Step) -> float:
        return self.gain(step) + relief(self.here, step)

    def weight(self, order: Steps) -> float:
        home, besiegers = self.here.home, self.here.besiegers
        return sum(map(self.gain, order)) - sum(
            chance * (exposure(standing) + siege(standing, home, besiegers))
            for chance, standing in self._afterwards(order)
        )

    def orders(self, worth: Callable[[Step], float]) -> Iterator[Steps]:
        """Yield the orders that seem worth weighing, the best steps first."""
        ground = self.here.ground
        firsts = sorted(legal_steps(ground), key=worth, reverse=True)
        if self._most == 1:
            yield from ((step,) for step in firsts[:_WIDTH])
            return
        known: set[frozenset[Step]] = set()
        for place, first in enumerate(firsts):
            if place >= _WIDTH and known:
                return
            seconds = sorted(legal_steps(after(ground, first)), key=worth, reverse=True)
            for second in seconds[: max(_WIDTH - place, 1)]:
                pair = frozenset((first, second))
                if pair not in known:
                    known.add(pair)
                    yield first, second

    def _afterwards(self, order: Steps) -> Iterator[tuple[float, Standing]]:
        """Yield how pieces may stand after an order, with the chance of each case."""
        here = self.here
        cases = [(1.0, Standing(here.board, here.own, here.foes, here.caution))]
        for step in order:
            cases = [
                case for chance, standing in cases for case in self._made(chance, standing, step)
            ]
        yield from cases

    def _made(
        self, chance: float, standing: Standing, step: Step
    ) -> Iterator[tuple[float, Standing]]:
        """Yield the cases after one more step: the piece is removed, or stands on its target."""
        survives = self.here.survives(step)
        own = {**standing.own}
        del own[step.start]
        if 1 - survives > _UNLIKELY:
            yield chance * (1 - survives), replace(standing, own=own)
        if survives > _UNLIKELY:
            stays = {**own, step.target: self.here.own[step.start]}
            foes = standing.foes
            if step.target in foes:
                foes = {s: foe for s, foe in foes.items() if s != step.target}
            yield chance * survives, replace(standing, own=stays, foes=foes)
