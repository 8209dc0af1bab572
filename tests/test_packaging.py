"""The program as it is shipped: sdist and wheel, installed where there is no checkout.

By day it is installed once, by the first line of the README, and plays. Games of other packages and
other ways to build and install it are tried by night.
"""

import csv
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import adjudicator
from adjudicator.resources import folder
from tests.nightly import NIGHT
from tests.test_readme import INSTALL, commands, matches, run_line

pytestmark = pytest.mark.real

EXAMPLES = ("goofspiel", "battleships")  # packages of examples/games
CHECKOUT = Path(adjudicator.__file__).parents[1]
NOT_OURS = shutil.ignore_patterns(".*_cache", ".git", ".venv", ".hypothesis", "dist", "*.mo")


def run(*command: str | Path, cwd: Path | str = "/", **environment: str) -> str:
    """Run a command that must not fail; return what it printed."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ADJUD")}
    found = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the checkout as it is fetched, with nothing that was made in it."""
    target = tmp_path_factory.mktemp("source") / "adjud"
    shutil.copytree(CHECKOUT, target, ignore=NOT_OURS)
    return target


@pytest.fixture(scope="module")
def first_line(source: Path) -> str:
    """Return what the first command line of the README prints in a checkout."""
    ((command, _),) = commands(INSTALL)
    return run_line(command, source)


@pytest.fixture(scope="module")
def installed(source: Path, first_line: str) -> Path:
    """Return the programs of the environment that it makes, which holds the program and what it
    asks for."""
    assert first_line
    return source / ".venv" / "bin"


@pytest.fixture(scope="module")
def files(installed: Path) -> dict[str, Path]:
    """Return what the wheel has put into its folder, without what was compiled or noted there."""
    (record,) = installed.parent.rglob("adjud-*.dist-info/RECORD")
    folder = record.parents[1]
    with record.open() as rows:
        names = [name for name, *_ in csv.reader(rows)]
    return {name: folder / name for name in names if not name.endswith(".pyc")}


@pytest.fixture(scope="module")
def built(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sdist and the wheel that is built from it."""
    target = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", target, source)
    return target


@pytest.fixture(scope="module")
def by_pipx(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of another environment, into which pipx has installed the wheel."""
    home = tmp_path_factory.mktemp("home")
    (wheel,) = built.glob("*.whl")
    run(sys.executable, "-m", "pipx", "install", "--quiet", wheel, **pipx(home))
    return home / "pipx" / "venvs" / "adjud" / "bin"


def home_of(by_pipx: Path) -> Path:
    return by_pipx.parents[3]


def pipx(home: Path) -> dict[str, str]:
    """Return what keeps pipx in a folder."""
    places = {"PIPX_HOME": "pipx", "PIPX_BIN_DIR": "bin", "PIPX_MAN_DIR": "man", "HOME": "."}
    return {
        **{name: str(home / place) for name, place in places.items()},
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
    }


def files_of(wheel: Path) -> dict[str, int]:
    """Return names and checksums, without those that describe the wheel itself."""
    with zipfile.ZipFile(wheel) as archive:
        found = {entry.filename: entry.CRC for entry in archive.infolist()}
    return {name: crc for name, crc in found.items() if not name.endswith("/RECORD")}


def test_the_first_command_line_installs_and_plays_a_whole_match(
    source: Path, first_line: str
) -> None:
    ((_, expected),) = commands(INSTALL)
    assert matches(expected, first_line), first_line
    for page in ("index.html", "reports/white-final.html", "reports/black-000.html", "demo.esp"):
        assert (source / "demo" / page).is_file()


@NIGHT
def test_the_wheel_from_the_sdist_is_the_wheel_from_the_checkout(
    source: Path, built: Path, tmp_path: Path
) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, source)
    (direct,) = tmp_path.glob("*.whl")
    (wheel,) = built.glob("*.whl")
    assert files_of(direct) == files_of(wheel)


def test_the_wheel_holds_everything_that_the_program_reads(files: Mapping[str, Path]) -> None:
    for path in (CHECKOUT / "migrations").rglob("*.py"):
        assert f"adjudicator/_migrations/{path.relative_to(CHECKOUT / 'migrations')}" in files
    for path in (CHECKOUT / "templates").rglob("*.j2"):
        assert f"adjudicator/_templates/{path.relative_to(CHECKOUT / 'templates')}" in files
    package = CHECKOUT / "adjudicator"
    for kind in ("*.py", "*.lark", "*.json"):
        for path in package.rglob(kind):
            assert f"adjudicator/{path.relative_to(package)}" in files
    for name in ("docs", "examples"):
        for path in (CHECKOUT / name).rglob("*.*"):
            own = path.is_relative_to(CHECKOUT / "examples/games")  # packages of their own
            if own or path.suffix == ".pyc":
                continue
            assert f"adjudicator/_{name}/{path.relative_to(CHECKOUT / name)}" in files
    assert "adjudicator/py.typed" in files
    for path in package.rglob("*.po"):
        assert f"adjudicator/{path.relative_to(package).with_suffix('.mo')}" in files


