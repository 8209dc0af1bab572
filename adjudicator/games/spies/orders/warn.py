"""Warn of what cannot work as things stand now, judged on the sender's own view only (rules 9.6).
These are warnings, for things may change before a line's time comes."""

from collections.abc import Iterable, Iterator, Sequence

from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import Line, Problem, Sheet, problem
from adjudicator.games.spies.orders.missing_letters import complete_codes
from adjudicator.games.spies.orders.values import (
    DEFAULT,
    NONE,
    Answer,
    Cover,
    Discover,
    Drop,
    Escape,
    Give,
    Go,
    Goal,
    Kill,
    Order,
    Plan,
    Spare,
    Step,
)
from adjudicator.games.spies.orders.words import OWN_WORDS
from adjudicator.games.spies.rules.atlas import City, Code, Power, atlas, owner_of
from adjudicator.games.spies.rules.movement import city_named, nearest
from adjudicator.games.spies.sight.view import SeenSpy, View

Reached = tuple[City, int]  # a city, and the spaces that are left there

_EMPTY = {
    "setup": say(
        "your orders are empty, so your pieces are placed at random; SETUP AUTO places them with "
        "care"
    ),
    "play": say(
        "your orders are empty: your spies and police stay, and the tile with the earliest last "
        "year is discarded"
    ),
}


def warn(view: View, sheet: Sheet[Order]) -> Sequence[Problem]:
    """Return the lines that are allowed and cannot work as things stand, and of empty orders what
    they mean (6.7)."""
    if not sheet.written:
        return (Problem(0, "", _EMPTY[view.phase]),)
    if view.phase != "play":
        return ()
    orders = [(entry.line, complete_codes(entry.order, view.powers)) for entry in sheet.written]
    single = [problem(line, message) for line, order in orders for message in _now(view, order)]
    return sorted((*single, *_too_many(view, orders)), key=lambda found: found.line)


