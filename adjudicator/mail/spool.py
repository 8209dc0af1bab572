"""The spool: where a letter is safe before anything looks at it (mail dialog, section 1).

Imports nothing heavy, for every letter starts a program that imports this. A folder like a
Maildir: written in `tmp`, forced to disk, renamed to `new`. One file a letter: its envelope as
one line of JSON, then its bytes.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

MOST_KEPT = 256 * 1024  # bytes of a letter that are kept; its length is told beside
_CHUNK = 64 * 1024


class Envelope(NamedTuple):
    """What the mail server said beside the letter. `length` counts all bytes that came."""

    sender: str
    recipient: str
    channel: str
    received_at: float
    length: int


class Spooled(NamedTuple):
    """A letter in the spool; `name` is unique for ever."""

    name: str
    envelope: Envelope
    raw: bytes


def put(
    folder: Path,
    source: BinaryIO,
    *,
    sender: str,
    recipient: str,
    channel: str,
    received_at: float | None = None,
) -> str:
    """Store a letter; when this returns it survives a crash. Returns its name. Raises OSError
    if it cannot be stored, and then nothing of it is left. `received_at`: when our mail server
    took it, if that was before now."""
    for made in (folder, folder / "tmp", folder / "new"):
        made.mkdir(mode=0o700, parents=True, exist_ok=True)
    raw, length = _read(source)
    now = time.time()
    envelope = Envelope(sender, recipient, channel, min(now, received_at or now), length)
    name = f"{time.time_ns()}.{os.getpid()}.{os.urandom(6).hex()}"
    unfinished = folder / "tmp" / name
    try:
        _write(unfinished, json.dumps(envelope._asdict()).encode() + b"\n" + raw)
        unfinished.rename(folder / "new" / name)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _force(folder / "new")
    return name


def _read(source: BinaryIO) -> tuple[bytes, int]:
    """The first bytes of a letter and how many there were; the rest is read and let go, so that
    the mail server is not cut off."""
    kept = source.read(MOST_KEPT)
    length = len(kept)
    while more := source.read(_CHUNK):
        length += len(more)
    return kept, length


def _write(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _force(folder: Path) -> None:
    """Make a rename survive a crash."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def waiting(folder: Path) -> Iterator[Spooled]:
    """The letters of the spool, oldest first. They stay until `remove` is called."""
    new = folder / "new"
    names = sorted(entry.name for entry in new.iterdir()) if new.is_dir() else []
    for name in names:
        try:
            content = (new / name).read_bytes()
        except FileNotFoundError:
            continue  # another worker was quicker
        head, _, raw = content.partition(b"\n")
        yield Spooled(name, Envelope(**json.loads(head)), raw)


def remove(folder: Path, name: str) -> None:
    """Called when the letter stands in the database."""
    (folder / "new" / name).unlink(missing_ok=True)


def oldest(folder: Path) -> float | None:
    """When the letter came that has waited longest; its name begins with the time."""
    new = folder / "new"
    names = min((entry.name for entry in new.iterdir()), default="") if new.is_dir() else ""
    begins = names.partition(".")[0]
    return int(begins) / 1e9 if begins.isascii() and begins.isdigit() else None


def count(folder: Path) -> int:
    new = folder / "new"
    return sum(1 for _ in new.iterdir()) if new.is_dir() else 0
