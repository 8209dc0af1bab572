"""Place pieces in the set-up, and police again in each year."""

from collections.abc import Iterator

from adjudicator.core.dice import Stream
from adjudicator.games.spies.orders.values import Order, Place, Post
from adjudicator.games.spies.rules import sensible
from adjudicator.games.spies.rules.atlas import LETTERS, Power, atlas, secret_codes
from adjudicator.games.spies.sight.view import SeenSecret, View


def places(view: View, power: Power, chance: Stream) -> Iterator[Place]:
    """Place pieces as `SETUP AUTO` does."""
    own = secret_codes(LETTERS[power])
    values = {s.secret: s.value or 0 for s in view.secrets if s.secret in own}
    strengths = {spy.spy: spy.strength or 0 for spy in view.spies if spy.power == power}
    return sensible.places(power, values, strengths, chance)


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
    spots = sensible.posts(power, [secret.secret for secret in home], at, strangers)
    now = {piece.police: (piece.city, piece.on) for piece in view.own_police}
    for piece, (city, on) in spots.items():
        if now[piece] != (city, on):
            yield Post(piece, city, on)


def _worth(secret: SeenSecret) -> float:
    """Return what a secret is worth to guard; a counterspy is a trap and needs no guard."""
    return secret.value or 0.5
