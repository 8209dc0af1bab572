"""A player is found by his name however its blanks, its accents and its emails were typed."""

import json
import sqlite3
import unicodedata
from contextlib import closing

import pytest

from adjudicator.core.lookalikes import look_alike
from tests.club import Refusal, name_of
from tests.inside import codes
from tests.program import Adjud

ASA = "Åsa Öberg"
SPELT = (
    unicodedata.normalize("NFD", ASA),
    ASA.upper(),
    unicodedata.normalize("NFD", ASA.lower()),
    f"  Åsa\u00a0 {unicodedata.normalize('NFD', 'Öberg')} ",
)


def names(club: Adjud) -> list[str]:
    told = club.does("player", "list", "--format", "json").splitlines()
    return [json.loads(line)["name"] for line in told]


def test_a_name_has_forty_characters_at_most() -> None:
    assert name_of("A" * 40) == "A" * 40
    with pytest.raises(Refusal, match="1 to 40 characters"):
        name_of("A" * 41)


@pytest.mark.parametrize("spelt", SPELT)
def test_a_name_is_added_once_however_it_is_typed(club: Adjud, spelt: str) -> None:
    added = club("player", "add", spelt, "asa@example.org", "--confirmed")
    assert (added.code, added.err) == (0, "")
    stored = unicodedata.normalize("NFC", " ".join(spelt.split()))
    assert added.out == f"{stored} <asa@example.org>: confirmed\n"
    assert stored in names(club)
    for other in SPELT:
        again = club("player", "add", other, "other@example.org")
        assert again.code == 1
        assert "there is already a player" in again.err


@pytest.mark.parametrize("spelt", SPELT)
def test_every_command_finds_a_name_however_it_is_typed(club: Adjud, spelt: str) -> None:
    club.does("player", "add", ASA, "asa@example.org", "--confirmed")
    assert club.does("player", "set", spelt, "--language", "sv") == f"{ASA}: changed\n"
    club.does("player", "absence", spelt, "2026-12-24", "2026-12-26")
    club.does("new", "espionage", "--match", "m", "--seat", f"white={spelt}", "--seat", "black=Bob")
    club.does("gm", "replace", "m", "white", "computer")
    assert club.does("gm", "replace", "m", "white", spelt) == f"m: {ASA} plays white\n"
    club.does("player", "add", "Cecil", "cecil@example.org", "--confirmed")
    clash = club("player", "set", "Cecil", "--name", spelt)
    assert (clash.code, clash.err) == (1, f"adjud: there is already a player {ASA}\n")
    club.does("player", "set", "Cecil", "--name", "  Cecil   the  Second ")
    assert "Cecil the Second" in names(club)
    assert club.does("player", "remove", "cecil  the second") == "Cecil the Second: removed\n"


def test_a_name_that_looks_like_an_option_is_a_name(club: Adjud) -> None:
    club.does("player", "add", "--confirmed", "--", "--help", "help@example.org")
    club.does("player", "set", "--language", "nb", "--", "--help")
    club.does("new", "espionage", "--match", "m", "--seat", "white=--help", "--seat", "black=Bob")
    club.does("gm", "replace", "m", "white", "computer")
    assert club.does("gm", "replace", "m", "white", "--", "--help") == "m: --help plays white\n"


TAKEN = (
    *("Anna (you)", "game master", "The Game Master", "the operator", "White", "BLACK", "hvit"),
    *("Röd", "rød", "Frankrike", "storbritannien", "you", "Du", "adjud", "adjud bot", "Nobody"),
    *("Former player 3", "tidligere spiller 1", "everybody", "alla", "name hidden", "open seat"),
    *(
        "gаme mаster",
        "Ｗｈｉｔｅ",
        "сomputer",
        "Computer 2",
        "Bob [gm]",
        "Cleo\u3164",
        "Cle\u034fo",
    ),
)
LOOKALIKES = ("Аnna", "Ａｎｎａ", "𝐀nna", "ɑnna", "Ꭺnna", "ANNА", "Annа")


@pytest.mark.parametrize("way", ["add", "rename", "JOIN"])
def test_no_name_means_something_else_or_looks_like_another_players(
    by_mail: Adjud, way: str
) -> None:
    by_mail.does("player", "add", "Karl", "karl@example.org", "--confirmed")
    by_mail.does("player", "add", "Zed", "zed@example.org", "--confirmed")
    for name in (*TAKEN, *LOOKALIKES, "KarI", "Kar1"):
        if way == "JOIN":
            given = codes.newcomer("eve@example.org", name, "en").name
            assert not {given} & {*TAKEN}
        elif way == "add":
            answer = by_mail("player", "add", name, "eve@example.org", "--confirmed")
            assert answer.code == 1, name
            assert "name" in answer.err or "looks like" in answer.err
        else:
            assert by_mail("player", "set", "Zed", "--name", name).code == 1, name
    assert sorted(names(by_mail)) == ["Anna", "Bob", "Karl", "Zed"]


def test_a_player_with_such_a_name_from_before_goes_on(by_mail: Adjud) -> None:
    with closing(sqlite3.connect(by_mail.file)) as database, database:
        database.execute(
            "UPDATE player SET name = 'Аnna (you)', name_key = 'аnna (you)' WHERE id = 2"
        )
    by_mail.does("player", "set", "Аnna (you)", "--language", "nb")
    by_mail.does(
        "new", "espionage", "--match", "m", "--seat", "white=Аnna (you)", "--seat", "black=Anna"
    )
    assert "Аnna (you)" in by_mail.does("status", "m")
    by_mail.does("player", "set", "Аnna (you)", "--name", "Bob")
    by_mail.does("player", "set", "Bob", "--name", "BOB")


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Bill", "Bi11", True),
        ("Ian", "lan", True),
        ("Al", "AI", True),
        ("Bob", "B0b", True),
        ("Mary", "rnary", True),
        ("Finn", "Fınn", True),
        ("Åse", "Ase", False),
        ("Öle", "Ole", False),
        ("Anna", "Hanna", False),
        ("Player 2", "Player 3", False),
        ("Анна", "Anna", False),
        ("Иван", "Яков", False),
    ],
)
def test_which_names_look_alike(one: str, other: str, alike: bool) -> None:
    assert look_alike(one, other) is alike
