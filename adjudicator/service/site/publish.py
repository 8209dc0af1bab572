"""Write a folder that a web server serves, and replace it as a whole.

The folder is a symbolic link to one of its hidden neighbours. A new version is written beside the
old one, and then the link is renamed over. A reader finds the old site or the new one, and a kill
at any moment leaves one of them.

A file that stays as it was is no second time on the disk: both versions have it as a hard link. So
that a later run knows what can stay, each version has a record beside it, in which only its owner
can read. A version that a kill left unfinished has one, too, and what was written of it is used.

The record names each file of its version, too. A version is taken away file by file, by these
names: whatever else lies there is somebody else's. While such a thing lies among the pages that are
served, nothing is published, for its owner would miss it there.

What no served version has had is forced to disk, and the record after it, before the link leads
there: else a power cut could leave pages without their content that the record calls up to date, so
that no later run would make them again.
"""

import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from msgspec import MsgspecError, Struct
from msgspec.json import decode, encode

from adjudicator.core.message import say
from adjudicator.places import naming
from adjudicator.reports import club
from adjudicator.service.base.context import Refusal

_OPEN = 0o755
_UNLISTED = 0o711  # files in it can be opened by who knows their names, and not be listed


class _File(Struct, frozen=True):
    path: str


class _Pages(Struct, frozen=True):
    """All that is wanted here of a line that `fill` notes. Older records name files only so."""

    pages: Sequence[_File] = ()


class EarlierVersion(Struct, frozen=True, dict=True):
    """A version of before, and the lines of its record. It is unfinished if it is not served."""

    folder: Path
    record: Sequence[bytes]
    served: bool

    @cached_property
    def names(self) -> tuple[set[str], bool]:
        """The names of its files, and whether its record names all of them."""
        return _names_in(self.record)


class Draft:
    """A version that is being written. `earlier` versions lend it what did not change."""

    def __init__(self, folder: Path, record: BinaryIO, earlier: Sequence[EarlierVersion]) -> None:
        self._folder, self._record = str(folder), record
        self.earlier = earlier
        self.names: set[str] = set()
        self.folders: set[str] = {""}
        self._new: list[str] = []

    def write(self, name: str, content: bytes) -> int:
        """Write a file, if it is not there yet; return its size."""
        if name not in self.names:
            self.note([encode(name)])
            path = self._place(name)
            # No earlier version's file is ever written into.
            with naming(path), open(path, "xb") as file:
                file.write(content)
            os.chmod(path, 0o644)
            self._new.append(path)
        return len(content)

    def take(self, earlier: EarlierVersion, sizes: Mapping[str, int]) -> bool:
        """Take these files, with their sizes, from an earlier version: all, or none if one of them
        is not there as it was. A line that names them must have been noted."""
        old = str(earlier.folder)
        missing = [name for name in sizes if name not in self.names]
        if not all(_has_size(f"{old}/{name}", sizes[name]) for name in missing):
            return False
        for name in missing:
            path = self._place(name)
            linked = _copy(f"{old}/{name}", path)
            if not (linked and earlier.served):
                self._new.append(path)
        return True

    def note(self, lines: Iterable[bytes]) -> None:
        """Add lines to the record: the name of a file that will be written, or what `fill` wants to
        know of files."""
        with naming(self._folder):
            self._record.writelines(line + b"\n" for line in lines)
            self._record.flush()

    def force(self) -> None:
        """Let what was written survive a power cut, and the record of it, too."""
        for path in self._new:
            with open(path, "rb") as file:
                os.fsync(file.fileno())
        os.fsync(self._record.fileno())

    def open(self, unlisted: Collection[str]) -> None:
        """Let others look inside, now that every file has its mode."""
        for name in self._inner_first():
            os.chmod(f"{self._folder}/{name}", _UNLISTED if name in unlisted else _OPEN)

    def date(self, at: datetime) -> None:
        both = (int(at.timestamp()),) * 2
        for name in (*self.names, *self._inner_first()):
            os.utime(f"{self._folder}/{name}", both)

    def _inner_first(self) -> Sequence[str]:
        return sorted(self.folders, reverse=True)

    def _place(self, name: str) -> str:
        self.names.add(name)
        self._make_folder(name.rpartition("/")[0])
        return f"{self._folder}/{name}"

    def _make_folder(self, name: str) -> None:
        if name not in self.folders:
            self._make_folder(name.rpartition("/")[0])
            os.mkdir(f"{self._folder}/{name}")
            self.folders.add(name)


