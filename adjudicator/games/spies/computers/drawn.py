"""A player that draws everything it orders: for tests, and for those who want to win.

What it draws is what a player might send: goals within reach, secrets that lie about, its own
tiles; now and then a line that cannot work, a condition, a list. It never sends a problem.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from adjudicator.core.dice import Stream
from adjudicator.games.spies.orders.values import (
    ALL,
    CARRYING,
    DEFAULT,
    EMPTY,
    HOME,
    MONEY,
    NONE,
    POLICE,
    STRENGTH,
    VALUE,
    Answer,
    Cond,
    Conds,
    Cover,
    Discard,
    Discover,
    Drop,
    Escape,
    Flee,
    Give,
    Go,
    Goal,
    Hold,
    Informer,
    Kill,
    Order,
    Plan,
    Play,
    Post,
    SetUp,
    Spare,
    Step,
    Take,
)
from adjudicator.games.spies.rules.atlas import KINDS, POWERS, City, Code, Power, atlas, owner_of
from adjudicator.games.spies.rules.tiles import in_time
from adjudicator.games.spies.sight.view import SeenSpy, View

T = TypeVar("T")

OPS = (">=", "<=", "=")


def random_sheet(view: View, chance: Stream) -> tuple[Order, ...]:
    """Draw some sheet that is allowed; now and then an empty one."""
    if view.phase == "setup":
        return (SetUp("RANDOM"), *_standing(view, chance)) if chance.below(4) else ()
    if chance.below(12) == 0:
        return ()
    turn = [order for power in view.moving for order in _turn(view, power, chance)]
    return (*turn, *_standing(view, chance))


def _turn(view: View, power: Power, chance: Stream) -> Iterator[Order]:
    yield from _tile(view, power, chance)
    yield from _posts(view, power, chance)
    for spy in chance.shuffled(spy for spy in view.spies if spy.power == power):
        if chance.below(6):
            yield Plan(spy.spy, tuple(_steps(view, spy, chance)))
    if chance.below(6) == 0:
        yield Hold((ALL,) if chance.below(2) else _some(_codes(view), chance, 2))
    yield from _gifts(view, power, chance)


def _tile(view: View, power: Power, chance: Stream) -> Iterator[Order]:
    held = view.own_tiles[power]
    good = [tile for tile in held if in_time(tile, view.year)]
    if good and chance.below(8):
        yield Play(chance.choice(good))
    elif held and chance.below(2):
        yield Discard(chance.choice(held))


def _posts(view: View, power: Power, chance: Stream) -> Iterator[Order]:
    """Send some pieces to free places, each perhaps on a secret that nobody else is sent to."""
    if chance.below(3) == 0:
        return
    at = {p.police: p.city for p in view.own_police if owner_of(p.police) == power}
    secrets = [s.secret for s in view.secrets if s.origin == power]
    for piece in list(at):
        if chance.below(3):
            continue
        room = [
            city
            for city in atlas().powers[power].homes
            if list({**at, piece: None}.values()).count(city) < atlas().cities[city].max_police
        ]
        city = chance.choice(room)
        at[piece] = city
        there = [s.secret for s in view.secrets if s.city == city and s.secret in secrets]
        on = chance.choice(there or secrets) if secrets and chance.below(4) else None
        if on:
            secrets.remove(on)
        yield Post(piece, city, on)


def _steps(view: View, spy: SeenSpy, chance: Stream) -> Iterator[Step]:
    if spy.captor:
        yield Escape()
    city = spy.city or atlas().powers[spy.power].capital
    for _ in range(1 + chance.below(4)):
        match chance.below(8):
            case 0 | 1 | 2:
                step, city = _go(view, city, chance)
                yield step
            case 3 | 4 | 5:
                yield _discover(view, spy, city, chance)
            case 6:
                yield _hand_work(view, spy, city, chance)
            case _:
                yield Go((Goal(HOME, bool(chance.below(2)), _conds(view, chance)),))


def _go(view: View, city: City, chance: Stream) -> tuple[Go, City]:
    near = [c for c, far in atlas().distances[city].items() if far <= 4]
    goals = [Goal(chance.choice(near), chance.below(6) == 0, _conds(view, chance))]
    for _ in range(chance.below(3)):
        goals.append(Goal(chance.choice(near), chance.below(6) == 0, _conds(view, chance)))
    return Go(tuple(goals)), goals[-1].place


def _discover(view: View, spy: SeenSpy, city: City, chance: Stream) -> Discover:
    there = [
        s.secret
        for s in view.secrets
        if s.city == city and not s.gone and (s.origin != spy.power or s.spy)
    ]
    others = [s.secret for s in view.secrets if not s.gone]
    secrets = _some(there, chance, 3) if there and chance.below(8) else _some(others, chance, 4)
    conds = _conds(view, chance) if chance.below(3) == 0 else ()
    return Discover(secrets, 1 + chance.below(3), conds)


def _hand_work(view: View, spy: SeenSpy, city: City, chance: Stream) -> Step:
    enemies = [s.spy for s in view.spies if s.power not in view.powers]
    here = [s.spy for s in view.spies if s.spy in enemies and s.city == city]
    if view.assassination and chance.below(2):
        return Kill(chance.choice(here or enemies), _conds(view, chance))
    own = [s.secret for s in view.secrets if s.origin == spy.power]
    there = [s.secret for s in view.secrets if s.secret in own and s.city == city]
    if chance.below(3):
        return Take(chance.choice(there or own), _conds(view, chance))
    return Drop(_conds(view, chance))


def _gifts(view: View, power: Power, chance: Stream) -> Iterator[Order]:
    others = [p for p in view.money if p not in view.powers]
    if len(view.seats) > 2 and chance.below(6) == 0:
        if chance.below(2):
            yield Give(chance.choice(others), 1 + chance.below(20))
        else:
            yield Give(chance.choice(others), chit=chance.choice(KINDS))


def _standing(view: View, chance: Stream) -> Iterator[Order]:
    if chance.below(3):
        return
    enemies = [power for power in POWERS if power not in view.powers]
    spies = [spy.spy for spy in view.spies if spy.power in view.powers]
    yield from _answers(view, spies, enemies, chance)
    yield from _covers(view, enemies, chance)
    for _ in range(chance.below(2)):
        listed = (ALL,) if chance.below(2) else _some(spies, chance, 2)
        yield Flee(listed, _some(tuple(atlas().cities), chance, 8))
    if chance.below(4) == 0:
        homes = [city for power in view.powers for city in atlas().powers[power].homes]
        theirs = [spy.spy for spy in view.spies if spy.power in enemies]
        yield Spare(_some((*enemies, *homes, *theirs), chance, 3) if chance.below(2) else (NONE,))
    if chance.below(4) == 0:
        yield Informer(_some(_codes(view), chance, 5) if chance.below(2) else (ALL,))


def _answers(
    view: View, spies: Sequence[Code], enemies: Sequence[Power], chance: Stream
) -> Iterator[Order]:
    for _ in range(chance.below(4)):
        act = ("PAPERS", "ESCAPE", "PAPERS", "ESCAPE", "NONE", "DEFAULT")[chance.below(6)]
        named = _some(spies, chance, 2) if chance.below(2) else ()
        against = _some(enemies, chance, 2) if chance.below(3) == 0 else ()
        # The act is one of the three that the order knows; a choice among strings loses their type.
        yield Answer(act, named, against, _conds(view, chance))  # type: ignore[arg-type]


def _covers(view: View, enemies: Sequence[Power], chance: Stream) -> Iterator[Order]:
    for _ in range(chance.below(3)):
        words = ((ALL,), (NONE,), (DEFAULT,), _some(_codes(view), chance, 3))
        conds = (Cond(VALUE, ">=", 1 + chance.below(5)), Cond(MONEY, ">=", chance.below(30)))
        against = _some(enemies, chance, 2) if chance.below(3) == 0 else ()
        yield Cover(chance.choice(words), against, conds[: chance.below(3)])


def _codes(view: View) -> Sequence[str]:
    return [secret.secret for secret in view.secrets]


def _conds(view: View, chance: Stream) -> Conds:
    """Draw conditions, mostly none."""
    if chance.below(4):
        return ()
    found = [
        Cond(CARRYING),
        Cond(CARRYING, chance.choice(OPS), chance.below(6)),
        Cond(EMPTY),
        Cond(POLICE, chance.choice(OPS), chance.below(3)),
        Cond(MONEY, chance.choice(OPS), chance.below(60)),
        Cond(STRENGTH, chance.choice(OPS), 1 + chance.below(5)),
        Cond(chance.choice(_codes(view))),
    ]
    return _some(found, chance, 2)


def _some(things: Sequence[T], chance: Stream, most: int) -> tuple[T, ...]:
    """Draw one to `most` different things."""
    return tuple(chance.shuffled(things)[: 1 + chance.below(most)])
