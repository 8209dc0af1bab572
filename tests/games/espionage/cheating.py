"""How a club cheats in Espionage: what it does to a match of Anna's, who plays the first seat."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from adjudicator.core.match import Seat
from adjudicator.games.espionage.rules import state as espionage
from tests.service.cheats.scene import Scene

Lines: TypeAlias = Callable[[Scene], Sequence[str]]


def mine_walks(scene: Scene) -> Sequence[str]:
    """Let a piece step aside for the Mine behind it."""
    pieces = scene.state.pieces
    for at, piece in pieces.items():
        before, free = f"{at[0]}{int(at[1]) - 1}", f"{at[0]}{int(at[1]) - 2}"
        front = pieces.get(before)
        if (piece.side, piece.rank) != ("black", "mine") or not front or free in pieces:
            continue
        if front.side == "black" and front.rank not in ("mine", "headquarters"):
            return [f"{before}-{free}", f"{at}-{before}"]
    raise AssertionError("no Mine can walk")


def whites_piece(scene: Scene) -> Sequence[str]:
    """Return a step of a White piece to the free square in front of it, beside one that is
    allowed."""
    state = scene.state
    for at, piece in state.pieces.items():
        before = f"{at[0]}{int(at[1]) + 1}"
        if piece.side == "white" and before not in (*state.pieces, *state.volcanoes):
            legal = next(line for line in scene.legal("black") if before not in line)
            return [f"{at}-{before}", legal]
    raise AssertionError("no piece of White's can step forward")


def _stepped(state: Any, seat: str) -> espionage.Stepped:
    """Move a piece of a seat one step on, though it is not its turn or not its order."""
    side = Seat(seat)
    mine = {at: one for at, one in state.pieces.items() if one.side == side}
    start, target = next(
        (at, to)
        for at in mine
        for to in (f"{chr(ord(at[0]) + 1)}{at[1:]}", f"{at[0]}{int(at[1:]) - 1}")
        if to not in state.pieces and to[0] in "abcdefgh" and to[1:] != "0"
    )
    return espionage.Stepped(side, state.turn, 1, start, target, mine[start].rank)


# Orders of the last seat that no rule allows.
ILLEGAL: Mapping[str, Lines] = {
    "a Mine walks": mine_walks,
    "a piece of White's": whites_piece,
    "one step too few": lambda scene: scene.legal("black")[:1],
    "what no order is": lambda scene: [*scene.legal("black"), "fly to the moon"],
}
# Events that no rule brings about, as a club that cheats would like them.
FORGED: Mapping[str, Callable[[Any, str], Any]] = {"a piece is elsewhere": _stepped}
# A key of a report as JSON, and another value of it.
IN_JSON: tuple[str, Callable[[Any], Any]] = (
    "pieces",
    lambda pieces: [{**pieces[0], "rank": "mine"}, *pieces[1:]],
)
