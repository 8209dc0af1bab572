"""The chain of a match's log: its heads, its texts, and the digests of sheets.

The numbers of the first part are test vectors. Any program that computes them, and a shell, too,
computes our heads.
"""

import json
from datetime import UTC, datetime
from hashlib import sha256
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from adjudicator.core import acts, chain
from adjudicator.core.acts import message_for_acts
from adjudicator.core.chain import (
    AdjudicatedSheet,
    DeclaredWord,
    Departure,
    HolderChange,
    Holding,
    Opening,
    PlyText,
    Ruled,
)
from adjudicator.core.game import AnyGame
from adjudicator.core.message import say
from adjudicator.games import GAMES
from tests.games.playouts import playout
from tests.scale import examples

KEY = bytes(range(32))
DUE = datetime(2026, 11, 24, 18, 5, 7, 250, tzinfo=UTC)
ENTRY = PlyText(
    ply=1,
    turn=0,
    at="2026-11-21T18:00:00Z",
    cause="orders",
    orders=(
        AdjudicatedSheet(
            seat="white", revision=2, at="2026-11-21T17:00:00Z", lines=("SETUP RANDOM",)
        ),
        AdjudicatedSheet(
            seat="black", revision=1, at="2026-11-21T18:00:00Z", lines=(), by="computer"
        ),
    ),
    events=(["Begun"],),
    rulings=(
        Ruled(
            at="2026-11-21T17:30:00Z", action="say", text="Blåbær <&>", message=say("Blåbær <&>")
        ),
    ),
)
TEXT = (
    '{"ply":1,"turn":0,"at":"2026-11-21T18:00:00Z","cause":"orders",'
    '"orders":[["white",2,"2026-11-21T17:00:00Z",["SETUP RANDOM"]],'
    '["black",1,"2026-11-21T18:00:00Z",[],"computer"]],"events":[["Begun"]],'
    '"rulings":[["2026-11-21T17:30:00Z","say",{"text":"Bl\\u00e5b\\u00e6r '
    '\\u003c\\u0026\\u003e","values":{},"plural":null},"",""]]}'
)


RULED = Ruled(
    number=3,
    at="2026-11-21T17:30:00Z",
    acts=(acts.OptionChanged("grace", "<1 day>", "0"), acts.DeadlineMoved(DUE)),
    action="",
    message=message_for_acts(
        [acts.OptionChanged("grace", "<1 day>", "0"), acts.DeadlineMoved(DUE)]
    ),
    reason="Snow.",
    text="The game master changed an option of the match: grace is now '<1 day>', before it was "
    "'0'. The deadline is now 2026-11-24T18:05:07.000250+00:00. Snow.",
)
RULED_BEFORE = TEXT[TEXT.index('"rulings"') : -1]
RULED_TEXT = (
    '"acts":[[3,"2026-11-21T17:30:00Z",[{"act":"option-changed","key":"grace",'
    '"value":"\\u003c1 day\\u003e","before":"0"},'
    '{"act":"deadline-moved","when":"2026-11-24T18:05:07.000250Z"}],"Snow."]]'
)


def test_a_text_is_one_line_of_ascii_that_html_need_not_escape() -> None:
    assert chain.write(ENTRY, chain.SENTENCES) == TEXT
    assert chain.write(replace(ENTRY, rulings=(RULED,))) == TEXT.replace(RULED_BEFORE, RULED_TEXT)


