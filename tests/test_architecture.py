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


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


def imported(node: ast.AST) -> Iterator[str]:
    """Return the modules that a statement imports, and the names in them that may be modules."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def imports(path: Path) -> frozenset[str]:
    return frozenset(found for node in nodes(path) for found in imported(node))


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


CALLS = {"open", "input", "print", "eval", "exec", "__import__"}
READS = {"now", "utcnow", "today", "getenv", "environ", "urandom"}


def test_core_and_games_know_no_clock_no_dice_and_no_files() -> None:
    known = [(name(path), of_the_world(node)) for path in PURE for node in nodes(path)]
    assert [(path, found) for path, found in known if found] == []


def of_the_world(node: ast.AST) -> set[str]:
    """Return what a node imports, calls or reads by which the world would come in."""
    match node:
        case ast.Call(func=ast.Name(id=called)):
            return {called} & CALLS
        case ast.Attribute(attr=attribute):
            return {attribute} & READS
    return {found.partition(".")[0] for found in imported(node)} & WORLD


def test_the_clock_is_read_in_one_place() -> None:
    readers = {
        name(path)
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in {"now", "utcnow", "today"}
        if isinstance(node.value, ast.Name) and node.value.id in {"datetime", "date"}
    }
    assert readers == {"cli/shell.py"}


def test_emails_are_queued_in_one_place() -> None:
    """But for the code to an address that the operator has entered, which is of no session."""
    writers = {
        name(path)
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in {"put", "put_once", "repeat"}
        if isinstance(node.value, ast.Name) and node.value.id == "outbox"
    }
    assert writers == {"service/outbox/queue.py", "service/club/people.py"}


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
        for node in nodes(path):
            if isinstance(node, ast.arg):
                assert not {"gm", "reveal", "full", "debug"} & set(node.arg.split("_")), path


def test_no_class_of_the_shell_has_the_name_of_another_one() -> None:
    """Games may each have their State, Event and Board."""
    names = Counter(
        node.name
        for path in MODULES
        if "games" not in path.relative_to(PACKAGE).parts
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, number in names.items() if number > 1] == []
    assert names.keys().isdisjoint({"Told", "Shown", "Given", "Known", "Said"})


# A function that returns a value has a noun for a name, one that does something a verb.
PARTICIPLES = frozenset(
    (
        *("begun", "bought", "bound", "broken", "brought", "built", "caught", "chosen", "dealt"),
        *("done", "drawn", "driven", "fallen", "felt", "forgiven", "forgotten", "fought", "found"),
        *("given", "gone", "heard", "held", "hidden", "kept", "known", "laid", "left", "lost"),
        *("made", "meant", "met", "paid", "said", "seen", "sent", "shown", "sold", "sought"),
        *("spent", "spoken", "spoilt", "taken", "taught", "thought", "thrown", "told", "torn"),
        *("undone", "understood", "unmade", "unread", "unsent", "untold", "withdrawn", "won"),
        *("worn", "written"),
    )
)
NO_PARTICIPLES = frozenset({"embed", "exceed", "proceed", "speed", "succeed"})  # that end like one
TELLING = frozenset({"given", "kept", "known", "made", "said", "seen", "shown", "told", "written"})
BESIDE = frozenset(  # words that leave a participle alone
    (
        *("a", "again", "ahead", "all", "already", "anew", "as", "at", "away", "back", "be"),
        *("before", "by", "ever", "first", "for", "from", "if", "in", "is", "it", "last"),
        *("most", "not", "now", "of", "off", "on", "once", "one", "only", "out", "over"),
        *("since", "so", "the", "they", "to", "together", "too", "twice", "up", "we", "what"),
        *("when", "with", "without"),
    )
)
VERBS = frozenset({"carry", "drop", "end", "forget", "mark", "message", "note", "tell", "use"})
# What games of other packages import or call, as `sorted` of Python: these names are part of the
# contract, and change when its number does.
OF_THE_CONTRACT = frozenset(
    (
        *("core/composing.py told", "core/dice.py Stream.shuffled", "core/message.py listed"),
        *("core/orders.py cleaned", "core/orders.py folded", "core/orders.py shown"),
        "core/orders.py unstopped",
    )
)


def is_participle(word: str) -> bool:
    regular = word.endswith("ed") and len(word) > 4 and word not in NO_PARTICIPLES
    return word in PARTICIPLES or regular


def hides_its_verb(called: str) -> bool:
    """Return whether a name is a participle alone, one with `as`, `not` or a preposition, or says
    of a thing that it is told, shown or the like: `told`, `kept_in`, `as_sent`, `options_told`."""
    words = called.split("_")
    if not any(map(is_participle, words)):
        return False
    rest = [word for word in words if not is_participle(word) and word not in BESIDE]
    return not rest or (words[-1] in TELLING and words[0] not in VERBS)


def public_functions(path: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the public functions of a module and the public methods of its classes."""
    for node in tree(path).body:
        for one in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
                owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
                yield f"{name(path)} {owner}{one.name}", one


def test_no_function_is_named_by_a_participle_alone() -> None:
    """But for properties and what returns a bool, which may say how a value is."""
    found = {
        called
        for path in MODULES
        for called, one in public_functions(path)
        if hides_its_verb(one.name)
        if not any("property" in ast.unparse(each) for each in one.decorator_list)
        if one.returns is None or ast.unparse(one.returns) != "bool"
    }
    assert found == OF_THE_CONTRACT


def test_names_that_hide_their_verb_are_recognised() -> None:
    for called in (
        "told",
        "kept_in",
        "as_sent",
        "not_made",
        "options_told",
        "parsed",
        "all_unsent",
    ):
        assert hides_its_verb(called), called
    for called in (
        "shown_name",
        "sent_report",
        "note_written",
        "succeed",
        "put_aside",
        "emails_to",
    ):
        assert not hides_its_verb(called), called


# A group of which nothing is given back. Debian 12's Python (3.11.2) goes on from where the last,
# vain try of such a group had come. Of one character, as in `[a-z]++`, it is right.
GIVES_NOTHING_BACK = re.compile(r"(?<!\\)\)(?:[*+?]|\{[\d,]+\})\+|\(\?>")


def test_no_regular_expression_has_groups_that_some_pythons_match_wrongly() -> None:
    found = [
        f"{name(path)}: {node.value}"
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if GIVES_NOTHING_BACK.search(node.value)
    ]
    assert found == []
    assert GIVES_NOTHING_BACK.search("(?:a|b)*+")


def test_no_file_is_longer_than_one_can_read() -> None:
    assert {str(path) for path in MODULES if len(path.read_text().split("\n")) > 601} == set()


# Whose body makes one value of many fields and does nothing else.
MAY_BE_LONGER = {"reports/frame.py frame", "core/simple/game.py simple_game"}


def test_no_function_is_longer_than_a_page() -> None:
    longer = {
        f"{name(path)} {node.name}"
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None
        if node.end_lineno - node.lineno >= 60
    }
    assert longer == MAY_BE_LONGER


# How many files of tests may name a module of the service or the store by its path. Each of them is
# about one module, or is one that the others ask (`tests/club.py`), so that a move changes few.
# Lower it when there are fewer; it is never raised.
MOST_PATHS = 60


def test_few_tests_know_where_the_service_and_the_store_do_what_they_ask() -> None:
    named = re.compile(r"^\s*(from|import) adjudicator\.(service|store)\b", re.MULTILINE)
    tests = (CHECKOUT / "tests").rglob("*.py")
    found = [path for path in tests if named.search(path.read_text("utf-8"))]
    assert len(found) <= MOST_PATHS, sorted(map(str, found))


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