def _too_many(view: View, orders: Sequence[tuple[Line, Order]]) -> Iterator[Problem]:
    """Warn at the line whose discovery is the first that a power cannot pay for now, beside those
    of the lines above. A line that cannot be paid by itself is warned of as such."""
    for power in view.powers:
        chits, money = view.own_chits[power].discovery, view.money[power]
        paid = min(chits, money // atlas().costs["discovery"])
        wanted = 0
        for line, order in orders:
            if isinstance(order, Plan) and owner_of(order.spy) == power:
                before = wanted
                wanted += sum(isinstance(step, Discover) for step in order.steps)
                if before <= paid < wanted and paid:
                    yield problem(line, _pays_for(paid, chits, money))


def _pays_for(paid: int, chits: int, money: int) -> Message:
    return count(
        "you have {chits} {chit} and {money} £ now, enough for {n} discovery in these orders",
        "you have {chits} {chit} and {money} £ now, enough for {n} discoveries in these orders",
        paid,
        chits=chits,
        chit=OWN_WORDS["DISCOVERY"],
        money=money,
    )


def _now(view: View, order: Order) -> Iterator[Message]:
    match order:
        case Plan(spy, steps):
            for seen in view.spies:
                if seen.spy == spy and seen.power in view.powers:
                    yield from _plan(view, seen, steps)
        case Answer(act, spies) if act not in (NONE, DEFAULT):
            named = {owner_of(spy) for spy in spies}
            powers = [power for power in view.powers if not named or power in named]
            yield from _unpaid(view, powers, act.lower())
        case Cover(secrets) if secrets not in ((NONE,), (DEFAULT,)):
            yield from _unpaid(view, view.powers, "cover")
        case Give():
            yield from _gift(view, order)
        case Spare(things):
            guarded = {police.city for police in view.police}
            for thing in things:
                if thing in atlas().cities and thing not in guarded:
                    yield say("{city} has no police now, so nobody is searched there", city=thing)
        case _:
            return


def _plan(view: View, spy: SeenSpy, steps: Sequence[Step]) -> Iterator[Message]:
    begins = bool(steps) and isinstance(steps[0], Escape)
    if begins and (spy.captor is None or spy.dead):
        yield say("{spy} is not captured, so it cannot return", spy=spy.spy)
    elif begins:
        yield from _unpaid(view, [spy.power], "escape")
    elif spy.dead:
        yield say("{spy} is dead", spy=spy.spy)
    elif spy.captor:
        yield say("{spy} is captured; a plan for it must begin with ESCAPE", spy=spy.spy)
    yield from _ways(view, spy, steps)
    if spy.city or begins:
        yield from _finds(view, spy, steps)
    kinds = {type(step) for step in steps}
    if Discover in kinds:
        yield from _unpaid(view, [spy.power], "discovery")
    if Kill in kinds:
        yield from _unpaid(view, [spy.power], "dagger")


def _ways(view: View, spy: SeenSpy, steps: Sequence[Step]) -> Iterator[Message]:
    """Warn of goals that cannot be reached from anywhere to which the steps before may have led."""
    capital = atlas().powers[spy.power].capital
    here: set[Reached] = {(spy.city or capital, atlas().most_spaces)}
    for step in steps:
        if isinstance(step, Go):
            yield from _far(spy, step.goals, here)
            here = _led(view, spy, step.goals, here)


def _finds(view: View, spy: SeenSpy, steps: Sequence[Step]) -> Iterator[Message]:
    """Warn of discoveries with full hands, and of those for which nothing is where a spy is led."""
    capital = atlas().powers[spy.power].capital
    here: set[Reached] = {(spy.city or capital, atlas().most_spaces)}
    load = spy.carries
    for step in steps:
        if isinstance(step, Go):
            here = _led(view, spy, step.goals, here)
        cities = {city for city, _ in here}
        if isinstance(step, Drop | Escape) or (capital in cities and not _is_own(spy, load)):
            load = None  # it is laid down, or may have been cashed
        if isinstance(step, Discover):
            yield from _found(view, spy, load, step, cities)


def _found(
    view: View, spy: SeenSpy, load: Code | None, step: Discover, cities: set[City]
) -> Iterator[Message]:
    if load:
        yield say(
            "{spy} already carries {secret}, so it cannot discover anything; a step {drop} before"
            " it would help",
            spy=spy.spy,
            secret=load,
            drop=OWN_WORDS["DROP"],
        )
    elif not any(s.secret in step.secrets and s.city in cities for s in view.secrets):
        yield count(
            "{spy} finds nothing there: {secrets} is not in {cities} now",
            "{spy} finds nothing there: {secrets} are not in {cities} now",
            len(step.secrets),
            spy=spy.spy,
            secrets=", ".join(step.secrets),
            cities=", ".join(city for city in atlas().cities if city in cities),
        )


def _is_own(spy: SeenSpy, load: Code | None) -> bool:
    return load is not None and owner_of(load) == spy.power


def _far(spy: SeenSpy, goals: Iterable[Goal], here: set[Reached]) -> Iterator[Message]:
    for goal in goals:
        city = city_named(goal, spy.power)
        if not goal.near and all(atlas().distance(at, city) > left for at, left in here):
            yield say("{city} is out of reach of {spy} now", city=city, spy=spy.spy)


def _led(view: View, spy: SeenSpy, goals: Iterable[Goal], here: set[Reached]) -> set[Reached]:
    """Return where a GO step may lead. Conditions may hold or not, so all its goals count until one
    is sure."""
    police = view.enemy_police
    found: set[Reached] = set()
    for at, left in here:
        sure = False
        for goal in goals:
            city = city_named(goal, spy.power)
            if goal.near:
                city = nearest(at, city, left, lambda near: police.get(near, 0))
            far = atlas().distance(at, city)
            if far <= left:
                found.add((city, left - far))
                sure = not goal.conds
            if sure:
                break
        if not sure:
            found.add((at, left))
    return found


def _unpaid(view: View, powers: Sequence[Power], kind: str) -> Iterator[Message]:
    """Warn of a chit that none of the powers has now, or can pay for."""
    having = [power for power in powers if getattr(view.own_chits[power], kind)]
    if not having:
        yield say("you have no {chit} now", chit=OWN_WORDS[kind.upper()])
    elif all(view.money[power] < atlas().costs[kind] for power in having):
        yield say(
            "{chit} costs {n} £, which you do not have now",
            chit=OWN_WORDS[kind.upper()],
            n=atlas().costs[kind],
        )


def _gift(view: View, order: Give) -> Iterator[Message]:
    givers = [power for power in view.powers if power != order.power]
    if order.chit:
        if not any(getattr(view.own_chits[power], order.chit) for power in givers):
            yield say("you have no {chit} now", chit=OWN_WORDS[order.chit.upper()])
    elif all(view.money[power] < order.money for power in givers):
        yield say("you do not have {n} £ now", n=order.money)
