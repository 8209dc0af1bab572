"""Tips for players who are new to Spies, from a seat's view alone.

Each is a row of `TIPS`, and none points at what the seat cannot do or pay for now. In mode `years`
other powers may act before the reader's orders are carried out, so tips say how things are and what
can be done.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.tips import Holes, Tip, choose, fitting, when
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page.names import CHITS, place
from adjudicator.games.spies.rules.atlas import LAST_YEAR, City, Code, Power, atlas
from adjudicator.games.spies.rules.tiles import in_time
from adjudicator.games.spies.sight.view import SeenSecret, SeenSpy, View

_DEAR = 3  # the value from which on a secret is worth guarding
_WEAK = 2  # the strength up to which police catch a spy easily


class Table(Struct, frozen=True):
    """A view, and what is looked up in it again and again. `spies` are the seat's own on the map,
    of the powers that it may order now: `moving`."""

    view: View
    words: Words
    spies: Sequence[SeenSpy]
    moving: Sequence[Power]

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

    @property
    def playable(self) -> Iterator[tuple[Power, str]]:
        """Yield the tiles that can be played this year, each with the power that holds it."""
        for power in self.moving:
            for tile in self.view.own_tiles.get(power, ()):
                if in_time(tile, self.view.year):
                    yield power, tile

    def can_pay(self, power: Power, chit: str) -> bool:
        held = getattr(self.view.own_chits[power], chit)
        return bool(held) and self.view.money[power] >= atlas().costs[chit]

    def can_discover(self, spy: SeenSpy) -> bool:
        return not spy.carries and self.can_pay(spy.power, "discovery")

    def near_secrets(self) -> list[tuple[int, Code, Code, City, Power]]:
        """Return the secrets within reach of a spy with free hands, in a city without enemy police:
        how far each is, from which spy, its code, its city, and the spy's power."""
        return [
            (far, spy.spy, secret.secret, city, spy.power)
            for spy in self.spies
            if spy.city and self.can_discover(spy)
            for secret, city in self.worth_a_try
            if not self.view.enemy_police.get(city)
            if (far := atlas().distance(spy.city, city)) <= atlas().most_spaces
        ]


def table(view: View, words: Words) -> Table:
    playing = view.phase == "play"
    own = [spy for spy in view.spies if spy.power in view.moving and spy.city]
    return Table(view, words, own if playing else (), view.moving if playing else ())


# In the set-up.


def _guard_the_best(table: Table) -> Iterator[Holes]:
    best = max(table.originals, key=lambda one: one.value or 0, default=None)
    if table.view.phase == "setup" and best and best.value:
        yield {"secret": best.secret, "n": best.value}


def _leave_a_counterspy(table: Table) -> Iterator[Holes]:
    """A counterspy works for its first owner while it lies at home, also without police (4.4)."""
    if table.view.phase == "setup":
        yield from ({"secret": one.secret} for one in table.originals if one.counterspy)


def _start_near_home(table: Table) -> Iterator[Holes]:
    if table.view.phase == "setup":
        capital = atlas().powers[table.view.moving[0]].capital
        yield {"capital": table.place(capital), "n": atlas().most_spaces}


# What the seat can do now.


def _bring_home(table: Table) -> Iterator[Holes]:
    """A foreign secret that can be cashed this year (4.6)."""
    origin = {one.secret: one.origin for one in table.view.secrets}
    for spy in table.spies:
        if not spy.carries or not spy.city or origin[spy.carries] in table.view.powers:
            continue
        capital = atlas().powers[spy.power].capital
        far = atlas().distance(spy.city, capital)
        if 0 < far <= atlas().most_spaces:
            yield {
                "n": far,
                "spy": spy.spy,
                "secret": spy.carries,
                "capital": table.place(capital),
                "money": atlas().cash,
            }


def _discover_here(table: Table) -> Iterator[Holes]:
    for spy in filter(table.can_discover, table.spies):
        for secret, city in table.worth_a_try:
            if city == spy.city:
                yield {
                    "spy": spy.spy,
                    "city": table.place(city),
                    "secret": secret.secret,
                    "chit": CHITS["discovery"],
                    "n": atlas().costs["discovery"],
                }


def _near_secret(table: Table) -> Iterator[Holes]:
    near = [one for one in table.near_secrets() if one[0]]
    if near:
        far, spy, secret, city, _ = min(near)
        yield {"n": far, "secret": secret, "city": table.place(city), "spy": spy}


