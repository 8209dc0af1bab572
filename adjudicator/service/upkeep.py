"""Backups and the doctor: what an administrator asks of a program that runs for years."""

import contextlib
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from adjudicator.core.message import Message, say
from adjudicator.service import premises
from adjudicator.service.premises import Finding, Premises, saved_mark
from adjudicator.service.refusal import Refusal
from adjudicator.store import inbox, outbox, upkeep
from adjudicator.store.database import (
    Store,
    StoreTrouble,
    open_any,
    open_store,
    parse_url,
    sqlite_path,
)

DATABASE = "adjud.db"
CONFIG = "adjud.toml"
KEY = "adjud.key"
SPOOL = "spool/new/"


def backup(store: Store, target: Path, at: Premises) -> Message:
    """One archive, readable by its owner only: the database, the configuration, the key and the
    letters that wait in the spool."""
    if upkeep.file_of(store) is None:
        raise Refusal(say("a database server is backed up by its own tools, such as pg_dump"))
    if target.exists():
        raise Refusal(say("{path} is there already; nothing was written", path=str(target)))
    if not target.parent.is_dir():
        raise Refusal(say("there is no folder {path}", path=str(target.parent)))
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        # The spool first: a letter that a tick takes meanwhile is in both, never in none.
        spooled = _copied_spool(at.spool, Path(folder))
        copy = Path(folder) / DATABASE
        upkeep.copy_to(store, copy)
        archive = Path(folder) / "archive"
        handle = os.open(archive, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file, tarfile.open(fileobj=file, mode="w:gz") as tar:
            tar.add(copy, DATABASE)
            if at.config is not None and at.config.is_file():
                tar.add(at.config, CONFIG)
            if at.key.is_file():
                tar.add(at.key, KEY)
            for letter in spooled:
                tar.add(letter, SPOOL + letter.name)
        archive.replace(target)
    if not at.key.is_file():
        return say("{path} holds the database and the configuration", path=str(target))
    saved_mark(at.key).touch(mode=0o600)
    return say(
        "{path} holds the database, the configuration, the key and the spool", path=str(target)
    )


def _copied_spool(spool: Path, folder: Path) -> list[Path]:
    """Copies of the letters that wait, which a tick may take away at any moment."""
    copied = folder / "new"
    copied.mkdir(mode=0o700)
    for letter in sorted(spool.glob("new/*")):
        with contextlib.suppress(FileNotFoundError):
            shutil.copy2(letter, copied / letter.name)
    return sorted(copied.iterdir())


def restore(source: Path, url: str, at: Premises) -> Message:
    """Put the database of an archive, its key and its spool where there are none. The
    configuration stays in it."""
    from adjudicator.store.schema import keep_a_log

    target = sqlite_path(parse_url(url))
    if target is None:
        raise Refusal(say("a database server is restored by its own tools"))
    if target.exists():
        raise Refusal(say("there is a database at {path}; move it away first", path=str(target)))
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        copy = Path(folder) / DATABASE
        others = _unpack(source, copy)
        _refuse_to_overwrite(others, at)
        store = open_any(f"sqlite:///{copy}")  # an older one can be upgraded where it is
        keep_a_log(store)  # the copy in an archive has none
        store.close()
        _put_back(others, at)
        copy.replace(target)
    return say("{path} is restored", path=str(target))


def _refuse_to_overwrite(others: Mapping[str, bytes], at: Premises) -> None:
    key = others.get(KEY)
    if key is not None and at.key.exists() and at.key.read_bytes() != key:
        raise Refusal(say("there is another key at {path}; move it away first", path=str(at.key)))
    there = {letter.name for letter in at.spool.glob("new/*")}
    coming = {name.removeprefix(SPOOL) for name in others if name.startswith(SPOOL)}
    if coming and there - coming:
        raise Refusal(say("there are letters in {path}; move them away first", path=str(at.spool)))


def _put_back(others: Mapping[str, bytes], at: Premises) -> None:
    """The key before the letters, and both before the database: what was killed half-way can be
    begun again."""
    for name, content in others.items():
        folder = at.key.parent if name == KEY else at.spool / "new"
        path = at.key if name == KEY else folder / name.removeprefix(SPOOL)
        if name != KEY:
            at.spool.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = folder / f".{path.name}.{os.getpid()}"
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        unfinished.replace(path)


def _unpack(source: Path, copy: Path) -> dict[str, bytes]:
    """The database into a file; key and letters are small and returned by their names."""
    no_backup = Refusal(say("{path} is no backup of adjud", path=str(source)))
    try:
        with tarfile.open(source, "r:gz") as tar:
            member = tar.extractfile(DATABASE)
            if member is None:
                raise no_backup
            handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                shutil.copyfileobj(member, file)
            return {
                entry.name: content.read()
                for entry in sorted(tar.getmembers(), key=lambda entry: entry.name)
                if entry.isfile() and (entry.name == KEY or _is_letter(entry.name))
                if (content := tar.extractfile(entry)) is not None
            }
    except (tarfile.TarError, KeyError, EOFError):
        raise no_backup from None


def _is_letter(name: str) -> bool:
    """A file of the spool, and not one that would lie elsewhere."""
    plain = name.removeprefix(SPOOL)
    return plain != name and "/" not in plain and not plain.startswith(".") and bool(plain)


def examine(url: str, at: Premises, *, now: datetime) -> Iterator[Finding]:
    """Everything that can be looked at from here."""
    config = at.config
    yield Finding(
        True,
        say("configuration: {path}", path=str(config) if config else "none, defaults are used"),
    )
    try:
        store = open_store(url)
    except StoreTrouble as trouble:
        yield Finding(False, trouble.message)
        return
    try:
        yield Finding(True, say("database: opened, its schema is up to date"))
        yield from _soundness(store)
        yield from _file(upkeep.file_of(store))
        yield from _times(store, now)
        yield from _letters(store, now)
        with store.reading() as tx:
            people = upkeep.people_playing(tx)
        yield from premises.examine(at, people=people, now=now)
    finally:
        store.close()


def _soundness(store: Store) -> Iterator[Finding]:
    found = upkeep.faults(store)
    for fault in found:
        yield Finding(False, say("database: {fault}", fault=fault))
    if not found:
        yield Finding(True, say("database: sound"))


def _file(path: Path | None) -> Iterator[Finding]:
    if path is None:
        return
    mode = path.stat().st_mode & 0o777
    yield Finding(
        not mode & 0o077,
        say("{path}: mode {mode}", path=str(path), mode=f"{mode:04o}")
        if not mode & 0o077
        else say(
            "{path}: mode {mode}, others can read every secret; chmod 600",
            path=str(path),
            mode=f"{mode:04o}",
        ),
    )
    free = shutil.disk_usage(path.parent).free // 2**20
    yield Finding(free >= 100, say("disk: {free} MiB free", free=free))


def _times(store: Store, now: datetime) -> Iterator[Finding]:
    with store.reading() as tx:
        latest, due = upkeep.latest_ply(tx), upkeep.longest_due(tx)
    backwards = latest is not None and latest > now + timedelta(minutes=1)
    yield Finding(
        not backwards,
        say("clock: it stands before the last adjudication; set it right before the next tick")
        if backwards
        else say("clock: plausible"),
    )
    late = due is not None and now - due > timedelta(hours=1)
    yield Finding(
        not late,
        say("tick: a match has been due for more than an hour; does cron call `adjud tick`?")
        if late
        else say("tick: nothing is overdue"),
    )


def _letters(store: Store, now: datetime) -> Iterator[Finding]:
    with store.reading() as tx:
        stuck = outbox.counts(tx).get("stuck", 0) + inbox.stuck(tx).get("stuck", 0)
        created, due = upkeep.oldest_waiting_letter(tx), upkeep.longest_due_letter(tx)
    if due is not None and now - due > timedelta(hours=1):
        text = say(
            "letters: some have been due for more than an hour; does cron call `adjud tick`?"
        )
        yield Finding(False, text)
    elif created is not None and now - created > timedelta(days=1):
        text = say("letters: some have waited for more than a day; does the way out work?")
        yield Finding(False, text)
    yield Finding(
        not stuck,
        say("letters: {n} stuck; `adjud mail queue list --status stuck`", n=stuck)
        if stuck
        else say("letters: none is stuck"),
    )
