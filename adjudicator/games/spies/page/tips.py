"""Tips for players who are new to Spies, from a seat's view alone.

Each kind is a function that returns its tip where that fits, and none points at what the seat
cannot do or pay for now. In mode `years` other powers may act before the reader's orders are
carried out, so tips say how things are and what can be done.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.tips import chosen
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page.names import CHITS, place
from adjudicator.games.spies.rules.atlas import LAST_YEAR, City, Power, atlas
from adjudicator.games.spies.rules.tiles import in_time
from adjudicator.games.spies.sight.view import SeenSecret, SeenSpy, View

_DEAR = 3  # the value from which on a secret is worth guarding
_WEAK = 2  # the strength up to which police catch a spy easily


class Table(Struct, frozen=True):
    """A view, and what is looked up in it again and again. `spies` are the seat's own on the map,
    of the powers that it may order now."""

    view: View
    words: Words
    spies: Sequence[SeenSpy]

    @property
    def playing(self) -> bool:
        return self.view.phase == "play"

    def place(self, city: City) -> str:
        return place(city, self.words)

    @property
    def worth_a_try(self) -> Iterator[tuple[SeenSecret, City]]:
        return ((one, city) for one, city in self.foreign if not one.counterspy)

    @property
    def foreign(self) -> Iterator[tuple[SeenSecret, City]]:
        """Yield the secrets that began with an enemy or with nobody and that no spy carries, and
        where each lies."""
        for secret in self.view.secrets:
            if secret.city and not secret.spy and secret.origin not in self.view.powers:
                yield secret, secret.city

    @property
    def originals(self) -> Sequence[SeenSecret]:
        return [one for one in self.view.secrets if one.origin in self.view.moving]


def table(view: View, words: Words) -> Table:
    own = [spy for spy in view.spies if spy.power in view.moving and spy.city]
    return Table(view, words, own if view.phase == "play" else ())


# In the set-up.


def guard_the_best(table: Table) -> Message | None:
    if table.view.phase != "setup":
        return None
    best = max(table.originals, key=lambda one: one.value or 0, default=None)
    if best is None or not best.value:
        return None
    return say(
        "Your secret {secret} is worth {n} points. Strong police on it may catch a spy that comes"
        " for it.",
        secret=best.secret,
        n=best.value,
    )


def leave_a_counterspy(table: Table) -> Message | None:
    """A counterspy works for its first owner while it lies at home, also without police (4.4)."""
    if table.view.phase != "setup":
        return None
    for one in table.originals:
        if one.counterspy:
            return say(
                "Your secret {secret} is a counterspy. At home it works for you without police,"
                " too, and can catch a weaker spy that discovers it.",
                secret=one.secret,
            )
    return None


def start_near_home(table: Table) -> Message | None:
    if table.view.phase != "setup":
        return None
    capital = atlas().powers[table.view.moving[0]].capital
    return say(
        "A foreign secret scores when your spy brings it to {capital}. A spy goes up to {n} spaces"
        " a year, so do not start too far away.",
        capital=table.place(capital),
        n=atlas().most_spaces,
    )


# What the seat can do now.


def bring_home(table: Table) -> Message | None:
    """A foreign secret that can be cashed this year (4.6)."""
    for spy in table.spies:
        if not spy.carries or not spy.city or origin_of(table, spy.carries) in table.view.powers:
            continue
        capital = atlas().powers[spy.power].capital
        far = atlas().distance(spy.city, capital)
        if 0 < far <= atlas().most_spaces:
            return count(
                "Your spy {spy} carries {secret}. {capital} is {n} space away, and there it brings"
                " {money} £ and a chit.",
                "Your spy {spy} carries {secret}. {capital} is {n} spaces away, and there it brings"
                " {money} £ and a chit.",
                far,
                spy=spy.spy,
                secret=spy.carries,
                capital=table.place(capital),
                money=atlas().cash,
            )
    return None


def discover_here(table: Table) -> Message | None:
    cost = atlas().costs["discovery"]
    for spy in table.spies:
        if not can_discover(table, spy):
            continue
        for secret, city in table.worth_a_try:
            if city == spy.city:
                return say(
                    "Your spy {spy} is in {city}, and so is {secret}. It can try to discover that,"
                    " for a {chit} chit and {n} £.",
                    spy=spy.spy,
                    city=table.place(city),
                    secret=secret.secret,
                    chit=CHITS["discovery"],
                    n=cost,
                )
    return None


def near_secret(table: Table) -> Message | None:
    """A secret within reach of a spy with free hands, in a city without enemy police."""
    found = [
        (atlas().distance(spy.city, city), spy.spy, secret.secret, city)
        for spy in table.spies
        if spy.city and can_discover(table, spy)
        for secret, city in table.worth_a_try
        if not table.view.enemy_police.get(city) and city != spy.city
    ]
    near = [one for one in found if one[0] <= atlas().most_spaces]
    if not near:
        return None
    far, spy, code, city = min(near)
    return count(
        "{secret} is in {city}, {n} space from your spy {spy}. No enemy police are there now.",
        "{secret} is in {city}, {n} spaces from your spy {spy}. No enemy police are there now.",
        far,
        secret=code,
        city=table.place(city),
        spy=spy,
    )


def tile_for_you(table: Table) -> Message | None:
    """A tile that can be played this year works in a city with an own spy (5.8)."""
    for power in _moving(table):
        for tile in table.view.own_tiles.get(power, ()):
            if not in_time(tile, table.view.year):
                continue
            cities = [city for effect in atlas().effects(tile) for city in effect.cities]
            for spy in table.spies:
                if spy.power == power and spy.city in cities:
                    return say(
                        "Your event tile {tile} can be played this year. It works for you in"
                        " {city}, where your spy {spy} is.",
                        tile=tile,
                        city=table.place(spy.city or ""),
                        spy=spy.spy,
                    )
    return None


def last_chance_of_a_tile(table: Table) -> Message | None:
    for power in _moving(table):
        for tile in table.view.own_tiles.get(power, ()):
            if in_time(tile, table.view.year) and atlas().tiles[tile].last_year == table.view.year:
                return say(
                    "This is the last year in which your event tile {tile} can be played.",
                    tile=tile,
                )
    return None


def bring_back(table: Table) -> Message | None:
    """A captured spy and the chit that frees it (5.7)."""
    for spy in table.view.spies:
        if not table.playing or spy.power not in table.view.moving or not spy.captor or spy.dead:
            continue
        if _can_pay(table, spy.power, "escape"):
            return say(
                "Your spy {spy} is captured. {word} as its first step brings it back, for a chit"
                " and {n} £.",
                spy=spy.spy,
                word=CHITS["escape"],
                n=atlas().costs["escape"],
            )
    return None


def several_goals(table: Table) -> Message | None:
    if not table.spies or table.view.mode != "years":
        return None
    return say(
        "Other powers may act before you this year. Name several destinations for a spy: the first"
        " one that is possible is used."
    )


def strong_discoverer(table: Table) -> Message | None:
    """Whoever discovers an unknown secret may meet a counterspy (4.4)."""
    unknown = any(one.value is None and one.counterspy is None for one, _ in table.foreign)
    ready = [spy for spy in table.spies if can_discover(table, spy) and spy.strength]
    if not unknown or not ready:
        return None
    best = max(ready, key=lambda one: one.strength or 0)
    return say(
        "An unknown secret may be a counterspy, which catches a weaker spy. Your strongest one"
        " with free hands is {spy} ({n}).",
        spy=best.spy,
        n=best.strength or 0,
    )


# What is missing.


def no_discovery(table: Table) -> Message | None:
    for power in _moving(table):
        if not table.view.own_chits[power].discovery:
            return say(
                "{power} has no {chit} chit. Cashed secrets and event tiles bring new chits.",
                power=TITLES[power],
                chit=CHITS["discovery"],
            )
    return None


def no_money(table: Table) -> Message | None:
    cost = atlas().costs["discovery"]
    for power in _moving(table):
        if table.view.money[power] < cost:
            return say(
                "{power} has only {money} £, and a discovery costs {n} £.",
                power=TITLES[power],
                money=table.view.money[power],
                n=cost,
            )
    return None


def no_answer(table: Table) -> Message | None:
    """Neither chit that answers a search (6.1)."""
    for power in _moving(table):
        chits = table.view.own_chits[power]
        if table.spies and not chits.papers and not chits.escape:
            return say(
                "{power} has neither {papers} nor {escape}, so its spies cannot answer a search.",
                power=TITLES[power],
                papers=CHITS["papers"],
                escape=CHITS["escape"],
            )
    return None


def no_cover(table: Table) -> Message | None:
    for power in _moving(table):
        holds = any(one.controller == power for one in table.view.secrets)
        if holds and not table.view.own_chits[power].cover:
            return say(
                "{power} has no {chit} chit, so it cannot answer a discovery.",
                power=TITLES[power],
                chit=CHITS["cover"],
            )
    return None


# What is in danger.


def unguarded(table: Table) -> Message | None:
    """An own secret of some value lies at home without police on it, best the dearest."""
    found = [
        (one.value, one.secret, one.city)
        for one in table.originals
        if one.value and one.value >= _DEAR and one.city and not one.controller
        if one.origin and one.city in atlas().powers[one.origin].homes
    ]
    if not table.playing or not found:
        return None
    value, code, city = max(found)
    return say(
        "Your secret {secret} in {city} is worth {n} points, and no police guard it.",
        secret=code,
        city=table.place(city),
        n=value,
    )


def weak_spy(table: Table) -> Message | None:
    """A weak spy where enemy police can search it (5.2)."""
    found = [
        (spy.strength, spy.spy, spy.city)
        for spy in table.spies
        if spy.city and spy.strength and spy.strength <= _WEAK
        if table.view.enemy_police.get(spy.city)
    ]
    if not found:
        return None
    strength, code, city = min(found)
    return say(
        "Your spy {spy} has only strength {n}, and the police in {city} may search it.",
        spy=code,
        n=strength,
        city=table.place(city),
    )


def intruder(table: Table) -> Message | None:
    """An enemy spy in an own city without police; these go there before they search (5.2)."""
    guarded = {piece.city for piece in table.view.own_police}
    homes = [city for power in _moving(table) for city in atlas().powers[power].homes]
    for spy in table.view.spies:
        if spy.power not in table.view.powers and spy.city in homes and spy.city not in guarded:
            return say(
                "The spy {spy} is in {city}, where you have no police. Police that you move there"
                " search it, if it is still there in your turn.",
                spy=spy.spy,
                city=table.place(spy.city),
            )
    return None


def stolen(table: Table) -> Message | None:
    """An enemy spy carries an own secret (4.3)."""
    if not any(_can_pay(table, power, "discovery") for power in _moving(table)):
        return None
    for one in table.originals:
        if one.spy and one.controller not in table.view.powers:
            return say(
                "The spy {spy} carries your secret {secret}. If one of your stronger spies is in "
                "the same city, it can discover the secret and take it back.",
                spy=one.spy,
                secret=one.secret,
            )
    return None


# What the year means.


def double_points(table: Table) -> Message | None:
    year, factors = table.view.year, atlas().factors
    first = min(one for one, factor in factors.items() if factor > 1)
    if not table.playing or year not in (first - 2, first - 1):
        return None
    return say("From {year} on, cashed secrets and captured spies score double.", year=str(first))


def last_year(table: Table) -> Message | None:
    if not table.playing or table.view.year != LAST_YEAR:
        return None
    return say("A foreign secret scores only if it is cashed. After this year it is too late.")


# The most useful first.
KINDS: Sequence[Callable[[Table], Message | None]] = (
    bring_home,
    discover_here,
    tile_for_you,
    stolen,
    unguarded,
    bring_back,
    near_secret,
    weak_spy,
    intruder,
    last_year,
    no_discovery,
    last_chance_of_a_tile,
    strong_discoverer,
    double_points,
    no_money,
    no_answer,
    no_cover,
    several_goals,
    guard_the_best,
    leave_a_counterspy,
    start_near_home,
)


def tip(view: View, words: Words) -> Message | None:
    """Return a tip for this year; None if none fits, or if the seat's turns go on by the rules."""
    if view.seat in view.left or not view.moving:
        return None
    at = list(view.seats).index(view.seat) + view.powers.index(view.moving[0])
    here = table(view, words)
    return chosen((kind(here) for kind in KINDS), view.turn + at)


def _moving(table: Table) -> Sequence[Power]:
    """Return the powers that the seat may order now."""
    return table.view.moving if table.playing else ()


def _can_pay(table: Table, power: Power, chit: str) -> bool:
    held = getattr(table.view.own_chits[power], chit)
    return bool(held) and table.view.money[power] >= atlas().costs[chit]


def can_discover(table: Table, spy: SeenSpy) -> bool:
    return not spy.carries and _can_pay(table, spy.power, "discovery")


def origin_of(table: Table, code: str) -> Power | None:
    return next(one.origin for one in table.view.secrets if one.secret == code)
