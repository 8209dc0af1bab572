"""Say what the enemy's next turn may cost, where own pieces stand beside his."""

from collections.abc import Mapping

from msgspec import Struct

from adjudicator.games.espionage.computers.beliefs import MOBILE, VALUES, Belief
from adjudicator.games.espionage.rules.board import Board, Square
from adjudicator.games.espionage.rules.pieces import Rank

# How much of what a fellow would take back lessens a loss.
_RETURN = 0.4
# A Spy beside a piece has most likely told its rank; then it is attacked only by who beats it.
_TOLD_BY_SPY = 0.8

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
    back = max((foe.avenged(rank, fellow) for fellow in fellows), default=0.0)
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
