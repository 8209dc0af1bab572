"""Each cheat of the table ends with its exit code and is found by its rule, and its honest twin
agrees. For each rule there is a cheat that passes where the rule is switched off. The documentation
has the table."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.club import Store
from tests.inside import verdicts
from tests.nightly import NIGHT
from tests.service.cheats.cheat import Cheat, Done, Stage, judged, papers_of
from tests.service.cheats.table import CHEATS, TABLE

CHECKING = Path(__file__).parents[3] / "docs/checking.md"
HEADING = (
    "| what was done | exit code | rule | how it is found, or what helps |\n|---|---|---|---|\n"
)


def every_day() -> Iterator[Cheat]:
    """Yield for each rule a cheat that it alone finds, and of each row of the table the first."""
    yield from {cheat.rule: cheat for cheat in reversed(CHEATS) if cheat.alone}.values()
    yield from (done.cheats[0] for done in TABLE if done.cheats)


def each() -> Iterator[Any]:
    tried = {id(cheat) for cheat in every_day()}
    for cheat in CHEATS:
        for number, where in enumerate(cheat.where):
            for honest in (False, True):
                name = f"{cheat.rule}-{cheat.name}-{where}-{'honest' if honest else 'cheating'}"
                night = [NIGHT] if number or id(cheat) not in tried else []
                yield pytest.param(cheat, where, honest, id=name, marks=[pytest.mark.slow, *night])


@pytest.mark.parametrize(("cheat", "where", "honest"), [*each()])
def test_a_cheat_is_found_and_its_honest_twin_agrees(
    store: Store, tmp_path: Path, cheat: Cheat, where: str, honest: bool
) -> None:
    papers = papers_of(cheat, Stage(store, tmp_path, where, honest))
    found = judged(papers, tmp_path)
    if honest:
        assert (found.code, found.told) == (0, [])
        return
    assert found.code == cheat.code, found.told
    named = found.by(cheat.rule)
    assert any(re.search(cheat.told, one) for one in named), found.told
    if cheat.alone:
        assert named == found.told
        assert judged(papers, tmp_path, off={cheat.rule}).code == 0


def test_each_rule_has_a_cheat_that_it_alone_finds() -> None:
    """It passes without the rule, as the test above shows."""
    alone = {cheat.rule for cheat in CHEATS if cheat.alone}
    assert [rule for rule in verdicts.RULES if rule not in alone] == []
    assert {cheat.rule for cheat in CHEATS} <= {*verdicts.RULES}


def row(done: Done) -> str:
    """Return a row of the table of the documentation."""
    codes = ", ".join(map(str, sorted({code for code, _ in done.found}))) or "no"
    named = {rule for _, rule in done.found}
    rules = ", ".join(f"`{one}`" for one in verdicts.RULES if one in named)
    return f"| {done.what} | {codes} | {rules or '–'} | {done.how} |\n"


def test_the_documentation_has_the_table(request: pytest.FixtureRequest) -> None:
    told = CHECKING.read_text("utf-8")
    before, heading, rest = told.partition(HEADING)
    assert heading
    table, _, after = rest.partition("\n\n")
    right = "".join(map(row, TABLE))
    if request.config.getoption("bless"):
        CHECKING.write_text(f"{before}{heading}{right}\n{after}", "utf-8")
        return
    assert f"{table}\n" == right


def test_the_documentation_has_all_rules() -> None:
    told = CHECKING.read_text("utf-8")
    assert [rule for rule in verdicts.RULES if f"| `{rule}` |" not in told] == []
