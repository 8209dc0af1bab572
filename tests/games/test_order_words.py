"""What is forgotten when an order word, or an option, is added to a game: each place is told.

A word stands in the lexicon; from there it is looked for wherever a player or the program must know
it. Beside these, `adjud game check` plays it, writes it and reads it again in three languages.
"""

import re
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, get_args, get_type_hints

import pytest

from adjudicator.core.game import AnyGame, fold, spelling_of
from adjudicator.core.likeness import alike
from adjudicator.core.match import Setting
from adjudicator.core.message import LANGUAGES
from adjudicator.core.orders import split_lines
from adjudicator.core.record import Chronicle
from adjudicator.games import GAMES
from adjudicator.reports.words import words
from tests import printed
from tests.games.playouts import chance_of, playout
from tests.games.samples import samples
from tests.games.standing import standing
from tests.scale import scaled

ROOT = Path(__file__).parents[2]
each_game = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
EACH_VALUE = [
    pytest.param(game, name, id=f"{slug}-{name}")
    for slug, game in GAMES.items()
    for name in game.options
]


def order_words(game: AnyGame) -> set[str]:
    """Return the words of a game's orders but names of seats and those of older matches alone."""
    names = {seat.upper() for seat in game.seats}
    return {*game.orders.lexicon.words} - names - {*game.orders.lexicon.former}


@cache
def played_lines(slug: str) -> frozenset[str]:
    """Return the order lines of some random matches."""
    game = GAMES[slug]
    return frozenset(
        line
        for variant in game.variants
        for seed in range(scaled(2))
        for ply in playout(game, Random(f"{variant} {seed}"), 100, variant)
        for orders in ply.orders.values()
        for line in game.orders.lines(orders)
    )


def case_lines(game: AnyGame) -> list[str]:
    """Return the lines of a game's cases that read as orders, each by itself, in canonical form."""
    cases = texts(ROOT / f"tests/games/{game.slug}/cases", ".txt").splitlines()
    read = (game.orders.parse(split_lines(line)) for line in cases)
    return [line for one in read if not one.problems for line in game.orders.lines(one.orders)]


def lacking(game: AnyGame, text: str) -> set[str]:
    """Return the order words that do not stand in a text as words of their own."""
    return order_words(game) - set(re.findall(r"[A-Z]+", text))


def modules(game: AnyGame, part: str) -> list[Path]:
    """Return the files of a part of a game: those of a package, or the one of a module."""
    package = ROOT / f"adjudicator/games/{game.slug}"
    return [*package.glob(f"{part}.py"), *sorted(package.glob(f"{part}/**/*.py"))]


def texts(folder: Path, *suffixes: str) -> str:
    files = sorted(path for path in folder.rglob("*") if path.suffix in suffixes)
    return "\n".join(path.read_text("utf-8") for path in files if path.stem != "card.txt")


@each_game
def test_each_order_word_is_played_by_chance_or_in_a_test(game: AnyGame):
    """Else nothing that plays, replays or audits a match ever meets it: `computers` sends it, or a
    case or a test of the game has it."""
    tests = texts(ROOT / f"tests/games/{game.slug}", ".txt", ".py")
    assert not lacking(game, "\n".join((*played_lines(game.slug), tests)))


@each_game
def test_each_kind_of_order_is_met_and_begins_with_a_word_of_the_lexicon(game: AnyGame):
    """Else nothing below, and no check of `adjud game check`, looks at it: chance plays it, or a
    case has a line of it."""
    every = get_type_hints(game.orders.canonical)["order"]
    kinds = set(get_args(every)) or {every}
    cases = texts(ROOT / f"tests/games/{game.slug}/cases", ".txt")
    sheets = re.findall(r"^ORDERS.*\n((?: +.*\n)+)", cases, re.M)
    met = {
        type(order): game.orders.canonical(order).split()[0]
        for text in (*played_lines(game.slug), *cases.splitlines(), *sheets)
        for order in game.orders.parse(split_lines(text)).orders
    }
    assert met.keys() == kinds
    words_ = {word for word in met.values() if word.isalpha() and len(word) > 1}  # or a piece's
    assert words_ <= {*game.orders.lexicon.words}


@each_game
def test_each_order_word_is_in_the_rules(game: AnyGame):
    rules = (ROOT / f"docs/rules/{game.slug}.md").read_text("utf-8")
    assert not lacking(game, rules + (ROOT / "docs/playing.md").read_text("utf-8"))


@each_game
def test_the_page_can_compose_each_order_word(game: AnyGame):
    """But those of which its samples say that they are typed only (`Samples.typed`)."""
    page = texts(ROOT / f"templates/{game.slug}", ".j2", ".js")
    page += "".join(path.read_text("utf-8") for path in modules(game, "page"))
    assert lacking(game, page) == samples(game.slug).typed & order_words(game)


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_order_word_that_is_mistyped_is_noticed(game: AnyGame, language: str):
    """An order line whose first word has two letters exchanged is not passed over as prose."""
    if game.orders.likeness is None:
        return  # then every line is noticed
    likeness, spelling = game.orders.likeness(), spelling_of(game, words(language, game.slug))
    passed = set()
    for line in (*played_lines(game.slug), *case_lines(game)):
        first, blank, rest = spelling(line).partition(" ")
        slip = first[0] + first[2:3] + first[1:2] + first[3:]
        if first.isalpha() and len(first) >= 4 and not alike(likeness, slip + blank + rest):
            passed.add(first)
    assert not passed


@pytest.mark.parametrize(("game", "name"), EACH_VALUE)
def test_a_report_tells_what_was_agreed(game: AnyGame, name: str):
    """The first report says otherwise for each value of an option, as text and as a page."""
    if name == "advance":
        return  # told by the sheet for later turns, which only a page with its form has
    option = game.options[name]
    values = option.values or (option.default, "7")
    for form in ("text", "html"):
        told = {_first_report(game, {name: value}, form) for value in values}
        assert len(told) == len(values), f"as {form}, `page.rows` tells no {name}"


@pytest.mark.parametrize(("game", "name"), EACH_VALUE)
def test_a_record_tells_what_was_agreed(game: AnyGame, name: str):
    """Else it is played again by the default, and an audit finds another match."""
    if name in ("advance", "aids", "unmask_notice"):
        return  # what a player is shown or helped with changes no move of a record
    option = game.options[name]
    told = set()
    for value in (values := option.values or (option.default, "7")):
        _, state = _begun(game, {name: value})
        events = tuple(game.rules.close(state, "cancelled"))
        over = fold(game, state, events)
        chronicle = Chronicle({}, "2026.11.21", game.rules.outcome(over), "match-1", "ab" * 32)
        told.add(game.record.write(chronicle, over, events))
    assert len(told) == len(values), f"`record.write` has no tag for {name}"


def _first_report(game: AnyGame, agreed: dict[str, str], form: str) -> str:
    setting, state = _begun(game, agreed)
    report = printed.public_report(standing(game, state, setting.options).loaded, setting.seats[0])
    return printed.show(report, form)


def _begun(game: AnyGame, agreed: dict[str, str]) -> tuple[Setting, Any]:
    """Return a match of the fewest players in which this is agreed, as it begins."""
    defaults = {key: option.default for key, option in game.options.items()}
    players = game.players[0]
    seats = game.seating(game.variants[0], "").get(players, game.seats[:players])
    setting = Setting(game.variants[0], {**defaults, **agreed}, tuple(seats))
    return setting, game.rules.set_up(setting, chance_of(game, Random(1)))
