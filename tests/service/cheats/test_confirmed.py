"""A club confirms orders in other words than it must: what was played, and what came of it."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from adjudicator.service.outbound import answers
from adjudicator.store.database import Store, open_store
from adjudicator.store.schema import create
from tests.service.cheats.scene import GAMES_PLAYED, Scene, seen_in
from tests.service.cheats.test_shown import TEXT, changed, content, replaced

pytestmark = pytest.mark.slow

CHEATS = {
    "another version": replaced(r"^Version 1 of your", "Version 2 of your"),
    "another turn": replaced(r"(turn |, )\d+(: accepted)", r"\g<1>77\2"),
    "not accepted": replaced(r": accepted, version 1", ": NOT accepted"),
    "another order": replaced(r"^  \S+(.*)", r"  PASS\1"),
    "nothing was played": replaced(r"^Version 1 of your orders was carried out\.", ""),
    "other proofs": replaced(r"^SHA-256 of", "MD5 of"),
}


# Every way in the first game, and two in each other one.
FORMS = {game: [*CHEATS][1:3] if number else [*CHEATS] for number, game in enumerate(GAMES_PLAYED)}


def play(scene: Scene) -> None:
    """Let Anna be the first to order, so that her confirmations tell what came of it."""
    for _ in range(4):
        scene.until(scene.mine)
        scene.order(scene.mine)
        scene.tick()
        scene.order_all(but=[scene.mine])
        scene.tick()
    scene.end()


@cache
def emails(game: str) -> tuple[bytes, ...]:
    """Return Anna's emails of a match in which she is the first to order."""
    with TemporaryDirectory() as folder:
        create(url := f"sqlite:///{folder}/adjud.db")
        scene = Scene(open_store(url), Path(folder), game)
        play(scene)
        scene.club.store.close()
        return tuple(scene.letters())


@pytest.mark.parametrize(
    ("game", "what"), [(game, what) for game, several in FORMS.items() for what in several]
)
def test_a_confirmation_that_says_something_else_is_found(
    game: str, what: str, tmp_path: Path
) -> None:
    mine, change = list(emails(game)), CHEATS[what]
    place, other = next(
        (at, other)
        for at, raw in enumerate(mine)
        if b"X-Adjud: receipt" in raw
        and (other := change(content(raw, TEXT))) != content(raw, TEXT)
    )
    mine[place] = changed(mine[place], TEXT, lambda _: other)
    found = seen_in(mine, tmp_path / "letters")
    assert found.code == 1
    assert any(f"{place:03}.eml" in one for one in found.wrong)


@pytest.mark.parametrize("game", FORMS)
def test_its_honest_twin_agrees(game: str, tmp_path: Path) -> None:
    assert seen_in(emails(game), tmp_path / "letters").code == 0


@pytest.mark.parametrize("game", ["espionage"])
def test_a_confirmation_that_tells_what_came_of_other_orders_is_found(
    game: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The email is what its JSON gives, and the log is right."""
    honest = answers.read_log
    monkeypatch.setattr(
        answers, "read_log", lambda tx, match, game, *_: honest(tx, match, game, 2, 2)
    )
    scene = Scene(store, tmp_path, game)
    play(scene)
    found = seen_in(scene.letters(), tmp_path / "letters")
    assert found.code == 1
    assert all("under 'news" in one for one in found.wrong)
