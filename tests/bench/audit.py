"""Audit all emails of a player's season: processor time and memory, without what computers thought.

The emails are those of one player in many matches of all games, to about fifty in each.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from adjudicator.store.database import open_store
from adjudicator.store.schema import create
from tests.bench.measuring import Row, adjud, environment, mebibytes, scaled, used, whole
from tests.service.cheats.scene import SETS, Scene

MATCHES, LETTERS = 40, 50
MOST_SECONDS, MOST_MEBIBYTES = 60, 200


def rows(scale: float) -> Iterator[Row]:
    matches, wanted = scaled(MATCHES, scale), scaled(LETTERS, min(1, scale * 1000), least=6)
    with TemporaryDirectory() as made:
        folder = Path(made)
        season = folder / "season"
        season.mkdir()
        letters = sum(_play(folder, season, number, wanted) for number in range(matches))
        command = [*adjud(), "audit", "--no-computers", str(season)]
        memory, seconds = used(command, environment(folder, "sqlite://"))
    name = f"audit, {matches} matches, {letters:,} emails"
    yield Row(
        name=name, ours=f"{seconds:.1f} s", ratio=seconds / MOST_SECONDS, most=whole(1, scale)
    )
    ratio = memory / MOST_MEBIBYTES
    yield Row(name="  its memory", ours=mebibytes(memory), ratio=ratio, most=whole(1, scale))


def _play(folder: Path, season: Path, number: int, wanted: int) -> int:
    """Play a match to its end or until there are so many letters; return how many there are."""
    place = folder / str(number)
    place.mkdir()
    create(url := f"sqlite:///{place / 'adjud.db'}")
    scene = Scene(open_store(url), place, [*SETS][number % len(SETS)], name=f"m{number}")
    while len(scene.letters()) < wanted - 1 and scene.loaded().match.status != "over":
        scene.play()
    scene.end()
    scene.club.store.close()
    for letter, raw in enumerate(scene.letters()):
        (season / f"{number:02}-{letter:03}.eml").write_bytes(raw)
    return len(scene.letters())
