"""Save a club whose disk can only be read any more, as Linux leaves one after a fault."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from adjudicator.core.message import say
from adjudicator.service.base import files
from adjudicator.service.base.context import Refusal
from adjudicator.store.database import (
    Store,
    StoreTrouble,
    is_read_only,
    open_any,
    parse_url,
    sqlite_path,
)


@contextmanager
def opened(url: str, target: Path) -> Iterator[Store]:
    """Open the database for a backup to `target`.

    SQLite cannot even read a database with a log of changes where it may write nothing. Then the
    file and its log are copied beside the target, and the copy is opened: on that disk nobody
    writes meanwhile.
    """
    try:
        store = open_any(url)
    except StoreTrouble:
        path = sqlite_path(parse_url(url))
        if path is None or not is_read_only(path):
            raise
        if not target.parent.is_dir():
            raise Refusal(say("there is no folder {path}", path=str(target.parent))) from None
        with files.folder_aside(target.parent) as folder:
            for end in ("", "-wal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{path}{end}", folder / f"{path.name}{end}")
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
