"""Files in and out: order files of any size and encoding, and reports that only their owner
reads.

They are written into folders that belong to somebody else. So what is removed there is what this
run has made, and of what a killed run left only that which was to become this very file.
"""

import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from adjudicator.core.message import Message, say
from adjudicator.mail.read.charset import decode_text, lines, stream_safe
from adjudicator.mail.transport.spool import DEAD, UNFINISHED
from adjudicator.places import naming
from adjudicator.service.base.context import Refusal

MOST_BYTES = 256 * 1024

_ZIP, _WORD = b"PK\x03\x04", say("a Word file")
_DOCUMENTS: tuple[tuple[bytes, Message], ...] = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _WORD),
    (_ZIP, say("a ZIP archive")),
    (rb"{\rtf", say("a rich-text file (RTF)")),
    (b"%PDF", say("a PDF")),
)


def read_orders(name: str, stdin: BinaryIO) -> str:
    """Return the text of an order file, or of standard input for `-`. Raises Refusal."""
    try:
        if name == "-":
            raw = stdin.read(MOST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(MOST_BYTES + 1)
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        raise Refusal(say("{name} cannot be read: {why}", name=name, why=why)) from None
    if kind := _document(raw):
        raise Refusal(
            say("{name} is {kind}; save it as plain text and submit that", name=name, kind=kind)
        )
    if len(raw) > MOST_BYTES:
        raise Refusal(
            say(
                "{name} is larger than {most} KiB; an order file is a few lines of text",
                name=name,
                most=MOST_BYTES // 1024,
            )
        )
    text = stream_safe(decode_text(raw))
    if "\0" in text:
        raise Refusal(say("{name} contains NUL bytes; send plain text", name=name))
    if not text.strip():
        raise Refusal(say("{name} is empty", name=name))
    return text


def _document(raw: bytes) -> Message | None:
    """Return what kind of document a file is, if people take it for text; else None."""
    if raw.startswith(_ZIP) and b"word/" in raw:
        return _WORD
    return next((kind for mark, kind in _DOCUMENTS if raw.startswith(mark)), None)


@contextmanager
def open_text(name: str, stdin: BinaryIO) -> Iterator[Iterator[str]]:
    """Open a text file that may be long, or standard input for `-`; every byte becomes something.

    Raises Refusal if it cannot be opened.
    """
    if name == "-":
        yield lines(stdin)
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115  # closed below
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        raise Refusal(say("{name} cannot be read: {why}", name=name, why=why)) from None
    with file:
        yield lines(file)


def write_private(path: Path, text: str) -> Path:
    """Write a file that only its owner can read, as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with aside(path) as unfinished:
        with naming(path), _new(unfinished) as file:
            file.write(text.encode())
        unfinished.replace(path)
    return path


def _new(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


@contextmanager
def durable(path: Path) -> Iterator[BinaryIO]:
    """Open a new file for its owner's eyes; it is forced to disk before it can be moved
    anywhere."""
    with naming(path), _new(path) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def aside(path: Path) -> Iterator[Path]:
    """Return a name beside a file, for what is to become it. Nothing is left there afterwards."""
    _remove_unfinished(path)
    unfinished = path.with_name(f".{path.name}.adjud-{secrets.token_hex(8)}")
    try:
        yield unfinished
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def folder_aside(parent: Path) -> Iterator[Path]:
    """Make a folder, only its owner's, for what is to become a file of `parent`; it is gone
    afterwards.

    After a kill, or if it cannot be removed, it stays: no later run can tell whose a folder is.
    """
    folder = tempfile.mkdtemp(prefix=".adjud-", dir=parent)
    try:
        yield Path(folder)
    finally:
        for _ in range(2):  # no later run does it where the disk failed once
            shutil.rmtree(folder, ignore_errors=True)


def put_new(unfinished: Path, path: Path) -> None:
    """Let a finished file be where nothing is. Raises FileExistsError if something is there."""
    try:
        os.link(unfinished, path)  # unlike a rename, never over another
    except FileExistsError:
        raise
    except OSError:  # there are disks without links
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        unfinished.rename(path)


def _remove_unfinished(path: Path) -> None:
    """Remove what killed runs left long ago that was to become this file."""
    ours = re.compile(rf"\.{re.escape(path.name)}{UNFINISHED}")
    for name in os.listdir(path.parent):
        if ours.fullmatch(name):
            left = path.with_name(name)
            with suppress(FileNotFoundError):
                if _is_own_and_old(left.lstat()):
                    left.unlink()


def _is_own_and_old(found: os.stat_result) -> bool:
    return (
        stat.S_ISREG(found.st_mode)
        and found.st_uid == os.geteuid()
        and time.time() - found.st_mtime > DEAD
    )
