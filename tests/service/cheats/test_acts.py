"""A match that began with another version is compared as far as its log goes."""

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
import sqlalchemy as sa

from adjudicator import __version__
from adjudicator.core import chain
from adjudicator.releases import Release
from tests.club import Club, Store
from tests.database import Tx, tables
from tests.inside import append_ply, creation, rulings, versions
from tests.nightly import mostly_nightly
from tests.service.cheats.acts import DAY, TERMS, rule
from tests.service.cheats.scene import GAMES_PLAYED, Scene, seen_by

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["espionage"]))
def test_a_match_with_sentences_in_its_log_goes_on_with_them_to_its_end(
    store: Store, tmp_path: Path, game: str
) -> None:
    """It began before 0.3.0. Its heads and receipts keep their label, or no head would follow
    from the one before."""
    with patch.object(creation.chain, "LABEL", chain.SENTENCES):
        scene = Scene(store, tmp_path, game, *TERMS)
    scene.play_to(2)
    rule(scene, Club.change_options, ["settle=1 hour"], reason="x")
    scene.now += 2 * DAY
    scene.tick()
    rule(scene, Club.extend, DAY, sure=True, reason="x")
    with patch.object(append_ply, "publish", lambda *_, **__: None):
        scene.play()
        rule(scene, Club.undo, reason="x")
    scene.play(2)
    scene.end()
    found = seen_by(scene, tmp_path)
    assert (found.code, found.wrong, found.asks) == (0, [], [])
    lines = lines_of(scene)
    assert chain.label_of(lines[0]) == "ADJUD2"
    assert not any('"acts":' in one for one in lines)
    assert any('"rulings":' in one for one in lines)


@pytest.mark.parametrize(("began", "code"), [("0.3.0", 0), (__version__, 1)])
def test_a_match_of_0_3_0_counts_looks_among_its_rulings_until_the_upgrade(
    store: Store, tmp_path: Path, began: str, code: int
) -> None:
    with patch.object(append_ply, "__version__", began):
        scene = Scene(store, tmp_path, "espionage", *TERMS)
        scene.play_to(2)
        with patch.object(rulings, "newest_number", newest_of_all):
            look_and_rule(scene)
        scene.play()
    look_and_rule(scene)
    scene.play(2)
    scene.end()
    assert scene.club.verify("m") == []
    numbers = [one.number for line in lines_of(scene)[1:] for one in chain.read(line).rulings]
    assert numbers == [1, 2, 2, 3, 4]  # of a look, a ruling, a look, a ruling and the end
    released = {one: Release("2020-01-01", "p", {}) for one in (began, __version__)}
    with patch.object(versions, "release_list", lambda: released):
        found = seen_by(scene, tmp_path)
    assert found.code == code
    assert bool([one for one in found.wrong if one.startswith("A1: ")]) == bool(code)


def newest_of_all(tx: Tx, match_id: int, *, of_looks: bool = False) -> int:
    made = sa.select(sa.func.count()).where(tables.ruling.c.match_id == match_id)
    return int(tx.execute(made).scalar_one())


def look_and_rule(scene: Scene) -> None:
    scene.club.live_report("m", scene.theirs, now=scene.now, noting=True)
    rule(scene, Club.extend, DAY, sure=True, reason="x")


def lines_of(scene: Scene) -> Sequence[str]:
    with scene.club.store.reading() as tx:
        wanted = sa.select(tables.turn.c.line).order_by(tables.turn.c.ply)
        return list(tx.execute(wanted).scalars())
