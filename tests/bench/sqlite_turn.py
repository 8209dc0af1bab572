"""A turn's transaction, against the same rows written with `sqlite3` alone; and a whole
`advance`."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from adjudicator.service.base.context import Context
from adjudicator.service.matches.adjudication import advance_first
from adjudicator.store import matches, outbox, submissions, turns
from adjudicator.store.database import Store
from tests.bench.matches import MATCH, OPENED, begin, open_club, submit
from tests.bench.measuring import Row, in_turns, milliseconds, scaled


class Turn(Struct, frozen=True):
    """The rows that the last turn of a match wrote, each as a mapping by column names."""

    turn: Mapping[str, Any]
    events: Sequence[str]
    reports: Sequence[Mapping[str, Any]]
    letters: Sequence[Mapping[str, Any]]


def rows(scale: float) -> Iterator[Row]:
    rounds = scaled(300, scale, least=3)
    own, whole, other = _medians(rounds, "FULL")
    yield Row(
        name="a turn's transaction (the same rows by sqlite3)",
        ours=milliseconds(own),
        theirs=milliseconds(other),
        ratio=own / other,
        most=3,
    )
    yield Row(
        name="  the whole step: loads, rules and reports too",
        ours=milliseconds(whole),
        theirs=milliseconds(other),
        ratio=whole / other,
    )
    own, whole, other = _medians(rounds, "OFF")
    yield Row(
        name="  the transaction without waiting for the disk",
        ours=milliseconds(own),
        theirs=milliseconds(other),
        ratio=own / other,
    )
    yield Row(
        name="  the whole step without waiting for the disk",
        ours=milliseconds(whole),
        theirs=milliseconds(other),
        ratio=whole / other,
    )


def _medians(rounds: int, synchronous: str) -> list[float]:
    """Return the medians of our transaction, of a whole `advance`, and of the same rows by hand."""
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(TemporaryDirectory())) for _ in range(3)]
        stores = []
        for folder in folders:
            _, store = open_club(folder)
            stores.append(stack.enter_context(closing(store)))
            begin(store)
            submit(store)
            advance_first(store, [MATCH], now=OPENED, context=Context())
            with closing(store.engine.raw_connection()) as pooled:
                pooled.cursor().execute(f"PRAGMA synchronous={synchronous}")
        raw = stack.enter_context(closing(connection(folders[2], synchronous)))
        works = (_Ours(stores[0], read(raw)), _Whole(stores[1]), _Theirs(raw))
        writes = [work.write for work in works]
        return in_turns(rounds, *writes, before=lambda: [work.prepare() for work in works])


def connection(folder: Path, synchronous: str) -> sqlite3.Connection:
    """Open a connection with the same settings as ours."""
    made = sqlite3.connect(folder / "adjud.db", isolation_level=None)
    for pragma in ("foreign_keys=1", "busy_timeout=15000", f"synchronous={synchronous}"):
        made.execute(f"PRAGMA {pragma}")
    assert made.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    return made


def read(raw: sqlite3.Connection) -> Turn:
    def found(table: str, what: str = "*") -> list[dict[str, Any]]:
        cursor = raw.execute(
            f"SELECT {what} FROM {table} WHERE match_id = 1"
            " AND ply = (SELECT max(ply) FROM turn) ORDER BY rowid"
        )
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    letters = found("outbox")
    for letter in letters:
        del letter["id"]
    (turn,) = found("turn")
    bodies = [event["body"] for event in found("event")]
    return Turn(turn, bodies, found("report"), letters)


class _Ours:
    """The writes of `append_ply.append`, with rows that are known already."""

    def __init__(self, store: Store, turn: Turn) -> None:
        self.store = store
        self.ply = turn.turn["ply"]
        at = {"adjudicated_at": OPENED}
        self.turn = {key: turn.turn[key] for key in ("turn", "cause", "snapshot")} | at
        self.events = turn.events
        kept = ("seat", "turn", "tenure", "body")
        self.reports = [{key: report[key] for key in kept} for report in turn.reports]
        self.letters = [
            {"kind": letter["kind"], "seat": letter["seat"], "player_id": letter["player_id"]}
            for letter in turn.letters
        ]

    def prepare(self) -> None:
        self.ply += 1
        sheet = submissions.NewSheet(
            match_id=1,
            ply=self.ply,
            seat="white",
            received_at=OPENED,
            channel="file",
            lines=["a1-a2"],
            text="",
        )
        with self.store.transaction() as tx:
            submissions.store(tx, sheet)

    def write(self) -> None:
        ply = self.ply
        with self.store.transaction() as tx:
            submissions.close(tx, 1, ply, ["white"], "used")
            matches.update_seats(tx, 1, ["white"], ordered_ply=ply)
            turns.append(tx, 1, turns.Ply(ply=ply, **self.turn), self.events)
            changes = {"deadline_at": None, "wake_at": OPENED, "trouble": None}
            matches.update(tx, 1, ply=ply, turn=1, status="playing", **changes)
            reports = [turns.StoredReport(ply=ply, **report) for report in self.reports]
            turns.put_reports(tx, 1, reports)
            outbox.put(
                tx, [self._letter(ply, letter) for letter in self.letters], OPENED, sends_mail=False
            )

    @staticmethod
    def _letter(ply: int, letter: Mapping[str, Any]) -> outbox.OutgoingLetter:
        key = f"{MATCH}/{ply}/{letter['seat']}/report"
        return outbox.OutgoingLetter(key=key, match_id=1, ply=ply, **letter)


class _Theirs:
    """Write the same rows by hand."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self.raw = raw
        self.told = read(raw)
        self.ply = self.told.turn["ply"]
        self.at = text(OPENED)

    def prepare(self) -> None:
        self.ply += 1
        self.raw.execute(
            "INSERT INTO submission"
            " (match_id, ply, seat, revision, received_at, channel, text, orders, status)"
            " VALUES (1, ?, 'white', 1, ?, 'file', '', '[\"a1-a2\"]', 'in force')",
            (self.ply, self.at),
        )

    def write(self) -> None:
        ply, execute, many = self.ply, self.raw.execute, self.raw.executemany
        close = (
            "UPDATE submission SET status = ? WHERE match_id = 1 AND ply = ?"
            " AND seat = 'white' AND status = 'in force'"
        )
        execute("BEGIN IMMEDIATE")
        execute(close, ("used", ply))
        execute("UPDATE seat SET ordered_ply = ? WHERE match_id = 1 AND name = 'white'", (ply,))
        self._insert("turn", [{**self.told.turn, "ply": ply}])
        many(
            "INSERT INTO event (match_id, ply, seq, body) VALUES (1, ?, ?, ?)",
            [(ply, seq, body) for seq, body in enumerate(self.told.events, start=1)],
        )
        execute(
            "UPDATE match SET ply = ?, turn = 1, status = 'playing', deadline_at = NULL,"
            " trouble = NULL, wake_at = ? WHERE id = 1",
            (ply, self.at),
        )
        self._insert("report", [{**report, "ply": ply} for report in self.told.reports])
        letters = self.told.letters
        keys = [f"{MATCH}/{ply}/{letter['seat']}/report" for letter in letters]
        self._insert(
            "outbox",
            [{**letter, "ply": ply, "key": key} for letter, key in zip(letters, keys, strict=True)],
        )
        execute("COMMIT")

    def _insert(self, table: str, made: Sequence[Mapping[str, Any]]) -> None:
        names = made[0].keys()
        values = ", ".join(f":{name}" for name in names)
        self.raw.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})", made)


class _Whole:
    """Run `advance` itself, in one match after the other."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.number = 1
        self.name = MATCH

    def prepare(self) -> None:
        with self.store.reading() as tx:
            match = matches.find(tx, self.name)
        if match is not None and match.status == "over":
            self.number += 1
            self.name = f"espionage-{self.number}"
            begin(self.store, self.name)
        submit(self.store, self.name)

    def write(self) -> None:
        assert advance_first(self.store, [self.name], now=OPENED, context=Context())


def text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
