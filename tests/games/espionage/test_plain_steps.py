"""Steps as nearly all are written are read without the grammar, and mean what the grammar says."""

import re
from collections.abc import Iterable
from itertools import product

import pytest

from adjudicator.core.orders import Line
from adjudicator.games.espionage.orders import parse as parsing
from adjudicator.games.espionage.orders.values import canonical

BEFORE = ("", "move ", "Flytta", "flytt  spion ", "Överste ", "kaptein", "S ", "move5", "x ")
STARTS = ("d3", "D03", "a1", "z10", "d1000", "d٣")
LINKS = ("", " ", "-", " -> ", "=>", "-=", "--", "x", " x ", " to ", "till", " Till ", "tod")
GOALS = ("d4", "e999", "north", "SØR", "väst", "west.", "weste", "x4", "", "d4, e3-e4")
ODD = ('"d3-d4"', "  d3\N{EN DASH}d4.", "1. d3-d4", "d3 d4 e5", "p d3-d4", "9 d3-d4", "north d3")


@pytest.mark.slow
def test_with_and_without_the_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [*ODD, *map("".join, product(BEFORE, STARTS, LINKS, GOALS))]
    assert sum(parsing._ONE_STEP.fullmatch(line.lower()) is not None for line in lines) > 400
    quick = _parsed(lines)
    monkeypatch.setattr(parsing, "_ONE_STEP", re.compile("(?!)"))  # which nothing matches
    slow = _parsed(lines)
    assert [line for line, one, other in zip(lines, quick, slow, strict=True) if one != other] == []


def _parsed(lines: Iterable[str]) -> list[object]:
    parsing._steps.cache_clear()
    return [parsing.parse([Line(1, line)]) for line in lines]


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("d3-d4", "d3-d4"),
        ("d3 to d4", "d3-d4"),
        ("d3 north", "d3-d4"),
        ("Spy f3 øst", "f3-g3"),
        ("flytta general d3 till d4", "d3-d4"),
    ],
)
def test_one_step_needs_no_grammar(text: str, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsing._steps.cache_clear()
    monkeypatch.setattr(parsing, "_grammar", None)
    (order,) = parsing.parse([Line(1, text)]).orders
    assert canonical(order) == step
