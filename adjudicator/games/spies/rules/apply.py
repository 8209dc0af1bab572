"""Change the state as each fact says. Nothing here decides or draws anything."""

from collections.abc import Iterable, Mapping
from typing import Any, assert_never

from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.games.spies.rules.atlas import KINDS, LAST_YEAR, Code, Power, atlas, power_of
from adjudicator.games.spies.rules.control import guard_of, seat_of
from adjudicator.games.spies.rules.deal import count_chits
from adjudicator.games.spies.rules.events import (
    AnyEvent,
    Cash,
    Committed,
    Discover,
    Drop,
    Ended,
    Gain,
    Give,
    Go,
    Guard,
    Instructed,
    Kept,
    Kill,
    Left,
    Ordered,
    Passed,
    Placed,
    Rearranged,
    Reshuffled,
    Return,
    Search,
    Skipped,
    Spot,
    Take,
    Tile,
    Turned,
)
from adjudicator.games.spies.rules.state import DEAD, Entry, Hand, Police, Standing, State


def apply(state: State, event: AnyEvent) -> State:
    """Return the state after one fact."""
    match event:
        case Turned() | Skipped():
            return state
        case Ordered(ply=ply):
            return replace(state, ply=ply)
        case Committed(seat, text):
            return replace(state, setups={**state.setups, seat: text})
        case Instructed(seat, standing):
            return replace(state, standing={**state.standing, seat: standing})
        case Left(seat, reason):
            usual = {**state.standing, seat: Standing()}  # 6.7
            return replace(state, left={**state.left, seat: reason}, standing=usual)
        case Passed(to_move, year):
            return replace(state, to_move=to_move, year=year)
        case Ended(outcome):
            return replace(state, outcome=outcome, to_move=None)
        case Placed() | Rearranged() | Guard():
            return _posted(state, event)
        case Tile() | Gain() | Reshuffled() | Give():
            return _in_hand(state, event)
        case Go() | Return() | Take() | Drop() | Cash() | Kept():
            return _on_the_way(state, event)
        case Search() | Discover() | Kill():
            return _met(state, event)
        case _:
            assert_never(event)


def _posted(state: State, event: Placed | Rearranged | Guard) -> State:
    match event:
        case Placed():
            state = _with_police(state, event.police)
            for code, city in event.secrets.items():
                state = _secret(state, code, city=city)
            for code, city in event.spies.items():
                state = _spy(state, code, city=city)
            return state
        case Rearranged():
            return _with_police(state, event.police)
        case Guard():
            return _with_police(state, {event.police: Spot(event.city, event.secret)})


def _in_hand(state: State, event: Tile | Gain | Reshuffled | Give) -> State:
    match event:
        case Tile(power, _, tile, played):
            tiles = tuple(held for held in state.hands[power].tiles if held != tile)
            state = _hand(state, power, tiles=tiles)
            return replace(state, played=(*state.played, tile)) if played else state
        case Gain(power, _, _, kinds, money):
            return _drawn(_paid(state, power, -money), power, kinds)
        case Reshuffled(number, pool):
            return replace(state, shuffles=number, pool=(*state.pool, *pool), discard={})
        case Give(power, to, money, chit):
            state = _paid(_paid(state, power, money), to, -money)
            if chit:
                state = _chit(_chit(state, power, chit, -1), to, chit, 1)
            return state


def _on_the_way(state: State, event: Go | Return | Take | Drop | Cash | Kept) -> State:
    match event:
        case Go(_, spy, _, to):
            carried = state.spies[spy].carries
            state = _spy(state, spy, city=to)
            return _secret(state, carried, city=to) if carried else state
        case Return(power, spy, city):
            state = _used(state, power, "escape")
            state = _struck(state, spy)
            return _spy(state, spy, city=city, captor=None)
        case Take(_, spy, secret):
            return _carried(state, spy, secret)
        case Drop(_, spy):
            return _laid_down(state, spy)
        case Cash(power, _, spy, secret, chit):
            state = _spy(state, spy, carries=None)
            state = _secret(state, secret, city=None, spy=None, gone="cashed")
            state = _recorded(state, power, Entry("secret", secret, state.year))
            return _drawn(_paid(state, power, -atlas().cash), power, (chit,) if chit else ())
        case Kept(power, secrets):
            for code in secrets:
                if carrier := state.secrets[code].spy:
                    state = _spy(state, carrier, carries=None)
                state = _secret(state, code, spy=None, gone="kept")
                state = _recorded(state, power, Entry("secret", code, LAST_YEAR))
            return state


def _met(state: State, event: Search | Discover | Kill) -> State:
    match event:
        case Search():
            return _searched(state, event)
        case Discover():
            return _discovered(state, event)
        case Kill():
            return _killed(state, event)


def _searched(state: State, event: Search) -> State:
    owner = power_of(event.spy)
    if event.answer:
        state = _used(state, owner, event.answer)
    if event.to:
        state = _spy(_laid_down(state, event.spy), event.spy, city=event.to)
    if event.captured:
        state = _captured(state, event.spy, event.power)
    if event.strength is not None:
        state = _knowing(state, seat_of(state, event.power), (event.spy,))
    return state


