"""Weigh what a step is worth to the computer: the fight, what it learns, the way on, the danger."""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import log2
from typing import TypeAlias

from adjudicator.games.espionage.computers.beliefs import VALUES, beliefs
from adjudicator.games.espionage.computers.roads import FAR, distances
from adjudicator.games.espionage.rules.board import Square, rank_of, steps_between
from adjudicator.games.espionage.rules.pieces import IMMOBILE, Rank
from adjudicator.games.espionage.rules.state import VARIANTS, Step
from adjudicator.games.espionage.sight.observe import View, ground, pieces_moved

# An enemy one, two or three steps from the own Headquarters must go.
_INTRUDER = (0.0, 200.0, 60.0, 25.0)
# Its guards do not leave it for little, and for less while an enemy is near.
_KEEP_GUARD, _KEEP_GUARD_BESIEGED = 12.0, 30.0
# From how many steps an enemy is reckoned with there, and how likely he can move at all.
_SIEGE_FROM, _MAY_COME = 4, 0.3
# Who has not moved may be a Mine or the Headquarters to the enemy; by row, the front row first.
_STAYS_DARK = (0.0, 2.0, 3.0)
# A Mine beside the enemy's Headquarters is the door to it (rule 3.3).
_DOOR = 150.0

# What a Spy's look at one hidden piece is worth (rule 4.1).
_LOOK = 2.0
_LOOK_MINE = 6.0
_LOOK_HEADQUARTERS = 60.0

# How near the next goal is, as value: the last steps count most, so that attacks come together.
_NEARNESS = tuple(50 * 0.87**distance for distance in range(FAR + 1))

# How much of what could be taken back lessens a danger.
_RETURN, _MOST_BACK = 0.4, 40.0
# An enemy who does not know whom he meets does not attack whenever it would pay.
_EAGERNESS_HIDDEN, _EAGERNESS_OPEN = 0.6, 0.95

# Computers grow bold with time, so that their matches end: how much a loss counts against an equal
# gain at each turn. Where an order moves one piece, a bold one takes twice as many turns.
Temper: TypeAlias = Sequence[tuple[int, float]]
CAREFUL: Temper = ((0, 1.0), (40, 1.0), (140, 0.5), (300, 0.1), (10**9, 0.1))
# A standard match takes longer than others, and a small one is lost to `computer:easy` by a player
# who is as bold in it.
BOLD: Temper = ((0, 0.7), (30, 0.3), (60, 0.1), (10**9, 0.1))
BOLDER: Temper = ((0, 0.5), (20, 0.2), (40, 0.05), (10**9, 0.05))


def caution(turn: float, temper: Temper) -> float:
    """Return how much an own loss counts against an equal gain."""
    for (since, before), (until, then) in pairwise(temper):
        if turn < until:
            return before + (then - before) * (turn - since) / (until - since)
    return temper[-1][1]


