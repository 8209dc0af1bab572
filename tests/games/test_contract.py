"""Test what every game owes the program that runs it.

A new game is under test when it is in GAMES. A test that fails says what the game lacks.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from importlib import import_module
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from adjudicator.core.commands import read_commands
from adjudicator.core.dice import CHAIN_LENGTH, Chance
from adjudicator.core.game import AnyGame, fold, spelling_of
from adjudicator.core.match import Option, Outcome, Seat, Setting
from adjudicator.core.message import LANGUAGES
from adjudicator.core.orders import folded, split_lines
from adjudicator.core.record import Chronicle, Replayed, Transcript, transcripts
from adjudicator.core.report import IN_BOTH
from adjudicator.core.visible import Visible, plain
from adjudicator.games import GAMES
from adjudicator.reports import whole
from adjudicator.reports.render import card
from adjudicator.reports.words import words
from adjudicator.resources import template
from adjudicator.service.base.options import DEFAULTS, UNCHOSEN
from adjudicator.service.reports import building, printing
from tests.games.changed import with_part
from tests.games.one_turn import play_turn
from tests.games.playouts import PLAYER, Ply, computer_order, playout, setting_of
from tests.games.skeleton.game import SKELETON
from tests.games.skeleton.game.sight import View
from tests.games.standing import standing
from tests.games.under_contract import ALL, OURS, each_game, each_game_of_ours
from tests.scale import examples, scaled

ROOT = Path(__file__).parents[2]
OPTIONS_BOOK = (ROOT / "docs/options.md").read_text("utf-8")
INTERFACE = (ROOT / "docs/interface.md").read_text("utf-8")
PLAYOUTS = scaled(3)  # of each variant
LONGEST = 150
ONLOOKER = Seat("")

VARIANTS = [(game, variant) for game in ALL.values() for variant in game.variants]
pytestmark = pytest.mark.usefixtures("skeleton")
each_variant = pytest.mark.parametrize(
    ("game", "variant"), VARIANTS, ids=[f"{game.slug}-{variant}" for game, variant in VARIANTS]
)


@contextmanager
def needed(what: str) -> Iterator[None]:
    """Say what a game lacks if it raises anything inside the block."""
    try:
        yield
    except Exception as fault:
        raise AssertionError(f"{what} ({type(fault).__name__}: {fault})") from fault


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


@each_game
def test_a_game_is_known_by_its_slug(game: AnyGame):
    assert GAMES[game.slug] is game, f"GAMES has another game by the name of {game.slug}"


@each_game
def test_a_game_names_its_seats_and_variants(game: AnyGame):
    assert set(game.seat_titles) == set(game.seats), "`seat_titles` are those of `seats`"
    assert set(game.variant_titles) == set(game.variants), "each variant has its title"
    assert set(game.seat_words.values()) <= set(game.seats), "a seat's word is for no seat"
    assert game.variants, "a game has a variant, if only one"
    assert max(game.players) <= len(game.seats), "more can play than there are seats"
    for name, option in game.options.items():
        assert option.default in (option.values or ("0",)), f"{name} has no such default"


@each_game
def test_a_seats_words_are_as_they_are_looked_up(game: AnyGame):
    for word, seat in game.seat_words.items():
        assert word == word.casefold(), f"{word} is never found: small letters are looked for"
        plain_word = folded(word)
        assert game.seat_words.get(plain_word, plain_word) == seat, (
            f"{plain_word} is {word} without accents, and is missing"
        )


@each_game_of_ours
def test_each_option_has_a_row_in_the_books(game: AnyGame):
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (?:(\w+): )?", OPTIONS_BOOK, re.MULTILINE)
    assert {key for key, _, title in rows if not title} == {*DEFAULTS, *UNCHOSEN}
    of_game = {key: values for key, values, title in rows if title == game.title}
    assert of_game == {
        key: ", ".join(f"`{value}`" for value in option.values) or f"`0` … `{option.most}`"
        for key, option in game.options.items()
    }, "docs/options.md has a row for each option, with its values"
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
            printable = printing.Printable(building.public(at.loaded, seat), "en", "UTC")
            assert printing.printed(printable, "text")


@each_variant
def test_an_adjudication_changes_something_that_each_seat_sees(game: AnyGame, variant: str):
    for ply in plies(game, variant)[::10]:
        for seat in ply.setting.seats:
            views = (plain(game.sight.observe(state, seat)) for state in (ply.before, ply.after))
            news = (game.sight.witness(event, seat) for event in ply.events)
            assert any(news) or next(views) != next(views), f"{seat} cannot see that time went on"


@each_variant
def test_a_page_that_is_made_twice_is_the_same(game: AnyGame, variant: str):
    for ply in (plies(game, variant)[0], plies(game, variant)[-1]):
        state, seat = ply.after, ply.setting.seats[0]
        once, twice = (
            printing.forms(
                printing.Printable(building.public(standing(game, state).loaded, seat), "nb", "UTC")
            )
            for _ in range(2)
        )
        assert list(once) == list(twice)


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_word_of_the_orders_is_on_the_card(game: AnyGame, language: str):
    """What HELP sends is all that a player has at hand who writes by letter."""
    speak = words(language, game.slug)
    shown = set(re.findall(r"[^\W\d_]+", card(game, language, spelling_of(game, speak))))
    seats = {seat.upper() for seat in game.seats}
    lexicon = game.orders.lexicon
    passed = {*seats, *lexicon.former}
    wanted = {speak(told) for word, told in lexicon.words.items() if word not in passed}
    assert wanted <= shown, f"not in templates/{game.slug}/card.txt.j2: {wanted - shown}"


@each_variant
def test_the_word_with_which_an_order_begins_can_be_translated(game: AnyGame, variant: str):
    begin = {
        game.orders.canonical(order).split()[0]
        for ply in plies(game, variant)
        for orders in ply.orders.values()
        for order in orders
    }
    lacking = {word for word in begin if word.isalpha()} - game.orders.lexicon.words.keys()
    assert not lacking, f"`orders.lexicon` has no {lacking}"


def kinds_of_news(game: AnyGame, variant: str) -> Iterator[tuple[Ply, Seat, Any]]:
    """Yield the first sighting of each kind, and who had it when."""
    met = set()
    for ply in plies(game, variant):
        for seat, event in product(ply.setting.seats, ply.events):
            sight = game.sight.witness(event, seat)
            if sight is not None and (kind := (type(event), type(sight))) not in met:
                met.add(kind)
                yield ply, seat, sight


@pytest.mark.slow
@each_variant
def test_a_page_has_words_for_whatever_a_seat_learns(game: AnyGame, variant: str):
    for ply, seat, sight in kinds_of_news(game, variant):
        at = standing(game, ply.after, ply.setting.options)
        report = replace(building.public(at.loaded, seat), news=(sight,))
        for language in LANGUAGES:
            with needed(f"a page has no words for {plain(sight)}"):
                printable = printing.Printable(report, language, "UTC")
                assert printing.printed(printable, "text")
                assert printing.printed(printable, "letter")


@each_variant
def test_an_order_that_stands_alone_is_read_and_no_command(game: AnyGame, variant: str):
    for ply in plies(game, variant)[::3]:
        for order in (order for orders in ply.orders.values() for order in orders):
            text = game.orders.canonical(order)
            sheet = game.orders.parse(split_lines(text))
            assert sheet.problems == ()
            assert [game.orders.canonical(one) for one in sheet.orders] == [text]
            assert not read_commands(split_lines(text))[0], f"the shell takes {text!r} for its own"


@each_variant
def test_a_record_is_played_again_if_the_game_says_so(game: AnyGame, variant: str):
    """A game without `replay` only writes records; there is no other sign of it."""
    match = list(playout(game, Random(f"record {variant}"), LONGEST, variant))
    state, closing = ended(game, match[-1], "cancelled")
    happened = [event for ply in match[:-1] for event in ply.events]
    seed = match[-1].chance.seed.hex()
    chronicle = Chronicle({}, "2026.11.21", game.rules.outcome(state), "match-1", seed)
    written = game.record.write(chronicle, state, [*happened, *closing])
    (transcript,) = transcripts(written.splitlines())
    assert isinstance(transcript, Transcript), transcript
    assert transcript.values["Game"] == game.title
    if game.record.replay:
        assert isinstance(game.record.replay(transcript), Replayed)


@pytest.mark.slow
@each_variant
def test_the_events_folded_are_the_state_that_was_adjudicated(game: AnyGame, variant: str):
    for ply in plies(game, variant):
        state = ply.before
        for event in ply.events:
            state = game.rules.apply(state, event)
        assert state == ply.after == fold(game, ply.before, ply.events)


@each_variant
def test_states_and_events_survive_real_json(game: AnyGame, variant: str):
    for ply in plies(game, variant):
        body = msgspec.json.encode(ply.events)
        assert msgspec.json.decode(body, type=tuple[game.rules.event, ...]) == ply.events  # type: ignore[name-defined]
        for state in (ply.before, ply.after):
            assert msgspec.json.decode(msgspec.json.encode(state), type=game.rules.state) == state


@each_variant
def test_a_state_read_from_json_plays_on_as_the_state_itself(game: AnyGame, variant: str):
    for ply in plies(game, variant):
        stored = msgspec.json.decode(msgspec.json.encode(ply.before), type=game.rules.state)
        assert tuple(game.rules.adjudicate(stored, ply.orders, ply.chance)) == ply.events
        assert stored == ply.before, "to adjudicate changed the state"


@each_variant
@pytest.mark.parametrize("language", ["nb", "sv"])
def test_an_order_is_read_again_from_the_words_of_each_language(
    game: AnyGame, variant: str, language: str
):
    spelled = spelling_of(game, words(language, game.slug))
    for ply in plies(game, variant):
        for orders in ply.orders.values():
            lines = game.orders.lines(orders)
            sheet = game.orders.parse(split_lines("\n".join(spelled.all(lines))))
            assert sheet.problems == ()
            assert [game.orders.canonical(order) for order in sheet.orders] == [
                game.orders.canonical(order) for order in orders
            ]


@pytest.mark.slow
@each_variant
def test_an_order_is_read_again_from_its_canonical_text(game: AnyGame, variant: str):
    """Words that a player wrote beside it, like the name of his piece, were checked and may be
    gone."""
    for ply in plies(game, variant):
        for seat, orders in ply.orders.items():
            text = "\n".join(game.orders.canonical(order) for order in orders)
            sheet = game.orders.parse(split_lines(text))
            assert sheet.problems == ()
            assert "\n".join(game.orders.canonical(order) for order in sheet.orders) == text
            assert list(game.orders.check(game.sight.observe(ply.before, seat), sheet)) == []
            again = tuple(
                game.rules.adjudicate(ply.before, {**ply.orders, seat: sheet.orders}, ply.chance)
            )
            assert again == ply.events


@each_variant
def test_a_computers_order_is_read_again_as_it_was(game: AnyGame, variant: str):
    for ply in plies(game, variant)[::3]:
        for seat in ply.orders:
            order = computer_order(game, ply.before, seat, ply.chance, 0)
            text = "\n".join(game.orders.canonical(part) for part in order)
            assert game.orders.parse(split_lines(text)).orders == order


@each_game
@given(text=st.text())
@examples(200)
@pytest.mark.slow
def test_any_text_at_all_is_read_or_answered(game: AnyGame, text: str):
    lines = split_lines(text)
    for entry in game.orders.parse(lines).problems:
        assert str(entry.message)
        assert entry.line in {0, *(line.number for line in lines)}


@each_variant
def test_nobody_is_awaited_exactly_when_the_match_has_an_outcome(game: AnyGame, variant: str):
    for ply, state in states(game, variant):
        waits, over = bool(game.rules.awaiting(state)), game.rules.outcome(state) is not None
        assert waits != over, "`awaiting` is empty once there is an outcome, and never before"
        assert game.rules.awaiting(state) <= set(ply.setting.seats), "a seat not in play is awaited"


@each_variant
def test_an_outcome_names_its_winners(game: AnyGame, variant: str):
    for ply, state in states(game, variant):
        outcome = game.rules.outcome(state)
        if outcome:
            _outcome_holds(outcome, ply)


def _outcome_holds(outcome: Outcome, ply: Ply) -> None:
    assert set(outcome.winners) <= set(ply.setting.seats), "a seat not in play has won"
    only = outcome.winners[0] if len(outcome.winners) == 1 else None
    assert outcome.winner == only, "`winner` is given if there is exactly one, `winners` always"
    assert outcome.reason, "an outcome has a reason"


@each_variant
def test_phase_and_turn_follow_the_match(game: AnyGame, variant: str):
    for ply in plies(game, variant):
        phase, then = game.rules.phase(ply.before), game.rules.phase(ply.after)
        assert phase in ("setup", "play"), f"{phase!r} is no phase of a match that goes on"
        over = game.rules.outcome(ply.after) is not None
        assert (then == "over") == over, 'the phase is "over" once there is an outcome'
        turns = game.rules.turn(ply.before), game.rules.turn(ply.after)
        assert 0 <= turns[0] <= turns[1], "turns never go back"
        assert (phase == "setup") == (turns[0] == 0), "turn 0 is the set-up, and nothing else"


@each_variant
def test_a_game_with_orders_in_advance_counts_the_plies_to_each_turn(game: AnyGame, variant: str):
    """Turns are compared as plies, so that a sheet is used for its own turn and for no other."""
    if game.advance is None:
        return
    for ply in plies(game, variant):
        turn = game.rules.turn(ply.before)
        for seat in game.rules.awaiting(ply.before):
            assert game.advance.ply(ply.before, seat, turn) == 0, (
                "an awaited turn is the coming ply"
            )
        if game.rules.outcome(ply.after):
            continue
        for seat, later in product(ply.setting.seats, range(turn, turn + 4)):
            plies_to = game.advance.ply(ply.before, seat, later)
            if plies_to > 0:
                then = game.advance.ply(ply.after, seat, later)
                assert then == plies_to - 1, "each adjudication brings a later turn one ply nearer"


@pytest.mark.slow
@each_variant
def test_every_seat_can_be_told_what_it_sees_in_every_state(game: AnyGame, variant: str):
    for ply, state in states(game, variant):
        for seat in ply.setting.seats:
            view = game.sight.observe(state, seat)
            assert isinstance(view, Visible)
            assert msgspec.json.decode(msgspec.json.encode(plain(view))) == plain(view)


@each_variant
def test_a_report_that_was_stored_is_read_as_it_was(game: AnyGame, variant: str):
    """No key of a view says something else than the same key of every game's reports."""
    both = IN_BOTH.intersection(game.sight.view.__struct_fields__)
    for ply in plies(game, variant)[::3]:
        at = standing(game, ply.after)
        for seat in ply.setting.seats:
            seen = (game.sight.witness(event, seat) for event in ply.events)
            news = tuple(sight for sight in seen if sight is not None)
            told = replace(building.public(at.loaded, seat), news=news)
            for key in both:
                assert getattr(told.view, key) == getattr(told, key), f"the view's {key} is another"
            stored = building.written(game, told)
            again = building.read(game, stored)
            assert building.written(game, again) == stored
            assert type(again.view) is game.sight.view
            assert [type(sight) for sight in again.news] == [type(sight) for sight in news]


