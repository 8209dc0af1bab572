"""A match as a page steps through it: a moment after each order."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.games.espionage.page.news import Row
from adjudicator.games.espionage.rules.board import Square, in_order
from adjudicator.games.espionage.rules.pieces import LETTERS, Piece
from adjudicator.games.espionage.sight.observe import SeenPiece

Position: TypeAlias = Mapping[Square, SeenPiece] | Mapping[Square, Piece]


class Moment(Struct, frozen=True):
    """The board as it stood when an order had been made by `steps`, none of which led to the first
    one. Links name it by its `place`, which tells the side. `points` are the sentences for which a
    reader may want to come here."""

    place: str
    label: str
    position: Position
    steps: Sequence[Row] = ()
    points: Sequence[str] = ()


def changes(before: Position, moment: Moment, *, hidden: bool) -> str:
    """Write the squares where something else stands than what the steps have brought there, each
    with what it is, if anything. If no rank is `hidden` from the first turn on, it says nothing
    since when one is known."""
    brought = _after(moment.steps, before)
    # What a fight told of a piece changes it, and does not show here.
    signs = {
        square: shown
        for square, piece in moment.position.items()
        if (old := brought.get(square)) != piece
        and (shown := sign(piece, hidden)) != (sign(old, hidden) if old else "")
    }
    signs |= {square: "" for square in brought if square not in moment.position}
    return " ".join(f"{square}{signs[square]}" for square in in_order(signs))


def _after(steps: Sequence[Row], before: Position) -> Mapping[Square, SeenPiece | Piece]:
    """Return the position after steps, as the page's script makes it: it knows nothing of them but
    how they are printed and ended."""
    made: dict[Square, SeenPiece | Piece] = {**before}
    for step, outcome, _ in steps:
        if not step:
            continue
        start, target = map(Square, step.split("-"))
        piece = made.pop(start, None)
        if piece and outcome != "lost":
            made[target] = replace(piece, moved=True)
    return made


def sign(piece: SeenPiece | Piece, hidden: bool) -> str:
    """Write a piece in a few letters: `b?` one of Black's, `wSm12` a Spy of White's that has moved
    and that the other side knows since turn 12; `k` if it knows it, but not since when."""
    shown = f"{piece.side[0]}{LETTERS[piece.rank] if piece.rank else '?'}{'m' * piece.moved}"
    if not hidden:
        return shown
    known = isinstance(piece, SeenPiece) and piece.known_to_enemy is True
    return f"{shown}{'k' * known}{'' if piece.known_since is None else piece.known_since}"
