"""Follow a seat's own marks on enemy pieces, by what the seat itself saw (rules 9.1, 9.3)."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from adjudicator.core.game import MarkEnd
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.games.espionage.orders.check import off_board
from adjudicator.games.espionage.rules.board import BOARDS, Square
from adjudicator.games.espionage.rules.pieces import ENEMY
from adjudicator.games.espionage.rules.state import Event, Stepped
from adjudicator.games.espionage.sight.observe import LostMark, SeenPiece, SeenStep, View


def places(view: View) -> Sequence[Square]:
    """Return the squares on which enemy pieces of unknown rank stand."""
    return [piece.square for piece in view.pieces if _is_hostile(view, piece) and not piece.rank]


def refusal(view: View, word: str) -> Message:
    """Say why nothing can be marked on that square."""
    square = Square(word)
    if square not in BOARDS[view.board.size].beside:
        return off_board(view.board.size, square) if _reads(word) else _form(word)
    piece = next((piece for piece in view.pieces if piece.square == square), None)
    if piece is None:
        return say("there is no enemy piece on {square}", square=square)
    if piece.side == view.seat:
        return say("the piece on {square} is your own", square=square)
    return say("you already know the rank of the piece on {square}", square=square)


def _reads(word: str) -> bool:
    return len(word) <= 4 and word[:1].isalpha() and word[1:].isdigit()


def _form(word: str) -> Message:
    if not word:
        return say("write a mark like this: MARK e7 5?")
    return say("'{seen}' is not a square; write a mark like this: MARK e7 5?", seen=shown(word))


def follow(step: SeenStep, place: str) -> str | MarkEnd:
    """Return where an enemy piece stands after a step that its seat saw, or how its mark ended."""
    square = Square(place)
    if step.start == square:  # its own step: where it stood nobody else did
        if step.outcome == "lost":
            return MarkEnd.REMOVED
        square = step.target
    elif step.target == square and step.outcome == "won":
        return MarkEnd.REMOVED
    return MarkEnd.TOLD if square in step.revealed else square


def with_marks(view: View, marks: Mapping[str, str]) -> View:
    """Return the view with the seat's marks on the pieces that it was not told; by the end it is
    told all, and the marks stay."""
    pieces = tuple(
        replace(piece, mark=marks.get(piece.square))
        if _is_hostile(view, piece) and piece.known_since is None
        else piece
        for piece in view.pieces
    )
    return replace(view, pieces=pieces)


def with_lost_marks(view: View, lost: Sequence[tuple[str, Event]]) -> View:
    """Return the last view with the marks on pieces that were removed, in the order of the
    steps."""
    found = [_lost(mark, step) for mark, step in lost if isinstance(step, Stepped)]
    return replace(view, marks_lost=tuple(found))


def _lost(mark: str, step: Stepped) -> LostMark:
    rank = step.rank if step.outcome == "lost" else step.met
    assert rank is not None
    return LostMark(square=step.target, turn=step.turn, mark=mark, rank=rank)


def _is_hostile(view: View, piece: SeenPiece) -> bool:
    return piece.side == ENEMY.get(view.seat)
