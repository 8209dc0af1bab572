"""Look at a club of many matches as a whole: beside one of few, and at each command's memory."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.many_matches import many
from tests.bench.matches import MATCH, sheets
from tests.bench.measuring import (
    Row,
    adjud,
    beside,
    environment,
    mebibytes,
    milliseconds,
    process,
    scaled,
    used,
    whole,
)
from tests.club import make_keys
from tests.database import open_store

FEW, MANY = 10, 5_000
MOST_TIMES = {"doctor": 1.5}  # the wished bounds of ratios; of others it is 2
MOST = 10_000  # matches, while memory is measured
MEMORY = 128  # MiB
# For building the site after one change. Where 5,000 matches go on it takes 2.6 s: a third is the
# start of the program, a quarter the first page, which has a line for each of them. What would help
# is a first page in parts.
SECONDS = 2
COMMANDS: Sequence[Sequence[str]] = (
    ["status"],
    ["status", MATCH],
    ["check", "orders.txt"],
    ["submit", "orders.txt"],
    ["report", MATCH, "white"],
    ["new", "espionage", "--seat", "white=Anna", "--seat", "black=Bob"],
    ["gm", "say", MATCH, "Hello."],
    ["player", "list"],
    ["mail", "queue", "list"],
    ["doctor"],
)
TICK = ["tick"]  # plays what was submitted, so that it cannot be submitted again
# Of these the time grows with what there is to do; their memory must not.
WHOLE: Sequence[Sequence[str]] = (["backup", "club.tar"], ["site", "build", "pages"])


class Club:
    """A club with so many matches; its key is made as `adjud init` makes it."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder = folder
        folder.mkdir()
        url = many(folder, number)
        self.env: Mapping[str, str] = environment(folder, url)
        make_keys(url, Path(self.env["XDG_DATA_HOME"], "adjud", "adjud.key"))
        with closing(open_store(url)) as store:
            (folder / "orders.txt").write_text(sheets(store), "utf-8")

    def command(self, words: Sequence[str]) -> Sequence[str]:
        """Return a command; the files that it names are in the club's folder."""
        named = [word if word not in FILES else str(self.folder / word) for word in words]
        return [*adjud(), *named]


FILES = ("orders.txt", "club.tar", "pages")


def rows(scale: float) -> Iterator[Row]:
    with TemporaryDirectory() as made:
        few = Club(Path(made, "few"), FEW)
        crowd = Club(Path(made, "many"), number := scaled(MANY, scale, least=20))
        yield from _times(few, crowd, number, scale)
        yield from _pages(crowd, number, scale)
    with TemporaryDirectory() as made:
        number = scaled(MOST, scale, least=20)
        yield _memory(Club(Path(made, "club"), number), number, scale)


def _commands(scale: float) -> Sequence[Sequence[str]]:
    return COMMANDS[: scaled(len(COMMANDS), scale, least=2)]


def _times(few: Club, crowd: Club, number: int, scale: float) -> Iterator[Row]:
    for words in (*_commands(scale), TICK):
        large, small = (process(club.command(words), club.env) for club in (crowd, few))
        large()
        small()  # a first time fills caches, or plays what was submitted
        own, other, ratio = beside(large, scaled(10, scale), small)
        yield Row(
            name=f"adjud {' '.join(words[:2])}, {number:,} matches ({FEW})",
            ours=milliseconds(own),
            theirs=milliseconds(other),
            ratio=ratio,
            most=MOST_TIMES.get(words[0], 2),
        )


def _pages(club: Club, number: int, scale: float) -> Iterator[Row]:
    build = club.command(["site", "build", "pages"])
    _, first = used(build, club.env)
    _, again = used(build, club.env)
    process(club.command(["gm", "say", MATCH, "Hello."]), club.env)()
    _, changed = used(build, club.env)
    yield Row(
        name=f"adjud site build again, {number:,} matches, nothing new (the first time)",
        ours=milliseconds(again),
        theirs=milliseconds(first),
        ratio=again / first,
        most=0.1,
    )
    yield Row(
        name=f"  when one match has changed ({SECONDS} s)",
        ours=milliseconds(changed),
        theirs=milliseconds(SECONDS),
        ratio=changed / SECONDS,
        most=whole(1, scale),
    )


def _memory(club: Club, number: int, scale: float) -> Row:
    """Return the row of the command that needs most."""
    needs = {
        words: used(club.command(words), club.env)[0]
        for words in map(tuple, (*_commands(scale), *WHOLE, TICK))
    }
    largest = max(needs, key=needs.__getitem__)
    return Row(
        name=f"the most memory of a command, {number:,} matches: {' '.join(largest[:2])}",
        ours=mebibytes(needs[largest]),
        theirs=mebibytes(MEMORY),
        ratio=needs[largest] / MEMORY,
        most=whole(1, scale),
    )
