"""Choose the tip that a report gives to a player who is new to a game (emails, section 6)."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Generic, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.message import Message, Value

T = TypeVar("T")  # what the tips of a game look at
Holes: TypeAlias = Mapping[str, Value]

# The fraction of the golden ratio in 32 bits: its multiples fall far from one another, so that one
# turn after another gets tips from other places of the list, whether all turns have one or only
# every second or fourth.
_STRIDE = 0x9E3779B1


class Tip(Struct, Generic[T], frozen=True):
    """A sentence, and the pattern that finds where it fits. The pattern yields what stands in the
    holes of the sentence, the best first; a plural follows its `n`."""

    pattern: Callable[[T], Iterable[Holes]]
    sentence: Message

    def message_for(self, table: T) -> Message | None:
        """Return the sentence for what the pattern finds first; None if it finds nothing."""
        holes = next(iter(self.pattern(table)), None)
        return None if holes is None else replace(self.sentence, values=holes)


def when(fits: Callable[[T], object]) -> Callable[[T], Iterable[Holes]]:
    """Return the pattern of a sentence without holes."""
    return lambda table: ({},) if fits(table) else ()


def fitting(tips: Mapping[str, Tip[T]], table: T) -> dict[str, Message]:
    """Return the tips that fit, by name."""
    told = ((name, tip.message_for(table)) for name, tip in tips.items())
    return {name: message for name, message in told if message is not None}


def choose(told: Collection[Message], moment: int) -> Message | None:
    """Return one of the tips that fit, another in each moment; None if there are none.

    A moment is what the game counts, its turns or rounds. The same tips and the same moment always
    give the same one, so a report that is made again has it again.
    """
    fit = tuple(told)
    return fit[(moment * _STRIDE % 2**32) * len(fit) >> 32] if fit else None
