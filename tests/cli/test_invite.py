"""`adjud new` keeps seats for players who are asked, and takes templates (club, 6.2)."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.program import Adjud

TEMPLATE = '[match.slow]\ngame = "espionage"\nvariant = "small"\ndeadline = "every 7 days"\n'


@pytest.fixture
def club(tmp_path: Path) -> Adjud:
    made = Adjud(tmp_path)
    made.club()
    return made


def test_a_seat_is_kept_until_its_player_has_said_yes(club: Adjud) -> None:
    club.does("new", "espionage", "--match", "m", "--seat", "white=Anna", "--invite", "black=Bob")
    assert "open" in club.does("status", "m")
    told = club.does("mail", "queue", "list")
    assert "own/" in told
    club.does("gm", "replace", "m", "black", "Bob", "--reason", "came by")
    assert "playing" in club.does("status", "m")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--invite", "black=Bub"], "there is no player 'Bub'; did you mean Bob?"),
        (["--invite", "black"], "write a seat as SEAT=PLAYER"),
        (["--invite", "grey=Bob"], "grey"),
        (["--invite", "black=Bob", "--invite", "black=Bob"], "named twice"),
        (["--invite", "black=Anna"], "cannot play two seats"),
    ],
)
def test_a_wrong_invitation_makes_no_match(club: Adjud, words: list[str], why: str) -> None:
    answer = club("new", "espionage", "--match", "m", "--seat", "white=Anna", *words)
    assert answer[0] == 1
    assert why in answer[2]
    assert club("status", "m")[0] == 1


def test_a_template_is_taken_and_given_options_win(club: Adjud) -> None:
    club.write("adjud.toml", TEMPLATE)
    seats = ("--seat", "white=Anna", "--seat", "black=Bob")
    name = club.does("new", "--like", "slow", *seats, "--option", "settle=1 hour").strip()
    assert name == "espionage-1"
    answer = club("new", "spion", "--like", "slow", *seats)
    assert answer[0] == 1
    assert "is for espionage, not for spion" in answer[2]
    answer = club("new", "--like", "slo", *seats)
    assert "there is no template 'slo'; did you mean slow?" in answer[2]
    assert club.does("new", "--like", "espionage", *seats).strip() == "espionage-2"
    assert 'match.slow.deadline = "every 7 days"' in club.does("config", "show")


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("[match]\nslow = 'x'\n", "'slow' cannot be a template"),
        ("match = 5\n", "'match' cannot be a template"),
        ("[match.Slow]\n", "'Slow' cannot be a template"),
        ("[match.slow]\nbank = 1.5\n", "match.slow.bank must be text in quotes"),
    ],
)
def test_a_template_that_cannot_be_is_told(club: Adjud, table: str, why: str) -> None:
    club.write("adjud.toml", table)
    answer = club("status")
    assert answer.code == 1
    assert why in answer.err


def test_what_is_kept_of_an_offer_is_printed_without_its_code_and_erased(club: Adjud) -> None:
    seats = ("--seat", "white=Anna", "--invite", "black=Bob")
    club.does("new", "espionage", "--match", "m", *seats)
    (offer,) = json.loads(club.does("player", "export", "Bob"))["offers"]
    assert (offer["kind"], offer["match"], offer["seat"]) == ("invite", "m", "black")
    assert offer["status"] == "open"
    assert "code" not in offer
    answer = club("player", "erase", "Bob", "--confirm")
    assert answer.code == 0, answer
    told = club.does("mail", "queue", "list")
    assert "m/1/operator/waits" in told  # the seat is kept for nobody now
    assert "Former player" not in club.does("status", "m")


def test_a_seat_that_another_player_got_is_kept_for_nobody(club: Adjud) -> None:
    for name in ("Cleo", "Dan"):
        club.does("player", "add", name, f"{name.lower()}@example.org", "--confirmed")
    seats = ("--seat", "white=Anna", "--invite", "black=Cleo")
    club.does("new", "espionage", "--match", "m", *seats)
    club.does("gm", "replace", "m", "black", "Dan")
    for day in ("01", "02"):
        club.does("tick", at=f"2026-12-{day} 12:00:00")  # the offer has expired
    with closing(sqlite3.connect(club.file)) as database:
        assert database.execute("SELECT sum(kept) FROM seat").fetchone() == (0,)
        assert database.execute("SELECT status FROM offer").fetchone() == ("expired",)
        told = "SELECT count(*) FROM outbox WHERE body LIKE '%did not take%'"
        assert database.execute(told).fetchone() == (0,)


def test_a_player_who_was_only_asked_can_be_removed(club: Adjud) -> None:
    club.does("player", "add", "Cleo", "cleo@example.org", "--confirmed")
    seats = ("--seat", "white=Anna", "--invite", "black=Cleo")
    club.does("new", "espionage", "--match", "m", *seats)
    club.does("player", "remove", "Cleo")
    assert "begins when its open seats" in club("new", "espionage", *seats[:2], "--open").err
    assert club("player", "export", "Cleo").code == 1


def test_the_doctor_says_which_template_is_wrong(club: Adjud) -> None:
    wrong = '[match.odd]\ngame = "espionage"\nbank = "10"\n[match.chess]\ngame = "chess"\n'
    club.write("adjud.toml", TEMPLATE + wrong)
    told = club("doctor").out
    assert "template slow: a match can be made like it" in told
    assert "template odd: '10' is not a bank" in told
    assert "template chess: there is no game 'chess'" in told


def wish(club: Adjud) -> None:
    """Let Anna ask that the club write to a friend."""
    planned = '{"game":"espionage","variant":"small","options":[],"people":[1]}'
    with closing(sqlite3.connect(club.file)) as rows, rows:
        rows.execute(
            "INSERT INTO guest (asker_id, planned, door, status, address, name, language, code, "
            "created_at, expires_at, mark) VALUES (1, ?, 'abcdefghabcdefgh', 'wished', "
            "'tom@home.example', '', 'en', 'ABC234', '2026-11-23T12:00:00Z', "
            "'2026-11-30T12:00:00Z', 'm')",
            [planned],
        )


def test_the_game_master_sees_wishes_and_answers_them(club: Adjud) -> None:
    assert club.does("player", "guest") == ""
    wish(club)
    assert club.does("player", "guest") == "1  Anna  espionage  tom@home.example\n"
    (told,) = map(json.loads, club.does("player", "guest", "--format", "json").splitlines())
    assert told["address"] == "tom@home.example"
    assert told["until"] == "2026-11-30T12:00:00Z"
    for words, why in (
        (["1"], "say which wish, and --allow or --decline"),
        (["--allow"], "say which wish, and --allow or --decline"),
        (["2", "--decline"], "there is no wish 2"),
        (["1", "--allow"], "the club sends no emails"),
    ):
        code, _, said = club("player", "guest", *words)
        assert (code, why in said) == (1, True), said
    assert club.does("player", "guest", "1", "--decline") == (
        "The club does not write to tom@home.example.\n"
    )
    assert club.does("player", "guest") == ""


def test_the_doctor_says_how_the_operator_is_asked(club: Adjud) -> None:
    club.write("adjud.toml", '[club]\noutside = "ask"\n')
    assert "the operator has no address" in club("doctor")[1]
    club.write("adjud.toml", 'operator = "gm@example.org"\n[club]\noutside = "ask"\n')
    assert "answers with `adjud player guest`" in club("doctor")[1]
    wish(club)
    assert "wishes: 1 player asks" in club("doctor")[1]
    club.write("adjud.toml", '[club]\noutside = "no"\n')
    assert "off or ask" in club("doctor")[1] + club("doctor")[2]
