"""What an installation consists of beside its database, and the doctor's look at it."""

import os
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.mail import spool as letters

PATIENCE = 3.0  # seconds for all names to be looked up in
_SOON = timedelta(hours=1)  # a tick should have come by then


class Finding(Struct, frozen=True):
    """One thing that the doctor looked at."""

    well: bool
    text: Message


class Premises(Struct, frozen=True, kw_only=True):
    """Paths and names from the settings. Without a `domain` nobody orders by mail."""

    config: Path | None
    key: Path
    spool: Path
    domain: str = ""
    out: str = "none"
    fetch: str = ""
    password_files: tuple[Path, ...] = ()


def saved_mark(key: Path) -> Path:
    """The file beside the key whose time is that of its last backup."""
    return key.with_name(f"{key.name}.saved")


def examine(at: Premises, *, people: int, now: datetime) -> Iterator[Finding]:
    """`people` is the number of seats that people hold in matches that are not over."""
    yield from _spool(at, now)
    yield from _key(at)
    for path in at.password_files:
        yield _secret(path)
    yield from _domain(at, people)
    yield from _ways(at)
    yield from _names(at)


def _spool(at: Premises, now: datetime) -> Iterator[Finding]:
    path = str(at.spool)
    if not at.spool.is_dir():
        if at.domain:
            yield _spool_to_be(at.spool)
        return
    folders = [f for f in (at.spool, *(at.spool / name for name in letters.FOLDERS)) if f.is_dir()]
    open_ = [f for f in folders if f.stat().st_mode & 0o077]
    shut = [f for f in folders if not os.access(f, os.R_OK | os.W_OK | os.X_OK)]
    for folder in open_:
        mode = f"{folder.stat().st_mode & 0o777:04o}"
        text = say(
            "{path}: mode {mode}, others can read letters; chmod 700", path=str(folder), mode=mode
        )
        yield Finding(False, text)
    for folder in shut:
        yield Finding(False, say("{path}: this user cannot write there", path=str(folder)))
    came = letters.oldest(at.spool)
    waits = came is not None and now - datetime.fromtimestamp(came, UTC) > _SOON
    if waits:
        text = say("spool: a letter has waited for more than an hour; does cron call `adjud tick`?")
        yield Finding(False, text)
    aside = letters.bad(at.spool)
    if aside:
        text = say(
            "spool: {n} in {bad} could not be taken for letters; what is one goes back to {new}",
            n=aside,
            bad=str(at.spool / "bad"),
            new=str(at.spool / "new"),
        )
        yield Finding(False, text)
    foreign = [finding for folder in folders for finding in belonging(folder)]
    yield from foreign
    if not (open_ or shut or waits or aside or foreign):
        yield Finding(True, say("spool: {path}, private, nothing waits for long", path=path))


def _spool_to_be(folder: Path) -> Finding:
    """The first letter makes the folder, if it can."""
    above = next(parent for parent in folder.parents if parent.is_dir())
    if os.access(above, os.W_OK | os.X_OK):
        return Finding(True, say("spool: {path}, the first letter makes it", path=str(folder)))
    return Finding(
        False, say("spool: {path} is not there and this user cannot make it", path=str(folder))
    )


def _key(at: Premises) -> Iterator[Finding]:
    from adjudicator.service import keys
    from adjudicator.service.refusal import Refusal

    if not at.domain and not at.key.exists():
        return
    try:
        keys.read(at.key)
    except Refusal as refusal:
        yield Finding(False, refusal.messages[0])
        return
    yield _secret(at.key)
    if not at.domain:
        return
    mark = saved_mark(at.key)
    saved = mark.exists() and mark.stat().st_mtime >= at.key.stat().st_mtime
    yield Finding(
        saved,
        say("key: there is a backup of it")
        if saved
        else say(
            "key: it was never backed up, and without it every address of a seat is dead; "
            "`adjud backup FILE`, or keep a copy and touch {mark}",
            mark=str(mark),
        ),
    )


def _secret(path: Path) -> Finding:
    """A file that only this user should read."""
    name = str(path)
    try:
        found = path.stat()
    except OSError:
        return Finding(
            False, say("{path}: there is no such file, or it is out of reach", path=name)
        )
    mode = f"{found.st_mode & 0o777:04o}"
    if not os.access(path, os.R_OK):
        return Finding(False, say("{path}: this user cannot read it", path=name))
    if found.st_mode & 0o077:
        text = say(
            "{path}: mode {mode}, others can read the secret; chmod 600", path=name, mode=mode
        )
        return Finding(False, text)
    well = Finding(True, say("{path}: mode {mode}", path=name, mode=mode))
    return next(belonging(path), well)


def belonging(path: Path) -> Iterator[Finding]:
    """Something that must be this user's, who is to be the one that ticks."""
    uid = path.stat().st_uid
    if uid != os.geteuid():
        text = say("{path}: it belongs to another user (number {uid})", path=str(path), uid=uid)
        yield Finding(False, text)


def _domain(at: Premises, people: int) -> Iterator[Finding]:
    if at.domain and at.out == "none" and people:
        text = say("mail: players can write to us and get no answer; set mail.out")
        yield Finding(False, text)
    elif at.domain:
        yield Finding(True, say("mail: letters come home to {domain}", domain=at.domain))
    elif people:
        yield Finding(True, say("mail: no domain is set, so nobody can order by mail"))


def _ways(at: Premises) -> Iterator[Finding]:
    """Whether letters can go out and come in by what is set, as far as it shows from here."""
    from adjudicator.mail.ways import BadWay
    from adjudicator.mail.ways_in import look_at
    from adjudicator.mail.ways_out import look_for

    for key, url, look in (("mail.out", at.out, look_for), ("mail.fetch", at.fetch, look_at)):
        if url in ("", "none"):
            continue
        try:
            look(url)
        except BadWay as trouble:
            yield Finding(False, say("{key}: {why}", key=key, why=trouble.message))


def _names(at: Premises) -> Iterator[Finding]:
    servers = (_server(at.out), _server(at.fetch))
    names = list(dict.fromkeys(name for name in (at.domain, *servers) if name))
    found = _resolved(names)
    for name in names:
        if name in found:
            yield Finding(True, say("DNS: {name} is known", name=name))
        elif name == at.domain:  # only its MX record, which we cannot ask for, need be there
            text = say("DNS: {name} has no address of its own; has it an MX record?", name=name)
            yield Finding(True, text)
        else:
            text = say("DNS: {name} has no address (or the look-up took too long)", name=name)
            yield Finding(False, text)


def _server(way: str) -> str:
    """The server of `smtp://user@host:587`; empty for a way without one."""
    try:
        return urlsplit(way).hostname or "" if way.startswith(("smtp", "imap")) else ""
    except ValueError:
        return ""


def _resolved(names: list[str]) -> set[str]:
    """Those that have an address, as far as is known within our patience. The resolver has none
    of its own, so it works aside and is left behind if it hangs."""
    found: set[str] = set()

    def look_up(name: str) -> None:
        try:
            socket.getaddrinfo(name, 25, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        found.add(name)

    threads = [threading.Thread(target=look_up, args=(name,), daemon=True) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE / len(names))
    return set(found)
