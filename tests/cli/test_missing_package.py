"""A match whose game is of a package that is gone, broken or of another contract: every command
that meets it says so, all else goes on, and so does the match when the package is back."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest

from adjudicator.cli import main
from adjudicator.games import GAMES
from adjudicator.mail.transport import spool
from tests.cli.conftest import copied, every_host_is_known, with_emails
from tests.cli.test_unreadable import commands, emails
from tests.games.examples import FOLDER
from tests.games.packages import install
from tests.nightly import mostly_nightly
from tests.program import Adjud

TEXT = (FOLDER / "goofspiel/adjud_goofspiel.py").read_text("utf-8")
OTHER = f"{TEXT}\nfrom dataclasses import replace\nNEWER = replace(GOOFSPIEL, contract=2)\n"
LATER = "2026-11-24 12:00:00"  # all deadlines are over
TO_TWO = ("--option", "deadline=every 3 days")

# What becomes of the package: its entry point, and what a match of it is said to lack.
STATES = {
    "gone": (
        "",
        "it was played with the game 'goofspiel' of the package adjud-prizes 1.2, which is not "
        "installed",
    ),
    "broken": (
        "goofspiel = no_such_module:GOOFSPIEL",
        "the game 'goofspiel' of the package adjud-prizes 1.2 cannot be imported "
        "(ModuleNotFoundError: No module named 'no_such_module'); install another version of the "
        "package, or uninstall it",
    ),
    "of another contract": (
        "goofspiel = other_prizes:NEWER",
        "the game 'goofspiel' of the package adjud-prizes 1.2 is written for the contract 2, and "
        "this version has the contract 1; install a newer version of adjud",
    ),
}


class Package:
    """The package, as an installer leaves it. A change is seen by the next run of the program."""

    def __init__(self, place: Path) -> None:
        files = {"prizes.py": TEXT, "other_prizes.py": OTHER}
        entries = {"goofspiel": "prizes:GOOFSPIEL"}
        self._entries = install(place, "adjud-prizes", "1.2", files, entries) / "entry_points.txt"
        self._was = self._entries.read_text("utf-8")

    def becomes(self, state: str) -> str:
        """Return what a match of it is said to lack."""
        line, told = STATES[state]
        self._put(f"[adjud.games]\n{line}\n")
        return told

    def is_back(self, version: str = "1.2") -> None:
        metadata = f"Name: adjud-prizes\nVersion: {version}\n"
        self._entries.with_name("METADATA").write_text(metadata, "utf-8")
        self._put(self._was)

    def _put(self, text: str) -> None:
        self._entries.write_text(text, "utf-8")
        vars(GAMES).clear()
        GAMES.__init__()  # type: ignore[misc]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Package]:
    place, before = tmp_path_factory.mktemp("packages"), dict(vars(GAMES))
    found = Package(place)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.syspath_prepend(place)
        yield found
    vars(GAMES).clear()
    vars(GAMES).update(before)


@pytest.fixture(scope="module")
def made(package: Package, clubs: "object", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a club by mail in which `g` goes on, `h` has ended, `o` is open, and a ladder and two
    tournaments are of the same game; `e` is of a game of the program."""
    folder = tmp_path_factory.mktemp("made")
    package.is_back()
    with pytest.MonkeyPatch.context() as monkeypatch:
        every_host_is_known(monkeypatch)
        monkeypatch.chdir(folder)
        club = opened(copied(clubs.club, folder))  # type: ignore[attr-defined]
        for name in ("Carl", "Dora", "Eve"):
            club.does("player", "add", name, f"{name.lower()}@example.org", "--confirmed")
        club.does("player", "set", "Bob", "--letters", "daily")
        club.does("ladder", "new", "spring", "goofspiel")
        for name in ("Bob", "Anna"):
            club.does("ladder", "enter", "spring", name)
        for match, red in (("g", "Bob"), ("h", "Eve")):
            two = ("--seat=blue=Anna", f"--seat=red={red}")
            club.does("new", "goofspiel", "--match", match, *two, *TO_TWO)
        club.does("new", "goofspiel", "--match", "o", "--seat=blue=Anna", "--open", *TO_TWO)
        white = ("--seat=white=Anna", "--seat=black=Bob")
        club.does("new", "espionage", "--match", "e", *white, *TO_TWO)
        club.does("tick")
        for match in "gh":
            for seat, card in (("blue", 7), ("red", 8)):
                sheet = f"ORDERS {match} {seat} turn 1\nBID {card}\nEND\n"
                club.does("submit", "-", stdin=sheet)
        club.does("tick")
        club.does("submit", "-", stdin="ORDERS h blue turn 2\nRESIGN\nEND\n")
        cup = ("tournament", "new", "cup", "goofspiel", "--kind", "round-robin", *TO_TWO)
        club.does(*cup, *(f"--entrant={name}" for name in ("Anna", "Bob", "Carl", "Dora")))
        club.does("tournament", "start", "cup")
        club.does("tournament", "new", "later", "goofspiel", "--kind", "swiss", "--open")
        club.does("tick")
    return folder


