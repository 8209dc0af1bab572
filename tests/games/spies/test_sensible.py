"""`SETUP AUTO` puts police on what is dear and spies near neutral secrets (rule 2.9)."""

from adjudicator.games.spies.orders.values import SetUp
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.rules.control import controller, points_value
from adjudicator.games.spies.rules.invariants import violations
from tests.games.spies.matches import CHANCE, played, setting


def placed():
    agreed = setting(5)
    start = match.set_up(agreed, CHANCE)
    _, state = played(start, {seat: (SetUp("AUTO"),) for seat in start.seats})
    assert list(violations(state)) == []
    return state


def test_police_stand_on_the_dearest_secrets():
    state = placed()
    for power in state.hands:
        own = [code for code in state.secrets if code[0] == power[0].upper()]
        guarded = [points_value(state, code) for code in own if controller(state, code) == power]
        open_ = [points_value(state, code) for code in own if controller(state, code) is None]
        assert len(guarded) >= 5
        assert max(open_, default=0) <= 1


def test_spies_stand_alone_in_neutral_cities_near_home():
    state = placed()
    for power in state.hands:
        at = [spy.city for code, spy in state.spies.items() if code[0] == power[0].upper()]
        assert len(set(at)) == len(at)
        assert set(at) <= set(atlas().neutral_cities)


def test_some_traps_are_guarded_like_secrets():
    """Else a spy would know what it finds under police."""
    state = placed()
    assert any(controller(state, code) and not points_value(state, code) for code in state.secrets)
