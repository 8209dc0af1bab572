"""Commands from a shell: the processor time of the whole process, against that of one that only
imports what ours needs most."""

import re
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.matches import begin, open_club, sheets
from tests.bench.measuring import (
    Row,
    adjud,
    environment,
    in_turns,
    milliseconds,
    process,
    scaled,
    spent,
)

PEER = 'python -c "import sqlalchemy, click"'
STEP = re.compile(r"^(\w+)-(\w+)$", re.MULTILINE)
# The commands that are run, and the wished bound of each ratio.
COMMANDS = (("adjud submit, two steps", 1.5), ("  in words: d3 to d4", 1.5), ("adjud --help", 0.6))


def rows(scale: float) -> Iterator[Row]:
    with TemporaryDirectory() as made:
        folder = Path(made)
        url, store = open_club(folder)
        with closing(store):
            begin(store)
            sheet = sheets(store)
        (folder / "orders.txt").write_text(sheet, "utf-8")
        (folder / "words.txt").write_text(STEP.sub(r"\1 to \2", sheet), "utf-8")
        env = environment(folder, url)
        *ours, other = in_turns(
            scaled(40, scale, least=1),
            process([*adjud(), "submit", str(folder / "orders.txt")], env),
            process([*adjud(), "submit", str(folder / "words.txt")], env),
            process([*adjud(), "--help"], env),
            process([sys.executable, "-c", "import sqlalchemy, click"], env),
            measure=spent,
        )
    for (name, most), own in zip(COMMANDS, ours, strict=True):
        yield Row(
            name=name if name.startswith(" ") else f"{name} ({PEER})",
            ours=milliseconds(own),
            theirs=milliseconds(other),
            ratio=own / other,
            most=most,
        )
