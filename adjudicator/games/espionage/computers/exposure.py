"""Say what the enemy may do next: what pieces beside his cost, and who reaches the Headquarters."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from adjudicator.games.espionage.computers.beliefs import MOBILE, VALUES, Belief
from adjudicator.games.espionage.rules.board import Board, Square, steps_between
from adjudicator.games.espionage.rules.pieces import Rank

# How much of what a fellow would take back lessens a loss.
_RETURN = 0.4
# A Spy beside a piece has most likely told its rank; then it is attacked only by who beats it.
_TOLD_BY_SPY = 0.8

# What an enemy costs so many steps from a way to the own Headquarters, if nobody stops him there.
_SIEGE = (0.0, 240.0, 120.0, 60.0, 0.0)
_FAR = len(_SIEGE) - 1

_MOBILE = frozenset(MOBILE)


class Standing(Struct, frozen=True):
    """How pieces may stand after some steps, and how much an own loss counts."""

    board: Board
    own: Mapping[Square, Rank]
    foes: Mapping[Square, Belief]
    caution: float


def exposure(here: Standing) -> float:
    """Return what is expected to be lost in the enemy's next attacks, each piece by its worst
    neighbour."""
    return sum(_at(here, square, rank) for square, rank in here.own.items())


def _at(here: Standing, square: Square, rank: Rank) -> float:
    near = here.board.beside[square]
    foes = [foe for s in near if (foe := here.foes.get(s)) and foe.threat[rank]]
    if not foes:
        return 0.0
    fellows = [own for s in near if (own := here.own.get(s)) in _MOBILE]
    told = _TOLD_BY_SPY * _spied(here, square)
    return max(_by(foe, rank, fellows, told, here.caution) for foe in foes)


def _by(foe: Belief, rank: Rank, fellows: list[Rank], told: float, caution: float) -> float:
    """Return what one enemy's attack is expected to cost; it never counts as a gain, for nobody
    must attack."""
    back = max((foe.revenge_value(rank, fellow) for fellow in fellows), default=0.0)
    loss = foe.threat[rank] * VALUES[rank] * caution - _RETURN * back
    unknown = max(loss - foe.repelled[rank], 0.0)
    return (1 - told) * unknown + told * max(loss, 0.0)


def _spied(here: Standing, square: Square) -> float:
    """Return how likely an enemy Spy stands so near that it tells what stands on the square."""
    unseen = 1.0
    for near in here.board.around[square]:
        if foe := here.foes.get(near):
            unseen *= 1 - foe.chances.get(Rank.SPY, 0.0)
    return 1 - unseen


def siege(here: Standing, home: Square, besiegers: Collection[Square]) -> float:
    """Return what is feared for the Headquarters: for each square beside it the worst enemy who may
    come there past whoever holds it, and is not thrown out again."""
    foes = [(square, here.foes[square]) for square in besiegers if square in here.foes]
    return sum(_at_gate(here, gate, foes) for gate in here.board.beside[home]) if foes else 0.0


def _at_gate(here: Standing, gate: Square, foes: Sequence[tuple[Square, Belief]]) -> float:
    holder = here.own.get(gate)
    near = [own for s in here.board.beside[gate] if (own := here.own.get(s)) in _MOBILE]
    worst = 0.0
    for square, foe in foes:
        enters = foe.threat[holder] if holder else foe.mobile
        stays = 1 - max((foe.beats[own] for own in near), default=0.0)
        worst = max(worst, _SIEGE[min(steps_between(square, gate), _FAR)] * enters * stays)
    return worst
