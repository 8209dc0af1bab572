"""Test the sentences in which pages and letters in HTML say what happened."""

import pytest

from adjudicator.core.message import LANGUAGES
from adjudicator.games.spies.page.tales import tales
from adjudicator.games.spies.sight.sightings import (
    KnownChit,
    KnownChits,
    KnownFace,
    KnownFight,
    KnownStrengths,
    KnownTile,
    KnownWhy,
    News,
    SawCash,
    SawDiscover,
    SawDrop,
    SawGain,
    SawGive,
    SawGo,
    SawGuard,
    SawKill,
    SawReturn,
    SawSearch,
    SawSkipped,
    SawTake,
    SawTile,
    SawTurn,
)
from adjudicator.reports.words import words

TURN = SawTurn(power="russia", year=1936)


def told(*news: News, language: str = "en") -> list[str]:
    """Return the sentences of a turn of Russia."""
    (tale,) = tales((TURN, *news), {}, words(language, "spies"))
    assert (tale.power, tale.letter) == ("russia", "R")
    return tale.sentences


def go(spy: str, start: str, goal: str) -> SawGo:
    return SawGo(power="russia", spy=spy, start=start, to=goal)


def search(spy: str, city: str, **more: object) -> SawSearch:
    plain = {"arrival": True, "answer": None, "to": None, "captured": False, **more}
    return SawSearch(power="france", spy=spy, city=city, **plain)  # type: ignore[arg-type]


def discover(result: str, **more: object) -> SawDiscover:
    plain = {"free": False, "captured": False, "by": None, **more}
    return SawDiscover(
        power="russia",
        spy="R-A",
        secret="F-3",
        city="PAR",
        result=result,
        **plain,  # type: ignore[arg-type]
    )


def test_a_journey_is_one_sentence():
    (sentence,) = told(
        go("R-A", "COL", "STR"),
        search("R-A", "STR", answer="papers"),
        go("R-A", "STR", "PAR"),
        discover("found", known=KnownFace(value=4, title="Fortress plans")),
        SawCash(power="russia", spy="R-A", secret="F-3", known=KnownChit(chit="cover")),
    )
    assert sentence == (
        "Russia's spy A went from Cologne to Strasbourg, was searched by France, showed papers,"
        " went on to Paris, discovered F-3 (worth 4: Fortress plans) and cashed F-3 for 20 £ and"
        " COVER."
    )


def test_spies_that_went_the_same_way_share_a_sentence():
    same = [go(spy, "MOS", "KIE") for spy in ("R-D", "R-B")]
    found = told(same[0], go("R-A", "MOS", "LEN"), same[1], search("R-C", "MOS", captured=True))
    assert found == [
        "Russia's spies B and D went from Moscow to Kiev.",
        "Russia's spy A went from Moscow to Leningrad.",
        "Russia's spy C was searched by France in Moscow and was captured.",
    ]


def test_spies_that_met_the_same_do_not():
    found = told(search("R-A", "STR"), search("R-B", "STR"))
    assert [sentence[:14] for sentence in found] == ["Russia's spy A", "Russia's spy B"]


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (
            search("R-A", "PAR", to="BRU", known=KnownStrengths(strength=2, police=3)),
            "Russia's spy A was searched by France in Paris (police 3, spy 2) and escaped to"
            " Brussels.",
        ),
        (
            search("R-A", "PAR"),
            "Russia's spy A was searched by France in Paris and stayed in play.",
        ),
        (
            SawReturn(power="russia", spy="R-A", city="MOS"),
            "Russia's spy A escaped back to Moscow.",
        ),
        (
            SawTake(power="russia", spy="R-A", secret="R-1", city="MOS"),
            "Russia's spy A took R-1 in Moscow.",
        ),
        (
            SawDrop(power="russia", spy="R-A", secret="F-1", city="MOS"),
            "Russia's spy A left F-1 in Moscow.",
        ),
        (
            SawGuard(power="france", secret="F-1", city="PAR"),
            "Police of France guarded F-1 in Paris at once.",
        ),
        (discover("found", free=True), "Russia's spy A discovered F-3 in Paris for free."),
        (discover("covered"), "Russia's spy A looked for F-3 in Paris and found it covered."),
        (
            discover("guarded", known=KnownFace(spy=2, guard=3)),
            "Russia's spy A looked for F-3 in Paris and found its carrier at least as strong"
            " (spy 2, carrier 3).",
        ),
        (
            discover("counterspy", known=KnownFace(counterspy=2)),
            "Russia's spy A looked for F-3 in Paris and met a counterspy that did nothing and left"
            " the game (counterspy 2).",
        ),
        (
            discover("counterspy", captured=True, by="neutral"),
            "Russia's spy A looked for F-3 in Paris and was sent into the neutral box by a"
            " counterspy.",
        ),
        (
            discover("counterspy", captured=True, by="france"),
            "Russia's spy A looked for F-3 in Paris and was captured by a counterspy for France.",
        ),
        (
            SawKill(
                power="russia",
                spy="R-A",
                victim="F-B",
                city="PAR",
                result="killed",
                known=KnownFight(spy=4, victim=2),
            ),
            "Russia's spy A killed F-B in Paris (4 against 2).",
        ),
        (
            SawKill(power="russia", spy="R-A", victim="F-B", city="PAR", result="captured"),
            "Russia's spy A attacked F-B in Paris and was captured.",
        ),
        (
            SawKill(power="russia", spy="R-A", victim="F-B", city="PAR", result="nothing"),
            "Russia's spy A attacked F-B in Paris, and nothing came of it.",
        ),
        (
            SawSkipped(power="russia", spy="R-A", step=2, known=KnownWhy(why="off-map")),
            "Russia's spy A skipped step 2 (not on the map).",
        ),
        (SawTile(power="russia", tile=None), "Russia discarded a tile face down."),
        (
            SawTile(power="russia", tile=None, known=KnownTile(tile="TR2")),
            "Russia discarded TR2 face down.",
        ),
        (SawTile(power="russia", tile="TR4"), "Russia played TR4: Trials in the capital."),
        (SawGive(power="russia", to="italy", money=10), "Russia gave Italy 10 £."),
        (SawGive(power="russia", to="italy", money=0), "Russia gave Italy a chit."),
        (
            SawGive(power="russia", to="italy", money=0, known=KnownChit(chit="papers")),
            "Russia gave Italy a chit: PAPERS.",
        ),
    ],
)
def test_each_thing_that_happens_has_a_sentence(entry: News, sentence: str):
    assert told(entry) == [sentence]
    for language in LANGUAGES[1:]:
        assert told(entry, language=language) != [sentence]


def test_what_a_tile_brought_is_one_sentence():
    found = told(
        SawTile(power="russia", tile="TR4"),
        SawGain(
            power="russia",
            city="LEN",
            chits=2,
            money=4,
            known=KnownChits(chits=("papers", "papers")),
        ),
        SawGain(power="italy", city="KIE", chits=1, money=0),
        go("R-A", "MOS", "LEN"),
    )
    assert found[1:] == [
        "It brought Russia 2 PAPERS in Leningrad, Russia 4 £ in Leningrad and Italy 1 chit in"
        " Kiev.",
        "Russia's spy A went from Moscow to Leningrad.",
    ]
