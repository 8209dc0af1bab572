"""Show a seat what it may know: `observe` builds its view, `witness` its news (rules section 5)."""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import UNSET, UnsetType

from adjudicator.core.match import Outcome, Seat
from adjudicator.core.visible import Visible
from adjudicator.games.espionage.rules.board import BOARDS, Square, in_order
from adjudicator.games.espionage.rules.movement import Ground, bar, roads
from adjudicator.games.espionage.rules.pieces import ENEMY, IMMOBILE, SIDES, Piece, Rank
from adjudicator.games.espionage.rules.state import (
    VARIANTS,
    Begun,
    Ended,
    Event,
    Ordered,
    SetUp,
    State,
    Step,
    Stepped,
    TurnPassed,
)


class SeenBoard(Visible, frozen=True, kw_only=True):
    size: int
    volcanoes: tuple[Square, ...]


class Fight(Visible, frozen=True, kw_only=True, rename={"role": "as"}):
    """A fight that an enemy piece won: which of the seat's own ranks it removed, and as what."""

    turn: int
    beat: Rank
    role: Literal["attacker", "defender"]


class SeenPiece(Visible, frozen=True, kw_only=True):
    """`known_to_enemy` is present only on own pieces and only with `unmask_notice` (4.4).

    `fights` (9.4) and `could_be` (9.5) are present only on enemy pieces of unknown rank, and where
    what the seat saw is remembered; `could_be` is None with `aids=off`. `mark` (9.1) is the seat's
    own, None if there is none; it stands beside a rank only if that is told by the end alone."""

    square: Square
    side: Seat
    rank: Rank | None
    moved: bool
    known_since: int | None
    known_to_enemy: bool | UnsetType = UNSET
    fights: tuple[Fight, ...] | UnsetType = UNSET
    could_be: tuple[Rank, ...] | UnsetType | None = UNSET
    mark: str | UnsetType | None = UNSET


class SeenStep(Visible, frozen=True, kw_only=True, rename={"start": "from", "target": "to"}):
    """A step as one seat learns of it; squares in `revealed` are those that this seat learned."""

    turn: int
    side: Seat
    step: int
    start: Square
    target: Square
    outcome: str
    attacker: Rank | None
    defender: Rank | None
    revealed: tuple[Square, ...]


class LostMark(Visible, frozen=True, kw_only=True):
    """A seat's own mark on an enemy piece that was removed: where and when, and what it was."""

    square: Square
    turn: int
    mark: str
    rank: Rank


class View(Visible, frozen=True, kw_only=True):
    """The match as one seat sees it now. `setups` are the rows as in a record's tags, None before
    the end. `lost_known` are the told ranks of removed enemies in the order in which they were
    removed (9.4), if what was seen is remembered. `marks_lost` are the seat's own marks on removed
    pieces, in the last report alone (9.3)."""

    variant: str
    phase: str
    seat: Seat
    turn: int
    to_move: Seat | None
    no_progress_left: int | None
    board: SeenBoard
    pieces: tuple[SeenPiece, ...]
    lost: Mapping[str, int]
    barred: tuple[Step, ...]
    setups: Mapping[str, str] | None
    result: Outcome | None
    lost_known: tuple[Rank, ...] | UnsetType = UNSET
    marks_lost: tuple[LostMark, ...] | UnsetType = UNSET


def phase(state: State) -> str:
    if state.outcome:
        return "over"
    return "play" if state.to_move else "setup"


def observe(state: State, seat: Seat) -> View:
    """Return what `seat` sees. When the match is over nothing is hidden (5.4)."""
    settings = state.settings
    over = state.outcome is not None
    return View(
        variant=settings.variant,
        phase=phase(state),
        seat=seat,
        turn=state.turn,
        to_move=state.to_move,
        no_progress_left=settings.no_progress - state.quiet if settings.no_progress else None,
        board=SeenBoard(size=settings.rules.size, volcanoes=state.volcanoes),
        pieces=tuple(
            _seen(square, state.pieces[square], seat, over, settings.unmask_notice)
            for square in in_order(state.pieces)
        ),
        lost={side: state.lost.get(side, 0) for side in SIDES},
        barred=() if over else _barred(state, seat),
        setups={side: state.setups[side] for side in SIDES} if over and state.setups else None,
        result=state.outcome,
    )


def _seen(square: Square, piece: Piece, seat: Seat, over: bool, notice: bool) -> SeenPiece:
    own, hostile = piece.side == seat, piece.side == ENEMY.get(seat)  # a spectator has neither
    known = own or over or (hostile and piece.known_since is not None)
    return SeenPiece(
        square=square,
        side=piece.side,
        rank=piece.rank if known else None,
        moved=piece.moved,
        known_since=piece.known_since if hostile else None,
        known_to_enemy=piece.known_since is not None if own and notice else UNSET,
    )


def _barred(state: State, seat: Seat) -> tuple[Step, ...]:
    """Return the seat's own barred steps (2.4), of pieces that still stand."""
    steps = {
        step.start: step
        for step in state.barred.get(seat, ())
        if step.start in state.pieces and state.pieces[step.start].side == seat
    }
    return tuple(steps[square] for square in in_order(steps))


def witness(event: Event, seat: Seat) -> SeenStep | None:
    """Return what `seat` learns of one fact. Only steps are news: the rest shows in the view."""
    match event:
        case Stepped(side=side):
            own, hostile = side == seat, side == ENEMY.get(seat)  # a spectator has neither
            return SeenStep(
                turn=event.turn,
                side=side,
                step=event.step,
                start=event.start,
                target=event.target,
                outcome=event.outcome,
                attacker=event.rank
                if event.met and (own or (hostile and event.rank_told))
                else None,
                defender=event.met if hostile or (own and event.met_told) else None,
                revealed=tuple(r.square for r in event.revealed if r.side == ENEMY.get(seat)),
            )
        case SetUp() | Begun() | Ordered() | TurnPassed() | Ended():
            return None


def ground(view: View) -> Ground:
    """Return the seat's ground for its legal steps, from what it sees."""
    volcanoes = view.board.volcanoes
    steps = roads(view.board.size, volcanoes)
    own: dict[Square, Sequence[Step]] = {
        piece.square: () if piece.rank in IMMOBILE else steps[piece.square]
        for piece in view.pieces
        if piece.side == view.seat
    }
    bar(own, view.barred)
    return Ground(BOARDS[view.board.size], volcanoes, own, view.barred)


def pieces_moved(view: View) -> int:
    """Return how many pieces an order of this variant moves if it can."""
    return VARIANTS[view.variant].pieces_moved
