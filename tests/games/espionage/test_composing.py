"""Test what the order composer in the page is told, and that its scripts ask for no more."""

import re
from base64 import b64decode
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Setting
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.core.report import Report
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.page import ahead_data, live_page
from adjudicator.games.espionage.page.composer_data import data, scripts
from adjudicator.games.espionage.rules.pieces import BY_LETTER, SIDES
from adjudicator.games.espionage.rules.state import State
from adjudicator.games.espionage.sight.observe import SeenStep, View
from adjudicator.reports.render import join_scripts, script, source_of
from adjudicator.reports.words import words
from adjudicator.resources import template
from tests.games.espionage.telling import played, report

OPTIONS = {key: option.default for key, option in ESPIONAGE.options.items()}
EMPTY = ESPIONAGE.rules.set_up(
    Setting("standard", OPTIONS, SIDES), Chance(bytes(32), "composing", label=LABEL)
)
STATES = {"setup": EMPTY, "play": list(played(Random(3), 1, "standard"))[-1]}
COMMON = {
    "size",
    "below",
    "files",
    "lines",
    "cell",
    "margin",
    "volcanoes",
    "sheet",
    "draft",
    "sent",
    "spelling",
    "words",
}
KEYS = {
    "setup": COMMON | {"home", "army"},
    "play": COMMON | {"own", "enemy", "could", "barred", "moves", "immobile", "ranks"},
}
AHEAD = ("planned", "ahead")
SMALL = 40_000  # bytes

each_phase = pytest.mark.parametrize("phase", STATES)


def reported(phase: str) -> Report[View, SeenStep]:
    state: State = STATES[phase]
    return report(state, state.to_move or SIDES[0])


def composer_data(phase: str, language: str = "en") -> Any:
    return data(reported(phase), words(language, "espionage"))["composer-data"]


@each_phase
def test_what_the_composer_is_told_is_on_the_list(phase: str):
    assert set(composer_data(phase)) == KEYS[phase]


def test_of_a_piece_it_is_told_square_side_and_the_letter_of_the_drawing():
    told = reported("play")
    marked = tuple(replace(piece, known_since=4711) for piece in told.view.pieces)
    view = replace(told.view, pieces=marked)
    found = data(replace(told, view=view), tell)["composer-data"]
    own, enemy = found["own"].split(), found["enemy"].split()
    assert "4711" not in str([own, enemy])
    assert {piece[-1] for piece in enemy} <= {"?", *"12345SPMH"}
    hidden = {piece.square for piece in marked if piece.rank is None}
    assert hidden
    assert {piece[:-1] for piece in (*own, *enemy) if piece[-1] == "?"} == hidden
    assert {piece[:-1] for piece in own} == {p.square for p in marked if p.side == view.seat}


def test_of_an_unknown_piece_it_is_told_what_the_report_says_that_it_can_be():
    told = reported("play")
    unknown = {piece.square: piece for piece in told.view.pieces if piece.could_be}
    could = data(told, tell)["composer-data"]["could"]
    assert could.keys() == unknown.keys()
    for square, letters in could.items():
        assert [BY_LETTER[letter] for letter in letters] == list(unknown[square].could_be)


def test_with_aids_off_it_is_told_nothing_of_that():
    told = reported("play")
    pieces = tuple(replace(p, could_be=p.could_be and None) for p in told.view.pieces)
    told = replace(told, view=replace(told.view, pieces=pieces))
    assert data(told, tell)["composer-data"]["could"] == {}


@each_phase
def test_where_no_orders_are_awaited_there_is_no_composer(phase: str):
    waiting = replace(reported(phase), template=())
    assert scripts(waiting) == []
    assert data(waiting, tell) == {}


@each_phase
def test_the_scripts_say_every_sentence_that_they_are_told_and_no_other(phase: str):
    text = "".join(template(name).read_text("utf-8") for name in scripts(reported(phase)))
    said = set(re.findall(r"\bwords\.(\w+)", text))
    bar = template("shared/bar_words.html.j2").read_text("utf-8")
    of_the_bar = {re.sub("-.", lambda found: found[0][1].upper(), name)
                  for name in re.findall(r"data-([\w-]+)=", bar)}  # fmt: skip
    given = set(composer_data(phase)["words"])
    assert not given & of_the_bar
    assert said == given | of_the_bar


