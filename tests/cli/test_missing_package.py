"""A match whose game is of a package that is gone is said to be so, and goes on when it is back."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adjudicator.games import GAMES
from tests.games.examples import FOLDER
from tests.games.packages import install
from tests.program import Adjud

TEXT = (FOLDER / "goofspiel/adjud_goofspiel.py").read_text("utf-8")
MISSING = (
    "it was played with the game 'goofspiel' of the package adjud-prizes 1.2, which is not "
    "installed; install it"
)
LATER = "2026-11-24 12:00:00"


@pytest.fixture
def looked_again() -> Iterator[Callable[[], None]]:
    """Return what looks for packages again, as the next run of the program does."""
    before = dict(vars(GAMES))

    def look() -> None:
        vars(GAMES).clear()
        GAMES.__init__()  # type: ignore[misc]

    yield look
    vars(GAMES).clear()
    vars(GAMES).update(before)


@pytest.mark.slow
def test_what_is_said_of_a_match_without_its_game(
    adjud: Adjud,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    looked_again: Callable[[], None],
) -> None:
    place = tmp_path / "packages"
    info = install(
        place, "adjud-prizes", "1.2", {"prizes.py": TEXT}, {"goofspiel": "prizes:GOOFSPIEL"}
    )
    monkeypatch.syspath_prepend(place)
    looked_again()
    adjud.club()
    seats = ("--seat=blue=Anna", "--seat=red=computer:random")
    adjud.does("new", "goofspiel", "--match", "g", *seats, "--option", "deadline=every 2 days")
    white = ("--seat=white=Anna", "--seat=black=Bob")
    adjud.does("new", "espionage", "--match", "e", *white, "--option", "deadline=every 2 days")
    adjud.does("tick")
    assert "Goofspiel" in adjud.does("report", "g", "blue")

    entries = info / "entry_points.txt"
    was = entries.read_text("utf-8")
    entries.write_text("", "utf-8")
    looked_again()
    for words in (("verify", "g"), ("report", "g", "blue"), ("board", "g", "--gm")):
        answer = adjud(*words)
        assert answer.code == 1, words
        assert MISSING in answer.out + answer.err, words
    assert MISSING in _joined(adjud("doctor"))
    assert MISSING in _joined(adjud("status"))
    first, again = _joined(adjud("tick", at=LATER)), _joined(adjud("tick", at=LATER))
    assert MISSING in first
    assert MISSING not in again  # the operator is told once
    assert "e: " in first  # the other match is dealt with
    assert adjud("verify", "e").code == 0
    for words in (("db", "upgrade"), ("games",), ("late",), ("standings",), ("backup", "b.zip")):
        assert adjud(*words).code == 0, words

    entries.write_text(was, "utf-8")
    looked_again()
    adjud.does("gm", "resume", "g", "--reason", "the game is back", "--extend", "7d", at=LATER)
    adjud.does("submit", "-", stdin="ORDERS g blue turn 1\nBID 7\nEND\n", at=LATER)
    adjud.does("tick", at=LATER)
    assert "BID 7" in adjud.does("report", "g", "blue", at=LATER)
    assert "turn 2" in adjud.does("status", at=LATER)
    assert adjud.does("verify", "g", at=LATER)


def _joined(answer: tuple[int, str, str]) -> str:
    return " ".join((answer[1] + " " + answer[2]).split())
