"""Plan the way of one spy: where to look, what then, and where to wait.

A raid leads to a city, looks there, perhaps looks in a second city if the first one had nothing,
and leads home or out of sight of police in the same year. Where Papers are at hand, a search on
arrival does no harm; without them the raid must be worth the risk.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from adjudicator.core.dice import Stream
from adjudicator.games.spies.computers.tiles import Worth, payment
from adjudicator.games.spies.computers.weighing import Table, danger, find, loss, may_discover
from adjudicator.games.spies.orders.values import (
    CARRYING,
    EMPTY,
    HOME,
    Cond,
    Discover,
    Go,
    Goal,
    Step,
)
from adjudicator.games.spies.rules.atlas import LAST_YEAR, City, Code, atlas
from adjudicator.games.spies.sight.view import SeenSecret, SeenSpy

TASTE = 0.6  # points by which one secret may seem better than another for no reason
PAPERS = 0.25  # what a raid must promise more for each Papers that it may need
AS_GOOD = 3  # of so many raids from a city the mean is taken
CROWD = 0.3  # points by which a city is worse for an own spy that will stand there
COMPANY = 0.5  # spaces by which it is further for each enemy who could rob the spy there


class Purse(Struct):
    """The means of a power that are left while its spies are sent out one after another."""

    discoveries: int
    papers: int
    escapes: int
    money: int

    def pays(self, kind: str, number: int = 1) -> bool:
        held = {"discovery": self.discoveries, "papers": self.papers, "escape": self.escapes}
        return held[kind] >= number and self.money >= number * atlas().costs[kind]

    def spend(self, kind: str, number: int = 1) -> None:
        self.money -= number * atlas().costs[kind]
        match kind:
            case "discovery":
                self.discoveries -= number
            case "papers":
                self.papers -= number
            case _:
                self.escapes -= number


class Errands(Struct):
    """What a power's spies are sent for, one after another. `tile` is meant to be played next year,
    and some will stand where it pays. `ready` show Papers when they are searched, `bold` do not, as
    long as no more police are there than they reckoned with."""

    purse: Purse
    tile: str | None
    worth: Worth
    wanted: set[Code]
    stands: set[City] = field(default_factory=set)
    ready: list[Code] = []
    bold: dict[int, list[Code]] = {}


class Raid(Struct, frozen=True):
    """A secret to look at, the city in which it lies, what it promises, and whether the spy must be
    ready to show Papers."""

    secret: Code
    city: City
    points: float
    papers: bool


def raids(here: Table, spy: SeenSpy, start: City, spaces: int, papers: bool) -> Iterator[Raid]:
    """Yield all raids that a spy could make from a city."""
    for secret in here.view.secrets:
        if not may_discover(here.view, spy, secret):
            continue
        city = secret.city or start
        far = atlas().distance(start, city)
        if far <= spaces:
            points, shown = _promise(here, spy, secret, city, spaces - far, papers and far > 0)
            yield Raid(secret.secret, city, points, shown)


def _promise(
    here: Table, spy: SeenSpy, secret: SeenSecret, city: City, left: int, papers: bool
) -> tuple[float, bool]:
    """Return the points that a raid may be expected to bring, and whether with Papers."""
    host = atlas().owner(city)
    risk, cost = danger(here, spy, city), loss(here, spy, host)
    found = find(here, spy, secret, city, left)
    if not left:  # it stays there, and is searched again
        found -= risk * cost
    open_ = (1 - risk) * found - risk * cost
    shown = found - PAPERS
    return (shown, True) if papers and risk and shown > open_ else (open_, False)


def best(found: Sequence[Raid], chance: Stream) -> Raid | None:
    """Return the raid that promises most, with some taste."""
    mixed = [
        replace(raid, points=raid.points + TASTE * (chance.below(101) / 100)) for raid in found
    ]
    return max(mixed, key=lambda raid: raid.points, default=None)


def steps_of(
    here: Table, spy: SeenSpy, errands: Errands, start: City, way: Sequence[Raid], tries: int
) -> list[Step]:
    """Return the steps of some raids, one after another while the spy's hands are empty, and of its
    way out."""
    steps: list[Step] = []
    stops: list[tuple[City, int]] = []
    at, left = start, atlas().most_spaces
    for number, raid in enumerate(way):
        conds = (Cond(EMPTY),) if number else ()
        if raid.city != at:
            steps.append(Go((Goal(raid.city, conds=conds),)))
        listed = (raid.secret, *_others_there(here, spy, raid))
        steps.append(Discover(listed, tries if number == 0 else 1, conds))
        left -= atlas().distance(at, raid.city)
        at = raid.city
        stops.append((at, left))
    steps.append(_way_out(here, spy, errands, stops))
    return steps


def _others_there(here: Table, spy: SeenSpy, raid: Raid) -> tuple[Code, ...]:
    """Return what to take if the secret is gone, or cannot be had: others in that city."""
    found = [
        (find(here, spy, secret, raid.city, 0), secret.secret)
        for secret in here.view.secrets
        if secret.city == raid.city and secret.secret != raid.secret
        if may_discover(here.view, spy, secret)
    ]
    return tuple(code for points, code in sorted(found, reverse=True) if points > 0)[:2]


def _way_out(
    here: Table, spy: SeenSpy, errands: Errands, stops: Sequence[tuple[City, int]]
) -> Step:
    """Lead a spy home with what it carries, or as far as it comes from where it found it; else to
    where it waits."""
    near = dict.fromkeys(homewards(here, spy, at, left) for at, left in stops)
    carrying = (Cond(CARRYING),)
    goals = [Goal(city, conds=carrying) for city in (HOME, *near)]
    return Go((*goals, Goal(_waiting_place(here, spy, errands, *stops[-1]))))


def homewards(here: Table, spy: SeenSpy, at: City, left: int) -> City:
    """Return the city nearest to home within reach, one without police if it can be."""
    capital = atlas().powers[spy.power].capital
    reached = (city for city, far in atlas().distances[at].items() if far <= left)
    return min(
        reached,
        key=lambda city: (
            here.police.get(city, 0) > 0 and city != capital,
            -(-atlas().distance(city, capital) // atlas().most_spaces),
            atlas().distance(city, capital) + COMPANY * _company(here, spy, city),
            atlas().order[city],
        ),
    )


def _company(here: Table, spy: SeenSpy, city: City) -> int:
    return sum(s.city == city and s.power not in here.view.powers for s in here.view.spies)


def _waiting_place(here: Table, spy: SeenSpy, errands: Errands, at: City, left: int) -> City:
    """Return the city within reach from which a raid promises most next year, or in which the tile
    pays that will be played."""
    if here.year == LAST_YEAR:
        return homewards(here, spy, at, left)
    later = replace(here, year=here.year + 1)
    reached = [city for city, far in atlas().distances[at].items() if far <= left]
    place = max(
        [city for city in reached if city not in here.police] or reached,
        key=lambda city: (
            _prospect(later, spy, city)
            + (-CROWD if city in errands.stands else payment(errands.worth, errands.tile, city)),
            -atlas().order[city],
        ),
    )
    errands.stands.add(place)
    return place


def _prospect(later: Table, spy: SeenSpy, city: City) -> float:
    """Return what the best raids from a city promise in the mean."""
    kind = spy.power, spy.strength or 0, city
    if kind not in later.prospects:
        found = raids(later, spy, city, atlas().most_spaces, papers=True)
        best_ones = sorted((raid.points for raid in found), reverse=True)[:AS_GOOD]
        later.prospects[kind] = sum(best_ones) / AS_GOOD
    return later.prospects[kind]


def waiting(here: Table, spy: SeenSpy, errands: Errands, start: City) -> Iterator[Step]:
    """Send a spy that finds nothing now where it may find something next year."""
    place = _waiting_place(here, spy, errands, start, atlas().most_spaces)
    if place != start:
        yield Go((Goal(place),))
