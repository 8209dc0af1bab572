"""Write a folder that a web server serves, and replace it as a whole.

The folder is a symbolic link to one of its hidden neighbours. A new version is written beside the
old one, and then the link is renamed over. A reader finds the old site or the new one, and a kill
at any moment leaves one of them.

A file that stays as it was is no second time on the disk: both versions have it as a hard link. So
that a later run knows what can stay, each version has a record beside it, in which only its owner
can read. A version that a kill left unfinished has one, too, and what was written of it is used.

What no served version has had is forced to disk, and the record after it, before the link leads
there: else a power cut could leave pages without their content that the record calls up to date, so
that no later run would make them again.
"""

import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from adjudicator.core.message import say
from adjudicator.service.base.refusal import Refusal

_OPEN = 0o755
_UNLISTED = 0o711  # files in it can be opened by who knows their names, and not be listed


class Earlier(Struct, frozen=True):
    """A version of before, and the lines of its record. It is unfinished if it is not served."""

    folder: Path
    record: Sequence[bytes]
    served: bool


class Draft:
    """A version that is being written. `earlier` versions lend it what did not change."""

    def __init__(self, folder: Path, record: BinaryIO, earlier: Sequence[Earlier]) -> None:
        self._folder, self._record = folder, record
        self.earlier = earlier
        self._new: list[Path] = []

    def write(self, name: str, content: bytes) -> None:
        path = self._place(name)
        with path.open("xb") as file:  # what an earlier version has, too, is never written into
            file.write(content)
        path.chmod(0o644)
        self._new.append(path)

    def take(self, earlier: Earlier, sizes: Mapping[str, int]) -> bool:
        """Take these files, with their sizes, from an earlier version: all, or none if one of them
        is not there as it was."""
        if not all(_has_size(earlier.folder / name, size) for name, size in sizes.items()):
            return False
        for name in sizes:
            path = self._place(name)
            linked = _copy(earlier.folder / name, path)
            if not (linked and earlier.served):
                self._new.append(path)
        return True

    def note(self, line: bytes) -> None:
        """Add a line to the record, when all that it tells of is written."""
        self._record.write(line + b"\n")
        self._record.flush()

    def force(self) -> None:
        """Let what was written survive a power cut, and the record of it, too."""
        for path in self._new:
            with path.open("rb") as file:
                os.fsync(file.fileno())
        os.fsync(self._record.fileno())

    def _place(self, name: str) -> Path:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def publish(
    folder: Path, fill: Callable[[Draft], None], *, unlisted: Collection[str], at: datetime
) -> None:
    """Put what `fill` writes where `folder` is.

    All files get the same time, `at`: nobody may learn when a page last changed, and a browser that
    asks for news must get them. Raises Refusal if there is something that this function did not
    make.
    """
    folder = Path(os.path.abspath(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.parent):
        _refuse_others(folder)
        earlier = _earlier(folder)
        version = folder.with_name(f"{_prefix(folder)}{secrets.token_hex(8)}")
        record = _record_of(version)
        try:
            with _private(record) as lines:
                version.mkdir(mode=0o700)
                draft = Draft(version, lines, earlier)
                fill(draft)
                draft.force()
            _open(version, unlisted)
            _date(version, at)
        except BaseException:
            shutil.rmtree(version, ignore_errors=True)  # what caused this is told, not this
            record.unlink(missing_ok=True)
            raise
        _swap(folder, version)
        for old in _versions(folder):
            if old not in (version, record):
                _remove(old)


@contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """Keep two runs apart, because each would take the other's unfinished work for leftovers."""
    handle = os.open(parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _prefix(folder: Path) -> str:
    return f".{folder.name}.site-"


def _versions(folder: Path) -> list[Path]:
    """Return this site's versions, also unfinished ones, their records, and links that were never
    renamed."""
    prefix = _prefix(folder)
    return [path for path in folder.parent.iterdir() if path.name.startswith(prefix)]


def _refuse_others(folder: Path) -> None:
    path = str(folder)
    if folder.is_symlink():
        if not os.readlink(folder).startswith(_prefix(folder)):
            raise Refusal(say("{path} is a link that adjud did not make", path=path))
    elif folder.is_dir():
        if any(folder.iterdir()):
            raise Refusal(
                say(
                    "{path} holds files that adjud did not make; name a folder that is empty "
                    "or not there yet",
                    path=path,
                )
            )
    elif folder.exists():
        raise Refusal(say("{path} is a file; name a folder", path=path))


def _record_of(version: Path) -> Path:
    return version.with_name(f"{version.name}.record")


def _earlier(folder: Path) -> list[Earlier]:
    """Return the version that is served and the one of which most was written when it was killed.

    The others are removed, so that many kills do not leave many.
    """
    served = folder.with_name(os.readlink(folder)) if folder.is_symlink() else None
    versions = [path for path in _versions(folder) if path.is_dir() and not path.is_symlink()]
    found = [
        Earlier(version, _lines(_record_of(version)), version == served) for version in versions
    ]
    found.sort(key=lambda one: (one.served, len(one.record)), reverse=True)
    for old in found[2:]:
        _remove(old.folder)
    return found[:2]


def _lines(record: Path) -> Sequence[bytes]:
    return record.read_bytes().splitlines() if record.exists() else ()


def _private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def _copy(old: Path, new: Path) -> bool:
    """Let a file of another version be here, too; return whether it is the same file."""
    try:
        os.link(old, new)
    except OSError:  # there are disks without links, and files of another user
        shutil.copyfile(old, new)
        new.chmod(0o644)
        return False
    return True


def _open(version: Path, unlisted: Collection[str]) -> None:
    """Let others look inside, now that every file has its mode."""
    for made, _, _ in os.walk(version, topdown=False):
        name = Path(made).relative_to(version).as_posix()
        Path(made).chmod(_UNLISTED if name in unlisted else _OPEN)


def _date(version: Path, at: datetime) -> None:
    seconds = int(at.timestamp())
    for made, _, names in os.walk(version, topdown=False):
        for path in (*(Path(made, name) for name in names), Path(made)):
            os.utime(path, (seconds, seconds))


def _swap(folder: Path, version: Path) -> None:
    link = version.with_name(f"{version.name}.link")
    os.symlink(version.name, link)
    if folder.is_dir() and not folder.is_symlink():
        folder.rmdir()  # a link cannot be renamed over a folder, not even an empty one
    link.replace(folder)


def _remove(old: Path) -> None:
    if old.is_dir() and not old.is_symlink():
        shutil.rmtree(old)
    else:
        old.unlink()
