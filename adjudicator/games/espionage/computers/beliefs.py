"""Guess what the enemy's hidden pieces are, from what a view shows and nothing else."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, cached_property

from adjudicator.games.espionage.computers.homes import home_likelihoods
from adjudicator.games.espionage.rules.board import BOARDS, Square, rank_of
from adjudicator.games.espionage.rules.pieces import ARMIES, ENEMY, IMMOBILE, TAKES, Rank
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
    Rank.SAPPER: 28,
    Rank.MINE: 8,
    Rank.HEADQUARTERS: 600,
}

# How much rather an unmoved piece is immobile, by its distance from its front row.
_MINE_BY_ROW = (1.0, 3.0, 4.0)
_HEADQUARTERS_BY_ROW = (0.3, 1.0, 5.0)
_NEAR_A_MINE = 2.0
# How much these count beside what drawn armies tell.
_GUESSED = 0.005
# Who does not move though an enemy stands beside him more likely cannot.
_STAYS_IN_CONTACT = 4.0
_SUREST = 0.95
# Of pieces that moved and have not fought more are Spies than of the army, first few and later many
# are Sappers: how many times as many, by which share of the army is lost. And who beat an attacker
# and stays is mostly a Mine. Both were measured in matches between built-in players.
_SPY_MOVED = 1.6
_SAPPER_MOVED = ((0.25, 0.35), (0.5, 1.2), (1.0, 2.0))
_STAYS_AFTER_FIGHT = 8.0


class Belief:
    """The chance of each rank for one enemy piece, and what follows for fights with it.

    The tables are by own rank: `beats` the chance to win when attacking, `prize` the value
    expected to be taken then, `threat` the chance to be removed when attacked.
    """

    def __init__(self, chances: Mapping[Rank, float], *, known: bool = False) -> None:
        self.chances = chances
        self.known = known
        self._avenged: dict[tuple[Rank, Rank], float] = {}
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
    def repelled(self) -> Mapping[Rank, float]:
        """Return by own rank the value expected to be lost to the enemy when this piece attacks and
        is removed."""
        moving = [(TAKES[r], p * VALUES[r]) for r, p in self.chances.items() if r in TAKES]
        return {own: sum(v for takes, v in moving if own not in takes) for own in Rank}

    def revenge_value(self, own: Rank, fellow: Rank) -> float:
        """Return the value that a fellow is expected to take back if this piece attacks and removes
        one of rank `own`."""
        key = own, fellow
        if key not in self._avenged:
            self._avenged[key] = sum(
                p * VALUES[r]
                for r, p in self.chances.items()
                if r in TAKES[fellow] and own in TAKES.get(r, ())
            )
        return self._avenged[key]

    @cached_property
    def mobile(self) -> float:
        """Return the chance that it can move at all (rule 2.2)."""
        return 1 - self.mine - self.headquarters


@cache
def _certain(rank: Rank) -> Belief:
    return Belief({rank: 1.0}, known=True)


def beliefs(view: View, *, reads_moves: bool = False) -> Mapping[Square, Belief]:
    """Return a belief for every enemy piece on the board. Whoever reads moves judges pieces also by
    who moves first, and who stays after a fight."""
    foes = [piece for piece in view.pieces if piece.side == ENEMY[view.seat]]
    hidden = [piece for piece in foes if piece.rank is None]
    found = {piece.square: _certain(piece.rank) for piece in foes if piece.rank}
    if hidden:
        found |= _guesses(view, hidden, [piece for piece in foes if piece.rank], reads_moves)
    return found


def _guesses(
    view: View, hidden: Sequence[SeenPiece], known: Sequence[SeenPiece], reads_moves: bool
) -> Mapping[Square, Belief]:
    """Share out Mines and Headquarters among the pieces that can be one. Whoever is neither is any
    of the mobile ranks still unaccounted for that its fights allow."""
    left = unaccounted_ranks(view)
    there = [rank for rank, n in left.items() if n]
    ranks = [could_be(piece, there) for piece in hidden]
    certain = Counter(only for only, *others in ranks if not others)
    left = {rank: max(n - certain[rank], 0) for rank, n in left.items()}
    mines = {piece.square for piece in known if piece.rank is Rank.MINE}
    touched = _touched(view)
    mined, homes = home_likelihoods(view)
    likely_mine = _share(
        left[Rank.MINE],
        [
            _mine_weight(view, piece, touched, mined)
            * (_STAYS_AFTER_FIGHT if reads_moves and piece.fights else 1.0)
            if _may(Rank.MINE, among)
            else 0.0
            for piece, among in zip(hidden, ranks, strict=True)
        ],
    )
    likely_hq = _share(
        left[Rank.HEADQUARTERS],
        [
            _headquarters_weight(view, piece, mines, touched, homes)
            if _may(Rank.HEADQUARTERS, among)
            else 0.0
            for piece, among in zip(hidden, ranks, strict=True)
        ],
    )
    likelier = _moved_first(view) if reads_moves else {}
    made: dict[tuple[float, float, tuple[Rank, ...]], Belief] = {}
    found: dict[Square, Belief] = {}
    for piece, mine, headquarters, among in zip(hidden, likely_mine, likely_hq, ranks, strict=True):
        key = (min(mine, 1 - headquarters), headquarters, among)
        if key not in made:
            quiet = Rank.MINE not in among and Rank.CORPORAL in among
            weights = {r: n * likelier.get(r, 1.0) for r, n in left.items()} if quiet else left
            made[key] = _certain(among[0]) if len(among) == 1 else _mixed(weights, *key)
        found[piece.square] = made[key]
    return found


def _moved_first(view: View) -> Mapping[Rank, float]:
    """Return how much likelier these ranks are for a piece that moved and has not fought."""
    enemy = ENEMY[view.seat]
    lost = view.lost[enemy] / sum(ARMIES[view.board.size].values())
    sapper = next(likelier for until, likelier in _SAPPER_MOVED if lost <= until)
    return {Rank.SPY: _SPY_MOVED, Rank.SAPPER: sapper}


def _may(rank: Rank, among: Sequence[Rank]) -> bool:
    """Return whether one of these pieces, whose rank is not certain, may have that rank."""
    return rank in among and len(among) > 1


def _share(total: int, weights: Sequence[float]) -> list[float]:
    """Give out `total` pieces by weight; a guess makes nothing certain."""
    whole = sum(weights)
    return [min(_SUREST, total * weight / whole) if whole else 0.0 for weight in weights]


def _row(view: View, square: Square) -> int:
    """Count rows from the enemy's front: 0 is his front row, 2 his back row."""
    rows = BOARDS[view.board.size].home_rows(ENEMY[view.seat])
    return rows.index(rank_of(square))


