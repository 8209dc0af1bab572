"""The program of `examples/check_values.py` knows nothing of adjud but what the books say: it finds
in the JSON of emails what was changed or is missing, and nothing in that of an honest club."""

import ast
import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.club import MONDAY, computer_orders
from tests.service.mailclub import MailClub, value_in
from tests.service.test_daily_email_audit import play as play_daily
from tests.service.test_email_values import played

pytestmark = [pytest.mark.usefixtures("skeleton"), pytest.mark.slow]
PROGRAM = Path(__file__).parents[2] / "examples/check_values.py"
HOUR = timedelta(hours=1)
GAMES_SENT = ("espionage", "spion told once", "spies")
spell: Callable[[object], str] = runpy.run_path(str(PROGRAM))["spell"]
_SENT: dict[str, list[bytes]] = {}


def with_words(club: MailClub) -> None:
    """Play a few turns with a withdrawal of orders, orders in advance, offers of a draw, and a
    resignation, each of which is confirmed."""
    club.at_first_turn()
    for turn in range(4):
        now = MONDAY + turn * HOUR
        for seat in club.loaded().awaited:
            lines = (f"ORDERS m {seat}", *computer_orders(club.loaded(), seat, "computer"), "END")
            club.write(seat, *lines, at=now)
            club.run_tick(now)
            if seat == "white":
                for words in (("CLEAR",), lines, ("DRAW",), ("CLEAR DRAW",), ("DRAW",)):
                    club.write(seat, *words, at=now)
                    club.run_tick(now)
                later = f"ORDERS m white turn {turn + 3}"
                club.write(seat, later, "a2-a3", "b2-b3", "END", at=now)
        club.run_tick(now)
    club.send("white", "RESIGN", now=MONDAY + 5 * HOUR)
    club.run_tick(MONDAY + 5 * HOUR)


