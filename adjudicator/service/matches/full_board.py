"""The full truth of a match, for the game master only.

No code that writes to players may import this module.
"""

from datetime import datetime
from typing import Any

from msgspec import to_builtins

from adjudicator.service.base import looks
from adjudicator.service.base.loaded_match import Loaded, load_with_position
from adjudicator.store.database import Store


def whole_state(store: Store, name: str, *, noted_at: datetime | None = None) -> dict[str, Any]:
    """Return the state as plain data, and the orders in force of every seat.

    With `noted_at` the look is noted for all players.
    """
    if noted_at is None:
        with store.reading() as tx:
            return _whole(load_with_position(tx, name))
    with store.transaction() as tx:
        loaded = load_with_position(tx, name)
        looks.at_board(tx, loaded, noted_at)
        return _whole(loaded)


def _whole(loaded: Loaded) -> dict[str, Any]:
    return {
        "match": loaded.match.name,
        "game": loaded.match.game,
        "turn": loaded.match.turn,
        "state": to_builtins(loaded.state),
        "orders": {seat: list(sheet.lines) for seat, sheet in sorted(loaded.sheets.items())},
        "drawing": loaded.game.sight.truth(loaded.state),
    }
