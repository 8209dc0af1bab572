"""The spool: a folder in which an email is safe before anything looks at it (emails, section 1).

It is like a Maildir: an email is written in `tmp`, forced to disk, and renamed to `new`. Each
email is one file: its envelope as one line of JSON, then its bytes. What lies in `new` and cannot
be taken goes to `bad`. The file `club` says whose emails these are.

A mail server's pipe imports this for each email, so it imports little.
"""

import json
import os
import re
import stat
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple, Protocol

from adjudicator.places import naming

MOST_KEPT = 256 * 1024  # bytes of an email that are kept; the envelope tells its whole length
_CHUNK = 64 * 1024
FOLDERS = ("tmp", "new", "bad")
CLUB = "club"
LONGEST_QUEUED = timedelta(days=5)  # a mail server tries so long (RFC 5321, section 4.5.4.1)
_BEHIND_A_SERVER = ("pipe", "lmtp")
DEAD = 36 * 3600  # seconds after which nobody writes on: what Maildirs agree on
UNFINISHED = r"\.adjud-(?:[0-9a-f]{16}|[0-9]{1,7})"  # ends the name of a file that is being written
# In `tmp`: an email, the club's mark, an email being restored, and an older adjud's note of a try.
_OURS = re.compile(
    rf"[0-9]+\.[0-9]+\.[0-9a-z]+|{CLUB}\.[0-9a-f]{{12}}|[0-9].*\.tried"
    rf"|\.(?:[0-9].*|{CLUB}){UNFINISHED}",
    re.DOTALL,
)


class Octets(Protocol):
    """Something from which an email is read."""

    def read(self, most: int, /) -> bytes: ...


class Envelope(NamedTuple):
    """The mail server said this about the email. `length` counts all bytes that came."""

    sender: str
    recipient: str
    channel: str
    received_at: float
    length: int


class Spooled(NamedTuple):
    """An email in the spool; `name` is unique for ever."""

    name: str
    envelope: Envelope
    raw: bytes


class NoEmail(ValueError):
    """There is a file in the spool that `put` never wrote."""


def put(
    folder: Path,
    source: Octets,
    *,
    sender: str,
    recipient: str,
    channel: str,
    received_at: float | None = None,
) -> str:
    """Store an email and return its name; when this returns, the email survives a crash.

    Raises OSError if it cannot be stored, and then nothing of it is left. `received_at` is when our
    mail server took it, if that was before now.
    """
    new, tmp = folder / "new", folder / "tmp"
    for wanted in (folder, tmp, new):
        make(wanted)
    raw, length = _read(source)
    now = time.time()
    envelope = Envelope(sender, recipient, channel, min(now, received_at or now), length)
    # In plain ASCII: whatever a stranger put into his address, it does not end the line.
    head = json.dumps(envelope._asdict(), ensure_ascii=True).encode("ascii")
    name = f"{time.time_ns()}.{os.getpid()}.{os.urandom(6).hex()}"
    unfinished = tmp / name
    try:
        write(unfinished, head + b"\n" + raw)
        os.rename(unfinished, new / name)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    force(new)
    return name


def _read(source: Octets) -> tuple[bytes, int]:
    """Return the first bytes of an email, and how many there were.

    The rest is read and dropped, so that the mail server is not cut off.
    """
    kept = source.read(MOST_KEPT)
    length = len(kept)
    while more := source.read(_CHUNK):
        length += len(more)
    return kept, length


def club(folder: Path) -> str:
    """Return the mark of the club whose emails these are; empty before a club has taken any."""
    try:
        return (folder / CLUB).read_text("ascii", "replace").strip()
    except FileNotFoundError:
        return ""


def give_to(folder: Path, mark: str) -> None:
    """Mark the spool as a club's, unless one has done so before."""
    make(folder / "tmp")
    unfinished = folder / "tmp" / f"{CLUB}.{os.urandom(6).hex()}"
    write(unfinished, f"{mark}\n".encode())
    try:
        os.link(unfinished, folder / CLUB)
    except FileExistsError:
        return
    finally:
        unfinished.unlink()
    force(folder)


def no_folder(folder: Path) -> Path | None:
    """Return what is in the place of the spool or of a folder in it and is not a folder."""
    parts = (folder, folder / "new", folder / "tmp")
    return next((one for one in parts if os.path.lexists(one) and not os.path.isdir(one)), None)


def names(folder: Path) -> list[str]:
    """Return the names in the spool, oldest first. Emails stay until `remove` or `put_aside` is
    called."""
    new = folder / "new"
    listed = (entry.name for entry in new.iterdir()) if new.is_dir() else ()
    return sorted(name for name in listed if name[0] != ".")  # as in every Maildir


