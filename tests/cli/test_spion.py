"""Use `adjud` with a second game: boards, seats by themselves, `demo spion`."""

import json
import os
import re
import subprocess
import sys
from importlib.resources import files

import pytest

from tests.club import Club
from tests.database import open_store
from tests.program import SEED, Adjud
from tests.service.spionclub import SpionClub, duel

FOUR = ("blue=Anna", "green=computer", "yellow=Bob", "red=computer")


def seats(*held: str) -> list[str]:
    return [word for one in held for word in ("--seat", one)]


def board(**changes: object) -> str:
    text = files("adjudicator.games.spion.rules").joinpath("boards/quick.json").read_text("utf-8")
    return json.dumps({**json.loads(text), **changes})


@pytest.mark.parametrize("held", [FOUR, FOUR[:3], ("blue=Anna", "yellow=Bob")])
def test_two_three_or_four_play(club: Adjud, held: tuple[str, ...]) -> None:
    assert club.does("new", "spion", *seats(*held)) == "spion-1\n"
    assert "spion original" in club.does("status")


def test_the_default_mode_depends_on_how_many_play(club: Adjud) -> None:
    for held, mode in ((FOUR, "rounds"), (("blue=Anna", "yellow=Bob"), "turns")):
        name = club.does("new", "spion", *seats(*held)).strip()
        report = json.loads(club.does("report", name, "blue", "--format", "json"))
        assert report["mode"] == mode


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "--seat blue=Anna",
            "who plays yellow? add --seat yellow=PLAYER (a name, or computer), or --open\n"
            "adjud: 2 players take the seats blue, yellow\n"
            "adjud: 3 players take the seats blue, green, yellow\n"
            "adjud: 4 players take the seats blue, green, yellow, red\n",
        ),
        ("--seat green=Anna", "who plays blue, yellow? add --seat blue=PLAYER"),
        (
            "--seat blue=Anna --seat red=Bob",
            "2 players take the seats blue, yellow, not blue, red",
        ),
        ("--variant quick --seat green=Anna --open", "2 players take the seats blue, yellow"),
        (
            "--variant quick --seat blue=Anna --seat green=Bob --seat yellow=computer",
            "this board is for 2 players",
        ),
        ("--variant quik --seat blue=Anna --seat yellow=Bob", "did you mean quick?"),
        (
            "--seat blue=Anna --seat yellow=Bob --option mode=tuns",
            "mode cannot be 'tuns'; did you mean turns?",
        ),
        (
            "--seat blue=Anna --seat yellow=Bob --option memroy=once",
            "there is no option 'memroy'; did you mean memory?",
        ),
        (
            "--seat blue=Anna --seat yellow=Bob --option max_rounds=901",
            "max_rounds must be a whole number from 0 to 900, not '901'",
        ),
        (
            "--seat blue=Anna --seat yellow=Bob --phrase blue=hello",
            "no phrases are used any more: the cards are dealt when the match is made",
        ),
    ],
)
def test_a_match_that_cannot_be_is_refused(club: Adjud, words: str, sentence: str) -> None:
    before = club.dump()
    code, out, err = club("new", "spion", *words.split())
    assert (code, out) == (1, "")
    assert sentence in err
    assert club.dump() == before


def test_the_cards_are_dealt_when_the_match_is_made(club: Adjud) -> None:
    club.does("new", "spion", *seats("blue=Anna", "yellow=Bob"), "--seed", SEED)
    report = club.does("report", "spion-1", "blue")
    assert "16 cards are dealt" in report
    assert "phrase" not in report.lower()
    assert json.loads(club.does("status", "--format", "json"))["matches"][0]["turn"] == 1
    (mover,) = json.loads(club.does("status", "--format", "json"))["matches"][0]["awaited"]
    refused = club("submit", "-", stdin=f"ORDERS spion-1 {mover}\nPHRASE x\nEND\n")
    assert refused.code == 1
    assert "no phrases are used any more" in " ".join(refused.out.split())
    refused = club("gm", "undo", "spion-1")
    assert refused.code == 1
    assert "spion-1: nothing has been adjudicated yet" in refused.err


