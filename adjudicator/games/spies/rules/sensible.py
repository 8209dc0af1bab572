"""Place a power's pieces sensibly (rule 2.9), for `SETUP AUTO` and for built-in players.

`adjud audit` draws the places of `SETUP AUTO` again, so what is drawn from a stream stays the same
for ever.
"""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.dice import Chance, Stream
from adjudicator.games.spies.orders.values import Place
from adjudicator.games.spies.rules.atlas import (
    LETTERS,
    City,
    Code,
    Power,
    atlas,
    police_codes,
    secret_codes,
    spy_codes,
)
from adjudicator.games.spies.rules.control import points_value
from adjudicator.games.spies.rules.events import Placed
from adjudicator.games.spies.rules.placing import set_up_from_lines
from adjudicator.games.spies.rules.state import State

DECOY = 2  # a counterspy that is guarded is guarded like a secret of this value
ONE_IN = 4  # of so many counterspies one is guarded, in the mean


def sensible_set_up(state: State, power: Power, chance: Chance) -> Placed:
    """Return the set-up of `SETUP AUTO`."""
    values = {code: points_value(state, code) for code in secret_codes(LETTERS[power])}
    strengths = {code: state.spies[code].strength for code in spy_codes(power)}
    return set_up_from_lines(power, places(power, values, strengths, chance.private(power, "auto")))


def places(
    power: Power, values: Mapping[Code, int], strengths: Mapping[Code, int], stream: Stream
) -> Iterator[Place]:
    """Yield a place for each piece: the dearest secrets where police have room, with a strong piece
    on each, and the spies near neutral secrets close to home. `values` of counterspies are 0."""
    worth = {code: values[code] or _decoy(stream) for code in secret_codes(LETTERS[power])}
    codes = sorted(worth, key=lambda code: -worth[code])
    room = [city for city in atlas().powers[power].homes for _ in range(atlas().most_secrets)]
    mixed = sorted(stream.shuffled(room), key=lambda city: -atlas().cities[city].max_police)
    at = dict(zip(codes, mixed, strict=False))
    for code in secret_codes(LETTERS[power]):
        yield Place(code, at[code])
    for piece, (city, on) in posts(power, codes, at, ()).items():
        yield Place(piece, city, on)
    capital = atlas().powers[power].capital
    goals = sorted(atlas().neutral_cities, key=lambda city: atlas().distance(city, capital))
    near = stream.shuffled(goals[: len(spy_codes(power)) + 1])
    spies = sorted(spy_codes(power), key=lambda code: -strengths[code])
    for spy, city in zip(spies, near, strict=False):
        yield Place(spy, city)


def _decoy(stream: Stream) -> int:
    """Draw whether a counterspy is guarded; if none were, whoever finds an open secret would know
    it."""
    return DECOY if stream.below(ONE_IN) == 0 else 0


def posts(
    power: Power, codes: Sequence[Code], at: Mapping[Code, City], strangers: Sequence[City]
) -> Mapping[Code, tuple[City, Code | None]]:
    """Return a place for each police piece: on the secrets in this order while there is room, then
    where strangers are, then anywhere."""
    room = {city: atlas().cities[city].max_police for city in atlas().powers[power].homes}
    found: dict[Code, tuple[City, Code | None]] = {}
    pieces = list(police_codes(power))
    for code in codes:
        city = at.get(code)
        if city and room.get(city, 0) and pieces:
            found[pieces.pop(0)] = city, code
            room[city] -= 1
    for city in sorted(room, key=lambda city: -strangers.count(city)):
        for _ in range(room[city]):
            if pieces:
                found[pieces.pop(0)] = city, None
    return found