def test_the_wheel_holds_nothing_else(files: Mapping[str, Path]) -> None:
    program = ".py .mo .lark .js .json .j2 .mako .toml .svg .css .ttf .txt .typed"
    books = ".md .html .png .eml .esp .spion .spies .service .path .timer .1 .yaml .dockerignore"
    kinds = {*program.split(), *books.split(), ""}
    for name in files:
        assert name.startswith(("adjudicator/", "adjud-", "../../../bin/", "../../../share/man/"))
        ours = Path(name.replace("_once/tests/", "/").replace("by_turns/tests/", "/"))
        parts = [part for part in ours.parts if part != ".."]
        assert not any(part.startswith((".", "tests")) for part in parts), name
        assert ".dist-info/" in name or Path(name).suffix in kinds, name


@NIGHT
def test_the_sdist_holds_what_is_needed_to_test_it(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"pyproject.toml", "hatch_build.py", "README.md", "tests/conftest.py"}
    assert wanted <= names
    assert not any(part.startswith("._") for name in names for part in name.split("/"))
    assert not any("_cache" in name or ".hypothesis" in name for name in names)


@NIGHT
def test_an_installed_program_plays_from_any_folder(installed: Path, tmp_path: Path) -> None:
    """Migrations, grammar, templates and catalogues are all found inside the wheel."""
    home = {
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "ADJUD_CONFIG": str(tmp_path / "adjud.toml"),
    }

    def adjud(*words: str) -> str:
        url = f"sqlite:///{tmp_path / 'adjud.db'}"
        return run(installed / "adjud", "--database", url, *words, **home)

    adjud("init")
    adjud("player", "add", "Åse", "aase@example.org", "--language", "nb", "--confirmed")
    adjud(
        "new", "espionage", "--variant", "small", "--seat", "white=Åse", "--seat", "black=computer"
    )
    sheet = tmp_path / "orders.txt"
    sheet.write_text("ORDRE espionage-1 hvit\nOPPSTILLING TILFELDIG\nSLUTT\n", "utf-8")
    adjud("submit", str(sheet))
    assert "adjudicated" in adjud("tick")
    assert "agree" in adjud("verify")
    page = adjud("report", "espionage-1", "white", "--format", "html")
    assert '<html lang="nb"' in page
    assert "Minerydder" in page
    text = adjud("report", "espionage-1", "white")
    assert text
    assert adjud("doctor").count("BAD") == 0


def test_a_file_that_is_not_as_it_was_installed_is_named(installed: Path, tmp_path: Path) -> None:
    """A script of a page, which no check of templates would miss, is cut off and then gone."""
    url, folders = f"sqlite:///{tmp_path / 'adjud.db'}", ("XDG_DATA_HOME", "XDG_CONFIG_HOME")
    home = {"HOME": str(tmp_path), "PATH": "/usr/bin", **dict.fromkeys(folders, str(tmp_path))}
    run(installed / "adjud", "--database", url, "init", **home)
    (script,) = installed.parent.rglob("_templates/shared/bar.js")
    whole = script.read_bytes()
    told = f"BAD {script}: this part of the program is missing or damaged; reinstall adjud\n"

    def doctor() -> str:
        words = [installed / "adjud", "--database", url, "doctor", "--quiet"]
        return subprocess.run(words, cwd="/", env=home, capture_output=True, text=True).stdout

    script.write_bytes(whole[:1000])
    assert doctor() == told
    script.unlink()
    assert doctor() == told
    script.write_bytes(whole)
    assert doctor() == ""


def test_the_installed_program_is_the_one_that_was_built(installed: Path) -> None:
    code = "import adjudicator as a; print(a.__file__, a.__version__)"
    place, version = run(installed / "python", "-c", code).split()
    assert Path(place).is_relative_to(installed.parent)
    assert version == adjudicator.__version__
    assert f"version {version}, schema " in run(installed / "adjud", "--version")
    assert version in run(installed / "python", "-m", "adjudicator", "--version")


def test_what_the_wheel_asks_for_is_complete(installed: Path) -> None:
    """Every module can be imported with nothing but the declared dependencies."""
    code = (
        "import pkgutil, importlib, adjudicator\n"
        "for m in pkgutil.walk_packages(adjudicator.__path__, 'adjudicator.'):\n"
        "    if not m.name.endswith('__main__') and '._' not in m.name:\n"
        "        importlib.import_module(m.name)\n"
    )
    run(installed / "python", "-W", "error", "-c", code)
    run(installed / "python", "-m", "pip", "check")


@NIGHT
@pytest.mark.parametrize("words", [(), ("--simultaneous",)], ids=["by turns", "at once"])
def test_a_new_game_needs_no_checkout(
    words: tuple[str, ...], installed: Path, tmp_path: Path
) -> None:
    run(installed / "adjud", "game", "new", "tides", *words, cwd=tmp_path)
    told = run(installed / "adjud", "game", "check", "tides", cwd=tmp_path / "tides")
    assert told.endswith(" checks, nothing wrong\n")