@each_variant
def test_who_has_no_seat_can_be_told_what_all_may_see_in_every_state(game: AnyGame, variant: str):
    """The club's pages show an ended match to everybody."""
    for _, state in states(game, variant):
        with needed('`sight.observe` answers for the seat "", which nobody holds'):
            view = plain(game.sight.observe(state, ONLOOKER))
        assert view["seat"] == ONLOOKER, 'a view has `seat`, which is "" for an onlooker'
        assert view["variant"] == variant, "a view has the match's `variant`"


@each_variant
def test_every_seat_is_answered_about_every_event(game: AnyGame, variant: str):
    for ply in plies(game, variant):
        for event in ply.events:
            for seat in ply.setting.seats:
                sight = game.sight.witness(event, seat)
                assert sight is None or isinstance(plain(sight), dict)


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


@each_variant
def test_every_seat_may_leave_and_every_match_be_closed_at_any_time(game: AnyGame, variant: str):
    for ply in plies(game, variant)[::10]:
        left = fold(
            game, ply.before, game.rules.leave(ply.before, ply.setting.seats, "resignation")
        )
        events = tuple(game.rules.close(ply.before, "cancelled"))
        assert len(events) == 1, f"`close` ends a match with one event, not with {len(events)}"
        closed = fold(game, ply.before, events)
        for state in (left, closed):
            assert game.rules.outcome(state) is not None, "`leave` of all, or `close`, is no end"
            assert not game.rules.awaiting(state), "orders are awaited after the end"
            for seat in ply.setting.seats:
                plain(game.sight.observe(state, seat))


