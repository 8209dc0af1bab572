"""Papers of a match that began before 0.2.22: another program must check them, and no club is
blamed.

`before_0_2_22/` has some of what a seat of Spion was sent by adjud 0.2.21.
"""

import json
from pathlib import Path

import pytest

from adjudicator.core.chain import OLDER
from adjudicator.core.message import tell
from tests.audits import Audit, audit, read_papers

OLD = Path(__file__).parent / "before_0_2_22"
NEWER = f"SHA-256 of ADJUD2|canal|blue|1|1| with the orders:\n  {'a' * 64}\n"


def audited(*papers: Path) -> Audit:
    read, unread, _ = read_papers(*papers)
    assert unread == []
    (found,) = audit(read)
    return found


@pytest.mark.parametrize("names", ["*", "*.json", "receipt*"])
def test_an_older_match_is_left_to_an_older_program(names: str) -> None:
    found = audited(*OLD.glob(names))
    assert [tell(one) for one in found.asks] == [tell(OLDER)]
    assert (found.exit_code, found.wrong, found.missing) == (3, [], [])


def test_reports_of_an_older_match_without_its_log_are_compared() -> None:
    found = audited(OLD / "07-turn-6-blue.txt")
    assert (found.exit_code, found.wrong) == (0, [])


def test_a_club_cannot_call_a_match_an_older_one_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "receipt.txt").write_text(NEWER, "utf-8")
    found = audited(OLD, tmp_path)
    assert found.exit_code == 1
    assert "the full log cannot be read" in tell(found.wrong[0])


def test_what_was_played_before_logs_were_chained_is_left_to_an_older_program(
    tmp_path: Path,
) -> None:
    told = json.loads((OLD / "blue-final.json").read_text("utf-8"))
    (tmp_path / "final.json").write_text(json.dumps({**told, "log": None}), "utf-8")
    assert [tell(one) for one in audited(tmp_path).asks] == [tell(OLDER)]