def _tile_for_you(table: Table) -> Iterator[Holes]:
    """A tile that can be played this year works in a city with an own spy (5.8)."""
    for power, tile in table.playable:
        cities = [city for effect in atlas().effects(tile) for city in effect.cities]
        for spy in table.spies:
            if spy.power == power and spy.city in cities:
                yield {"tile": tile, "city": table.place(spy.city or ""), "spy": spy.spy}


def _last_chance_of_a_tile(table: Table) -> Iterator[Holes]:
    tiles = (tile for _, tile in table.playable)
    last = (tile for tile in tiles if atlas().tiles[tile].last_year == table.view.year)
    yield from ({"tile": tile} for tile in last)


def _bring_back(table: Table) -> Iterator[Holes]:
    """A captured spy and the chit that frees it (5.7)."""
    for spy in table.view.spies:
        captured = spy.power in table.moving and spy.captor and not spy.dead
        if captured and table.can_pay(spy.power, "escape"):
            yield {"spy": spy.spy, "word": CHITS["escape"], "n": atlas().costs["escape"]}


def _strong_discoverer(table: Table) -> Iterator[Holes]:
    """Whoever discovers an unknown secret may meet a counterspy (4.4)."""
    unknown = any(one.value is None and one.counterspy is None for one, _ in table.foreign)
    ready = [spy for spy in table.spies if table.can_discover(spy) and spy.strength]
    if unknown and ready:
        best = max(ready, key=lambda one: one.strength or 0)
        yield {"spy": best.spy, "n": best.strength or 0}


# What is missing.


def _no_discovery(table: Table) -> Iterator[Holes]:
    for power in table.moving:
        if not table.view.own_chits[power].discovery:
            yield {"power": TITLES[power], "chit": CHITS["discovery"]}


def _no_money(table: Table) -> Iterator[Holes]:
    cost = atlas().costs["discovery"]
    for power in table.moving:
        if (money := table.view.money[power]) < cost:
            yield {"power": TITLES[power], "money": money, "n": cost}


def _no_answer(table: Table) -> Iterator[Holes]:
    """Neither chit that answers a search (6.1)."""
    for power in table.moving:
        chits = table.view.own_chits[power]
        if table.spies and not chits.papers and not chits.escape:
            yield {
                "power": TITLES[power],
                "papers": CHITS["papers"],
                "escape": CHITS["escape"],
            }


def _no_cover(table: Table) -> Iterator[Holes]:
    for power in table.moving:
        holds = any(one.controller == power for one in table.view.secrets)
        if holds and not table.view.own_chits[power].cover:
            yield {"power": TITLES[power], "chit": CHITS["cover"]}


# What is in danger.


def _unguarded(table: Table) -> Iterator[Holes]:
    """An own secret of some value lies at home without police on it, best the dearest."""
    found = [
        (one.value, one.secret, one.city)
        for one in table.originals
        if one.value and one.value >= _DEAR and one.city and not one.controller
        if one.origin and one.city in atlas().powers[one.origin].homes
    ]
    if table.playing and found:
        value, secret, city = max(found)
        yield {"secret": secret, "city": table.place(city), "n": value}


def _weak_spy(table: Table) -> Iterator[Holes]:
    """A weak spy where enemy police can search it (5.2)."""
    found = [
        (spy.strength, spy.spy, spy.city)
        for spy in table.spies
        if spy.city and spy.strength and spy.strength <= _WEAK
        if table.view.enemy_police.get(spy.city)
    ]
    if found:
        strength, spy, city = min(found)
        yield {"spy": spy, "n": strength, "city": table.place(city)}


def _intruder(table: Table) -> Iterator[Holes]:
    """An enemy spy in an own city without police; these go there before they search (5.2)."""
    guarded = {piece.city for piece in table.view.own_police}
    homes = [city for power in table.moving for city in atlas().powers[power].homes]
    for spy in table.view.spies:
        if spy.power not in table.view.powers and spy.city in homes and spy.city not in guarded:
            yield {"spy": spy.spy, "city": table.place(spy.city)}


def _stolen(table: Table) -> Iterator[Holes]:
    """An enemy spy carries an own secret (4.3)."""
    if any(table.can_pay(power, "discovery") for power in table.moving):
        for one in table.originals:
            if one.spy and one.controller not in table.view.powers:
                yield {"spy": one.spy, "secret": one.secret}


# What the year means.


def _double_points(table: Table) -> Iterator[Holes]:
    first = min(year for year, factor in atlas().factors.items() if factor > 1)
    if table.playing and table.view.year in (first - 2, first - 1):
        yield {"year": str(first)}


