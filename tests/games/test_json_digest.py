"""The JSON, order lines and records of random matches are those that were noted."""

from pathlib import Path

import pytest

from tests.games.json_digest import MATCHES, examples_digest, game_digest
from tests.games.under_contract import OURS
from tests.nightly import NIGHT

# By day so many matches that each variant is in one, by night many.
NOTED = {
    tuple(words): digest
    for *words, digest in map(
        str.split, Path(__file__).with_name("json_digests.txt").read_text("utf-8").splitlines()
    )
}


def marks(matches: int) -> list[pytest.MarkDecorator]:
    return [NIGHT] if matches == MATCHES else [pytest.mark.slow] if matches > 1 else []


@pytest.mark.parametrize(
    ("slug", "matches"),
    [
        pytest.param(slug, int(matches), marks=marks(int(matches)))
        for slug, *numbers in NOTED
        for matches in numbers
    ],
)
def test_random_matches_are_written_as_they_were(slug: str, matches: int) -> None:
    assert game_digest(OURS[slug], matches) == NOTED[slug, str(matches)]


def test_the_json_in_examples_is_as_it_was() -> None:
    assert examples_digest() == NOTED[("examples",)]
