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
    """The board, as everybody sees it."""

    size: int
    """Squares of a side."""
    volcanoes: tuple[Square, ...]
    """Their squares."""


class Fight(Visible, frozen=True, kw_only=True, rename={"role": "as"}):
    """A fight that an enemy piece won."""

    turn: int
    """When."""
    beat: Rank
    """Which of the seat's own ranks it removed."""
    role: Literal["attacker", "defender"]
    """As what it fought."""


class SeenPiece(Visible, frozen=True, kw_only=True):
    """A piece as one seat sees it. What follows from what the seat saw is there only where that is
    remembered."""

    square: Square
    """Where it stands."""
    side: Seat
    """Whose it is."""
    rank: Rank | None = None
    """Null where this seat does not know it."""
    moved: bool
    """Whether it has ever moved."""
    known_since: int | None = None
    """The turn since which this seat knows an enemy piece, or null."""
    known_to_enemy: bool | UnsetType = UNSET
    """Of own pieces, with `unmask_notice` (4.4)."""
    fights: tuple[Fight, ...] | UnsetType = UNSET
    """Of enemy pieces of unknown rank, in the order of the steps (9.4)."""
    could_be: tuple[Rank, ...] | UnsetType | None = UNSET
    """Of the same, the ranks that it can still be, in the order of rule 7.1 (9.5); null with
    `aids=off`."""
    mark: str | UnsetType | None = UNSET
    """The seat's own mark, or null (9.1). Beside a rank it stands only if that was told by the end
    alone."""


class SeenStep(Visible, frozen=True, kw_only=True, rename={"start": "from", "target": "to"}):
    """A step as one seat learns of it."""

    turn: int
    """The turn."""
    side: Seat
    """Whose step it was."""
    step: int
    """Which step of the turn."""
    start: Square
    """From where."""
    target: Square
    """To where."""
    outcome: str
    """`moved`, `won` or `lost`, from the attacker's side."""
    attacker: Rank | None
    """Its rank as far as this seat knows it."""
    defender: Rank | None
    """Its rank as far as this seat knows it."""
    revealed: tuple[Square, ...]
    """The squares whose rank this seat learned in that step."""


class LostMark(Visible, frozen=True, kw_only=True):
    """A seat's own mark on an enemy piece that was removed."""

    square: Square
    """Where the piece was removed."""
    turn: int
    """When."""
    mark: str
    """What the seat had marked."""
    rank: Rank
    """What it was."""


class View(Visible, frozen=True, kw_only=True):
    """The match as one seat sees it now."""

    variant: str
    """The variant."""
    phase: str
    """`setup`, `play` or `over`."""
    seat: Seat
    """The reader's seat."""
    turn: int
    """The turn; 0 in the set-up."""
    to_move: Seat | None
    """The seat that is to move; null in the set-up."""
    no_progress_left: int | None
    """With `no_progress`: turns without a fight after which the match is drawn."""
    board: SeenBoard
    """The board."""
    pieces: tuple[SeenPiece, ...]
    """All pieces on the board; none in the set-up."""
    lost: Mapping[str, int]
    """How many pieces each side has lost."""
    barred: tuple[Step, ...]
    """Steps that are not allowed this turn."""
    setups: Mapping[str, str] | None
    """The rows of both set-ups when the match is over, else null."""
    result: Outcome | None
    """How the match ended, or null."""
    lost_known: tuple[Rank, ...] | UnsetType = UNSET
    """The known ranks of removed enemies, in the order in which they were removed (9.4)."""
    marks_lost: tuple[LostMark, ...] | UnsetType = UNSET
    """In the last report: the seat's own marks on removed pieces, in the order in which they were
    removed (9.3)."""


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
