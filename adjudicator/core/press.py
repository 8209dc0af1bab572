"""Messages between seats as one of them may read them again (club, section 10)."""

from collections.abc import Iterator, Sequence

from adjudicator.core.match import Seat
from adjudicator.core.visible import Visible

MOST = 10  # messages with each correspondent
MOST_CHARACTERS = 24_000  # of all together


class ShownPress(Visible, frozen=True, kw_only=True):
    """A message that a seat's holder wrote or got."""

    number: int | None = None
    """The number of one that the seat received."""
    at: str
    """When."""
    by: Seat | None
    """The seat that wrote it; null if unsigned."""
    to: tuple[Seat, ...]
    """The seats that got it; empty for one to the game master."""
    unsigned: bool = False
    """Whether it was sent unsigned."""
    lines: tuple[str, ...]
    """What it says."""

    def others(self, me: Seat) -> tuple[Seat, ...]:
        """Return the other seats that wrote or got it; empty for unsigned ones that I got."""
        if self.by is None:
            return ()
        return tuple(seat for seat in (self.by, *self.to) if seat != me)


class PressThread(Visible, frozen=True, kw_only=True):
    """What was said among the same seats."""

    others: tuple[Seat, ...]
    """The other seats; none of unsigned ones."""
    master: bool = False
    """Whether it is that with the game master."""
    messages: tuple[ShownPress, ...]
    """The messages, the oldest first."""


def threads(
    found: Sequence[ShownPress], me: Seat, seats: Sequence[Seat]
) -> tuple[PressThread, ...]:
    """Return the last messages with each other seat, the unsigned ones and those to the game
    master, sorted by those who wrote and got them. `found` has the oldest first."""
    kept = _in_room([one for n, one in enumerate(found) if n in set(_last(found, me, seats))])
    groups: dict[tuple[bool, tuple[Seat, ...]], list[ShownPress]] = {}
    for one in kept:
        others = tuple(seat for seat in seats if seat in one.others(me))
        groups.setdefault((_to_master(one), others), []).append(one)
    order = {seat: n for n, seat in enumerate(seats)}

    def place(key: tuple[bool, tuple[Seat, ...]]) -> tuple[bool, bool, int, list[int]]:
        master, others = key
        return master, not others, len(others), [order[seat] for seat in others]

    return tuple(
        PressThread(others=key[1], master=key[0], messages=tuple(groups[key]))
        for key in sorted(groups, key=place)
    )


def _last(found: Sequence[ShownPress], me: Seat, seats: Sequence[Seat]) -> Iterator[int]:
    each = [(n, one) for n, one in enumerate(found)]
    for seat in seats:
        yield from [n for n, one in each if seat in one.others(me)][-MOST:]
    yield from [n for n, one in each if one.by is None][-MOST:]
    yield from [n for n, one in each if _to_master(one)][-MOST:]


def _to_master(one: ShownPress) -> bool:
    return one.by is not None and not one.to


def _in_room(found: Sequence[ShownPress]) -> list[ShownPress]:
    """Return the newest that fit together, the oldest first."""
    kept: list[ShownPress] = []
    room = MOST_CHARACTERS
    for one in reversed(found):
        room -= sum(map(len, one.lines))
        if room < 0:
            break
        kept.append(one)
    return kept[::-1]