def opened(folder: Path) -> Adjud:
    club = with_emails(folder)
    text = (folder / "adjud.toml").read_text()
    club.write("adjud.toml", f'operator = "gm@example.net"\n{text}')
    return club


@pytest.fixture
def club(adjud: Adjud, made: Path, package: Package, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    every_host_is_known(monkeypatch)
    package.is_back()
    return opened(copied(made, adjud.folder))


SHEET = "ORDERS g blue turn 2\nBID 3\nEND\n"
GOOD = "ORDERS e white turn 0\nSETUP AUTO\nEND\n"
NEW = ("goofspiel", "--seat", "blue=Anna", "--seat", "red=Bob")

# Each command as it meets the game, or a match of it: its words, its exit code, and what it says:
# it SAYS that the game is missing and why, or is QUIET about it. Once the package is GONE, only
# matches remember which one it was, and other sentences name the game alone; what is said of the
# packages that are there has then not even that (NAMED).
SAYS, QUIET, GONE, NAMED = "says", "quiet", "gone", "named"
MET: dict[tuple[str, ...], list[tuple[tuple[str, ...], int, str]]] = {
    ("audit",): [(("out",), 3, SAYS)],  # what its emails say cannot be read
    ("backup",): [(("b.tar.gz",), 0, QUIET)],
    ("board",): [(("g", "--gm"), 1, SAYS), (("h", "--gm"), 1, SAYS)],
    ("check",): [(("sheet",), 1, SAYS), (("both",), 1, SAYS)],
    ("db", "copy"): [(("sqlite:///copy.db",), 1, SAYS)],
    ("db", "prune"): [((), 0, QUIET)],
    ("db", "upgrade"): [((), 0, QUIET)],
    ("demo",): [(("goofspiel",), 1, GONE)],
    ("doctor",): [((), 1, SAYS)],
    ("games",): [((), 0, NAMED)],
    ("gm", "adjudicate"): [(("g", "--expect", "2"), 1, SAYS)],
    ("gm", "cancel"): [
        (("g", "--reason", "x"), 1, SAYS),
        (("h", "--reason", "x"), 1, SAYS),
        (("g", "--unread", "--reason", "x"), 0, QUIET),
    ],
    ("gm", "chance"): [(("o", "6 of Lotto at 2026-12-05T19:00Z"), 1, SAYS)],
    ("gm", "deadline"): [(("g", "2 days", "--yes"), 1, SAYS)],
    ("gm", "extend"): [
        (("g", "1 day", "--yes"), 1, SAYS),
        (("--all", "1 day", "--yes"), 1, SAYS),
        (("--game", "goofspiel", "1 day"), 1, GONE),
    ],
    ("gm", "forfeit"): [(("g", "blue", "--yes"), 1, SAYS)],
    ("gm", "hold"): [(("g", "--reason", "x"), 1, SAYS), (("--all", "--reason", "x"), 1, SAYS)],
    ("gm", "option"): [(("g", "deadline=every 2 days"), 1, SAYS)],
    ("gm", "press"): [(("g", "off"), 1, SAYS), (("--all", "off"), 1, SAYS)],
    ("gm", "replace"): [(("g", "blue", "Carl", "--yes"), 1, SAYS)],
    ("gm", "resume"): [(("g", "--reason", "x"), 1, SAYS)],
    ("gm", "say"): [(("g", "hello"), 1, SAYS), (("--all", "hello"), 1, SAYS)],
    ("gm", "undo"): [(("g",), 1, SAYS)],
    ("gm", "value"): [(("g", "1"), 1, SAYS)],
    ("ladder", "close"): [(("spring",), 0, QUIET)],
    ("ladder", "enter"): [(("spring", "Carl"), 0, QUIET)],
    ("ladder", "leave"): [(("spring", "Anna"), 0, QUIET)],
    ("ladder", "list"): [((), 0, QUIET)],
    ("ladder", "new"): [(("autumn", "goofspiel"), 1, GONE)],
    ("ladder", "log"): [(("spring",), 0, QUIET)],
    ("ladder", "show"): [(("spring",), 0, QUIET), (("spring", "--format", "json"), 0, QUIET)],
    ("late",): [(("--within", "9 days"), 0, QUIET)],
    ("mail", "queue", "list"): [((), 0, QUIET)],
    ("mail", "queue", "retry"): [(("--all",), 0, QUIET)],
    ("mail", "send"): [((), 0, QUIET)],
    ("match", "archive"): [(("h",), 1, SAYS)],
    ("metrics",): [((), 0, QUIET)],
    ("new",): [(NEW, 1, GONE), (("--like", *NEW), 1, GONE)],
    ("player", "absence"): [(("Anna", "2026-12-01", "2026-12-02"), 0, QUIET)],
    ("player", "erase"): [(("Anna", "--confirm"), 1, QUIET)],
    ("player", "export"): [(("Anna",), 0, QUIET)],
    ("player", "leave"): [(("Anna", "--yes"), 1, SAYS)],
    ("player", "list"): [((), 0, QUIET)],
    ("player", "mute"): [(("Anna",), 0, QUIET)],
    ("player", "remove"): [(("Anna",), 1, QUIET)],
    ("player", "set"): [(("Anna", "--language", "nb"), 0, QUIET)],
    ("player", "show"): [(("Anna",), 0, QUIET), (("Anna", "--format", "json"), 0, QUIET)],
    ("record", "export"): [(("h",), 1, SAYS)],
    ("record", "replay"): [(("h.record",), 1, GONE)],
    ("report",): [(("g", "blue"), 1, SAYS), (("h", "--all", "--folder", "reports"), 1, SAYS)],
    ("site", "build"): [(("pages",), 0, QUIET)],
    ("site", "link"): [(("g", "blue", "--gm"), 1, SAYS)],
    ("standings",): [((), 0, QUIET), (("goofspiel",), 0, QUIET)],
    ("status",): [
        ((), 0, SAYS),
        (("g",), 0, SAYS),
        (("--all", "--format", "json"), 0, SAYS),
        (("--waiting-for-me", "--player", "Anna"), 0, QUIET),
    ],
    ("submit",): [(("sheet",), 1, SAYS), (("both",), 1, SAYS)],
    ("tick",): [((), 0, QUIET)],
    ("tournament", "cancel"): [(("cup", "--reason", "x"), 0, QUIET)],
    ("tournament", "enter"): [(("later", "Anna"), 1, GONE)],
    ("tournament", "list"): [((), 0, QUIET)],
    ("tournament", "log"): [(("cup",), 0, QUIET)],
    ("tournament", "new"): [(("cap", "goofspiel", "--kind", "swiss"), 1, GONE)],
    ("tournament", "replace"): [(("cup", "Anna", "Anna", "--reason", "x"), 1, QUIET)],
    ("tournament", "result"): [(("cup", "cup-1-1", "draw", "--reason", "x"), 1, GONE)],
    ("tournament", "show"): [(("cup",), 0, QUIET), (("cup", "--format", "json"), 0, QUIET)],
    ("tournament", "chance"): [(("later", "6 of Lotto at 2026-12-05T19:00Z"), 1, QUIET)],
    ("tournament", "value"): [(("later", "1 7 15 23 38 44"), 1, QUIET)],
    ("tournament", "start"): [(("later",), 1, QUIET)],
    ("tournament", "withdraw"): [(("cup", "Anna", "--reason", "x"), 1, GONE)],
    ("verify",): [((), 1, SAYS), (("g",), 1, SAYS), (("h",), 1, SAYS), (("e",), 0, QUIET)],
}
# Commands that know nothing of a match, or are tried by themselves below.
APART = {
    ("config", "show"),
    ("db", "reopen"),
    ("drill",),
    ("game", "check"),
    ("game", "new"),
    ("init",),
    ("mail", "fetch"),
    ("mail", "queue", "drop"),
    ("mail", "queue", "show"),
    ("mail", "receive"),
    ("mail", "serve"),
    ("mail", "test"),
    ("player", "add"),
    ("player", "guest"),
    ("setup",),
    ("write",),
}


def test_the_table_has_every_command() -> None:
    assert {*MET} | APART == {*commands(main)}
    assert not {*MET} & APART


def each_state(test: Callable[..., None]) -> Callable[..., None]:
    """Try a test in all states by night: what is said of each is one sentence for all commands, and
    a tick says it in all states by day."""
    states = mostly_nightly(STATES, every_day=["gone"])
    return pytest.mark.slow(pytest.mark.parametrize("state", states)(test))


def joined(answer: tuple[int, str, str]) -> str:
    return " ".join((answer[1] + " " + answer[2]).split())


@each_state
def test_each_command_says_what_is_missing_and_does_the_rest(
    club: Adjud, package: Package, state: str
) -> None:
    club.write("sheet", SHEET)
    club.write("both", SHEET + GOOD)
    club.write("h.record", club.does("record", "export", "h"))
    why = package.becomes(state)
    before = club.file.read_bytes()
    wrong = []
    for name, uses in MET.items():
        for words, code, says in uses:
            club.file.write_bytes(before)
            answer = club(*name, *words)
            told = joined(answer)
            wanted = "" if says == QUIET else why
            if state == "gone" and says in (GONE, NAMED):
                wanted = "oofspiel" if says == GONE else ""
            if answer.code != code or wanted not in told or "error inside adjud" in told:
                wrong.append((*name, *words, answer))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
def test_a_tick_puts_the_match_on_hold_and_tells_the_operator_once(
    club: Adjud, package: Package, state: str
) -> None:
    why = package.becomes(state)
    first, again = joined(club("tick", at=LATER)), joined(club("tick", at=LATER))
    assert f"g: cannot be read; it is on hold: {why}" in first
    assert "e: " in first  # the deadline of the other match is dealt with
    assert why not in again
    told = [text for text in emails(club, "gm@example.net") if "[g]" in text]
    assert len(told) == 1
    assert "TROUBLE" in club.does("status", "g", at=LATER)
    anna = emails(club, "anna@example.org")
    (held,) = [text for text in anna if "[g] The match is on hold" in text]
    assert "You need not send anything again." in " ".join(held.split())


@each_state
def test_emails_to_the_match_are_kept_and_all_others_are_read(
    club: Adjud, package: Package, state: str
) -> None:
    package.becomes(state)
    club.came("blue", "ORDERS g blue turn 2", "BID 3", "END", match="g")
    club.came("blue", "STATUS", match="g")
    club.came("blue", "STATUS", match="h")
    club.came("white", "ORDERS e white turn 0", "SETUP AUTO", "END", match="e")
    club.came("white", "STATUS", match="e")
    club.does("tick")
    anna = emails(club, "anna@example.org")
    assert any("[g] Your email is saved" in text for text in anna)
    assert any("SETUP AUTO" in text for text in anna)
    assert any("Subject: [e]" in text for text in anna)
    stuck = club.does("mail", "queue", "list", "--status", "stuck")
    assert stuck.count("\n") == 2, stuck

    package.is_back()
    club.does("gm", "resume", "g", "--reason", "the game is back")
    club.does("mail", "queue", "retry", "--all")
    told = club.does("tick")
    assert club.does("mail", "queue", "list", "--status", "stuck") == "", told
    assert "BID 3" in "".join(emails(club, "anna@example.org"))


@each_state
def test_own_addresses_and_the_public_one_answer(club: Adjud, package: Package, state: str) -> None:
    anna = "".join(emails(club, "anna@example.org"))
    (mine, *_) = re.findall(r"adjud\+me\.\w+\.\w+@play\.example\.org", anna)
    package.becomes(state)
    for to, line in (
        ("adjud@play.example.org", "GAMES"),
        ("adjud@play.example.org", "TABLE cup"),
        ("adjud@play.example.org", "TABLE spring"),
        (mine, "STATUS"),
        (mine, "INVITE Bob TO spring"),
    ):
        email = f"From: anna@example.org\r\nTo: {to}\r\n\r\n{line}\r\n"
        folder = club.folder / "data/adjud/spool"
        sender = "anna@example.org"
        spool.put(folder, BytesIO(email.encode()), sender=sender, recipient=to, channel="pipe")
    answer = club("tick")
    assert answer.code == 0, answer
    assert club("mail", "queue", "list", "--status", "stuck").out == ""
    told = "".join(emails(club, "anna@example.org"))
    assert "Ladder spring: goofspiel" in told
    assert "cup: goofspiel, round robin, playing" in told
    assert "Games: Espionage, Spion, Spies." in told
    assert "g        goofspiel  2     on hold" in told
    assert "the game 'goofspiel'" in told  # she may not challenge him now


@each_state
def test_a_reminder_and_a_daily_email_tell_of_the_other_matches(
    club: Adjud, package: Package, state: str
) -> None:
    package.becomes(state)
    for hour in (22, 23):
        answer = club("tick", at=f"2026-11-{hour} 13:00:00")
        assert answer.code == 0, answer
    answer = club("tick", at="2026-11-24 06:00:00")
    assert answer.code == 0, answer
    bob = emails(club, "bob@example.org")
    assert any("e      Espionage  your orders  Tue 24 Nov 12:00" in text for text in bob)
    assert sum("[g] The match is on hold" in text for text in bob) == 1
    assert club("mail", "queue", "list", "--status", "stuck").out == ""


@each_state
def test_the_pages_of_its_matches_stay_as_they_were(
    club: Adjud, package: Package, state: str
) -> None:
    club.does("site", "build", "site")
    before = pages(club)
    package.becomes(state)
    club.does("gm", "say", "e", "hello")
    club.does("site", "build", "site")
    after = pages(club)
    assert before.keys() == after.keys()
    with closing(sqlite3.connect(club.file)) as database:  # of a change that would make them anew
        database.execute("UPDATE match SET changes = changes + 1")
        database.commit()
    club.does("site", "build", "site")
    after = pages(club)
    assert before.keys() == after.keys()
    changed = [path for path in before if before[path] != after[path]]
    kept = [path for path in before if path.startswith(("matches/g", "matches/h", "seats/"))]
    assert len(kept) > 3
    assert len({*kept} & {*changed}) == 2  # those of the seats of `e`
    assert "On hold." in after["index.html"].decode()
    assert "goofspiel" in after["tournaments/cup.html"].decode()
    assert "goofspiel" in after["ladders/spring.html"].decode()

    package.is_back()
    club.does("site", "build", "site")
    assert "On hold." not in pages(club)["index.html"].decode()


def pages(club: Adjud) -> dict[str, bytes]:
    site = (club.folder / "site").resolve()
    files = (path for path in site.rglob("*") if path.is_file())
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in files}


