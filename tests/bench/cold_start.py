"""Commands from a shell: the processor time of the whole process, against that of one that only
imports what ours needs most."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory

from adjudicator.mail.address import seat_address
from adjudicator.mail.transport import spool
from tests.bench.matches import MATCH, POST, begin, keep_key, open_club, sheets
from tests.bench.measuring import (
    Row,
    adjud,
    beside,
    environment,
    in_turns,
    milliseconds,
    process,
    scaled,
    spent,
)

PEER = 'python -c "import sqlalchemy, click"'
# What a tick imports that is not ours; the dialect is imported with the first connection.
LIBRARIES = (
    "import atexit, gc; atexit.register(gc.freeze);"  # neither pays the last collection
    " import sqlalchemy.dialects.sqlite, jinja2, click, msgspec, platformdirs,"
    " email.parser, email.policy, smtplib"
)
MOST_SECONDS = 10  # a tick begins as soon as an email lies in the spool
STEP = re.compile(r"^(\w+)-(\w+)$", re.MULTILINE)
# The commands that are run, and the wished bound of each ratio.
COMMANDS = (("adjud submit, two steps", 1.5), ("  in words: d3 to d4", 1.5), ("adjud --help", 0.6))


def rows(scale: float) -> Iterator[Row]:
    yield from _commands(scale)
    with TemporaryDirectory() as made:
        yield from _tick(Path(made), scale)


def _tick(folder: Path, scale: float) -> Iterator[Row]:
    """Measure a tick that reads one email, plays the turn for which it waited, and hands over the
    emails about it. Each begins with the same files."""
    url, store = open_club(folder)
    with closing(store):
        begin(store)
        sheet = sheets(store)
    file, before = folder / "adjud.db", folder / "before.db"
    copy(file, before)
    (folder / "out").mkdir()
    settings = f'[mail]\ndomain = "{POST.domain}"\nout = "folder:{folder / "out"}"\n'
    (folder / "adjud.toml").write_text(settings, "utf-8")
    keep_key(folder)
    data = folder / "data" / "adjud"
    to = seat_address(POST, MATCH, "white", 1)
    email = f"From: anna@example.org\nTo: {to}\n\n{sheet}".encode()
    env = environment(folder, url)

    def prepare() -> None:
        for name in spool.names(data / "spool"):
            spool.remove(data / "spool", name)
        for left in folder.glob("adjud.db-*"):
            left.unlink()
        copy(before, file)
        mark = data / "spool" / spool.CLUB
        mark.unlink(missing_ok=True)
        spool.put(data / "spool", BytesIO(email), sender="", recipient=to, channel="pipe")

    def tick() -> None:
        run = subprocess.run([*adjud(), "tick"], env=env, check=True, capture_output=True)
        assert b"adjudicated" in run.stdout, run

    peer = process([sys.executable, "-c", LIBRARIES], env)
    (passed,) = in_turns(scaled(5, scale), tick, before=prepare)
    own, other, ratio = beside(tick, scaled(20, scale), peer, prepare)
    yield Row(
        name="a tick with a letter that ends a turn (its libraries imported)",
        ours=milliseconds(own),
        theirs=milliseconds(other),
        ratio=ratio,
        most=1.3,
    )
    yield Row(
        name=f"  by the clock, from the spool to the hand-over ({MOST_SECONDS} s)",
        ours=f"{passed:.2f} s",
        theirs=f"{MOST_SECONDS} s",
        ratio=passed / MOST_SECONDS,
        most=1,
    )


def _commands(scale: float) -> Iterator[Row]:
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
