"""Test what the order composer in Spion's pages offers and is told, and that it asks for no
more."""

import json
import re
from typing import Any

import pytest

from adjudicator.core.game import unflatten
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.core.orders import Line
from adjudicator.core.visible import plain
from adjudicator.games.spion import SPION
from adjudicator.games.spion.lexicon import CARD_TITLES, card_read
from adjudicator.games.spion.orders.parse import parse
from adjudicator.games.spion.page.composer_data import data, offers, scripts
from adjudicator.games.spion.rules.variants import standard
from adjudicator.games.spion.sight import observe
from adjudicator.reports.render import script
from adjudicator.reports.words import words
from adjudicator.resources import template
from tests.games.spion.test_page import STANDS, plies, report, stand, told
from tests.games.spion.twins import canaries
from tests.reports.printing import render

KEYS = {
    *("sheet", "draft", "sent", "spelling", "settling", "longest", "first", "idle", "closed"),
    *("rounds", "asked", "free", "swaps", "words"),
    *("rows", "kinds", "cell", "margin", "names", "cards", "reach", "pieces"),
}
SMALL = 40_000  # bytes


def awaited(name: str, **more: Any) -> dict[str, Any]:
    """Return the report of a seat whose orders are awaited."""
    if name == "setup":
        return report("setup", **more)
    state = stand(name).states[-1]
    waits = state.pending.defender if state.pending else state.to_move
    return report(name, waits or state.seats[0], **more)


def doubled() -> dict[str, Any]:
    """Return the report of a seat that must challenge."""
    for ply in plies("original", 2, "turns", "honour", 2):
        body = told(ply, ply.states[-1].to_move or "blue")
        if body["template"] and any("CHALLENGE" in line for line in body["template"]):
            return body
    raise AssertionError("nobody had to challenge")


def composer(body: dict[str, Any], language: str = "en") -> dict[str, Any]:
    return data(unflatten(SPION, body), words(language, "spion"))["composer-data"]


def offered(body: dict[str, Any]) -> Any:
    return offers(unflatten(SPION, body), tell)


