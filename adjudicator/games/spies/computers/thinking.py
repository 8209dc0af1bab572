"""A player with a plan: find what is worth most, bring it home, and guard what is its own.

It is greedy: spy by spy, the strongest first, it takes what promises most points for the chits
and the money that are left. It neither deals nor spares. Its two tempers differ in what they dare:
the cautious one goes where no police can catch its spies, and keeps its standing orders as they
are.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from adjudicator.core.dice import Stream
from adjudicator.games.spies.computers.guarding import places, posts
from adjudicator.games.spies.computers.raids import (
    Errands,
    Purse,
    Raid,
    best,
    homewards,
    raids,
    steps_of,
    waiting,
)
from adjudicator.games.spies.computers.tiles import next_tile, tile_now, worth
from adjudicator.games.spies.computers.weighing import Table, best_year, danger, table
from adjudicator.games.spies.orders.values import (
    ALL,
    CARRYING,
    EMPTY,
    HOME,
    POLICE,
    STRENGTH,
    VALUE,
    Answer,
    Cond,
    Cover,
    Drop,
    Escape,
    Go,
    Goal,
    Hold,
    Order,
    Plan,
    Play,
    SetUp,
    Step,
)
from adjudicator.games.spies.rules.atlas import LAST_YEAR, Code, Power, atlas, owner_of
from adjudicator.games.spies.sight.view import SeenSpy, View

MOST_TRIES, SPARE = 3, 1  # more than one try, if so many Discoveries are left for others
LENT = 20  # with so much money it may wait for what it could cash
KEPT_COVERS = 2  # for so many the money is kept back


class Habit(Struct, frozen=True):
    """What is done otherwise from year to year. `least` are the points that a raid must promise,
    `saved` the money kept for the years that count double, `at_hand` the money from which a spy
    tries more than once, `covered` the value from which secrets are covered, `fleeing` the strength
    from which spies flee, `few` the Discoveries below which chits are sought."""

    least: float
    saved: int
    at_hand: int
    covered: int
    fleeing: int
    few: int


HABITS = {
    1933: Habit(0.8, 20, 99, 3, 4, 3),
    1934: Habit(0.8, 15, 99, 3, 4, 3),
    1935: Habit(0.8, 15, 99, 3, 4, 3),
    1936: Habit(0.6, 15, 50, 3, 4, 2),
    1937: Habit(0.6, 10, 30, 3, 4, 2),
    1938: Habit(0.4, 0, 20, 2, 3, 1),
    1939: Habit(0.2, 0, 10, 1, 1, 0),
}


def bold(view: View, chance: Stream) -> tuple[Order, ...]:
    return _ordered(view, chance, risks=True)


def cautious(view: View, chance: Stream) -> tuple[Order, ...]:
    return _ordered(view, chance, risks=False)


def _ordered(view: View, chance: Stream, risks: bool) -> tuple[Order, ...]:
    if view.phase == "setup":
        return (SetUp(), *(line for power in view.powers for line in places(view, power, chance)))
    here = table(view, view.year)
    wanted: set[Code] = set()
    lines: list[Order] = []
    standing: list[Order] = []
    for power in view.moving:
        gains = worth(view, power, HABITS[view.year].few)
        tile = next_tile(view, power, gains)
        errands = Errands(_purse(view, power), tile, gains, wanted)
        lines += _turn(here, power, chance, errands, risks)
        standing += _answers(errands)
    if risks:
        lines += [*standing, *_general(view)]
    return tuple(lines)


def _purse(view: View, power: Power) -> Purse:
    chits = view.own_chits[power]
    kept = atlas().costs["cover"] * min(chits.cover, KEPT_COVERS)
    return Purse(
        chits.discovery,
        chits.papers,
        chits.escape,
        view.money[power] - kept - HABITS[view.year].saved,
    )


def _turn(
    here: Table, power: Power, chance: Stream, errands: Errands, risks: bool
) -> Iterator[Order]:
    if tile := tile_now(here.view, power, errands.worth):
        yield Play(tile)
    yield from posts(here.view, power)
    plans: list[Order] = []
    spies = [spy for spy in here.view.spies if spy.power == power]
    for spy in sorted(spies, key=lambda spy: (spy.carries is None, -(spy.strength or 0))):
        if steps := tuple(_steps(here, spy, errands, chance, risks)):
            plans.append(Plan(spy.spy, steps))
    yield from plans
    if _waits(here, power):
        yield Hold((ALL,))


def _waits(here: Table, power: Power) -> bool:
    """Return whether a power cashes nothing now, because it will count more next year."""
    return best_year(here.year) != here.year and here.view.money[power] >= LENT


def _steps(
    here: Table, spy: SeenSpy, errands: Errands, chance: Stream, risks: bool
) -> Iterator[Step]:
    purse = errands.purse
    if spy.captor:
        if spy.dead or not purse.pays("escape"):
            return
        if here.year < LAST_YEAR and (spy.strength or 0) < 2:
            return
        purse.spend("escape")
        yield Escape()
    if spy.carries:
        yield from _homewards(here, spy)
        if not _will_be_empty(here, spy):
            return
    start = spy.city or atlas().powers[spy.power].capital
    way = _way(here, spy, errands, chance, risks)
    if not way:
        yield from waiting(here, spy, errands, start)
        return
    if any(raid.papers for raid in way):
        errands.ready.append(spy.spy)
    else:
        pieces = max(here.police.get(raid.city, 0) for raid in way)
        errands.bold.setdefault(max(1, pieces), []).append(spy.spy)
    tries = 1
    at_hand = HABITS[here.year].at_hand
    while tries < MOST_TRIES and purse.discoveries > SPARE and purse.money >= at_hand:
        purse.spend("discovery")
        tries += 1
    yield from steps_of(here, spy, errands, start, way, tries)


def _will_be_empty(here: Table, spy: SeenSpy) -> bool:
    """Return whether what a spy carries is cashed before its plan begins (4.6)."""
    at_home = spy.city == atlas().powers[spy.power].capital
    return at_home and owner_of(spy.carries or "N") != spy.power and not _waits(here, spy.power)


def _way(
    here: Table, spy: SeenSpy, errands: Errands, chance: Stream, risks: bool
) -> Sequence[Raid]:
    """Choose one or two raids, and pay for them."""
    way: list[Raid] = []
    purse = errands.purse
    at, left = spy.city or atlas().powers[spy.power].capital, atlas().most_spaces
    while len(way) < 2 and purse.pays("discovery"):
        found = [
            raid
            for raid in raids(here, spy, at, left, risks and purse.pays("papers"))
            if raid.secret not in errands.wanted
            if risks or not danger(here, spy, raid.city)
        ]
        raid = best(found, chance)
        if raid is None or raid.points < HABITS[here.year].least:
            break
        errands.wanted.add(raid.secret)
        if not way:
            purse.spend("discovery")
        if raid.papers:
            purse.spend("papers")
        left -= atlas().distance(at, raid.city)
        at = raid.city
        way.append(raid)
    return way


def _homewards(here: Table, spy: SeenSpy) -> Iterator[Step]:
    """Send a spy home, or to a city near it, best one without police."""
    capital = atlas().powers[spy.power].capital
    start = spy.city or capital
    if start == capital:
        return
    if atlas().distance(start, capital) > atlas().most_spaces:
        yield Go((Goal(homewards(here, spy, start, atlas().most_spaces)),))
        return
    yield Go((Goal(HOME), Goal(HOME, near=True)))
    if spy.carries and owner_of(spy.carries) == spy.power:
        yield Drop()


def _answers(errands: Errands) -> Iterator[Order]:
    if errands.ready:
        yield Answer("PAPERS", tuple(errands.ready))
    for pieces, spies in errands.bold.items():
        yield Answer("NONE", tuple(spies), conds=(Cond(EMPTY), Cond(POLICE, "<=", pieces)))


def _general(view: View) -> Iterator[Order]:
    """Answer for those that nothing was said of, and keep back what is worth it."""
    yield Answer("PAPERS", conds=(Cond(CARRYING),))
    yield Answer("ESCAPE", conds=(Cond(STRENGTH, ">=", HABITS[view.year].fleeing),))
    yield Cover((ALL,), conds=(Cond(VALUE, ">=", HABITS[view.year].covered),))
