"""Find the orders among the lines of a letter without a frame (letters, section 4).

People write a greeting above them and their name below, and companies put a banner around both.
The lines from the first to the last that is meant as an order are handed in together, so that one
of them that cannot be read refuses them all and is named; the others are no orders.
"""

from collections.abc import Collection, Sequence
from itertools import islice

from msgspec import Struct

from adjudicator.core.conditions import reads_as_orders
from adjudicator.core.game import AnyGame
from adjudicator.core.likeness import alike, closes
from adjudicator.core.orders import MOST_ORDERS, Line, clean, said


class Bare(Struct, frozen=True):
    """The lines of a letter without a frame: those that are meant as `orders`, and the `others`.
    `read` says that all of the orders can be read, `certain` that at least one of them can."""

    orders: Sequence[Line] = ()
    others: Sequence[Line] = ()
    read: bool = False
    certain: bool = False


def find(game: AnyGame, lines: Sequence[Line], slips: Collection[int] = ()) -> Bare:
    """Find the orders among the lines. `slips` are the numbers of lines that are meant as commands
    and cannot be read: those count as orders that cannot."""
    said_something = (line for line in lines if clean(line.text))
    spoken = list(islice(said_something, MOST_ORDERS + 1))  # no more, for there may be thousands
    if not spoken:
        return Bare()
    if len(spoken) > MOST_ORDERS:
        return Bare(lines)
    if reads_as_orders(game, spoken):
        return Bare(spoken, read=True, certain=True)
    meant = _meant(game, spoken, slips)
    if all(spoken[i].number in slips for i in meant):
        return Bare(others=spoken)
    first, last = meant[0], meant[-1] + 1
    block = spoken[first:last]
    return Bare(
        block,
        others=(*spoken[:first], *spoken[last:]),
        read=reads_as_orders(game, block),
        certain=any(reads_as_orders(game, [line]) for line in block),
    )


def _meant(game: AnyGame, lines: Sequence[Line], slips: Collection[int]) -> Sequence[int]:
    """Return the indexes of the lines that read as orders or may be meant as such."""
    if game.orders.likeness is None:
        return range(len(lines))
    likeness = game.orders.likeness()
    found: list[int] = []
    opened = closed = False
    for i, line in enumerate(lines):
        is_order = line.number in slips or reads_as_orders(game, [line])
        if is_order or alike(likeness, line.text, opened=opened, closed=closed):
            found.append(i)
        closed = closed or closes(line.text)
        opened = opened or said(line.text).partition(" ")[0].rstrip(":") in likeness.opens
    return found