def test_the_seats_of_two_are_told_before_anybody_can_choose_wrongly(club: Adjud) -> None:
    told = " ".join(club("new").err.split())
    assert "original: 2 take blue, yellow; 3 take blue, green, yellow; 4 take blue" in told
    assert "quick: 2 take blue, yellow" in told


def test_open_seats_are_those_of_the_board(club: Adjud) -> None:
    club.does("new", "spion", "--variant", "quick", "--seat", "yellow=Anna", "--open")
    assert "quick, blue (open), yellow Anna; open" in club.does("status")


def test_a_seat_is_left_open_by_itself(club: Adjud) -> None:
    club.does("new", "spion", *seats("blue=Anna", "green=open", "yellow=Bob"))
    assert "green (open)" in club.does("status")
    assert club.does("tick") == ""
    club.does("gm", "replace", "spion-1", "green", "computer", "--reason", "Nobody came.")
    told = club.does("status")
    assert "turn 1" in told
    assert "(open)" not in told


def test_a_board_of_ones_own_is_played_and_verified(club: Adjud) -> None:
    path = club.write("mine.json", board(id="mine-1"))
    held = seats("blue=computer", "yellow=computer:random")
    club.does("new", "spion", *held, "--board", path, "--option", "max_rounds=4", "--seed", SEED)
    club.does("tick")
    assert club.does("verify") == "spion-1: the log, its snapshots and proofs agree\n"
    record = club.write("mine.spion", club.does("record", "export", "spion-1"))
    assert "[Board " in (club.folder / "mine.spion").read_text("utf-8")
    replayed = json.loads(club.does("record", "replay", record, "--format", "json"))
    assert replayed["result"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "this is not a board"),
        ("not json", "this is not a board"),
        (board(grid=["...", ".."]), "grid"),
        (board(wells=[{"id": "W1", "cell": "zz9"}]), "zz9"),
        (b"\xff\xfe\x00", ""),
    ],
)
def test_a_bad_board_is_refused_with_a_sentence(
    club: Adjud, text: str | bytes, sentence: str
) -> None:
    before = club.dump()
    path = club.write("bad.json", text)
    held = seats("blue=Anna", "yellow=Bob")
    code, out, err = club("new", "spion", *held, "--board", path)
    assert (code, out) == (1, ""), err
    assert err.startswith("adjud: ")
    assert sentence in err
    assert club.dump() == before


def test_espionage_takes_no_board(club: Adjud) -> None:
    path = club.write("mine.json", board())
    held = seats("white=Anna", "black=Bob")
    answer = club("new", "espionage", *held, "--board", path)
    assert answer == (1, "", "adjud: Espionage is always played on its own boards\n")


@pytest.mark.slow
def test_a_demo_of_spion_is_four_players_to_the_end(adjud: Adjud) -> None:
    adjud.env["ADJUD_CONFIG"] = None
    out = adjud.does("demo", "spion", "--seed", SEED, "--folder", "here")
    won = "(Blue|Green|Yellow|Red) wins"
    last = "open here/index.html\nadjud audit here/reports\n"
    assert re.fullmatch(rf"\d+ turns; {won}: .+\.\n{last}", out)
    here = adjud.folder / "here"
    assert len(list((here / "reports").glob("*-final.html"))) == 4
    contents = (here / "index.html").read_text("utf-8")
    assert re.search(r"turns\. (Blue|Green|Yellow|Red) wins: four cards of one type\.<", contents)
    assert "<code>demo.spion</code>" in contents
    database = ("--database", f"sqlite:///{here}/adjud.db")
    assert adjud.does(*database, "verify").startswith("demo: the log")
    record = str(here / "demo.spion")
    assert json.loads(adjud.does("record", "replay", record, "--format", "json"))["result"]


@pytest.mark.nightly
def test_a_demo_of_the_quick_board_is_two_players(adjud: Adjud) -> None:
    """By day it is played and looked at in a browser."""
    adjud.env["ADJUD_CONFIG"] = None
    adjud.does("demo", "spion", "--variant", "quick", "--seed", SEED, "--folder", "here")
    names = {path.name for path in (adjud.folder / "here" / "reports").glob("*-final.html")}
    assert names == {"blue-final.html", "yellow-final.html"}


