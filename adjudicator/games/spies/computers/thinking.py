"""A player with a plan: find what is worth most, bring it home, and guard what is its own.

It is greedy: spy by spy, the strongest first, it takes what promises most points for the chits
and the money that are left. It neither bluffs, deals nor spares, and leaves answers and covers to
the defaults (6.6). Its two tempers differ in how much a discovery must promise to be tried.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from adjudicator.core.dice import Stream
from adjudicator.games.spies.computers.weighing import (
    Table,
    danger,
    gain,
    may_discover,
    table,
)
from adjudicator.games.spies.orders.values import (
    CARRYING,
    EMPTY,
    HOME,
    Cond,
    Discover,
    Drop,
    Escape,
    Go,
    Goal,
    Order,
    Place,
    Plan,
    Play,
    Post,
    SetUp,
    Step,
)
from adjudicator.games.spies.rules.atlas import (
    LETTERS,
    City,
    Code,
    Power,
    atlas,
    owner_of,
    police_codes,
    secret_codes,
    spy_codes,
)
from adjudicator.games.spies.rules.tiles import in_time
from adjudicator.games.spies.sight.view import SeenSecret, SeenSpy, View

BOLD, CAUTIOUS = 0.3, 0.8  # points that a discovery must promise
SPACE = 0.12  # points that a space on the way counts
TASTE = 1.0  # points by which one secret may seem better than another for no reason
KEPT_COVERS = 2  # for so many the money is kept back


class Purse(Struct):
    """The means of a power that are left while its spies are sent out one after another."""

    discoveries: int
    escapes: int
    money: int

    def pays(self, kind: str) -> bool:
        cost = atlas().costs[kind]
        number = self.discoveries if kind == "discovery" else self.escapes
        return number > 0 and self.money >= cost

    def spend(self, kind: str) -> None:
        self.money -= atlas().costs[kind]
        if kind == "discovery":
            self.discoveries -= 1
        else:
            self.escapes -= 1


def bold(view: View, chance: Stream) -> tuple[Order, ...]:
    return _ordered(view, chance, BOLD)


def cautious(view: View, chance: Stream) -> tuple[Order, ...]:
    return _ordered(view, chance, CAUTIOUS)


def _ordered(view: View, chance: Stream, least: float) -> tuple[Order, ...]:
    if view.phase == "setup":
        return (SetUp(), *(line for power in view.powers for line in _places(view, power, chance)))
    here = table(view)
    return tuple(order for power in view.moving for order in _turn(here, power, chance, least))


def _turn(here: Table, power: Power, chance: Stream, least: float) -> Iterator[Order]:
    yield from _tile(here.view, power)
    yield from _posts(here.view, power)
    chits = here.view.own_chits[power]
    kept = atlas().costs["cover"] * min(chits.cover, KEPT_COVERS)
    purse = Purse(chits.discovery, chits.escape, here.view.money[power] - kept)
    spies = [spy for spy in here.view.spies if spy.power == power]
    wanted: set[Code] = set()
    for spy in sorted(spies, key=lambda spy: (spy.carries is None, -(spy.strength or 0))):
        if steps := tuple(_steps(here, spy, purse, wanted, chance, least)):
            yield Plan(spy.spy, steps)


# The set-up.


def _places(view: View, power: Power, chance: Stream) -> Iterator[Place]:
    """Place the dearest secrets where police can guard them, with a strong piece on each, and the
    spies where neutral secrets lie within reach of home, the strong ones first."""
    seen = {secret.secret: secret for secret in view.secrets}
    codes = sorted(secret_codes(LETTERS[power]), key=lambda code: -_worth(seen[code]))
    places = (city for city in atlas().powers[power].homes for _ in range(atlas().most_secrets))
    room = sorted(chance.shuffled(places), key=lambda city: -atlas().cities[city].max_police)
    at = dict(zip(codes, room, strict=False))
    for code in secret_codes(LETTERS[power]):
        yield Place(code, at[code])
    yield from (Place(piece, city, on) for piece, (city, on) in _spots(power, codes, at).items())
    capital = atlas().powers[power].capital
    goals = sorted(atlas().neutral_cities, key=lambda city: atlas().distance(city, capital))
    near = chance.shuffled(goals[: len(spy_codes(power)) + 1])
    spies = sorted(
        (spy for spy in view.spies if spy.power == power), key=lambda spy: -(spy.strength or 0)
    )
    for spy, city in zip(spies, near, strict=False):
        yield Place(spy.spy, city)


def _worth(secret: SeenSecret) -> float:
    """Return what a secret is worth to guard; a counterspy is a trap and needs no guard."""
    return secret.value or 0.5


def _spots(
    power: Power, codes: Sequence[Code], at: dict[Code, City]
) -> dict[Code, tuple[City, Code | None]]:
    """Return a place for each piece: on the secrets in order of worth while there is room, then
    anywhere."""
    room = {city: atlas().cities[city].max_police for city in atlas().powers[power].homes}
    spots: dict[Code, tuple[City, Code | None]] = {}
    pieces = list(police_codes(power))
    for code in codes:
        city = at.get(code)
        if city and room.get(city, 0) and pieces:
            spots[pieces.pop(0)] = city, code
            room[city] -= 1
    for city, number in room.items():
        for _ in range(number):
            if pieces:
                spots[pieces.pop()] = city, None
    return spots


# A turn.


def _tile(view: View, power: Power) -> Iterator[Order]:
    """Choose the tile that gives it most beside what it gives to others; none that gives only
    them."""
    good = [tile for tile in view.own_tiles[power] if in_time(tile, view.year)]
    best = max(good, key=lambda tile: _gift(view, tile), default=None)
    if best and _gift(view, best) > 0:
        yield Play(best)


def _gift(view: View, tile: str) -> float:
    total = 0.0
    for effect in atlas().effects(tile):
        each = {"chits": 6.0, "money": 1.0, "free_discovery": 12.0}[effect.type] * effect.amount
        for city in effect.cities:
            there = {spy.power for spy in view.spies if spy.city == city}
            mine = len(there & set(view.powers))
            total += each * (mine - 0.4 * (len(there) - mine))
    return total


def _posts(view: View, power: Power) -> Iterator[Order]:
    """Send pieces elsewhere that should not stay where they are."""
    home = [
        secret
        for secret in view.secrets
        if secret.origin == power and secret.spy is None and not secret.gone
        if secret.city in atlas().powers[power].homes
    ]
    home.sort(key=lambda secret: (-_worth(secret), secret.secret))
    at = {secret.secret: secret.city or "" for secret in home}
    spots = _spots(power, [secret.secret for secret in home], at)
    now = {piece.police: (piece.city, piece.on) for piece in view.own_police}
    for piece, (city, on) in spots.items():
        if now[piece] != (city, on):
            yield Post(piece, city, on)


def _steps(
    here: Table, spy: SeenSpy, purse: Purse, wanted: set[Code], chance: Stream, least: float
) -> Iterator[Step]:
    if spy.captor:
        if spy.dead or not purse.pays("escape") or (spy.strength or 0) < 2:
            return
        purse.spend("escape")
        yield Escape()
    if spy.carries:
        yield from _homewards(here, spy)
        return
    capital = atlas().powers[spy.power].capital
    start = spy.city or capital
    target = _target(here, spy, start, purse, wanted, chance, least)
    if target is None:
        yield from _waiting(here, spy, start, chance)
        return
    wanted.add(target.secret)
    purse.spend("discovery")
    city = target.city or capital
    if city != start:
        conds = (Cond(target.secret),) if target.spy is None else ()
        yield Go((Goal(city, conds=conds), Goal(city, near=True)))
    yield Discover((target.secret, *_others_there(here.view, spy, target)))
    yield Go((Goal(HOME, conds=(Cond(CARRYING),)), Goal(HOME, near=True, conds=(Cond(CARRYING),))))


def _homewards(here: Table, spy: SeenSpy) -> Iterator[Step]:
    """Send a spy home, or to a city near it, best one without police."""
    capital = atlas().powers[spy.power].capital
    if spy.carries and owner_of(spy.carries) == spy.power:
        yield Go((Goal(HOME), Goal(HOME, near=True)))
        yield Drop()
        return
    start = spy.city or capital
    if atlas().distance(start, capital) > atlas().most_spaces:
        reached = [c for c, far in atlas().distances[start].items() if far <= atlas().most_spaces]
        safe = min(
            reached,
            key=lambda c: (atlas().distance(c, capital) + 2 * here.police.get(c, 0), c),
        )
        yield Go((Goal(safe),))
        return
    yield Go((Goal(HOME), Goal(HOME, near=True)))


def _target(
    here: Table,
    spy: SeenSpy,
    start: City,
    purse: Purse,
    wanted: set[Code],
    chance: Stream,
    least: float,
) -> SeenSecret | None:
    """Choose the secret within reach that promises most, if it promises enough."""
    view = here.view
    if not purse.pays("discovery"):
        return None
    strengths = {other.spy: other.strength for other in view.spies if other.strength}
    papers = view.own_chits[spy.power].papers
    best, most = None, least
    for secret in view.secrets:
        if secret.secret in wanted or not may_discover(view, spy, secret, strengths):
            continue
        city = secret.city or start
        far = atlas().distance(start, city)
        if far > atlas().most_spaces:
            continue
        points = gain(here, spy, secret, city)
        points -= danger(here, spy, city, papers) if far else 0.0
        back = atlas().distance(city, atlas().powers[spy.power].capital)
        points -= SPACE * max(0, far + back - atlas().most_spaces)
        points += TASTE * (chance.below(101) / 100 - 0.5)
        if points > most:
            best, most = secret, points
    return best


def _others_there(view: View, spy: SeenSpy, target: SeenSecret) -> Sequence[Code]:
    """Return what to take if the target is gone: other uncontrolled secrets in that city."""
    return tuple(
        secret.secret
        for secret in view.secrets
        if secret.city == target.city and secret.secret != target.secret
        if secret.spy is None and secret.controller is None and secret.origin not in view.powers
        if secret.counterspy is None
    )[:1]


def _waiting(here: Table, spy: SeenSpy, start: City, chance: Stream) -> Iterator[Step]:
    """Send a spy that has nothing to find where a tile in hand pays next year, away from police."""
    view = here.view
    pays: dict[City, float] = {}
    for tile in view.own_tiles[spy.power]:
        if in_time(tile, view.year + 1):
            for effect in atlas().effects(tile):
                each = 3.0 if effect.type == "chits" else 0.6
                for city in effect.cities:
                    pays[city] = pays.get(city, 0.0) + each * effect.amount
    taken = {s.city for s in view.spies if s.power in view.powers and s.spy != spy.spy}
    reached = chance.shuffled(
        city
        for city, far in atlas().distances[start].items()
        if far <= atlas().most_spaces and not here.police.get(city) and city not in taken
    )
    if reached:
        city = max(reached, key=lambda city: pays.get(city, 0.0))
        if pays.get(city, 0.0) or here.police.get(start):
            yield Go((Goal(city, conds=(Cond(EMPTY),)),))