def sent(which: str, club: MailClub, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return the emails of a match to its first player."""
    if which not in _SENT:
        if which == "daily":
            play_daily(club)
        elif which == "words":
            with_words(club)
        else:
            played(which, club, monkeypatch)
        first = club.way.letters[0][1]
        _SENT[which] = [raw for _, to, raw in club.way.letters if to == first]
    return _SENT[which]


@pytest.fixture(params=(*GAMES_SENT, "daily", "words"))
def emails(request, store, tmp_path, monkeypatch):
    return sent(request.param, MailClub(store, tmp_path / "spool"), monkeypatch)


@pytest.fixture
def files(emails: list[bytes], tmp_path: Path) -> Path:
    """Return a folder with the JSON of all emails, as somebody has saved it."""
    folder = tmp_path / "saved"
    folder.mkdir()
    for number, raw in enumerate(emails):
        if value := value_in(raw):
            (folder / f"{number:02}.adjud.json").write_bytes(value)
    return folder


def checked(folder: Path) -> tuple[int, list[str]]:
    """Run the program without any package; return its exit code and what it prints."""
    command = [sys.executable, "-I", "-S", str(PROGRAM), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_it_is_short_and_needs_no_package() -> None:
    text = PROGRAM.read_text("utf-8")
    assert len(text.splitlines()) <= 150
    named = re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)
    assert ast.parse(text)
    assert {*named} <= {*sys.stdlib_module_names}


def test_an_honest_club_agrees(files: Path) -> None:
    code, (summary,) = checked(files)
    assert code == 0
    assert summary.endswith("0 do not agree, 0 are missing")
    assert int(summary.partition(" ")[0]) > 8


def test_emails_are_read_as_they_came(emails: list[bytes], files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "emails"
    folder.mkdir()
    for number, raw in enumerate(emails):
        (folder / f"{number:02}.eml").write_bytes(raw)
    assert checked(folder) == checked(files)


def read(folder: Path, kind: str) -> tuple[Path, Any]:
    """Return the second value in which there is something of a kind, and its file."""
    found = [(path, json.loads(path.read_text())) for path in sorted(folder.iterdir())]
    return [(path, one) for path, one in found if any(part.get(kind) for part in parts(one))][1]


def parts(value: Any) -> Any:
    """Yield all objects of a value."""
    if isinstance(value, dict):
        yield value
        value = [*value.values()]
    for one in value if isinstance(value, list) else ():
        yield from parts(one)


def other_digit(text: str) -> str:
    return f"{(int(text[0], 16) + 1) % 16:x}{text[1:]}"


def spoil(folder: Path, kind: str, change: Callable[[dict[str, Any]], None]) -> str:
    """Change the last object of a value that has something of a kind; return its file's name."""
    path, value = read(folder, kind)
    change([one for one in parts(value) if one.get(kind)][-1])
    path.write_text(spell(value))
    return path.name


def test_another_receipt_is_named(files: Path) -> None:
    def change(one: dict[str, Any]) -> None:
        one["proof"]["digest"] = other_digit(one["proof"]["digest"])

    name = spoil(files, "proof", change)
    code, told = checked(files)
    assert code == 1
    assert [one for one in told if one.startswith(f"{name}: the digest is not that of ADJUD3|")]


def test_another_head_is_named(files: Path) -> None:
    def change(one: dict[str, Any]) -> None:
        one["head"] = other_digit(one["head"])

    name = spoil(files, "head", change)
    code, told = checked(files)
    assert code == 1
    assert [one for one in told if one.startswith(f"{name}: the log has another head of ply ")]


def test_a_missing_number_is_named(files: Path) -> None:
    path, value = read(files, "tenure")  # an email to a seat
    path.unlink()
    gone = [one["n"] for one in parts(value) if one.get("n") and one.get("label")]
    code, told = checked(files)
    assert code == 0
    named = sorted(one.split(": ")[1] for one in told[:-1])
    assert named == sorted(f"email {n} is not here" for n in gone)


def test_another_fingerprint_of_the_one_before_is_named(files: Path) -> None:
    def change(one: dict[str, Any]) -> None:
        one["before"] = other_digit(one["before"])

    name = spoil(files, "before", change)
    code, told = checked(files)
    assert code == 1
    assert [one for one in told if one.startswith(f"{name}: `before` is not the fingerprint of ")]


def test_two_emails_with_one_number_and_another_spelling_are_named(files: Path) -> None:
    path, value = read(files, "n")
    value["at"] = "2027-01-01T00:00:00Z"
    for one in value["parts"]:
        one["at"] = value["at"]
    (files / "99.adjud.json").write_text(spell(value))
    path.write_text(path.read_text().replace(",", ", ", 1))
    code, told = checked(files)
    assert code == 1
    assert f"{path.name}: it is not spelled as adjud spells it" in told
    assert [one for one in told if one.startswith("99.adjud.json: another email has the number")]


def test_other_orders_in_the_log_are_named(files: Path) -> None:
    (*_, last) = [path for path in sorted(files.iterdir()) if '"key":' in path.read_text()]
    text = last.read_text()
    ordered = re.search(r'\[\\"(\w+)\\",(\d+),\\"[^"]+\\",\[\\"[^"]+(?=\\")', text)
    assert ordered
    last.write_text(text[: ordered.end()] + "0" + text[ordered.end() :])
    code, told = checked(files)
    assert code == 1
    assert [one for one in told if "another head of ply" in one]


@pytest.mark.parametrize("raw", [b"{", b"[]", b'{"parts": 1}', b'{"parts": []}', b"\xff"])
def test_what_somebody_made_up_is_a_sentence(raw: bytes, tmp_path: Path) -> None:
    (tmp_path / "1.adjud.json").write_bytes(raw)
    done = subprocess.run([sys.executable, PROGRAM, tmp_path], capture_output=True, text=True)
    assert done.returncode == 1
    assert "a value is none of adjud's" in done.stderr
    assert "Traceback" not in done.stderr
