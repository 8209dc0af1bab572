"""Orders that an email to a new player of Espionage can send as they are, from his view alone.

They follow the first tip that names a step; what more a turn asks for is a step forward.
"""

from adjudicator.core.game import Suggestion
from adjudicator.core.message import Words, say
from adjudicator.games.espionage.orders.template import forward
from adjudicator.games.espionage.page.tips import TIPS
from adjudicator.games.espionage.page.tips_table import table
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.movement import after, legal_steps, steps_due
from adjudicator.games.espionage.rules.state import Step
from adjudicator.games.espionage.sight.observe import View, ground, pieces_moved

# Tips that name the step of which they speak, by its `start` and its `goal`.
_OF_A_STEP = ("can_take", "general_attacks", "sure_attack", "spy_looks")


def suggest(view: View, words: Words) -> Suggestion | None:
    """Return the set-up that adjud makes, or the steps of the first tip that names one."""
    if view.phase == "setup":
        return Suggestion(
            lines=("SETUP AUTO",),
            label=say("Place my army for me"),
            usual=True,
        )
    here = table(view)
    for name in _OF_A_STEP:
        if why := TIPS[name].message_for(here):
            step = Step(Square(str(why.values["start"])), Square(str(why.values["goal"])))
            if lines := _whole(view, step):
                return Suggestion(lines=lines, why=why)
    return None


def _whole(view: View, first: Step) -> tuple[str, ...]:
    """Return the lines of a turn that begins with a step; none if nothing can follow it."""
    here = ground(view)
    if steps_due(here, pieces_moved(view)) == 1:
        return (str(first),)
    seconds = legal_steps(after(here, first))
    return (str(first), str(min(seconds, key=forward(view)))) if seconds else ()