def _touched(view: View) -> set[Square]:
    """Return the squares beside the seat's own pieces."""
    beside = BOARDS[view.board.size].beside
    own = (piece.square for piece in view.pieces if piece.side == view.seat)
    return {near for square in own for near in beside[square]}


def _staying(piece: SeenPiece, touched: set[Square]) -> float:
    return _STAYS_IN_CONTACT if piece.square in touched else 1.0


def _mine_weight(
    view: View, piece: SeenPiece, touched: set[Square], mined: Mapping[Square, float]
) -> float:
    guess = _MINE_BY_ROW[_row(view, piece.square)] * _GUESSED
    return (mined[piece.square] + guess) * _staying(piece, touched)


def _headquarters_weight(
    view: View,
    piece: SeenPiece,
    mines: set[Square],
    touched: set[Square],
    homes: Mapping[Square, float],
) -> float:
    """Weigh how likely a piece is the Headquarters: people put Mines around it."""
    near = sum(square in mines for square in BOARDS[view.board.size].beside[piece.square])
    guess = _HEADQUARTERS_BY_ROW[_row(view, piece.square)] * _NEAR_A_MINE**near * _GUESSED
    return (homes[piece.square] + guess) * _staying(piece, touched)


def _mixed(
    left: Mapping[Rank, float], mine: float, headquarters: float, among: Sequence[Rank]
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
