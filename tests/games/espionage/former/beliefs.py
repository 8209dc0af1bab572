"""Guess what the enemy's hidden pieces are, from what a view shows and nothing else."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, cached_property

from adjudicator.games.espionage.rules.board import BOARDS, Square, rank_of
from adjudicator.games.espionage.rules.pieces import ENEMY, IMMOBILE, TAKES, Rank
from adjudicator.games.espionage.sight.memory import could_be, unaccounted_ranks
from adjudicator.games.espionage.sight.observe import SeenPiece, View

MOBILE = tuple(rank for rank in Rank if rank not in IMMOBILE)

# How good a piece is to have, and so to take; the Headquarters is the match.
VALUES: Mapping[Rank, float] = {
    Rank.CORPORAL: 8,
    Rank.LIEUTENANT: 12,
    Rank.CAPTAIN: 18,
    Rank.COLONEL: 28,
    Rank.GENERAL: 38,
    Rank.SPY: 14,
    Rank.SAPPER: 20,
    Rank.MINE: 8,
    Rank.HEADQUARTERS: 600,
}

# How much rather an unmoved piece is immobile, by its distance from its front row.
_MINE_BY_ROW = (1.0, 3.0, 4.0)
_HEADQUARTERS_BY_ROW = (0.3, 1.0, 5.0)
_NEAR_A_MINE = 2.0


class Belief:
    """The chance of each rank for one enemy piece, and what follows for fights with it.

    The tables are by own rank: `beats` the chance to win when attacking, `prize` the value
    expected to be taken then, `threat` the chance to be removed when attacked.
    """

    def __init__(self, chances: Mapping[Rank, float], *, known: bool = False) -> None:
        self.chances = chances
        self.known = known
        self.headquarters = chances.get(Rank.HEADQUARTERS, 0.0)
        self.mine = chances.get(Rank.MINE, 0.0)

    @cached_property
    def beats(self) -> Mapping[Rank, float]:
        return {own: sum(p for r, p in self.chances.items() if r in TAKES[own]) for own in MOBILE}

    @cached_property
    def prize(self) -> Mapping[Rank, float]:
        return {
            own: sum(p * VALUES[r] for r, p in self.chances.items() if r in TAKES[own])
            for own in MOBILE
        }

    @cached_property
    def threat(self) -> Mapping[Rank, float]:
        moving = [(TAKES[r], p) for r, p in self.chances.items() if r in TAKES]
        return {own: sum(p for takes, p in moving if own in takes) for own in Rank}

    @cached_property
    def mobile(self) -> float:
        """Return the chance that it can move at all (rule 2.2)."""
        return 1 - self.mine - self.headquarters


@cache
def _certain(rank: Rank) -> Belief:
    return Belief({rank: 1.0}, known=True)


def beliefs(view: View) -> Mapping[Square, Belief]:
    """Return a belief for every enemy piece on the board."""
    foes = [piece for piece in view.pieces if piece.side == ENEMY[view.seat]]
    hidden = [piece for piece in foes if piece.rank is None]
    found = {piece.square: _certain(piece.rank) for piece in foes if piece.rank}
    if hidden:
        found |= _guesses(view, hidden, [piece for piece in foes if piece.rank])
    return found


def _guesses(
    view: View, hidden: Sequence[SeenPiece], known: Sequence[SeenPiece]
) -> Mapping[Square, Belief]:
    """Share out Mines and Headquarters among the pieces that can be one. Whoever is neither is any
    of the mobile ranks still unaccounted for that its fights allow."""
    left = unaccounted_ranks(view)
    there = [rank for rank, n in left.items() if n]
    ranks = [could_be(piece, there) for piece in hidden]
    certain = Counter(only for only, *others in ranks if not others)
    left = {rank: max(n - certain[rank], 0) for rank, n in left.items()}
    mines = {piece.square for piece in known if piece.rank is Rank.MINE}
    likely_mine = _share(
        left[Rank.MINE],
        [
            _mine_weight(view, piece) if _may(Rank.MINE, among) else 0.0
            for piece, among in zip(hidden, ranks, strict=True)
        ],
    )
    likely_hq = _share(
        left[Rank.HEADQUARTERS],
        [
            _headquarters_weight(view, piece, mines) if _may(Rank.HEADQUARTERS, among) else 0.0
            for piece, among in zip(hidden, ranks, strict=True)
        ],
    )
    made: dict[tuple[float, float, tuple[Rank, ...]], Belief] = {}
    found: dict[Square, Belief] = {}
    for piece, mine, headquarters, among in zip(hidden, likely_mine, likely_hq, ranks, strict=True):
        key = (min(mine, 1 - headquarters), headquarters, among)
        if key not in made:
            made[key] = _certain(among[0]) if len(among) == 1 else _mixed(left, *key)
        found[piece.square] = made[key]
    return found


def _may(rank: Rank, among: Sequence[Rank]) -> bool:
    """Return whether one of these pieces, whose rank is not certain, may have that rank."""
    return rank in among and len(among) > 1


def _share(total: int, weights: Sequence[float]) -> list[float]:
    """Give out `total` pieces by weight; nobody gets more than one."""
    whole = sum(weights)
    return [min(1.0, total * weight / whole) if whole else 0.0 for weight in weights]


def _row(view: View, square: Square) -> int:
    """Count rows from the enemy's front: 0 is his front row, 2 his back row."""
    rows = BOARDS[view.board.size].home_rows(ENEMY[view.seat])
    return rows.index(rank_of(square))


def _mine_weight(view: View, piece: SeenPiece) -> float:
    return _MINE_BY_ROW[_row(view, piece.square)]


def _headquarters_weight(view: View, piece: SeenPiece, mines: set[Square]) -> float:
    """Weigh how likely a piece is the Headquarters: people put Mines around it."""
    near = sum(square in mines for square in BOARDS[view.board.size].beside[piece.square])
    weight = _HEADQUARTERS_BY_ROW[_row(view, piece.square)]
    return weight * _NEAR_A_MINE**near


def _mixed(
    left: Mapping[Rank, int], mine: float, headquarters: float, among: Sequence[Rank]
) -> Belief:
    """Make it Mine or Headquarters with the given chances, else one of the ranks that are left and
    that it can be, in proportion. What was removed is mostly not told (3.4), so its ranks are among
    these, too; but mobile pieces are removed most, and the Headquarters never (6.1)."""
    weights = {rank: left[rank] for rank in among if rank not in IMMOBILE}
    share = (1 - mine - headquarters) / max(sum(weights.values()), 1)
    chances = {rank: n * share for rank, n in weights.items()}
    chances |= {Rank.MINE: mine, Rank.HEADQUARTERS: headquarters}
    whole = sum(chances.values())
    if not whole:  # all of these ranks are taken by pieces whose rank is certain
        return Belief(dict.fromkeys(among, 1 / len(among)))
    return Belief({rank: chance / whole for rank, chance in chances.items()})
