"""Adjudicate orders: `adjudicate` tells the facts that follow from them, `apply` makes them so."""

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.match import Outcome, Seat, Setting, changeable
from adjudicator.games.espionage.orders.values import (
    AutoSetUp,
    Move,
    Order,
    Places,
    RandomSetUp,
    Rows,
)
from adjudicator.games.espionage.rules.armies import sensible_army
from adjudicator.games.espionage.rules.board import Square, draw_volcanoes, in_order
from adjudicator.games.espionage.rules.movement import Ground, bar, can_step, roads
from adjudicator.games.espionage.rules.pieces import (
    BLACK,
    ENEMY,
    HEADQUARTERS,
    IMMOBILE,
    SIDES,
    SPY,
    WHITE,
    Piece,
    wins,
)
from adjudicator.games.espionage.rules.setup import (
    army_on,
    record_rows,
    rows_of_places,
    shuffled_rows,
)
from adjudicator.games.espionage.rules.state import (
    Begun,
    Ended,
    Event,
    Ordered,
    Reveal,
    Settings,
    SetUp,
    State,
    Step,
    Stepped,
    TurnPassed,
)


def set_up(setting: Setting, chance: Chance) -> State:
    """Return the empty board with its volcanoes, which both players see before they place (1.5)."""
    settings = Settings(
        variant=setting.variant,
        fights=setting.options["fights"],  # type: ignore[arg-type]  # one of Option.values
        unmask_notice=setting.options["unmask_notice"] == "true",
        no_progress=int(setting.options["no_progress"]),
    )
    return State(settings, volcanoes=draw_volcanoes(settings.board, chance.public("X", 1)))


def awaiting(state: State) -> frozenset[Seat]:
    """Return the seats whose orders the next turn waits for; none when the match is over."""
    if state.outcome:
        return frozenset()
    return frozenset({state.to_move}) if state.to_move else frozenset(SIDES)


def adjudicate(
    state: State, orders: Mapping[Seat, Sequence[Order]], chance: Chance
) -> Iterator[Event]:
    """Return the facts that follow from the orders of every awaited seat, in the order in which
    they happen."""
    side = state.to_move
    if side is None:
        return _deploy(state, orders, chance)
    steps = [Step(move.start, move.target) for move in orders[side] if isinstance(move, Move)]
    return _march(state, side, steps)


def leave(state: State, seats: Sequence[Seat], reason: str) -> Iterator[Event]:
    """Let seats give up or be forfeited (6.3); with nobody left the match is cancelled (1.4)."""
    left = [side for side in SIDES if side not in seats]
    yield _won(left[0], reason) if left else _nobody("cancelled")


def close(state: State, reason: str) -> Iterator[Event]:
    """End the match without a winner, by `agreement` or as `cancelled`."""
    yield _nobody(reason)


def _won(side: Seat, reason: str) -> Ended:
    return Ended(Outcome(winner=side, winners=(side,), reason=reason))


def _nobody(reason: str) -> Ended:
    return Ended(Outcome(winner=None, winners=(), reason=reason))


def _deploy(
    state: State, orders: Mapping[Seat, Sequence[Order]], chance: Chance
) -> Iterator[Event]:
    for side in SIDES:
        event = _set_up(state, side, orders[side][0], chance)
        yield event
        state = apply(state, event)
    yield Begun()
    yield from _after_turn(state, BLACK, quiet=0)


def _set_up(state: State, side: Seat, order: Order, chance: Chance) -> SetUp:
    board = state.settings.board
    match order:
        case Rows(rows):
            return SetUp(side, record_rows(side, "".join(rows), board))
        case Places(places):
            return SetUp(side, rows_of_places(side, places, board))
        case RandomSetUp():
            # Drawn only now and from the private stream, so that nobody can foresee it (1.4).
            drawn = shuffled_rows(side, board, chance.private(side, "setup"))
            return SetUp(side, drawn, drawn=True)
        case AutoSetUp():
            rows = sensible_army(board.size, chance.private(side, "army"))
            return SetUp(side, record_rows(side, "".join(rows), board), drawn=True)
        case Move():
            raise ValueError("a step was given for the set-up")
        case _:
            assert_never(order)


def _march(state: State, side: Seat, steps: Sequence[Step]) -> Iterator[Event]:
    yield Ordered(side, state.turn, tuple(steps))
    pieces = changeable(state.pieces)
    state = replace(state, pieces=pieces)  # nobody else has it, so its pieces may be moved
    barred: list[Step] = []
    fought = state.fought
    for number, step in enumerate(steps, start=1):
        event = _step(state, number, step)
        yield event
        if event.met is HEADQUARTERS:
            yield _won(side, "headquarters")  # rule 6.1; a second step is not made (2.7)
            return
        _move(pieces, event)
        fought = fought or event.met is not None
        if event.outcome != "lost":
            barred.append(Step(step.target, step.start))  # rule 2.4
    passed = _pass_turn(state, side, tuple(barred), fought)
    yield passed
    yield from _after_turn(state, side, passed.quiet)


def _pass_turn(state: State, side: Seat, barred: tuple[Step, ...], fought: bool) -> TurnPassed:
    """A full turn is White's order and then Black's (2.1); it is quiet when neither fought."""
    full = side == BLACK
    quiet = 0 if fought else state.quiet + full
    return TurnPassed(
        side=side,
        to_move=ENEMY[side],
        turn=state.turn + full,
        barred=barred,
        quiet=quiet,
        fought=fought and not full,
    )