@NIGHT
def test_a_new_game_is_installed_and_played(by_pipx: Path, tmp_path: Path) -> None:
    adjud, club = by_pipx / "adjud", tmp_path / "club"
    run(adjud, "game", "new", "tides", cwd=tmp_path)
    run(
        sys.executable,
        "-m",
        "pipx",
        "inject",
        "adjud",
        tmp_path / "tides",
        **pipx(home_of(by_pipx)),
    )
    assert "tides" in run(adjud, "games")
    run(adjud, "init", club)
    run(adjud, "player", "add", "Anna", "anna@example.org", "--confirmed", cwd=club)
    seats = ("--seat", "cross=Anna", "--seat", "nought=computer")
    run(adjud, "new", "tides", *seats, cwd=club)
    sheet = tmp_path / "orders.txt"
    sheet.write_text("ORDERS tides-1 cross\nCLAIM b2\nEND\n")
    run(adjud, "submit", sheet, cwd=club)
    run(adjud, "tick", cwd=club)
    assert "You marked b2." in run(adjud, "report", "tides-1", "cross", cwd=club)
    run(sys.executable, "-m", "pipx", "uninject", "adjud", "adjud-tides", **pipx(home_of(by_pipx)))


@NIGHT
def test_the_example_packages_are_installed_beside_it_and_played(
    installed: Path, source: Path, tmp_path: Path
) -> None:
    """The packages of `examples/games/` are copied out of the checkout. Their games are found by
    entry points, checked and played, and a record is played again."""
    home = {
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "ADJUD_CONFIG": str(tmp_path / "adjud.toml"),
    }

    def adjud(*words: str) -> str:
        url = f"sqlite:///{tmp_path / 'adjud.db'}"
        return run(installed / "adjud", "--database", url, *words, **home)

    def send(*lines: str) -> None:
        sheet = tmp_path / "orders.txt"
        sheet.write_text("\n".join((*lines, "")), "utf-8")
        adjud("submit", str(sheet))
        assert "adjudicated" in adjud("tick")

    packages = [source / "examples/games" / name for name in EXAMPLES]
    run(installed / "python", "-m", "pip", "install", "--quiet", *packages)
    games = adjud("games")
    adjud("init")
    adjud("player", "add", "Åse", "aase@example.org", "--language", "nb", "--confirmed")
    for name in EXAMPLES:
        assert f"adjud-{name}" in games
        assert "nothing wrong" in adjud("game", "check", name, "--matches", "1")
        adjud("new", name, "--seat", "blue=Åse", "--seat", "red=computer")
    send("ORDRE goofspiel-1 blå", "BY 7", "SLUTT")
    send("ORDRE battleships-1 blå", "PLASSER tilfeldig", "SLUTT")
    send("ORDRE battleships-1 blå", "SKYT a1 b2 c3 d4 e5", "SLUTT")
    shots = json.loads(adjud("report", "battleships-1", "blue", "--format", "json"))["shots"]
    assert {*shots["blue"]} == {"a1", "b2", "c3", "d4", "e5"}
    assert len(shots["red"]) == 5
    page = adjud("report", "battleships-1", "blue", "--format", "html")
    assert "Trykk på rutene i salven din." in page
    for name in EXAMPLES:
        adjud("gm", "cancel", f"{name}-1", "--reason", "enough")
        record = tmp_path / f"{name}.txt"
        record.write_text(adjud("record", "export", f"{name}-1"), "utf-8")
        assert f"{name}-1" in adjud("record", "replay", str(record))
    assert "agree" in adjud("verify")
    assert adjud("doctor").count("BAD") == 0


def test_the_metadata_name_who_makes_it(files: Mapping[str, Path]) -> None:
    (metadata,) = (path.read_text() for name, path in files.items() if name.endswith("/METADATA"))
    assert "\nAuthor: The maintainers of adjud\n" in metadata
    assert "\nSummary: adjud, a play-by-email turn adjudicator" in metadata


def test_an_editable_install_reads_the_checkout() -> None:
    """These tests run so, if they run from a checkout at all."""
    found = importlib.metadata.distribution("adjud").read_text("direct_url.json")
    if not found or not json.loads(found).get("dir_info", {}).get("editable"):
        pytest.skip("the program under test is not an editable install")
    assert folder("migrations") == CHECKOUT / "migrations"
    assert folder("templates") == CHECKOUT / "templates"


@NIGHT
def test_pipx_puts_the_program_and_its_pages_where_they_are_found(by_pipx: Path) -> None:
    """This is the last test: it removes what the others use."""
    home = home_of(by_pipx)
    assert run(home / "bin" / "adjud", "--version").startswith("adjud, version ")
    page = run("man", "adjud-tick", MANPATH=str(home / "man"), MANWIDTH="80")
    assert "adjud-tick" in page
    assert "Do everything that is due" in page
    assert "EXIT STATUS" in run("man", "adjud", MANPATH=str(by_pipx.parent / "share" / "man"))
    run(sys.executable, "-m", "pipx", "uninstall", "adjud", **pipx(home))
    assert not any((home / "bin").iterdir())
    assert not any((home / "man").rglob("*.1"))
