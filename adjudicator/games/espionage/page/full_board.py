"""The whole board for the game master, drawn for monospace. Never part of a player's report."""

from adjudicator.games.espionage.rules.board import FILES, at
from adjudicator.games.espionage.rules.pieces import LETTERS, WHITE
from adjudicator.games.espionage.rules.state import State


def truth(state: State) -> str:
    """Draw all pieces, White below. A star marks Black's pieces."""
    size = state.settings.rules.size
    files = ("    " + " ".join(f"{FILES[file]} " for file in range(size))).rstrip()
    rows = [
        f"{rank:>2}  " + " ".join(_square(state, file, rank) for file in range(size)) + f"  {rank}"
        for rank in range(size, 0, -1)
    ]
    return "\n".join((files, *rows, files))


def _square(state: State, file: int, rank: int) -> str:
    square = at(file, rank)
    if square in state.volcanoes:
        return "^ "
    piece = state.pieces.get(square)
    if piece is None:
        return ". "
    return LETTERS[piece.rank] + (" " if piece.side == WHITE else "*")
