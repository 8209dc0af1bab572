"""What stands in backticks in a docstring is there: a name of the program, a file, a word that it
reads or writes."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tests.club import Context

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
MODULES = sorted(path for path in (ROOT / "adjudicator").rglob("*.py"))
WORD = re.compile(r"`([A-Za-z_]\w*(?:[./]\w+)*)(?:\(\))?`")
PLACES = ("", "adjudicator", "adjudicator/service/club/offers", "templates/shared")
# Examples of what people and other programs write, words of games, names of other libraries.
EXAMPLES = frozenset(
    (
        *("ADJUD__MAIL__OUT", "B", "ENDPRESS", "LOYTNANT", "Love", "MASTER", "NOR", "P1"),
        *("Received", "SP", "YYYY.MM.DD", "aside.txt.j2", "c3", "docs", "email.policy.default"),
        *("est", "examples", "hold_on_bounce", "kqxmd22", "løytnant", "migrations", "nb_NO"),
        *("none", "nor", "postgresql_where", "printf", "quicknet", "skipped", "str.casefold"),
        *("drand_after", "wSm12"),
    )
)


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))


@cache
def words(path: Path) -> frozenset[str]:
    """Return all names and short texts of a module's code."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.arg | ast.keyword):
            found.add(node.arg or "")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {*re.findall(r"\w+", node.value)} if len(node.value) < 80 else set()
    return frozenset(found)


@cache
def defined() -> frozenset[str]:
    """Return what the program defines: modules, functions, classes, their fields, constants."""
    found: set[str] = set()
    for path in MODULES:
        found |= {path.stem, *path.relative_to(ROOT).parts}
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            if isinstance(node, ast.ClassDef | ast.Module):
                found |= {*assigned(node)}
    return frozenset(found)


def assigned(node: ast.ClassDef | ast.Module) -> Iterator[str]:
    for one in node.body:
        targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
        for target in targets:
            for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(name, ast.Name):
                    yield name.id


def is_known(path: Path, word: str) -> bool:
    if any((ROOT / place / word).exists() for place in PLACES if "." in word or "/" in word):
        return True
    parts = re.split(r"[./]", word)
    return word in EXAMPLES or all(one in words(path) or one in defined() for one in parts)


def test_every_name_in_backticks_is_there() -> None:
    unknown = [
        f"{path.relative_to(ROOT)}, {getattr(node, 'name', 'the module')}: {word}"
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        for word in WORD.findall(ast.get_docstring(node) or "")
        if not is_known(path, word)
    ]
    assert unknown == []


def test_the_fields_of_the_context_are_explained_and_no_others() -> None:
    told = {*WORD.findall(Context.__doc__ or "")}
    assert told == {*Context.__struct_fields__}


def test_nothing_has_two_docstrings() -> None:
    """The second would be a text that nobody reads and that stays when the first is changed. One
    directly below a field of a class is the field's, and stands in docs/reference."""
    twice = [
        f"{path.relative_to(ROOT)}:{one.lineno}"
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        for above, one in pairwise(node.body)
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
        if isinstance(one.value.value, str)
        if not (isinstance(node, ast.ClassDef) and isinstance(above, ast.AnnAssign))
    ]
    assert twice == []
