"""Change the program in one point, and see whether the tests that should notice it fail.

    python -m tests.mutants [N [SEED [PART]]]

N points are drawn from the audit, the clock and the pairing, or from the files whose names have
PART in them. The narrow tests are run once, to note which statements each of them reaches. Then
each change is made in a copy of the checkout, where those that reach it run until one fails, quick
ones first. Changes that none notices are printed, with the line: either a test is
missing, or the change makes no difference. An honest number is what was tried, and not what was
chosen.
"""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory

from msgspec import Struct

from tests.calls import NOTED
from tests.service.cheats.cheat import KEPT

ROOT = Path(__file__).parents[1]
PLACES = ("adjudicator/service/audit", "adjudicator/core/pairing", "adjudicator/core/clock.py")
_SERVICE = "tests/service"
# The narrow tests by what is in the name of a file.
TESTS: Sequence[tuple[str, Sequence[str]]] = [
    (
        "core/clock",
        (
            "tests/core/test_clock.py",
            *(f"{_SERVICE}/test_{name}.py" for name in ("in_time", "absence", "reserve", "plies")),
            *(f"{_SERVICE}/test_{name}.py" for name in ("holds_and_clocks", "substitutes")),
            f"{_SERVICE}/test_reserve_audit.py",
        ),
    ),
    ("core/pairing", ("tests/core/pairing",)),
    (
        "audit/",
        (
            *(f"{_SERVICE}/test_{name}.py" for name in ("same", "claims", "told_times")),
            *(f"{_SERVICE}/test_{name}_versions.py" for name in ("package", "other")),
            *(f"{_SERVICE}/test_{name}_numbers.py" for name in ("personal", "tournament")),
            *(f"{_SERVICE}/test_{name}.py" for name in ("restored", "public_chance")),
            *(f"{_SERVICE}/test_{name}_clock.py" for name in ("doubtful", "wrong")),
            *(one.relative_to(ROOT).as_posix() for one in ROOT.glob(f"{_SERVICE}/test_*audit*.py")),
            "tests/games/spies/test_audit.py",
            "tests/games/test_cheats.py",
            "tests/cli/test_audit.py",
            f"{_SERVICE}/cheats",
        ),
    ),
]

_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


class Mutant(Struct, frozen=True):
    """A change of a file: where, and what. A node is found again in each copy by its number."""

    file: str
    number: int
    line: int
    what: str

    @property
    def text(self) -> str:
        tree = ast.parse((ROOT / self.file).read_text("utf-8"))
        node = next(one for n, one in enumerate(ast.walk(tree)) if n == self.number)
        dict(_changes(node))[self.what](node)
        return f"{ast.unparse(ast.fix_missing_locations(tree))}\n"

    @property
    def statement(self) -> int | None:
        """Return the line where the innermost statement begins that has this line; None if that is
        in no function."""
        tree = ast.parse((ROOT / self.file).read_text("utf-8"))
        lines = [
            (one.lineno, one.end_lineno or one.lineno) for each in _blocks(tree) for one in each
        ]
        return max((first for first, last in lines if first <= self.line <= last), default=None)


def mutants(file: Path) -> Iterator[Mutant]:
    """Yield all changes of a file."""
    tree = ast.parse(file.read_text("utf-8"))
    skipped = set(_not_run(tree))
    name = file.relative_to(ROOT).as_posix()
    for number, node in enumerate(ast.walk(tree)):
        for what, _ in _changes(node) if id(node) not in skipped else ():
            yield Mutant(name, number, _line_of(node), what)


def _blocks(tree: ast.AST) -> Sequence[list[ast.stmt]]:
    """Return the statements that stand in functions, block by block."""
    functions = (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef))
    found = {
        id(block): block
        for function in functions
        for node in ast.walk(function)
        for name in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(node, name, None), list)
    }
    return [*found.values()]


def noting(file: str) -> str:
    """Return a file that notes which of its statements are reached, and does else what it did."""
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    for block in _blocks(tree):
        block[:] = [
            each
            for one in block
            for each in (*ast.parse(f"_REACHED.add('{file}:{one.lineno}')").body, one)
        ]
    text = ast.get_docstring(tree)
    head = "from tests.calls import REACHED as _REACHED\n"
    tree.body[int(text is not None) : int(text is not None)] = ast.parse(head).body
    return f"{ast.unparse(ast.fix_missing_locations(tree))}\n"


def _line_of(node: ast.AST) -> int:
    return next((one.lineno for one in ast.walk(node) if hasattr(one, "lineno")), 0)


