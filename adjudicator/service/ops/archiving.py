"""Write an ended match into one file that can be read without the club, and then delete from the
database what only its readers want: old reports and emails. What a club keeps no longer by its
settings is deleted here, too.

The file is a ZIP archive with fixed times, so that the same match gives the same bytes. Nothing is
deleted before the match was verified, the file was forced to disk, and every part of it was read
back; the log in the file must give the fingerprints that its reports show. After a kill in between
the same command finds its own file, and goes on.
"""

import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from msgspec.json import decode, encode, format

from adjudicator import __version__
from adjudicator.core import chain
from adjudicator.core.message import Message, count, say, tell
from adjudicator.core.result import read
from adjudicator.service.base import files
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Context, Keep, Refusal, Session
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.loaded_match import Loaded, find, load, rulings_since
from adjudicator.service.matches import overview, verification
from adjudicator.service.ops import jobs
from adjudicator.service.reports import printing
from adjudicator.service.reports.building import notice_text
from adjudicator.store import erasure, turns, upkeep
from adjudicator.store.database import Store, Tx
from adjudicator.store.matches import Match

_README = """\
This is the match {match}, as the club had it when it was archived by adjud {version}.

match.json   the agreed options, the players, the result, the places and the game master's notices
record.txt   the record of the game; `adjud record replay record.txt` plays it
log.json     the log: its key, its lines and the fingerprint of each ply
pages/       each seat's last page; open it in a browser
reports/     all reports to all seats, by ply and seat

`adjud audit FOLDER` checks all of it, once it is unpacked into a folder. It needs no club.
"""


def archive(store: Store, name: str, target: Path | None, *, now: datetime) -> Message:
    """Write an ended match into a file, and delete its old reports and emails."""
    with store.reading() as tx:
        match_id = _ready(tx, name)
        name = find(tx, name).name
    path = target or Path(f"{name}.zip")
    if not path.parent.is_dir():
        raise Refusal(say("there is no folder {path}", path=str(path.parent)))
    if found := verification.verify(store, name):
        raise Refusal(say("{match}: {found}; nothing was done", match=name, found=found[0]))
    parts = dict(_parts(store, name))
    content = _pack(parts, store, name)
    _write(path, content)
    _check(path, parts, name)
    with store.transaction() as tx:
        if not erasure.is_over(tx, match_id) or _ready(tx, name) != match_id:
            raise Refusal(_continues(name))
        reduce(tx, match_id, now)
    return say(
        "{match} is archived in {path}; its old reports and emails are no longer in the database",
        match=name,
        path=str(path),
    )


def _ready(tx: Tx, name: str) -> int:
    """Return the number of a match that can be archived. Raises Refusal."""
    match = find(tx, name)
    if match.status != "over":
        raise Refusal(_continues(match.name))
    if match.archived_at is not None:
        raise Refusal(printing.message_for_archived(match))
    if not match.is_opened:
        raise Refusal(say("{match} never opened; there is nothing to archive", match=match.name))
    if erasure.is_busy(tx, match.id):
        raise Refusal(
            say(
                "{match}: an email still waits to be sent or read; run `adjud tick`, or look at "
                "`adjud mail queue list`",
                match=match.name,
            )
        )
    return match.id


def _continues(name: str) -> Message:
    return say("{match} has not ended; only a match that has ended is archived", match=name)


