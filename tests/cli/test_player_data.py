"""A person may have all that the club keeps of him, and have it deleted."""

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from tests.program import Adjud

NEXT_DAY = "2026-11-22 12:00:00"


def exported(club: Adjud, name: str, at: str = NEXT_DAY) -> dict[str, Any]:
    told = json.loads(club.does("player", "export", name, at=at))
    assert isinstance(told, dict)
    return told


def test_all_that_is_kept_of_a_player_is_printed(playing: Adjud) -> None:
    playing.does("player", "absence", "Anna", "2026-12-24", "2026-12-26")
    told = exported(playing, "anna")
    assert told["player"]["name"] == "Anna"
    assert told["player"]["address"] == "anna@example.org"
    assert told["player"]["timezone"] == "Europe/Oslo"
    (absence,) = told["absences"]
    assert (absence["first_day"], absence["last_day"]) == ("2026-12-24", "2026-12-26")
    (seat,) = told["seats"]
    assert (seat["match"], seat["seat"], seat["until"]) == ("espionage-1", "white", None)
    assert seat["orders"][0]["orders"][0] == "SETUP"
    assert [one["report"]["seat"] for one in seat["reports"]] == ["white", "white"]
    assert {one["kind"] for one in told["emails_to"]} == {"report"}
    assert {one["seat"] for one in told["emails_to"]} == {"white"}


def test_a_seat_of_a_match_that_is_over_says_how_it_ended(playing: Adjud) -> None:
    (seat,) = exported(playing, "Anna")["seats"]
    assert (seat["ended"], seat["result"]) == (None, None)
    playing.does("gm", "forfeit", "espionage-1", "white", "--reason", "So.", at=NEXT_DAY)
    (seat,) = exported(playing, "Anna")["seats"]
    assert (seat["ended"], seat["result"]["winners"]) == ("2026-11-22T12:00:00Z", ["black"])


def test_nothing_of_another_player_is_printed(playing: Adjud) -> None:
    told = playing.does("player", "export", "Anna", at=NEXT_DAY)
    assert "bob@example.org" not in told
    assert "21S41P31S5" not in told  # Black's army
    assert "1S25MP31S4" in told


def test_an_export_does_not_show_whether_orders_came(by_mail: Adjud) -> None:
    by_mail.does("player", "export", "Anna", at=NEXT_DAY)
    before = by_mail.does("player", "export", "Anna", at=NEXT_DAY)
    by_mail.came("white", "SETUP RANDOM", "NOTE I was here")
    by_mail.does("tick")
    assert by_mail.does("player", "export", "Anna", at=NEXT_DAY) == before
    assert "withheld" in json.loads(before)


def test_players_read_of_an_export_as_of_any_look(by_mail: Adjud) -> None:
    exported(by_mail, "Anna")
    for seat in ("white", "black"):
        by_mail.came(seat, "SETUP RANDOM")
    by_mail.does("tick", at=NEXT_DAY)
    told = by_mail.does("report", "espionage-1", "black", at=NEXT_DAY)
    assert "The game master looked at White's board on 2026-11-22." in told


@pytest.mark.parametrize("words", [["export"], ["export", "Ana"]])
def test_a_name_that_is_missing_or_wrong_gets_a_sentence(club: Adjud, words: list[str]) -> None:
    answer = club("player", *words)
    assert answer.code != 0
    assert answer.out == ""
    assert "NAME" in answer.err or "there is no player 'Ana'" in answer.err


def test_no_name_stands_in_the_log_of_a_match(playing: Adjud) -> None:
    playing.does("player", "add", "Cecilie", "cecilie@example.org", "--confirmed")
    playing.does("gm", "replace", "espionage-1", "black", "Cecilie", "--reason", "An illness.")
    playing.does("gm", "say", "espionage-1", "White is winning.")
    playing.does("gm", "cancel", "espionage-1", "--reason", "The flu has won.")
    report = playing.does("report", "espionage-1", "white", "--format", "json")
    log = "".join(json.loads(report)["log"]["lines"])
    assert "An illness." in log
    assert not {name for name in ("Anna", "Bob", "Cecilie") if name in log}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("gm", "say", "espionage-1", "Well played, Anna!"), 1),
        (("gm", "hold", "espionage-1", "--reason", "Bob is ill"), 1),
        (("gm", "say", "espionage-1", "Annabel and bobsleighs are no players"), 0),
        (("gm", "hold", "espionage-1", "--reason", "White is ill"), 0),
    ],
)
def test_a_text_that_names_a_player_is_refused(
    playing: Adjud, words: tuple[str, ...], code: int
) -> None:
    playing.does("player", "add", "Wil", "white@example.org", "--confirmed")
    with closing(sqlite3.connect(playing.file)) as database, database:  # from before 0.2.29
        database.execute("UPDATE player SET name = 'White', name_key = 'white' WHERE id = 3")
    answer = playing(*words)
    assert answer.code == code
    assert ("write the seat instead of the name" in answer.err) == bool(code)
