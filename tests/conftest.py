"""Share among tests a database made by our own migrations, a fixed time, salts that are known."""

import gc
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import times
from tests.nightly import NIGHTLY

# The database's libraries take half a second: a test of a game that has none imports none.
if TYPE_CHECKING:
    from sqlalchemy.engine import URL

    from tests.club import Context, Store


def pytest_addoption(parser: pytest.Parser) -> None:
    help_ = "write what the program now says into examples/, to be read before it is kept"
    parser.addoption("--bless", action="store_true", help=help_)
    help_ = "write the processor time of each file that runs into tests/times.txt"
    parser.addoption("--times", action="store_true", help=help_)


IN_MEMORY = Path("/dev/shm")  # a folder that Linux keeps in memory
ENOUGH = 4 << 30  # bytes; in a container it may be as small as 64 MB


# The club of whoever runs the tests, or of the machine, is found by none of them. The folders' own
# conftest.py files import the program before `pytest_configure` is called.
NOBODYS = "/dev/null/nobody"  # a folder that nobody can make, not even root
OF_A_CLUB = ("ADJUD_CONFIG", "ADJUD_DATABASE", "ADJUD_SPOOL", "ADJUD__")
for variable in [one for one in os.environ if one.startswith(OF_A_CLUB)]:
    del os.environ[variable]
os.environ |= dict.fromkeys(("XDG_DATA_HOME", "XDG_CONFIG_HOME"), NOBODYS)
# Templates are compiled once, for all processes and the next run.
os.environ["XDG_CACHE_HOME"] = str(times.ROOT / ".pytest_cache")
os.environ["ADJUD_ETC"] = NOBODYS


def pytest_configure(config: pytest.Config) -> None:
    """Keep what tests write in memory, where a commit does not wait for a disk, and let the next
    run and the hundreds of programs that tests start find our modules compiled. A test that is
    named runs, however slow it is; so does whatever blesses."""
    named = is_named(config)
    by_itself = config.option.markexpr in config.getini("addopts")
    if by_itself and (named or config.getoption("bless")):
        config.option.markexpr = ""
    if config.getoption("times"):
        if named or config.option.markexpr or config.option.keyword:
            raise pytest.UsageError("--times takes whole files, with -m ''")
        config.pluginmanager.register(times.Times())
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    if IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > ENOUGH:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))


def is_named(config: pytest.Config) -> bool:
    """Return whether tests are asked for one by one."""
    return any("::" in argument for argument in config.args)


# The connections that the tests of one file have opened in this process, each with its test.
CONNECTIONS: list[tuple[sqlite3.Connection, str]] = []


def note_connections() -> None:
    """Note each connection that is opened to SQLite, by us or by SQLAlchemy."""
    connect = sqlite3.connect

    def noted(*words: Any, **more: Any) -> sqlite3.Connection:
        made = connect(*words, **more)
        CONNECTIONS.append((made, os.environ.get("PYTEST_CURRENT_TEST", "")))
        return made

    sqlite3.connect = sqlite3.dbapi2.connect = noted


note_connections()


def is_open(connection: sqlite3.Connection) -> bool:
    try:
        _ = connection.total_changes  # asks neither the file nor whose thread this is
    except sqlite3.ProgrammingError:
        return False
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, None, None]:
    """Fail with the last test of a file that leaves a database open. Python 3.13 warns of that, but
    not before it takes out the garbage, in whatever test that is."""
    yield
    if nextitem is None or nextitem.path != item.path:
        left = sorted({by for one, by in CONNECTIONS if is_open(one)})
        CONNECTIONS.clear()
        assert not left, f"a store or connection was not closed that these opened: {left}"


@pytest.fixture(scope="session")
def compiled_once() -> None:
    """Let all databases share the statements that are compiled."""
    from tests.compiled import share_compiled

    share_compiled()


NEEDS_ANOTHER_PROGRAM = frozenset({"postgres_server", "real", "imap", "wheel", "browser"})

