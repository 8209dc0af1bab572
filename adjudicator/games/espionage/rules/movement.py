"""Which steps are legal (rules 2.2-2.6). Nothing here depends on a hidden rank (rule 2.5)."""

from collections.abc import Iterator, Set

from msgspec import Struct

from adjudicator.games.espionage.rules.board import Board, Square
from adjudicator.games.espionage.rules.state import Step


class Ground(Struct, frozen=True):
    """All that one side must know to find its legal steps: `own` are the squares of its pieces,
    `mobile` those that may step now, `barred` the steps that rule 2.4 forbids."""

    board: Board
    volcanoes: tuple[Square, ...]
    own: Set[Square]
    mobile: tuple[Square, ...]
    barred: tuple[Step, ...]


def legal_steps(ground: Ground) -> Iterator[Step]:
    """Yield every step that may be made first, in the order of `mobile`."""
    own, volcanoes, barred = ground.own, ground.volcanoes, ground.barred
    beside = ground.board.beside
    for start in ground.mobile:
        for target in beside[start]:
            if target not in own and target not in volcanoes:
                step = Step(start, target)
                if step not in barred:
                    yield step


def after(ground: Ground, first: Step) -> Ground:
    """Return the ground as it is judged for the second step (rule 2.5): the first piece stands on
    its target, whatever becomes of it there, and has made its step (2.3)."""
    return Ground(
        board=ground.board,
        volcanoes=ground.volcanoes,
        own=(ground.own - {first.start}) | {first.target},
        mobile=tuple(square for square in ground.mobile if square != first.start),
        barred=ground.barred,
    )


def can_step(ground: Ground) -> bool:
    return next(legal_steps(ground), None) is not None


def steps_due(ground: Ground, pieces_moved: int) -> int:
    """Return how many steps an order must have (rule 2.6); 0 means that the side cannot move."""
    if pieces_moved > 1 and any(can_step(after(ground, first)) for first in legal_steps(ground)):
        return 2
    return 1 if can_step(ground) else 0
