"""Each kind of tip speaks where it fits and is silent where it does not."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.message import tell
from adjudicator.core.tips import fitting
from adjudicator.games.spies.page import tips
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.atlas import atlas, owner_of, power_of
from adjudicator.games.spies.sight.observe import observe
from adjudicator.games.spies.sight.view import (
    OwnChits,
    OwnPolice,
    SeenPolice,
    SeenSecret,
    SeenSpy,
    View,
)
from tests.games.spies.matches import CHANCE, begun, setting

GERMANY = Seat("germany")
SETUP = observe(match.set_up(setting(), CHANCE), GERMANY)
BEGUN = observe(begun(setting()), GERMANY)
CHITS = OwnChits(discovery=1, papers=1, cover=1, escape=1, dagger=0)
POSTED = OwnPolice(police="G-P1", strength=4, city="BER", on=None)
PARIS = SeenPolice(city="PAR", power="france", pieces=2, guards=())


def spy(code: str, city: str | None, strength: int | None = 3, **said: Any) -> SeenSpy:
    """A spy of Germany's has a strength, one of others has none that is known."""
    entry = SeenSpy(
        spy=code, power=power_of(code), city=city, captor=None, carries=None, strength=strength
    )
    return replace(entry, strength=strength if code[0] == "G" else None, **said)


def secret(code: str, city: str | None, **said: Any) -> SeenSecret:
    entry = SeenSecret(
        secret=code,
        origin=owner_of(code),
        city=city,
        spy=None,
        controller=None,
        gone=None,
        value=None,
        counterspy=None,
        title=None,
    )
    return replace(entry, **said)


def seen(*things: SeenSpy | SeenSecret, **changes: Any) -> View:
    """Make Germany's view in 1933; nothing is on the map but these spies and secrets."""
    view = replace(
        BEGUN,
        spies=tuple(one for one in things if isinstance(one, SeenSpy)),
        secrets=tuple(one for one in things if isinstance(one, SeenSecret)),
        police=(),
        own_police=(),
        money={**BEGUN.money, "germany": 40},
        own_chits={"germany": CHITS},
        own_tiles={"germany": ("TG5",)},
    )
    return replace(view, **changes)


def without(kind: str) -> Mapping[str, OwnChits]:
    return {"germany": replace(CHITS, **{kind: 0})}