# Its matches are played before any page is opened, which takes long even if a test opens none.
PAGES_TO_OPEN = "tests/browser/"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of a browser, a mail server or a database server, by their folder or by the
    fixtures that they use. Leave the nightly ones out where nobody asks for them."""
    for item in items:
        named = NEEDS_ANOTHER_PROGRAM & set(getattr(item, "fixturenames", ()))
        if named or item.nodeid.startswith(PAGES_TO_OPEN):
            item.add_marker(pytest.mark.real)
    if not (NIGHTLY or is_named(config) or "nightly" in config.option.markexpr):
        nightly = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=nightly)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
    if hasattr(config, "workerinput"):  # one of several at once, which take file after file
        from tests import schedule

        schedule.sort(items, times.read())


def pytest_collection_finish() -> None:
    """Let Python look seldom for garbage, and never among the thousands of tests: that took a
    twentieth of the time. What a test has left open is found all the same (`CONNECTIONS`)."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    if config.option.dist != "loadfile":
        return None
    from tests.schedule import ByShare

    return ByShare(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI nothing is skipped: what a test needs must be there."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {report.longrepr}"
    return report


EPOCH = "bcdfg"  # of every new club


def name_epoch(url: str) -> None:
    """Give a new club's first epoch, which the migration draws by lot, the name that tests know."""
    import sqlalchemy as sa

    from tests.database import open_store, tables

    made = open_store(url)
    with made.transaction() as tx:
        tx.execute(sa.update(tables.club).values(epoch=EPOCH))
    made.close()


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory, compiled_once: None) -> Path:
    """Return an empty SQLite database as the migrations leave it; migrating once is enough."""
    from tests.database import create

    path = tmp_path_factory.mktemp("migrated") / "adjud.db"
    create(f"sqlite:///{path}")
    name_epoch(f"sqlite:///{path}")
    return path


@pytest.fixture
def new_sqlite(migrated_file: Path, tmp_path: Path) -> Callable[[str], str]:
    """Return what makes an SQLite database of that name and returns its URL."""

    def made(name: str) -> str:
        path = tmp_path / f"{name}.db"
        shutil.copyfile(migrated_file, path)
        path.chmod(0o600)
        return f"sqlite:///{path}"

    return made


@pytest.fixture
def sqlite_url(new_sqlite: Callable[[str], str]) -> str:
    """Return the URL of a new SQLite database."""
    return new_sqlite("adjud")


@pytest.fixture(scope="session")
def postgres_server(compiled_once: None) -> "Iterator[URL]":
    """Start a PostgreSQL server. Without one its tests are skipped."""
    from tests import postgresql

    with postgresql.server() as url:
        if url is None:
            pytest.skip(postgresql.MISSING)
        yield url


@pytest.fixture(scope="session")
def migrated_postgres(postgres_server: "URL") -> "Iterator[URL]":
    from tests import postgresql
    from tests.database import create

    with postgresql.database(postgres_server) as url:
        create(postgresql.as_text(url))
        name_epoch(postgresql.as_text(url))
        yield url


@pytest.fixture
def postgres_url(postgres_server: "URL", migrated_postgres: "URL") -> Iterator[str]:
    """Return the URL of a new database on a PostgreSQL server."""
    from tests import postgresql

    with postgresql.database(postgres_server, migrated_postgres) as url:
        yield postgresql.as_text(url)


@pytest.fixture
def database(sqlite_url: str) -> str:
    """Return the URL of an empty database; tests/store overrides this to try every engine."""
    return sqlite_url


@pytest.fixture
def store(database: str, monkeypatch: pytest.MonkeyPatch) -> "Iterator[Store]":
    """Open a database in which the players' tokens are known: aaaaaaaaab, aaaaaaaaac and so on."""
    from tests.database import open_store, tables
    from tests.tokens import TOKENS

    TOKENS.given = 0
    monkeypatch.setattr(tables, "fresh_token", TOKENS.fresh)

    opened = open_store(database)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def skeleton() -> Iterator[None]:
    """Put the skeleton and the example packages in beside the games of the program."""
    from adjudicator.games import GAMES
    from tests.games.examples import EXAMPLES
    from tests.games.skeleton.game import SKELETON

    added = {SKELETON.slug: SKELETON, **EXAMPLES}
    GAMES.update(added)
    yield
    for slug in added:
        del GAMES[slug]


@pytest.fixture
def now() -> datetime:
    """Return Saturday 21 November 2026, 18:00 UTC."""
    return datetime(2026, 11, 21, 18, tzinfo=UTC)


@pytest.fixture
def context() -> "Context":
    """Return an environment with a way out for emails and always the same salt, so that bytes can
    be compared."""
    from tests.club import Context

    return Context(committer=lambda: "5a" * 32, sends_mail=True)