ORDERING = ("setup", *(name for name in STANDS if name != "over"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ORDERING)
def test_what_the_composer_is_told_is_on_the_list(name: str):
    assert set(composer(awaited(name))) == KEYS


@pytest.mark.parametrize("name", ORDERING)
@pytest.mark.slow
def test_what_it_is_told_names_no_card_of_anybody(name: str):
    """Types stand only in the sheet, as standing orders of the reader's own, and in the spelling,
    which is the same for everyone."""
    body = awaited(name)
    made = json.dumps({**composer(body), "sheet": [], "spelling": {}})
    types = {name for card in CARD_TITLES for name in (card, card_read(card, str))}
    assert not [card for card in types if card in made]


def test_what_nobody_may_see_is_in_no_offer():
    ply = stand("fifth")
    state, marks = canaries(ply.states[-1], ply.states[-1].seats[0])
    assert marks
    body = {**awaited("fifth"), **plain(observe.observe(state, state.seats[0]))}
    assert body["template"]
    assert "canary" not in str(offered(body)) + str(composer(body))


def test_where_no_orders_are_awaited_there_is_no_composer():
    for name in ("taken", "over"):
        waiting = {**report(name), "template": []}
        assert scripts(unflatten(SPION, waiting)) == []
        assert data(unflatten(SPION, waiting), tell) == {}
        assert offered(waiting) is None
        page = render(SPION, waiting, "html").partition("</style>")[2]
        # A seat that waits may offer a draw or resign from its page, and do nothing else.
        assert ("composer" in page) == (name == "taken")


@pytest.mark.parametrize("variant", ["original", "quick"])
def test_every_place_where_a_spy_can_go_can_be_pointed_at(variant: str):
    body = awaited("quick" if variant == "quick" else "taken")
    made, board = composer(body), standard(variant)
    places = {place for row in made["rows"] for place in row.split()}
    assert places >= {p for p in board.order if board.open_ground(p)} | set(board.embassies)
    assert [len(row.split()) for row in made["rows"]] == [len(row) for row in made["kinds"]]
    assert set(body["reach"]) <= places
    embassies = {entry["code"]: entry["card"] for entry in body["board"]["embassies"]}
    signs = {p: k for row, kinds in zip(made["rows"], made["kinds"], strict=True)
             for p, k in zip(row.split(), kinds, strict=True)}  # fmt: skip
    assert {code: signs[code] == "E" for code in embassies} == embassies


def test_a_double_offers_the_filled_places_of_those_who_can_be_challenged():
    body = doubled()
    made = offered(body)
    (target,) = body["targets"]
    entry = next(e for e in body["seats"] if e["seat"] == target)
    assert [value for value, _ in made.challenge] == [f"{target} {n}" for n in entry["filled"]]
    assert made.goals is False
    assert composer(body)["closed"] == "A double: you must challenge, and your spy does not move."


def test_without_a_double_the_reason_is_told():
    made = offered(awaited("taken"))
    assert made.challenge == []
    assert "You need a double to challenge." in made.why_not
    assert "You cannot ambush while an embassy has a card." in made.why_not


def test_an_ambush_is_offered_from_where_it_is_possible():
    body = awaited("waylaying")
    made = offered(body)
    assert {seat for _, seat in made.spots} == set(body["ambushes"])
    assert {value.split()[0] for value, _ in made.ambush} == set(body["ambushes"])


def test_who_is_asked_may_take_what_the_challenger_has():
    body = awaited("asked")
    made = offered(body)
    challenger = next(e for e in body["seats"] if e["seat"] == body["pending"]["challenger"])
    assert made.asked
    assert [seat for seat, _ in made.challengers] == [challenger["seat"]]
    assert list(made.take) == challenger["filled"]
    assert (made.challenge, made.ambush, composer(body)["swaps"]) == ([], [], [])


def test_a_blocked_spy_is_offered_a_swap_and_nothing():
    """The report is found again as that of the seat that is blocked now."""
    for seed in range(1, 60):
        for ply in plies("original", 4, "turns", "honour", seed):
            state = ply.states[-1]
            if state.to_move and state.turn and not state.outcome and not state.pending:
                body = told(ply, state.to_move)
                if body["template"] and not body["reach"] and body["dice"]:
                    values = [value for value, _ in composer(body)["swaps"]]
                    assert values[-1:] == ["PASS"] or composer(body)["closed"].startswith("A d")
                    if len(values) > 1:
                        assert values[0].startswith("SWAP ")
                        return
    pytest.fail("nobody was blocked by a bodyguard")


@pytest.mark.parametrize("name", ORDERING)
def test_every_choice_is_an_order_that_is_understood(name: str):
    body = awaited(name)
    made, told = offered(body), composer(body)
    if made.phrase:
        return
    guess, _ = made.types[0]
    lines = [f"CHALLENGE {value} {guess}" for value, _ in made.challenge]
    lines += [f"AMBUSH {value} {guess}" for value, _ in made.ambush]
    lines += [f"ANSWER {value}: TAKE {n}" for value, _ in made.challengers for n in made.take]
    lines += [value for value, _ in told["swaps"]] + [f"PLACE {n}" for n in told["free"]]
    lines += [f"FIFTH {value}: REFUSE" for value, _ in made.cards]
    sheet = parse([Line(n, line) for n, line in enumerate(lines, start=1)])
    assert sheet.problems == ()
    assert len(sheet.orders) == len(lines)


def test_the_scripts_say_every_sentence_that_they_are_told_and_no_other():
    text = "".join(
        template(name).read_text("utf-8") for name in scripts(unflatten(SPION, awaited("taken")))
    )
    bar = template("shared/bar_words.html.j2").read_text("utf-8")
    of_the_bar = {re.sub("-.", lambda found: found[0][1].upper(), name)
                  for name in re.findall(r"data-([\w-]+)=", bar)}  # fmt: skip
    said = set(re.findall(r"\bwords\.(\w+)", text)) - of_the_bar
    given = set(composer(awaited("taken"))["words"])
    assert not given & of_the_bar
    assert said == given


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_keep_their_holes_in_every_language(language: str):
    english, theirs = (composer(awaited("taken"), spoken)["words"] for spoken in ("en", language))
    assert holes(english) == holes(theirs)
    assert holes(english)["near"] == ["place"]


def holes(sentences: dict[str, Any]) -> dict[str, list[str]]:
    return {name: sorted(re.findall(r"{(\w+)}", str(told))) for name, told in sentences.items()}


def test_the_scripts_are_small_and_never_end_their_element():
    texts = [script(name) for name in scripts(unflatten(SPION, awaited("taken")))]
    assert sum(map(len, texts)) < SMALL
    assert len(texts[-1].encode()) < 20_000
    assert not [text for text in texts if "</script" in text or "<!--" in text]
