"""A fault in a package's game is told as that package's, with the file and line that its author
needs and nothing of what it was about."""

import sys
from collections.abc import Iterator
from email import message_from_string, policy
from pathlib import Path

import pytest

from adjudicator.games import GAMES
from tests.cli.conftest import every_host_is_known, with_emails
from tests.cli.test_unreadable import emails
from tests.games.examples import FOLDER
from tests.games.packages import install
from tests.program import Adjud

TEXT = (FOLDER / "goofspiel/adjud_goofspiel.py").read_text("utf-8")
LINE = "    best = [seat for seat, card in bids.items() if card == max(bids.values())]\n"
BROKEN = TEXT.replace(LINE, '    raise ValueError(f"Blue bids {bids}")\n')
WHERE = f"(ValueError, faulty_prizes.py, line {TEXT[: TEXT.index(LINE)].count(chr(10)) + 1})"


def plain_text(email: str) -> str:
    """Return the text of an email in one line."""
    body = message_from_string(email, policy=policy.default).get_body(["plain"])
    assert body is not None
    return " ".join(body.get_content().split())


@pytest.fixture
def faulty(
    club: Adjud, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Adjud]:
    """Return a club by mail with `g`, a match of a game that fails as soon as both have bid."""
    assert BROKEN != TEXT
    place, before = tmp_path_factory.mktemp("packages"), dict(vars(GAMES))
    files = {"faulty_prizes.py": BROKEN}
    install(place, "adjud-prizes", "1.2", files, {"goofspiel": "faulty_prizes:GOOFSPIEL"})
    monkeypatch.syspath_prepend(place)
    every_host_is_known(monkeypatch)
    vars(GAMES).clear()
    GAMES.__init__()  # type: ignore[misc]
    with_emails(club.folder)
    settings = (club.folder / "adjud.toml").read_text()
    club.write("adjud.toml", f'operator = "gm@example.net"\n{settings}')
    club.does("new", "goofspiel", "--match", "g", "--seat=blue=Anna", "--seat=red=Bob")
    club.does("submit", "-", stdin="ORDERS g blue\nBID 7\nEND\n")
    yield club
    vars(GAMES).clear()
    vars(GAMES).update(before)
    sys.modules.pop("faulty_prizes", None)


def test_a_match_that_a_package_stops_is_told_as_its_fault(faulty: Adjud) -> None:
    answer = faulty("submit", "-", "--tick", stdin="ORDERS g red\nBID 8\nEND\n")
    told = f"an error inside the package adjud-prizes 1.2 {WHERE} stopped this match"
    assert told in answer.out
    assert answer.code == 1  # the orders are stored, but the match waits for a human
    assert "on hold" in faulty.does("status", "g")
    faulty.does("tick")
    said = [plain_text(one) for one in emails(faulty, "gm@example.net")]
    (to_operator,) = [text for text in said if told in text]
    for text in (answer.out, answer.err, to_operator):
        assert "Blue bids" not in text
        assert "inside adjud" not in text


def test_a_report_that_a_package_cannot_make_is_told_as_its_fault(faulty: Adjud) -> None:
    place = Path(sys.modules["faulty_prizes"].__file__ or "")
    failing = '    raise KeyError(f"Blue bids {view}")\n'
    head = next(line for line in TEXT.splitlines(keepends=True) if line.startswith("def board("))
    place.write_text(TEXT.replace(head, head + failing), "utf-8")
    sys.modules.pop("faulty_prizes")
    vars(GAMES).clear()
    GAMES.__init__()  # type: ignore[misc]
    number = TEXT[: TEXT.index(head)].count("\n") + 2
    answer = faulty("report", "g", "blue")
    assert answer.code == 1
    where = f"(KeyError, faulty_prizes.py, line {number})"
    assert f"a fault inside adjud-prizes 1.2 {where}; nothing of the step" in answer.err
    assert "Blue bids" not in answer.err