def publish(
    folder: Path, fill: Callable[[Draft], None], *, unlisted: Collection[str], at: datetime
) -> None:
    """Put what `fill` writes where `folder` is.

    All files get the same time, `at`: nobody may learn when a page last changed, and a browser that
    asks for news must get them. Raises Refusal if there is something that this function did not
    make.
    """
    folder = Path(os.path.abspath(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.parent):
        _refuse_others(folder)
        earlier = _earlier(folder)
        _refuse_others_inside(folder, earlier)
        version = folder.with_name(f"{_prefix(folder)}{secrets.token_hex(8)}")
        record = _record_of(version)
        try:
            with naming(record), _private(record) as lines:
                version.mkdir(mode=0o700)
                draft = Draft(version, lines, earlier)
                fill(draft)
                draft.force()
            draft.open(unlisted)
            draft.date(at)
            _refuse_others_inside(folder, earlier, draft.names)
        except BaseException:
            shutil.rmtree(version, ignore_errors=True)  # what caused this is told, not this
            record.unlink(missing_ok=True)
            raise
        _swap(folder, version)
        for old in earlier:
            _remove(old, draft.names)
        _remove_leftovers(folder)


def served_version(folder: Path) -> EarlierVersion | None:
    """Return the version that is served; None if there is none."""
    folder = Path(os.path.abspath(folder))
    found = _versions(folder) if folder.is_symlink() else []
    return next((one for one in found if one.served), None)


@contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """Keep two runs apart, because each would take the other's unfinished work for leftovers."""
    handle = os.open(parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _prefix(folder: Path) -> str:
    return f".{folder.name}.site-"


def _versions(folder: Path) -> list[EarlierVersion]:
    """Return this site's versions, also unfinished ones.

    A record is there before its version and longer; a folder without one is somebody else's.
    """
    served = folder.with_name(os.readlink(folder)) if folder.is_symlink() else None
    return [
        EarlierVersion(path, _lines(record), path == served)
        for path in _beside_site(folder, "")
        if _is(stat.S_ISDIR, path) and _is(stat.S_ISREG, record := _record_of(path))
    ]


def _beside_site(folder: Path, end: str) -> list[Path]:
    """Return what beside a site has the name of one of its versions, with this end."""
    ours = _pattern(folder, end)
    return [folder.with_name(name) for name in os.listdir(folder.parent) if ours.fullmatch(name)]


def _pattern(folder: Path, end: str = "") -> re.Pattern[str]:
    return re.compile(rf"{re.escape(_prefix(folder))}[0-9a-f]{{16}}{re.escape(end)}")


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    try:
        return kind(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def _refuse_others(folder: Path) -> None:
    path = str(folder)
    if folder.is_symlink():
        if not _pattern(folder).fullmatch(os.readlink(folder)):
            raise Refusal(say("{path} is a link that adjud did not make", path=path))
    elif folder.is_dir():
        if any(folder.iterdir()):
            raise Refusal(
                say(
                    "{path} has files that adjud did not make; name a folder that is empty or "
                    "does not exist",
                    path=path,
                )
            )
    elif folder.exists():
        raise Refusal(say("{path} is a file; name a folder", path=path))


def _refuse_others_inside(
    folder: Path, earlier: Sequence[EarlierVersion], made: Collection[str] | None = None
) -> None:
    """Refuse to take away what somebody has put among the pages that are served.

    Only together with the files that are `made` now does an older program's record name all of
    them.
    """
    for served in (version for version in earlier if version.served):
        names, whole = served.names
        others = _others(served.folder, names | {*(made or ())})
        if others and (whole or made is not None):
            raise Refusal(
                say(
                    "{path} has {name}, which adjud did not make; move it elsewhere",
                    path=str(folder),
                    name=others[0],
                )
            )


def _names_in(record: Sequence[bytes]) -> tuple[set[str], bool]:
    """Return the names of the files of a version, and whether its record names all of them."""
    names: set[str] = set()
    whole = False
    for line in record:
        try:
            named = decode(line, type=str | _Pages)
        except MsgspecError:  # a kill cut it short
            continue
        if isinstance(named, str):
            whole = True
            names.add(named)
        else:
            names.update(page.path for page in named.pages)
    return names, whole


def _others(version: Path, names: Collection[str]) -> list[str]:
    """Return what lies in a version and is neither one of these files nor a folder of one."""
    return sorted(name for name, ours in _inside(version, names) if not ours)


def _inside(version: Path, names: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield the names of what lies in a version, from within outwards, and whether it is one of
    these files or a folder of one. No link is followed."""
    folders, to_look_at = [], [""]
    while to_look_at:
        place = to_look_at.pop()
        with os.scandir(f"{version}/{place}") as found:
            for entry in found:
                name = f"{place}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                    to_look_at.append(f"{name}/")
                else:
                    yield name, name in names and entry.is_file(follow_symlinks=False)
    ours = _folders_of(names)
    for name in reversed(folders):  # a folder is found after the one in which it is
        yield name, name in ours


def _folders_of(names: Collection[str]) -> set[str]:
    folders: set[str] = set()
    for name in names:
        above = name.rpartition("/")[0]
        while above and above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
    return folders


def _record_of(version: Path) -> Path:
    return version.with_name(f"{version.name}.record")


def _earlier(folder: Path) -> list[EarlierVersion]:
    """Return the version that is served and the one of which most was written when it was killed.

    The others are removed, so that many kills do not leave many.
    """
    found = _versions(folder)
    found.sort(key=lambda one: (one.served, len(one.record)), reverse=True)
    for old in found[2:]:
        _remove(old)
    return found[:2]


def _lines(record: Path) -> Sequence[bytes]:
    return record.read_bytes().splitlines()


def _private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _has_size(path: str, size: int) -> bool:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == size


def _copy(old: str, new: str) -> bool:
    """Let a file of another version be here, too; return whether it is the same file."""
    try:
        os.link(old, new)
    except OSError:  # there are disks without links, and files of another user
        shutil.copyfile(old, new)
        os.chmod(new, 0o644)
        return False
    return True


def _swap(folder: Path, version: Path) -> None:
    link = version.with_name(f"{version.name}.link")
    os.symlink(version.name, link)
    if folder.is_dir() and not folder.is_symlink():
        folder.rmdir()  # a link cannot be renamed over a folder, not even an empty one
    link.replace(folder)


def _remove(old: EarlierVersion, made: Collection[str] = ()) -> None:
    """Take a version away, and then its record; what somebody else has put there stays."""
    names = old.names[0] | {*made}
    for name, is_ours in _inside(old.folder, names):
        path = f"{old.folder}/{name}"
        if is_ours and name in names:
            os.unlink(path)
        elif is_ours:
            _remove_empty(path)
    _remove_empty(old.folder)
    _record_of(old.folder).unlink()


def _remove_empty(folder: str | Path) -> None:
    try:
        os.rmdir(folder)
    except OSError as trouble:
        if trouble.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


def _remove_leftovers(folder: Path) -> None:
    """Remove what kills have left beside a site: links that were not renamed, and records of
    versions that are not there."""
    for link in _beside_site(folder, ".link"):
        if link.is_symlink() and os.readlink(link) == link.name.removesuffix(".link"):
            link.unlink()
    for record in _beside_site(folder, ".record"):
        if _is(stat.S_ISREG, record) and not os.path.lexists(record.with_suffix("")):
            record.unlink()


class SiteRow(Struct, frozen=True):
    """The row of a match on the first page, which is kept when its own pages are made."""

    going: club.Going | None
    over: club.Over | None
    ended_at: float = 0.0
    made_at: float = 0.0
    named: bool = True  # its players may be


class SitePage(Struct, frozen=True):
    """A page in the record, or a file that it shares with others."""

    path: str
    size: int


class MatchLine(Struct, frozen=True):
    """A line of the record: all that the site has of one match."""

    match: str
    stamp: str
    row: SiteRow
    pages: Sequence[SitePage]
    watched: str = ""  # what its page for onlookers shows
    shown: Mapping[str, str] = {}  # what each seat's own page shows, by its path


class RulesLine(Struct, frozen=True, kw_only=True):
    """The line of the pages that follow from the program and the language alone. `links` are those
    of the first page to the rules: (game, page)."""

    match: str = ""  # it is no match's
    stamp: str
    links: Sequence[tuple[str, str]]
    pages: Sequence[SitePage]


class OtherLine(Struct, frozen=True, kw_only=True):
    """The line of pages that are no match's, and are made anew when what they say changes."""

    match: str  # begins with a slash, as no name of a match does
    stamp: str
    pages: Sequence[SitePage] = ()


class LineHead(Struct, frozen=True):
    """What is read of a line first."""

    match: str
    stamp: str


class NotedLine(Struct, frozen=True):
    """A line as it is written: ten thousand of them, read, would take much memory."""

    earlier: EarlierVersion
    stamp: str
    line: bytes


def sizes(pages: Sequence[SitePage]) -> Mapping[str, int]:
    return {page.path: page.size for page in pages}


def noted_lines(versions: Sequence[EarlierVersion]) -> Mapping[str, Sequence[NotedLine]]:
    """Return the lines of all earlier versions, by match."""
    found = defaultdict(list)
    for earlier in versions:
        for line in earlier.record:
            try:
                head = decode(line, type=LineHead)
            except MsgspecError:  # a kill cut it short, or it names a file of the whole club
                continue
            found[head.match].append(NotedLine(earlier, head.stamp, line))
    return found


def line_of_match(noted: NotedLine) -> MatchLine | None:
    try:
        return decode(noted.line, type=MatchLine)
    except MsgspecError:  # another version of the program wrote it
        return None
