"""A match that cannot be read stops no command, no tick and no email of the others."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import pytest

from adjudicator.cli import main
from tests.cli.conftest import copied, every_host_is_known, with_emails
from tests.nightly import mostly_nightly
from tests.program import Adjud

BAD, GOOD = "espionage-2", "espionage-1"
LATER = "2026-11-24 12:00:00"  # all deadlines are over

SPOILT = {
    "snapshot": "UPDATE turn SET snapshot = 'z:????' WHERE match_id = 2",
    "snapshot of another game": "UPDATE turn SET snapshot = '{}' WHERE match_id = 2",
    "snapshot that is no text": "UPDATE turn SET snapshot = CAST(x'7affff3a00' AS TEXT)"
    " WHERE match_id = 2",
    "no ply": "UPDATE match SET ply = 77 WHERE id = 2",
    "options": "UPDATE match SET options = 'garbage' WHERE id = 2",
    "options that are no text": "UPDATE match SET options = CAST(x'fffe' AS TEXT) WHERE id = 2",
    "an option": """UPDATE match SET options = '{"deadline":"when I feel like it"}' WHERE id = 2""",
    "game": "UPDATE match SET game = 'chess' WHERE id = 2",
    "variant": "UPDATE match SET variant = 'huge' WHERE id = 2",
    "time": "UPDATE match SET created_at = 'yesterday' WHERE id = 2",
    "time of the last ply": "UPDATE turn SET adjudicated_at = 'yesterday' WHERE match_id = 2",
    "seat": "UPDATE seat SET forfeit_at = 'soon' WHERE match_id = 2",
}
LOG = {
    "event": "UPDATE event SET body = 'garbage' WHERE match_id = 2",
    "ruling": "INSERT INTO ruling (match_id, ply, at, action, told, reason)"
    " VALUES (2, 1, '2026-11-21T12:00:00.000000Z', 'say', 'garbage', '')",
}

# What is tried on each command and each use of a match every day; the first tick of a day is tried
# with all of them.
SOME = ("snapshot", "seat")
each_spoilt = pytest.mark.parametrize("kind", mostly_nightly(SPOILT, every_day=SOME))


@pytest.fixture(scope="module")
def made(clubs: "object", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a club with emails, three good matches and one that is to be spoilt, all with set-ups
    done, and an open one."""
    folder = tmp_path_factory.mktemp("four")
    with pytest.MonkeyPatch.context() as monkeypatch:
        every_host_is_known(monkeypatch)
        club = with_emails(copied(clubs.club, folder))  # type: ignore[attr-defined]
        text = (folder / "adjud.toml").read_text()
        club.write("adjud.toml", f'operator = "gm@example.net"\n{text}')
        club.does("player", "add", "Carl", "carl@example.org", "--confirmed")
        for number in range(1, 5):
            name = f"espionage-{number}"
            club.match(name, "--option", "deadline=every 3 days")
            club.armies(name)
        club.does("new", "espionage", "--match", "free", "--seat", "white=Anna", "--open")
        club.does("tick")
    return folder


@pytest.fixture
def four(adjud: Adjud, made: Path, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    every_host_is_known(monkeypatch)
    club = with_emails(copied(made, adjud.folder))
    text = (club.folder / "adjud.toml").read_text()
    club.write("adjud.toml", f'operator = "gm@example.net"\n{text}')
    return club


def spoil(adjud: Adjud, statement: str) -> None:
    with closing(sqlite3.connect(adjud.file)) as database, database:
        database.execute("PRAGMA foreign_keys = OFF")
        assert database.execute(statement).rowcount > 0


def commands(group: click.Group, *before: str) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, *before, name)
        else:
            yield (*before, name)


ORDER = f"ORDERS {GOOD} white turn 1\nd3-d4\nf3-f4\nEND\n"
BESIDE = f"ORDERS {BAD} white turn 1\nd3-d4\nf3-f4\nEND\n{ORDER}"

LEAVING = ("player", "leave", "Anna")