def _after_turn(state: State, side: Seat, quiet: int) -> Iterator[Event]:
    """Say how the match ends, if it does, as the turn passes from `side` (6.2 before 6.3)."""
    limit = state.settings.no_progress
    if not can_step(ground(state, ENEMY[side])):
        yield _won(side, "no-legal-move")
    elif limit and quiet >= limit:
        yield _nobody("no-progress")


def _step(state: State, number: int, step: Step) -> Stepped:
    """Tell what happens when the piece on `step.start` steps: the fight, then what Spies see."""
    piece, met = state.pieces[step.start], state.pieces.get(step.target)
    won = met is None or wins(piece.rank, met.rank)
    reveals = _unmasked(state, step.target, piece) if won else {}
    fights = state.settings.fights
    told = fights == "both"
    if met is not None:
        reveals |= _told_by_fight(state, step.target, piece, met, won)
        # Taking the Headquarters ends the match, and then nothing is hidden (5.4).
        told = told or met.rank is HEADQUARTERS
    known = piece.known_since is not None or (won and step.target in reveals)
    return Stepped(
        side=piece.side,
        turn=state.turn,
        step=number,
        start=step.start,
        target=step.target,
        rank=piece.rank,
        rank_told=known or told or (fights == "captured" and not won),
        outcome="moved" if met is None else "won" if won else "lost",
        met=None if met is None else met.rank,
        met_told=met is not None
        and (met.known_since is not None or told or (fights == "captured" and won)),
        revealed=_sorted(reveals),
    )


def _told_by_fight(
    state: State, square: Square, piece: Piece, met: Piece, won: bool
) -> dict[Square, Reveal]:
    """Say what a fight tells: with `fights = "both"` its survivor stays visible (3.4)."""
    if state.settings.fights != "both":
        return {}
    survivor = piece if won else met
    if survivor.known_since is not None:
        return {}
    return {square: Reveal(square, survivor.side, survivor.rank)}


def _unmasked(state: State, square: Square, piece: Piece) -> dict[Square, Reveal]:
    """Return who becomes known when `piece` comes to stand on `square` (4.1-4.3).

    Only it can have new neighbours: who stood beside each other before was unmasked before (4.1).
    """
    pieces, side, reveals = state.pieces, piece.side, {}
    for near in state.settings.board.around[square]:
        other = pieces.get(near)
        if other is not None and other.side != side:
            if piece.rank is SPY and other.known_since is None:
                reveals[near] = Reveal(near, other.side, other.rank)
            if other.rank is SPY and piece.known_since is None:
                reveals[square] = Reveal(square, side, piece.rank)
    return reveals


def _sorted(reveals: Mapping[Square, Reveal]) -> tuple[Reveal, ...]:
    return tuple(reveals[square] for square in in_order(reveals)) if reveals else ()


def secrets(state: State) -> Mapping[Seat, str]:
    """Return by seat what the adjudicator commits to: the set-ups, once both stand (5.5)."""
    return state.setups


def ground(state: State, side: Seat) -> Ground:
    """Return the side's ground for its coming turn; it takes nothing from the state that the side
    cannot see."""
    board, volcanoes = state.settings.board, state.volcanoes
    barred = state.barred.get(side, ())
    steps = roads(board.size, volcanoes)
    own: dict[Square, Sequence[Step]] = {
        square: () if piece.rank in IMMOBILE else steps[square]
        for square, piece in state.pieces.items()
        if piece.side == side
    }
    bar(own, barred)
    return Ground(board, volcanoes, own, barred)


def apply(state: State, event: Event) -> State:
    """Return the state after one fact."""
    match event:
        case Stepped():
            return _stepped(state, event)
        case TurnPassed():
            return replace(
                state,
                to_move=event.to_move,
                turn=event.turn,
                barred={**state.barred, event.side: event.barred},
                quiet=event.quiet,
                fought=event.fought,
            )
        case Ordered():
            return state
        case SetUp(side, rows):
            rules = state.settings.rules
            known_since = 1 if rules.open_ranks else None
            army = army_on(side, rows, state.settings.board, known_since)
            return replace(
                state,
                pieces={**state.pieces, **army},
                setups={**state.setups, side: rows},
                lost={**state.lost, side: 0},
            )
        case Begun():
            return replace(state, turn=1, to_move=WHITE)
        case Ended(outcome):
            return replace(state, outcome=outcome, to_move=None)
        case _:
            assert_never(event)


def _stepped(state: State, event: Stepped) -> State:
    pieces, lost = changeable(state.pieces), state.lost
    _move(pieces, event)
    if event.outcome != "moved":
        loser = event.side if event.outcome == "lost" else ENEMY[event.side]
        lost = {**lost, loser: lost[loser] + 1}
    return replace(state, pieces=pieces, lost=lost)


def _move(pieces: dict[Square, Piece], event: Stepped) -> None:
    """Move and remove pieces as a step did, and note whose rank it told."""
    piece = pieces.pop(event.start)
    if event.outcome != "lost":
        pieces[event.target] = piece if piece.moved else replace(piece, moved=True)
    for reveal in event.revealed:
        pieces[reveal.square] = replace(pieces[reveal.square], known_since=event.turn)
