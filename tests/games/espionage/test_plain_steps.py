"""Steps as we write them are read without the grammar, and mean what the grammar says."""

import re

import pytest

from adjudicator.core.orders import Line
from adjudicator.games.espionage.orders import parse


@pytest.mark.parametrize(
    "text",
    [
        "d3-d4",
        "D3-D4",
        "  d3\N{EN DASH}d4.",
        '"d3-d4"',
        "S d3-d4",
        "p d3-d4",
        "5 d3-d4",
        "h a10-a9",
        "d03-d004",
        "d3-d999",
        "z1-z2",
        "d3 - d4",
        "d3-d4, e3-e4",
        "9 d3-d4",
        "x d3-d4",
        "d3-d1000",
        "d3-",
        "S  d3-d4",
        "d٣-d٤",
        "1. d3-d4",
    ],
)
def test_with_and_without_the_grammar(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = parse.parse([Line(1, text)])
    monkeypatch.setattr(parse, "_PLAIN_STEP", re.compile("(?!)"))  # which nothing matches
    assert parse.parse([Line(1, text)]) == quick


def test_a_canonical_step_needs_no_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "_grammar", None)
    (order,) = parse.parse([Line(1, "d3-d4")]).orders
    assert parse.canonical(order) == "d3-d4"