def in_advance(language: str = "en") -> Any:
    told = replace(reported("play"), advance=())
    return live_page.data(told, words(language, "espionage"))["ahead-data"]


def test_the_script_of_orders_in_advance_says_every_sentence_that_it_is_told_and_no_other():
    text = "".join(template(f"espionage/{name}.js").read_text("utf-8") for name in AHEAD)
    assert set(re.findall(r"(?<!data\.)\bwords\.(\w+)", text)) == set(in_advance()["words"])


def test_the_script_that_answers_in_advance_says_every_sentence_that_it_is_told_and_no_other():
    told = replace(reported("play"), advance=())
    answers = live_page.data_by_letter(told, words("en", "espionage"))["answers-data"]
    text = "".join(
        template(f"espionage/{name}.js").read_text("utf-8") for name in ("planned", "answering")
    )
    assert set(re.findall(r"(?<!data\.)\bwords\.(\w+)", text)) == set(answers["words"])
    assert "answers-data" not in live_page.data_by_letter(reported("play"), tell)  # not agreed


@pytest.mark.parametrize("language", LANGUAGES)
def test_its_sentences_keep_their_holes_in_every_language(language: str):
    assert holes(in_advance()["words"]) == holes(in_advance(language)["words"])


def test_of_orders_in_advance_it_is_told_the_readers_own_and_the_turns_that_are_kept():
    assert set(in_advance()) == {"head", "origin", "turns", "kept", "words"}
    told = reported("play")
    mine, theirs = told.seat, {"white": "black", "black": "white"}[told.seat]
    awaited = replace(told, advance=(), awaited=(mine,))
    waiting = replace(awaited, awaited=(theirs,), template=())
    turn = told.view.turn
    assert list(ahead_data.turns(awaited)) == [turn + n for n in range(1, 6)]
    next_own = {"white": turn + 1, "black": turn}[mine]
    assert ahead_data.turns(waiting)[0] == next_own
    assert "espionage/ahead.js" not in live_page.scripts(told)  # it is not agreed
    assert "ahead-data" not in live_page.data(told, tell)


def test_only_a_player_of_a_match_that_goes_on_has_more_on_a_page_than_in_a_letter():
    told = replace(reported("play"), advance=())
    assert live_page.scripts(told)
    waiting = replace(told, template=())
    assert "espionage/watching.js" in live_page.scripts(waiting)
    for phase in ("over", "setup"):
        never = replace(told, phase=phase)
        assert live_page.scripts(never) == []
        assert live_page.data(never, tell) == {}
        assert live_page.sheet(never, tell) == []


@pytest.mark.parametrize("waiting", [True, False])
def test_marks_and_the_board_of_who_waits_say_every_sentence_that_they_are_told_and_no_other(
    waiting: bool,
):
    told = reported("play")
    told = replace(told, template=() if waiting else told.template)
    text = template("espionage/marks.js").read_text("utf-8")
    assert set(re.findall(r"\bwords\.(\w+)", text)) == set(
        live_page.data(told, tell)["marks-data"]["words"]
    )


@each_phase
@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_keep_their_holes_in_every_language(phase: str, language: str):
    english, theirs = composer_data(phase)["words"], composer_data(phase, language)["words"]
    assert holes(english) == holes(theirs)
    assert holes(english)["own"] == ["rank", "square"]


def holes(sentences: dict[str, Any]) -> dict[str, list[str]]:
    return {name: sorted(re.findall(r"{(\w+)}", str(told))) for name, told in sentences.items()}


@each_phase
def test_a_policy_names_the_scripts_by_the_hash_of_what_stands_in_the_page(phase: str):
    whole = join_scripts(*scripts(reported(phase)))
    found = re.fullmatch(r"'sha256-(.+)'", source_of(whole))
    assert found
    assert b64decode(found[1]) == sha256(whole.encode()).digest()


@each_phase
def test_the_scripts_are_small_and_never_end_their_element(phase: str):
    texts = [script(name) for name in scripts(reported(phase))]
    assert sum(map(len, texts)) < SMALL
    assert not [text for text in texts if "</script" in text or "<!--" in text]