def test_types_are_printed_once_where_no_emails_go_out(club: Adjud) -> None:
    """With `memory=once`, only the first `adjud report` has what Blue took.

    This is so by file, even if the built-in player has moved meanwhile.
    """
    held = seats("blue=Anna", "yellow=computer")
    options = ("--option", "memory=once", "--seed", SEED)
    club.does("new", "spion", "--variant", "quick", *held, *options)
    club.does("tick")
    found = took(club)
    for _ in range(12):
        if found:
            break
        report = json.loads(club.does("report", "spion-1", "blue", "--format", "json"))
        goals = sorted(report["reach"], key=lambda place: not place.isupper())
        sheet = f"ORDERS spion-1 blue\nMOVE {goals[0]}\nEND\n"
        club.does("submit", "-", stdin=sheet)
        club.does("tick")
        found = took(club)
    assert found
    assert not took(club)


def took(club: Adjud) -> bool:
    report = json.loads(club.does("report", "spion-1", "blue", "--format", "json"))
    return any(entry["seat"] == "blue" and "card" in entry for entry in report["news"])


# News told once (memory=once) if no emails go out.

TYPE = "the card is CHEMISTRY"


@pytest.fixture
def guessed(adjud: Adjud) -> Adjud:
    """Play until Blue has guessed wrongly and all have seen a KEMI."""
    adjud.write("adjud.toml", "")
    adjud.does("init")
    store = open_store(f"sqlite:///{adjud.file}")
    table = SpionClub(store, adjud.folder)
    table.context = Club(store).context
    duel(table, "memory=once")
    table.send("blue", "CHALLENGE yellow 1 ATOM")
    table.tick()
    store.close()
    return adjud


@pytest.mark.parametrize("form", ["svg", "png"])
def test_a_picture_of_the_board_swallows_no_type(guessed: Adjud, form: str) -> None:
    assert guessed("report", "m", "yellow", "--format", form).code == 0
    assert TYPE in guessed.does("report", "m", "yellow")
    assert guessed("gm", "undo", "m").code == 1  # but it was seen what happened


def test_an_old_report_swallows_no_type(guessed: Adjud) -> None:
    """It names no type, so it tells nobody one."""
    assert TYPE not in guessed.does("report", "m", "yellow", "--turn", "1")
    sheet = "ORDERS m yellow turn 1\nANSWER blue: TAKE 1\nEND\n"
    guessed.does("submit", "-", "--tick", stdin=sheet)
    assert TYPE in guessed.does("report", "m", "yellow")


@pytest.mark.slow
def test_a_type_that_could_not_be_printed_is_told_again(guessed: Adjud) -> None:
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "adjudicator", "report", "m", "yellow"]
        env = {**os.environ, "ADJUD_DATABASE": f"sqlite:///{guessed.file}"}
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, env=env)
    assert (done.returncode, "No space left" in done.stderr) == (1, True)
    assert TYPE in guessed.does("report", "m", "yellow")


@pytest.mark.parametrize("words", [("report", "m", "--all"), ("tick",)])
def test_a_type_that_could_not_be_written_to_a_file_is_told_again(
    guessed: Adjud, words: tuple[str, ...]
) -> None:
    sheet = "ORDERS m yellow turn 1\nANSWER blue: TAKE 1\nEND\n"
    guessed.does("submit", "-", stdin=sheet)
    no_folder = guessed.write("a file", "")
    assert guessed(*words, "--folder", f"{no_folder}/in").code == 1
    assert TYPE in guessed.does("report", "m", "blue")


def test_pages_in_a_folder_tell_types_once(guessed: Adjud) -> None:
    folder = guessed.folder / "pages"
    guessed.does("report", "m", "--all", "--folder", str(folder))
    assert TYPE in (folder / "m-yellow-1.txt").read_text()
    assert TYPE not in guessed.does("report", "m", "yellow")
