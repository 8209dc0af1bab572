"""Discoveries, paid for or free (rules 4.3, 4.4, 5.8).

A paid try goes through gates in one order: is the secret allowed at all, can the try be paid,
does the enemy who controls it cover, is the discoverer stronger than a spy that carries it. Only
behind the last is the face looked at; a counterspy then meets the discoverer.
"""

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from adjudicator.games.spies.rules import standing_orders
from adjudicator.games.spies.rules.atlas import (
    LETTERS,
    NEUTRAL,
    POWERS,
    Code,
    Power,
    atlas,
    owner_of,
    power_of,
    secret_codes,
)
from adjudicator.games.spies.rules.control import (
    are_enemies,
    controller,
    face,
    friends,
    is_original,
    name_for,
)
from adjudicator.games.spies.rules.events import Discover, Learned
from adjudicator.games.spies.rules.ply_in_progress import Course
from adjudicator.games.spies.rules.state import NEUTRAL_BOX, State


def first_legal_secret(
    state: State, power: Power, spy: Code, secrets: Sequence[Code], not_again: Collection[Code]
) -> Code | None:
    """Return the first secret of a list that the spy may discover where it stands (4.3.1)."""
    if state.spies[spy].carries or state.spies[spy].city is None:
        return None
    return next(
        (code for code in secrets if code not in not_again and may(state, power, spy, code)), None
    )


def may(state: State, power: Power, spy: Code, secret: Code) -> bool:
    """Return whether a spy on the map that carries nothing may discover a secret (4.3.1)."""
    lying = state.secrets[secret]
    if lying.city != state.spies[spy].city:
        return False
    carrier = owner_of(lying.spy) if lying.spy else None
    if is_original(secret, power):
        return carrier is not None and are_enemies(state, power, carrier)
    own = friends(state, power)
    return owner_of(secret) not in own and carrier not in own


def discover(course: Course, power: Power, spy: Code, secret: Code) -> Discover:
    """Make a try that is paid for (4.3.2 to 4.3.5)."""
    event = _tried(course.state, power, spy, secret)
    course.tell(event)
    return event


def _tried(state: State, power: Power, spy: Code, secret: Code) -> Discover:
    lying, holder = state.secrets[secret], controller(state, secret)
    assert lying.city, "what is allowed lies where the spy stands"
    if holder and standing_orders.is_covered(state, holder, secret, power):
        return Discover(power, spy, secret, lying.city, False, "covered", coverer=holder)
    if lying.spy and state.spies[spy].strength <= state.spies[lying.spy].strength:
        told = _compared(state, power, spy, lying.spy)
        return Discover(
            power, spy, secret, lying.city, False, "guarded", carrier=lying.spy, told=told
        )
    return look_at(state, power, spy, secret, free=False)


def free_discovery(course: Course, power: Power, city: str) -> None:
    """Let the power's strongest spy there that carries nothing look at what it wants (5.8)."""
    state = course.state
    spies = [
        code
        for code, spy in state.spies.items()
        if owner_of(code) == power and spy.city == city and spy.carries is None
    ]
    if not spies:
        return
    strongest = max(spies, key=lambda code: state.spies[code].strength)  # the first of equals
    there = [
        code
        for code in in_print()
        if controller(state, code) is None and may(state, power, strongest, code)
    ]
    if wanted := standing_orders.wishes(state, power, there):
        course.tell(look_at(state, power, strongest, wanted[0], free=True))


def in_print() -> Iterator[Code]:
    """Yield all secrets in the order G, I, R, F, B, N."""
    for letter in (*(LETTERS[power] for power in POWERS), NEUTRAL):
        yield from secret_codes(letter)


def look_at(state: State, power: Power, spy: Code, secret: Code, *, free: bool) -> Discover:
    """Tell the face to the discoverer; a counterspy meets him (4.3.5, 4.4)."""
    lying, shown = state.secrets[secret], face(state, secret)
    assert lying.city, "what is allowed lies where the spy stands"
    told = _compared(state, power, spy, lying.spy) if lying.spy else {}
    seen = Discover(power, spy, secret, lying.city, free, "found", carrier=lying.spy)
    if shown.value is not None:
        _add(told, name_for(state, power), Learned(value=shown.value, title=shown.title))
        return replace(seen, told=told)
    counterspy, strength = shown.strength or 0, state.spies[spy].strength
    _add(told, name_for(state, power), Learned(counterspy=counterspy))
    worked_for = works_for(state, secret)
    if worked_for:
        _add(told, name_for(state, worked_for), Learned(counterspy=counterspy, strength=strength))
    captured = counterspy > strength
    by = (worked_for or NEUTRAL_BOX) if captured else None
    return replace(seen, result="counterspy", captured=captured, by=by, told=told)


def works_for(state: State, secret: Code) -> Power | None:
    """Return for whom a counterspy works: for whoever controls it, else for its owner while it lies
    in his home territory (4.4)."""
    holder, owner, city = controller(state, secret), owner_of(secret), state.secrets[secret].city
    if holder or owner is None or city is None:
        return holder
    return owner if atlas().owner(city) == owner else None


def _compared(state: State, power: Power, spy: Code, carrier: Code) -> dict[str, Learned]:
    """Tell both strengths to both owners (4.3.4)."""
    both = Learned(spy=state.spies[spy].strength, guard=state.spies[carrier].strength)
    return {name_for(state, power): both, name_for(state, power_of(carrier)): both}


def _add(told: dict[str, Learned], who: str, more: Learned) -> None:
    """Tell somebody more, beside strengths that he may have been told already."""
    before = told.get(who, Learned())
    told[who] = replace(more, spy=before.spy, guard=before.guard)
