"""Backups and the doctor: what an administrator asks of a program that runs for years."""

import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.service.refusal import Refusal
from adjudicator.store import outbox, upkeep
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


class Finding(Struct, frozen=True):
    """One thing that the doctor looked at."""

    well: bool
    text: Message


def backup(store: Store, target: Path, config: Path | None) -> Message:
    """One archive, readable by its owner only: the database and the configuration."""
    if upkeep.file_of(store) is None:
        raise Refusal(say("a database server is backed up by its own tools, such as pg_dump"))
    if target.exists():
        raise Refusal(say("{path} is there already; nothing was written", path=str(target)))
    if not target.parent.is_dir():
        raise Refusal(say("there is no folder {path}", path=str(target.parent)))
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        copy = Path(folder) / DATABASE
        upkeep.copy_to(store, copy)
        archive = Path(folder) / "archive"
        handle = os.open(archive, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file, tarfile.open(fileobj=file, mode="w:gz") as tar:
            tar.add(copy, DATABASE)
            if config is not None and config.is_file():
                tar.add(config, CONFIG)
        archive.replace(target)
    return say("{path} holds the database and the configuration", path=str(target))


def restore(source: Path, url: str) -> Message:
    """Put the database of an archive where there is none. The configuration stays in it."""
    from adjudicator.store.schema import keep_a_log

    target = sqlite_path(parse_url(url))
    if target is None:
        raise Refusal(say("a database server is restored by its own tools"))
    if target.exists():
        raise Refusal(say("there is a database at {path}; move it away first", path=str(target)))
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        copy = Path(folder) / DATABASE
        _unpack(source, copy)
        store = open_any(f"sqlite:///{copy}")  # an older one can be upgraded where it is
        keep_a_log(store)  # the copy in an archive has none
        store.close()
        copy.replace(target)
    return say("{path} is restored", path=str(target))


def _unpack(source: Path, copy: Path) -> None:
    no_backup = Refusal(say("{path} is no backup of adjud", path=str(source)))
    try:
        with tarfile.open(source, "r:gz") as tar:
            member = tar.extractfile(DATABASE)
            if member is None:
                raise no_backup
            handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                shutil.copyfileobj(member, file)
    except (tarfile.TarError, KeyError, EOFError):
        raise no_backup from None


def examine(url: str, config: Path | None, *, now: datetime) -> Iterator[Finding]:
    """Everything that can be looked at from here."""
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
        yield from _letters(store)
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


def _letters(store: Store) -> Iterator[Finding]:
    with store.reading() as tx:
        counts = outbox.counts(tx)
    stuck = counts.get("stuck", 0)
    yield Finding(
        not stuck,
        say("letters: {n} stuck; `adjud mail queue list --status stuck`", n=stuck)
        if stuck
        else say("letters: none is stuck"),
    )
