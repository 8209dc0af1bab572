"""examples/espionage is what the program really says: made again and compared byte by byte."""

from io import StringIO
from pathlib import Path

import pytest

from adjudicator.core.record import Replayed
from adjudicator.service import records, verification
from adjudicator.store.database import Store
from tests import example_match
from tests.example_match import EXAMPLES, Files

MATCH = EXAMPLES / "match"


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--bless"))


def compare(folder: Path, made: Files, there: set[str], bless: bool) -> None:
    """`there` are the files that stand in the folder now, relative to it."""
    if bless:
        for gone in there - made.keys():
            (folder / gone).unlink()
        for name, text in made.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, "utf-8", newline="\n")
    for name, text in made.items():
        assert (folder / name).read_bytes().decode() == text, f"{name}: see tests/example_match.py"
    assert bless or there == made.keys()


def test_every_order_file_has_the_answer_that_stands_beside_it(store: Store, bless: bool) -> None:
    there = {path.name for path in EXAMPLES.glob("*.answer.txt")}
    compare(EXAMPLES, example_match.answers(store), there, bless)


def test_good_order_files_are_accepted_and_wrong_ones_refused() -> None:
    for path in example_match.order_files():
        answer = path.with_name(f"{path.stem}.answer.txt").read_text("utf-8")
        verdicts = [line for line in answer.splitlines() if not line.startswith(" ")]
        assert verdicts
        for verdict in verdicts:
            assert ("NOT accepted" in verdict) == path.name.startswith("wrong-"), path.name


def test_four_ways_to_write_an_order_are_understood_alike() -> None:
    """But that one names the pieces and one does not, in three languages and one mess."""
    steps = set()
    for name in ("tidy", "untidy", "norwegian", "swedish"):
        answer = (EXAMPLES / f"{name}.answer.txt").read_text("utf-8").splitlines()
        assert answer[0] == "espionage-17, white, turn 1: would be accepted; nothing was stored"
        steps.add(tuple(line.split()[-1] for line in answer[1:3]))
    assert steps == {("d3-d4", "f3-f4")}


def test_the_example_match_can_be_played_again_to_the_byte(store: Store, bless: bool) -> None:
    made = example_match.match(store)
    there = {str(path.relative_to(MATCH)) for path in MATCH.rglob("*") if path.is_file()}
    compare(MATCH, made, {name for name in there if not name.startswith("sheets/")}, bless)
    assert verification.verify(store, "garden") == []


def test_the_record_of_the_example_match_is_that_match() -> None:
    text = (MATCH / "garden.esp").read_text("utf-8")
    (replayed,) = records.replay_files([("garden.esp", StringIO(text))])
    assert isinstance(replayed, Replayed)
    assert replayed.data["result"] == {"winner": "white", "reason": "headquarters"}


def test_the_examples_are_small() -> None:
    assert sum(path.stat().st_size for path in EXAMPLES.rglob("*") if path.is_file()) < 3_000_000
