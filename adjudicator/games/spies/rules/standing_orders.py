"""Standing orders: how sheets change them, and which rule fits (rules 6.2 to 6.7).

A seat's rules are tried from the top. DEFAULT stands for the rules of 6.6 in its place, narrowed
by whatever else its line names. Which rule fired is told to nobody.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.games.spies.orders.values import (
    ALL,
    CARRYING,
    DEFAULT,
    NONE,
    STRENGTH,
    VALUE,
    Answer,
    Cond,
    Cover,
    Flee,
    Informer,
    Order,
    Spare,
)
from adjudicator.games.spies.rules.atlas import City, Code, Power, atlas, owner_of, power_of
from adjudicator.games.spies.rules.conditions import all_hold, covers
from adjudicator.games.spies.rules.control import leader, seat_of
from adjudicator.games.spies.rules.events import Reply
from adjudicator.games.spies.rules.movement import refuge
from adjudicator.games.spies.rules.state import Standing, State

R = TypeVar("R", Answer, Cover)

# 6.6
ANSWERS = (
    Answer("PAPERS", conds=(Cond(CARRYING),)),
    Answer("PAPERS", conds=(Cond(STRENGTH, ">=", 4),)),
    Answer("ESCAPE", conds=(Cond(CARRYING),)),
    Answer("ESCAPE", conds=(Cond(STRENGTH, ">=", 4),)),
)
COVERS = (Cover((ALL,), conds=(Cond(VALUE, ">=", 3),)),)


def merge(before: Standing, sheet: Sequence[Order]) -> Standing:
    """Return the standing orders after a sheet."""
    answers = tuple(order for order in sheet if isinstance(order, Answer))
    coverings = tuple(order for order in sheet if isinstance(order, Cover))
    flights = {
        spy: order.cities for order in sheet if isinstance(order, Flee) for spy in order.spies
    }
    spared = [order.things for order in sheet if isinstance(order, Spare)]
    wishes = [order.secrets for order in sheet if isinstance(order, Informer)]
    return replace(
        before,
        answer=_unless_usual(answers, Answer("DEFAULT")) if answers else before.answer,
        cover=_unless_usual(coverings, Cover((DEFAULT,))) if coverings else before.cover,
        flee={**before.flee, **flights},
        spare=_together(spared) if spared else before.spare,
        informer=_wished(_together(wishes)) if wishes else before.informer,
    )


def _unless_usual(given: tuple[R, ...], default: R) -> tuple[R, ...] | None:
    """Return None if a sheet says nothing but DEFAULT."""
    return None if given == (default,) else given


def _together(lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Read the lines of a sheet as one; NONE among others says nothing."""
    things = dict.fromkeys(thing for listed in lists for thing in listed if thing != NONE)
    return tuple(things)


def _wished(secrets: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the wishes of INFORMER; ALL is the default (6.6)."""
    return None if ALL in secrets else secrets or (NONE,)


def of(state: State, power: Power) -> Standing | None:
    """Return the standing orders of the seat that leads a power, None for a dormant one."""
    seat = seat_of(state, power)
    return state.standing.get(seat, Standing()) if seat else None


def answer_rules(standing: Standing) -> Iterator[Answer]:
    for rule in ANSWERS if standing.answer is None else standing.answer:
        if rule.act != DEFAULT:
            yield rule
            continue
        for usual in ANSWERS:
            conds = (*rule.conds, *usual.conds)
            yield replace(usual, spies=rule.spies, against=rule.against, conds=conds)


def cover_rules(standing: Standing) -> Iterator[Cover]:
    for rule in COVERS if standing.cover is None else standing.cover:
        if rule.secrets != (DEFAULT,):
            yield rule
            continue
        for usual in COVERS:
            yield replace(usual, against=rule.against, conds=(*rule.conds, *usual.conds))


def answer(state: State, spy: Code, searcher: Power) -> tuple[Reply, City | None] | None:
    """Return how a searched spy answers, and where it flees to; None if it does not answer
    (6.2)."""
    power = power_of(spy)
    standing = of(state, power)
    if standing is None:
        return None
    city = state.spies[spy].city
    for rule in answer_rules(standing):
        named = spy in (rule.spies or (spy,)) and searcher in (rule.against or (searcher,))
        if not named or not all_hold(state, power, spy, city, rule.conds):
            continue
        if rule.act == NONE:
            return None
        if rule.act == "PAPERS" and can_pay(state, power, "papers"):
            return "papers", None
        if rule.act == "ESCAPE" and can_pay(state, power, "escape"):
            to = refuge(state, power, spy, searcher, flee_list(standing, spy))
            if to:
                return "escape", to
    return None


def flee_list(standing: Standing, spy: Code) -> tuple[City, ...]:
    """Return where a spy wants to flee; a list of its own shuts out that of ALL (6.4)."""
    return standing.flee.get(spy, standing.flee.get(ALL, ()))


def is_covered(state: State, power: Power, secret: Code, discoverer: Power) -> bool:
    """Return whether the power that controls a secret plays Cover (6.3)."""
    standing = of(state, power)
    if standing is None:
        return False
    for rule in cover_rules(standing):
        named = ALL in rule.secrets or NONE in rule.secrets or secret in rule.secrets
        if not named or discoverer not in (rule.against or (discoverer,)):
            continue
        if not covers(state, power, secret, rule.conds):
            continue
        if NONE in rule.secrets:
            return False
        if can_pay(state, power, "cover"):
            return True
    return False


def can_pay(state: State, power: Power, kind: str) -> bool:
    """Return whether a power has the chit and its cost (6.1)."""
    hand = state.hands[power]
    return hand.chits.get(kind, 0) > 0 and hand.money >= atlas().costs[kind]


def spares(state: State, power: Power, spy: Code, city: City) -> bool:
    """Return whether a power does not search a spy in a city (6.4)."""
    standing = of(state, power)
    if standing is None:
        return False
    return not {ALL, city, spy, owner_of(spy)}.isdisjoint(standing.spare)


def wishes(state: State, power: Power, secrets: Sequence[Code]) -> tuple[Code, ...]:
    """Return those of some secrets that the power wants for nothing, in order of wish (5.8,
    6.4)."""
    standing = state.standing.get(leader(state, power), Standing())
    if standing.informer is None:
        return tuple(secrets)
    return tuple(code for code in standing.informer if code in secrets)


def new_standing_orders(state: State, seat: Seat, sheet: Sequence[Order]) -> Standing | None:
    """Return the seat's standing orders after its sheet, None if they stay as they are."""
    before = state.standing.get(seat, Standing())
    after = merge(before, sheet)
    return after if after != before else None
