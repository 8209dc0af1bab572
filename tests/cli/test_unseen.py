"""Twins of a club that differ in what one seat has sent: the operator, who may play, is told the
same by every command that is not given `--gm`.

A command that shows the operator anything new belongs into `COMMANDS`.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Clubs, copied, every_host_is_known, with_emails
from tests.program import BLACK_ARMY, WHITE_ARMY, Adjud

MATCH = "espionage-2"
ADJUDICATED = "2026-11-21 18:30:00"
SENT = "2026-11-21 19:00:00"
ASKED = "2026-11-21 19:10:00"
STEPS = ("d3-d4", "f3-f4")
SHEET = (f"ORDERS {MATCH} white turn 1", *STEPS, "END")
BEHIND = (f"ORDERS {MATCH} black turn 1", "e8-e7", "f8-f7", "END")
CHECKED = "\n".join(SHEET)
WRONG = CHECKED.replace("d3-d4", "Mine d3-d4")

Step = Callable[[Adjud], object]

# The seat that has sent one of these, and the emails that say it.
EMAILS: Mapping[str, tuple[str, Sequence[Sequence[str]]]] = {
    "orders": ("white", [SHEET]),
    "orders that were refused": ("white", [WRONG.split("\n")]),
    "orders that were withdrawn": ("white", [SHEET, ("CLEAR",)]),
    "orders twice": ("white", [SHEET, SHEET]),
    "orders to think on": ("white", [(*SHEET[:-1], "NOTREADY", "END")]),
    "orders in advance": ("black", [BEHIND]),
    "orders in advance that were refused": ("black", [(BEHIND[0], "e8-e5", "END")]),
    "a mark and a note": ("white", [("MARK a8 5", "NOTE he is brave")]),
    "a note, before the other": ("black", [("NOTE he is brave",)]),
    "orders in advance, withdrawn": ("black", [BEHIND, ("CLEAR ADVANCE",)]),
    "a question": ("black", [("STATUS",)]),
    "words": ("white", [("Hello, is it my turn?",)]),
    "a wish for help": ("black", [("HELP",)]),
    "a wrong code": ("white", [("CONFIRM ABC234",)]),
    "a resignation to be confirmed": ("white", [("RESIGN",)]),
    "a copy of the report": ("black", [("REPORT",)]),
    "wishes": ("white", [("PREFS RECEIPTS SHORT", "PREFS BOARD PICTURE", "PREFS PAGE LINK")]),
}

COMMANDS: Sequence[tuple[Sequence[str], str]] = (
    (("status",), ""),
    (("status", MATCH), ""),
    (("status", "--all", "--format", "json"), ""),
    (("mail", "queue", "list"), ""),
    (("mail", "queue", "list", "--page", "2"), ""),
    (("mail", "queue", "list", "--format", "json"), ""),
    *(
        (("mail", "queue", "list", "--format", "json", "--status", status), "")
        for status in ("accepted", "refused", "parked", "received", "sent", "waiting", "dropped")
    ),
    (("mail", "queue", "retry", "--all"), ""),
    (("mail", "send"), ""),
    (("doctor",), ""),
    (("doctor", "--format", "json"), ""),
    (("verify",), ""),
    (("verify", MATCH), ""),
    (("player", "list"), ""),
    (("player", "list", "--format", "json"), ""),
    (("check", "-"), CHECKED),
    (("check", "-", "--format", "json"), CHECKED),
    (("check", "-"), WRONG),
    (("check", "-"), "\n".join(BEHIND)),
    (("check", "-"), f"ORDERS {MATCH} black turn 1\nCLEAR\nEND\n"),
    (("check", "-", "--match", MATCH, "--seat", "white"), "MARK a8 5\nNOTE x"),
    (("record", "export", MATCH), ""),
    (("site", "build", "www"), ""),
    (("backup", "club.tar.gz"), ""),
)

RULINGS: Mapping[str, Sequence[str]] = {
    "say": (MATCH, "Hello"),
    "adjudicate": (MATCH, "--expect", "1"),
    "extend": (MATCH, "2 days"),
    "hold": (MATCH, "--reason", "x"),
    "resume": (MATCH, "--reason", "x"),
    "undo": (MATCH,),
    "forfeit": (MATCH, "white", "--by", "3 days"),
    "forfeit at once": (MATCH, "white"),
    "replace": (MATCH, "white", "Carl"),
    "cancel": (MATCH, "--reason", "x"),
}


@pytest.fixture(scope="module")
def begun(clubs: Clubs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a club with a way out in which White is to order turn 1.

    Orders settle for hours, so that no tick adjudicates what has just been sent.
    """
    folder = copied(clubs.by_mail, tmp_path_factory.mktemp("begun"))
    with pytest.MonkeyPatch.context() as monkeypatch:
        every_host_is_known(monkeypatch)
        club = with_emails(folder)
        club.does("gm", "cancel", "espionage-1", "--reason", "x")
        club.does("player", "add", "Carl", "carl@example.org", "--confirmed")
        club.match(MATCH, "--option", "settle=6 hours", "--option", "deadline=every 9 days")
        for seat, army in (("white", WHITE_ARMY), ("black", BLACK_ARMY)):
            rows = army.split("\n")
            club.came(seat, f"ORDERS {MATCH} {seat} turn 0", "SETUP", *rows, "END", match=MATCH)
        club.does("tick")
        told = club.does("tick", at=ADJUDICATED)
        assert told == f"{MATCH}: adjudicated; turn 1 is waiting for white\n"
    return folder


