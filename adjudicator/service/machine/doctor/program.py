"""Check the program itself: all that was installed is there, unchanged, and the wanted extras,
too."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, PackagePath, distribution
from itertools import islice
from pathlib import Path

from adjudicator.core.message import say
from adjudicator.games import GAMES
from adjudicator.mail.transport.ways import needs_extra
from adjudicator.reports import whole
from adjudicator.resources import PACKAGE, Incomplete
from adjudicator.service.machine.doctor.checking import Finding, Patient, bad, well

_FEW = 5  # files that are named


def files(_: Patient) -> Iterator[Finding]:
    faults = [*islice(_changed(), _FEW), *islice(whole.faults([*GAMES.values()]), _FEW)]
    for fault in faults:
        yield bad(fault.message)
    if not faults:
        yield well(say("program: nothing of it is missing"))


def pictures(patient: Patient) -> Iterator[Finding]:
    """Check whether letters can carry the board as a picture, if that is wanted."""
    at = patient.at
    if not at.domain or at.out == "none" or at.pictures == "never":
        return
    if _can_import("resvg_py"):
        yield well(say("pictures: letters carry the board as one to those who wish it"))
    elif at.pictures == "always":
        needed = needs_extra("png").message
        yield bad(say("pictures: letters shall carry them; {why}", why=needed))
    else:
        yield well(say("pictures: letters carry none; the extra png would draw the board"))


def _can_import(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True


def _changed() -> Iterator[Incomplete]:
    """Return the files of an installed program that have changed since.

    Of a checkout, which people edit, nothing is known.
    """
    try:
        installed = distribution("adjud")
    except PackageNotFoundError:
        return
    if Path(str(installed.locate_file("adjudicator"))).resolve() != PACKAGE.resolve():
        return
    for file in installed.files or ():
        if file.hash is not None and file.hash.mode == "sha256" and not _is_whole(file):
            yield Incomplete(Path(str(file.locate())))


def _is_whole(file: PackagePath) -> bool:
    assert file.hash is not None
    try:
        digest = sha256(file.read_binary()).digest()
    except OSError:
        return False
    return urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value
