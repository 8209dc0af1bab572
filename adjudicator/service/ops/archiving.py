"""Write an ended match into one file that can be read without the club, and then delete from the
database what only its readers want: old reports and emails.

The file is a ZIP archive with fixed times, so that the same match gives the same bytes. Nothing is
deleted before the match was verified, the file was forced to disk, and every part of it was read
back; the log in the file must give the fingerprints that its reports show. After a kill in between
the same command finds its own file, and goes on.
"""

import os
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from msgspec.json import decode, encode, format

from adjudicator import __version__
from adjudicator.core import chain
from adjudicator.core.message import Message, say, tell
from adjudicator.core.result import read
from adjudicator.service.base import files
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import Loaded, find, load, rulings_since
from adjudicator.service.matches import overview, verification
from adjudicator.service.ops import keeping
from adjudicator.service.reports import printing
from adjudicator.service.reports.building import notice_text
from adjudicator.store import erasure, turns
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
        keeping.reduce(tx, match_id, now)
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
