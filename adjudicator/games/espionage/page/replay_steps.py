"""A match as a page steps through it: a moment after each order."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

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


def changes(before: Position, after: Position, *, hidden: bool) -> str:
    """Write the squares that differ, each with what stands there now, if anything does. If no rank
    is `hidden` from the first turn on, it says nothing since when one is known."""
    # What a fight told of a piece changes it, and does not show here.
    signs = {
        square: shown
        for square, piece in after.items()
        if (old := before.get(square)) != piece
        and (shown := sign(piece, hidden)) != (sign(old, hidden) if old else "")
    }
    signs |= {square: "" for square in before if square not in after}
    return " ".join(f"{square}{signs[square]}" for square in in_order(signs))


def sign(piece: SeenPiece | Piece, hidden: bool) -> str:
    """Write a piece in a few letters: `b?` one of Black's, `wSm12` a Spy of White's that has moved
    and that the other side knows since turn 12; `k` if it knows it, but not since when."""
    shown = f"{piece.side[0]}{LETTERS[piece.rank] if piece.rank else '?'}{'m' * piece.moved}"
    if not hidden:
        return shown
    known = isinstance(piece, SeenPiece) and piece.known_to_enemy is True
    return f"{shown}{'k' * known}{'' if piece.known_since is None else piece.known_since}"
