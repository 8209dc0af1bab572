"""A ply that breaks what must hold of pieces, records, chits and money is found and refused."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.rules.events import Return
from adjudicator.games.spies.rules.invariants import violations
from adjudicator.games.spies.rules.state import State
from tests.games.spies.matches import CHANCE, random_match, setting

# Each of them returns what is otherwise in a state, where a spy carries a secret, another has been
# captured, a piece guards an original and a secret has been cashed.
Break = Callable[[State], Mapping[str, Any]]
BREAKS: dict[str, Break] = {
    "43 faces": lambda s: secret(s, in_play(s), face=s.secrets[guarded(s)].face),
    "lies somewhere exactly while it is in play or kept": lambda s: secret(
        s, in_play(s), city=None
    ),
    "is carried by who carries it": lambda s: secret(s, guarded(s), spy=idle(s)),
    "is where its spy is": lambda s: spy(s, carrier(s), city=elsewhere(s, carrier(s))),
    "what is cashed or kept is on one record": lambda s: {"record": {}},
    "is on the map or has a captor": lambda s: spy(s, idle(s), city=None),
    "carries what it carries": lambda s: spy(s, idle(s), carries=s.spies[carrier(s)].carries),
    "is on its captor's record alone": lambda s: {"record": {}},
    "one piece guards a secret": lambda s: police(s, free(s), on=guarded(s)),
    "stands at home": lambda s: police(s, free(s), city=None),
    "guards an own original that lies there": lambda s: secret(s, guarded(s), city="LIS"),
    "police in": lambda s: {
        "police": {code: replace(one, city="BER") for code, one in s.police.items()}
    },
    "owes nothing": lambda s: hand(s, money=-1),
    "holds chits": lambda s: hand(s, chits={"gold": 1}),
    "all chits are somewhere": lambda s: {"pool": s.pool[1:], "discard": {}},
    "a tile is in one hand, or played": lambda s: hand(s, tiles=("TG2", "TG2")),
}


def one_of(state: State, part: str, code: str, **changes: Any) -> Mapping[str, Any]:
    things = getattr(state, part)
    return {part: {**things, code: replace(things[code], **changes)}}


def secret(state: State, code: str, **changes: Any) -> Mapping[str, Any]:
    return one_of(state, "secrets", code, **changes)


def spy(state: State, code: str, **changes: Any) -> Mapping[str, Any]:
    return one_of(state, "spies", code, **changes)


def police(state: State, code: str, **changes: Any) -> Mapping[str, Any]:
    return one_of(state, "police", code, **changes)


def hand(state: State, **changes: Any) -> Mapping[str, Any]:
    return one_of(state, "hands", next(iter(state.hands)), **changes)


def in_play(state: State) -> str:
    return next(c for c, one in state.secrets.items() if not (one.gone or one.spy))


def guarded(state: State) -> str:
    return next(piece.on for piece in state.police.values() if piece.on)


def free(state: State) -> str:
    return next(code for code, piece in state.police.items() if not piece.on)


def carrier(state: State) -> str:
    return next(code for code, one in state.spies.items() if one.carries)


def idle(state: State) -> str:
    return next(code for code, one in state.spies.items() if one.city and not one.carries)


def elsewhere(state: State, code: str) -> str:
    return next(city for city in atlas().cities if city != state.spies[code].city)


@pytest.fixture(scope="module")
def sound() -> State:
    return next(
        ply.after
        for seed in range(20)
        for ply in random_match(Random(seed), setting(5), leaving=0)
        if any(one.carries for one in ply.after.spies.values())
        and any(one.captor in ply.after.hands for one in ply.after.spies.values())
        and any(one.on for one in ply.after.police.values())
        and any(one.gone == "cashed" for one in ply.after.secrets.values())
        and ply.after.pool
        and not ply.after.outcome
    )


@pytest.mark.parametrize("name", BREAKS)
def test_what_does_not_hold_is_named(sound: State, name: str) -> None:
    assert list(violations(sound)) == []
    found = list(violations(replace(sound, **BREAKS[name](sound))))
    assert any(name in one for one in found), found


def test_a_ply_that_breaks_a_sound_state_is_not_adjudicated(
    sound: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours then holds the match, and nobody gets a wrong report."""
    wrong = Return("germany", carrier(sound), elsewhere(sound, carrier(sound)))
    monkeypatch.setattr(match, "_play", lambda course, sheets: course.tell(wrong))
    with pytest.raises(AssertionError, match="what was sound stays so"):
        match.adjudicate(sound, {}, CHANCE)


def test_a_state_that_was_broken_before_goes_on(sound: State) -> None:
    """Or a match that an older program left so could never end."""
    before = replace(sound, **hand(sound, money=-1))
    assert list(match.adjudicate(before, {}, CHANCE))
