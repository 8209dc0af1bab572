"""A player is found by his name however its blanks, its accents and its letters were typed."""

import json
import unicodedata

import pytest

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
