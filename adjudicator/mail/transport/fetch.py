"""Inbound transports: mailboxes that are emptied, on disk or over IMAP.

Each way hands the raw bytes of an email to `keep`, and takes the email out of the mailbox only
after `keep` has returned. If the program is killed between the two, the email comes once more,
which is harmless. If `keep` raises, the fetching stops and the email stays where it was.

What cannot be read as an email stays there, too; `skip` is told of it, and the others are fetched.
"""

import mailbox
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from imaplib import IMAP4
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from adjudicator.core.message import say
from adjudicator.mail.transport.errors import (
    TIMEOUT,
    BadTransport,
    Server,
    Temporary,
    needs_extra,
    on_loopback,
    read_server,
    tls,
)

if TYPE_CHECKING:
    from imapclient import IMAPClient  # type: ignore[import-untyped]

Keep: TypeAlias = Callable[[bytes], None]
Skip: TypeAlias = Callable[[str, str], None]  # takes the entry's place, and why it is not read

PROCESSED = "Processed"
_PORTS = {"imap": 143, "imaps": 993}
_POLL = 30  # seconds between looks where the server cannot tell
_MOST_NAME = 200  # characters of an email's name, so that there is room for its flags
_IDLE = 120  # seconds; an email that came just before the server was asked to tell waits so long


def _in_silence(place: str, why: str) -> None:
    """Tell nobody of an entry that cannot be read."""


def look_at(source: str) -> None:
    """Raise BadWay if nothing could ever be fetched; nothing is connected."""
    scheme, _, path = source.partition(":")
    if scheme == "maildir":
        _check_maildir(Path(path))
    elif scheme == "mbox":
        _check_mbox(Path(path))
    else:
        read_server(source, None, _PORTS)
        if find_spec("imapclient") is None:
            raise needs_extra("imap")


def is_server(source: str) -> bool:
    """Return whether the mailbox is on a server, which can be asked."""
    return source.partition(":")[0] in _PORTS


def log_in(source: str, password: str | None, timeout: float) -> None:
    """Open a mailbox on a server and close it again; raise Temporary if that fails."""
    with _opened(source, password, timeout):
        pass


