"""Say where the pieces that a question names can step now, as its sender sees the board."""

import re
from collections.abc import Iterator

from adjudicator.core.message import Message, say
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.sight.observe import View, ground

_SQUARE = re.compile(r"(?<![^\W_])[a-j](?:10|[1-9])(?![^\W_])")
_MOST = 3  # pieces


def reach(view: View, question: str) -> Iterator[Message]:
    """Yield a sentence for each of the sender's own pieces on a named square."""
    here = ground(view)
    named = [square for square in dict.fromkeys(_SQUARE.findall(question)) if square in here.own]
    for square in named[:_MOST] if view.phase == "play" else ():
        steps = here.own[Square(square)]
        goals = [step.target for step in steps if step.target not in here.own]
        if goals:
            told = ", ".join(goals)
            yield say("Your piece on {square} can step to: {goals}.", square=square, goals=told)
        else:
            yield say("Your piece on {square} cannot step anywhere now.", square=square)