HELD = secret("F-1", "PAR", spy="G-A", controller="germany")
QUIET = seen(spy("G-A", "WAR", 5))
# By kind: a view in which it speaks, what it says, and one in which it is silent.
CASES: Mapping[str, tuple[View, str, View]] = {
    "bring_home": (
        seen(spy("G-A", "PAR", carries="F-1"), HELD),
        "Your spy G-A carries F-1. Berlin (BER) is 3 spaces away, and there it brings 20 £ and a"
        " chit.",
        seen(spy("G-A", "MOS", carries="G-1"), secret("G-1", "MOS", spy="G-A")),
    ),
    "discover_here": (
        seen(spy("G-A", "PAR"), secret("F-1", "PAR")),
        "Your spy G-A is in Paris (PAR), and so is F-1. It can try to discover that, for a"
        " DISCOVERY chit and 10 £.",
        seen(spy("G-A", "PAR"), secret("F-1", "PAR", counterspy=4)),
    ),
    "tile_for_you": (
        seen(spy("G-A", "HAM"), own_tiles={"germany": ("TG1",)}),
        "Your event tile TG1 can be played this year. It works for you in Hamburg (HAM), where your"
        " spy G-A is.",
        seen(spy("G-A", "COL"), own_tiles={"germany": ("TG1", "TG2")}),
    ),
    "stolen": (
        seen(secret("G-1", "PAR", spy="F-A", controller="france"), spy("F-A", "PAR")),
        "The spy F-A carries your secret G-1. If one of your stronger spies is in the "
        "same city, it can discover the secret and take it back.",
        seen(secret("G-1", "PAR", spy="G-A", controller="germany")),
    ),
    "unguarded": (
        seen(secret("G-1", "BER", value=4), secret("G-2", "HAM", value=3)),
        "Your secret G-1 in Berlin (BER) is worth 4 points, and no police guard it.",
        seen(secret("G-1", "BER", value=4, controller="germany"), secret("G-2", "HAM", value=1)),
    ),
    "bring_back": (
        seen(spy("G-A", None, captor="france")),
        "Your spy G-A is captured. ESCAPE as its first step brings it back, for a chit and 10 £.",
        seen(spy("G-A", None, captor="france"), own_chits=without("escape")),
    ),
    "near_secret": (
        seen(spy("G-A", "BER"), secret("F-1", "PAR"), secret("N-4", "PRA")),
        "N-4 is in Prague (PRA), 2 spaces from your spy G-A. No enemy police are there now.",
        seen(spy("G-A", "BER"), secret("F-1", "PAR"), police=(PARIS,)),
    ),
    "weak_spy": (
        seen(spy("G-A", "PAR", 1), police=(PARIS,)),
        "Your spy G-A has only strength 1, and the police in Paris (PAR) may search it.",
        seen(spy("G-A", "PAR", 4), police=(PARIS,)),
    ),
    "intruder": (
        seen(spy("R-E", "KON")),
        "The spy R-E is in Königsberg (KON), where you have no police. Police that you move there"
        " search it, if it is still there in your turn.",
        seen(spy("R-E", "BER"), spy("R-D", "WAR"), own_police=(POSTED,)),
    ),
    "last_year": (
        replace(QUIET, year=1939),
        "A foreign secret scores only if it is cashed. After this year it is too late.",
        replace(QUIET, year=1938),
    ),
    "no_discovery": (
        replace(QUIET, own_chits=without("discovery")),
        "Germany has no DISCOVERY chit. Cashed secrets and event tiles bring new chits.",
        QUIET,
    ),
    "last_chance_of_a_tile": (
        replace(QUIET, year=1935, own_tiles={"germany": ("TG5", "TG1")}),
        "This is the last year in which your event tile TG1 can be played.",
        replace(QUIET, year=1934, own_tiles={"germany": ("TG5", "TG1")}),
    ),
    "strong_discoverer": (
        seen(spy("G-A", "BER", 2), spy("G-B", "BER", 4), secret("F-1", "PAR")),
        "An unknown secret may be a counterspy, which catches a weaker spy. Your strongest one with"
        " free hands is G-B (4).",
        seen(spy("G-A", "BER", 2), secret("F-1", "PAR", value=3)),
    ),
    "double_points": (
        replace(QUIET, year=1937),
        "From 1938 on, cashed secrets and captured spies score double.",
        replace(QUIET, year=1938),
    ),
    "no_money": (
        replace(QUIET, money={**BEGUN.money, "germany": 5}),
        "Germany has only 5 £, and a discovery costs 10 £.",
        QUIET,
    ),
    "no_answer": (
        replace(QUIET, own_chits={"germany": replace(CHITS, papers=0, escape=0)}),
        "Germany has neither PAPERS nor ESCAPE, so its spies cannot answer a search.",
        replace(QUIET, own_chits=without("papers")),
    ),
    "no_cover": (
        seen(HELD, own_chits=without("cover")),
        "Germany has no COVER chit, so it cannot answer a discovery.",
        seen(own_chits=without("cover")),
    ),
    "several_goals": (
        QUIET,
        "Other powers may act before you this year. Name several destinations for a spy: the first"
        " one that is possible is used.",
        replace(QUIET, mode="turns", to_move="germany"),
    ),
    "guard_the_best": (
        SETUP,
        "Your secret G-5 is worth 5 points. Strong police on it may catch a spy that comes for it.",
        QUIET,
    ),
    "leave_a_counterspy": (
        SETUP,
        "Your secret G-4 is a counterspy. At home it works for you without police, too, and can"
        " catch a weaker spy that discovers it.",
        replace(SETUP, secrets=tuple(one for one in SETUP.secrets if not one.counterspy)),
    ),
    "start_near_home": (
        SETUP,
        "A foreign secret scores when your spy brings it to Berlin (BER). A spy goes up to 5 spaces"
        " a year, so do not start too far away.",
        QUIET,
    ),
}


def told(view: View) -> Mapping[str, str]:
    here = tips.table(view, tell)
    return {name: tell(message) for name, message in fitting(tips.TIPS, here).items()}


def test_every_kind_has_a_case() -> None:
    assert list(CASES) == list(tips.TIPS)


@pytest.mark.parametrize("kind", CASES)
def test_a_kind_speaks_where_it_fits_and_nowhere_else(kind: str) -> None:
    speaks, words, silent = CASES[kind]
    assert told(speaks)[kind] == words
    assert kind not in told(silent)


def test_a_seat_that_the_rules_play_gets_none() -> None:
    assert tips.tip(QUIET, tell) is not None
    assert tips.tip(replace(QUIET, left={GERMANY: "forfeit"}), tell) is None


def test_of_two_powers_only_the_one_that_is_to_move_gets_tips() -> None:
    view = observe(begun(setting(players=2)), GERMANY)
    assert view.to_move == "germany"
    of_britain = replace(view, own_chits={"germany": CHITS, "britain": replace(CHITS, discovery=0)})
    assert "no_discovery" not in told(of_britain)


SECRETS = (secret("F-1", "PAR"), secret("N-4", "PRA"), secret("G-1", "PAR", spy="F-A"))
OF_DISCOVERIES = ("discover_here", "near_secret", "strong_discoverer", "stolen")


@pytest.mark.parametrize("city", ["PAR", "BER"])
def test_no_tip_points_at_a_secret_that_the_seat_cannot_pay_for(city: str) -> None:
    """Neither without the chit nor with a pound less than a discovery costs."""
    stands = seen(*SECRETS, spy("G-A", city), spy("F-A", "PAR"))
    cost = atlas().costs["discovery"]
    assert any(kind in told(stands) for kind in OF_DISCOVERIES)
    enough = replace(stands, money={**stands.money, "germany": cost})
    assert any(kind in told(enough) for kind in OF_DISCOVERIES)
    for poor in (
        replace(stands, own_chits=without("discovery")),
        replace(stands, money={**stands.money, "germany": cost - 1}),
    ):
        assert [kind for kind in OF_DISCOVERIES if kind in told(poor)] == []