class Situation:
    """A view with what follows from it, each part worked out once and only when asked for."""

    def __init__(self, view: View, temper: Temper = CAREFUL, *, reads_moves: bool = False) -> None:
        self.ground = ground(view)
        self.board = self.ground.board
        self.own: Mapping[Square, Rank] = {
            piece.square: piece.rank
            for piece in view.pieces
            if piece.side == view.seat and piece.rank
        }
        self.foes = beliefs(view, reads_moves=reads_moves)
        turns = view.turn * pieces_moved(view) / 2 if temper is BOLD else view.turn
        self.caution = caution(turns, temper)
        dark = dict(zip(self.board.home_rows(view.seat), _STAYS_DARK, strict=True))
        # What it costs to tell that the piece on a square can move.
        self.disclosed: Mapping[Square, float] = {
            piece.square: dark.get(rank_of(piece.square), 0.0)
            for piece in view.pieces
            if piece.side == view.seat and not piece.moved
        }
        open_ranks = VARIANTS[view.variant].open_ranks
        self.eagerness = _EAGERNESS_OPEN if open_ranks else _EAGERNESS_HIDDEN
        self.home = next(s for s, rank in self.own.items() if rank is Rank.HEADQUARTERS)
        self._roads: dict[Rank, Mapping[Square, int]] = {}

    @cached_property
    def bonus(self) -> Mapping[Square, float]:
        """Return what taking an enemy is worth beyond the piece itself, because of where it
        stands."""
        return {
            square: foe.mobile * self._intrusion(square) + foe.mine * self._door(square)
            for square, foe in self.foes.items()
        }

    def _intrusion(self, square: Square) -> float:
        distance = steps_between(square, self.home)
        return _INTRUDER[distance] if distance < len(_INTRUDER) else 0.0

    def _door(self, square: Square) -> float:
        near = (self.foes.get(s) for s in self.board.beside[square])
        return _DOOR * sum(foe.headquarters for foe in near if foe)

    @cached_property
    def besieged(self) -> bool:
        """Return whether an enemy that may move is so near that the guards had better stay."""
        return any(foe.mobile and self._intrusion(square) for square, foe in self.foes.items())

    @cached_property
    def besiegers(self) -> Collection[Square]:
        """Return where enemies that may move are so near the own Headquarters that who goes where
        is weighed for it."""
        near = (s for s, foe in self.foes.items() if foe.mobile > _MAY_COME)
        return [square for square in near if steps_between(square, self.home) <= _SIEGE_FROM]

    @cached_property
    def looks(self) -> Mapping[Square, float]:
        """Return what a Spy would learn on each square (rule 4.1)."""
        worth: dict[Square, float] = {}
        for square, foe in self.foes.items():
            if not foe.known:
                look = _LOOK + _LOOK_MINE * foe.mine + _LOOK_HEADQUARTERS * foe.headquarters
                for near in self.board.around[square]:
                    worth[near] = worth.get(near, 0.0) + look
        return worth

    def attack(self, rank: Rank, target: Square) -> float:
        """Return what the exchange brings on average."""
        foe = self.foes[target]
        wins = foe.beats[rank]
        gained = foe.prize[rank] + wins * self.bonus[target]
        return gained - (1 - wins) * VALUES[rank] * self.caution

    def survives(self, step: Step) -> float:
        """Return how likely the piece that makes the step is not removed by it."""
        foe = self.foes.get(step.target)
        return foe.beats[self.own[step.start]] if foe else 1.0

    def danger(self, rank: Rank, square: Square, start: Square) -> float:
        """Return what it may cost in the enemy's next turn that the piece from `start` stands
        there, less what its fellows beside the square would take in return."""
        near = self.board.beside[square]
        foes = [self.foes[s] for s in near if s in self.foes]
        if not foes:
            return 0.0
        foe = max(foes, key=lambda foe: foe.threat[rank])
        fellows = (self.own[s] for s in near if s in self.own and s != start)
        back = max((foe.prize.get(fellow, 0.0) for fellow in fellows), default=0.0)
        loss = VALUES[rank] * self.caution - _RETURN * min(back, _MOST_BACK)
        return max(loss, 0.0) * foe.threat[rank] * self.eagerness

    def road(self, rank: Rank) -> Mapping[Square, int]:
        """Return how far each square is from what pieces of this rank should go to."""
        if rank not in self._roads:
            self._roads[rank] = distances(self._goals(rank), self._tolls(rank), self.board.beside)
        return self._roads[rank]

    def _goals(self, rank: Rank) -> Mapping[Square, int]:
        worths = {square: self.attack(rank, square) for square in self.foes}
        if rank is Rank.SPY:
            for square, look in self.looks.items():
                if square not in self.foes:
                    worths[square] = look
        return {square: _start(worth) for square, worth in worths.items() if worth > 0}

    def _tolls(self, rank: Rank) -> Mapping[Square, int]:
        tolls = dict.fromkeys(self.ground.volcanoes, FAR)
        for square, own in self.own.items():
            tolls[square] = FAR if own in IMMOBILE else 2
        for square, foe in self.foes.items():
            tolls[square] = 1 + round(8 * (1 - foe.beats[rank]))
        return tolls


def _start(worth: float) -> int:
    """Return the number from which a goal of this worth counts: one worth twice as much may lie
    about two steps further."""
    return max(0, round(16 - 1.7 * log2(1 + worth)))


def gain(here: Situation, step: Step) -> float:
    """Return what a step brings by itself in the values of pieces: a fight, the way on, a look."""
    rank = here.own[step.start]
    score, survives = -here.disclosed.get(step.start, 0.0), here.survives(step)
    if step.target in here.foes:
        score += here.attack(rank, step.target)
    else:
        score += _progress(here, rank, step)
    if rank is Rank.SPY:
        score += survives * here.looks.get(step.target, 0.0)
    if step.start in here.board.beside[here.home]:
        score -= _KEEP_GUARD + here.besieged * _KEEP_GUARD_BESIEGED
    return score


def relief(here: Situation, step: Step) -> float:
    """Return how much less danger the piece is in after the step than before."""
    rank = here.own[step.start]
    then = here.survives(step) * here.danger(rank, step.target, step.start)
    return here.danger(rank, step.start, step.start) - then


def _progress(here: Situation, rank: Rank, step: Step) -> float:
    road = here.road(rank)
    return _NEARNESS[road.get(step.target, FAR)] - _NEARNESS[road.get(step.start, FAR)]
