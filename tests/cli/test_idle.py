"""The quick look before a tick says that there is nothing to do only where the whole tick does
nothing and says nothing."""

import random
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from adjudicator.cli import idle as look
from adjudicator.cli.shell import Session
from adjudicator.config import ConfigTrouble
from adjudicator.service.inbound import collecting
from adjudicator.service.matches import outage
from adjudicator.store import clubs
from tests.program import Adjud

LATER = "2026-11-21 12:20:00"
DOMAIN = '[mail]\ndomain = "play.example.org"\n'

Change = Callable[[Adjud], object]


@pytest.fixture
def idle(idle: Adjud, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return a club by mail that has had letters, in which nothing is due; the look finds it by
    the environment, as under cron."""
    assert in_database(idle, "SELECT count(*) FROM letter") == (1,)
    for name, value in idle.env.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    return idle


def in_database(adjud: Adjud, statement: str, *values: object) -> object:
    with closing(sqlite3.connect(adjud.file)) as database, database:
        return database.execute(statement, values).fetchone()


def sees_nothing(config: str | None = None, database: str | None = None, at: str = LATER) -> bool:
    session = Session(config, database)
    session.now = datetime.fromisoformat(at).replace(tzinfo=UTC)
    try:
        return look.nothing_due(session)
    except ConfigTrouble:
        return False


def is_silent(adjud: Adjud, *words: str) -> bool:
    """Return whether the whole tick says nothing, ends well and leaves all as it was."""
    before = everything(adjud)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(look, "nothing_due", lambda _: False)
        answer = adjud(*(words or ("tick",)), at=LATER)
    return answer == (0, "", "") and everything(adjud) == before


def everything(adjud: Adjud) -> object:
    """Return all rows, and all files but the database's own."""
    files = {path: path.read_bytes() for path in adjud.folder.rglob("*") if path.is_file()}
    others = {path: content for path, content in files.items() if "adjud.db" not in path.name}
    try:
        return adjud.dump(), others
    except sqlite3.Error as trouble:
        return str(trouble), others


def sql(statement: str, *values: object) -> Change:
    return lambda adjud: in_database(adjud, statement, *values)


def settings(text: str | bytes) -> Change:
    return lambda adjud: adjud.write("adjud.toml", text)


def mail(line: str) -> Change:
    return settings(f"{DOMAIN}{line}\n")


def at_home(name: str, content: bytes | None) -> Change:
    """Write a file in the user's data folder, or delete it."""

    def change(adjud: Adjud) -> None:
        path = adjud.folder / "data/adjud" / name
        path.unlink() if content is None else path.write_bytes(content)

    return change


def overwritten(at: int, content: bytes) -> Change:
    def change(adjud: Adjud) -> None:
        with closing(sqlite3.connect(adjud.file)) as database:
            database.execute("PRAGMA journal_mode=DELETE")
        with adjud.file.open("r+b") as file:
            file.seek(at)
            file.write(content)

    return change


DUE = "2026-11-21T12:20:00.000000Z"

BUSY: dict[str, Change] = {
    "a match is due": sql("UPDATE match SET wake_at = ?", DUE),
    "a match was due long ago": sql("UPDATE match SET wake_at = '2026-11-01T12:00:00.000000Z'"),
    "a letter lies in the spool": lambda adjud: adjud.came("white", "HELP"),
    "a letter was cut off in the spool": at_home("spool/tmp/x", b""),
    "the spool is nobody's": at_home("spool/club", None),
    "the spool is another club's": at_home("spool/club", b"another\n"),
    "a letter is to be read": sql("UPDATE letter SET status = 'received'"),
    "a letter is put off": sql("UPDATE letter SET status = 'received', again_at = '2026-11-22'"),
    "letters came to nobody's address": sql("UPDATE club SET unsigned = 1"),
    "a letter is to go out": sql("UPDATE outbox SET status = 'waiting', next_at = ?", DUE),
    "bytes are to be forgotten": sql(
        "UPDATE letter SET received_at = '2026-09-22T12:19:59.999999Z'"
    ),
    "no tick was noted": sql("UPDATE clock SET last_tick_at = NULL"),
    "a tick is to be noted": sql("UPDATE clock SET last_tick_at = '2026-11-21T11:20:00.000000Z'"),
    "the clock went back": sql("UPDATE clock SET last_tick_at = '2026-11-21T12:30:00.000001Z'"),
    "a tick is to be noted sooner": lambda adjud: (
        settings(f'{DOMAIN}[clock]\nmax_gap = "1 hour"\n')(adjud),
        in_database(adjud, "UPDATE clock SET last_tick_at = '2026-11-21T12:05:00.000000Z'"),
    ),
    "a letter was put off by a clock that ran ahead": sql(
        "UPDATE outbox SET status = 'waiting', next_at = '2026-11-23T12:20:00.000001Z'"
    ),
    "the database is older": sql("UPDATE alembic_version SET version_num = '0010'"),
    "the database is newer": sql("UPDATE alembic_version SET version_num = '9999'"),
    "the database has no age": sql("DELETE FROM alembic_version"),
    "the database is no adjud's": sql("DROP TABLE alembic_version"),
    "a table is missing": sql("DROP TABLE clock"),
    "the database is no database": overwritten(0, b"no database at all"),
    "the database is damaged": overwritten(100, bytes(4000)),
    "the database is empty": lambda adjud: (adjud.file.unlink(), adjud.file.touch()),
    "the database is missing": lambda adjud: adjud.file.unlink(),
    "the key is missing": at_home("adjud.key", None),
    "the key is another's": at_home("adjud.key", b"k1 " + b"00" * 32 + b"\n"),
    "the key is damaged": at_home("adjud.key", b"k1\n"),
    "the key is too short": at_home("adjud.key", b"k1 00\n"),
    "the key is no text": at_home("adjud.key", b"\xff\n"),
    "the domain is another": settings('[mail]\ndomain = "other.example.org"\n'),
    "the domain is missing": settings(""),
    "letters are fetched": mail('fetch = "maildir:/nowhere"'),
    "a setting is unknown": mail('spol = "x"'),
    "a part is unknown": settings(f"{DOMAIN}[mial]\n"),
    "a name has a dot": settings(f'"mail.user" = "x"\n{DOMAIN}'),
    "a part is no part": settings("clock = 1\n"),
    "a text is a number": mail("user = 5"),
    "a number is a text": settings(f'absence_days = "5"\n{DOMAIN}'),
    "a number is a truth": settings(f"absence_days = true\n{DOMAIN}"),
    "a number is below 0": settings(f"{DOMAIN}[clock]\nmax_silent = -1\n"),
    "the zone is none": settings(f'timezone = "Europe/Olso"\n{DOMAIN}'),
    "the gap is none": settings(f'{DOMAIN}[clock]\nmax_gap = "soon"\n'),
    "the operator is no address": settings(f'operator = "me"\n{DOMAIN}'),
    "the user is too long": mail(f'user = "{"x" * 16}"'),
    "the delimiter is none": mail('delimiter = "x"'),
    "the way out is none": mail('out = "carrier pigeons"'),
    "the pictures are none": mail('pictures = "some"'),
    "the selector is none": mail('dkim_selector = "-"'),
    "the hosts are none": mail('authserv_hosts = "-"'),
    "the settings are no TOML": settings("mail = ["),
    "the settings are no text": settings(b"\xff"),
    "the settings are missing": lambda adjud: (adjud.folder / "adjud.toml").unlink(),
}


def test_with_nothing_to_do_both_are_silent(idle: Adjud) -> None:
    assert sees_nothing()
    assert is_silent(idle)


# The look takes no risk here: a tick would read a letter as soon as its time comes, and sweep what
# is older.
LEFT_THOUGH_SILENT = {
    "a letter was cut off in the spool",
    "a letter is put off",
}


@pytest.mark.parametrize("situation", BUSY)
def test_what_a_tick_has_to_do_or_to_say_is_left_to_it(idle: Adjud, situation: str) -> None:
    BUSY[situation](idle)
    assert not sees_nothing()
    assert is_silent(idle) == (situation in LEFT_THOUGH_SILENT)


NOT_YET: dict[str, Change] = {
    "a match is due soon": sql("UPDATE match SET wake_at = '2026-11-21T12:20:00.000001Z'"),
    "a letter waits": sql(
        "UPDATE outbox SET status = 'waiting', next_at = '2026-11-21T12:20:00.000001Z'"
    ),
    "a letter is put off for days": sql(
        "UPDATE outbox SET status = 'waiting', next_at = '2026-11-23T12:20:00.000000Z'"
    ),
    "something hidden lies in the spool": at_home("spool/new/.x", b""),
    "a letter is stuck": sql("UPDATE letter SET status = 'stuck'"),
    "letters are kept": sql("UPDATE outbox SET status = 'kept', next_at = NULL"),
    "bytes of a stuck letter are kept": sql(
        "UPDATE letter SET status = 'stuck', received_at = '2026-01-01T00:00:00.000000Z'"
    ),
    "bytes are forgotten": sql(
        "UPDATE letter SET raw = x'', received_at = '2026-01-01T00:00:00.000000Z'"
    ),
    "bytes are remembered": sql("UPDATE letter SET received_at = '2026-09-22T12:20:00.000000Z'"),
    "a tick was noted": sql("UPDATE clock SET last_tick_at = '2026-11-21T11:20:00.000001Z'"),
    "the clock went back a little": sql(
        "UPDATE clock SET last_tick_at = '2026-11-21T12:30:00.000000Z'"
    ),
    "no match waits and no tick is noted": lambda adjud: (
        in_database(adjud, "UPDATE match SET wake_at = NULL"),
        in_database(adjud, "UPDATE clock SET last_tick_at = NULL"),
    ),
    "the spool was never made": lambda adjud: (adjud.folder / "data/adjud/spool").rename(
        adjud.folder / "elsewhere"
    ),
    "all is set": settings(
        'timezone = "Europe/Oslo"\noperator = "games@example.org"\nabsence_days = 0\n'
        '[clock]\nmax_gap = "90 minutes"\nmax_silent = 3\n'
        f'{DOMAIN}user = "adjud"\ndelimiter = "-"\nout = "smtp://me@mx.example.org:587"\n'
        'password_file = "/nowhere"\npictures = "never"\ndkim_selector = "mail"\n'
        'authserv_id = "mx.example.org"\n'
        '[club]\nname = "The Friday Club"\ngame_master = "Gerda"\ncontact = "gm@example.org"\n'
    ),
}


@pytest.mark.parametrize("change", NOT_YET.values(), ids=NOT_YET)
def test_what_is_not_due_keeps_the_whole_tick_away(idle: Adjud, change: Change) -> None:
    change(idle)
    assert sees_nothing()
    assert is_silent(idle)


def test_a_club_without_letters_is_looked_at_as_well(
    playing: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ADJUD_CONFIG", "ADJUD_DATABASE"):
        monkeypatch.setenv(name, str(playing.env[name]))
    assert sees_nothing()
    assert is_silent(playing)
    assert not sees_nothing(at="2026-11-24 12:00:00")


def test_without_a_configuration_the_users_own_places_are_looked_at(
    adjud: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    adjud.env |= {"ADJUD_CONFIG": None, "ADJUD_DATABASE": None}
    adjud.does("init")
    assert sees_nothing()
    assert is_silent(adjud)


def test_the_club_of_the_nearest_folder_above_is_looked_at(
    adjud: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    adjud.env |= {"ADJUD_CONFIG": None, "ADJUD_DATABASE": None}
    adjud.does("init", "club")
    below = adjud.folder / "club" / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert sees_nothing()
    assert is_silent(adjud)
    with closing(sqlite3.connect(adjud.folder / "club/adjud.db")) as database:
        database.execute("UPDATE club SET domain = 'play.example.net'")
        database.commit()
    assert not sees_nothing()


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        (("tick",), True),
        (("tick", "--quiet"), True),
        (("tick", "--folder", "out"), True),
        (("--config", "adjud.toml", "tick"), True),
        (("tick", "--match", "espionage-1"), False),
        (("status",), False),
        (("submit", "--tick", "-"), False),
    ],
)
def test_a_tick_of_all_matches_looks_first(
    idle: Adjud, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], asks: bool
) -> None:
    monkeypatch.chdir(idle.folder)
    asked: list[Session] = []

    def nothing_due(session: Session) -> bool:
        asked.append(session)
        return True

    monkeypatch.setattr(look, "nothing_due", nothing_due)
    idle(*words, at="2026-11-24 12:00:00")
    assert bool(asked) == asks


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://x@localhost/adjud",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///adjud.db?mode=ro",
        "sqlite+pysqlite:///adjud.db",
        "sqlite:////",
        "adjud.db",
    ],
)
def test_a_database_that_is_not_plainly_a_file_is_left_to_the_program(
    idle: Adjud, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(idle.folder)
    assert sees_nothing(database="sqlite:///adjud.db")
    assert not sees_nothing(database=url)


def test_a_spool_that_is_no_folder_is_left_to_the_program(
    idle: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJUD_SPOOL", str(idle.folder / "adjud.toml"))
    assert not sees_nothing()


def test_a_locked_database_is_left_to_the_program_at_once(idle: Adjud) -> None:
    with closing(sqlite3.connect(idle.file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=DELETE")
        other.execute("BEGIN EXCLUSIVE")
        assert not sees_nothing()


def test_a_writer_does_not_stop_a_look(idle: Adjud) -> None:
    with closing(sqlite3.connect(idle.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE match SET wake_at = ?", (DUE,))
        assert sees_nothing()  # it is not stored yet
        other.execute("COMMIT")
        assert not sees_nothing()


MOMENTS = (None, *(f"2026-11-21T{at}Z" for at in ("11:19:59.5", "12:19:59.5", "12:20:00.5")))
MOVED = (
    ("match", "wake_at", MOMENTS),
    ("match", "status", ("playing", "held", "over")),
    ("match", "deadline_at", MOMENTS),
    ("seat", "forfeit_at", MOMENTS),
    ("match", "held_at", MOMENTS),
    ("player", "remind_at", MOMENTS),
    ("player", "confirmed_at", MOMENTS),
    ("outbox", "status", ("waiting", "sent", "kept", "stuck", "dropped", "unconfirmed")),
    ("outbox", "next_at", (*MOMENTS, "2026-11-23T12:19:59.5Z", "2026-11-23T12:20:00.5Z")),
    ("letter", "received_at", ("2026-09-22T12:19:59.000000Z", "2026-09-23T00:00:00.000000Z")),
    ("letter", "raw", (b"", b"x")),
    ("letter", "status", ("accepted", "stuck", "parked", "dropped")),
    ("clock", "last_tick_at", (*MOMENTS, "2026-11-21T12:31:00.000000Z")),
    ("club", "unsigned", (0, 0, 1)),
)


@pytest.mark.parametrize("number", range(25))
def test_where_a_tick_would_act_the_look_never_says_nothing(idle: Adjud, number: int) -> None:
    """Rows are changed at random, some of them into what no program writes."""
    draw = random.Random(number)
    for table, column, values in draw.sample(MOVED, 3):
        in_database(idle, f"UPDATE {table} SET {column} = ?", draw.choice(values))
    seen = sees_nothing()
    silent = is_silent(idle)
    assert silent or not seen


# What is read before anything is done, and the tables that are then asked for what is due.
READ_FIRST = {"alembic_version", "club"}
ASKED = {
    *("letter", "player", "joining", "past_epoch", "clock", "match", "seat", "outbox", "offer"),
    *("happening", "tournament", "challenge", "substitute_search", "guest"),
}


def test_a_tick_with_nothing_to_do_asks_only_what_the_quick_look_asks(idle: Adjud) -> None:
    """Whoever gives each tick something new to do must teach it to `cli/idle.py`, too."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        assert statement.startswith(("SELECT", "BEGIN")), statement
        asked.append(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        assert is_silent(idle)
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)
    tables = set(re.findall(r'(?:FROM|JOIN) "?(\w+)', "\n".join(asked)))
    assert tables == READ_FIRST | ASKED
    assert sum(statement.startswith("SELECT") for statement in asked) == 11


def test_the_quick_look_searches_indexes_and_goes_through_no_table(idle: Adjud) -> None:
    with closing(sqlite3.connect(idle.file)) as database:
        names = ("head", "domain", "now", "far", "old", "noted", "ahead")
        values = dict.fromkeys(names, DUE)
        plan = database.execute(f"EXPLAIN QUERY PLAN {look.QUESTION}", values).fetchall()
    small = {"alembic_version", "club", "clock"}  # tables of one row
    scanned = {detail.split()[1] for *_, detail in plan if detail.startswith("SCAN")}
    indexed = {detail.split()[1] for *_, detail in plan if "INDEX" in detail}
    assert indexed == {
        *("match", "letter", "outbox", "player", "joining", "past_epoch", "offer"),
        *("happening", "tournament", "pairing", "challenge", "substitute_search", "guest"),
    }
    assert scanned == small


def test_durations_are_those_of_the_tick() -> None:
    assert look.PRECISION == outage.PRECISION
    assert look.SLACK == outage.SLACK
    assert look.REMEMBERED == collecting.REMEMBERED
    assert look.FAR == clubs.FAR


@pytest.mark.slow
def test_a_tick_with_nothing_to_do_imports_no_library_of_databases_or_templates(
    idle: Adjud,
) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    in_database(idle, "UPDATE match SET wake_at = '2999-01-01T00:00:00.000000Z'")
    in_database(idle, "UPDATE clock SET last_tick_at = ?", now)
    listing = (
        "import sys; from adjudicator.__main__ import main\n"
        "sys.argv = ['adjud', 'tick', '--quiet']\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "print(*sys.modules)"
    )

    def loaded() -> set[str]:
        done = subprocess.run([sys.executable, "-c", listing], capture_output=True, check=True)
        return set(done.stdout.decode().split())

    idle.write(
        "adjud.toml",
        f'timezone = "Europe/Oslo"\n[clock]\nmax_gap = "3 days"\n{DOMAIN}out = "sendmail"\n',
    )
    heavy = {"sqlalchemy", "jinja2", "adjudicator.games", "adjudicator.service.ops.tick"}
    before = everything(idle)
    assert not loaded() & heavy
    assert everything(idle) == before
    in_database(idle, "UPDATE match SET wake_at = ?", now)
    assert loaded() > heavy
    assert everything(idle) != before