def _not_run(tree: ast.AST) -> Iterator[int]:
    """Yield what is in annotations, which decides nothing."""
    for node in ast.walk(tree):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if part is not None:
                yield from map(id, ast.walk(part))


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[..., None]]]:
    """Yield the ways to change a node, each with a function that does so."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _FLIPPED:
        yield "comparison", _flip
    if isinstance(node, ast.BoolOp):
        yield "and for or", _swap
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "negated", _negate
    if isinstance(node, ast.If):
        yield "branch dropped", _drop
    if isinstance(node, ast.comprehension) and node.ifs:
        yield "filter dropped", _unfilter
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield "+1", _add
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom):
        yield "finding dropped", _silence


def _flip(node: ast.Compare) -> None:
    node.ops[0] = _FLIPPED[type(node.ops[0])]()


def _swap(node: ast.BoolOp) -> None:
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def _negate(node: ast.If) -> None:
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _drop(node: ast.If) -> None:
    node.test = ast.Constant(value=False)


def _unfilter(node: ast.comprehension) -> None:
    node.ifs = node.ifs[1:]


def _add(node: ast.Constant) -> None:
    assert isinstance(node.value, int)
    node.value += 1


def _silence(node: ast.Expr) -> None:
    """Let a generator stay one that yields nothing here."""
    node.value = ast.YieldFrom(ast.Tuple(elts=[], ctx=ast.Load()))


def narrow_tests(file: str) -> Sequence[str]:
    return next(tests for part, tests in TESTS if part in file)


def run(checkout: Path, tests: Sequence[str], *words: str, longest: float | None = None) -> int:
    """Run tests in a copy of the checkout, and return pytest's exit code. What an audit gets is
    kept there: no change of the audit changes how a match is played."""
    kept = checkout.parent / "papers"
    kept.mkdir(exist_ok=True)
    fixed = ["-q", "-x", "-m", "not nightly", "-p", "no:cacheprovider", *words]
    fixed += ["--basetemp", str(checkout.parent / "tests-run")]
    ran = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", *fixed, *tests],
        cwd=checkout,
        env={**os.environ, KEPT: str(kept), NOTED: str(checkout.parent / "calls")},
        capture_output=True,
        timeout=longest,
    )
    assert ran.returncode not in (4, 5), (ran.stdout, ran.stderr)  # no tests were run
    return ran.returncode


class Reached(Struct, frozen=True):
    """The tests of some files, each with its seconds and the statements that it reaches."""

    tests: Mapping[str, tuple[float, frozenset[str]]]

    def of(self, mutant: Mutant) -> tuple[Sequence[str], float]:
        """Return the tests that reach a changed statement, with their seconds: file by file, those
        first whose tests are quick. What stands in no function concerns all."""
        line = mutant.statement
        wanted = None if line is None else f"{mutant.file}:{line}"
        files: dict[str, list[tuple[float, str]]] = {}
        for test, (seconds, reached) in self.tests.items():
            if wanted is None or wanted in reached:
                files.setdefault(test.partition("::")[0], []).append((seconds, test))
        those = sorted(
            files.values(), key=lambda one: sum(seconds for seconds, _ in one) / len(one)
        )
        return [test for one in those for _, test in sorted(one)], sum(
            seconds for one in those for seconds, _ in one
        )


def reached_by(checkout: Path, files: Sequence[str]) -> Reached:
    """Run all narrow tests once, of files that note what is reached."""
    for file in files:
        (checkout / file).write_text(noting(file), "utf-8")
    tests = [*dict.fromkeys(test for file in files for test in narrow_tests(file))]
    assert run(checkout, tests, "-p", "tests.calls") == 0, "tests fail without a change"
    for file in files:
        (checkout / file).write_text((ROOT / file).read_text("utf-8"), "utf-8")
    found = json.loads((checkout.parent / "calls").read_text("utf-8"))
    return Reached({test: (seconds, frozenset(lines)) for test, (seconds, lines) in found.items()})


def is_noticed(mutant: Mutant, checkout: Path, noted: Reached) -> bool:
    """Return whether a test fails that reaches the changed statement."""
    tests, seconds = noted.of(mutant)
    if not tests:
        return False
    place = checkout / mutant.file
    place.write_text(mutant.text, "utf-8")
    try:
        return run(checkout, tests, longest=60 + 10 * seconds) != 0
    except subprocess.TimeoutExpired:
        return True  # a loop that does not end
    finally:
        place.write_text((ROOT / mutant.file).read_text("utf-8"), "utf-8")


def main() -> None:
    wanted, seed, part = (*sys.argv[1:4], *("40", "0", "")[len(sys.argv[1:4]) :])
    files = [one for place in PLACES for one in _files(ROOT / place) if part in str(one)]
    every = [mutant for file in files for mutant in mutants(file)]
    drawn = Random(f"mutants {seed}").sample(every, min(int(wanted), len(every)))
    print(f"{len(drawn)} of {len(every)} changes in {len(files)} files", flush=True)
    missed = 0
    with TemporaryDirectory(prefix="adjud-mutants-") as folder:
        checkout = Path(folder) / "checkout"
        copytree(ROOT, checkout, ignore=ignore_patterns(".git", ".venv", "__pycache__", ".*_cache"))
        noted = reached_by(checkout, [*dict.fromkeys(one.file for one in drawn)])
        for number, mutant in enumerate(drawn, 1):
            noticed = is_noticed(mutant, checkout, noted)
            missed += not noticed
            verdict = "noticed" if noticed else "NOT NOTICED"
            print(f"{number}: {verdict}: {mutant.file}:{mutant.line}: {mutant.what}", flush=True)
    print(f"{len(drawn) - missed} of {len(drawn)} were noticed")


def _files(place: Path) -> Sequence[Path]:
    return [place] if place.is_file() else sorted(place.glob("*.py"))


if __name__ == "__main__":
    main()
