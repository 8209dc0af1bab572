"""A board of the game master's own, whose names orders must be able to say."""

from collections.abc import Iterator

import msgspec

from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line
from adjudicator.games.spion.orders.parse import parse
from adjudicator.games.spion.orders.values import Challenge, Goal, Move, Order
from adjudicator.games.spion.rules.board import Board, read
from adjudicator.games.spion.rules.board_file import BoardFile


def write_board(text: str) -> str | Message:
    """Write a board as a match stores it, or say what is wrong with it."""
    board = read(text)
    if isinstance(board, Message):
        return board
    if fault := next(_unspeakable(board), None):
        return fault
    return msgspec.json.encode(msgspec.json.decode(text, type=BoardFile)).decode()


def _unspeakable(board: Board) -> Iterator[Message]:
    """Complain of names that no sheet could say: orders are read before it is known for which
    board, so a name must mean itself, and nothing of the boards that come with the game."""
    for card in board.types:
        if _read_as(f"CHALLENGE red 1 {card}") != Challenge("red", 1, card):
            yield say(
                "orders cannot name the type {card}; choose another word, in A to Z", card=card
            )
    for code in board.embassies:
        if _read_as(f"MOVE {code}") != Move((Goal(code),)):
            yield say("in orders {code} means another embassy; choose another code", code=code)


def _read_as(text: str) -> Order | None:
    return next(iter(parse([Line(1, text)]).orders), None)