@pytest.fixture
def going(adjud: Adjud, begun: Path, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return that club, whose site is built."""
    every_host_is_known(monkeypatch)
    club = with_emails(copied(begun, adjud.folder))
    club.does("site", "build", "www", at=ADJUDICATED)
    return club


def twins(club: Adjud, left: Step, right: Step, seen: Step) -> tuple[object, object]:
    """Return what is seen of a club after either step; both begin with the same files."""
    one, other = siblings(club, (left, right), seen)
    return one, other


def siblings(club: Adjud, steps: Iterable[Step], seen: Step) -> list[object]:
    """Return what is seen of a club after each step; all begin with the same files."""
    saved = club.folder.with_name(f"{club.folder.name}-saved")
    shutil.copytree(club.folder, saved, symlinks=True)
    found = []
    for step in steps:
        step(club)
        found.append(seen(club))
        shutil.rmtree(club.folder)
        shutil.copytree(saved, club.folder, symlinks=True)
        os.chdir(club.folder)
    shutil.rmtree(saved)
    return found


def nothing(club: Adjud) -> None:
    """Let a tick pass in which nobody has written."""
    club.does("tick", at=SENT)


def sent(seat: str, emails: Sequence[Sequence[str]]) -> Step:
    """Let a seat send emails, and a tick read them."""

    def step(club: Adjud) -> None:
        for number, lines in enumerate(emails):
            club.came(seat, *lines, match=MATCH, Message_ID=f"<{number}@example.org>")
            assert club.does("tick", at=SENT) == ""

    return step


def answer_of(club: Adjud, *words: str, stdin: str = "") -> str:
    answer = club(*words, stdin=stdin, at=ASKED)
    out = "\n".join(line for line in answer.out.splitlines() if "MiB free" not in line)
    return f"{words} {answer.code}\n{out}\n{answer.err}"


def everything(club: Adjud) -> list[str]:
    """Return all that the operator is told and can see of the site, by command."""
    found = [answer_of(club, *words, stdin=stdin) for words, stdin in COMMANDS]
    return [*found, *site_of(club), answer_of(club, "tick")]


def site_of(club: Adjud) -> list[str]:
    """Return each file of the site, with its size and time, and what stands in the record."""
    www = (club.folder / "www").resolve()
    files = sorted(path for path in www.rglob("*") if path.is_file())
    found = [
        f"{path.relative_to(www)} {path.stat().st_size} {path.stat().st_mtime} "
        f"{path.stat().st_nlink} {path.read_text('utf-8')}"
        for path in files
    ]
    (record,) = club.folder.glob(".www.site-*.record")
    return [*found, record.read_text("utf-8")]


@pytest.mark.slow
def test_the_operator_is_told_the_same_whatever_a_seat_has_sent(going: Adjud) -> None:
    steps = [sent(seat, emails) for seat, emails in EMAILS.values()]
    told, *others = siblings(going, [nothing, *steps], everything)
    for name, other in zip(EMAILS, others, strict=True):
        assert other == told, name


@pytest.mark.slow
@pytest.mark.parametrize("ruling", RULINGS)
def test_a_ruling_answers_the_same_whatever_a_seat_has_sent(going: Adjud, ruling: str) -> None:
    def ruled(club: Adjud) -> str:
        return answer_of(club, "gm", ruling.split()[0], *RULINGS[ruling])

    steps = [sent(*EMAILS[name]) for name in ("orders", "orders in advance")]
    told, *others = siblings(going, [nothing, *steps], ruled)
    assert others == [told, told]


@pytest.mark.slow
def test_the_operator_is_told_the_same_of_an_email_that_nobody_has_read(going: Adjud) -> None:
    """An email lies in the spool, which alone tells of it."""

    def lies(club: Adjud) -> None:
        nothing(club)
        club.came("white", *SHEET, match=MATCH)

    def seen(club: Adjud) -> list[str]:
        found = [answer_of(club, *words, stdin=stdin) for words, stdin in COMMANDS]
        return [*found, *site_of(club)]

    left, right = twins(going, nothing, lies, seen)
    assert left == right


@pytest.mark.slow
@pytest.mark.parametrize("at", ["2026-11-23 18:00:00", "2026-12-01 18:00:00"])
def test_the_doctor_says_the_same_where_no_tick_comes_to_what_is_due(going: Adjud, at: str) -> None:
    """All orders are in and have settled, or nobody's; also when the deadline has passed."""

    def seen(club: Adjud) -> list[str]:
        out = club("doctor", at=at).out
        return [line for line in out.splitlines() if "MiB free" not in line]

    left, right = twins(going, nothing, sent("white", [SHEET]), seen)
    assert left == right


@pytest.mark.slow
def test_the_twins_are_not_the_same(going: Adjud) -> None:
    """With `--gm` the operator sees the difference, and so all is told to the players."""

    def seen(club: Adjud) -> str:
        return answer_of(club, "status", MATCH, "--gm")

    left, right = twins(going, nothing, sent("white", [SHEET]), seen)
    assert left != right
