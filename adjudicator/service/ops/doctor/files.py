"""Check what lies on the disk: whose it is, who can read it, what waits there."""

import os
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from adjudicator.core.message import say
from adjudicator.games import GAMES
from adjudicator.mail.transport import spool as emails
from adjudicator.service.base import keys
from adjudicator.service.base.context import (
    MatchTemplate,
    Paths,
    Refusal,
    is_spool_anothers,
    message_for_anothers_spool,
    saved_mark,
)
from adjudicator.service.base.options import agree
from adjudicator.service.matches.creation import variant_of
from adjudicator.service.ops.backup import same_disk
from adjudicator.service.ops.doctor.checking import Finding, Installation, bad, warn, well
from adjudicator.store import upkeep
from adjudicator.store.database import parse_url, sqlite_path

_SOON = timedelta(hours=1)  # a tick should have come by then
_ENOUGH = 100  # MiB


def configuration(installation: Installation) -> Iterator[Finding]:
    """Say which configuration is used."""
    config = installation.at.config
    path = str(config) if config else "none, defaults are used"
    yield well(say("configuration: {path}", path=path))


def database(installation: Installation) -> Iterator[Finding]:
    """Check that nobody else can read the SQLite file."""
    path = upkeep.file_of(installation.store)
    if path is None:
        return
    mode = _mode(path)
    told = say("{path}: mode {mode}", path=str(path), mode=mode)
    open_ = say(
        "{path}: mode {mode}, others can read every secret; chmod 600", path=str(path), mode=mode
    )
    yield bad(open_) if _is_open(path) else well(told)
    yield from _belonging(path)


def network_disk(installation: Installation) -> Iterator[Finding]:
    """Find an SQLite file on a disk of another machine."""
    path = sqlite_path(parse_url(installation.url))
    if path is None:
        return
    kind = kind_of(path)
    if kind in OF_NETWORKS:
        yield bad(
            say(
                "database: {path} is on a network file system ({kind}), and SQLite's log can be "
                "damaged there; move it to a disk of this machine, or to PostgreSQL with `adjud db "
                "copy`",
                path=str(path),
                kind=kind,
            )
        )


def relative_paths(installation: Installation) -> Iterator[Finding]:
    """Warn of paths that lead elsewhere in another folder: a tick and a mail server have other
    working folders than you."""
    at = installation.at
    named = [("database", sqlite_path(parse_url(installation.url))), ("mail.key", at.key)]
    named += [("mail.spool", at.spool), ("mail.password_file", at.password_file)]
    if at.fetch_password_file != at.password_file:
        named += [("mail.fetch_password_file", at.fetch_password_file)]
    for key, way in (("mail.out", at.out), ("mail.fetch", at.fetch)):
        kind, _, rest = way.partition(":")
        if kind in ("folder", "maildir", "mbox"):
            named.append((key, Path(rest).expanduser()))
    for key, path in named:
        if path is not None and not path.is_absolute():
            yield warn(
                say(
                    "{key}: {path} depends on the folder in which a command is run; write the "
                    "whole path, from / on",
                    key=key,
                    path=str(path),
                )
            )


def disk(installation: Installation) -> Iterator[Finding]:
    """Check that the database's disk has room."""
    path = sqlite_path(parse_url(installation.url))  # on a full disk it cannot be opened
    if path is None or not path.exists():
        return
    free = shutil.disk_usage(path.parent).free // 2**20
    if free >= _ENOUGH:  # to the mebibyte it would tell of single emails
        free -= free % _ENOUGH
    told = say("disk: {free} MiB free", free=free)
    yield well(told) if free >= _ENOUGH else bad(told)


def spool(installation: Installation) -> Iterator[Finding]:
    """Check the spool's owner and rights, and whether something in it waits for long or is not
    an email."""
    at = installation.at
    if part := emails.no_folder(at.spool):
        if at.domain:
            yield bad(
                say("spool: {path} is not a folder, so no email can be received", path=str(part))
            )
        return
    if not at.spool.is_dir():
        if at.domain:
            yield _spool_to_be(at.spool)
        return
    folders = [at.spool]
    if _can_use(at.spool):
        folders += [at.spool / name for name in emails.FOLDERS if (at.spool / name).is_dir()]
    wrong = [*_rights(folders)]
    if all(map(_can_use, folders)):
        wrong += _contents(at, installation.now)
    yield from wrong
    if not wrong:
        yield well(say("spool: {path}, private, nothing waits for long", path=str(at.spool)))


def whose_spool(installation: Installation) -> Iterator[Finding]:
    """Find a spool that is another club's."""
    at = installation.at
    if not (at.domain and at.spool.is_dir() and _can_use(at.spool)):
        return
    with installation.store.reading() as tx:
        if is_spool_anothers(tx, at.spool):
            yield bad(message_for_anothers_spool(at.spool))


def _spool_to_be(folder: Path) -> Finding:
    """Check that the first email can make the spool's folder."""
    above = next(parent for parent in folder.parents if parent.is_dir())
    if os.access(above, os.W_OK | os.X_OK):
        return well(say("spool: {path}, created by the first email", path=str(folder)))
    return bad(say("spool: {path} does not exist and this user cannot create it", path=str(folder)))


def _rights(folders: list[Path]) -> Iterator[Finding]:
    for folder in folders:
        if _is_open(folder):
            yield bad(
                say(
                    "{path}: mode {mode}, others can read emails; chmod 700",
                    path=str(folder),
                    mode=_mode(folder),
                )
            )
    for folder in folders:
        if not _can_use(folder):
            yield bad(say("{path}: this user cannot write there", path=str(folder)))
    for folder in folders:
        yield from _belonging(folder)


def _can_use(folder: Path) -> bool:
    return os.access(folder, os.R_OK | os.W_OK | os.X_OK)