@each_variant
def test_a_template_sent_back_as_it_is_is_refused(game: AnyGame, variant: str):
    for ply in plies(game, variant)[::5]:
        for seat in ply.orders:
            view = game.sight.observe(ply.before, seat)
            sheet = game.orders.parse(split_lines("\n".join(game.orders.template(view))))
            refused = sheet.problems or game.orders.check(view, sheet)
            assert refused, "the template is an order already; put `..` where a player writes"


@each_variant
def test_every_computer_sends_orders_that_are_allowed(game: AnyGame, variant: str):
    for number, ply in enumerate(plies(game, variant)[::20]):
        for seat in ply.orders:
            for player in game.computers:
                order = computer_order(game, ply.before, seat, ply.chance, number, player)
                text = "\n".join(game.orders.canonical(part) for part in order)
                sheet = game.orders.parse(split_lines(text))
                assert sheet.problems == ()
                assert list(game.orders.check(game.sight.observe(ply.before, seat), sheet)) == []


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


def playout_digest(game: AnyGame) -> str:
    """Return everything that happens and is seen in a few matches, as one hash."""
    said = sha256()
    for variant in game.variants:
        for number, ply in enumerate(playout(game, Random(variant), 40, variant, rubbish=0.2)):
            said.update(msgspec.json.encode([ply.events, ply.after]))
            for seat in ply.setting.seats:
                said.update(msgspec.json.encode(plain(game.sight.observe(ply.after, seat))))
            for seat in ply.orders if number % 8 == 0 else ():  # some of them think long
                for player in game.computers:
                    order = computer_order(game, ply.before, seat, ply.chance, 0, player)
                    said.update("\n".join(map(game.orders.canonical, order)).encode())
    return said.hexdigest()


