"""The board of a match: one that comes with the game, or the game master's own."""

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

from adjudicator.core.match import Seat
from adjudicator.core.message import Message
from adjudicator.games.spion.rules.board import Board, read
from adjudicator.games.spion.rules.state import Settings

VARIANTS = ("original", "quick")


def board_of(settings: Settings) -> Board:
    return standard(settings.variant) if not settings.own_board else _own(settings.own_board)


def seating(variant: str, own: str) -> Mapping[int, tuple[Seat, ...]]:
    """Return which seats two, three or four players take on a board."""
    return board_of(Settings(variant, own)).seating


@cache
def standard(variant: str) -> Board:
    """Return a board that comes with the game."""
    source = files("adjudicator.games.spion.rules").joinpath("boards", f"{variant}.json")
    return _own(source.read_text("utf-8"))


@lru_cache(maxsize=32)
def _own(text: str) -> Board:
    """Read a text that was found sound before."""
    board = read(text)
    if isinstance(board, Message):
        raise ValueError(str(board))
    return board