def fetch_maildir(path: Path, keep: Keep, skip: Skip = _in_silence) -> int:
    """Fetch the emails of a Maildir and return how many were kept.

    They go to the folder Processed inside the Maildir.
    """
    _check_maildir(path)
    done = path / f".{PROCESSED}"
    for name in ("tmp", "new", "cur"):  # the form of a folder in a Maildir (Maildir++)
        (done / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    (done / "maildirfolder").touch(mode=0o600)
    return sum(_take(email, keep, skip, done / "cur") for email in _emails(path))


def _check_maildir(path: Path) -> None:
    if not ((path / "new").is_dir() and (path / "cur").is_dir()):
        raise BadTransport(
            say("{path} is not a Maildir; a Maildir has the folders new and cur", path=str(path))
        )


def _emails(maildir: Path) -> list[Path]:
    """Return the emails by name. Names begin with the second of their delivery, so they are in
    order of arrival."""
    found = [*(maildir / "new").iterdir(), *(maildir / "cur").iterdir()]
    return sorted((path for path in found if path.name[0] != "."), key=lambda path: path.name)


def _take(email: Path, keep: Keep, skip: Skip, done: Path) -> bool:
    try:
        if not stat.S_ISREG(email.stat().st_mode):  # to read a pipe would never end
            skip(str(email), "not a file")
            return False
        raw = email.read_bytes()
    except OSError as trouble:
        if email.is_symlink() or not isinstance(trouble, FileNotFoundError):
            skip(str(email), trouble.strerror or type(trouble).__name__)
        return False  # or somebody else reads this mailbox as well
    keep(raw)
    name = email.name.partition(":")[0][:_MOST_NAME]
    target = done / f"{name}:2,S"
    if os.path.lexists(target):  # nothing is overwritten
        target = done / f"{name}.{time.time_ns()}:2,S"
    with suppress(FileNotFoundError):
        email.rename(target)
    return True


def fetch_mbox(path: Path, keep: Keep, skip: Skip = _in_silence) -> int:
    """Fetch the emails of an mbox file and return how many were kept.

    They are taken out of the file, which is locked meanwhile.
    """
    _check_mbox(path)
    # A mailbox is renamed over the old one, which must not be a link to it: the mail server would
    # go on writing where the link led.
    box, kept = mailbox.mbox(path.resolve(), create=False), 0
    try:
        _lock(box, path)
        keys = box.keys()
        # The file is written anew without what stands above its first email.
        if above := _above_first(path):
            if not keys:
                skip(str(path), "no line begins with 'From '")
                return 0
            keep(above)
        for number, key in enumerate(keys, 1):
            try:
                raw = box.get_bytes(key)
            except OSError as trouble:
                skip(f"{path}, {number}", trouble.strerror or type(trouble).__name__)
                continue
            keep(raw)
            box.remove(key)
            kept += 1
    finally:
        box.close()  # writes what is left, and unlocks
    return kept


def _above_first(path: Path) -> bytes:
    """Return what stands above the first email of an mbox: one whose first line is spoilt, or
    nothing."""
    lines = []
    with path.open("rb") as file:
        for line in file:
            if line.startswith(b"From "):
                break
            lines.append(line)
    return b"".join(lines).strip()


def _check_mbox(path: Path) -> None:
    """Refuse a missing file, for its name may be mistyped, and then every email and deadline would
    be missed."""
    if not path.is_file():
        raise BadTransport(
            say("there is no mailbox {path}; an empty mailbox is an empty file", path=str(path))
        )


def _lock(box: mailbox.mbox, path: Path) -> None:
    try:
        box.lock()
    except (mailbox.ExternalClashError, OSError) as trouble:
        raise Temporary(f"{path}: {trouble}") from trouble


def fetch_imap(url: str, password: str | None, keep: Keep, skip: Skip = _in_silence) -> int:
    """Fetch the emails of `imaps://user@host/FOLDER` and return how many were kept.

    On the server they go to the folder `PROCESSED`.
    """
    with _opened(url, password) as client:
        return _empty(client, keep, skip, _folder(client, PROCESSED))


def watch_imap(
    url: str, password: str | None, keep: Keep, skip: Skip = _in_silence, *, wait: float = _IDLE
) -> Iterator[int]:
    """Fetch like `fetch_imap`, for as long as the caller asks.

    It yields how many emails each look found, then waits until the server tells of a new one
    (IDLE, RFC 2177) or `wait` seconds are over.
    """
    with _opened(url, password) as client:
        folder = _folder(client, PROCESSED)
        while True:
            yield (taken := _empty(client, keep, skip, folder))
            # What came while we moved emails was told in an answer to that, and is not told again.
            if not taken:
                _await_news(client, wait)


def _await_news(client: "IMAPClient", wait: float) -> None:
    if not client.has_capability("IDLE"):
        time.sleep(min(wait, _POLL))
        return
    client.idle()
    try:
        client.idle_check(timeout=wait)
    finally:
        client.idle_done()  # in IDLE the server hears nothing but DONE, not even a log-out


@contextmanager
def _opened(url: str, password: str | None, timeout: float = TIMEOUT) -> "Iterator[IMAPClient]":
    server = read_server(url, password, _PORTS)
    try:
        from imapclient import IMAPClient
    except ImportError:
        raise needs_extra("imap") from None
    try:
        client = IMAPClient(
            server.host,
            server.port,
            ssl=server.scheme == "imaps",
            ssl_context=tls() if server.scheme == "imaps" else None,
            timeout=timeout,
        )
        with client:
            _log_in(client, server)
            yield client
    except (IMAP4.error, OSError) as trouble:  # imapclient's errors are imaplib's
        raise Temporary(f"{server}: {trouble}") from trouble


def _log_in(client: "IMAPClient", server: Server) -> None:
    if server.scheme == "imap" and not on_loopback(server):
        client.starttls(tls())
    client.login(server.user, server.password)
    client.select_folder(server.path.strip("/") or "INBOX")


def _folder(client: "IMAPClient", name: str) -> str:
    """Return our folder under the prefix that the server wants ("INBOX." at some; RFC 2342); make
    it if it is not there."""
    personal = client.namespace().personal if client.has_capability("NAMESPACE") else None
    full = f"{personal[0][0]}{name}" if personal else name
    if not client.folder_exists(full):
        client.create_folder(full)
    return full


def _empty(client: "IMAPClient", keep: Keep, skip: Skip, processed: str) -> int:
    """Fetch one email after the other, by UID; none is flagged before it is kept (BODY.PEEK)."""
    kept = 0
    for uid in sorted(client.search("UNDELETED")):
        try:
            raw = client.fetch([uid], ["BODY.PEEK[]"]).get(uid, {}).get(b"BODY[]")
        except IMAP4.abort:
            raise
        except IMAP4.error as trouble:
            skip(f"UID {uid}", str(trouble))
            continue
        if raw is None:  # somebody else has moved it
            continue
        keep(raw)
        _put_away(client, uid, processed)
        kept += 1
    return kept


def _put_away(client: "IMAPClient", uid: int, processed: str) -> None:
    if client.has_capability("MOVE"):  # RFC 6851
        client.move([uid], processed)
        return
    client.copy([uid], processed)
    client.delete_messages([uid])
    if client.has_capability("UIDPLUS"):  # RFC 4315: else somebody's own deletions would go too
        client.uid_expunge([uid])
