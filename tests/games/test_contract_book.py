"""docs/games.md says which contract it is, and authors import only from the core."""

import ast
from pathlib import Path

import pytest

from adjudicator.core.game import CONTRACT

ROOT = Path(__file__).parents[2]
BOOK = (ROOT / "docs/games.md").read_text("utf-8")
EXAMPLES = sorted(
    path
    for folder in ("games", "new_game")
    for path in (ROOT / "examples" / folder).rglob("*.py")
    if "tests" not in path.parts
)


def test_the_book_says_which_version_of_the_contract_it_is() -> None:
    assert f"This is **version {CONTRACT}** of the contract" in BOOK


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_an_example_imports_only_the_core(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import(names=names):
                imported |= {one.name for one in names}
            case ast.ImportFrom(module=str(module)):
                imported.add(module)
    ours = {name for name in imported if name.partition(".")[0] == "adjudicator"}
    assert {name for name in ours if not f"{name}.".startswith("adjudicator.core.")} == set()


def test_there_are_examples() -> None:
    assert {"goofspiel", "battleships"} <= {path.relative_to(ROOT).parts[2] for path in EXAMPLES}
