"""`computer:random`: any legal order, each first step equally likely."""

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.orders.values import Move, Order, RandomSetUp
from adjudicator.games.espionage.rules.movement import Ground, after, legal_steps
from adjudicator.games.espionage.rules.state import Step
from adjudicator.games.espionage.sight.observe import View, ground, pieces_moved


def play(view: View, chance: Stream) -> tuple[Order, ...]:
    """Return a legal order for the view's seat, which must be awaited."""
    if view.phase == "setup":
        return (RandomSetUp(),)
    return tuple(
        Move(step.start, step.target)
        for step in random_steps(ground(view), pieces_moved(view), chance)
    )


def random_steps(here: Ground, most: int, chance: Stream) -> tuple[Step, ...]:
    """Draw as many steps as rule 2.6 demands; a first step that leaves no second is passed over."""
    firsts = chance.shuffled(legal_steps(here))
    if most == 1:
        return tuple(firsts[:1])
    for first in firsts:
        seconds = legal_steps(after(here, first))
        if seconds:
            return first, chance.choice(seconds)
    return tuple(firsts[:1])
