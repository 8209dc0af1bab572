"""The set-up: as a sheet has it, or drawn (rules 2.5 to 2.7)."""

from collections.abc import Iterable, Iterator

from adjudicator.core.dice import Chance
from adjudicator.core.match import Seat
from adjudicator.games.spies.orders.values import Place, canonical
from adjudicator.games.spies.rules.atlas import (
    LETTERS,
    City,
    Code,
    Power,
    atlas,
    by_code,
    owner_of,
    police_codes,
    secret_codes,
    spy_codes,
)
from adjudicator.games.spies.rules.events import Placed, Spot
from adjudicator.games.spies.rules.state import State


def random_set_up(power: Power, chance: Chance, with_spies: bool) -> Placed:
    """Draw a set-up for `SETUP RANDOM`, for silence, and for dormant powers, who have no spies
    (2.7)."""
    stream = chance.private(power, "setup")
    homes = atlas().powers[power].homes
    places = stream.shuffled(city for city in homes for _ in range(atlas().most_secrets))
    secrets = dict(zip(secret_codes(LETTERS[power]), places, strict=False))
    room = (city for city in homes for _ in range(atlas().cities[city].max_police))
    posts = stream.shuffled(room)
    police: dict[Code, Spot] = {}
    guarded: set[Code] = set()
    for code, city in zip(police_codes(power), posts, strict=False):
        there = (c for c, lies in secrets.items() if lies == city and c not in guarded)
        on = next(there, None)
        guarded |= {on} if on else set()
        police[code] = Spot(city, on)
    cities = tuple(atlas().cities)
    spies = {code: stream.choice(cities) for code in spy_codes(power)} if with_spies else {}
    return Placed(power, secrets, police, spies)


def set_up_from_lines(power: Power, lines: Iterable[Place]) -> Placed:
    """Place pieces as the lines of a sheet have it, which were checked to be complete (9.3)."""
    secrets: dict[Code, City] = {}
    police: dict[Code, Spot] = {}
    spies: dict[Code, City] = {}
    for line in sorted(lines, key=lambda line: by_code(line.piece)):
        if owner_of(line.piece) != power:
            continue
        if line.piece in police_codes(power):
            police[line.piece] = Spot(line.city, line.on)
        elif line.piece in spy_codes(power):
            spies[line.piece] = line.city
        else:
            secrets[line.piece] = line.city
    return Placed(power, secrets, police, spies)


def committed_lines(state: State, seat: Seat) -> str:
    """Return the lines of a seat's set-up, to which it is committed (2.6)."""
    return "/".join(canonical(line) for line in _lines(state, seat))


def _lines(state: State, seat: Seat) -> Iterator[Place]:
    for power in state.seats[seat]:
        for code in secret_codes(LETTERS[power]):
            yield Place(code, state.secrets[code].city or "")
        for code in police_codes(power):
            piece = state.police[code]
            yield Place(code, piece.city or "", piece.on)
        for code in spy_codes(power):
            yield Place(code, state.spies[code].city or "")
