"""The chain of a match's log: its heads, its texts, and the digests of sheets.

The numbers of the first part are test vectors. Any program that computes them, and a shell, too,
computes our heads.
"""

import json
from hashlib import sha256
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from adjudicator.core import chain
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


def test_a_text_is_one_line_of_ascii_that_html_need_not_escape() -> None:
    assert chain.write(ENTRY) == TEXT


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
# Computed with sha256sum and openssl.
HEADS = [
    "9d7dc2be6082306a05b64ff39c4b5256752f950523abc388d2db810bb427dd1c",
    "aeff6655bfacaf2bd5160840f541fde058a3e101a60299c8d2601ddb2a4ff6d9",
]


def test_the_digest_of_a_sheet_is_that_of_the_test_vector() -> None:
    head = chain.receipt_head("espionage-17", "white", 12, 3)
    told = chain.sheet_digest(head, ["d3-d4", "f3-f4"])
    assert told == "e64c6a4682161d9e96822cecd8a6afab48b925040392c1860197701d25189202"


def test_the_opening_binds_what_was_agreed_and_is_read_again() -> None:
    assert chain.opening(AGREED) == FIRST
    assert chain.read_opening(FIRST) == replace(AGREED, options={"advance": "on", "fights": "both"})
    with pytest.raises(ValueError, match="first line of a log"):
        chain.read_opening('{"adjud":1}')


def test_the_other_inputs_of_a_ply_are_read_again() -> None:
    assert chain.read(chain.write(WITH_INPUTS)) == WITH_INPUTS


def test_the_heads_of_a_log_with_all_inputs_are_those_of_the_test_vectors() -> None:
    lines = [FIRST, chain.write(WITH_INPUTS)]
    assert list(chain.heads("espionage-17", KEY, lines)) == HEADS


def test_a_kept_sheet_and_what_a_seat_says_have_digests_of_their_own() -> None:
    head = chain.receipt_head("espionage-17", "white", 12, 3, kept=True)
    assert head == "ADJUD2|espionage-17|white|12|3|kept|"
    said = DeclaredWord("white", "DRAW", "2026-11-21T17:40:00Z")
    told = chain.said_digest("espionage-17", 12, said)
    text = "ADJUD2|espionage-17|white|12|DRAW|2026-11-21T17:40:00Z"
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
    assert chain.read(TEXT) == ENTRY


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
