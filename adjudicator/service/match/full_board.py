"""The full truth of a match, for the game master only.

No code that writes to players may import this module.
"""

from typing import Any

from msgspec import to_builtins

from adjudicator.service.base.loaded_match import load
from adjudicator.store.database import Store


def whole_state(store: Store, name: str) -> dict[str, Any]:
    """Return the state as plain data, and the orders in force of every seat."""
    with store.reading() as tx:
        loaded = load(tx, name)
        return {
            "match": loaded.match.name,
            "game": loaded.match.game,
            "turn": loaded.match.turn,
            "state": to_builtins(loaded.state),
            "orders": {seat: list(sheet.lines) for seat, sheet in sorted(loaded.sheets.items())},
            "drawing": loaded.game.sight.truth(loaded.state),
        }
