"""Follow one letter with orders through a tick: `python -m tests.one_letter`.

It prints the files whose functions the tick enters, outside the games and the command line, and the
kinds of values that it makes, so that one sees how much a reader must know to follow a letter.
"""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import msgspec

PACKAGE = Path(__file__).parents[1] / "adjudicator"
OUTSIDE = ("games", "cli")

made: Counter[type] = Counter()


class Counted(msgspec.Struct):
    """A base that notes each value that is made, in place of `msgspec.Struct`."""

    def __post_init__(self) -> None:
        made[type(self)] += 1


def main() -> None:
    msgspec.Struct = Counted  # type: ignore[misc] # before anything of the program is imported
    from adjudicator.service.matches.adjudication import orders_of
    from adjudicator.service.ops import tick
    from adjudicator.store.database import open_store
    from adjudicator.store.schema import create
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
        orders = orders_of(club.loaded(), seat, "computer:random")
        club.write(seat, f"ORDERS m {seat}", *orders, "END")
        files: set[str] = set()

        def look(frame: FrameType, event: str, _: Any) -> None:
            if event == "call" and frame.f_code.co_name != "<module>":
                files.add(frame.f_code.co_filename)

        made.clear()
        sys.setprofile(look)
        list(tick.take_letters(store, now=MONDAY, context=club.context))
        sys.setprofile(None)
        reading = (_entered(files), _kinds(made))
        sys.setprofile(look)
        club.run_tick(MONDAY)
        sys.setprofile(None)
        store.close()
    whole = (_entered(files), _kinds(made))
    print(*whole[0], *whole[1], sep="\n")
    for when, (files_entered, kinds) in (
        ("while the letter is read", reading),
        ("until the letters that follow are sent", whole),
    ):
        ours = sum(kind.startswith("service.") for kind in kinds)
        print(
            f"{when}: {len(files_entered)} files, {len(kinds)} kinds of values, {ours} of service"
        )


def _entered(files: Iterable[str]) -> list[str]:
    paths = (path.relative_to(PACKAGE) for path in map(Path, files) if PACKAGE in path.parents)
    return sorted(str(path) for path in paths if path.parts[0] not in OUTSIDE)


def _kinds(made: Iterable[type]) -> list[str]:
    names = (f"{kind.__module__}.{kind.__name__}".split(".", 1) for kind in made)
    inside = (name for package, name in names if package == "adjudicator")
    return sorted(name for name in inside if name.split(".")[0] not in OUTSIDE)


if __name__ == "__main__":
    main()