def _parts(store: Store, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the archive."""
    yield "README.txt", _README.format(match=name, version=__version__).encode()
    with store.reading() as tx:
        loaded = load(tx, name)
        yield "match.json", _json(_facts(tx, loaded))
        if loaded.match.log_key is not None:
            yield "log.json", _json(_log(tx, loaded))
        for one in turns.reports(tx, loaded.match.id):
            body = printing.stored_report(loaded, one).body
            yield f"reports/{one.ply:04}-{one.seat}.json", _json(body)
    yield "record.txt", overview.export(store, name).encode()
    for page in printing.newest(store, name, now=loaded.since):
        yield f"pages/{page.report.seat}.html", printing.render(page, "html").encode()


def _json(value: Any) -> bytes:
    return format(encode(value), indent=1) + b"\n"


def _facts(tx: Tx, loaded: Loaded) -> Mapping[str, Any]:
    match, outcome = loaded.match, loaded.game.rules.outcome(loaded.state)
    return {
        "match": match.name,
        "game": match.game,
        "variant": match.variant,
        "options": match.options,
        "board": match.board,
        "players": {seat: loaded.holders[seat].shown_name for seat in loaded.seats},
        "created": rfc3339(match.created_at),
        "ended": rfc3339(loaded.since),
        "turns": match.turn,
        "result": outcome,
        **_places(match),
        "notices": [
            {"at": rfc3339(one.at), "text": notice_text(one, tell)}
            for one in rulings_since(tx, match, 0)
        ],
    }


def _places(match: Match) -> Mapping[str, Any]:
    """Return who stood where and who left, unless a tick has not entered that of an older match."""
    if match.result is None:
        return {}
    ended = read(match.result)
    return {"places": ended.places, "departures": ended.departures}


def _log(tx: Tx, loaded: Loaded) -> Mapping[str, Any]:
    match, plies = loaded.match, turns.plies(tx, loaded.match.id)
    assert match.log_key is not None
    return {
        "label": match.label,
        "key": match.log_key.hex(),
        "lines": [one.line for one in plies],
        "fingerprints": [one.head for one in plies],
    }


def _pack(parts: Mapping[str, bytes], store: Store, name: str) -> bytes:
    with store.reading() as tx:
        ended = load(tx, name).since
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, content in parts.items():
            entry = zipfile.ZipInfo(f"{name}/{part}", ended.timetuple()[:6])
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100600 << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def _write(path: Path, content: bytes) -> None:
    """Write the file where nothing is, but for the same file of a run that was killed."""
    there = say("{path} already exists; nothing was written", path=str(path))
    if os.path.lexists(path):
        if path.is_file() and path.read_bytes() == content:
            return
        raise Refusal(there)
    with files.aside(path) as unfinished:
        with files.durable(unfinished) as file:
            file.write(content)
        try:
            files.put_new(unfinished, path)
        except FileExistsError:  # since this began
            raise Refusal(
                say("{path} already exists; nothing was written", path=str(path))
            ) from None
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _check(path: Path, parts: Mapping[str, bytes], name: str) -> None:
    """Read the file back. Raises Refusal unless all of it is there and its log agrees with its
    reports."""
    with zipfile.ZipFile(path) as archive:
        there = {
            entry.removeprefix(f"{name}/"): archive.read(entry) for entry in archive.namelist()
        }
    if there != parts or not _agrees(there, name):
        raise Refusal(
            say(
                "{path}: what was read back is not what was written; nothing was deleted",
                path=str(path),
            )
        )


def _agrees(there: Mapping[str, bytes], name: str) -> bool:
    """Return whether the log gives the fingerprints that the reports show."""
    if "log.json" not in there:
        return True
    log = decode(there["log.json"])
    heads = [*chain.heads(name, bytes.fromhex(log["key"]), log["lines"])]
    reports = [decode(one) for path, one in there.items() if path.startswith("reports/")]
    return heads == log["fingerprints"] and all(
        one["log"]["head"] == heads[one["ply"]] for one in reports if one.get("log")
    )


# Delete what the club's settings say is kept no longer ([keep]). A tick does it once a day, each
# match and some emails at a time in a transaction of their own.


def old_emails(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return one key if words of emails are kept for a time."""
    return [] if tick.context.keep.letters is None else [DueItem("emails")]


def forget_emails(s: Session, _key: str) -> Told:
    """Forget what some old emails said. Of emails nothing is counted and told."""
    kept = s.context.keep.letters
    return () if kept is not None and erasure.forget_words_of_emails(s.tx, s.now - kept) else None


def old_reports(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    kept = tick.context.keep.reports
    found = () if kept is None else erasure.with_old_reports(tx, tick.now - kept)
    return [DueItem(match_id, name) for match_id, name in found]


def drop_reports(s: Session, match_id: int) -> Told:
    """Delete the reports of an ended match of which no email waits, but the last."""
    if not _is_done_with(s.tx, match_id):
        return None
    erasure.drop_reports(s.tx, match_id, s.now)
    return ()


def long_ended(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    kept = tick.context.keep.ended
    found = () if kept is None else erasure.matches_to_archive(tx, tick.now - kept)
    return [DueItem(match_id, name) for match_id, name in found]


def reduce_ended(s: Session, match_id: int) -> Told:
    """Delete all but the last reports of an ended match of which no email waits."""
    if not _is_done_with(s.tx, match_id):
        return None
    reduce(s.tx, match_id, s.now)
    return ()


def _is_done_with(tx: Tx, match_id: int) -> bool:
    return erasure.is_over(tx, match_id) and not erasure.is_busy(tx, match_id)


def prune(store: Store, keep: Keep, *, now: datetime) -> Iterator[Message]:
    """Delete what is too old, and give the free pages of an SQLite file back."""
    from adjudicator.service.ops.jobs import KEEPING  # it names the functions above

    tick = Tick(now, Context(keep=keep), sure=True, is_first_of_day=True)
    for done in jobs.run(store, KEEPING, tick):
        yield done.text
    path = upkeep.file_of(store)
    if path is None:
        yield say("PostgreSQL uses free space itself; `VACUUM FULL` gives it back to the disk")
        return
    before = path.stat().st_size
    upkeep.forget_free_pages(store)
    yield say(
        "{path}: {before} kB before, {after} kB now",
        path=str(path),
        before=_round_up(before),
        after=_round_up(path.stat().st_size),
    )


def _round_up(size: int) -> int:
    """Return a size in kB, rounded up to whole megabytes: else it would tell of single emails."""
    return -(-size // 1_000_000) * 1000


def reduce(tx: Tx, match_id: int, now: datetime) -> None:
    """Delete the reports of an ended match but the last, and all its emails."""
    erasure.drop_reports(tx, match_id, now)
    erasure.drop_emails(tx, match_id)
    erasure.mark_archived(tx, match_id, now)


def reports_gone(n: int) -> Message:
    return count(
        "the old reports of {n} ended match were deleted, as [keep] says",
        "the old reports of {n} ended matches were deleted, as [keep] says",
        n,
    )


def message_for_reduced(n: int) -> Message:
    return count(
        "the old reports and the emails of {n} ended match were deleted, as [keep] says",
        "the old reports and the emails of {n} ended matches were deleted, as [keep] says",
        n,
    )
