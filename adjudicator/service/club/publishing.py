"""Write a folder that a web server serves, and replace it as a whole.

The folder is a symbolic link to one of its hidden neighbours. A new version is written beside the
old one, and then the link is renamed over. A reader finds the old site or the new one, and a kill
at any moment leaves one of them.
"""

import fcntl
import os
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from adjudicator.core.message import say
from adjudicator.service.base.refusal import Refusal

_OPEN = 0o755
_UNLISTED = 0o711  # files in it can be opened by who knows their names, and not be listed


def publish(
    folder: Path, files: Iterable[tuple[str, bytes]], *, unlisted: Collection[str], at: datetime
) -> None:
    """Put `files`, each with its path, where `folder` is; each is written before the next is made.

    All get the same time, `at`: nobody may learn when a page last changed, and a browser that asks
    for news must get them. Raises Refusal if there is something that this function did not make.
    """
    folder = Path(os.path.abspath(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.parent):
        _refuse_others(folder)
        version = folder.with_name(f"{_prefix(folder)}{secrets.token_hex(8)}")
        try:
            _write(version, files, unlisted)
            _date(version, at)
        except BaseException:
            shutil.rmtree(version, ignore_errors=True)  # what caused this is told, not this
            raise
        _swap(folder, version)
        for old in _versions(folder):
            if old != version:
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
    """Return this site's versions, also unfinished ones, and links that were never renamed."""
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


def _write(version: Path, files: Iterable[tuple[str, bytes]], unlisted: Collection[str]) -> None:
    """Write the files so that nobody else can look inside before all of them have their mode."""
    version.mkdir(mode=0o700)
    for name, content in files:
        path = version / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o644)
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
    if old.is_symlink():
        old.unlink()
    else:
        shutil.rmtree(old)
