"""Show a reader the marks and notes of his own (rule 9.3)."""

from collections.abc import Iterator, Sequence

from adjudicator.core.message import Message, Words, say
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.sight.observe import LostMark, SeenPiece, View


def jotted(view: View, notes: Sequence[str], words: Words) -> list[str]:
    """Return the marks that stand, at the end those on removed pieces, and then the notes."""
    standing = [words(_standing(piece)) for piece in view.pieces if piece.mark]
    lost = [words(_lost(mark)) for mark in view.marks_lost or ()]
    return [*_listed(standing), *lost, *notes]


def _listed(marks: Sequence[str]) -> Iterator[str]:
    if marks:
        yield "; ".join(marks)


def _standing(piece: SeenPiece) -> Message:
    """Say a mark; the end tells the rank beside it."""
    square, mark = piece.square, piece.mark or ""
    if piece.rank is None:
        return say("{square}: {mark}", square=square, mark=mark)
    return say("{square}: {mark} ({rank})", square=square, mark=mark, rank=TITLES[piece.rank])


def _lost(mark: LostMark) -> Message:
    return say(
        "{mark} was the {rank} removed on {square} in turn {turn}.",
        mark=mark.mark,
        rank=TITLES[mark.rank],
        square=mark.square,
        turn=mark.turn,
    )
