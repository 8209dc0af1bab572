"""The rows of the page that tells Spion's rules. Its sentences stand in the template."""

from collections.abc import Mapping
from typing import Any

from adjudicator.core.message import Words, say
from adjudicator.games.spion.page import drawing
from adjudicator.games.spion.page.legend import legend
from adjudicator.games.spion.page.news import told_in
from adjudicator.games.spion.rules.board import Board, standard
from adjudicator.games.spion.rules.rolls import LAST_ROUND


def rules(words: Words) -> Mapping[str, Any]:
    """The board as it lies at the start, and the names of its embassies."""
    board = standard("original")
    shapes = drawing.shapes(_at_the_start(board))
    return {
        "shapes": shapes,
        "legend": legend(shapes, None, words),
        "picture": words(say("The board at the start, with a card in each embassy.")),
        "names": sorted((code, told_in(e.name, words)) for code, e in board.embassies.items()),
        "types": ", ".join(board.types),
        "last_round": LAST_ROUND,
    }


def _at_the_start(board: Board) -> Mapping[str, Any]:
    """As much of a report as the drawing reads, for four players."""
    return {
        "variant": "original",
        "phase": "setup",
        "mode": "rounds",
        "seat": None,
        "board": {
            "own": "",
            "embassies": [
                {"code": code, "arrow": embassy.arrow, "card": True, "type": None}
                for code, embassy in board.embassies.items()
            ],
        },
        "seats": [
            {"seat": seat, "spy": start, "start": start, "bodyguard": home, "home": home}
            for seat, start, home in zip(
                board.starts, board.starts.values(), board.homes.values(), strict=True
            )
        ],
        "dice": [],
        "targets": [],
        "reach": [],
        "news": [],
    }
