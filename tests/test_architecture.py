"""The design's rules for the code, as tests.

They are about imports, style, types, and where chance, clocks and databases may be known at all.
"""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import adjudicator

PACKAGE = Path(adjudicator.__file__).parent
CHECKOUT = PACKAGE.parent
MODULES = sorted(PACKAGE.rglob("*.py"))
WORLD = {"time", "random", "secrets", "os", "io", "pathlib", "sqlite3", "socket", "logging"}


@pytest.mark.parametrize(
    "command",
    [
        ["-c", "from importlinter.cli import lint_imports_command as c; c(['--no-cache'])"],
        ["-m", "ruff", "check", "--no-cache", "."],
        ["-m", "ruff", "format", "--no-cache", "--check", "."],
        ["-m", "mypy"],
    ],
    ids=["import contracts", "ruff check", "ruff format", "mypy"],
)
def test_the_checkout_is_clean(command: list[str]) -> None:
    found = subprocess.run([sys.executable, *command], cwd=CHECKOUT, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imported(node: ast.AST) -> Iterator[str]:
    """Return the modules that a statement imports, and the names in them that may be modules."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def imports(path: Path) -> frozenset[str]:
    return frozenset(found for node in ast.walk(tree(path)) for found in imported(node))


def importers(module: str) -> set[str]:
    """Return the files that import a module or anything in it, wherever the statement is."""
    return {
        name(path)
        for path in MODULES
        if any(found == module or found.startswith(f"{module}.") for found in imports(path))
    }


def folders(files: set[str]) -> set[str]:
    return {file.partition("/")[0] for file in files}


PURE = [path for path in MODULES if name(path).startswith(("core/", "games/"))]


@pytest.mark.parametrize("path", PURE, ids=name)
def test_core_and_games_know_no_clock_no_dice_and_no_files(path: Path) -> None:
    for node in ast.walk(tree(path)):
        assert not {found.partition(".")[0] for found in imported(node)} & WORLD
        match node:
            case ast.Call(func=ast.Name(id=called)):
                assert called not in {"open", "input", "print", "eval", "exec", "__import__"}
            case ast.Attribute(attr=attribute):
                assert attribute not in {"now", "utcnow", "today", "getenv", "environ", "urandom"}


def test_the_clock_is_read_in_one_place() -> None:
    readers = {
        name(path)
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and node.attr in {"now", "utcnow", "today"}
        if isinstance(node.value, ast.Name) and node.value.id in {"datetime", "date"}
    }
    assert readers == {"cli/shell.py"}


def test_emails_are_queued_in_one_place() -> None:
    """But for the code to an address that the operator has entered, which is of no session."""
    writers = {
        name(path)
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and node.attr in {"put", "put_once", "repeat"}
        if isinstance(node.value, ast.Name) and node.value.id == "outbox"
    }
    assert writers == {"service/outbox/post.py", "service/club/people.py"}


def test_sqlalchemy_and_alembic_live_in_the_store() -> None:
    assert folders(importers("sqlalchemy") | importers("alembic")) == {"store"}


def test_jinja_lives_in_reports() -> None:
    assert folders(importers("jinja2")) == {"reports"}


def test_the_full_truth_is_known_to_the_board_command_only() -> None:
    assert importers("adjudicator.service.matches.full_board") == {"cli/match.py"}
    users = [
        node.name
        for node in tree(PACKAGE / "cli" / "match.py").body
        if isinstance(node, ast.FunctionDef)
        if any("full_board" in found for inner in ast.walk(node) for found in imported(inner))
    ]
    assert users == ["board"]


def test_no_game_imports_another() -> None:
    games = [path.name for path in (PACKAGE / "games").iterdir() if path.is_dir()]
    for game in games:
        others = {file for file in importers(f"adjudicator.games.{game}") if "games/" in file}
        assert all(f.startswith((f"games/{game}/", "games/__init__.py")) for f in others)


def test_a_file_mode_or_flag_of_the_game_master_is_never_an_argument_of_a_report() -> None:
    """Full truth is another function (design, 3.15), so no `reveal` goes through the reports."""
    for path in (PACKAGE / "reports").glob("*.py"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.arg):
                assert not {"gm", "reveal", "full", "debug"} & set(node.arg.split("_")), path


def test_no_class_of_the_shell_has_the_name_of_another_one() -> None:
    """Games may each have their State, Event and Board."""
    names = Counter(
        node.name
        for path in PACKAGE.rglob("*.py")
        if "games" not in path.relative_to(PACKAGE).parts
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, number in names.items() if number > 1] == []
    assert names.keys().isdisjoint({"Told", "Shown", "Given", "Known", "Said"})


# A group of which nothing is given back. Debian 12's Python (3.11.2) goes on from where the last,
# vain try of such a group had come. Of one character, as in `[a-z]++`, it is right.
GIVES_NOTHING_BACK = re.compile(r"(?<!\\)\)(?:[*+?]|\{[\d,]+\})\+|\(\?>")


def test_no_regular_expression_has_groups_that_some_pythons_match_wrongly() -> None:
    found = [
        f"{name(path)}: {node.value}"
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if GIVES_NOTHING_BACK.search(node.value)
    ]
    assert found == []
    assert GIVES_NOTHING_BACK.search("(?:a|b)*+")


def test_no_file_is_longer_than_one_can_read() -> None:
    assert {str(path) for path in MODULES if len(path.read_text().split("\n")) > 601} == set()


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside of functions aside."""
    places = {".".join(path.relative_to(CHECKOUT).with_suffix("").parts): path for path in MODULES}
    graph = {name: set[str]() for name in places}
    for name, path in places.items():
        for node in tree(path).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                wanted = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
                graph[name] |= wanted & places.keys()
    TopologicalSorter(graph).prepare()
