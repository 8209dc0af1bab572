"""The deal, by the vector of the book (rules 2.2 to 2.8)."""

from hashlib import sha256

import pytest
from msgspec.structs import replace

from adjudicator.games.spies.record import position
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.control import face
from adjudicator.games.spies.rules.state import State
from tests.games.spies.matches import CHANCE, begun, digest_of, setting

OPENING = "c756d9a957c6cbdb65ec2435f349a26333499f59852d435d3d62036173e52cd3"
SILENT = "e1aaeeeb24e88328d351399c91b7e17f25df1d42e35f5f1764091855415c17ca"


@pytest.fixture
def opening() -> State:
    return match.set_up(setting(), CHANCE)


def values(state: State, letter: str) -> str:
    faces = (face(state, code) for code in state.secrets if code[0] == letter)
    return " ".join(str(shown.value or f"c{shown.strength}") for shown in faces)


@pytest.mark.parametrize(
    ("letter", "dealt"),
    [
        ("G", "1 2 4 c2 5 3 c3"),
        ("I", "5 c4 1 4 3 c2 2"),
        ("R", "1 3 c5 c3 3 1 4"),
        ("F", "4 3 5 c5 3 2 4"),
        ("B", "5 2 2 1 5 2 c4"),
        ("N", "1 2 2 1 2 1 1 3"),
    ],
)
def test_the_secrets_of_the_vector_are_dealt(opening: State, letter: str, dealt: str):
    """Rule 2.8."""
    assert values(opening, letter) == dealt


@pytest.mark.parametrize(
    ("letter", "strengths"),
    [("G", "54312"), ("I", "42225"), ("R", "23533"), ("F", "34413"), ("B", "25342")],
)
def test_the_spies_of_the_vector_are_dealt(opening: State, letter: str, strengths: str):
    """Rules 1.6, 2.8: the letter of a spy says nothing of its strength."""
    told = [str(spy.strength) for code, spy in opening.spies.items() if code[0] == letter]
    assert "".join(told) == strengths


def test_the_tiles_and_chits_of_the_vector_are_dealt(opening: State):
    assert opening.hands["germany"].tiles[5:] == ("TC15", "TC3", "TC8")
    assert opening.pool[:5] == ("papers", "cover", "discovery", "discovery", "papers")


def test_the_opening_is_that_of_the_vector(opening: State):
    assert digest_of(position(opening)) == OPENING


def test_silence_of_all_gives_the_set_up_of_the_vector():
    """Rule 2.7."""
    assert digest_of(position(begun(setting()))) == SILENT


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_dormant_powers_are_placed_before_the_players_and_have_no_spies(players: int):
    """Rules 1.2, 1.3, 1.5."""
    state = match.set_up(setting(players), CHANCE)
    dormant = {"italy"} if players == 2 else {"france", "britain"} if players == 3 else set()
    dormant = {"britain"} if players == 4 else dormant
    assert state.record.keys() - state.hands.keys() == dormant
    for code, piece in state.police.items():
        assert (piece.city is not None) == (code[0] in {power[0].upper() for power in dormant})
    assert {code[0] for code in state.spies} == {power[0].upper() for power in state.hands}
    after = begun(setting(players))
    for code, piece in state.police.items():
        assert piece.city is None or piece == after.police[code]


def test_daggers_are_in_the_pool_with_assassination_only():
    """Rules 2.3 (d), 4.7."""
    for daggers in (False, True):
        state = match.set_up(setting(daggers=daggers), CHANCE)
        held = sum(hand.chits.get("dagger", 0) for hand in state.hands.values())
        assert held + state.pool.count("dagger") == (8 if daggers else 0)


def test_another_match_with_the_same_seed_is_dealt_otherwise():
    other = match.set_up(setting(), replace(CHANCE, match="spies-4"))
    assert other.secrets != match.set_up(setting(), CHANCE).secrets


def test_the_seed_is_committed_to_with_the_label_of_the_club():
    """Rule 2.1."""
    sealed = b"ADJUD1|spies-3|" + bytes(range(32))
    assert CHANCE.commitment == sha256(sealed).hexdigest()