# Each command of the club, as it is used on the whole of it or on a match that is sound: its words,
# what goes in, and its exit code.
CLUB: dict[tuple[str, ...], list[tuple[tuple[str, ...], str, int]]] = {
    ("player", "add"): [(("Dora", "dora@example.org"), "", 0)],
    ("player", "set"): [
        (("Anna", "--address", "anna@example.net"), "", 0),
        (("Bob", "--name", "Robert"), "", 0),
    ],
    ("player", "list"): [((), "", 0), (("--format", "json"), "", 0)],
    ("player", "guest"): [((), "", 0), (("1", "--allow"), "", 1)],
    ("player", "absence"): [(("Anna", "2026-12-01", "2026-12-02"), "", 0)],
    ("player", "remove"): [(("Carl",), "", 0), (("Anna",), "", 1)],
    ("player", "export"): [(("Anna",), "", 0), (("Carl",), "", 0)],
    ("player", "erase"): [(("Carl", "--confirm"), "", 0), (("Anna", "--confirm"), "", 1)],
    ("player", "show"): [(("Anna",), "", 0), (("Bob",), "", 0), (("Carl",), "", 0)],
    ("player", "leave"): [(("Carl",), "", 1), (LEAVING[2:], "", 1)],
    ("player", "mute"): [(("Carl",), "", 0)],
    ("late",): [((), "", 0), (("--within", "9 days"), "", 0), (("--format", "json"), "", 0)],
    ("standings",): [((), "", 0), (("--format", "csv"), "", 0)],
    ("match", "archive"): [((GOOD,), "", 1)],
    ("new",): [(("espionage", "--seat", "white=Anna", "--seat", "black=Bob"), "", 0)],
    ("submit",): [(("-",), ORDER, 0), (("-",), BESIDE, 1)],
    ("check",): [(("-",), ORDER, 0), (("-",), BESIDE, 1)],
    ("tick",): [((), "", 0), (("--folder", "out"), "", 0), (("--match", GOOD), "", 0)],
    ("report",): [((GOOD, "white"), "", 0), ((GOOD, "--all", "--folder", "reports"), "", 0)],
    ("status",): [
        ((), "", 0),
        (("--all",), "", 0),
        (("--format", "json"), "", 0),
        (("--gm",), "", 0),
        ((BAD,), "", 0),
        ((GOOD,), "", 0),
    ],
    ("board",): [((GOOD, "--gm"), "", 0)],
    ("record", "export"): [((GOOD,), "", 1)],
    ("verify",): [((), "", 1), ((GOOD,), "", 0)],
    ("mail", "queue", "list"): [((), "", 0), (("--gm",), "", 0), (("--format", "json"), "", 0)],
    ("mail", "queue", "retry"): [(("--all",), "", 0)],
    ("mail", "send"): [((), "", 0)],
    ("mail", "test"): [((), "", 0)],
    ("gm", "hold"): [((GOOD, "--reason", "x"), "", 0)],
    ("gm", "resume"): [((GOOD, "--reason", "x"), "", 1)],
    ("gm", "extend"): [((GOOD, "1 day"), "", 0)],
    ("gm", "option"): [((GOOD, "deadline=every 2 days"), "", 0)],
    ("gm", "press"): [((GOOD, "off"), "", 0)],
    ("gm", "deadline"): [((GOOD, "2 days"), "", 0)],
    ("gm", "say"): [((GOOD, "hello"), "", 0)],
    ("gm", "cancel"): [((GOOD, "--reason", "x"), "", 0)],
    ("gm", "replace"): [((GOOD, "white", "Carl"), "", 0)],
    ("gm", "forfeit"): [((GOOD, "white"), "", 0), ((GOOD, "white", "--by", "2 days"), "", 0)],
    ("gm", "adjudicate"): [((GOOD, "--expect", "1"), "", 0)],
    ("gm", "chance"): [((GOOD, "6 of Lotto at 2026-12-05T19:00Z"), "", 1)],
    ("gm", "value"): [((GOOD, "1 7 15 23 38 44"), "", 1)],
    ("tournament", "new"): [(("cup", "espionage", "--kind", "swiss"), "", 0)],
    ("tournament", "list"): [((), "", 0)],
    ("tournament", "show"): [(("cup",), "", 1)],
    ("tournament", "log"): [(("cup",), "", 1)],
    ("tournament", "chance"): [(("cup", "6 of Lotto at 2026-12-05T19:00Z"), "", 1)],
    ("tournament", "value"): [(("cup", "1 7 15 23 38 44"), "", 1)],
    ("tournament", "start"): [(("cup",), "", 1)],
    ("tournament", "enter"): [(("cup", "Anna"), "", 1)],
    ("tournament", "withdraw"): [(("cup", "Anna", "--reason", "x"), "", 1)],
    ("tournament", "replace"): [(("cup", "Anna", "Bob", "--reason", "x"), "", 1)],
    ("tournament", "result"): [(("cup", GOOD, "draw", "--reason", "x"), "", 1)],
    ("tournament", "cancel"): [(("cup", "--reason", "x"), "", 1)],
    ("ladder", "new"): [(("spring", "espionage"), "", 0)],
    ("ladder", "list"): [((), "", 0)],
    ("ladder", "show"): [(("spring",), "", 1)],
    ("ladder", "log"): [(("spring",), "", 1)],
    ("ladder", "enter"): [(("spring", "Anna"), "", 1)],
    ("ladder", "leave"): [(("spring", "Anna"), "", 1)],
    ("ladder", "close"): [(("spring",), "", 1)],
    ("site", "build"): [(("site",), "", 0)],
    ("site", "link"): [((GOOD, "white", "--gm"), "", 0)],
    ("backup",): [(("club.tar.gz",), "", 0)],
    ("doctor",): [((), "", 1)],
    ("config", "show"): [((), "", 0)],
    ("metrics",): [((), "", 0)],
    ("db", "copy"): [(("sqlite:///copy.db",), "", 1)],
    ("db", "prune"): [((), "", 0)],
}
# Commands that know nothing of matches, or are tried elsewhere: by emails, or with the undo of a
# ply that nobody has read.
APART = {
    ("demo",),
    ("init",),
    ("audit",),
    ("game", "new"),
    ("game", "check"),
    ("games",),
    ("record", "replay"),
    ("mail", "receive"),
    ("mail", "fetch"),
    ("mail", "serve"),
    ("mail", "queue", "show"),
    ("mail", "queue", "drop"),
    ("gm", "undo"),
    ("db", "upgrade"),
    ("db", "reopen"),
    ("setup",),
    ("drill",),
    ("write",),
}


