"""Tell a fault in the code of a packaged game as that package's, and not as this program's.

No text of a fault is told: it might hold what nobody may know before the end. Its kind, the file
and the line are what the author needs.
"""

from pathlib import PurePath

from msgspec import Struct

from adjudicator.core.message import Message, say


class PackageFault(Struct, frozen=True):
    """`package` is a package and its version, `where` the kind of fault with its file and line."""

    package: str
    where: str

    def __str__(self) -> str:
        return f"{self.package} ({self.where})"


def of_package(fault: BaseException) -> PackageFault | None:
    """Return the package in whose code a fault came up, or was called from there; None if it is
    this program's own."""
    from adjudicator.games import GAMES  # a tick with nothing to do imports no games

    found, step = None, fault.__traceback__
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__", ""))
        if (package := GAMES.package_of(module)) is not None:
            file = PurePath(step.tb_frame.f_code.co_filename).name
            where = f"{type(fault).__name__}, {file}, line {step.tb_lineno}"
            found = PackageFault(package, where)
        step = step.tb_next
    return found


def whose(fault: BaseException) -> str:
    """Return `adjud (KeyError)`, or a package with the kind, the file and the line."""
    own = of_package(fault)
    return f"adjud ({type(fault).__name__})" if own is None else str(own)


def message_for_stop(fault: BaseException) -> Message:
    """Say that a fault stopped a match."""
    if (own := of_package(fault)) is not None:
        return say(
            "an error inside the package {package} ({where}) stopped this match, so it is on hold; "
            "tell its author",
            package=own.package,
            where=own.where,
        )
    return say(
        "an error inside adjud ({kind}) stopped this match, so it is on hold; ADJUD_DEBUG=1 "
        "shows where",
        kind=type(fault).__name__,
    )


def keeps_from_going_on(name: str, fault: BaseException) -> Message:
    """Say that a fault keeps what has this name from going on."""
    if (own := of_package(fault)) is not None:
        return say(
            "an error inside the package {package} ({where}) keeps {name} from going on; tell its "
            "author",
            package=own.package,
            where=own.where,
            name=name,
        )
    return say(
        "an error inside adjud ({kind}) keeps {name} from going on; ADJUD_DEBUG=1 shows where",
        kind=type(fault).__name__,
        name=name,
    )
