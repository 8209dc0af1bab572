"""A whole match of Battleships by email: the fleets, the salvos, the end, and its audit.

The package brings a page, computers and catalogues of its own.
"""

import re
from datetime import timedelta

import pytest

from adjudicator.core.message import tell
from adjudicator.core.record import Replayed, transcripts
from tests.audits import audited
from tests.club import MONDAY, SEED, NewMatch
from tests.games.examples import BATTLESHIPS
from tests.service.mailclub import Emails, MailClub, said, text_of

pytestmark = [pytest.mark.usefixtures("skeleton"), pytest.mark.slow]
FLEET = (
    "PLACE carrier a1 e1",
    "PLACE battleship a2 d2",
    "PLACE cruiser a3 c3",
    "PLACE submarine a4 c4",
    "PLACE destroyer a5 b5",
)
SIZES = {"carrier": 5, "battleship": 4, "cruiser": 3, "submarine": 3, "destroyer": 2}
SQUARES = [f"{'abcdefghij'[n % 10]}{n // 10 + 1}" for n in range(100)]
SHIPS = [SQUARES[10 * row : 10 * row + size] for row, size in enumerate(SIZES.values())]
WATER = [square for square in reversed(SQUARES) if all(square not in ship for ship in SHIPS)]


def opened(store, folder, *options, red="Bob"):
    """Anna, who reads English, plays Blue; Bob, who reads Norwegian, plays Red."""
    club = MailClub(store, folder / "spool")
    club.add("Anna")
    club.add("Bob", language="nb")
    wanted = NewMatch(
        game="battleships",
        variant=None,
        name="m",
        seats=["blue=Anna", f"red={red}"],
        options=list(options),
        seed=None,
        fresh_seed=bytes.fromhex(SEED),
    )
    club.create(wanted)
    club.run_tick()
    return club


def write(club, seat, *lines):
    name = {"blue": "anna", "red": "bob"}[seat]
    club.write(seat, f"ORDERS m {seat}", *lines, "END", sender=f"{name}@example.org")


def to(emails, name):
    return [said(email) for email in emails if f"{name}@example.org" in email["To"]]


def placed(store, folder, *options):
    club = opened(store, folder, *options)
    write(club, "blue", *FLEET)
    write(club, "red", *FLEET)
    club.run_tick()
    assert club.loaded().state.turn == 1
    return club


def test_a_salvo_is_fired_by_email_and_told_to_both(store, tmp_path):
    club = placed(store, tmp_path)
    write(club, "blue", "SHOOT A1 A2")
    (refused,) = club.run_tick()
    assert "your salvo has 5 shots, not 2" in said(refused)
    write(club, "blue", "SHOOT A5 B5 J1 J2 J3")
    (receipt,) = club.run_tick()
    assert "SHOOT a5 b5 j1 j2 j3" in said(receipt)
    club.write("red", "SKYT J1, J2, J3, J4, J5", sender="bob@example.org")
    told = club.run_tick()
    assert (
        "Blue hits a5, b5, and misses j1, j2, j3. Sunk: destroyer. Red misses"
        in to(told, "anna")[-1]
    )
    assert "Blå treffer a5, b5, og bommer på j1, j2, j3. Senket: jager." in to(told, "bob")[-1]
    assert "SKYT .. .. .. .." in to(told, "bob")[-1]


def test_the_default_plays_for_who_is_silent(store, tmp_path):
    club = opened(store, tmp_path, "deadline=every 2 days", "absence=forfeit")
    write(club, "blue", *FLEET)
    club.run_tick()
    club.run_tick(MONDAY + timedelta(days=2, hours=1))
    state = club.loaded().state
    assert state.fleets["blue"]["carrier"] == tuple(SHIPS[0])
    assert {ship: len(squares) for ship, squares in state.fleets["red"].items()} == SIZES
    club.run_tick(MONDAY + timedelta(days=5))
    state = club.loaded().state
    assert {seat: len(shots) for seat, shots in state.shots.items()} == {"blue": 5, "red": 5}


@pytest.fixture
def played(store, tmp_path):
    """Play a match to its end: Blue hits all, and Red nothing."""
    club = placed(store, tmp_path)
    aims, misses = [square for ship in SHIPS for square in ship], list(WATER)
    while aims:
        shots = BATTLESHIPS.sight.observe(club.loaded().state, "red").salvo
        write(club, "blue", f"SHOOT {' '.join([*aims, *WATER][:5])}")
        aims = aims[5:]
        write(club, "red", f"SHOOT {' '.join(misses[:shots])}")
        misses = misses[shots:]
        club.run_tick()
    assert club.loaded().match.status == "over"
    return club


def test_an_ended_match_is_verified_exported_and_played_again(played):
    assert club_outcome(played) == (("blue",), "sunk")
    assert played.verify("m") == []
    record = played.export("m")
    assert "2. blue: SHOOT a1 b1 c1 d1 e1" in record
    (transcript,) = transcripts(record.splitlines())
    assert isinstance(BATTLESHIPS.record.replay(transcript), Replayed)
    (spoiled,) = transcripts(record.replace("c1 d1 e1", "c1 d1 d1").splitlines())
    assert "d1 appears here twice" in tell(BATTLESHIPS.record.replay(spoiled).message)


def club_outcome(club):
    outcome = club.loaded().state.outcome
    return outcome.winners, outcome.reason


def test_its_end_is_told_to_both(played):
    emails = Emails([raw for _, _, raw in played.way.letters])
    assert "Blue wins: the other fleet is sunk." in to(emails, "anna")[-1]
    assert "Blå vinner: den andre flåten er senket." in to(emails, "bob")[-1]


def test_an_audit_of_a_players_emails_finds_nothing(played, tmp_path):
    place = tmp_path / "emails"
    place.mkdir()
    for number, (_, receiver, raw) in enumerate(played.way.letters):
        if receiver == "anna@example.org":
            (place / f"{number:03}.eml").write_bytes(raw)
    found = audited(place)
    assert " / ".join(map(tell, (*found.wrong, *found.missing))) == ""
    assert "replayed by the rules" in " ".join(map(tell, found.checked))


@pytest.mark.parametrize("word", ["RESIGN", "DRAW"])
def test_a_match_may_be_resigned_or_drawn(store, tmp_path, word):
    club = placed(store, tmp_path)
    club.write("red", word, sender="bob@example.org")
    (asked,) = to(club.run_tick(), "bob")
    if word == "RESIGN":
        code = re.search(r"\bBEKREFT ([A-Z0-9]{6})", asked)
        club.write("red", f"CONFIRM {code[1]}", sender="bob@example.org")
    else:
        club.write("blue", "DRAW", sender="anna@example.org")
        club.run_tick()
    club.run_tick()
    expected = {"RESIGN": (("blue",), "resignation"), "DRAW": ((), "agreement")}
    assert club_outcome(club) == expected[word]


def test_help_sends_the_card_in_the_readers_words(store, tmp_path):
    club = opened(store, tmp_path)
    club.write("red", "HELP", sender="bob@example.org")
    (card,) = (text_of(email) for email in club.run_tick())
    assert "PLASSER hangarskip a1 a5" in card
    assert "SKYT b3 c4 d5 e6 f7" in card