def test_the_table_has_every_command() -> None:
    assert {*CLUB} | APART >= {*commands(main)}


CASES = [(name + words, stdin, code) for name, uses in CLUB.items() for words, stdin, code in uses]


@pytest.mark.slow
@pytest.mark.parametrize(
    # Each command meets a game that is not there in test_missing_package.py.
    "kind",
    mostly_nightly([*SPOILT, *LOG], every_day=["snapshot", "event"]),
)
def test_no_command_ends_because_of_another_match(four: Adjud, kind: str) -> None:
    spoil(four, {**SPOILT, **LOG}[kind])
    before = four.file.read_bytes()
    for words, stdin, code in CASES:
        if kind in LOG and (stdin == BESIDE or words == LEAVING):
            continue  # a sheet is taken, and a seat given up, without the log
        four.file.write_bytes(before)
        answer = four(*words, stdin=stdin)
        assert answer.code == code, (words, answer)
        assert "error inside adjud" not in answer.err, (words, answer)


# The same commands on the match itself: a sentence, or what is known.
ITSELF = [
    ("gm", "hold", BAD, "--reason", "x"),
    ("gm", "extend", BAD, "1 day"),
    ("gm", "deadline", BAD, "2 days"),
    ("gm", "say", BAD, "hello"),
    ("gm", "cancel", BAD, "--reason", "x"),
    ("gm", "replace", BAD, "white", "Carl"),
    ("gm", "forfeit", BAD, "white"),
    ("gm", "adjudicate", BAD, "--expect", "1"),
    ("gm", "undo", BAD),
    ("report", BAD, "white"),
    ("report", BAD, "--all", "--folder", "out"),
    ("board", BAD, "--gm"),
    ("record", "export", BAD),
    ("site", "link", BAD, "white", "--gm"),
]


