"""Find where a spy may go for a count (R3, R4), and from where it may ambush (R7)."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.games.spion.orders.values import Goal
from adjudicator.games.spion.rules.board import Board, steps_to
from adjudicator.games.spion.rules.position import Position, foreign
from adjudicator.games.spion.rules.state import Place

Path = tuple[Place, ...]

ROLLS = range(2, 13)


class Ends(Struct, frozen=True):
    """The places on which a move may end and a way to each, both in the board's order: the places
    that the spy enters, the end last. `met` are others' pieces onto which the search was refused a
    step."""

    paths: Mapping[Place, Path]
    met: tuple[Place, ...] = ()


class _Search:
    """Every way of one spy, depth first in the board's order, so that all find the same one."""

    def __init__(self, position: Position, seat: Seat, exact: bool) -> None:
        self.board: Board = position.board
        self.exact = exact and self.board.params.exact_count_needed_on_street
        self.guard = position.bodyguards[seat]
        self.foreign = foreign(position, seat)
        self.walked: list[Place] = [position.spies[seat]]
        self.paths: dict[Place, tuple[int, Path]] = {}  # with what is left of the count
        self.met: set[Place] = set()
        self.seen: set[tuple[Place, ...]] = set()

    def go(self, left: int, tunnels: int) -> None:
        at = self.walked[-1]
        self._stay(at, left)
        if left:
            for near in self.board.walk[at]:
                self._step(near, left - 1, tunnels)
        if tunnels and left:  # a count used up ends on the well, also where a tunnel costs nothing
            for near in self.board.tunnels.get(at, ()):
                self._step(near, left - self.board.params.tunnel_cost, tunnels - 1)

    def _stay(self, at: Place, left: int) -> None:
        """End the move on a street or well (R3.2); the own bodyguard's is occupied (A48)."""
        if (left and self.exact) or at in (self.walked[0], self.guard):
            return
        if self.board.open_ground(at):
            self._found(at, left)

    def _found(self, at: Place, left: int) -> None:
        if at not in self.paths or self.paths[at][0] < left:
            self.paths[at] = (left, tuple(self.walked[1:]))

    def _step(self, near: Place, left: int, tunnels: int) -> None:
        if near in self.foreign:
            self.met.add(near)  # R8.3
        elif not self._barred(near, left, tunnels):
            self.walked.append(near)
            if near not in self.board.embassies:
                self.go(left, tunnels)
            elif not (left and self.board.params.exact_count_needed_into_embassy):
                self._found(near, left)  # R3.3: the rest of the count is lost
            self.walked.pop()

    def _barred(self, near: Place, left: int, tunnels: int) -> bool:
        """Return whether a step is barred by A5: no place twice. In its loose reading (a parameter
        of the board) the step must not go straight back; then the same point may be come to again
        and again, and need not be searched."""
        if not self.board.params.revisit_square_in_move:
            return near in self.walked
        if near in self.walked[-2:]:
            return True
        point = (self.walked[-1], near, str(left), str(tunnels))
        searched = point in self.seen
        self.seen.add(point)
        return searched


def ends(position: Position, seat: Seat, count: int) -> Ends:
    """Return the legal ends of a move with this count."""
    search = _Search(position, seat, exact=True)
    search.go(count, position.board.params.tunnels_per_move)
    return _in_order(search)


def reach(position: Position, seat: Seat, count: int) -> Ends:
    """Return where a spy may stop with any part of the count (R7.2), embassies included."""
    search = _Search(position, seat, exact=False)
    search.go(count, position.board.params.tunnels_per_move)
    return _in_order(search)


def _in_order(search: _Search) -> Ends:
    board = search.board
    return Ends(
        {end: search.paths[end][1] for end in board.in_order(search.paths)},
        board.in_order(search.met),
    )


def stuck(position: Position, seat: Seat) -> bool:
    """Return whether the spy cannot move at all, whatever the dice (summary 13, A26)."""
    return not any(ends(position, seat, count).paths for count in ROLLS)


def ambushes(position: Position, seat: Seat, target: Seat, count: int) -> Mapping[Place, Path]:
    """Return the squares next to the target's spy on which the seat's spy may stop, with a way
    there; an empty one if it stands there already (A25)."""
    board, spy = position.board, position.spies[seat]
    here = {spy: ()} if board.open_ground(spy) else {}
    places = {**here, **reach(position, seat, count).paths}
    return {
        place: path
        for place, path in places.items()
        if board.open_ground(place) and position.spies[target] in board.walk[place]
    }


def first_legal_way(
    position: Position, seat: Seat, count: int, found: Ends, goals: Sequence[Goal]
) -> Path | None:
    """Return the way to the first goal that is legal (5.2)."""
    for goal in goals:
        if goal.if_card and goal.place not in position.out:
            continue
        if goal.near and found.paths and goal.place in position.board.order:
            return found.paths[nearest(position.board, tuple(found.paths), goal.place)[0]]
        if goal.place in found.paths and not goal.near:
            if not goal.path:
                return found.paths[goal.place]
            if path := written_way(position, seat, count, goal):
                return path
    return None


def nearest(board: Board, places: Sequence[Place], goal: Place) -> tuple[Place, ...]:
    """Return those of the places with the fewest steps left to the goal on the empty board."""
    steps = steps_to(board, goal)
    far = len(board.order)
    best = min(steps.get(place, far) for place in places)
    return tuple(place for place in places if steps.get(place, far) == best)


def written_way(position: Position, seat: Seat, count: int, goal: Goal) -> Path | None:
    """Return the way that a player wrote, if it is legal. It may begin with the place that is left,
    and the goal at its end may be omitted."""
    spy = position.spies[seat]
    path = goal.path[1:] if goal.path[0] == spy else goal.path
    path = path if path and path[-1] == goal.place else (*path, goal.place)
    search = _Along(position, seat, path)
    search.go(count, position.board.params.tunnels_per_move)
    return path if search.paths.get(goal.place, (0, ()))[1] == path else None


class _Along(_Search):
    """A search that follows one way only."""

    def __init__(self, position: Position, seat: Seat, path: Path) -> None:
        super().__init__(position, seat, exact=True)
        self.path = path

    def _step(self, near: Place, left: int, tunnels: int) -> None:
        if len(self.walked) <= len(self.path) and self.path[len(self.walked) - 1] == near:
            super()._step(near, left, tunnels)