@pytest.mark.slow
@each_game
def test_the_same_seed_and_orders_give_the_same_in_every_process(game: AnyGame):
    code = (
        f"from tests.games import test_contract as t; print(t.playout_digest(t.ALL[{game.slug!r}]))"
    )
    digests = set()
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(done.stdout)
    assert digests == {playout_digest(game) + "\n"}


@each_game
def test_a_game_has_a_random_player(game: AnyGame):
    for name in (PLAYER, "computer"):
        assert name in game.computers, f"`computers` has no `{name}`"


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
    "letter.html.j2": "the report as the HTML part of a letter",
    "report.svg.j2": "the board as a picture by itself",
    "card.txt.j2": "what HELP sends",
    "first.txt.j2": "what the first letter of a match says",
    "history.html.j2": "what looks back, which `page.past` reads",
    "rules.html.j2": "the page that `page.rules` is for",
    "aside.txt.j2": "the letter with what `sight.tells_once`",
}


@each_game
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_game_has_the_templates_that_are_asked_for(game: AnyGame, name: str):
    if name in whole.of_game(game):
        assert template(f"{game.slug}/{name}").is_file(), f"{name} is missing: {TEMPLATES[name]}"


@each_game
def test_every_template_can_be_used(game: AnyGame):
    assert {*whole.of_game(game)} <= {*TEMPLATES}
    damaged = [str(fault) for fault in whole.templates([game])]
    assert not damaged, f"no page can be made of {damaged}"


