"""Tips depend on a seat's view alone, and one turn after another has another one.

That they tell nothing of what a seat may not know is under the tests of `tests/test_secrecy.py`,
and what each kind says under those of its game.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from msgspec import Struct
from msgspec.json import decode, encode

from adjudicator.core.game import AnyGame, Page
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, tell
from adjudicator.core.orders import number_lines
from adjudicator.core.tips import choose, fitting
from adjudicator.core.visible import plain
from adjudicator.games import GAMES
from tests.games.playouts import playout
from tests.games.samples import samples

TIPS = {slug: told for slug in GAMES if (told := samples(slug).tips)}
each_game = pytest.mark.parametrize("game", [GAMES[slug] for slug in TIPS], ids=list(TIPS))
FEWEST_KINDS = 12


class Given(Struct, frozen=True):
    """A tip in a random match, None if there was none. `begun` says that it is the first one of its
    match and seat."""

    seat: Seat
    view: Any
    tip: Message | None
    begun: bool


@cache
def given(slug: str) -> Sequence[Given]:
    return list(_given(GAMES[slug]))


def _given(game: AnyGame) -> Iterator[Given]:
    sight = game.sight
    for seed in range(TIPS[game.slug].matches):
        log: list[Any] = []
        met: set[Seat] = set()
        for ply in playout(game, Random(seed), 60):
            for seat in sorted(game.rules.awaiting(ply.before)):
                view = sight.observe(ply.before, seat)
                if sight.remember is not None:
                    seen = [sight.witness(event, seat) for event in log]
                    view = sight.remember(view, [one for one in seen if one], ply.setting.options)
                yield Given(seat, view, game.page.tip(view, tell), seat not in met)
                met.add(seat)
            log += ply.events


def test_a_game_with_tips_says_how_they_are_tried() -> None:
    silent = Page.__dataclass_fields__["tip"].default
    assert [*TIPS] == [slug for slug, game in GAMES.items() if game.page.tip is not silent]


@each_game
def test_equal_views_have_equal_tips(game: AnyGame) -> None:
    for one in given(game.slug):
        again = decode(encode(plain(one.view)), type=game.sight.view)
        assert game.page.tip(again, tell) == one.tip


def named(told: Value) -> Iterator[str]:
    """Yield the names that fill the holes of a sentence."""
    if isinstance(told, str):
        yield from told.split(", ")
    elif isinstance(told, Message):
        for value in told.values.values():
            yield from named(value)


def held_in(seen: object) -> Iterator[str]:
    """Yield every text in a plain view."""
    if isinstance(seen, str):
        yield seen
    elif isinstance(seen, dict):
        for part in (*seen, *seen.values()):
            yield from held_in(part)
    elif isinstance(seen, list):
        for part in seen:
            yield from held_in(part)


@each_game
def test_a_tip_names_only_what_its_view_holds(game: AnyGame) -> None:
    met = set()
    for one in given(game.slug):
        held = set(held_in(plain(one.view)))
        years = {str(year) for year in range(1933, 1940)}
        names = set(named(one.tip)) if one.tip else set()
        assert names <= held | TIPS[game.slug].public | years
        met |= names
    assert met


@each_game
def test_what_a_button_sends_is_legal_and_likely_to_work(game: AnyGame) -> None:
    """It is found in many positions, and depends on the view alone."""
    found = 0
    for one in given(game.slug):
        again = decode(encode(plain(one.view)), type=game.sight.view)
        made = game.page.suggest(one.view, tell)
        assert game.page.suggest(again, tell) == made
        if made is None:
            continue
        sheet = game.orders.parse(number_lines(made.lines))
        assert not sheet.problems
        assert not game.orders.check(one.view, sheet)
        assert not game.orders.warn(one.view, sheet)
        assert all(line.isascii() for line in made.lines)
        found += not made.usual
    assert found > 20


@each_game
def test_a_tip_is_another_one_each_turn(game: AnyGame) -> None:
    """The same kind follows itself seldom, and many kinds are given."""
    last: dict[Seat, str | None] = {}
    kinds, turns, same, silent = set(), 0, 0, 0
    for one in given(game.slug):
        kind = one.tip.text if one.tip else None
        turns += not one.begun
        same += not one.begun and kind is not None and last[one.seat] == kind
        silent += kind is None
        kinds.add(kind)
        last[one.seat] = kind
    assert len(kinds) >= FEWEST_KINDS
    assert same <= turns / 8
    assert silent <= turns / 8


@each_game
def test_each_game_has_enough_kinds(game: AnyGame) -> None:
    tips = import_module(f"adjudicator.games.{game.slug}.page.tips").TIPS
    assert len({tip.sentence.text for tip in tips.values()}) == len(tips) >= FEWEST_KINDS


@each_game
def test_no_tip_is_long(game: AnyGame) -> None:
    for one in given(game.slug):
        assert one.tip is None or len(tell(one.tip)) <= 160


def orders_of_tip(slug: str, kind: str, told: Message) -> Sequence[str]:
    """Return the lines that do what a tip says can be done; none if it is about no order."""
    values = {
        name: tell(one) if isinstance(one, Message) else str(one)
        for name, one in told.values.items()
    }
    form = TIPS[slug].followed.get(kind)
    return form.format(**{**values, "code": values.get("place", "")[:3]}).split("|") if form else ()


@each_game
@pytest.mark.slow
def test_what_a_tip_says_can_be_done_is_taken_by_check(game: AnyGame) -> None:
    module = import_module(f"adjudicator.games.{game.slug}.page.tips")
    followed = set()
    for one in given(game.slug):
        here = module.table(one.view) if game.slug == "espionage" else module.table(one.view, tell)
        for name, found in fitting(module.TIPS, here).items():
            lines = orders_of_tip(game.slug, name, found)
            if not lines:
                continue
            followed.add(name)
            tried = [lines, *([*lines, *more] for more in second_steps(game, here))]
            assert any(not problems(game, one.view, each) for each in tried), (tell(found), lines)
    assert len(followed) >= 3


def second_steps(game: AnyGame, here: Any) -> Iterator[Sequence[str]]:
    """Yield other steps of Espionage, in which a turn has two, by two pieces."""
    if game.slug == "espionage":
        yield from ([f"{step.start}-{step.target}"] for step in here.steps)


def problems(game: AnyGame, view: Any, lines: Sequence[str]) -> Sequence[Any]:
    sheet = game.orders.parse(number_lines(lines))
    return [*sheet.problems, *game.orders.check(view, sheet)]


def test_of_the_tips_that_fit_each_comes_soon() -> None:
    tips = [Message(str(n)) for n in range(5)]
    told = [choose(tips, moment) for moment in range(8)]
    assert set(map(str, tips)) == {str(one) for one in told}
    assert all(one != another for one, another in pairwise(told))
    assert choose([], 3) is None