@each_spoilt
def test_on_the_match_itself_a_sentence_says_so(four: Adjud, kind: str) -> None:
    spoil(four, SPOILT[kind])
    for words in ITSELF:
        answer = four(*words)
        assert answer.code == 1, words
        assert f"{BAD} cannot be read" in answer.err, words
        assert "--unread" in answer.err, words
    assert re.search(rf"^{BAD}: it (can no longer|cannot) be read", four("verify").out, re.M)
    told = four.does("status")
    assert f"{BAD} cannot be read" in told
    assert told.count("is waiting for white until") == 3
    assert f"BAD {BAD} cannot be read" in four("doctor").out


@pytest.mark.parametrize("kind", LOG)
def test_a_spoilt_log_is_told_by_doctor_and_verify(four: Adjud, kind: str) -> None:
    spoil(four, LOG[kind])
    assert f"{BAD} cannot be read" in four("doctor").out
    assert f"{BAD}: it can no longer be read" in four("verify", BAD).out
    assert four("gm", "cancel", BAD, "--reason", "x").code == 1
    assert "is cancelled" in four.does("gm", "cancel", BAD, "--reason", "x", "--unread")


def emails(adjud: Adjud, to: str) -> list[str]:
    """Return the emails to an address that have gone out into the folder, as text."""
    found = [path.read_text() for path in sorted((adjud.folder / "out").rglob("*.eml"))]
    return [text for text in found if f"To: {to}" in text or f"<{to}>" in text.split("\n\n")[0]]


@each_spoilt
def test_a_tick_holds_it_tells_once_and_goes_on(four: Adjud, kind: str) -> None:
    for day in (22, 23, 24):
        four.does("tick", at=f"2026-11-{day} 11:00:00")
    spoil(four, SPOILT[kind])
    answer = four("tick", at=LATER)
    assert answer.code == 0, answer
    assert f"{BAD}: cannot be read; it is on hold" in answer.out
    assert answer.out.count("the match waits for you") == 3
    operator = [text for text in emails(four, "gm@example.net") if "cannot be read" in text]
    assert len(operator) == 1
    for address in ("anna@example.org", "bob@example.org"):
        held = [text for text in emails(four, address) if f"[{BAD}] The match is on hold" in text]
        assert len(held) == 1
    assert four("tick", at="2026-11-24 12:05:00").out == ""
    again = four("tick", at="2026-11-25 12:05:00").out
    assert f"{BAD}: the match still waits for you" in again
    operator = [text for text in emails(four, "gm@example.net") if "cannot be read" in text]
    assert len(operator) == 2


@pytest.mark.parametrize("kind", LOG)
def test_a_turn_that_needs_a_spoilt_log_holds_its_match(four: Adjud, kind: str) -> None:
    spoil(four, LOG[kind])
    four.came("white", f"ORDERS {BAD} white turn 1", "d3-d4", "f3-f4", "END", match=BAD)
    four.does("submit", "-", stdin=ORDER)
    told = four.does("tick")
    assert f"{GOOD}: adjudicated" in told
    assert f"{BAD}: adjudicated" not in told
    assert f"{BAD}: " in told
    assert any(f"[{BAD}] The match is on hold" in text for text in emails(four, "anna@example.org"))


@pytest.mark.parametrize("kind", [*SPOILT, *LOG])
def test_the_first_tick_of_a_day_finds_it(four: Adjud, kind: str) -> None:
    spoil(four, {**SPOILT, **LOG}[kind])
    four.does("tick", at="2026-11-21 15:00:00")
    assert f"{BAD}: cannot be read" in four.does("tick", at="2026-11-22 00:10:00")
    assert four.does("tick", at="2026-11-22 01:10:00") == ""


def test_it_is_found_where_no_match_has_a_deadline(club: Adjud) -> None:
    club.match(GOOD)
    club.match(BAD)
    club.does("tick")
    spoil(club, SPOILT["snapshot"])
    assert "cannot be read" in club.does("tick", at="2026-11-22 12:00:00")
    assert club.does("tick", at="2026-11-22 12:30:00") == ""


