"""Draw the seats of a match by lots that nobody gains by (club, 6.2.2).

Those who take part are numbered from 1 as they accepted, and lot(x) is HMAC-SHA256 with the seed
that the match uses as its key, of "lot|" + x. The lowest lot(`seat|NUMBER`) has the first seat. No
name is in any lot. Where a public number decides, the seed follows from it, too, so the seats are
drawn when it is known.
"""

from collections.abc import Sequence

from msgspec import Struct

from adjudicator.core.pairing.history import lot


class SeatLot(Struct, frozen=True, array_like=True):
    """A number with its lot in hex digits, and the seat that it was drawn for."""

    number: int
    lot: str
    seat: str


def draw(seed: bytes, seats: Sequence[str]) -> tuple[SeatLot, ...]:
    """Return the lots of so many numbers, in their order; the seats are in the game's."""
    lots = {number: lot(seed, f"seat|{number}") for number in range(1, len(seats) + 1)}
    seat_of = dict(zip(sorted(lots, key=lambda number: lots[number]), seats, strict=True))
    return tuple(SeatLot(number, lots[number].hex(), seat_of[number]) for number in lots)
