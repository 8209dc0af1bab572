"""The lots by which the seats of a match were drawn, as its row keeps them; None there if they were
not (core/seat_lots.py)."""

from collections.abc import Sequence

from msgspec.json import decode, encode

from adjudicator.core.message import Message, say
from adjudicator.core.seat_lots import SeatLot
from adjudicator.store.matches import Match

PENDING = "[]"  # they are drawn when the public number is known; until then seats are by number


def as_row(lots: Sequence[SeatLot]) -> str:
    return encode(lots).decode()


def lots_of(match: Match) -> tuple[SeatLot, ...]:
    """Return the lots of a match; none if they are not drawn yet, or the seats are not by lot."""
    return decode(match.lots, type=tuple[SeatLot, ...]) if match.lots else ()


def number_of(match: Match, seat: str, seats: Sequence[str]) -> int | None:
    """Return the number of who has a seat; None if seats are not drawn."""
    if match.lots == PENDING:
        return seats.index(seat) + 1
    return next((one.number for one in lots_of(match) if one.seat == seat), None)


def message_for_number(number: int) -> Message:
    """Say by which number the seats are drawn for a player (club, 6.2.2)."""
    return say("Your number in the draw of the seats is {n}.", n=number)


def message_for_seat(number: int) -> Message:
    """Say in a first email which number the seat of its reader was drawn for."""
    return say("The seats were drawn. The number of this seat in the draw was {n}.", n=number)


def message_for_taking(match: str) -> Message:
    """Say to a player that he has a seat, which may be drawn later; his number may follow it."""
    return say("You now have a seat in {match}.", match=match)
