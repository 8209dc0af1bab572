"""`adjud audit` checks a player's own papers: what it prints and its exit codes, without a club."""

import json
from pathlib import Path

from tests.program import Adjud

FINAL = "examples/{game}/match/reports/{seat}-final.{form}"
ROOT = Path(__file__).parents[2]


def final(game: str, seat: str, form: str) -> str:
    return str(ROOT / FINAL.format(game=game, seat=seat, form=form))


def test_a_match_is_checked_without_a_database(adjud: Adjud) -> None:
    for game, seat in (("espionage", "white"), ("spion", "blue"), ("spies", "russia")):
        for form in ("json", "html"):
            out = adjud.does("audit", final(game, seat, form))
            assert "everything that can be compared agrees" in out
            assert "played again by the rules" in out


def test_what_does_not_agree_is_named_and_ends_with_exit_code_1(
    adjud: Adjud, tmp_path: Path
) -> None:
    told = json.loads(Path(final("espionage", "white", "json")).read_text("utf-8"))
    told["log"]["lines"][3] = told["log"]["lines"][3].replace("orders", "forfeit", 1)
    spoiled = tmp_path / "spoiled.json"
    spoiled.write_text(json.dumps(told), "utf-8")
    answer = adjud("audit", final("espionage", "black", "html"), str(spoiled))
    assert answer.code == 1
    assert "the opened log: " in answer.out
    assert "black-final.html" in answer.out
    assert "spoiled.json do not agree" in answer.out
    found = adjud("audit", str(spoiled), "--format", "json")
    assert found.code == 1
    assert len(json.loads(found.out)["wrong"]) >= 1


def test_files_with_nothing_of_adjud_are_refused(adjud: Adjud, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello")
    answer = adjud("audit", str(tmp_path / "x.txt"))
    assert answer.code == 1
    assert "no letter, page or report of adjud" in answer.err
    assert adjud("audit", str(tmp_path / "none.txt")).code == 2
