"""A match whose chance takes a public number, by the commands of the operator."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.core.test_beacon import PUBLISHED
from tests.program import Adjud

FULL, LATER = "2023-08-22 15:59:22", "2023-08-23 16:00:00"
SEATS = ("--seat", "white=Anna", "--seat", "black=Bob")
DRAND = ("--option", "chance=drand", "--option", "drand_after=1 day")


def club(adjud: Adjud) -> None:
    adjud.club()


def new(adjud: Adjud, *options: str) -> None:
    told = adjud("new", "espionage", "--match", "m", *SEATS, *options, at=FULL)
    assert (told.code, told.out) == (0, "m\n")
    assert told.err == (
        "next: m waits for the signature of drand quicknet, round number 1000; `adjud gm value m "
        "VALUE` enters it and opens the match\n"
    )


def test_a_match_waits_opens_and_is_verified(adjud: Adjud) -> None:
    club(adjud)
    new(adjud, *DRAND)
    assert adjud.does("status", at=FULL) == (
        "m: espionage standard, white Anna, black Bob; waiting\n"
        "  waits for the signature of drand quicknet, round number 1000, published Wed 23 Aug 2023 "
        "15:59 UTC\n"
    )
    assert adjud.does("verify", at=FULL) == "m: the log, its snapshots and proofs agree\n"
    assert adjud.does("tick", at=FULL) == ""
    wrong = adjud("gm", "value", "m", PUBLISHED[1001], at=LATER)
    assert wrong.err == "adjud: this is not the signature of round number 1000\n"
    told = adjud.does("gm", "value", "m", PUBLISHED[1000], at=LATER)
    assert told == f"m has opened with {PUBLISHED[1000]}\n"
    assert "turn 0 is waiting for white and black" in adjud.does("status", at=LATER)
    assert adjud.does("verify", at=LATER) == "m: the log, its snapshots and proofs agree\n"
    again = adjud("gm", "value", "m", PUBLISHED[1000], at=LATER)
    assert again.err.startswith("adjud: the public number of m was entered and stays as it is")


def test_what_needs_a_position_is_refused_in_a_sentence(adjud: Adjud) -> None:
    club(adjud)
    new(adjud, *DRAND)
    before = adjud.dump()
    for words in (
        ("report", "m", "white"),
        ("board", "m", "--gm"),
        ("record", "export", "m"),
        ("gm", "hold", "m", "--reason", "x"),
        ("gm", "undo", "m"),
        ("gm", "extend", "m", "2 days"),
        ("gm", "forfeit", "m", "white"),
        ("gm", "adjudicate", "m", "--expect", "0"),
        ("site", "link", "m", "white", "--gm"),
    ):
        told = adjud(*words, at=FULL)
        assert (told.code, told.out) == (1, ""), words
        assert told.err.startswith("adjud: m has not opened: it waits for"), words
    assert adjud.dump() == before


def test_a_submitted_sheet_is_refused_in_a_sentence(adjud: Adjud) -> None:
    club(adjud)
    new(adjud, *DRAND)
    told = adjud("submit", "-", stdin="ORDERS m white turn 0\nSETUP AUTO\nEND\n", at=FULL)
    assert told.code == 1
    assert "m has not opened" in told.out + told.err


def test_a_backup_brings_back_a_match_that_waits(adjud: Adjud) -> None:
    club(adjud)
    new(adjud, *DRAND)
    archive = str(adjud.folder / "club.tar.gz")
    adjud.does("backup", archive, at=FULL)
    adjud.file.unlink()
    for name in ("adjud.db-wal", "adjud.db-shm"):
        (adjud.folder / name).unlink(missing_ok=True)
    (adjud.folder / "data/adjud/adjud.key").unlink()
    adjud("backup", "--restore", archive, at=LATER)
    adjud("tick", at=LATER)
    adjud.does("gm", "value", "m", PUBLISHED[1000], at=LATER)
    assert adjud.does("verify", at=LATER) == "m: the log, its snapshots and proofs agree\n"


def test_unknown_kinds_of_chance_are_refused(adjud: Adjud) -> None:
    club(adjud)
    for value, told in {
        "chance=dice": "chance cannot be 'dice'",
        "chance=numbers": "write which numbers of which draw",
        "chance=numbers: 6 of Lotto at Saturday": "'Saturday' is not a time with its zone",
        "chance=numbers: 6 of Lotto at 2023-09-01T19:00": "is not a time with its zone",
        "chance=numbers: 6 of Lotto at 2023-08-23T15:00Z": "that draw comes too soon",
    }.items():
        answer = adjud("new", "espionage", "--match", "m", *SEATS, "--option", value, at=FULL)
        assert answer.code == 1
        assert told in answer.err, answer.err


def test_a_zone_is_kept_as_utc(adjud: Adjud) -> None:
    club(adjud)
    option = "chance=numbers: 6 of Lotto at 2023-09-01T21:00+02:00"
    adjud("new", "espionage", "--match", "m", *SEATS, "--option", option, at=FULL)
    assert "published Fri 01 Sep 2023 19:00 UTC" in adjud.does("status", at=FULL)


def test_the_site_shows_a_match_that_waits(adjud: Adjud) -> None:
    club(adjud)
    new(adjud, *DRAND)
    folder = adjud.folder / "site"
    adjud("site", "build", str(folder), at=FULL)
    page = (folder / "index.html").read_text()
    assert "The match has not opened: it waits for" in page
    adjud.does("gm", "cancel", "m", "--reason", "x", at=FULL)
    adjud("site", "build", str(folder), at=FULL)
    assert "has not opened" not in (folder / "index.html").read_text()
    assert "it was cancelled before it opened" in adjud.does("status", "--all", at=FULL)
    assert adjud("doctor", at=FULL).code in (0, 1)
    assert adjud.does("verify", at=FULL) == "m: the log, its snapshots and proofs agree\n"


def test_a_command_that_cannot_be_split_is_named(adjud: Adjud) -> None:
    adjud.write("adjud.toml", '[chance]\ncommand = "curl \'x"\n')
    told = adjud("status")
    assert "chance.command: No closing quotation" in told.err


# The club's default.


def fetches(adjud: Adjud, value: str = PUBLISHED[1000]) -> str:
    """Return a command that prints the signature of a round."""
    path = Path(adjud.write("fetch", f"#!/bin/sh\necho '{value}'\n"))
    path.chmod(0o755)
    return f"{path} {{round}}"


def settings(adjud: Adjud, *lines: str) -> None:
    adjud.write("adjud.toml", "\n".join([*lines, ""]))


def options_of(adjud: Adjud, name: str) -> dict[str, str]:
    with closing(sqlite3.connect(adjud.file)) as database:
        (kept,) = database.execute("SELECT options FROM match WHERE name = ?", [name]).fetchone()
    found: dict[str, str] = json.loads(kept)
    return found


def test_new_matches_have_the_clubs_chance_unless_they_name_theirs(adjud: Adjud) -> None:
    club(adjud)
    settings(
        adjud,
        "[club]",
        'chance = "drand"',
        "[match.now]",
        'game = "espionage"',
        'chance = "seed"',
    )
    told = {}
    for name, words in {
        "m0": ("espionage",),
        "m1": ("espionage", "--option", "chance=seed"),
        "m2": ("espionage", "--option", "drand_after=1 day"),
        "m3": ("--like", "now"),
        "m4": ("--like", "espionage"),
    }.items():
        adjud.does("new", *words, "--match", name, *SEATS, at=FULL)
        shown = options_of(adjud, name)
        told[name] = shown["chance"], shown.get("drand_after")
    assert told == {
        "m0": ("drand", "1 hour"),
        "m1": ("seed", None),
        "m2": ("drand", "1 day"),
        "m3": ("seed", None),
        "m4": ("drand", "1 hour"),
    }


def test_a_club_without_the_setting_begins_its_matches_at_once(adjud: Adjud) -> None:
    club(adjud)
    adjud.does("new", "espionage", "--match", "m", *SEATS, at=FULL)
    assert "turn 0 is waiting for white and black" in adjud.does("status", at=FULL)


def test_another_default_is_refused(adjud: Adjud) -> None:
    settings(adjud, "[club]", 'chance = "numbers: 6 of Lotto at 2026-12-05T19:00Z"')
    told = adjud("status")
    assert told.err.rstrip().endswith("is not valid; write seed or drand"), told.err


ROUND_1000 = "2023-08-23 16:00:24"  # 20 rounds after it


def test_the_doctor_fetches_a_round(adjud: Adjud) -> None:
    club(adjud)

    def said() -> list[str]:
        told = adjud("doctor", at=ROUND_1000).out.splitlines()
        return [line for line in told if "chance: " in line]

    assert said() == []
    settings(adjud, "[club]", 'chance = "drand"')
    (line,) = said()
    assert "there is no command that fetches it; set chance.command" in line
    settings(adjud, "[chance]", f'command = "{fetches(adjud)}"')
    (line,) = said()
    assert line.endswith("chance: a round of drand was fetched")
    settings(adjud, "[chance]", f'command = "{fetches(adjud, PUBLISHED[1001])}"')
    (line,) = said()
    assert "this is not the signature of round number 1000" in line
    settings(adjud, "[chance]", f'command = "{fetches(adjud, "404 page not found")}"')
    (line,) = said()
    assert "printed no signature of drand for the round number 1000" in line