# The most useful first.
TIPS: Mapping[str, Tip[Table]] = {
    "bring_home": Tip(
        _bring_home,
        count(
            "Your spy {spy} carries {secret}. {capital} is {n} space away, and there it brings "
            "{money} £ and a chit.",
            "Your spy {spy} carries {secret}. {capital} is {n} spaces away, and there it brings "
            "{money} £ and a chit.",
            1,
        ),
    ),
    "discover_here": Tip(
        _discover_here,
        say(
            "Your spy {spy} is in {city}, and so is {secret}. It can try to discover that, for a "
            "{chit} chit and {n} £."
        ),
    ),
    "tile_for_you": Tip(
        _tile_for_you,
        say(
            "Your event tile {tile} can be played this year. It works for you in {city}, where "
            "your spy {spy} is."
        ),
    ),
    "stolen": Tip(
        _stolen,
        say(
            "The spy {spy} carries your secret {secret}. If one of your stronger spies is in the "
            "same city, it can discover the secret and take it back."
        ),
    ),
    "unguarded": Tip(
        _unguarded,
        say("Your secret {secret} in {city} is worth {n} points, and no police guard it."),
    ),
    "bring_back": Tip(
        _bring_back,
        say(
            "Your spy {spy} is captured. {word} as its first step brings it back, for a chit and "
            "{n} £."
        ),
    ),
    "near_secret": Tip(
        _near_secret,
        count(
            "{secret} is in {city}, {n} space from your spy {spy}. No enemy police are there now.",
            "{secret} is in {city}, {n} spaces from your spy {spy}. No enemy police are there now.",
            1,
        ),
    ),
    "weak_spy": Tip(
        _weak_spy,
        say("Your spy {spy} has only strength {n}, and the police in {city} may search it."),
    ),
    "intruder": Tip(
        _intruder,
        say(
            "The spy {spy} is in {city}, where you have no police. Police that you move there "
            "search it, if it is still there in your turn."
        ),
    ),
    "last_year": Tip(
        when(lambda table: table.playing and table.view.year == LAST_YEAR),
        say("A foreign secret scores only if it is cashed. After this year it is too late."),
    ),
    "no_discovery": Tip(
        _no_discovery,
        say("{power} has no {chit} chit. Cashed secrets and event tiles bring new chits."),
    ),
    "last_chance_of_a_tile": Tip(
        _last_chance_of_a_tile,
        say("This is the last year in which your event tile {tile} can be played."),
    ),
    "strong_discoverer": Tip(
        _strong_discoverer,
        say(
            "An unknown secret may be a counterspy, which catches a weaker spy. Your strongest one "
            "with free hands is {spy} ({n})."
        ),
    ),
    "double_points": Tip(
        _double_points,
        say("From {year} on, cashed secrets and captured spies score double."),
    ),
    "no_money": Tip(_no_money, say("{power} has only {money} £, and a discovery costs {n} £.")),
    "no_answer": Tip(
        _no_answer,
        say("{power} has neither {papers} nor {escape}, so its spies cannot answer a search."),
    ),
    "no_cover": Tip(_no_cover, say("{power} has no {chit} chit, so it cannot answer a discovery.")),
    "several_goals": Tip(
        when(lambda table: table.spies and table.view.mode == "years"),
        say(
            "Other powers may act before you this year. Name several destinations for a spy: the "
            "first one that is possible is used."
        ),
    ),
    "guard_the_best": Tip(
        _guard_the_best,
        say(
            "Your secret {secret} is worth {n} points. Strong police on it may catch a spy that "
            "comes for it."
        ),
    ),
    "leave_a_counterspy": Tip(
        _leave_a_counterspy,
        say(
            "Your secret {secret} is a counterspy. At home it works for you without police, too, "
            "and can catch a weaker spy that discovers it."
        ),
    ),
    "start_near_home": Tip(
        _start_near_home,
        say(
            "A foreign secret scores when your spy brings it to {capital}. A spy goes up to {n} "
            "spaces a year, so do not start too far away."
        ),
    ),
}


def tip(view: View, words: Words) -> Message | None:
    """Return a tip for this year; None if none fits, or if the seat's turns go on by the rules."""
    if view.seat in view.left or not view.moving:
        return None
    at = list(view.seats).index(view.seat) + view.powers.index(view.moving[0])
    return choose(fitting(TIPS, table(view, words)).values(), view.turn + at)
