"""Tell what follows from what everybody at the table sees: targets and hindrances."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.state import Card, Place


class Position(Struct, frozen=True):
    """`out` are the embassies that hold a card, `filled` the places of each holder that do, both
    in order. State and View can both make one."""

    board: Board
    seats: tuple[Seat, ...]
    types: tuple[Card, ...]
    spies: Mapping[Seat, Place]
    bodyguards: Mapping[Seat, Place]
    out: tuple[Place, ...]
    filled: Mapping[Seat, tuple[int, ...]]
    open_doors: bool = False


def clockwise(seats: Sequence[Seat], seat: Seat) -> tuple[Seat, ...]:
    """Return the other seats, the one after `seat` first."""
    at = seats.index(seat)
    return (*seats[at + 1 :], *seats[:at])


def eligible(position: Position, seat: Seat) -> tuple[Seat, ...]:
    """Return whom the seat may challenge, clockwise (section 2; house rule `open_doors`, 8.3)."""
    if not position.filled[seat]:
        return ()
    return tuple(
        other
        for other in clockwise(position.seats, seat)
        if position.filled[other] and not _protected(position, other)
    )


def _protected(position: Position, seat: Seat) -> bool:
    spy = position.spies[seat]
    if spy in position.board.embassies:
        return not position.open_doors or bool(position.out)
    return spy == position.board.starts[seat]


def may_challenge(position: Position, seat: Seat, target: str, place: int, guess: str) -> bool:
    """Return whether a challenge so named can be made now (R6, A17)."""
    return (
        target in eligible(position, seat)
        and place in position.filled[Seat(target)]
        and guess in position.types
    )


def vacant(position: Position) -> tuple[Place, ...]:
    """Return the embassies without a card (A22), in the board's order."""
    return tuple(code for code in position.board.embassies if code not in position.out)


def foreign(position: Position, seat: Seat) -> frozenset[Place]:
    """Return the streets and wells on which others' spies and bodyguards stand (R3.5)."""
    return frozenset(
        place
        for pieces in (position.spies, position.bodyguards)
        for other, place in pieces.items()
        if other != seat and position.board.open_ground(place)
    )


def blockers(position: Position, seat: Seat, met: Sequence[Place]) -> tuple[Seat, ...]:
    """Return whose bodyguards stand on the places that the search met (R8.3), clockwise."""
    return tuple(
        other for other in clockwise(position.seats, seat) if position.bodyguards[other] in met
    )
