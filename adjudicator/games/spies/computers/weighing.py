"""Weigh what a raid is worth to a spy, in points, as far as a view tells.

Of a face that the seat was not told, every face that it has not seen elsewhere is equally likely.
From these follow the value to hope for and the counterspy to fear. Police are hidden, but which
pieces a power has is known: any of them may stand where one is seen. A power that holds chits may
hold a Cover, and keeps what is worth most. What another power wins or loses counts as much as that
power is in the way of the first place.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations

from msgspec import Struct

from adjudicator.games.spies.rules.atlas import (
    LAST_YEAR,
    City,
    Code,
    Power,
    atlas,
    owner_of,
)
from adjudicator.games.spies.sight.view import SeenSecret, SeenSpy, View

A_SECRET, A_SPY = 2.2, 3.0  # points that a secret and a captured spy are worth in the mean
LEAD = 10.0  # a power may hope for so many points less than the best and is no rival any more
RIVALRY = 0.5  # how much of what the best enemy loses is won, with several enemies
BAIT, GUARDED = 4.0, 0.5  # how much more often than by chance it is a counterspy
ON_THE_WAY = 0.85  # how likely a secret that is carried for a year comes home
URGENT = 1.0  # points for a secret that anybody may take, so that others will
SERVICE = 1.0  # points that a spy is worth to its owner in each year to come


class Unseen(Struct, frozen=True):
    """The faces that a seat has not seen: how many are real, their values together, and strengths
    of counterspies."""

    real: int
    value: int
    counterspies: tuple[int, ...]


class Table(Struct, frozen=True):
    """A view with what is looked up in it again and again. `rivals` tells how much of what an enemy
    loses is won; `looks` and `prospects` are a memory of what was weighed already."""

    view: View
    year: int
    unseen: Unseen
    police: Mapping[City, int]
    rivals: Mapping[Power, float]
    looks: dict[tuple[int, Code, Code], tuple[float, float]]
    prospects: dict[tuple[Power, int, City], float]

    @property
    def factor(self) -> int:
        return atlas().factors[self.year]


def table(view: View, year: int) -> Table:
    return Table(view, year, _unseen(view), view.enemy_police, _rivals(view), {}, {})


def _rivals(view: View) -> Mapping[Power, float]:
    enemies = [power for power in view.money if power not in view.powers]
    if len(view.seats) == 2:
        return dict.fromkeys(enemies, 1.0)
    hopes = {power: _hopes(view, power) for power in view.money}
    best = max(hopes.values())
    return {power: RIVALRY * max(0.2, 1 - (best - hopes[power]) / LEAD) for power in enemies}


def _hopes(view: View, power: Power) -> float:
    """Return the points for which a power may hope by what everybody sees: its originals that
    nobody has taken, and its record."""
    kept = sum(
        secret.origin == power and not secret.gone and secret.controller in (None, power)
        for secret in view.secrets
    )
    return A_SECRET * atlas().factors[LAST_YEAR] * kept + sum(
        (A_SECRET if entry.kind == "secret" else A_SPY) * atlas().factors[entry.year]
        for entry in view.record[power]
    )


def _unseen(view: View) -> Unseen:
    values = [face.value for face in atlas().faces.values() if face.value]
    strengths = [face.strength for face in atlas().faces.values() if face.strength]
    for secret in view.secrets:
        if secret.value is not None and secret.value in values:
            values.remove(secret.value)
        if secret.counterspy is not None and secret.counterspy in strengths:
            strengths.remove(secret.counterspy)
    return Unseen(len(values), sum(values), tuple(strengths))


@cache
def likelihood_of_arrest(host: Power, pieces: int, strength: int) -> float:
    """Return how likely so many pieces of a power's police together are stronger than a spy."""
    sums = [sum(some) for some in combinations(atlas().powers[host].police, pieces)]
    return sum(each > strength for each in sums) / len(sums)


def danger(here: Table, spy: SeenSpy, city: City) -> float:
    """Return how likely the police of enemies in a city capture a spy that does not answer."""
    host = atlas().owner(city)
    pieces = here.police.get(city, 0)
    return likelihood_of_arrest(host, pieces, spy.strength or 0) if host and pieces else 0.0


