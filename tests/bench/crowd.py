"""Look at a club of many matches as a whole: beside an empty club, and beside one of a tenth as
many."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from adjudicator.service.base import keys
from tests.bench.many_matches import many
from tests.bench.matches import open_club
from tests.bench.measuring import (
    Row,
    adjud,
    environment,
    in_turns,
    mebibytes,
    milliseconds,
    process,
    scaled,
    spent,
    used,
)

MATCHES = 10_000
ROOM = 150  # MiB for building the site
SECONDS = 2  # for building it after one change, for each 5,000 matches
COMMANDS = (["status"], ["mail", "queue", "list"], ["doctor"])


def rows(scale: float) -> Iterator[Row]:
    number = scaled(MATCHES, scale, least=20)
    with TemporaryDirectory() as made:
        empty, few, crowd = (Path(made, name) for name in ("empty", "few", "crowd"))
        for folder in (empty, few, crowd):
            folder.mkdir()
        url, store = open_club(empty)
        with closing(store):
            nobody = _club(empty, url)
        some = _club(few, many(few, number // 10))
        all_of_them = _club(crowd, many(crowd, number))
        yield from _looks(nobody, some, all_of_them, number, scale)
        yield from _pages(crowd / "site", all_of_them, number)


def _club(folder: Path, url: str) -> Mapping[str, str]:
    """Return the environment of a club's commands; its key is made as `adjud init` makes it."""
    env = environment(folder, url)
    keys.make(url, Path(env["XDG_DATA_HOME"], "adjud", "adjud.key"))
    return env


def _looks(
    nobody: Mapping[str, str],
    some: Mapping[str, str],
    all_of_them: Mapping[str, str],
    number: int,
    scale: float,
) -> Iterator[Row]:
    alone = process([*adjud(), "status"], nobody)
    looks = [process([*adjud(), *words], all_of_them) for words in COMMANDS]
    other, *ours = in_turns(scaled(20, scale), alone, *looks, measure=spent)
    for words, own in zip(COMMANDS, ours, strict=True):
        yield Row(
            name=f"adjud {' '.join(words)}, {number:,} matches (status of none)",
            ours=milliseconds(own),
            theirs=milliseconds(other),
            ratio=own / other,
            most=4,
        )
        (large, _), (small, _) = (used([*adjud(), *words], env) for env in (all_of_them, some))
        yield Row(
            name=f"  its memory ({number // 10:,} matches)",
            ours=mebibytes(large),
            theirs=mebibytes(small),
            ratio=large / small,
            most=1.1,
        )


def _pages(folder: Path, env: Mapping[str, str], number: int) -> Iterator[Row]:
    build = [*adjud(), "site", "build", str(folder)]
    memory, first = used(build, env)
    _, again = used(build, env)
    process([*adjud(), "gm", "say", "m1", "Hello."], env)()
    _, changed = used(build, env)
    wished = SECONDS * max(1, number / 5_000)
    yield Row(
        name=f"adjud site build, {number:,} matches: its memory",
        ours=mebibytes(memory),
        theirs=mebibytes(ROOM),
        ratio=memory / ROOM,
        most=1,
    )
    yield Row(
        name="  again, when nothing has changed (the first time)",
        ours=milliseconds(again),
        theirs=milliseconds(first),
        ratio=again / first,
        most=0.1,
    )
    yield Row(
        name="  again, when one match has changed",
        ours=milliseconds(changed),
        theirs=milliseconds(wished),
        ratio=changed / wished,
        most=1,
    )
