"""A game that cheats its contract is found by the check that says so, and by no other."""

import pytest

from adjudicator.games import GAMES
from adjudicator.service.game_check import table
from adjudicator.service.game_check.sample import Sample
from tests.games import cheats
from tests.games.skeleton.game import SKELETON
from tests.nightly import NIGHTLY
from tests.scale import first_quick

pytestmark = pytest.mark.usefixtures("skeleton")


def checked(
    name: str, monkeypatch: pytest.MonkeyPatch, last: str = ""
) -> dict[str, table.CheckedDemand]:
    """Make all checks in their order, or those up to the last one that is wanted."""
    game = getattr(cheats, name)
    monkeypatch.setitem(GAMES, game.slug, game)
    # To start other processes takes longest, so only the cheat that they find has any.
    word = f"tests.games.cheats:{name}" if cheats.CHEATS.get(name) == "processes" else ""
    sample = Sample(game, "1", 2, word, 200)
    results = {}
    for result in table.run(sample):
        results[result.check] = result
        if result.check == last:
            break
    return results


@pytest.mark.parametrize("name", first_quick(4, cheats.CHEATS))
def test_a_cheat_is_named_by_the_right_check(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a later check blames it, too, is seen by night."""
    results = checked(name, monkeypatch, "" if NIGHTLY else cheats.CHEATS[name])
    wrong = {check: result.found[0] for check, result in results.items() if result.state == "wrong"}
    assert [*wrong] == [cheats.CHEATS[name]], wrong
    assert {one.because for one in results.values()} <= {"", *wrong}


def test_a_match_that_does_not_go_on_is_told_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    (fault, *_) = checked("MISSES_THE_GONE", monkeypatch, "left")["left"].found
    assert fault.told.startswith("after ")
    assert "left (resignation)" in fault.told
    assert "the match does not go on: KeyError: " in fault.told
    assert f"{cheats.__file__}, line " in fault.told
    (fault, *_) = checked("AWAITS_THE_GONE", monkeypatch, "left")["left"].found
    assert fault.told.endswith(" left (resignation), rules.awaiting names north")


def test_what_only_a_view_shows_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """No check can know that it is a secret; its author sees it there."""
    names = ("SHOWS_ALL", "SENDS_ITSELF")
    told = {name: checked(name, monkeypatch, "news")["news"] for name in names}
    assert told["SHOWS_ALL"].note == "only the view, and no news, shows what others ordered: marks"
    assert told["SENDS_ITSELF"].note == ""


def test_each_check_of_play_is_failed_by_a_cheat() -> None:
    """Otherwise a check may find nothing, whatever a game does."""
    no_cheat = {"named", "played", "seen", "in advance", "templates", "languages"}
    no_cheat |= {"examples", "boards"}  # of simple games (tests/games/test_author_faults.py)
    assert {check.name for check in table.CHECKS} - no_cheat == set(cheats.CHEATS.values())


def test_the_honest_skeleton_is_green() -> None:
    sample = Sample(SKELETON, "1", 3, "tests.games.skeleton.game:SKELETON")
    results = [*table.run(sample)]
    assert [(one.check, one.found) for one in results if one.state != "ok"] == []
    notes = [one.note for one in results if one.check in ("refusals", "twins")]
    assert all(not note.startswith("0 ") for note in notes)
