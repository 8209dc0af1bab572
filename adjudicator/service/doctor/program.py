"""The program itself: whether all that was installed is there, as it was installed."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, PackagePath, distribution
from itertools import islice
from pathlib import Path

from adjudicator.core.message import say
from adjudicator.games import NAMES
from adjudicator.reports import whole
from adjudicator.resources import PACKAGE, Incomplete
from adjudicator.service.doctor.checking import Finding, Patient, bad, well

_FEW = 5  # files that are named


def files(_: Patient) -> Iterator[Finding]:
    faults = [*islice(_changed(), _FEW), *islice(whole.faults(NAMES), _FEW)]
    for fault in faults:
        yield bad(fault.message)
    if not faults:
        yield well(say("program: nothing of it is missing"))


def _changed() -> Iterator[Incomplete]:
    """The files of an installed program that are not as they were installed. Of a checkout, which
    people edit, nothing is known."""
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
