"""One ply as it goes: what is told so far, and how things stand after it."""

from adjudicator.core.dice import Chance
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import KINDS
from adjudicator.games.spies.rules.events import AnyEvent, Reshuffled
from adjudicator.games.spies.rules.state import State


class ChanceNeeded(Exception):
    """A course without chance came to a draw."""


class Course:
    """Collects the facts of a ply, so that each line is tested when its time comes (5.1). Without
    chance it goes as far as no draw is needed."""

    def __init__(self, state: State, chance: Chance | None) -> None:
        self.state = state
        self.chance = chance
        self.events: list[AnyEvent] = []

    def tell(self, event: AnyEvent) -> None:
        self.events.append(event)
        self.state = apply(self.state, event)

    def next_chits(self, number: int) -> tuple[str, ...]:
        """Return the next chits that are due, fewer if pool and discard are empty (2.4). They stay
        in the pool until an event gives them to somebody."""
        if len(self.state.pool) < number and self.state.discard:
            self._reshuffle()
        return self.state.pool[:number]

    def _reshuffle(self) -> None:
        if self.chance is None:
            raise ChanceNeeded
        self.tell(reshuffle(self.state, self.chance))


def reshuffle(state: State, chance: Chance) -> Reshuffled:
    """Shuffle the discard as the next pool (2.4)."""
    count = state.shuffles + 1
    chits = (kind for kind in KINDS for _ in range(state.discard.get(kind, 0)))
    return Reshuffled(count, tuple(chance.private("X", f"chits|{count}").shuffled(chits)))