def _discovered(state: State, event: Discover) -> State:
    if not event.free:
        state = _used(state, event.power, "discovery")
    if event.coverer:
        state = _used(state, event.coverer, "cover")
    if event.carrier and event.result != "covered":
        state = _knowing(state, seat_of(state, event.power), (event.carrier,))
        state = _knowing(state, seat_of(state, power_of(event.carrier)), (event.spy,))
    if event.result == "found":
        state = _carried(state, event.spy, event.secret)
        return _knowing(state, seat_of(state, event.power), (event.secret,))
    if event.result == "counterspy":
        return _counterspy_met(state, event)
    return state


def _counterspy_met(state: State, event: Discover) -> State:
    if event.carrier:
        state = _spy(state, event.carrier, carries=None)
    state = _unguarded(state, event.secret)
    state = _secret(state, event.secret, city=None, spy=None, gone="removed")
    if event.captured and event.by:
        state = _captured(state, event.spy, event.by)
    for name, part in event.told.items():
        seat = Seat(name)
        if part.counterspy:
            state = _knowing(state, seat, (event.secret,))
        if part.strength:
            state = _knowing(state, seat, (event.spy,))
    return state


def _killed(state: State, event: Kill) -> State:
    state = _used(state, event.power, "dagger")
    state = _knowing(state, seat_of(state, event.power), (event.victim,))
    state = _knowing(state, seat_of(state, power_of(event.victim)), (event.spy,))
    if event.result == "killed":
        return _captured(state, event.victim, DEAD)
    if event.result == "captured":
        return _captured(state, event.spy, power_of(event.victim))
    return state


# Pieces.


def _spy(state: State, code: Code, **changed: Any) -> State:
    return replace(state, spies={**state.spies, code: replace(state.spies[code], **changed)})


def _secret(state: State, code: Code, **changed: Any) -> State:
    secret = replace(state.secrets[code], **changed)
    return replace(state, secrets={**state.secrets, code: secret})


def _with_police(state: State, spots: Mapping[Code, Spot]) -> State:
    moved = {
        code: Police(state.police[code].strength, spot.city, spot.on)
        for code, spot in spots.items()
    }
    return replace(state, police={**state.police, **moved})


def _unguarded(state: State, secret: Code) -> State:
    """Free the police that stood on a secret."""
    code = guard_of(state, secret)
    if code is None:
        return state
    return replace(state, police={**state.police, code: replace(state.police[code], on=None)})


def _carried(state: State, spy: Code, secret: Code) -> State:
    before = state.secrets[secret].spy
    if before:
        state = _spy(state, before, carries=None)
    state = _spy(_unguarded(state, secret), spy, carries=secret)
    return _secret(state, secret, spy=spy)


def _laid_down(state: State, spy: Code) -> State:
    """Lay down what a spy carries, uncontrolled, where it is."""
    carried = state.spies[spy].carries
    if carried is None:
        return state
    return _secret(_spy(state, spy, carries=None), carried, spy=None)


def _captured(state: State, spy: Code, captor: str) -> State:
    state = _spy(_laid_down(state, spy), spy, city=None, captor=captor)
    if captor in state.record:
        state = _recorded(state, captor, Entry("spy", spy, state.year))
    return state


def _recorded(state: State, power: Power, entry: Entry) -> State:
    return replace(state, record={**state.record, power: (*state.record[power], entry)})


def _struck(state: State, spy: Code) -> State:
    """Strike a spy that came back from its captor's record (5.7)."""
    captor = state.spies[spy].captor
    if captor is None or captor not in state.record:
        return state
    entries = tuple(e for e in state.record[captor] if e.code != spy)
    return replace(state, record={**state.record, captor: entries})


# Hands.


def _hand(state: State, power: Power, **changed: Any) -> State:
    hand: Hand = replace(state.hands[power], **changed)
    return replace(state, hands={**state.hands, power: hand})


def _paid(state: State, power: Power, money: int) -> State:
    return _hand(state, power, money=state.hands[power].money - money)


def _chit(state: State, power: Power, kind: str, more: int) -> State:
    return _hand(state, power, chits=_changed(state.hands[power].chits, kind, more))


def _changed(chits: Mapping[str, int], kind: str, more: int) -> dict[str, int]:
    numbers = {k: chits.get(k, 0) + (more if k == kind else 0) for k in KINDS}
    return {k: number for k, number in numbers.items() if number}


def _used(state: State, power: Power, kind: str) -> State:
    """Pay for a chit, which goes to the discard (6.1)."""
    state = _chit(_paid(state, power, atlas().costs[kind]), power, kind, -1)
    return replace(state, discard=_changed(state.discard, kind, 1))


def _drawn(state: State, power: Power, kinds: tuple[str, ...]) -> State:
    """Draw the next chits of the pool."""
    for kind, number in count_chits(kinds).items():
        state = _chit(state, power, kind, number)
    return replace(state, pool=state.pool[len(kinds) :])


# Knowledge.


def _knowing(state: State, seat: Seat | None, codes: Iterable[Code]) -> State:
    """Let a seat know the strength of spies or the faces of secrets; they stay known (7.2)."""
    if seat is None or seat not in state.known:  # a dormant power
        return state
    before = state.known[seat]
    new = tuple(code for code in codes if code not in before)
    return replace(state, known={**state.known, seat: (*before, *new)}) if new else state
