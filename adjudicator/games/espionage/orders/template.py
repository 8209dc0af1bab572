"""The body of an order sheet: ready to edit, as it stands at the end of every report, and as an
example that is legal at once; and where what a question names can go."""

import re
from collections.abc import Callable, Iterator, Sequence

from adjudicator.core.message import Message, say
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.movement import after, legal_steps, steps_due
from adjudicator.games.espionage.rules.pieces import WHITE
from adjudicator.games.espionage.rules.state import Step
from adjudicator.games.espionage.sight.observe import View, ground, pieces_moved


def template(view: View) -> Sequence[str]:
    """Return the lines between head and END; `..` stands where the player writes a square. A
    template sent back as it is must be refused, never played."""
    if view.phase == "setup":
        return ("SETUP", *("." * view.board.size for _ in range(3)))
    return ("..-..",) * max(steps_due(ground(view), pieces_moved(view)), 1)


def example(view: View) -> Sequence[str]:
    """Return the lines of an order that is legal now: forward, and onto no enemy piece if it can
    be."""
    if view.phase == "setup":
        return ("SETUP AUTO",)
    here, number = ground(view), pieces_moved(view)
    worse = forward(view)
    for first in sorted(legal_steps(here), key=worse):
        if steps_due(here, number) == 1:
            return (str(first),)
        if seconds := legal_steps(after(here, first)):
            return (str(first), str(min(seconds, key=worse)))
    return ()


def forward(view: View) -> Callable[[Step], tuple[bool, int]]:
    """Return a key by which steps forward come first, and those onto enemy pieces last."""
    enemies = {piece.square for piece in view.pieces if piece.side != view.seat}

    def worse(step: Step) -> tuple[bool, int]:
        up = int(step.target[1:]) - int(step.start[1:])
        return step.target in enemies, -up if view.seat == WHITE else up

    return worse


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
