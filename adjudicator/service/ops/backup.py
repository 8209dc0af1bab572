"""Back up and restore all that a club consists of, in one archive."""

import contextlib
import gzip
import os
import re
import shutil
import tarfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from adjudicator.core.message import Message, count, say
from adjudicator.mail.transport import spool
from adjudicator.service.base import files, keys
from adjudicator.service.base.context import (
    Paths,
    Refusal,
    fresh_epoch,
    message_for_anothers_spool,
    restored_mark,
    saved_mark,
)
from adjudicator.service.matches import verification
from adjudicator.store import clubs, schema, upkeep
from adjudicator.store.database import (
    Store,
    head,
    open_any,
    open_store,
    parse_url,
    revision,
    sqlite_path,
)

DATABASE = "adjud.db"
CONFIG = "adjud.toml"
KEY = "adjud.key"
SPOOL = "spool"
KINDS = ("new", "bad")  # the spool's folders that are kept
MARK = f"{SPOOL}/{spool.CLUB}"
_EMAIL = re.compile(rf"{SPOOL}/(?:{'|'.join(KINDS)})/[^/.][^/]*")  # no path that leads elsewhere

_GZIP = b"\x1f\x8b"
_CHUNK = 1024 * 1024


def backup(store: Store, target: Path, at: Paths) -> list[Message]:
    """Write one archive, readable by its owner only.

    It holds the database, the configuration, the key and the emails that wait in the spool. If the
    database is on a server, its rows are in there as an SQLite file.
    """
    if os.path.lexists(target):
        raise Refusal(_there_already(target))
    if not target.parent.is_dir():
        raise Refusal(say("there is no folder {path}", path=str(target.parent)))
    with files.folder_aside(target.parent) as folder:
        # The spool comes first: an email that a tick takes meanwhile is in both, never in neither.
        spooled = _copied_spool(at.spool, folder)
        copy = folder / DATABASE
        if upkeep.file_of(store) is not None:
            upkeep.copy_to(store, copy)
        else:
            schema.copy(store, f"sqlite:///{copy}")
        mark = at.spool / spool.CLUB
        parts = {DATABASE: copy, CONFIG: at.config, KEY: at.key, MARK: mark}
        there = {name: path for name, path in parts.items() if path and path.is_file()}
        archive = folder / "archive"
        with files.durable(archive) as file, tarfile.open(fileobj=file, mode="w:gz") as tar:
            for name, path in there.items():
                tar.add(path, name, filter=_private)
            for email in spooled:
                tar.add(email, f"{SPOOL}/{email.relative_to(folder)}", filter=_private)
        try:
            files.put_new(archive, target)
        except FileExistsError:  # since this began
            raise Refusal(_there_already(target)) from None
    emails = count("{n} email in the spool", "{n} emails in the spool", len(spooled))
    if at.out != "none":  # the operator may play, and their number would tell who has written
        emails = say("the emails in the spool")
    return [_message_of_backup(target, there, emails), *_noted_as_saved(store, target, at)]


def _noted_as_saved(store: Store, target: Path, at: Paths) -> Iterator[Message]:
    """Note beside the key where it was saved, if it is the club's."""
    if not at.key.is_file() or why_without_key(store, at.key):
        return
    mark = saved_mark(at.key)
    try:
        files.write_private(mark, f"{target.absolute()}\n")
    except OSError as trouble:  # of a disk that can only be read; the archive is there
        why = trouble.strerror or str(trouble)
        yield say(
            "touch {mark} once that disk can be written: that the key is saved could not be noted "
            "there ({why})",
            mark=str(mark),
            why=why,
        )
        return
    if same_disk(at.key, target):
        yield say(
            "{path} is on the disk of the club itself; copy it to another one, where only you can "
            "read it",
            path=str(target),
        )


def why_without_key(store: Store, key: Path) -> Message | None:
    """Return why an archive has not the key that the club needs; None if it has."""
    with store.reading() as tx:  # an older database may know of no keys
        known = keys.load_known_keys(tx) if revision(tx) == head() else keys.NOTHING
    if known.nothing and not key.exists():
        return None  # the club never had one
    try:
        keys.own_keys(known, key)
    except Refusal as refusal:
        return refusal.messages[0]
    return None


def same_disk(one: Path, other: Path) -> bool:
    """Return whether two files are on one file system; a file that is gone is on none."""
    try:
        return one.stat().st_dev == other.stat().st_dev
    except OSError:
        return False


def _there_already(target: Path) -> Message:
    return say("{path} already exists; nothing was written", path=str(target))


