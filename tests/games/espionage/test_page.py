"""Test what a report's page says of rules and results, in the words of its reader."""

import re
from copy import deepcopy
from functools import cache
from itertools import islice
from typing import Any

import pytest

from adjudicator.core.game import fold
from adjudicator.core.match import Outcome, Seat
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


def test_the_letter_of_the_end_counts_the_pieces_that_each_side_lost() -> None:
    told = ended(WHITE, "headquarters", "black")
    told["lost"] = {"white": 7, "black": 3}
    letter = render(ESPIONAGE, told, "letter")
    heads, counts = (
        re.findall(rf"<{tag}[^>]*right[^>]*>(.*?)</{tag}>", letter) for tag in ("th", "td")
    )
    assert (heads, counts) == (["You", "White"], ["3", "7"])
    going_on = list(played(variant="small-fast", most=3))[-1]
    assert "Pieces lost" not in render(ESPIONAGE, report(*going_on, "black"), "letter")


def ended(winner: Seat, reason: str, reader: str) -> dict[str, Any]:
    state, events = list(played(variant="small-fast", most=3))[-1]
    last = Ended(Outcome(winner=winner, winners=(winner,), reason=reason))
    return report(fold(ESPIONAGE, state, (last,)), (*events, last), reader)


@pytest.mark.parametrize(
    ("language", "reason", "said"),
    [
        ("en", "headquarters", "White wins: Black's Headquarters was captured."),
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


# What fights told (rules 9.4, 9.5).

MOST_TEXT = 6_000  # bytes


def fought() -> tuple[dict[str, Any], str]:
    """Return a seat's report that tells of fights, and the square of such a piece."""
    told, square = first_fought()
    return deepcopy(told), square


@cache
def first_fought() -> tuple[dict[str, Any], str]:
    for seed in range(20):
        for state, events in islice(played(seed, "small", most=300), 0, None, 10):
            for told in (report(state, events, seat) for seat in SIDES):
                for piece in told["pieces"]:
                    if piece.get("fights"):
                        return told, piece["square"]
    raise AssertionError("nobody fought")


def without(told: dict[str, Any], *keys: str) -> dict[str, Any]:
    pieces = [{k: v for k, v in piece.items() if k not in keys} for piece in told["pieces"]]
    return {k: v for k, v in told.items() if k not in keys} | {"pieces": pieces}


@pytest.mark.parametrize(
    ("language", "heading", "told", "could"),
    [
        ("en", "What fights have shown", "in turn", "It can still be:"),
        ("nb", "Hva kampene har vist", "i runde", "Den kan være:"),
        ("sv", "Vad striderna har visat", "i omgång", "Den kan fortfarande vara:"),
    ],
)
def test_a_page_lists_what_fights_told(language: str, heading: str, told: str, could: str) -> None:
    body, square = fought()
    text, html = pages(body, language)
    for page, sign in ((text, f"{square}: "), (html, f"<code>{square}</code> ")):
        listed = page.partition(heading)[2].partition(sign)[2]
        fight, _, rest = listed.partition(told)[2].partition(".")
        assert fight.split()[0].isdigit()
        assert rest.strip().startswith(could)
    folded = html.partition('<details class="told">')[2].partition("</details>")[0]
    assert heading in folded


def test_a_page_says_what_a_piece_beat_and_what_it_can_be_then() -> None:
    body, square = fought()
    (piece,) = (piece for piece in body["pieces"] if piece["square"] == square)
    piece["fights"] = [
        {"turn": 7, "beat": "captain", "as": "attacker"},
        {"turn": 9, "beat": "colonel", "as": "defender"},
    ]
    piece["could_be"] = ["general"]
    said = "captured your Captain in turn 7, fought off your Colonel in turn 9."
    said += " It can still be: General."
    for page in pages(body):
        assert said in page
    piece["could_be"] = None
    for page in pages(body):
        assert "fought off your Colonel in turn 9." in page
        assert "It can be" not in page.partition("Colonel in turn 9.")[2][:30]


def test_a_report_of_before_there_were_such_lists_is_printed_without_them() -> None:
    body, _ = fought()
    for page in pages(without(body, "fights", "could_be", "lost_known")):
        assert "What fights have shown" not in page
        assert "of known rank" not in page


def test_where_nobody_fought_a_page_has_no_such_heading() -> None:
    for page in pages(report(*list(played(most=2))[-1], "white")):
        assert "What fights have shown" not in page


def test_told_ranks_of_removed_enemies_are_listed_with_how_many() -> None:
    body, _ = fought()
    for page in pages({**body, "lost_known": ["spy", "captain", "spy"]}):
        assert "Removed pieces of known rank: Captain, Spy (2)." in page
    for page in pages({**body, "lost_known": []}):
        assert "of known rank" not in page


def test_where_all_ranks_are_open_no_line_lists_removed_ones_again() -> None:
    *_, last = played(variant="open-fast", most=200)
    body = report(*last, "white")
    assert body["lost_known"]
    assert body["phase"] == "play"
    for page in pages(body):
        assert "of known rank" not in page


def test_the_rules_say_that_aids_are_off() -> None:
    body, _ = fought()
    for page in pages({**body, "options": {"aids": "off"}}):
        assert "you are not shown what an unknown piece can still be" in page
    for page in pages(body):
        assert "you are not shown" not in page


@pytest.mark.parametrize("language", ["en", "nb", "sv"])
def test_the_text_stays_short_if_every_enemy_piece_has_beaten_somebody(language: str) -> None:
    body = report(*list(played(most=4))[-1], "white")
    fight = {"turn": 100, "beat": "lieutenant", "as": "defender"}
    ranks = ["captain", "colonel", "general", "mine"]
    for piece in [piece for piece in body["pieces"] if piece["side"] == "black"][:29]:
        piece |= {"rank": None, "known_since": None, "fights": [fight], "could_be": ranks}
    text = render(ESPIONAGE, body, "txt", language)
    assert text.count("100") == 29
    assert max(map(len, text.splitlines())) <= 70
    assert len(text.encode()) < MOST_TEXT
