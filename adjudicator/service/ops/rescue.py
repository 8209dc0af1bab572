"""Save a club whose disk is full, or can only be read, as Linux leaves one after a fault."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from adjudicator.core.message import say
from adjudicator.service.base import files
from adjudicator.service.base.context import Refusal
from adjudicator.store.database import DiskTrouble, Store, open_any, parse_url, sqlite_path


@contextmanager
def open_for_backup(url: str, target: Path) -> Iterator[Store]:
    """Open the database for a backup to `target`.

    SQLite cannot even read a database with a log of changes where it may write nothing. Then the
    file and its log are copied beside the target, and the copy is opened.
    """
    try:
        store = open_any(url)
    except DiskTrouble:
        path = sqlite_path(parse_url(url))
        assert path is not None  # it is a disk that is in trouble
        if not target.parent.is_dir():
            raise Refusal(say("there is no folder {path}", path=str(target.parent))) from None
        with files.folder_aside(target.parent) as folder:
            before = _state(path)
            for end in _FILES:
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{path}{end}", folder / f"{path.name}{end}")
            if _state(path) != before:  # there is room again, and somebody writes
                raise
            copy = open_any(f"sqlite:///{folder / path.name}")
            try:
                yield copy
            finally:
                copy.close()
        return
    try:
        yield store
    finally:
        store.close()


_FILES = ("", "-wal")


def _state(path: Path) -> Sequence[tuple[int, int] | None]:
    found: list[tuple[int, int] | None] = []
    for end in _FILES:
        try:
            stat = Path(f"{path}{end}").stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((stat.st_size, stat.st_mtime_ns))
    return found
