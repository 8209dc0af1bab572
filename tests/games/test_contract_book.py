"""docs/games.md names each member of the contract, and authors import only from the core."""

import ast
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from adjudicator.core.game import (
    CONTRACT,
    Advance,
    Game,
    Marks,
    Orders,
    Page,
    Proof,
    Records,
    Rules,
    Sight,
)

ROOT = Path(__file__).parents[2]
BOOK = (ROOT / "docs/games.md").read_text("utf-8")
PARTS: dict[str, Any] = {
    "": Game,
    "rules.": Rules,
    "orders.": Orders,
    "sight.": Sight,
    "page.": Page,
    "record.": Records,
    "proof.": Proof,
    "advance.": Advance,
    "marks.": Marks,
}
EXAMPLES = sorted(
    path
    for folder in ("games", "new_game")
    for path in (ROOT / "examples" / folder).rglob("*.py")
    if "tests" not in path.parts
)


def _members() -> Iterator[tuple[str, str]]:
    for part, kind in PARTS.items():
        for one in fields(kind):
            is_needed = one.default is MISSING and one.default_factory is MISSING
            yield f"{part}{one.name}", "yes" if is_needed else "no"


def test_the_book_has_a_row_for_each_member_of_the_contract() -> None:
    told = re.findall(r"^\| `([a-z_.]+)` \| (yes|no) \| \S", BOOK, re.M)
    assert len(told) == len(dict(told))
    assert dict(told) == dict(_members())


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
