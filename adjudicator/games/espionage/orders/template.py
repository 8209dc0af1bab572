"""The body of an order sheet, ready to edit, that stands at the end of every report."""

from collections.abc import Sequence

from adjudicator.games.espionage.rules.movement import steps_due
from adjudicator.games.espionage.sight.observe import View, ground, pieces_moved


def template(view: View) -> Sequence[str]:
    """Return the lines between head and END; `..` stands where the player writes a square. A
    template sent back as it is must be refused, never played."""
    if view.phase == "setup":
        return ("SETUP", *("." * view.board.size for _ in range(3)))
    return ("..-..",) * max(steps_due(ground(view), pieces_moved(view)), 1)
