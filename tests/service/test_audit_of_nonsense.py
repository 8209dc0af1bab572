"""Whatever stands in the JSON of an email or in a line of an opened log, an audit ends with a
verdict: a club, or anybody on the way, may have written it."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.audits import audits_of
from tests.club import Store
from tests.scale import scaled
from tests.service.cheats.forms import spelled
from tests.service.cheats.scene import GAMES_PLAYED, Scene
from tests.service.mailclub import value_in

pytestmark = pytest.mark.slow

NONSENSE = (
    *("", "x", "m", "white", "\u202e", "2026-13-41T99:00:00Z", "2026-11-24T10:00:00"),
    *(-1, 0, 10**18, 1.5, True, None, [], {}),
)


@pytest.mark.parametrize("game", GAMES_PLAYED)
def test_an_audit_of_nonsense_ends_with_a_verdict(store: Store, tmp_path: Path, game: str) -> None:
    scene = Scene(store, tmp_path, game)
    scene.play(3)
    scene.end()
    values = [json.loads(found) for raw in scene.letters() if (found := value_in(raw))]
    assert any(line for line in log_of(values[-1]))
    rng = Random(game)
    for number in range(scaled(12)):
        folder = tmp_path / str(number)
        folder.mkdir()
        spoilt, changed = rng.randrange(len(values)), ""
        for at, value in enumerate(values):
            text = spelled(value)
            if at == spoilt:
                text, changed = with_nonsense(json.loads(text), rng)
            (folder / f"{at}.adjud.json").write_text(text)
        for audit in audits_of(folder):
            assert audit.exit_code in (0, 1, 3), changed


def with_nonsense(value: Any, rng: Random) -> tuple[str, str]:
    """Return a value with something else in one place, also within a line of its log, and what was
    changed."""
    lines = log_of(value)
    if lines and rng.random() < 0.7:
        at = rng.randrange(len(lines))
        line = json.loads(lines[at])
        changed = put_nonsense(line, rng)
        lines[at] = json.dumps(line, separators=(",", ":"))
    else:
        changed = put_nonsense(value, rng)
    return spelled(value), changed


def log_of(value: Any) -> list[str]:
    log = (value["report"] or {}).get("log") or {}
    return log.get("lines") or []


def put_nonsense(whole: Any, rng: Random) -> str:
    *way, last = path = rng.choice([*paths(whole)])
    within = whole
    for key in way:
        within = within[key]
    within[last] = rng.choice(NONSENSE)
    return f"{path}: {within[last]!r}"


def paths(within: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each string, number and word in a JSON value."""
    if not isinstance(within, dict | list):
        yield ()
        return
    named = within.items() if isinstance(within, dict) else enumerate(within)
    for key, one in named:
        yield from ((key, *way) for way in paths(one))