@each_spoilt
def test_an_email_for_it_is_kept_and_answered_and_the_others_are_read(
    four: Adjud, kind: str
) -> None:
    four.came("white", f"ORDERS {BAD} white turn 1", "d3-d4", "f3-f4", "END", match=BAD)
    four.came("white", f"ORDERS {GOOD} white turn 1", "d3-d4", "f3-f4", "END")
    four.came("black", "STATUS")
    spoil(four, SPOILT[kind])
    answer = four("tick")
    assert answer.code == 0, answer
    assert f"{GOOD}: adjudicated" in answer.out
    anna = emails(four, "anna@example.org")
    assert sum(f"[{BAD}] Your email is saved" in text for text in anna) == (kind != "seat")
    assert "stuck" in four.does("mail", "queue", "list", "--status", "stuck") or kind == "seat"
    four.does("gm", "cancel", BAD, "--reason", "the disk", "--unread")
    assert four.does("mail", "queue", "list", "--status", "stuck") == ""
    assert "stuck" not in four.does("status")


@each_spoilt
def test_it_ends_from_its_rows_and_all_else_goes_on(four: Adjud, kind: str) -> None:
    spoil(four, SPOILT[kind])
    assert four.does("gm", "cancel", BAD, "--reason", "the disk", "--unread") == (
        f"{BAD} is cancelled\n"
    )
    four.does("tick")
    for address in ("anna@example.org", "bob@example.org"):
        told = [text for text in emails(four, address) if f"[{BAD}] The match is can" in text]
        assert len(told) == 1
        assert "the disk" in told[0]
    assert BAD not in four.does("status")
    assert BAD not in four("doctor").out
    assert "is over" in four("gm", "cancel", BAD, "--reason", "x", "--unread").err
    four.does("site", "build", "site")
    answer = four("tick", at=LATER)
    assert BAD not in answer.out


def test_a_match_that_can_be_read_is_not_ended_so(four: Adjud) -> None:
    answer = four("gm", "cancel", GOOD, "--reason", "x", "--unread")
    assert answer.code == 1
    assert "can be read" in answer.err


def test_games_names_the_seats_of_the_others(four: Adjud) -> None:
    spoil(four, "UPDATE match SET game = 'chess' WHERE name = 'free'")
    four.does("new", "espionage", "--match", "free-2", "--seat", "white=Anna", "--open")
    from io import BytesIO

    from adjudicator.mail.transport import spool

    email = b"From: new@example.org\r\nTo: adjud@play.example.org\r\n\r\nGAMES\r\n"
    spool.put(
        four.folder / "data/adjud/spool",
        BytesIO(email),
        sender="new@example.org",
        recipient="adjud@play.example.org",
        channel="pipe",
    )
    four.does("tick")
    (text,) = emails(four, "new@example.org")
    assert "JOIN free-2" in text
    assert "free:" not in text


def test_the_pages_of_the_match_stay_and_say_that_it_is_paused(four: Adjud) -> None:
    four.does("site", "build", "site")
    before = {path.name for path in (four.folder / "site" / "seats").iterdir()}
    spoil(four, SPOILT["snapshot"])
    four.does("tick", at="2026-11-22 12:00:00")
    four.does("site", "build", "site")
    assert {path.name for path in (four.folder / "site" / "seats").iterdir()} == before
    assert "On hold." in (four.folder / "site/index.html").read_text()


def test_it_goes_on_when_it_can_be_read_again(four: Adjud) -> None:
    with closing(sqlite3.connect(four.file)) as database:
        (game,) = database.execute("SELECT game FROM match WHERE id = 2").fetchone()
    spoil(four, SPOILT["game"])
    four("tick", at=LATER)
    spoil(four, f"UPDATE match SET game = '{game}' WHERE id = 2")
    four.does("gm", "resume", BAD, "--reason", "mended", "--extend", "1 day", at=LATER)
    assert "cannot be read" not in four.does("status")
