"""Test what a report's page says of rules and results, in the words of its reader."""

from typing import Any

import pytest

from adjudicator.core.game import Outcome, Seat
from adjudicator.core.turn import fold
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.rules.pieces import BLACK, ENEMY, SIDES, WHITE
from adjudicator.games.espionage.rules.state import Ended
from tests.reports.printing import render
from tests.reports.samples import played, report

READERS = (*SIDES, "")  # "": a public page


def pages(told: dict[str, Any], language: str = "en") -> tuple[str, str]:
    """Print a report as text and as HTML, each on one line."""
    made = (render(ESPIONAGE, told, suffix, language) for suffix in ("txt", "html"))
    text, html = (" ".join(page.replace("&#39;", "'").split()) for page in made)
    return text, html


def test_the_set_up_report_tells_of_the_draw_that_was_agreed_for_quiet_turns() -> None:
    for page in pages(report(*next(played(no_progress="2")), "white")):
        assert "Without a fight the match is drawn after 2 more full turns." in page


def test_where_no_such_draw_was_agreed_the_set_up_report_is_silent() -> None:
    for page in pages(report(*next(played()), "white")):
        assert "Without a fight" not in page


def ended(winner: Seat, reason: str, reader: str) -> dict[str, Any]:
    state, events = list(played(variant="small-fast", most=3))[-1]
    last = Ended(Outcome(winner=winner, winners=(winner,), reason=reason))
    return report(fold(ESPIONAGE, state, (last,)), (*events, last), reader)


@pytest.mark.parametrize(
    ("language", "reason", "said"),
    [
        ("en", "headquarters", "White wins: Black's Headquarters is taken."),
        ("nb", "headquarters", "Hvit vinner: Svarts hovedkvarter er tatt."),
        ("sv", "headquarters", "Vit vinner: Svarts högkvarter har tagits."),
        ("en", "no-legal-move", "White wins: Black has no legal move."),
        ("nb", "no-legal-move", "Hvit vinner: Svart har ikke noe lovlig trekk."),
        ("sv", "no-legal-move", "Vit vinner: Svart har inget tillåtet drag."),
        ("en", "resignation", "White wins: Black resigned."),
        ("nb", "resignation", "Hvit vinner: Svart ga opp."),
        ("sv", "resignation", "Vit vinner: Svart gav upp."),
        # Whether by silence or by the game master's ruling.
        ("en", "forfeit", "White wins: Black forfeits the match."),
        ("nb", "forfeit", "Hvit vinner: Svart taper på walkover."),
        ("sv", "forfeit", "Vit vinner: Svart förlorar på walkover."),
    ],
)
def test_the_result_names_the_side_that_lost_whoever_reads_it(
    language: str, reason: str, said: str
) -> None:
    for reader in READERS:
        for page in pages(ended(WHITE, reason, reader), language):
            assert said in page


@pytest.mark.parametrize("winner", SIDES)
def test_it_is_the_winners_enemy_that_lost(winner: Seat) -> None:
    loser = {WHITE: "White", BLACK: "Black"}[ENEMY[winner]]
    for page in pages(ended(winner, "resignation", winner)):
        assert f"wins: {loser} resigned." in page


def test_where_all_ranks_are_open_no_list_says_which_the_enemy_knows() -> None:
    states = list(played(variant="open-fast", unmask_notice="true", most=5))
    told = report(*states[-1], "white")
    assert any(piece.get("known_to_enemy") for piece in told["pieces"])
    for page in pages(told):
        assert "The enemy knows" not in page
