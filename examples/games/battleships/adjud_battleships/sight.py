"""What a seat may know: its own fleet, and what was called out (section 3 of `RULES.md`)."""

from collections.abc import Mapping

from adjud_battleships.rules import SEATS, Fired, Fleet, Placed, Salvo, State, afloat, shots_due
from adjudicator.core.simple import Seat, Seen, Visible, view_fields


class View(Seen, frozen=True, kw_only=True):
    """`fleets` are those that the seat may see, by their owner; `shots` are by who fired them, and
    `sunk` by whose ships they were. `salvo` is how many shots the seat has in its next salvo."""

    fleets: Mapping[Seat, Fleet]
    shots: Mapping[Seat, Mapping[str, str]]
    sunk: Mapping[Seat, tuple[str, ...]]
    salvo: int


class News(Visible, frozen=True, kw_only=True):
    """What was called out, by who fired: the same for everybody."""

    salvos: Mapping[Seat, Salvo]


def observe(state: State, seat: Seat) -> View:
    fleets = {
        owner: fleet for owner, fleet in state.fleets.items() if owner == seat or state.outcome
    }
    sunk = {
        owner: tuple(ship for ship in fleet if ship not in afloat(state, owner))
        for owner, fleet in state.fleets.items()
    }
    return View(
        **view_fields(state, seat),
        fleets=fleets,  # 3.3
        shots=state.shots,
        sunk=sunk,
        salvo=shots_due(state, seat) if seat in SEATS else 0,
    )


def witness(event: Placed | Fired, seat: Seat) -> News | None:
    return News(salvos=event.salvos) if isinstance(event, Fired) else None
