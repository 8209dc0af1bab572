"""Pairs of Espionage's states that one seat cannot tell apart (rules 4.4, 5.3).

Every game has such a module; `tests/test_secrecy.py` says what it is for. It has `pairs`, `sheet`,
`same_orders`, `told`, `disguised`, `untold` and `canaries`.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Seat, Setting
from adjudicator.core.visible import plain
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.computers.drawn import random_steps
from adjudicator.games.espionage.orders.values import Move, Order, Rows
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.movement import steps_due
from adjudicator.games.espionage.rules.pieces import (
    ARMIES,
    ENEMY,
    IMMOBILE,
    LETTERS,
    SIDES,
    Piece,
    Rank,
)
from adjudicator.games.espionage.rules.state import Event, Reveal, SetUp, State, Stepped
from adjudicator.games.espionage.rules.turns import ground
from tests.games.one_turn import play_turn
from tests.games.playouts import computer_order, garble, playout, setting_of
from tests.games.twin_states import Twins


def pairs() -> st.SearchStrategy[Twins]:
    """Make twins from positions of random matches, and of matches that have just begun."""
    seeds, seats = st.integers(0, 2**32), st.sampled_from(SIDES)
    lengths = st.integers(2, 60) | st.integers(60, 300)
    return st.builds(_in_play, seeds, seats, lengths) | st.builds(_just_set_up, seeds, seats)


def _in_play(seed: int, seat: Seat, length: int) -> Twins:
    rng = Random(seed)
    first = next(playout(ESPIONAGE, rng, 1))
    left, options = first.after, first.setting.options
    for ply in playout(ESPIONAGE, rng, length):
        if ply.after.outcome is None:  # at the end everything is revealed
            left, options = ply.after, ply.setting.options
    return Twins(seat, left, twin_of(left, seat, rng), options)


def twin_of(state: State, seat: Seat, rng: Random) -> State:
    """Return another truth behind the same view.

    The enemy's hidden ranks change places, and a piece that has moved stays mobile; what the enemy
    knows, and his set-up, are others. The order in which the state happens to list its pieces tells
    nothing either.
    """
    pieces = dict(state.pieces)
    hidden = [
        square
        for square, piece in pieces.items()
        if piece.side == ENEMY[seat] and piece.known_since is None
    ]
    for square, rank in _dealt(pieces, hidden, rng).items():
        pieces[square] = replace(pieces[square], rank=rank)
    if not state.settings.unmask_notice and not state.settings.rules.open_ranks:
        pieces = {
            square: _known_otherwise(piece, state.turn, rng) if piece.side == seat else piece
            for square, piece in pieces.items()
        }
    squares = list(pieces)
    rng.shuffle(squares)
    return replace(
        state,
        pieces={square: pieces[square] for square in squares},
        setups={**state.setups, ENEMY[seat]: _shuffled(state.setups[ENEMY[seat]], rng)},
    )


def _dealt(
    pieces: Mapping[Square, Piece], hidden: Sequence[Square], rng: Random
) -> dict[Square, Rank]:
    ranks = [pieces[square].rank for square in hidden]
    rng.shuffle(ranks)
    mobile = [rank for rank in ranks if rank not in IMMOBILE]
    dealt = {square: mobile.pop() for square in hidden if pieces[square].moved}
    rest = [*mobile, *(rank for rank in ranks if rank in IMMOBILE)]
    rng.shuffle(rest)
    return dealt | {square: rest.pop() for square in hidden if square not in dealt}


def _known_otherwise(piece: Piece, turn: int, rng: Random) -> Piece:
    return replace(piece, known_since=rng.choice([None, rng.randint(1, turn), piece.known_since]))


def _shuffled(rows: str, rng: Random) -> str:
    letters = list(rows.replace("/", ""))
    rng.shuffle(letters)
    size = len(letters) // 3
    return "/".join("".join(letters[i : i + size]) for i in range(0, len(letters), size))


def _just_set_up(seed: int, seat: Seat) -> Twins:
    """Make twins that differ in how the enemy has placed his army."""
    rng = Random(seed)
    setting = setting_of(ESPIONAGE, rng)
    if setting.variant == "open-fast":
        setting = Setting("fast", setting.options, setting.seats)
    chance = Chance(rng.randbytes(32), "twins", label=LABEL)
    start = ESPIONAGE.rules.set_up(setting, chance)
    own = _army(start, rng)
    left, right = (
        play_turn(ESPIONAGE, start, {seat: (own,), ENEMY[seat]: (_army(start, rng),)}, chance)[1]
        for _ in range(2)
    )
    return Twins(seat, left, right, setting.options)


def _army(state: State, rng: Random) -> Rows:
    size = state.settings.board.size
    letters = [LETTERS[rank] for rank, n in ARMIES[size].items() for _ in range(n)]
    rng.shuffle(letters)
    return Rows(tuple("".join(letters[i : i + size]) for i in range(0, 3 * size, size)))


def sheet(state: State, seat: Seat, rng: Random) -> str:
    """Return what the seat might send: a good order, a garbled one, or steps from anywhere to
    anywhere.

    Such steps are how a player would feel for hidden things.
    """
    squares = [*state.pieces, *state.settings.board.squares]
    if seat != state.to_move or rng.random() < 0.6:
        steps = []
        for _ in range(rng.randint(0, 3)):
            start = rng.choice(squares)
            near = [*state.settings.board.beside[start], rng.choice(squares)]
            name = rng.choice(["", "", rng.choice(list(Rank)), rng.choice("12345SPMHx")])
            steps.append(f"{name} {start}-{rng.choice(near)}")
        return "\n".join(steps)
    order = computer_order(
        ESPIONAGE, state, seat, Chance(rng.randbytes(32), "twins", label=LABEL), 0
    )
    text = "\n".join(map(ESPIONAGE.orders.canonical, order))
    return text if rng.random() < 0.3 else garble(text, rng)


def same_orders(twins: Twins, rng: Random) -> Mapping[Seat, Sequence[Order]] | None:
    """Return orders for the next turn that are legal in both twins; None if there are none."""
    mover = twins.left.to_move
    if mover is None or twins.right.to_move != mover:
        return None
    left, right = (ground(state, mover) for state in (twins.left, twins.right))
    pieces_moved = twins.left.settings.rules.pieces_moved
    due = steps_due(left, pieces_moved)
    both = replace(
        left, own={square: may and right.own[square] for square, may in left.own.items()}
    )
    stream = Chance(rng.randbytes(32), "twins", label=LABEL).private(mover, "same")
    steps = random_steps(both, pieces_moved, stream)
    if steps_due(right, pieces_moved) != due or len(steps) != due:
        return None
    return {mover: tuple(Move(step.start, step.target) for step in steps)}


def told(events: Sequence[Event], seat: Seat) -> Any:
    """Return the seat's news. They name squares; the ranks there are news too."""
    steps = [event for event in events if isinstance(event, Stepped)]
    ranks = [reveal.rank for event in steps for reveal in event.revealed if reveal.side != seat]
    return plain([[ESPIONAGE.sight.witness(event, seat) for event in steps], ranks])


