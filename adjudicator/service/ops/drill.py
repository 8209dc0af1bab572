"""Try whether a backup would bring the club back: in a folder that is removed, with no way out.

The archive's own configuration is only read: wherever it puts database, key and spool, and by
whatever way it lets email leave, here all of them are in that folder and nothing is sent. The club
that is running is not looked at.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from msgspec import Struct, structs

from adjudicator import config
from adjudicator.core.message import Message, say
from adjudicator.service.base import keys
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Paths, Refusal
from adjudicator.service.base.loaded_match import game_of_club
from adjudicator.service.competition import ladder_tables, showing, tournament
from adjudicator.service.competition import ladders as of_club
from adjudicator.service.matches import results, verification
from adjudicator.service.ops import backup
from adjudicator.store import clubs, ladders, matches, players, schema, tournaments
from adjudicator.store.database import Store, Tx, open_store

PREFIX = "adjud-drill-"


class Drilled(Struct, frozen=True, kw_only=True):
    """What a backup has in it. `faults` are what would be missing or wrong after a restore."""

    saved: datetime
    age: int  # seconds
    schema: str
    epoch: str | None  # None if no match began in it
    players: int
    matches: int
    verified: int
    going: int
    last_tick: datetime | None
    faults: list[Message]


def drill(
    archive: Path,
    *,
    now: datetime,
    beside: Path | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> Drilled:
    """Restore an archive into a new folder and look at it. Raises Refusal or StoreTrouble if it
    cannot be restored at all.

    The folder is made in `beside`, else where temporary files belong. `progress` is told the number
    of matches, for each that was verified.
    """
    with _folder(beside) as folder:
        at = Paths(config=None, key=folder / "adjud.key", spool=folder / "spool")
        url = f"sqlite:///{folder / backup.DATABASE}"
        backup.restore(archive, url, at, now=now)
        saved = backup.time_of_backup(archive)
        before, _ = schema.bring_up_to_date(url, results.fill)
        store = open_store(url)
        try:
            return _result_of_drill(store, archive, at, before, saved, now, progress)
        finally:
            store.close()


@contextmanager
def _folder(beside: Path | None) -> Iterator[Path]:
    """Make a folder for its owner alone. Only a kill leaves it."""
    if beside is not None and not beside.is_dir():
        raise Refusal(say("there is no folder {path}", path=str(beside)))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=beside))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _result_of_drill(
    store: Store,
    archive: Path,
    at: Paths,
    before: str,
    saved: datetime,
    now: datetime,
    progress: Callable[[int], object],
) -> Drilled:
    names = verification.names(store)
    wrong = list(_parts(store, archive, at))
    for name in names:
        found = verification.verify(store, name)
        wrong += [say("{match}: {found}", match=name, found=one) for one in found]
        progress(len(names))
    wrong += _of_club(store)
    with store.reading() as tx:
        return Drilled(
            saved=saved,
            age=max(0, int((now - saved).total_seconds())),
            schema=before,
            epoch=clubs.previous_epoch(tx),
            players=len(players.all_players(tx)),
            matches=len(matches.names(tx)),
            verified=len(names),
            going=len(matches.names_going(tx)),
            last_tick=clubs.last_tick(tx),
            faults=wrong,
        )


def _of_club(store: Store) -> Iterator[Message]:
    """Yield the tournaments and ladders that cannot be shown, and why."""
    with store.reading() as tx:
        shown = [(name, _cup) for name in tournaments.names(tx)]
        shown += [(name, _ladder) for name in ladders.names(tx)]
        for name, show in shown:
            try:
                show(tx, name)
            except Refusal as refusal:
                yield say("{name}: {why}", name=name, why=refusal.messages[0])
            except Exception as fault:  # whatever its rows hold
                kind = type(fault).__name__
                yield say("{name}: its table cannot be shown ({kind})", name=name, kind=kind)


def _cup(tx: Tx, name: str) -> None:
    found = tournament.find(tx, name)
    game_of_club(found.row.game)  # without it a restored club cannot go on
    showing.as_text(found, str)
    showing.as_json(found)


def _ladder(tx: Tx, name: str) -> None:
    found = ladder_tables.table(tx, of_club.find(tx, name))
    game_of_club(found.row.game)
    ladder_tables.as_text(found, str)


def _parts(store: Store, archive: Path, at: Paths) -> Iterator[Message]:
    """Yield what is missing or wrong beside the database."""
    if not at.key.exists():
        yield say("there is no key in {path}", path=str(archive))
    else:
        with store.reading() as tx:
            known = keys.load_known_keys(tx)
        if not known.has(keys.read(at.key)):
            yield say("the key in {path} is not this club's", path=str(archive))
    content = backup.configuration_in(archive)
    if content is None:
        yield say("there is no configuration in the archive; defaults are used")
    else:
        try:
            config.read(content, archive / backup.CONFIG)
        except config.ConfigTrouble as trouble:
            yield trouble.message


_UNITS = (("days", 86400), ("hours", 3600), ("minutes", 60))


def shown_age(found: Drilled) -> str:
    """Say how old a backup is, in the largest unit of which it has two or more."""
    for name, seconds in _UNITS:
        if found.age >= 2 * seconds:
            return f"{found.age // seconds} {name}"
    return f"{found.age} seconds"


def plain(found: Drilled) -> dict[str, object]:
    """Return the same as scripts read it; times are RFC 3339."""
    ticked, told = found.last_tick, structs.asdict(found)
    del told["verified"]
    return {
        **told,
        "saved": rfc3339(found.saved),
        "last_tick": rfc3339(ticked) if ticked else None,
    }
