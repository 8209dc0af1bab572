"""Rules that hold in every position of every match, tried on random matches.

What is expected is worked out here from the rule book and the events, not by the program's rules.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from msgspec.structs import replace

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Setting
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.rules.board import BOARDS, Stream, draw_volcanoes
from adjudicator.games.espionage.rules.movement import after, legal_steps, steps_due
from adjudicator.games.espionage.rules.pieces import (
    BLACK,
    ENEMY,
    SIDES,
    Rank,
)
from adjudicator.games.espionage.rules.state import (
    VARIANTS,
    Begun,
    State,
    Stepped,
    TurnPassed,
)
from adjudicator.games.espionage.rules.turns import apply, ground
from adjudicator.games.espionage.sight.observe import ground as seen_ground
from adjudicator.games.espionage.sight.observe import observe, pieces_moved
from tests.games.espionage.twins import pairs
from tests.games.playouts import Ply, playout
from tests.scale import examples, scaled

MATCHES = scaled(12)  # of each variant, options drawn
LONGEST = 500

Pair = tuple[str, str]

# Rules 1.2 and 1.3.
ARMY = {
    10: dict(zip("12345SPMH", (5, 4, 3, 2, 2, 5, 4, 4, 1), strict=True)),
    8: dict(zip("12345SPMH", (4, 3, 2, 2, 2, 4, 3, 3, 1), strict=True)),
}
LETTER = dict(zip(Rank, "12345SPMH", strict=True))


def beside(square: str, size: int, eight: bool = False) -> Iterator[str]:
    """Yield the squares one step away; with `eight` those aslant too."""
    file, rank = ord(square[0]) - ord("a"), int(square[1:])
    for df in (-1, 0, 1):
        for dr in (-1, 0, 1):
            straight = abs(df) + abs(dr) == 1
            if (straight or (eight and (df or dr))) and (
                0 <= file + df < size and 1 <= rank + dr <= size
            ):
                yield f"{chr(ord('a') + file + df)}{rank + dr}"


class Watch:
    """Follows one match from its events and keeps its own books."""

    def __init__(self) -> None:
        self.removed: Counter[tuple[str, str]] = Counter()
        self.left: dict[str, set[Pair]] = {side: set() for side in SIDES}
        self.known: dict[str, int] = {}
        self.quiet = 0
        self.fought = False

    def ply(self, ply: Ply) -> None:
        state = ply.before
        for event in ply.events:
            stands_after = ESPIONAGE.rules.apply(state, event)
            match event:
                case Stepped():
                    self._step(state, event)
                    self._board(stands_after)
                case TurnPassed():
                    self._pass(event, ply)
                case Begun():
                    self._board(stands_after)
            state = stands_after
        if ply.before.to_move:
            self._number(ply)
        self._end(ply)

    def _step(self, state: State, event: Stepped) -> None:
        size = state.settings.rules.size
        piece, met = state.pieces[event.start], state.pieces.get(event.target)
        assert piece.side == event.side == state.to_move
        assert piece.rank not in (Rank.MINE, Rank.HEADQUARTERS)  # 2.2
        assert event.target in set(beside(event.start, size))  # 2.2
        assert event.target not in state.volcanoes  # 2.2
        assert met is None or met.side == ENEMY[event.side]  # 2.2
        assert (event.start, event.target) not in self.left[event.side]  # 2.4
        assert (event.outcome == "moved") == (met is None)
        assert (event.rank, event.met) == (piece.rank, met and met.rank)
        if met:
            self._fight(state, event)
            self.fought = True
            loser = met if event.outcome == "won" else piece
            self.removed[loser.side, LETTER[loser.rank]] += 1
        known = self.known.pop(event.start, None)
        if event.outcome != "lost":
            self.known.pop(event.target, None)
            if known is not None:
                self.known[event.target] = known
        for reveal in event.revealed:
            assert reveal.square not in self.known  # 4.2: it is learned once
            self.known[reveal.square] = event.turn
        assert list(event.revealed) == sorted(
            event.revealed, key=lambda r: (r.square[0], int(r.square[1:]))
        )

    def _fight(self, state: State, event: Stepped) -> None:
        """Check who is told which rank (rule 3.4). A winner that a Spy now sees is known as well;
        the last fight, for the Headquarters, hides nothing (5.4)."""
        fights, won = state.settings.fights, event.outcome == "won"
        piece, met = state.pieces[event.start], state.pieces[event.target]
        seen = won and event.target in {reveal.square for reveal in event.revealed}
        both = fights == "both" or event.met == Rank.HEADQUARTERS
        assert event.rank_told == (
            piece.known_since is not None or seen or both or (fights == "captured" and not won)
        )
        assert event.met_told == (
            met.known_since is not None or both or (fights == "captured" and won)
        )

    def _board(self, state: State) -> None:
        size = state.settings.rules.size
        for side in SIDES:
            army = Counter(LETTER[p.rank] for p in state.pieces.values() if p.side == side)
            gone = Counter({let: n for (s, let), n in self.removed.items() if s == side})
            assert army + gone == ARMY[size]  # conservation
            assert state.lost[side] == gone.total()
        assert not set(state.pieces) & set(state.volcanoes)
        for square, piece in state.pieces.items():
            if piece.rank in (Rank.MINE, Rank.HEADQUARTERS):
                assert not piece.moved
            if piece.rank is Rank.SPY:
                for near in beside(square, size, eight=True):
                    other = state.pieces.get(near)
                    if other and other.side != piece.side:
                        assert other.known_since is not None  # 4.1
        known = {sq: p.known_since for sq, p in state.pieces.items() if p.known_since is not None}
        if state.settings.rules.open_ranks:
            assert known == dict.fromkeys(state.pieces, 1)
        else:
            assert known == self.known  # 4.2: for ever and since the same turn

    def _pass(self, event: TurnPassed, ply: Ply) -> None:
        steps = [e for e in ply.events if isinstance(e, Stepped)]
        self.left[event.side] = {(e.target, e.start) for e in steps if e.outcome != "lost"}
        assert set(map(str, event.barred)) == {"-".join(pair) for pair in self.left[event.side]}
        if event.side == BLACK:
            self.quiet = 0 if self.fought else self.quiet + 1
            self.fought = False
        elif self.fought:
            self.quiet = 0
        assert event.quiet == self.quiet  # 6.3
        assert event.turn == ply.before.turn + (event.side == BLACK)  # 2.1

    def _number(self, ply: Ply) -> None:
        """Check the number of steps (rule 2.6) by trying every pair."""
        side = ply.before.to_move
        steps = [event for event in ply.events if isinstance(event, Stepped)]
        (orders,) = ply.orders.values()
        made, given = len(steps), len(orders)
        assert made == given or (made == 1 and steps[0].met is Rank.HEADQUARTERS)  # 2.7
        two = ply.before.settings.rules.pieces_moved == 2
        due = 2 if two and _pair_exists(ply.before, side, self.bars(ply)) else 1
        assert given == due

    def bars(self, ply: Ply) -> set[Pair]:
        side = ply.before.to_move
        return {(step.start, step.target) for step in ply.before.barred.get(side, ())}

    def _end(self, ply: Ply) -> None:
        after_ = ply.after
        mover = ENEMY[ply.before.to_move] if ply.before.to_move else SIDES[0]
        reason = after_.outcome and after_.outcome.reason
        if reason == "headquarters":
            return
        can_move = bool(_steps(after_, mover, self.left[mover]))
        assert can_move == (reason != "no-legal-move")  # 6.2, at once
        limit = after_.settings.no_progress
        if can_move:
            assert (reason == "no-progress") == bool(limit and self.quiet >= limit)  # 6.3
        assert reason in (None, "no-legal-move", "no-progress")


def _steps(state: State, side: str, bars: set[Pair]) -> list[Pair]:
    return [
        (start, target)
        for start, piece in state.pieces.items()
        if piece.side == side and piece.rank not in (Rank.MINE, Rank.HEADQUARTERS)
        for target in beside(start, state.settings.rules.size)
        if target not in state.volcanoes
        and (target not in state.pieces or state.pieces[target].side != side)
        and (start, target) not in bars
    ]


def _pair_exists(state: State, side: str, bars: set[Pair]) -> bool:
    """Rule 2.5: the second step is judged as if the first piece stood on its target."""
    firsts = _steps(state, side, bars)
    if len({start for start, _ in firsts}) > 1:
        for first in firsts:
            for second in firsts:
                if second[0] != first[0] and second[1] != first[1]:
                    return True
    for start, _ in firsts:  # or a piece steps where the first one stood
        for near in beside(start, state.settings.rules.size):
            piece = state.pieces.get(near)
            mobile = piece and piece.rank not in (Rank.MINE, Rank.HEADQUARTERS)
            if piece and mobile and piece.side == side and (near, start) not in bars:
                return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_random_matches_keep_the_rules(variant: str):
    ends: Counter[str] = Counter()
    for seed in range(MATCHES):
        watch = Watch()
        for ply in playout(ESPIONAGE, Random(f"{variant} {seed}"), LONGEST, variant):
            watch.ply(ply)
        ends[ply.after.outcome.reason if ply.after.outcome else "unfinished"] += 1
    assert ends["headquarters"] + ends["no-progress"] + ends["no-legal-move"]


@pytest.mark.slow
@pytest.mark.parametrize("size", BOARDS)
def test_volcanoes_lie_as_the_rules_say(size: int):
    board, placements = BOARDS[size], Counter[tuple[str, ...]]()
    draws = scaled(2000)
    for seed in range(draws):
        volcanoes = draw_volcanoes(board, Stream(seed.to_bytes(4), "volcanoes"))
        placements[volcanoes] += 1
        assert len(set(volcanoes)) == len(volcanoes) == (4 if size == 10 else 2)
        assert {int(square[1:]) for square in volcanoes} <= {size // 2, size // 2 + 1}
        assert {_half_turn(square, size) for square in volcanoes} == set(volcanoes)
        assert list(volcanoes) == sorted(volcanoes, key=lambda sq: (sq[0], int(sq[1:])))
        assert _connected(set(board.squares) - set(volcanoes), size)
    every = 45 if size == 10 else 8  # two pairs of ten, one of eight
    assert len(placements) == every
    assert all(abs(n - draws / every) < 7 * (draws / every) ** 0.5 for n in placements.values())


def _half_turn(square: str, size: int) -> str:
    return f"{chr(2 * ord('a') + size - 1 - ord(square[0]))}{size + 1 - int(square[1:])}"


def _connected(squares: set[str], size: int) -> bool:
    reached, border = set(), {"a1"}
    while border:
        reached |= border
        border = {n for sq in border for n in beside(sq, size)} & squares - reached
    return reached == squares


def test_a_match_begins_with_the_volcanoes_that_the_public_chain_draws():
    chance = Chance(bytes(32), "m", label=LABEL)
    setting = Setting("standard", {k: o.default for k, o in ESPIONAGE.options.items()}, SIDES)
    state = ESPIONAGE.rules.set_up(setting, chance)
    assert state.volcanoes == draw_volcanoes(BOARDS[10], chance.public("X", 1))
    assert (state.pieces, state.turn, state.to_move) == ({}, 0, None)
    assert ESPIONAGE.rules.awaiting(state) == set(SIDES)


@pytest.mark.slow
@given(pairs())
@examples(100)
def test_what_is_legal_never_depends_on_hidden_ranks(twins):
    """Rule 2.5, for first and second steps: the truth and the seat's view agree, in both twins."""
    seat = twins.seat
    ways = []
    for here in (
        ground(twins.left, seat),
        ground(twins.right, seat),
        seen_ground(observe(twins.left, seat)),
    ):
        firsts = set(legal_steps(here))
        ways.append(
            (
                {first: frozenset(legal_steps(after(here, first))) for first in firsts},
                steps_due(here, pieces_moved(observe(twins.left, seat))),
            )
        )
    assert ways[0] == ways[1] == ways[2]


