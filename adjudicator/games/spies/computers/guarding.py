"""Place secrets, police and spies in the set-up, and police again in each year."""

from collections.abc import Iterator, Sequence

from adjudicator.core.dice import Stream
from adjudicator.games.spies.orders.values import Order, Place, Post
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
from adjudicator.games.spies.sight.view import SeenSecret, View


def places(view: View, power: Power, chance: Stream) -> Iterator[Place]:
    """Place the dearest secrets where police can guard them, with a strong piece on each, and the
    spies where neutral secrets lie within reach of home, the strong ones first."""
    seen = {secret.secret: secret for secret in view.secrets}
    codes = sorted(secret_codes(LETTERS[power]), key=lambda code: -_worth(seen[code]))
    room = (city for city in atlas().powers[power].homes for _ in range(atlas().most_secrets))
    mixed = sorted(chance.shuffled(room), key=lambda city: -atlas().cities[city].max_police)
    at = dict(zip(codes, mixed, strict=False))
    for code in secret_codes(LETTERS[power]):
        yield Place(code, at[code])
    spots = _spots(power, codes, at, ())
    yield from (Place(piece, city, on) for piece, (city, on) in spots.items())
    capital = atlas().powers[power].capital
    goals = sorted(atlas().neutral_cities, key=lambda city: atlas().distance(city, capital))
    near = chance.shuffled(goals[: len(spy_codes(power)) + 1])
    spies = sorted(
        (spy for spy in view.spies if spy.power == power), key=lambda spy: -(spy.strength or 0)
    )
    for spy, city in zip(spies, near, strict=False):
        yield Place(spy.spy, city)


def posts(view: View, power: Power) -> Iterator[Order]:
    """Send pieces elsewhere that should not stay where they are."""
    home = [
        secret
        for secret in view.secrets
        if secret.origin == power and secret.spy is None and not secret.gone
        if secret.city in atlas().powers[power].homes
    ]
    home.sort(key=lambda secret: (-_worth(secret), secret.secret))
    at = {secret.secret: secret.city or "" for secret in home}
    strangers = [
        spy.city for spy in view.spies if spy.power not in view.powers and spy.city is not None
    ]
    spots = _spots(power, [secret.secret for secret in home], at, strangers)
    now = {piece.police: (piece.city, piece.on) for piece in view.own_police}
    for piece, (city, on) in spots.items():
        if now[piece] != (city, on):
            yield Post(piece, city, on)


def _worth(secret: SeenSecret) -> float:
    """Return what a secret is worth to guard; a counterspy is a trap and needs no guard."""
    return secret.value or 0.5


def _spots(
    power: Power, codes: Sequence[Code], at: dict[Code, City], strangers: Sequence[City]
) -> dict[Code, tuple[City, Code | None]]:
    """Return a place for each piece: on the secrets in order of worth while there is room, then
    where strangers are, then anywhere."""
    room = {city: atlas().cities[city].max_police for city in atlas().powers[power].homes}
    spots: dict[Code, tuple[City, Code | None]] = {}
    pieces = list(police_codes(power))
    for code in codes:
        city = at.get(code)
        if city and room.get(city, 0) and pieces:
            spots[pieces.pop(0)] = city, code
            room[city] -= 1
    for city in sorted(room, key=lambda city: -strangers.count(city)):
        for _ in range(room[city]):
            if pieces:
                spots[pieces.pop(0)] = city, None
    return spots