def _can_read(path: Path) -> bool:
    return os.access(path, os.R_OK)


def _contents(at: Paths, now: datetime) -> Iterator[Finding]:
    came = emails.oldest(at.spool)
    if came is not None and now - datetime.fromtimestamp(came, UTC) > _SOON:
        yield bad(
            say("spool: an email has waited for more than an hour; does cron call `adjud tick`?")
        )
    shut = sum(not _can_read(at.spool / "new" / name) for name in emails.names(at.spool))
    if shut:
        text = say(
            "spool: {n} in {new} cannot be read by this user; the mail server must run the pipe "
            "as the user that runs the tick",
            n=shut,
            new=str(at.spool / "new"),
        )
        yield bad(text)
    if aside := emails.bad(at.spool):
        text = say(
            "spool: {n} in {bad} could not be read as email; move any that are back to {new}",
            n=aside,
            bad=str(at.spool / "bad"),
            new=str(at.spool / "new"),
        )
        yield bad(text)


def key(installation: Installation) -> Iterator[Finding]:
    """Check that the key is there, is the club's, and that nobody else can read it."""
    at = installation.at
    if not at.domain and installation.keys.nothing and not at.key.exists():
        return
    if not at.key.exists():  # whatever the database knows, and if it cannot be asked
        yield bad(keys.message_for_lost_keys(at.key))
        return
    try:
        keys.own_keys(installation.keys, at.key)
    except Refusal as refusal:
        yield bad(refusal.messages[0])
        return
    yield _secret(at.key)


def key_backup(installation: Installation) -> Iterator[Finding]:
    """Check that the key was saved, and on another disk than the club's."""
    if installation.at.domain and installation.at.key.exists():
        yield _check_key_backup(installation.at.key)


def _check_key_backup(key: Path) -> Finding:
    mark = saved_mark(key)
    if mark.exists() and mark.stat().st_mtime >= key.stat().st_mtime:
        archive = Path(os.fsdecode(mark.read_bytes()).strip() or os.devnull)
        if not same_disk(key, archive):
            return well(say("key: backed up"))
        return warn(
            say(
                "key: backed up in {path}, on its own disk only, as far as this can be seen; copy "
                "that to another one",
                path=str(archive),
            )
        )
    return bad(
        say(
            "key: it was never backed up, and without it no seat's address works; run `adjud "
            "backup FILE`, or keep a copy and touch {mark}",
            mark=str(mark),
        )
    )


def passwords(installation: Installation) -> Iterator[Finding]:
    """Check that nobody else can read the files with passwords."""
    at = installation.at
    for path in dict.fromkeys((at.password_file, at.fetch_password_file)):
        if path is not None:
            yield _secret(path)


def _secret(path: Path) -> Finding:
    """Check a file that only this user should be able to read."""
    if not path.exists():
        return bad(say("{path}: this file does not exist or cannot be reached", path=str(path)))
    if not _can_read(path):
        return bad(say("{path}: this user cannot read it", path=str(path)))
    mode = _mode(path)
    if _is_open(path):
        text = say(
            "{path}: mode {mode}, others can read the secret; chmod 600", path=str(path), mode=mode
        )
        return bad(text)
    told = well(say("{path}: mode {mode}", path=str(path), mode=mode))
    return next(_belonging(path), told)


def _belonging(path: Path) -> Iterator[Finding]:
    """Check that something is this user's, who is to be the one that ticks."""
    uid = path.stat().st_uid
    if uid != os.geteuid():
        yield bad(say("{path}: it belongs to another user (number {uid})", path=str(path), uid=uid))


def _is_open(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o077)


def _mode(path: Path) -> str:
    return f"{path.stat().st_mode & 0o777:04o}"


MOUNTINFO = Path("/proc/self/mountinfo")

# Several machines can have them open at once. SQLite's log (WAL) needs memory that all its users
# share (https://sqlite.org/wal.html), and locks that can be relied on.
OF_NETWORKS = {"9p", "afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "gpfs", "lustre", "ncpfs"} | {
    *("nfs", "nfs4", "ocfs2", "orangefs", "smb3", "smbfs", "fuse.ceph", "fuse.glusterfs"),
    *("fuse.rclone", "fuse.s3fs", "fuse.sshfs"),
}


def kind_of(path: Path) -> str:
    """Return the kind of file system, such as ext4; empty where the system does not say."""
    try:
        text = os.fsdecode(MOUNTINFO.read_bytes())
    except OSError:  # not Linux
        return ""
    return kind_in(text, Path(os.path.realpath(path)))


def kind_in(mountinfo: str, path: Path) -> str:
    """Return the kind of the last mount that covers a path (proc_pid_mountinfo(5))."""
    found, length = "", 0
    for line in mountinfo.splitlines():
        before, dash, after = line.partition(" - ")
        fields = before.split(" ")
        if not dash or len(fields) < 5:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        if len(point.parts) >= length and path.is_relative_to(point):
            found, length = after.split(" ", 1)[0], len(point.parts)
    return found


def templates(installation: Installation) -> Iterator[Finding]:
    """Say of each template whether a match can be made like it."""
    for name, template in installation.at.templates.items():
        try:
            _try(template)
        except Refusal as refusal:
            yield bad(say("template {name}: {why}", name=name, why=refusal.messages[0]))
        else:
            yield well(say("template {name}: a match can be made like it", name=name))


def _try(template: MatchTemplate) -> None:
    """Raise Refusal if no match can be made like the template."""
    game = GAMES.get(template.game)
    if game is None:
        raise Refusal(say("there is no game '{name}'", name=template.game))
    variant = variant_of(game, template.variant or None)
    seating = game.seating(variant, "")
    agree(game, template.options, min(seating) if seating else game.players[0])