def test_the_position_does_not_hang_on_what_was_told_of_a_fight():
    """A log that was written while the rules told less is verified all the same."""
    fights = 0
    for ply in playout(ESPIONAGE, Random(7), 200, "small"):
        state = ply.before
        for event in ply.events:
            after_ = apply(state, event)
            if isinstance(event, Stepped) and event.met:
                fights += 1
                otherwise = replace(
                    event, rank_told=not event.rank_told, met_told=not event.met_told
                )
                assert apply(state, otherwise) == after_
            state = after_
    assert fights


@pytest.mark.slow
@given(pairs())
@examples(100)
def test_the_list_of_legal_steps_is_that_of_the_rule_book(twins):
    state, seat = twins.left, twins.seat
    bars = {(step.start, step.target) for step in state.barred.get(seat, ())}
    legal = [(step.start, step.target) for step in legal_steps(ground(state, seat))]
    assert sorted(legal) == sorted(_steps(state, seat, bars))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_set_up_drawn_by_lot_is_the_army_on_the_own_home_rows(variant: str):
    size = VARIANTS[variant].size
    seen = set()
    for seed in range(scaled(20)):
        ply = next(playout(ESPIONAGE, Random(seed), 1, variant))
        homes = {"white": {1, 2, 3}, "black": {size - 2, size - 1, size}}
        for side in SIDES:
            squares = [sq for sq, piece in ply.after.pieces.items() if piece.side == side]
            assert len(squares) == 3 * size
            assert {int(sq[1:]) for sq in squares} == homes[side]
            seen.add(ply.after.setups[side].replace("/", ""))
        rows = [ply.after.setups[side].replace("/", "") for side in SIDES]
        assert rows[0] not in (rows[1], rows[1][::-1])  # each side has a draw of its own
    assert len(seen) == 2 * scaled(20)