def ended(game: AnyGame, ply: Ply, reason: str) -> tuple[Any, tuple[Any, ...]]:
    """Return a match as it is when the program has ended it, and the events of that."""
    seats = ply.setting.seats
    leaves = reason in ("resignation", "forfeit")
    rules, state = game.rules, ply.before
    events = rules.leave(state, seats[1:], reason) if leaves else rules.close(state, reason)
    happened = tuple(events)
    return fold(game, state, happened), happened


@each_variant
@pytest.mark.parametrize("reason", ["resignation", "forfeit", "agreement", "cancelled"])
def test_a_match_that_the_program_has_ended_can_be_read(game: AnyGame, variant: str, reason: str):
    """Nobody's last page may be missing for want of a sentence, in any language."""
    ply = plies(game, variant)[0]
    state, events = ended(game, ply, reason)
    outcome = game.rules.outcome(state)
    assert outcome, f"nobody is left to play, and the match has no outcome ({reason})"
    assert outcome.reason == reason, f"the outcome's reason is the one that was given: {reason}"
    at, seats = standing(game, state), ply.setting.seats
    with needed("`record.write` writes every ended match"):
        written = game.record.write(Chronicle({}, "2026.11.21", outcome), state, events)
    for seat, language in product((*seats, ONLOOKER), LANGUAGES):
        report = replace(building.public(at.loaded, seat), record=written)
        printable = printing.Printable(report, language, "UTC")
        with needed(f"a page needs a sentence for a match that ended by {reason!r}, in {language}"):
            assert game.page.rows(report, words(language, game.slug)).result
            assert all(text for _, text in printing.forms(printable))
            assert printing.printed(printable, "svg")


@each_variant
def test_the_game_master_sees_everything_as_text(game: AnyGame, variant: str):
    for _, state in states(game, variant)[::10]:
        with needed("`sight.truth` draws every state"):
            assert game.sight.truth(state).strip()


@each_game_of_ours
def test_a_game_has_cases_and_twins(game: AnyGame):
    home = ROOT / "tests" / "games" / game.slug
    assert list((home / "cases").glob("*.txt")), f"{home}/cases has no rules as cases"
    assert (home / "twins.py").is_file(), "tests/test_secrecy.py needs twins.py"


@each_game_of_ours
def test_a_game_has_an_example_and_kinds_of_matches_to_look_at(game: AnyGame):
    with needed(f"tests/games/{game.slug}/samples.py has an EXAMPLE and KINDS"):
        samples = import_module(f"tests.games.{game.slug}.samples")
        assert samples.EXAMPLE.game == game.slug
        assert {kind.variant for kind in samples.KINDS.values()} == set(game.variants)
    if game is not SKELETON:
        sheets = list((samples.EXAMPLE.folder / "match" / "sheets").glob("*.txt"))
        assert sheets, (
            f"{samples.EXAMPLE.folder} has no match to look at: see tests/example_match.py"
        )