def disguised(event: Event, seat: Seat, rng: Random) -> Event:
    """Return the event as it might have been for all that `seat` may learn of it.

    The enemy has another set-up, other ranks that were not told, and knows other own pieces.
    """
    match event:
        case SetUp(side=side, rows=rows) if side != seat:
            return replace(event, rows=_shuffled(rows, rng), drawn=not event.drawn)
        case Stepped(side=side):
            own = tuple(reveal for reveal in event.revealed if reveal.side == seat)
            theirs = tuple(reveal for reveal in event.revealed if reveal.side != seat)
            enemy, strange = side != seat, rng.choice(list(Rank))
            return replace(
                event,
                rank=strange if enemy and not event.rank_told else event.rank,
                met=strange if event.met and not enemy and not event.met_told else event.met,
                rank_told=event.rank_told if enemy else not event.rank_told,
                met_told=not event.met_told if enemy else event.met_told,
                revealed=theirs if own else (*theirs, Reveal(event.target, seat, strange)),
            )
        case _:
            return event


def untold(view: dict[str, Any]) -> dict[str, Any]:
    """Return a plain view without what a seat is told by no step.

    That is, with `unmask_notice`, the mark on a piece that the enemy has come to know (4.4).
    """
    pieces = [
        {key: value for key, value in piece.items() if key != "known_to_enemy"}
        for piece in view["pieces"]
    ]
    return {**view, "pieces": pieces}


def canaries(state: State, seat: Seat) -> tuple[State, Sequence[str]]:
    """Return the state with every secret from `seat` replaced by a word that is nowhere else."""
    marks: list[str] = []

    def mark() -> Any:
        marks.append(f"canary-{len(marks)}-")
        return marks[-1]

    enemy = ENEMY[seat]
    pieces = {
        square: replace(piece, rank=mark())
        if piece.side == enemy and piece.known_since is None
        else piece
        for square, piece in state.pieces.items()
    }
    setups = {enemy: mark(), seat: state.setups[seat]}
    return replace(state, pieces=pieces, setups=setups), marks