AGREED = Opening(
    game="espionage",
    variant="small",
    options={"fights": "both", "advance": "on"},
    board="",
    holders=(Holding("white", "person"), Holding("black", "open")),
    version="0.2.22",
    at="2026-11-21T18:00:00Z",
    seed_given=False,
    chance="seed",
    commitments=(("seed", None, "5eed" * 16),),
)
FIRST = (
    '{"adjud":"0.2.22","at":"2026-11-21T18:00:00Z","board":"","chance":"seed",'
    f'"commitments":[["seed",null,"{"5eed" * 16}"]],"game":"espionage",'
    '"holders":[["white","person"],["black","open"]],'
    '"options":{"advance":"on","fights":"both"},"seed_given":false,"variant":"small"}'
)
FIRST_NOW = FIRST.replace('"options":', '"label":"ADJUD3","options":')
WITH_INPUTS = PlyText(
    ply=1,
    turn=0,
    at="2026-11-21T18:00:00Z",
    cause="resignation",
    events=(["Left", "white"],),
    rulings=(
        Ruled(
            at="2026-11-21T17:30:00Z",
            action="extend",
            text="The deadline is now soon. Snow.",
            message=say("The deadline is now {when}.", when="soon"),
            reason="Snow.",
            due="2026-11-23T18:00:00Z",
        ),
    ),
    leave=Departure("resignation", ("white",)),
    said=(DeclaredWord("white", "RESIGN", "2026-11-21T17:40:00Z"),),
    holders=(HolderChange("2026-11-21T17:20:00Z", "black", "person", "2026-11-22T18:00:00Z"),),
    due="2026-11-24T18:00:00Z",
    version="0.2.23",
)
# Computed with sha256sum and openssl, for ADJUD2 and ADJUD3.
HEADS = [
    "9d7dc2be6082306a05b64ff39c4b5256752f950523abc388d2db810bb427dd1c",
    "aeff6655bfacaf2bd5160840f541fde058a3e101a60299c8d2601ddb2a4ff6d9",
]
HEADS_NOW = [
    "119e987aaa4a722c7be1b5edac640adec84afd9e6c70a9a70d4209bbf31e1c71",
    "9b5500de7fd9753bfaf9d54cd28951878a365c0fbaacd10bdbdd4fa458d416da",
]


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("ADJUD2", "e64c6a4682161d9e96822cecd8a6afab48b925040392c1860197701d25189202"),
        ("ADJUD3", "dc1523d2c2c1be3ebe83c9142df105b1b142b48c046c985c24e1058b6f4e0941"),
    ],
)
def test_the_digest_of_a_sheet_is_that_of_the_test_vector(label: str, told: str) -> None:
    head = chain.receipt_head(label, "espionage-17", "white", 12, 3)
    assert chain.sheet_digest(head, ["d3-d4", "f3-f4"]) == told


def test_the_opening_binds_what_was_agreed_and_is_read_again() -> None:
    assert chain.opening(AGREED) == FIRST
    assert chain.opening(replace(AGREED, label="ADJUD3")) == FIRST_NOW
    assert chain.read_opening(FIRST_NOW).label == chain.LABEL
    assert chain.read_opening(FIRST) == replace(AGREED, options={"advance": "on", "fights": "both"})
    with pytest.raises(ValueError, match="first line of a log"):
        chain.read_opening('{"adjud":1}')


def test_the_other_inputs_of_a_ply_are_read_again() -> None:
    assert chain.read(chain.write(WITH_INPUTS, chain.SENTENCES), chain.SENTENCES) == WITH_INPUTS
    told = replace(WITH_INPUTS, rulings=(RULED,))
    assert chain.read(chain.write(told)) == told


def test_a_line_of_acts_has_no_sentences_and_one_of_before_no_acts() -> None:
    now, before = TEXT.replace(RULED_BEFORE, RULED_TEXT), TEXT
    for line, label in ((now, chain.SENTENCES), (before, chain.LABEL)):
        with pytest.raises(ValueError, match="line of a log"):
            chain.read(line, label)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('"grace"', "5"),
        ('"before"', '"was"'),
        ("option-changed", "undo"),
        ("T18:05:07.000250Z", ""),
        ("07.000250Z", "07"),
        ('"Snow."', '"Snow.","Ice."'),
        ("[[3,", "[[0,"),
        ('[{"act":"option-changed",', '["The deadline is now soon.",{"act":"option-changed",'),
        (RULED_TEXT[RULED_TEXT.index("[{") : RULED_TEXT.index('],"Snow')] + "]", "[]"),
    ],
)
def test_an_act_that_does_not_fit_its_struct_is_no_line_of_a_log(right: str, wrong: str) -> None:
    line = TEXT.replace(RULED_BEFORE, RULED_TEXT)
    assert right in line
    with pytest.raises(ValueError, match="line of a log"):
        chain.read(line.replace(right, wrong))


def test_words_of_the_game_master_are_called_nothing_and_have_no_effect() -> None:
    """A sentence of ours in them is none, and neither is what a club would like to call them."""
    words = "The deadline is now 2026-11-24T12:00:00Z. White now plays Black."
    line = chain.write(replace(ENTRY, rulings=(replace(RULED, acts=(acts.SaidToAll(words),)),)))
    (told,) = chain.read(line).rulings
    assert (told.action, acts.effect_of(told.acts)) == ("", acts.Effect())
    assert acts.action_of([acts.SaidToAll("x"), acts.TakenBack(3)]) == "undo"