def read(folder: Path, name: str) -> Spooled | None:
    """Return an email; None if another worker was quicker.

    Raises NoLetter for a file that is none, and OSError for one that cannot be read now.
    """
    path = folder / "new" / name
    try:
        # One look only: between two another worker may have taken it. A link is not ours either;
        # one that leads nowhere would for ever look like an email that was just taken.
        if not stat.S_ISREG(path.lstat().st_mode):
            raise NoEmail(name)
        head, _, raw = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    try:
        envelope = Envelope(**json.loads(head))
        sender, recipient = _text(envelope.sender), _text(envelope.recipient)
    except (ValueError, TypeError, AttributeError):
        raise NoEmail(name) from None
    envelope = envelope._replace(sender=sender, recipient=recipient)
    return Spooled(name, envelope, raw)


def _text(address: str) -> str:
    """Return an address in a form that can be stored.

    Octets that are no text, or would end one, become a sign that no address of ours has. No answer
    ever goes to an envelope's sender.
    """
    octets = address.encode("utf-8", "surrogateescape")
    return octets.decode("utf-8", "replace").replace("\0", "\ufffd")


def arrival_time(envelope: Envelope, raw: bytes) -> datetime:
    """Return when our mail server took the email, so that a pipe that had to be tried again makes
    none late.

    The topmost Received is the server's own; what a sender wrote stands below it. One that is older
    than a server keeps an email is not believed.
    """
    handed_over = datetime.fromtimestamp(envelope.received_at, UTC)
    if envelope.channel not in _BEHIND_A_SERVER:
        return handed_over
    from adjudicator.mail.read import email  # takes long to import, and most commands read none

    try:
        taken = email.arrival_time(raw)
    except Exception:  # an email is kept first and understood later
        return handed_over
    if taken is None or not handed_over - LONGEST_QUEUED <= taken <= handed_over:
        return handed_over
    return taken


def remove(folder: Path, name: str) -> None:
    """Remove an email that is in the database."""
    (folder / "new" / name).unlink(missing_ok=True)


def put_aside(folder: Path, name: str) -> None:
    """Move a file that cannot be taken to `bad`, where a human finds it; nothing is overwritten."""
    bad = folder / "bad"
    make(bad)
    target = bad / name
    if os.path.lexists(target):
        target = bad / f"{name}.{time.time_ns()}"
    try:
        (folder / "new" / name).rename(target)
    except FileNotFoundError:
        return  # another worker was quicker


def remove_unfinished(folder: Path, now: float) -> None:
    """Delete from `tmp` what was killed while it was written; its mail server has kept the email.

    What this module never writes stays.
    """
    for path in (folder / "tmp").iterdir() if (folder / "tmp").is_dir() else ():
        try:
            found = path.lstat()
            is_ours = stat.S_ISREG(found.st_mode) and _OURS.fullmatch(path.name)
            if is_ours and now - found.st_mtime > DEAD:
                path.unlink()
        except OSError:
            continue  # another worker was quicker


def oldest(folder: Path) -> float | None:
    """Return when the email came that has waited longest; its name begins with the time."""
    begins = min(names(folder), default="").partition(".")[0]
    return int(begins) / 1e9 if begins.isascii() and begins.isdigit() else None


def count(folder: Path) -> int:
    return len(names(folder))


def bad(folder: Path) -> int:
    """Return how many files were put aside."""
    return sum(1 for _ in (folder / "bad").iterdir()) if (folder / "bad").is_dir() else 0


def make(folder: Path) -> None:
    """Make a folder for its owner only, and those above it, if it is not there."""
    if os.path.isdir(folder):
        return
    if os.geteuid() == 0:
        _make_as_root(Path(os.path.abspath(folder)))
    else:
        os.makedirs(folder, mode=0o700, exist_ok=True)


def _make_as_root(folder: Path) -> None:
    """Make a folder that belongs to the owner of the one above, and give away nothing else.

    That owner may put links in its place meanwhile. So the folder above is opened once, and what
    somebody else has made in it stays his.
    """
    above, name = folder.parent, folder.name
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


def _give_to_owner(handle: int, above: int | Path) -> None:
    """Let the owner of the folder in which it lies use what root has made.

    A tick that could not read an email, or not take it away, would stop the whole club. Some disks
    let nobody give anything away; an email is kept there, too.
    """
    if os.geteuid() == 0:
        owner = os.stat(above)
        with suppress(OSError):
            os.fchown(handle, owner.st_uid, owner.st_gid)


def write(path: Path, content: bytes) -> None:
    """Write a new file that nobody but its folder's owner can read, and force it to disk."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with naming(path), os.fdopen(handle, "wb") as file:
        _give_to_owner(handle, path.parent)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def force(folder: Path) -> None:
    """Make a rename survive a crash."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
