"""Every page tells its rules in short; Espionage's answers who wins a fight."""

import pytest
from msgspec.structs import replace

from adjudicator.games import GAMES
from adjudicator.games.espionage.rules.pieces import LETTERS, TAKES, Rank, wins
from adjudicator.reports.frame import ReplyForm
from tests import club
from tests.browser.accessible import faults
from tests.browser.browsing import GAME_KINDS, STAGES, played
from tests.browser.conftest import OpenPage

# What is said of each pair, by what is chosen.
ANSWERS = """() => {
  const [attackers, targets] = document.querySelectorAll(".beats select");
  const found = {};
  for (const attacker of attackers.options) for (const target of targets.options) {
    attackers.value = attacker.value;
    targets.value = target.value;
    targets.dispatchEvent(new Event("change"));
    found[attacker.value + target.value] = document.querySelector(".beats [aria-live]").textContent;
  }
  return found;
}"""


def html(game: str, stage: str = "late") -> str:
    shown = next(iter(played(next(iter(GAME_KINDS[game])))[stage].values()))
    return club.show(shown, "html")


def test_each_fight_is_answered_as_the_rules_have_it(open_page: OpenPage) -> None:
    page = open_page(html("espionage"), width=320)
    page.get_by_text("What beats what").click()
    found = page.evaluate(ANSWERS)
    for attacker in TAKES:
        for target in Rank:
            won = "takes the square" in found[LETTERS[attacker] + LETTERS[target]]
            assert won == wins(attacker, target)
        taken = " ".join(LETTERS[target] for target in Rank if wins(attacker, target))
        lost = " ".join(LETTERS[target] for target in Rank if not wins(attacker, target))
        assert found[LETTERS[attacker] + "?"] == (
            f"Unknown: the attacker takes {taken} but is removed by {lost}."
        )
    assert len(found) == len(TAKES) * (len(Rank) + 1)
    assert faults(page) == ""


def test_without_script_the_table_stands_there(open_page: OpenPage) -> None:
    page = open_page(html("espionage"), script=False)
    page.get_by_text("What beats what").click()
    rows = [row.split("\t") for row in page.locator(".beats tbody").inner_text().split("\n")]
    assert rows[6] == ["P Sapper", "5 S P M H"]
    assert rows[7] == ["M Mine", "–"]
    assert page.locator("select:visible").count() == 0


def test_an_email_that_asks_for_orders_has_what_beats_what_in_lines(open_page: OpenPage) -> None:
    shown = replace(played("small")["late"]["white"], reply=ReplyForm("mailto:a@b", attached=True))
    page = open_page(club.show(shown, "html"))
    page.get_by_text("What beats what").click()
    assert page.locator(".beats select").count() == 0
    assert (
        "P Sapper takes 5 S P M H\nM Mine takes –"
        in page.locator(".beats p:not(.note)").inner_text()
    )
    assert page.locator("table").count() == 0
    assert page.get_by_role("button", name="Flip the board").count() == 0
    page.locator(".history summary").first.click()
    page.get_by_role("button", name="The first turn").click()
    assert page.locator(".when").inner_text() == "Set-up"


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("stage", STAGES)
def test_every_page_has_its_rules_in_short(game: str, stage: str) -> None:
    page = html(game, stage)
    assert ("What beats what" if game == "espionage" else "The rules in short") in page
