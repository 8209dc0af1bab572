"""What a check finds, and where in a random match it is seen."""

from collections.abc import Sequence

from msgspec import Struct


class Place(Struct, frozen=True, kw_only=True):
    """Where a check looks: a match by its name, its ply, a seat, and the orders of this ply by
    seat, as lines."""

    match: str = ""
    ply: int | None = None
    seat: str = ""
    orders: Sequence[str] = ()

    def __str__(self) -> str:
        parts = [
            f"match {self.match}" if self.match else "",
            "" if self.ply is None else f"ply {self.ply}",
            f"seat {self.seat}" if self.seat else "",
            f"orders {' | '.join(self.orders)}" if self.orders else "",
        ]
        return ", ".join(part for part in parts if part)


class ContractFault(Struct, frozen=True):
    """A sentence on what a game does that it may not do, and where."""

    told: str
    place: Place
