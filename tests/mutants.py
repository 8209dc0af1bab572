"""Change the program in one point, and see whether the tests that should notice it fail.

    python -m tests.mutants [N [SEED [PART]]]

N points are drawn from the audit, the clock and the pairing, or from the files whose names have
PART in them. Each change is made in a copy of the checkout, where the narrow tests of that file
run until one fails. Those that none notices are printed, with the line: either a test is missing,
or the change makes no difference. An honest number is what was tried, and not what was chosen.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory

from msgspec import Struct

from tests.service.cheats.cheat import KEPT

ROOT = Path(__file__).parents[1]
PLACES = ("adjudicator/service/audit", "adjudicator/core/pairing", "adjudicator/core/clock.py")
_LONGEST = 900  # seconds for one mutant: a loop that does not end is noticed, too

_SERVICE = "tests/service"
_TABLE = "cheats/test_table"
# The narrow tests by what is in the name of a file, those that are quick first.
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
    *(
        (f"audit/{name}", tuple(f"{_SERVICE}/{test}.py" for test in tests))
        for name, tests in {
            "contest": ("test_tournament_audit", _TABLE),
            "ladders": ("test_ladder_audit", _TABLE),
            "public_chance": ("test_public_chance_audit", "test_public_chance"),
            "reserves": ("test_reserve_audit", _TABLE),
            "restores": ("test_restores_audit", _TABLE),
            "versions": ("test_package_versions", _TABLE, "test_other_versions"),
            "same": ("test_same", _TABLE),
            "looks": ("test_same", _TABLE),
            "emailed": (_TABLE, "test_several_audit", "test_audit", "test_audit_values"),
            "timing": (_TABLE, "cheats/test_timing", "test_reserve_audit"),
            "told_times": ("test_told_times", _TABLE, "cheats/test_timing"),
            "inputs": (_TABLE, "cheats/test_events"),
            "receipts": (_TABLE, "cheats/test_events", "cheats/test_shown"),
            "claims": ("test_claims", _TABLE, "test_audit"),
            "json_papers": ("test_claims", _TABLE, "test_audit"),
            "told_acts": (_TABLE, "cheats/test_act_rules", "test_daily_email_audit"),
        }.items()
    ),
    ("audit/", tuple(f"{_SERVICE}/{test}.py" for test in (_TABLE, "test_audit"))),
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
    """A file with one change: where, and what."""

    file: str
    line: int
    what: str
    text: str


def mutants(file: Path) -> Iterator[Mutant]:
    """Yield all changes of a file. A node is found again in each copy by its number."""
    tree = ast.parse(file.read_text("utf-8"))
    skipped = set(_not_run(tree))
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in skipped:
            continue
        for what, change in _changes(node):
            copy = deepcopy(tree)
            change(next(one for n, one in enumerate(ast.walk(copy)) if n == number))
            text = ast.unparse(ast.fix_missing_locations(copy))
            name = file.relative_to(ROOT).as_posix()
            yield Mutant(name, _line_of(node), what, f"{text}\n")


def _line_of(node: ast.AST) -> int:
    return next((one.lineno for one in ast.walk(node) if hasattr(one, "lineno")), 0)


def unchanged(file: str) -> Mutant:
    """Return a file as a mutant is written, without a change: no test may fail of that."""
    return Mutant(file, 0, "nothing", ast.unparse(ast.parse((ROOT / file).read_text("utf-8"))))


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


def tests_of(file: str) -> tuple[str, ...]:
    return tuple(next(tests for part, tests in TESTS if part in file))


def is_noticed(mutant: Mutant, checkout: Path) -> bool:
    """Return whether a test of the mutant's file fails in a copy of the checkout. What an audit
    gets is kept there: no change of the audit changes how a match is played."""
    kept = checkout.parent / "papers"
    kept.mkdir(exist_ok=True)
    place = checkout / mutant.file
    right = place.read_text("utf-8")
    place.write_text(mutant.text, "utf-8")
    words = ["-q", "-x", "-m", "not nightly", "-p", "no:cacheprovider"]
    words += ["--basetemp", str(checkout.parent / "tests-run")]
    try:
        ran = subprocess.run(
            [sys.executable, "-B", "-m", "pytest", *words, *tests_of(mutant.file)],
            cwd=checkout,
            env={**os.environ, **({KEPT: str(kept)} if "/audit/" in mutant.file else {})},
            capture_output=True,
            timeout=_LONGEST,
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        place.write_text(right, "utf-8")
    assert ran.returncode not in (4, 5), (ran.stdout, ran.stderr)  # no tests were run
    return ran.returncode != 0


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
        for file in {tests_of(one.file): one.file for one in drawn}.values():
            assert not is_noticed(unchanged(file), checkout), f"the tests of {file} fail as it is"
        for number, mutant in enumerate(drawn, 1):
            noticed = is_noticed(mutant, checkout)
            missed += not noticed
            verdict = "noticed" if noticed else "NOT NOTICED"
            print(f"{number}: {verdict}: {mutant.file}:{mutant.line}: {mutant.what}", flush=True)
    print(f"{len(drawn) - missed} of {len(drawn)} were noticed")


def _files(place: Path) -> Sequence[Path]:
    return [place] if place.is_file() else sorted(place.glob("*.py"))


if __name__ == "__main__":
    main()
