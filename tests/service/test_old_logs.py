"""Matches that began before 0.2.22 have logs with the label ADJUD1; they are audited as before.

`adjud1/` has what a seat of each game was sent by adjud 0.2.21.
"""

import json
import shutil
from pathlib import Path

import pytest

from adjudicator.core.message import tell
from adjudicator.service.audit import checks, documents
from adjudicator.service.audit.checks import Audit

OLD = Path(__file__).parent / "adjud1"
GAMES = sorted(path.name for path in OLD.iterdir())


def audited(folder: Path) -> Audit:
    read, unread, _ = documents.read([folder])
    assert unread == []
    (found,) = checks.audit(read)
    return found


@pytest.mark.parametrize("game", GAMES)
def test_an_older_match_agrees_and_is_replayed(game: str) -> None:
    found = audited(OLD / game)
    assert [tell(one) for one in (*found.wrong, *found.missing)] == []
    assert any("replayed by the rules" in tell(one) for one in found.checked)


@pytest.mark.parametrize("game", GAMES)
def test_a_changed_order_in_an_older_log_is_found(game: str, tmp_path: Path) -> None:
    shutil.copytree(OLD / game, tmp_path / game)
    (final,) = (tmp_path / game).glob("*-final.json")
    told = json.loads(final.read_text("utf-8"))
    line = next(n for n, one in enumerate(told["log"]["lines"]) if '"orders":[[' in one)
    entry = json.loads(told["log"]["lines"][line])
    entry["orders"][0][1] += 1
    told["log"]["lines"][line] = json.dumps(entry, separators=(",", ":"))
    final.write_text(json.dumps(told), "utf-8")
    for page in (tmp_path / game).glob("*.html"):
        page.unlink()
    found = [tell(one) for one in audited(tmp_path / game).wrong]
    assert any(f"the log up to ply {line} does not match" in one for one in found), found
