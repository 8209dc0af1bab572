"""`adjud ladder` (club, 8.1)."""

import json
from pathlib import Path

import pytest

from tests.program import Adjud


@pytest.fixture
def club(tmp_path: Path) -> Adjud:
    made = Adjud(tmp_path)
    made.club()
    made.does("ladder", "new", "spring", "espionage", "--variant", "small")
    return made


def test_a_ladder_is_made_filled_and_shown(club: Adjud) -> None:
    assert "no ladders" not in club.does("ladder", "list")
    assert club.does("ladder", "enter", "spring", "Anna") == "Anna is on place 1\n"
    assert club.does("ladder", "enter", "spring", "Bob") == "Bob is on place 2\n"
    assert "  1  Anna\n  2  Bob\n" in club.does("ladder", "show", "spring")
    told = json.loads(club.does("ladder", "show", "spring", "--format", "json"))
    assert told["places"] == [{"place": 1, "player": "Anna"}, {"place": 2, "player": "Bob"}]
    assert club.does("ladder", "leave", "spring", "Anna") == "Anna has left spring\n"
    assert "  1  Bob\n" in club.does("ladder", "show", "spring")
    assert club.does("ladder", "close", "spring") == "spring is closed\n"
    assert "spring" in club.does("ladder", "list", "--format", "json")


def test_the_log_is_printed_and_audited(club: Adjud, tmp_path: Path) -> None:
    for name in ("Anna", "Bob"):
        club.does("ladder", "enter", "spring", name)
    printed = club.does("ladder", "log", "spring")
    *lines, head = printed.splitlines()
    assert [json.loads(one)["line"] for one in lines] == ["opened", "entered", "entered"]
    assert head.startswith("Log fingerprint LADDER|spring|3: ")
    (tmp_path / "log.txt").write_text(printed)
    assert "spring: everything that can be compared agrees" in club.does(
        "audit", str(tmp_path / "log.txt")
    )
    (tmp_path / "log.txt").write_text(printed.replace('"entry":2', '"entry":3'))
    answer = club("audit", str(tmp_path / "log.txt"))
    assert answer.code == 1
    assert "T4: " in answer.out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["show", "sprin"], "there is no ladder 'sprin'; did you mean spring?"),
        (["enter", "spring", "Ana"], "there is no player 'Ana'; did you mean Anna?"),
        (["leave", "spring", "Anna"], "Anna is not on spring"),
        (["new", "autumn"], "name the game, or a template with --like"),
        (["new", "autumn", "--like", "slow"], "there is no template 'slow'"),
    ],
)
def test_what_cannot_be_is_refused(club: Adjud, words: list[str], why: str) -> None:
    answer = club("ladder", *words)
    assert answer.code == 1
    assert why in answer.err


def test_a_player_on_a_ladder_is_not_forgotten_but_can_be_erased(club: Adjud) -> None:
    club.does("ladder", "enter", "spring", "Anna")
    assert "cannot be removed" in club("player", "remove", "Anna").err
    club("player", "erase", "Anna", "--confirm")
    assert "Nobody is on it yet." in club.does("ladder", "show", "spring")
