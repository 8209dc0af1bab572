"""A club changes what was agreed: with a ruling that all are told, or in secret."""

from pathlib import Path

import pytest
from msgspec.json import encode

from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.matches.option_changes import change_options
from adjudicator.store import matches
from adjudicator.store.database import Store, Tx
from tests.service.cheats.scene import Scene, Seen, seen_by
from tests.service.club import use_tool

pytestmark = pytest.mark.slow


def put(scene: Scene, deadline: str) -> None:
    """Change an option in the club's store, and nowhere else."""

    def change(tx: Tx, loaded: Loaded) -> None:
        options = {**loaded.match.options, "deadline": deadline}
        matches.update(tx, loaded.match.id, options=encode(options).decode())

    scene.do(change)


def audited(
    store: Store, folder: Path, deadline: str, *, in_secret: bool, until_the_end: bool = True
) -> Seen:
    """Change how long a turn takes after three plies, play on, and audit Anna's emails."""
    scene = Scene(store, folder, "espionage", "deadline=every 3 days", played=2)
    if in_secret:
        put(scene, deadline)
    else:
        more = {"now": scene.now, "context": scene.club.context}
        use_tool(change_options, store, "m", [f"deadline={deadline}"], reason="x", **more)
    scene.play(2)
    if not until_the_end:
        put(scene, "every 3 days")
    scene.end()
    return seen_by(scene, folder)


@pytest.mark.parametrize("deadline", ["every 1 day", "none"])
def test_a_change_that_all_were_told_is_agreed(store: Store, tmp_path: Path, deadline: str) -> None:
    found = audited(store, tmp_path, deadline, in_secret=False)
    assert (found.wrong, found.asks) == ([], [])
    assert not any("deadline" in note for note in found.notes)


@pytest.mark.parametrize(
    ("deadline", "told"),
    [
        ("every 1 day", "it sets the deadline 2026-11-"),
        ("none", "it sets no deadline, and by the current options it is 2026-11-"),
    ],
)
def test_a_shorter_deadline_that_nobody_was_told_is_found(
    store: Store, tmp_path: Path, deadline: str, told: str
) -> None:
    found = audited(store, tmp_path, deadline, in_secret=True, until_the_end=False)
    assert told in found.wrong[0]
    assert found.code == 1


def test_a_longer_deadline_that_nobody_was_told_is_named(store: Store, tmp_path: Path) -> None:
    """Perhaps a player was away; but the JSON of an email names the option, and the log another."""
    found = audited(store, tmp_path, "every 9 days", in_secret=True, until_the_end=False)
    assert found.asks == []
    assert found.wrong
    assert all("under 'options.deadline'" in one for one in found.wrong)
    assert "the deadlines of 2 turns are later than the options say" in found.notes[0]


def test_an_option_that_was_changed_in_secret_is_found_in_the_last_page(
    store: Store, tmp_path: Path
) -> None:
    found = audited(store, tmp_path, "every 9 days", in_secret=True)
    assert found.wrong[0].startswith("O6: options: ")