def test_the_deadline_of_a_ruling_follows_from_the_acts_and_from_what_was_before() -> None:
    noted, at = acts.SaidToAll("Snow."), "2026-11-21T17:{}:00Z"
    made = [noted, acts.DeadlineMoved(DUE), noted, acts.SeatLeft(say("Black")), noted]
    numbered = enumerate(made, start=10)
    rulings = [replace(RULED, at=at.format(minute), acts=(one,)) for minute, one in numbered]
    change = HolderChange(at.format(12), "black", "person", "2026-11-22T18:00:00Z")
    line = replace(WITH_INPUTS, rulings=tuple(rulings), holders=(change,))
    opened = replace(AGREED, label="ADJUD3", due="2026-11-22T12:00:00Z")
    (told,) = chain.with_deadlines(opened, [line])
    due = ["2026-11-22T12:00:00Z", "2026-11-24T18:05:07Z", "2026-11-22T18:00:00Z", "", ""]
    assert [one.due for one in told.rulings] == due


@pytest.mark.parametrize("is_told", [True, False])
def test_a_change_of_holders_came_right_before_the_ruling_of_its_second_that_tells_it(
    is_told: bool,
) -> None:
    """A tick has one time for all that it does."""
    made = [acts.Waits(), acts.PlaysNow("Carl", say("Black")) if is_told else acts.Waits()]
    change = HolderChange(RULED.at, "black", "person", "2026-11-22T18:00:00Z")
    rulings = tuple(replace(RULED, acts=(one,)) for one in made)
    line = replace(WITH_INPUTS, rulings=rulings, holders=(change,))
    opened = replace(AGREED, label="ADJUD3", due="2026-11-22T12:00:00Z")
    (told,) = chain.with_deadlines(opened, [line])
    before = "2026-11-22T12:00:00Z" if is_told else change.due
    assert [one.due for one in told.rulings] == [before, change.due]


def test_the_heads_of_a_log_with_all_inputs_are_those_of_the_test_vectors() -> None:
    lines = [FIRST, chain.write(WITH_INPUTS, chain.SENTENCES)]
    assert list(chain.heads("espionage-17", KEY, lines)) == HEADS
    lines = [FIRST_NOW, chain.write(replace(WITH_INPUTS, rulings=(RULED,)))]
    assert list(chain.heads("espionage-17", KEY, lines)) == HEADS_NOW


def test_a_kept_sheet_and_what_a_seat_says_have_digests_of_their_own() -> None:
    head = chain.receipt_head("ADJUD3", "espionage-17", "white", 12, 3, kept=True)
    assert head == "ADJUD3|espionage-17|white|12|3|kept|"
    said = DeclaredWord("white", "DRAW", "2026-11-21T17:40:00Z")
    told = chain.said_digest("ADJUD3", "espionage-17", 12, said)
    text = "ADJUD3|espionage-17|white|12|DRAW|2026-11-21T17:40:00Z"
    assert told == sha256(text.encode()).hexdigest()


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5), st.data())
@examples(50)
def test_whatever_is_changed_changes_all_heads_from_there_on(
    texts: list[str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(texts) - 1))
    spoiled = [*texts]
    spoiled[at] += "x"
    true, other = (list(chain.heads("m", KEY, lines)) for lines in (texts, spoiled))
    assert true[:at] == other[:at]
    assert not set(true[at:]) & set(other[at:])


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '{"ply":"1"}', "[" * 100_000])
def test_what_is_no_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"line of a log|Expecting value"):
        chain.read(text)


def test_a_text_is_read_again() -> None:
    assert chain.read(TEXT, chain.SENTENCES) == ENTRY


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
@given(seed=st.integers(0, 2**32))
@examples(5)
def test_events_are_read_again_as_they_were(game: AnyGame, seed: int) -> None:
    for ply in playout(game, Random(seed), 60):
        lines = {
            seat: [line for one in orders for line in game.orders.canonical(one).split("\n")]
            for seat, orders in ply.orders.items()
        }
        for event in ply.events:
            told = json.loads(json.dumps(chain.pack(event, lines)))
            assert chain.unpack(game.rules.event, told, lines) == event


def test_the_lines_of_an_order_stand_in_a_text_once() -> None:
    event = GAMES["spion"].rules.event.__args__
    (ordered,) = (one for one in event if one.__name__ == "Ordered")
    made = ordered(seat="blue", ply=1, lines=("PHRASE x",))
    assert chain.pack(made, {"blue": ("PHRASE x",)}) == ["Ordered", "blue", 1]
    assert chain.pack(made, {"blue": ()}) == ["Ordered", "blue", 1, ["PHRASE x"]]


@pytest.mark.parametrize(
    "told", [[], ["Nothing"], ["Begun", 1], ["Stepped", "white"], [["Begun"]], ["Stepped", {}]]
)
def test_what_is_no_event_is_refused(told: list[object]) -> None:
    with pytest.raises(ValueError, match="this is no event"):
        chain.unpack(GAMES["espionage"].rules.event, told, {})