@each_state
def test_a_backup_is_tried_and_restored_without_it(
    club: Adjud, package: Package, state: str
) -> None:
    why = package.becomes(state)
    club("backup", "b.tar.gz")
    answer = club("drill", "b.tar.gz")
    assert answer.code == 1
    assert why in joined(answer)
    before = club.does("status", "--format", "json")
    club.file.rename(club.folder / "old.db")
    club.does("backup", "--restore", "b.tar.gz")
    assert club.does("status", "--format", "json") == before
    answer = club("tick")
    assert answer.code == 0, answer
    package.is_back()
    assert "Goofspiel" in club.does("report", "g", "blue")


@each_state
def test_players_who_left_its_ended_matches_can_be_erased(
    club: Adjud, package: Package, state: str
) -> None:
    package.becomes(state)
    assert "Eve" in club.does("player", "export", "Eve")
    told = club("player", "erase", "Eve", "--confirm")
    assert told.code == 0, told
    assert "Eve" not in club.does("status", "--all")
    package.is_back()
    assert not re.search(r"\bEve\b", club.does("report", "h", "blue"))
    assert club("verify", "h").code == 0


@each_state
def test_the_match_goes_on_when_the_package_is_back(
    club: Adjud, package: Package, state: str
) -> None:
    package.becomes(state)
    club("tick", at=LATER)
    package.is_back()
    club.does("gm", "resume", "g", "--reason", "the game is back", "--extend", "7d", at=LATER)
    for seat, card in (("blue", 3), ("red", 4)):
        sheet = f"ORDERS g {seat} turn 2\nBID {card}\nEND\n"
        club.does("submit", "-", stdin=sheet, at=LATER)
    club.does("tick", at=LATER)
    assert "turn 3" in club.does("status", "g", at=LATER)
    assert club.does("verify", "g", at=LATER)


@pytest.mark.slow
def test_another_version_is_told_by_the_doctor_and_with_the_next_turn(
    club: Adjud, package: Package
) -> None:
    assert "adjud-prizes" not in joined(club("doctor"))
    package.is_back("1.3")
    assert (
        "!! 8 matches were last played with adjud-prizes 1.2 and continue with adjud-prizes 1.3: "
        "g, o, cup-1-1, cup-1-2, cup-2-1, …"
    ) in joined(club("doctor"))
    assert club.does("games").count("1.3") == 1
    for seat, card in (("blue", 3), ("red", 4)):
        club.does("submit", "-", stdin=f"ORDERS g {seat} turn 2\nBID {card}\nEND\n")
    club.does("tick")
    (told,) = [text for text in emails(club, "gm@example.net") if "It continues with" in text]
    assert (
        "It continues with adjud-prizes 1.3; up to now it was played with adjud-prizes 1.2."
        in " ".join(told.split())
    )
    assert "7 matches were last played with adjud-prizes 1.2" in joined(club("doctor"))
    assert club("verify", "g").code == 0
