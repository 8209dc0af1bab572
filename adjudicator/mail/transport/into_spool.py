"""Put a letter into the spool, from where it cannot be lost; `spool` says what lies where.

A mail server's pipe starts a program for every letter, and that program imports this module. So it
imports nothing that an empty Python has not imported itself: no json, no pathlib, no typing.
"""

import os
import time

TYPE_CHECKING = False  # as in typing, whose import costs as much as all that is done here
if TYPE_CHECKING:
    from typing import Protocol

    class Source(Protocol):
        """Something from which a letter is read."""

        def read(self, most: int, /) -> bytes: ...


MOST_KEPT = 256 * 1024  # bytes of a letter that are kept; the envelope tells its whole length
_CHUNK = 64 * 1024


def put(
    folder: "str | os.PathLike[str]",
    source: "Source",
    *,
    sender: str,
    recipient: str,
    channel: str,
    received_at: float | None = None,
) -> str:
    """Store a letter and return its name; when this returns, the letter survives a crash.

    Raises OSError if it cannot be stored, and then nothing of it is left. `received_at` is when our
    mail server took it, if that was before now.
    """
    new, tmp = os.path.join(folder, "new"), os.path.join(folder, "tmp")
    for wanted in (folder, tmp, new):
        make(wanted)
    raw, length = _read(source)
    now = time.time()
    envelope = (
        f'{{"sender": {_json(sender)}, "recipient": {_json(recipient)}, '
        f'"channel": {_json(channel)}, "received_at": {min(now, received_at or now)!r}, '
        f'"length": {length}}}\n'
    )
    name = f"{time.time_ns()}.{os.getpid()}.{os.urandom(6).hex()}"
    unfinished = os.path.join(tmp, name)
    try:
        write(unfinished, envelope.encode("ascii") + raw)
        os.rename(unfinished, os.path.join(new, name))
    except BaseException:
        if os.path.lexists(unfinished):
            os.unlink(unfinished)
        raise
    force(new)
    return name


def _read(source: "Source") -> tuple[bytes, int]:
    """Return the first bytes of a letter, and how many there were.

    The rest is read and dropped, so that the mail server is not cut off.
    """
    kept = source.read(MOST_KEPT)
    length = len(kept)
    while more := source.read(_CHUNK):
        length += len(more)
    return kept, length


def _json(text: str) -> str:
    """Write a text as JSON, in plain ASCII: whatever a stranger put into his address, it ends
    neither the text nor the line."""
    return f'"{"".join(map(_json_sign, text))}"'


def _json_sign(sign: str) -> str:
    code = ord(sign)
    if 0x20 <= code < 0x7F and sign not in '"\\':
        return sign
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)  # a surrogate pair (RFC 8259, section 7)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def make(folder: "str | os.PathLike[str]") -> None:
    """Make a folder for its owner only, and those above it, if it is not there."""
    if os.path.isdir(folder):
        return
    if os.geteuid() == 0:
        _make_as_root(os.path.abspath(folder))
    else:
        os.makedirs(folder, mode=0o700, exist_ok=True)


def _make_as_root(folder: str) -> None:
    """Make a folder that belongs to the owner of the one above, and give away nothing else.

    That owner may put links in its place meanwhile. So the folder above is opened once, and what
    somebody else has made in it stays his.
    """
    above, name = os.path.split(folder)
    make(above)
    inside = os.open(above, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.mkdir(name, 0o700, dir_fd=inside)
        handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=inside)
        try:
            _give_to_owner(handle, inside)
        finally:
            os.close(handle)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise
    finally:
        os.close(inside)


def _give_to_owner(handle: int, above: int | str) -> None:
    """Let the owner of the folder in which it lies use what root has made.

    A tick that could not read a letter, or not take it away, would stop the whole club. Some disks
    let nobody give anything away; a letter is kept there, too.
    """
    if os.geteuid() == 0:
        owner = os.stat(above)
        try:  # noqa: SIM105  # contextlib would be an import
            os.fchown(handle, owner.st_uid, owner.st_gid)
        except OSError:
            pass


def write(path: str, content: bytes) -> None:
    """Write a new file that nobody but its folder's owner can read, and force it to disk."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        _give_to_owner(handle, os.path.dirname(path))
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def force(folder: str) -> None:
    """Make a rename survive a crash."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