def loss(here: Table, spy: SeenSpy, captor: Power | None) -> float:
    """Return the points that a captured spy costs: what it brings its captor, and its service."""
    strength = spy.strength or 0
    years = LAST_YEAR - here.year
    given = here.rivals.get(captor or "", 0.0) * strength * here.factor
    return given + SERVICE * years * (0.5 + strength / 5)


def find(here: Table, spy: SeenSpy, secret: SeenSecret, city: City, spaces: int) -> float:
    """Return the points that looking at a secret in a city may be expected to bring to a spy that
    has so many spaces left then."""
    key = here.year, spy.spy, secret.secret
    if key not in here.looks:
        here.looks[key] = _look(here, spy, secret)
    value, besides = here.looks[key]
    far = atlas().distance(city, atlas().powers[spy.power].capital)
    return value * _cashed(here.year, far, spaces) + besides


def _look(here: Table, spy: SeenSpy, secret: SeenSecret) -> tuple[float, float]:
    """Return the value to hope for, and what looking brings besides, or costs."""
    bait = BAIT if _is_left_open(secret) else GUARDED if secret.controller else 1.0
    value, fear = _hope(here.unseen, secret, spy.strength or 0, bait)
    value *= 1 - _covered(here, secret)
    besides = URGENT if secret.origin is None and secret.controller is None else 0.0
    besides += value * atlas().factors[LAST_YEAR] * here.rivals.get(secret.origin or "", 0.0)
    return value, besides - fear * loss(here, spy, secret.controller or secret.origin)


def _cashed(year: int, far: int, spaces: int) -> float:
    """Return the factor for which a secret is cashed that is so far from home, times how likely it
    comes there."""
    if far > spaces:
        return ON_THE_WAY * _cashed(year + 1, far, spaces + atlas().most_spaces)
    return atlas().factors.get(best_year(year), 0)


def best_year(year: int) -> int:
    """Return the year in which to cash what is at home: the next one, if it counts more."""
    factors = atlas().factors
    return year + 1 if factors.get(year + 1, 0) > factors.get(year, 0) else year


def _hope(unseen: Unseen, secret: SeenSecret, strength: int, bait: float) -> tuple[float, float]:
    """Return the mean value, and how often a counterspy catches the spy. `bait` is how much more
    often than by chance it is a counterspy."""
    if secret.value is not None:
        return float(secret.value), 0.0
    if secret.counterspy is not None:
        return 0.0, float(secret.counterspy > strength)
    all_ = unseen.real + bait * len(unseen.counterspies)
    if not all_:
        return 0.0, 0.0
    stronger = sum(other > strength for other in unseen.counterspies)
    return unseen.value / all_, bait * stronger / all_


def _is_left_open(secret: SeenSecret) -> bool:
    """Return whether an original lies at home where its owner could guard it, and does not."""
    owner = secret.origin
    return bool(owner and not secret.controller and secret.city in atlas().powers[owner].homes)


def _covered(here: Table, secret: SeenSecret) -> float:
    """Return how likely whoever controls the secret holds a Cover and can pay it."""
    holder = secret.controller or ""
    chits = here.view.chits.get(holder, 0)
    if not chits or here.view.money[holder] < atlas().costs["cover"]:
        return 0.0
    of_all = atlas().chits["cover"] / sum(atlas().chits.values())
    return 0.6 * (1 - (1 - of_all) ** chits)


def may_discover(view: View, spy: SeenSpy, secret: SeenSecret) -> bool:
    """Return whether a spy may discover a secret (4.3.1) and may hope to: not from a carrier who
    may be as strong."""
    if secret.gone or secret.city is None:
        return False
    carrier = owner_of(secret.spy) if secret.spy else None
    if carrier in view.powers:
        return False
    if secret.spy and _strength(view, secret.spy) >= (spy.strength or 0):
        return False
    return carrier is not None if secret.origin == spy.power else secret.origin not in view.powers


def _strength(view: View, code: Code) -> int:
    """Return the strength of a spy, or one to reckon with."""
    told = next(spy.strength for spy in view.spies if spy.spy == code)
    return 3 if told is None else told
