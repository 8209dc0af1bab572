"""Test what every game owes the program that runs it.

A new game is under test when it is in GAMES. A test that fails says what the game lacks.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.core.dice import CHAIN_LENGTH, Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Option, Seat, Setting
from adjudicator.core.orders import split_lines
from adjudicator.games import GAMES
from adjudicator.reports import whole
from adjudicator.service.base.options import DEFAULTS, UNCHOSEN
from adjudicator.service.game_check.sample import Sample
from adjudicator.service.game_check.table import CHECKS, Check, findings
from tests.games.changed import with_part
from tests.games.one_turn import play_turn
from tests.games.playouts import Ply, computer_order, playout, setting_of
from tests.games.skeleton.game import SKELETON
from tests.games.skeleton.game.sight import View
from tests.games.standing import standing
from tests.games.under_contract import ALL, OURS, each_game, each_game_of_ours
from tests.nightly import NIGHT
from tests.printed import Printable, forms, public_report, show
from tests.scale import examples, scaled

ROOT = Path(__file__).parents[2]
OPTIONS_BOOK = (ROOT / "docs/reference/options.md").read_text("utf-8")
INTERFACE = (ROOT / "docs/interface.md").read_text("utf-8")
PLAYOUTS = scaled(3)  # of each variant
LONGEST = 150
ONLOOKER = Seat("")

VARIANTS = [(game, variant) for game in ALL.values() for variant in game.variants]
pytestmark = pytest.mark.usefixtures("skeleton")
each_variant = pytest.mark.parametrize(
    ("game", "variant"), VARIANTS, ids=[f"{game.slug}-{variant}" for game, variant in VARIANTS]
)


def plies(game: AnyGame, variant: str) -> tuple[Ply, ...]:
    """Return every adjudication of a few random matches, in which some seats send rubbish."""
    return _plies(game.slug, variant)


@cache
def _plies(slug: str, variant: str) -> tuple[Ply, ...]:
    return tuple(
        ply
        for seed in range(PLAYOUTS)
        for ply in playout(ALL[slug], Random(f"{variant} {seed}"), LONGEST, variant, rubbish=0.2)
    )


def states(game: AnyGame, variant: str) -> list[tuple[Ply, Any]]:
    """Return every state that was reached, the first and the last of each match among them."""
    return [(ply, state) for ply in plies(game, variant) for state in (ply.before, ply.after)]


@cache
def _sample(slug: str) -> Sample:
    words = {SKELETON.slug: "tests.games.skeleton.game:SKELETON"}
    return Sample(ALL[slug], "contract", scaled(1), words.get(slug, slug))


# Whether a match hangs on the process that plays it is asked of one game by day. Of ours their
# digests show it, too, which another process noted (test_json_digest.py).
OF_THE_NIGHT = [(game, "processes") for game in ALL if game != SKELETON.slug]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "check"),
    [
        pytest.param(
            game,
            check,
            id=f"{game.slug}-{check.name}",
            marks=[NIGHT] if (game.slug, check.name) in OF_THE_NIGHT else [],
        )
        for game in ALL.values()
        for check in CHECKS
    ],
)
def test_a_game_keeps_its_contract(game: AnyGame, check: Check):
    """As `adjud game check` does, which needs no tests."""
    told = [f"{one.told} ({one.place})" for one in islice(findings(check, _sample(game.slug)), 3)]
    assert told == [] or (check.warns and game.slug not in OURS), check.demands


@each_game
def test_a_game_is_known_by_its_slug(game: AnyGame):
    assert GAMES[game.slug] is game, f"GAMES has another game by the name of {game.slug}"


@each_game_of_ours
def test_each_option_has_a_row_in_the_books(game: AnyGame):
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (?:(\w+): )?", OPTIONS_BOOK, re.MULTILINE)
    assert {key for key, _, title in rows if not title} == {*DEFAULTS, *UNCHOSEN}
    of_game = {key: values for key, values, title in rows if title == game.title}
    assert of_game == {
        key: ", ".join(f"`{value}`" for value in option.values) or f"`0` … `{option.most}`"
        for key, option in game.options.items()
    }, "`pytest tests/test_reference.py --bless` writes docs/reference/options.md"
    if game.options:
        (paragraph,) = re.findall(r"^\*\*Options of a match\*\*.*?\n\n", INTERFACE, re.M | re.S)
        (added,) = re.findall(rf"{game.title} adds ([^;.]+)[;.]", paragraph)
        assert re.findall(r"`(\w+)`", added) == [*game.options], "docs/interface.md, section 1"


def values_of(option: Option) -> Sequence[str]:
    return option.values or ("0", "1", str(option.most))


EACH_VALUE = [
    (game, name, value)
    for game in ALL.values()
    for name, option in game.options.items()
    for value in values_of(option)
]


@pytest.mark.parametrize(
    ("game", "name", "value"),
    EACH_VALUE,
    ids=[f"{game.slug}-{name}={value}" for game, name, value in EACH_VALUE],
)
def test_a_match_begins_with_each_value_of_each_option(game: AnyGame, name: str, value: str):
    for variant in game.variants:
        drawn = setting_of(game, Random(f"{name} {value}"), variant)
        setting = Setting.of(game.options, variant, {name: value}, drawn.seats)
        chance = Chance(bytes(32), "m", label=game.proof.label)
        state = game.rules.set_up(setting, chance)
        orders = {
            seat: computer_order(game, state, seat, chance, 0)
            for seat in game.rules.awaiting(state)
        }
        events, state = play_turn(game, state, orders, chance)
        assert events
        for seat in setting.seats:
            at = standing(game, state, setting.options)
            printable = Printable(public_report(at.loaded, seat), "en", "UTC")
            assert show(printable, "text")


@each_variant
def test_a_page_that_is_made_twice_is_the_same(game: AnyGame, variant: str):
    for ply in (plies(game, variant)[0], plies(game, variant)[-1]):
        state, seat = ply.after, ply.setting.seats[0]
        once, twice = (
            forms(Printable(public_report(standing(game, state).loaded, seat), "nb", "UTC"))
            for _ in range(2)
        )
        assert list(once) == list(twice)


@each_game
@given(text=st.text())
@examples(200)
@pytest.mark.slow
def test_any_text_at_all_is_read_or_answered(game: AnyGame, text: str):
    lines = split_lines(text)
    for entry in game.orders.parse(lines).problems:
        assert str(entry.message)
        assert entry.line in {0, *(line.number for line in lines)}


@each_game
def test_the_playouts_meet_every_kind_of_event(game: AnyGame):
    """The tests above speak of all kinds of events; a match may also end because seats leave.

    A game names those that are too rare for a few random matches; its own tests meet them.
    """
    met = {
        type(event)
        for variant in game.variants
        for ply in plies(game, variant)
        for event in ply.events
    }
    setting = setting_of(game, Random(0))
    start = next(playout(game, Random(0), 1)).before
    met |= {type(event) for event in game.rules.leave(start, setting.seats[:1], "resignation")}
    met |= {type(event) for event in game.rules.succeed(start, setting.seats[0])}
    rare: frozenset[type] = frozenset()
    if game.slug in OURS:
        rare = getattr(import_module(f"tests.games.{game.slug}.twins"), "RARE", frozenset())
    kinds = {*get_args(game.rules.event)} or {game.rules.event}
    assert met | rare == kinds, "list in `RARE` of its twins.py what random matches do not meet"


@pytest.mark.slow
@each_variant
def test_garbled_sheets_are_answered_or_played(game: AnyGame, variant: str):
    for seed in range(PLAYOUTS):
        for ply in playout(game, Random(f"rubbish {seed}"), LONGEST // 2, variant, rubbish=1):
            assert ply.events


@each_variant
def test_the_links_of_public_chains_that_are_shown_are_those_of_seats_in_play(
    game: AnyGame, variant: str
):
    for ply, state in states(game, variant)[::10]:
        for seat in ply.setting.seats:
            for link in game.proof.links(state, seat):
                assert link.seat is None or link.seat in ply.setting.seats
                assert 1 <= link.number <= CHAIN_LENGTH


def test_a_view_that_a_report_would_overwrite_is_refused():
    class Clash(View, frozen=True, kw_only=True):
        match: str

    with pytest.raises(TypeError, match="every report has match already"):
        with_part(SKELETON, "sight", view=Clash)
    with pytest.raises(TypeError, match="every report has marks already"):
        with_part(SKELETON, "record", key="marks")


TEMPLATES = {
    "report.txt.j2": "the report as text",
    "report.html.j2": "the report as a page",
    "email.html.j2": "the report as the HTML part of a letter",
    "report.svg.j2": "the board as a picture by itself",
    "card.txt.j2": "what HELP sends",
    "first.txt.j2": "what the first letter of a match says",
    "history.html.j2": "what looks back, which `page.past` reads",
    "rules.html.j2": "the page that `page.rules` is for",
    "aside.txt.j2": "the letter with what `sight.tells_once`",
}


@each_game
def test_every_template_can_be_used(game: AnyGame):
    assert {*whole.of_game(game)} <= {*TEMPLATES}
    damaged = [str(fault) for fault in whole.templates([game])]
    assert not damaged, f"no page can be made of {damaged}"


@each_game_of_ours
def test_a_game_has_cases_and_twins(game: AnyGame):
    home = ROOT / "tests" / "games" / game.slug
    assert list((home / "cases").glob("*.txt")), f"{home}/cases has no rules as cases"
    assert (home / "twins.py").is_file(), "tests/test_secrecy.py needs twins.py"


@each_game_of_ours
def test_a_game_has_an_example_and_kinds_of_matches_to_look_at(game: AnyGame):
    samples = import_module(f"tests.games.{game.slug}.samples")
    assert samples.EXAMPLE.game == game.slug
    assert {kind.variant for kind in samples.KINDS.values()} == set(game.variants)
    if game is not SKELETON:
        sheets = list((samples.EXAMPLE.folder / "match" / "sheets").glob("*.txt"))
        assert sheets, (
            f"{samples.EXAMPLE.folder} has no match to look at: see tests/example_match.py"
        )
