"""Which steps are legal (rules 2.2-2.6). Nothing here depends on a hidden rank (rule 2.5)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from msgspec import Struct

from adjudicator.games.espionage.rules.board import BOARDS, Board, Square
from adjudicator.games.espionage.rules.state import Step


class Ground(Struct, frozen=True):
    """All that one side must know to find its legal steps: `own` has the squares of its pieces,
    each with the steps that its piece might make if no own piece were in its way. `barred` are the
    steps that rule 2.4 forbids; `own` has none of them, nor one into a volcano."""

    board: Board
    volcanoes: tuple[Square, ...]
    own: Mapping[Square, Sequence[Step]]
    barred: Sequence[Step]


def legal_steps(ground: Ground) -> Sequence[Step]:
    """Return every step that may be made first, in the order of `own`."""
    own = ground.own
    return [step for steps in own.values() for step in steps if step.target not in own]


@cache
def roads(size: int, volcanoes: tuple[Square, ...]) -> Mapping[Square, Sequence[Step]]:
    """Return the steps from each square that neither leave the board nor enter a volcano (rule
    2.2); there are few ways in which volcanoes can lie."""
    return {
        start: tuple(Step(start, target) for target in beside if target not in volcanoes)
        for start, beside in BOARDS[size].beside.items()
    }


def bar(own: dict[Square, Sequence[Step]], barred: Iterable[Step]) -> None:
    """Take those that are barred (rule 2.4) out of the steps from each square."""
    for back in barred:
        if back.start in own:
            own[back.start] = [step for step in own[back.start] if step.target != back.target]


def after(ground: Ground, first: Step) -> Ground:
    """Return the ground as it is judged for the second step (rule 2.5): the first piece stands on
    its target, whatever becomes of it there, and has made its step (2.3)."""
    own = {**ground.own}
    own.pop(first.start, None)  # whoever checks a sheet with a slip in it has no piece there
    own[first.target] = ()
    return Ground(ground.board, ground.volcanoes, own, ground.barred)


def can_step(ground: Ground) -> bool:
    return bool(legal_steps(ground))


def steps_due(ground: Ground, pieces_moved: int) -> int:
    """Return how many steps an order must have (rule 2.6); 0 means that the side cannot move."""
    if pieces_moved > 1 and any(can_step(after(ground, first)) for first in legal_steps(ground)):
        return 2
    return 1 if can_step(ground) else 0
