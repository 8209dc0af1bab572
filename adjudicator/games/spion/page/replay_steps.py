"""A match as a page steps through it: a moment after each turn."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.lookback import Step
from adjudicator.core.match import Seat
from adjudicator.games.spion.page.drawing import (
    LETTERS,
    Piece,
    below_ground,
    beside,
    guards,
    sent,
    spies,
)
from adjudicator.games.spion.page.plan import Plan
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.state import Place
from adjudicator.games.spion.sight.sightings import SawMoved, Seen
from adjudicator.games.spion.sight.view import View, board_in

Position: TypeAlias = Mapping[str, str]  # what stands where, by what it is
Stand = tuple[Place, Place, str]  # of a seat: spy, bodyguard, what the holder shows
Corner = tuple[float, float]


class Moment(Struct, frozen=True):
    """The board as it stood after a turn, and what came before it; `place` names the turn. `points`
    are the sentences for which a reader may want to come here, each with its weight."""

    place: str
    label: str
    position: Position
    ways: Sequence[str]
    steps: Sequence[Step]
    points: Sequence[tuple[int, str]] = ()


def changes(before: Position, after: Position, ways: Sequence[str]) -> str:
    """Write what differs, as the page's script reads it, and the ways of the pieces that went."""
    new = [f"{what}={where}" for what, where in after.items() if before.get(what) != where]
    gone = [f"{what}=" for what in before if what not in after]
    return ";".join((*new, *gone, *ways))


def position(
    view: View, seats: Mapping[Seat, Stand], lying: Mapping[Place, str], news: Sequence[Seen]
) -> tuple[Position, list[str]]:
    """Return a position and the ways that led to it, in units of the drawing: `B` is Blue's spy,
    `b` his bodyguard, `#B` his holder, `@NOR` an embassy's card, each with its place or what it
    shows."""
    board = board_in(view)
    plan = Plan(board)
    stood = _stood(view, seats, lying)
    placed = {
        **{piece[1]: _spot(piece) for piece in spies(stood, board, plan)},
        **{piece[1].lower(): _spot(piece) for piece in guards(stood, plan)},
        **{f"#{LETTERS[seat]}": holder for seat, (_, _, holder) in seats.items()},
        **{f"@{code}": card for code, card in lying.items()},
    }
    return placed, [way for step in news for way in _ways(step, board, plan)]


def _stood(view: View, seats: Mapping[Seat, Stand], lying: Mapping[Place, str]) -> View:
    """Return the view with pieces and cards where they were."""
    entries = {entry.seat: entry for entry in view.seats}
    embassies = tuple(replace(one, card=one.code in lying) for one in view.board.embassies)
    return replace(
        view,
        board=replace(view.board, embassies=embassies),
        seats=tuple(
            replace(entries[seat], spy=spy, bodyguard=bodyguard)
            for seat, (spy, bodyguard, _) in seats.items()
        ),
    )


def _spot(piece: Piece) -> str:
    _, _, (x, y), scale, _ = piece
    return f"{x:g},{y:g}" + (f",{scale:.2g}" if scale != 1 else "")


def _ways(step: Seen, board: Board, plan: Plan) -> Iterator[str]:
    """Write the ways of an event, corner by corner: `+B` on foot, `~B` through a tunnel, `:B` put
    somewhere."""
    if isinstance(step, SawMoved):
        yield from _walk(step.seat, (step.start, *step.path), board, plan)
    for seat, start, goal in sent(step):
        yield _line(":", LETTERS[seat], [plan.at(start), plan.at(goal)])


def _walk(seat: Seat, way: Sequence[Place], board: Board, plan: Plan) -> Iterator[str]:
    points = [beside(plan.at(place), seat) for place in way]
    steps = zip(pairwise(points), below_ground(board, way), strict=True)
    for below, part in groupby(steps, key=lambda step: step[1]):
        legs = [leg for leg, _ in part]
        yield _line("~" if below else "+", LETTERS[seat], [legs[0][0], *(end for _, end in legs)])


def _line(kind: str, letter: str, points: Sequence[Corner]) -> str:
    return f"{kind}{letter}=" + " ".join(f"{x:g},{y:g}" for x, y in _corners(points))


def _corners(points: Sequence[Corner]) -> Iterator[Corner]:
    """Leave out the points between two steps in one direction."""
    yield points[0]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        if (here[0] - before[0], here[1] - before[1]) != (after[0] - here[0], after[1] - here[1]):
            yield here
    yield points[-1]
