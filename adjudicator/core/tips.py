"""Choose the tip that a report gives to a player who is new to a game (emails, section 6)."""

from collections.abc import Iterable

from adjudicator.core.message import Message

# The fraction of the golden ratio in 32 bits: its multiples fall far from one another, so that one
# turn after another gets tips from other places of the list, whether all turns have one or only
# every second or fourth.
_STRIDE = 0x9E3779B1


def chosen(told: Iterable[Message | None], moment: int) -> Message | None:
    """Return one of the tips that fit, another in each moment; None if there are none.

    A moment is what the game counts, its turns or rounds. The same tips and the same moment always
    give the same one, so a report that is made again has it again.
    """
    fitting = [tip for tip in told if tip is not None]
    if not fitting:
        return None
    return fitting[(moment * _STRIDE % 2**32) * len(fitting) >> 32]
