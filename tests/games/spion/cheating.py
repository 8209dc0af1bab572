"""How a club cheats in Spion: what it does to a match of Anna's, who plays the first seat."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from adjudicator.core.match import Seat
from adjudicator.games.spion.rules import state as spion
from tests.service.cheats.scene import Scene

Lines: TypeAlias = Callable[[Scene], Sequence[str]]


def _moved(state: Any, seat: str) -> spion.Moved:
    goal = next(iter(state.embassies))
    return spion.Moved(Seat(seat), state.spies[Seat(seat)], goal, (goal,))


# Orders of the last seat that no rule allows.
ILLEGAL: Mapping[str, Lines] = {
    "a goal where no spy stops": lambda scene: ["MOVE a1"],
    "a challenge to oneself": lambda scene: ["CHALLENGE yellow 1 ATOM"],
    "a place that no holder has": lambda scene: ["PLACE 9"],
    "what no order is": lambda scene: [*scene.legal("yellow"), "FLY TO THE MOON"],
}
# Events that no rule brings about, as a club that cheats would like them.
FORGED: Mapping[str, Callable[[Any, str], Any]] = {
    "a spy is elsewhere": _moved,
    "standing orders are wiped": lambda state, seat: spion.Replaced(Seat("blue")),
}
# A key of a report as JSON, and another value of it.
IN_JSON: tuple[str, Callable[[Any], Any]] = (
    "seats",
    lambda seats: [{**seats[0], "spy": "POL"}, *seats[1:]],
)
