"""The body of an order sheet: ready to edit, as it stands at the end of every report, and as an
example that is legal at once."""

from collections.abc import Callable, Sequence

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