def _private(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Give an entry the mode that it should have when somebody unpacks the archive by hand."""
    entry.mode, entry.uid, entry.gid, entry.uname, entry.gname = 0o600, 0, 0, "", ""
    return entry


def _message_of_backup(target: Path, names: Collection[str], emails: Message) -> Message:
    return say(
        "{path} contains {database}, {config}, {key} and {letters}",
        path=str(target),
        database=say("the database") if DATABASE in names else say("no database"),
        config=say("the configuration") if CONFIG in names else say("no configuration"),
        key=say("the key") if KEY in names else say("no key"),
        letters=emails,
    )


def _copied_spool(whole: Path, folder: Path) -> list[Path]:
    """Copy the emails that wait, which a tick may take away at any moment, and those that were put
    aside."""
    for kind in KINDS:
        (folder / kind).mkdir(mode=0o700)
        for email in whole.glob(f"{kind}/[!.]*"):
            with contextlib.suppress(FileNotFoundError):
                if email.is_file():
                    shutil.copy2(email, folder / kind / email.name)
    return sorted(path for kind in KINDS for path in (folder / kind).iterdir())


def configuration_in(source: Path) -> bytes | None:
    """Return the configuration that an archive holds."""
    with _opened(source) as tar:
        return _content(tar, CONFIG)


def time_of_backup(source: Path) -> datetime:
    """Return when the database in an archive was saved, by the clock of that machine."""
    with _opened(source) as tar:
        return datetime.fromtimestamp(tar.getmember(DATABASE).mtime, UTC)


def restore(
    source: Path, url: str, at: Paths, *, now: datetime, drawn: Callable[[], str] = fresh_epoch
) -> list[Message]:
    """Put an archive's database, key, spool and configuration where there are none.

    The club's next epoch begins, whose name is `drawn`, because players may know what was
    adjudicated after the backup. If root does it, the files belong to the owner of the key's
    folder.
    """
    target = sqlite_path(parse_url(url))
    for path in _of_a_database(target) if target else ():
        if os.path.lexists(path):
            raise Refusal(_database_there(path))
    at.key.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = at.key.parent if target is None else target.parent
    beside.mkdir(parents=True, exist_ok=True)
    with files.folder_aside(beside) as folder:
        copy = folder / DATABASE
        others = _unpack(source, copy)
        if target is not None and not copy.exists():
            raise Refusal(_no_rows(source))
        if target is None and copy.exists():
            schema.refuse_a_club(url)
        _refuse_to_overwrite(others, at)
        if copy.exists():
            _make_ready(copy, source, url, at, now, drawn)
        told = _put_back(others, at)
        if not copy.exists():  # what an older adjud saved beside a server
            return [*told, _no_rows(source)]
        if target is None:
            _copy_to_server(copy, url)
        else:
            _give_away(copy, at)
            try:
                files.put_new(copy, target)
            except FileExistsError:  # since this began
                raise Refusal(_database_there(str(target))) from None
    shown = parse_url(url).render_as_string(hide_password=True) if target is None else str(target)
    return [say("{path}: the database is restored", path=shown), *told]


def _of_a_database(target: Path) -> Iterator[str]:
    """Yield the files of SQLite's. Whatever log lies beside a file it takes for that file's own,
    and writes another club's pages into it."""
    return (f"{target}{end}" for end in ("", "-wal", "-shm", "-journal"))


def _database_there(path: str) -> Message:
    return say("there is already a database at {path}; move it away first", path=path)


def _no_rows(source: Path) -> Message:
    return say(
        "there is no database in {path}; the club's was saved with its database server's own tools",
        path=str(source),
    )


def _copy_to_server(copy: Path, url: str) -> None:
    store = open_any(f"sqlite:///{copy}")
    try:
        schema.copy(store, url)
    finally:
        store.close()


def restore_key(store: Store, source: Path, at: Paths) -> Message:
    """Put the key of an archive back beside the database of its club."""
    with _opened(source) as tar:
        content = _content(tar, KEY)
    if content is None:
        raise Refusal(say("there is no key in {path}", path=str(source)))
    _refuse_to_overwrite({KEY: content}, at)
    with files.folder_aside(at.key.parent) as folder:
        copy = folder / KEY
        copy.write_bytes(content)
        with store.reading() as tx:
            known = keys.load_known_keys(tx)
        if not known.has(keys.read(copy)):
            raise Refusal(say("the key in {path} is not this club's", path=str(source)))
    return _put_key_back(content, at)


def _make_ready(
    copy: Path, source: Path, url: str, at: Paths, now: datetime, drawn: Callable[[], str]
) -> None:
    from adjudicator.store.schema import keep_a_log

    store = open_any(f"sqlite:///{copy}")  # an older one can be upgraded where it is
    try:
        if found := upkeep.faults(store):
            raise Refusal(
                say("{path}: the database in it: {fault}", path=str(source), fault=found[0])
            )
        saved = datetime.fromtimestamp(copy.stat().st_mtime, UTC)
        keep_a_log(store)  # the copy in an archive has none
        with store.transaction() as tx:
            if saved > now:  # by another clock; what was adjudicated last was so before the backup
                saved = min(upkeep.latest_ply(tx) or now, now)
            if revision(tx) == head():
                clubs.begin_epoch(tx, drawn(), saved, now)
            else:  # an older one has no place for it before its upgrade
                noted = f"{saved.isoformat()} {now.isoformat()} {_place(url)}\n"
                _write(restored_mark(at.key), os.fsencode(noted), at, over=True)
    finally:
        store.close()


def note_restored_before(url: str, key: Path, *, drawn: Callable[[], str] = fresh_epoch) -> None:
    """Let a database that was restored before its upgrade note that now, as any other does at
    once.

    A backup may also have been restored elsewhere beside the same key, to be looked at; that is no
    news of this database.
    """
    mark = restored_mark(key)
    if not mark.exists():
        return
    saved, restored, place = _backup_times(mark)
    if place != _place(url):
        return
    store = open_store(url)
    try:
        with store.transaction() as tx:
            known = clubs.last_restore(tx)
            if known is None or known[1] < restored:  # else another was restored there since
                clubs.begin_epoch(tx, drawn(), saved, restored)
    finally:
        store.close()
    mark.unlink(missing_ok=True)


def _backup_times(mark: Path) -> tuple[datetime, datetime, str]:
    """Return when a database was saved and restored, and where that is. Raises Refusal."""
    try:
        *times, place = os.fsdecode(mark.read_bytes()).removesuffix("\n").split(" ", 2)
        saved, restored = (datetime.fromisoformat(one).astimezone(UTC) for one in times)
    except ValueError:
        raise Refusal(
            say(
                "{path} does not say which database was saved and restored, and when, as `adjud "
                "backup --restore` writes it; delete it",
                path=str(mark),
            )
        ) from None
    return saved, restored, place


def _place(url: str) -> str:
    """Say where a database is, alike for all ways to name its file."""
    parsed = parse_url(url)
    path = sqlite_path(parsed)
    return str(path.resolve()) if path else parsed.render_as_string(hide_password=True)


def _refuse_to_overwrite(others: Mapping[str, bytes], at: Paths) -> None:
    key = others.get(KEY)
    if key is not None and _is_another(at.key, key):
        raise Refusal(
            say("there is a different key at {path}; move it away first", path=str(at.key))
        )
    if (path := next(_in_the_way(others, at), None)) is not None:
        raise Refusal(say("there is another file at {path}; move it away first", path=str(path)))
    if MARK in others and spool.club(at.spool) not in ("", others[MARK].decode().strip()):
        raise Refusal(message_for_anothers_spool(at.spool))
    if MARK in others:
        return  # what came since the backup waits beside what it holds; names are unique for ever
    there = {f"{SPOOL}/new/{name}" for name in spool.names(at.spool)}
    if there - others.keys() and any(_is_email(name) for name in others):
        raise Refusal(say("there are emails in {path}; move them away first", path=str(at.spool)))


def _in_the_way(others: Mapping[str, bytes], at: Paths) -> Iterator[Path]:
    if at.config is not None and at.config.is_symlink() and not at.config.exists():
        yield at.config
    for name, content in others.items():
        if _is_email(name) and _is_another(path := at.spool / _name_in_spool(name), content):
            yield path


def _is_another(path: Path, content: bytes) -> bool:
    """Return whether something is at a path that is not a file with this content."""
    return os.path.lexists(path) and not (path.is_file() and path.read_bytes() == content)


def _name_in_spool(name: str) -> str:
    return name.removeprefix(f"{SPOOL}/")


def _put_back(others: Mapping[str, bytes], at: Paths) -> list[Message]:
    """Put back all but the database, which comes last: what was killed half-way can be begun
    again."""
    told = [_message_of_configuration(others, at)]
    if (key := others.get(KEY)) is not None:
        told.append(_put_key_back(key, at))
    emails = {name: content for name, content in others.items() if _is_email(name)}
    if not (emails or MARK in others):
        return told
    for folder in (at.spool, *(at.spool / name for name in spool.FOLDERS)):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _give_away(folder, at)
    marked = {MARK: others[MARK]} if MARK in others else {}
    for name, content in {**marked, **emails}.items():
        path = at.spool / _name_in_spool(name)
        _write(path, content, at, begun_in=at.spool / "tmp", over=name == MARK)
    if not emails:
        return told
    n = len(emails)
    restored = count(
        "{path}: {n} email is restored", "{path}: {n} emails are restored", n, path=str(at.spool)
    )
    return [*told, restored]


def _put_key_back(content: bytes, at: Paths) -> Message:
    _write(at.key, content, at)
    saved_mark(at.key).touch(mode=0o600)
    _give_away(saved_mark(at.key), at)
    return say("{path}: the key is restored", path=str(at.key))


def _message_of_configuration(others: Mapping[str, bytes], at: Paths) -> Message:
    """Say which configuration is now used; the archive's is put back if there was none."""
    archived, path = others.get(CONFIG), at.config
    if path is not None and path.exists():
        if archived in (None, path.read_bytes()):
            return say("{path}: this configuration is used", path=str(path))
        return say(
            "{path}: this configuration is used; the one in the archive is different",
            path=str(path),
        )
    if path is None or archived is None:
        return say("there is no configuration in the archive; defaults are used")
    _write(path, archived, at)
    return say("{path}: the configuration is restored", path=str(path))


def _write(
    path: Path, content: bytes, at: Paths, *, begun_in: Path | None = None, over: bool = False
) -> None:
    """Write a file where none is, unless it is there already; with `over` also over another."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with files.aside((begun_in or path.parent) / path.name) as unfinished:
        with files.durable(unfinished) as file:
            file.write(content)
        _give_away(unfinished, at)
        if over:
            unfinished.replace(path)
        else:
            files.put_new(unfinished, path)


def _give_away(path: Path, at: Paths) -> None:
    if os.geteuid() == 0:
        owner = at.key.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid)


def _unpack(source: Path, copy: Path) -> dict[str, bytes]:
    """Unpack the database into a file, if there is one in the archive.

    The rest is small and is returned by its names.
    """
    with _opened(source) as tar:
        if DATABASE in tar.getnames() and (rows := tar.extractfile(DATABASE)):
            with files.durable(copy) as file:
                shutil.copyfileobj(rows, file)
            saved = tar.getmember(DATABASE).mtime
            os.utime(copy, (saved, saved))
        small = (CONFIG, KEY, MARK)
        names = [name for name in sorted(tar.getnames()) if name in small or _is_email(name)]
        found = {name: _content(tar, name) for name in names}
    if not (found or copy.exists()):
        raise _no_backup(source)
    return {name: content for name, content in found.items() if content is not None}


@contextlib.contextmanager
def _opened(source: Path) -> Iterator[tarfile.TarFile]:
    _refuse_damage(source)
    try:
        with tarfile.open(source, "r:gz") as tar:
            yield tar
    except tarfile.TarError:
        raise _no_backup(source) from None


def _refuse_damage(source: Path) -> None:
    """Refuse a damaged archive.

    gzip's checksum is at the end, which tar never reaches: at a part that it does not understand it
    takes the archive to be over.
    """
    try:
        with gzip.open(source) as archive:
            while archive.read(_CHUNK):
                pass
    except (gzip.BadGzipFile, zlib.error, EOFError):
        with source.open("rb") as file:
            if file.read(len(_GZIP)) != _GZIP:
                raise _no_backup(source) from None
        raise Refusal(say("{path} is damaged; nothing was restored", path=str(source))) from None


def _no_backup(source: Path) -> Refusal:
    return Refusal(say("{path} is not an adjud backup", path=str(source)))


def _content(tar: tarfile.TarFile, name: str) -> bytes | None:
    """Return what a file of the archive holds; None if it is no file."""
    entry = tar.getmember(name) if name in tar.getnames() else None
    content = tar.extractfile(entry) if entry is not None and entry.isfile() else None
    return content.read() if content else None


def _is_email(name: str) -> bool:
    """Return whether a name is that of a file of the spool, and would not lie elsewhere."""
    return _EMAIL.fullmatch(name) is not None


# Move a club to another database: its rows are copied, and some of its matches replayed there.


REPLAYED = 20  # matches, the newest; `adjud verify` replays all


def copy_club(
    store: Store, url: str, *, progress: Callable[[int], object] = lambda _: None
) -> Iterator[tuple[bool, Message]]:
    """Move all rows into an empty database, and tell what was found there, and whether it is well.

    Every row was read back when this tells of the first thing; matches are replayed because what
    counts is that the program finds there what it left here.
    """
    rows = schema.move(store, url, progress=progress)
    shown = parse_url(url).render_as_string(hide_password=True)
    yield (
        True,
        count(
            "{url}: {n} row was copied and read back",
            "{url}: {n} rows were copied and read back",
            rows,
            url=shown,
        ),
    )
    yield (
        True,
        say(
            "{url}: closed; everything waits until the configuration names the other database "
            "(`adjud db reopen` would undo this)",
            url=store.engine.url.render_as_string(hide_password=True),
        ),
    )
    there = open_store(url)
    try:
        names = verification.names(there)[-REPLAYED:]
        wrong = [(name, found) for name in names for found in verification.verify(there, name)]
    finally:
        there.close()
    for name, found in wrong:
        yield False, say("{match}: {found}", match=name, found=found)
    if names and not wrong:
        yield (
            True,
            count(
                "the newest match was replayed there and agrees",
                "the newest {n} matches were replayed there and agree",
                len(names),
            ),
        )
