"""Pairs of Spies' states that one seat cannot tell apart (rules 7.2, 7.4, case 13)."""

from collections.abc import Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from adjudicator.core.game import Seat
from adjudicator.core.report import plain
from adjudicator.games.spies.rules.atlas import POWERS, atlas, owner_of
from adjudicator.games.spies.rules.control import face
from adjudicator.games.spies.rules.events import Reshuffled
from adjudicator.games.spies.rules.state import Hand, Secret, Spy, State
from adjudicator.games.spies.sight.observe import observe
from tests.games.spies.matches import fold

RARE = frozenset({Reshuffled})  # a pool of a hundred chits is seldom empty; a case empties it

__all__ = ["RARE", "fold", "standing_alike", "titles", "told_alike", "twin_of"]


def twin_of(state: State, seat: Seat, rng: Random) -> State:
    """Another truth behind the same view: strengths that the seat was not told change places
    within a power, faces among all secrets, chits and tiles among the other hands and what
    nobody holds; others stand under other orders and know other things."""
    own = state.seats[seat]
    theirs = [power for power in state.hands if power not in own]
    state = _strengths(state, seat, rng)
    state = _faces(state, seat, rng)
    state = _chits(state, theirs, rng)
    state = _tiles(state, theirs, rng)
    state = _police(state, own, rng)
    others = [other for other in state.seats if other != seat]
    known = {other: () if rng.random() < 0.5 else state.known[other] for other in others}
    setups = {other: "" for other in others if other in state.setups}
    return replace(
        state,
        known={**state.known, **known},
        setups={**state.setups, **setups},
    )


def _strengths(state: State, seat: Seat, rng: Random) -> State:
    spies: dict[str, Spy] = dict(state.spies)
    for power in state.hands:
        hidden = [
            code
            for code in spies
            if owner_of(code) == power
            and power not in state.seats[seat]
            and code not in state.known[seat]
        ]
        strengths = [spies[code].strength for code in hidden]
        rng.shuffle(strengths)
        for code, strength in zip(hidden, strengths, strict=True):
            spies[code] = replace(spies[code], strength=strength)
    return replace(state, spies=spies)


def _faces(state: State, seat: Seat, rng: Random) -> State:
    """A face that was found and cashed is real, one that was removed a counterspy: so much all
    saw."""
    secrets: dict[str, Secret] = dict(state.secrets)
    hidden = [code for code in secrets if code not in state.known[seat]]
    carried = [
        c for c in hidden if secrets[c].spy and owner_of(c) != owner_of(secrets[c].spy or "")
    ]
    seen = {
        "real": [c for c in hidden if secrets[c].gone == "cashed" or c in carried],
        "counterspy": [c for c in hidden if secrets[c].gone == "removed"],
    }
    seen["open"] = [c for c in hidden if c not in seen["real"] and c not in seen["counterspy"]]
    for codes in seen.values():
        faces = [secrets[code].face for code in codes]
        rng.shuffle(faces)
        for code, drawn in zip(codes, faces, strict=True):
            secrets[code] = replace(secrets[code], face=drawn)
    return replace(state, secrets=secrets)


def _chits(state: State, theirs: Sequence[str], rng: Random) -> State:
    lying = list(state.pool)
    hands: dict[str, Hand] = dict(state.hands)
    for power in theirs:
        lying += [kind for kind, number in hands[power].chits.items() for _ in range(number)]
    rng.shuffle(lying)
    for power in theirs:
        number = sum(hands[power].chits.values())
        drawn, lying = lying[:number], lying[number:]
        chits = {kind: drawn.count(kind) for kind in atlas().costs if kind in drawn}
        hands[power] = replace(hands[power], chits=chits)
    return replace(state, hands=hands, pool=tuple(lying))


def _tiles(state: State, theirs: Sequence[str], rng: Random) -> State:
    hands: dict[str, Hand] = dict(state.hands)
    lying = [tile for power in theirs for tile in hands[power].tiles]
    rng.shuffle(lying)
    for power in theirs:
        number = len(hands[power].tiles)
        hands[power] = replace(hands[power], tiles=tuple(lying[:number]))
        lying = lying[number:]
    return replace(state, hands=hands)


def _police(state: State, own: Sequence[str], rng: Random) -> State:
    """Other pieces of the same power stand there."""
    police = dict(state.police)
    for power in POWERS:
        if power in own:
            continue
        codes = [code for code in police if owner_of(code) == power]
        spots = [(police[code].city, police[code].on) for code in codes]
        rng.shuffle(spots)
        for code, (city, on) in zip(codes, spots, strict=True):
            police[code] = replace(police[code], city=city, on=on)
    return replace(state, police=police)


def standing_alike(one: State, other: State, seat: Seat) -> bool:
    return plain(observe(one, seat)) == plain(observe(other, seat))


def told_alike(one: State, other: State, seat: Seat) -> bool:
    """The same view, but for where others' police stand and what they guard, which is told by no
    event."""
    return _without_police(one, seat) == _without_police(other, seat)


def _without_police(state: State, seat: Seat) -> Any:
    told = plain(observe(state, seat))
    del told["police"]
    for secret in told["secrets"]:
        if secret["spy"] is None:
            del secret["controller"]
    return told


def titles(state: State) -> set[str]:
    """The titles of all secrets that are unlike each other."""
    shown = [face(state, code).title for code in state.secrets]
    return {title for title in shown if shown.count(title) == 1}
