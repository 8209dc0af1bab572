"""The JSON, order lines and records of random matches are those that were noted."""

from pathlib import Path

import pytest

from tests.games.json_digest import examples_digest, game_digest
from tests.games.under_contract import OURS
from tests.scale import SCALE

NOTED = {
    tuple(words): digest
    for *words, digest in map(
        str.split, Path(__file__).with_name("json_digests.txt").read_text("utf-8").splitlines()
    )
}
SLOW = 200 if SCALE > 1 else 20


@pytest.mark.parametrize("slug", [slug for slug, *matches in NOTED if matches == ["1"]])
@pytest.mark.parametrize("matches", [1, pytest.param(SLOW, marks=pytest.mark.slow)])
def test_random_matches_are_written_as_they_were(slug: str, matches: int) -> None:
    assert game_digest(OURS[slug], matches) == NOTED[slug, str(matches)]


def test_the_json_in_examples_is_as_it_was() -> None:
    assert examples_digest() == NOTED[("examples",)]
