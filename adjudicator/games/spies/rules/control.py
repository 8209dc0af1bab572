"""Tell who controls, leads and opposes what (rules 1.3, 4.1, 4.2)."""

from collections.abc import Iterator

from adjudicator.core.match import Seat
from adjudicator.games.spies.rules.atlas import POWERS, City, Code, Power, atlas, by_code, owner_of
from adjudicator.games.spies.rules.map_file import FaceEntry
from adjudicator.games.spies.rules.state import State


def seat_of(state: State, power: Power) -> Seat | None:
    """Return the seat that leads a power, None for a dormant one."""
    return next((seat for seat, powers in state.seats.items() if power in powers), None)


def leader(state: State, power: Power) -> Seat:
    """Return the seat that leads a power which has spies: a dormant one has none (1.5)."""
    seat = seat_of(state, power)
    assert seat, "a dormant power has no spies"
    return seat


def name_for(state: State, power: Power) -> str:
    """Return the name by which a power is told something: its seat's, or its own if it is dormant
    (7.3)."""
    return seat_of(state, power) or power


def friends(state: State, power: Power) -> tuple[Power, ...]:
    """Return the powers of one seat, the power itself among them (1.3)."""
    return next((led for led in state.seats.values() if power in led), (power,))


def are_enemies(state: State, one: Power, other: Power) -> bool:
    return other not in friends(state, one)


def face(state: State, secret: Code) -> FaceEntry:
    return atlas().faces[state.secrets[secret].face]


def points_value(state: State, secret: Code) -> int:
    """Return what a secret counts; a counterspy counts 0 (6.5)."""
    return face(state, secret).value or 0


def controller(state: State, secret: Code) -> Power | None:
    """Return the power whose spy carries a secret or whose police stand on it (4.2)."""
    spy = state.secrets[secret].spy
    if spy:
        return owner_of(spy)
    guard = guard_of(state, secret)
    return owner_of(guard) if guard else None


def guard_of(state: State, secret: Code) -> Code | None:
    """Return the police piece that stands on a secret."""
    return next((code for code, piece in state.police.items() if piece.on == secret), None)


def police_in(state: State, power: Power, city: City) -> tuple[Code, ...]:
    """Return the power's police in a city, the strongest first (1.6); all police stand at home
    (5.9)."""
    if atlas().owner(city) != power:
        return ()
    return tuple(code for code, piece in state.police.items() if piece.city == city)


def enemy_police(state: State, power: Power, city: City) -> int:
    """Return how many pieces of enemies stand in a city, as everybody sees."""
    host = atlas().owner(city)
    if host is None or not are_enemies(state, power, host):
        return 0
    return len(police_in(state, host, city))


def spies_in(state: State, city: City) -> Iterator[Code]:
    """Return all spies in a city, by power and code."""
    return (code for code in sorted(state.spies, key=by_code) if state.spies[code].city == city)


def order_from(power: Power) -> tuple[Power, ...]:
    """Return all powers in turn order, going round from one of them (1.1)."""
    first = POWERS.index(power)
    return (*POWERS[first:], *POWERS[:first])


def is_original(secret: Code, power: Power) -> bool:
    """Return whether a secret began with a power (4.1)."""
    return owner_of(secret) == power
