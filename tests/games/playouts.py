"""Random matches, as `adjud game check` plays them."""

from adjudicator.service.game_check.sample import (
    PLAYER,
    PlayedPly,
    chance_of,
    computer_order,
    garble,
    playout,
    setting_of,
)

__all__ = ["PLAYER", "Ply", "chance_of", "computer_order", "garble", "playout", "setting_of"]

Ply = PlayedPly
