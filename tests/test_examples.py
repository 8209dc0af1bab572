"""examples/ is what the program really says: it is made again and compared byte by byte."""

import re
from io import StringIO
from pathlib import Path

import pytest

from adjudicator.core.record import Replayed
from adjudicator.games import GAMES
from tests import example_match
from tests.club import Club, Store, replay_files
from tests.example_match import Files
from tests.games.samples import EXAMPLES, Example

each_game = pytest.mark.parametrize("of", example_match.ALL, ids=lambda of: of.game)


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


def test_every_game_has_examples() -> None:
    of_no_game = {"server", "container", "games", "new_game"}
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()} - of_no_game
    assert {of.game for of in example_match.ALL} == folders


@each_game
def test_every_order_file_has_the_answer_that_stands_beside_it(
    store: Store, bless: bool, of: Example
) -> None:
    there = {path.name for path in of.folder.glob("*.answer.txt")}
    compare(of.folder, example_match.answers(store, of), there, bless)


@each_game
def test_good_order_files_are_accepted_and_wrong_ones_refused(of: Example) -> None:
    for path in example_match.order_files(of):
        answer = path.with_name(f"{path.stem}.answer.txt").read_text("utf-8")
        verdicts = [line for line in answer.splitlines() if not line.startswith(" ")]
        assert verdicts
        for verdict in verdicts:
            assert ("NOT accepted" in verdict) == path.name.startswith("wrong-"), path.name


def answered(of: Example, name: str) -> list[str]:
    """Return the orders as they were understood, with steps without the name of their piece."""
    first, *lines = (of.folder / f"{name}.answer.txt").read_text("utf-8").splitlines()
    assert first == of.alike
    orders = [
        line for line in lines if not line.startswith(("  note:", "  ignored", "  no orders"))
    ]
    return [re.sub(r"^  (\w+ )?(?=\w\d+-)", "", order) for order in orders]


@each_game
def test_four_ways_to_write_an_order_are_understood_alike(of: Example) -> None:
    """They are written in three languages, and once untidily."""
    tidy, *others = (answered(of, name) for name in ("tidy", "untidy", "norwegian", "swedish"))
    assert tidy
    assert others == [tidy] * 3


@each_game
@pytest.mark.slow
def test_the_example_match_can_be_played_again_to_the_byte(
    store: Store, bless: bool, of: Example
) -> None:
    folder = of.folder / "match"
    made = example_match.match(store, of)
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    compare(folder, made, {name for name in there if not name.startswith("sheets/")}, bless)
    assert Club(store).verify(of.played.name) == []


@each_game
def test_the_record_of_the_example_match_is_that_match(of: Example) -> None:
    text = of.record.read_text("utf-8")
    (replayed,) = replay_files([(of.record.name, StringIO(text))])
    if GAMES[of.game].record.replay is None:
        assert "cannot be replayed" in str(replayed)
        return
    assert isinstance(replayed, Replayed)
    assert replayed.data["result"] == of.result


@each_game
def test_the_examples_are_small(of: Example) -> None:
    found = [path for path in of.folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in found) < 3_000_000
