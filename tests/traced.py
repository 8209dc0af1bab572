"""Follow one email with orders through a tick: `python -m tests.traced`.

It prints the files whose functions the tick enters, outside the games and the command line, and the
kinds of values that it makes: what a reader must know to follow an email. And it counts the lines
of the program that only pass a transaction, the time and the environment on.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NamedTuple

import msgspec

PACKAGE = Path(__file__).parents[1] / "adjudicator"
OUTSIDE = ("games", "cli")

# A line that holds nothing but these as parameters or arguments, or that passes all of them.
# One that begins the transaction is no such line.
_NAME = r"(?:tx|now|context)"
_GIVEN = rf"{_NAME}(?::\s\w+|=(?:\w+\.)*{_NAME})?"
ONLY_PASSES = re.compile(
    rf"^\s*(?:\*,\s*)?{_GIVEN}(?:,\s*{_GIVEN})*,?\s*(?:\)\s*(?:->.*)?:?,?)?$"
    r"|\btx,.*\bnow(?:=(?:\w+\.)*now)?, context"
    r"|\bnow(?:=(?:\w+\.)*now)?, context(?:=(?:\w+\.)*context)?\)"
)

made: Counter[type] = Counter()


class Traced(NamedTuple):
    """The files that were entered, and the kinds of values that were made, up to some moment."""

    files: list[str]
    kinds: list[str]

    @property
    def figures(self) -> str:
        ours = sum(kind.startswith("service.") for kind in self.kinds)
        return f"{len(self.files)} files, {len(self.kinds)} kinds of values, {ours} of service"


class Counted(msgspec.Struct):
    """A base that notes each value that is made, in place of `msgspec.Struct`."""

    def __post_init__(self) -> None:
        if type(self) not in made and not _is_at_import(sys._getframe(1)):
            made[type(self)] += 1


def main() -> None:
    msgspec.Struct = Counted  # type: ignore[misc] # before anything of the program is imported
    read, whole = traced()
    print(*whole.files, *whole.kinds, sep="\n")
    print(f"while the email is read: {read.figures}")
    print(f"until the emails that follow are sent: {whole.figures}")
    print(f"lines that only pass tx, now, context: {sum(1 for _ in passing_lines())}")


def traced() -> tuple[Traced, Traced]:
    """Return what is met until an email with orders is read, and until the reports are sent."""
    from adjudicator.service.base.context import OpenClub
    from adjudicator.service.ops import tick
    from adjudicator.store.database import open_store
    from adjudicator.store.schema import create
    from tests.club import computer_orders
    from tests.service.club import MONDAY
    from tests.service.mailclub import MailClub

    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/adjud.db"
        create(url)
        store = open_store(url)
        club = MailClub(store, Path(folder) / "spool")
        club.add("Anna", "Bob")
        club.new()
        for seat in ("white", "black"):
            club.send(seat, "SETUP RANDOM")
        club.run_tick()
        (seat,) = club.loaded().awaited
        orders = computer_orders(club.loaded(), seat, "computer:random")
        club.write(seat, f"ORDERS m {seat}", *orders, "END")
        files: set[str] = set()

        def look(frame: FrameType, event: str, _: Any) -> None:
            name = frame.f_code.co_filename
            if event == "call" and name not in files and not _is_at_import(frame):
                files.add(name)

        made.clear()
        sys.setprofile(look)
        list(tick.take_emails(OpenClub(store, MONDAY, club.context)))
        sys.setprofile(None)
        read = Traced(_entered(files), _kinds(made))
        sys.setprofile(look)
        club.run_tick(MONDAY)
        sys.setprofile(None)
        store.close()
    return read, Traced(_entered(files), _kinds(made))


def passing_lines() -> Iterator[str]:
    """Yield the lines of the program that only pass a transaction, the time and the environment."""
    for path in sorted(PACKAGE.rglob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield from (
            f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
            for number, line in enumerate(lines, 1)
            if ONLY_PASSES.search(line) and "open_session(" not in line
        )


def _is_at_import(frame: FrameType | None) -> bool:
    """Return whether a frame is of a module of the program while it is imported, or below one: what
    is only imported need not be read, and its constants are made for no email."""
    while frame is not None:
        code = frame.f_code
        if code.co_name == "<module>" and PACKAGE in Path(code.co_filename).parents:
            return True
        frame = frame.f_back
    return False


def _entered(files: Iterable[str]) -> list[str]:
    paths = (path.relative_to(PACKAGE) for path in map(Path, files) if PACKAGE in path.parents)
    return sorted(str(path) for path in paths if path.parts[0] not in OUTSIDE)


def _kinds(made: Iterable[type]) -> list[str]:
    names = (f"{kind.__module__}.{kind.__name__}".split(".", 1) for kind in made)
    inside = (name for package, name in names if package == "adjudicator")
    return sorted(name for name in inside if name.split(".")[0] not in OUTSIDE)


if __name__ == "__main__":
    main()
