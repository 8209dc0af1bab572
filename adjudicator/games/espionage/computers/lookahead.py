"""Try orders out in drawn worlds: what the enemy's answer and the own next order bring there.

In these both sides take what looks best at once, by what each of them knows. How many worlds,
orders and plies are looked at is fixed, and the clock is never asked.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct

from adjudicator.core.dice import Stream
from adjudicator.games.espionage.computers.beliefs import VALUES, Belief
from adjudicator.games.espionage.computers.worlds import (
    CAN_MOVE,
    MINE,
    RANKS,
    THEIRS,
    WINS,
    WORTH,
    Ground,
    World,
    draw_world,
    ground_of,
)
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.combat import TAKES
from adjudicator.games.espionage.rules.pieces import ARMIES, IMMOBILE, Rank
from adjudicator.games.espionage.rules.state import Step
from adjudicator.games.espionage.sight.observe import View, pieces_moved

_PLIES = 2
# What an unmoved piece is worth to whoever takes it blindly, if it is the Headquarters.
_HOPED_FOR = 80.0
_FORWARD = 0.6  # what a step towards the enemy's back row is worth
_ENDS = VALUES[Rank.HEADQUARTERS]


class Setting(Struct, frozen=True):
    """What is the same in every world: `blind` says what an attack on an unknown piece is hoped to
    bring, by whether it moved and the own rank; `forward` by side what a square is worth."""

    ground: Ground
    blind: Sequence[Sequence[float]]
    forward: Mapping[int, Sequence[float]]
    noise: Sequence[float]
    steps: int


def outlook(
    view: View,
    foes: Mapping[Square, Belief],
    orders: Sequence[Sequence[Step]],
    chance: Stream,
    worlds: int,
) -> list[float]:
    """Return what each order brings on average, in the same drawn worlds."""
    size = view.board.size
    up = [_FORWARD * (n % size) for n in range(size**2)]
    down = [-worth for worth in up]
    setting = Setting(
        ground=ground_of(size, view.board.volcanoes),
        blind=_blind(size),
        forward={MINE: up, THEIRS: down} if view.seat == "white" else {MINE: down, THEIRS: up},
        noise=[chance.below(256) / 256 for _ in range(256)],
        steps=pieces_moved(view),
    )
    numbers = setting.ground.numbers
    tried = [[(numbers[step.start], numbers[step.target]) for step in order] for order in orders]
    sums = [0.0] * len(tried)
    for salt in range(worlds):
        world = draw_world(view, foes, chance)
        for n, order in enumerate(tried):
            sums[n] += _brought(world.copy(), order, setting, salt)
    return [brought / worlds for brought in sums]


@cache
def _blind(size: int) -> Sequence[Sequence[float]]:
    return [[_hoped(size, rank, moved) for rank in RANKS] for moved in (False, True)]


def _hoped(size: int, own: Rank, moved: bool) -> float:
    army = {r: n for r, n in ARMIES[size].items() if not (moved and r in IMMOBILE)}
    if not moved:
        army[Rank.MINE] *= 2  # they stay, others go
    worth = {**VALUES, Rank.HEADQUARTERS: _HOPED_FOR}
    brings = (n * (worth[r] if r in TAKES.get(own, ()) else -worth[own]) for r, n in army.items())
    return sum(brings) / sum(army.values())


def _brought(world: World, order: Sequence[tuple[int, int]], setting: Setting, salt: int) -> float:
    total, side, steps = 0.0, MINE, order
    for ply in range(1 + _PLIES):
        for start, target in steps:
            if world.side[start] != side or world.side[target] == side:
                continue  # what the first step did stands in the way
            total += side * (won := world.step(start, target, setting.ground.around))
            if won >= _ENDS:
                return total
        side = -side
        steps = _taken(world, side, setting, salt * 17 + ply * 13)
    return total


def _taken(world: World, side: int, setting: Setting, salt: int) -> Sequence[tuple[int, int]]:
    """Return the steps that look best at once, each of another piece."""
    best: list[tuple[float, int, int]] = []
    forward, noise, near = setting.forward[side], setting.noise, setting.ground.near
    sides, ranks, known, moved = world.side, world.rank, world.known, world.moved
    for start, owner in enumerate(sides):
        if owner != side or not CAN_MOVE[ranks[start]]:
            continue
        rank, top = ranks[start], (-_ENDS, start, start)
        for target in near[start]:
            if sides[target] == side:
                continue
            if not sides[target]:
                worth = noise[(start * 31 + target * 7 + salt) & 255]
                worth += forward[target] - forward[start]
            elif known[target]:
                met = ranks[target]
                worth = WORTH[met] if WINS[rank][met] else -WORTH[rank]
            else:
                worth = setting.blind[moved[target]][rank]
            if worth > top[0]:
                top = worth, start, target
        best.append(top)
    best.sort(reverse=True)
    return [(start, target) for _, start, target in best[: setting.steps] if start != target]
