"""Games that bring their rules, orders and sight alone: what `core/simple` makes of these."""

from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest
from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.game import AnyGame, fold, spelling_of
from adjudicator.core.match import Option, Seat, Setting
from adjudicator.core.message import Message, say, tell
from adjudicator.core.orders import split_lines
from adjudicator.core.record import Chronicle, Refused, Replayed, transcripts
from adjudicator.core.simple import Look, Map, SimpleOrders, Square, Squares, Thing, ValueTable
from adjudicator.core.simple.board import text
from adjudicator.core.simple.computers import below
from adjudicator.games import GAMES
from adjudicator.reports import render
from adjudicator.reports.words import load_catalogue
from adjudicator.resources import ELSEWHERE, folder, is_untranslated, template
from tests import printed
from tests.games.examples import GOOFSPIEL
from tests.games.playouts import playout
from tests.games.small_games import HUNT, SEATS, SMALL, SQUARES, TOWNS, Claim, game
from tests.games.standing import standing

NORTH, EAST, SOUTH = SEATS
CHANCE = Chance(bytes(32), "m", SQUARES.proof.label)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for slug, one in SMALL.items():
        monkeypatch.setitem(GAMES, slug, one)


def opened(seats: Sequence[Seat] = SEATS) -> Any:
    return SQUARES.rules.set_up(Setting("standard", {"rounds": "2"}, tuple(seats)), CHANCE)


def told(state: Any, *lines: str) -> list[str]:
    """Return what North is told of its orders."""
    return refusals(SQUARES, state, *lines)


def refusals(game: AnyGame, state: Any, *lines: str) -> list[str]:
    sheet = game.orders.parse(split_lines("\n".join(lines)))
    problems = game.orders.check(game.sight.observe(state, NORTH), sheet)
    return [f"{one.line}: {one.message}" for one in (*sheet.problems, *problems)]


def played(state: Any, **claims: str) -> Any:
    orders = {Seat(seat): [Claim(one) for one in places.split()] for seat, places in claims.items()}
    return fold(SQUARES, state, SQUARES.rules.adjudicate(state, orders, CHANCE))


def test_a_sheet_has_as_many_orders_as_the_game_says() -> None:
    state = opened()
    assert told(state, "claim A1", "- CLAIM b2.") == []
    assert told(state, "CLAIM a1") == ["0: there are 1 orders here of 2"]
    assert told(state, "CLAIM a1", "CLAIM a2", "CLAIM a3") == ["3: 2 orders are enough"]
    assert told(state, "CLAIM a1", "CLAIM a1") == ["2: CLAIM a1 appears here twice"]
    assert told(state) == ["0: your orders are empty; write CLAIM b2"]


@pytest.mark.parametrize("line", ["CLAIM", "CLAIM ..", "CLAIM a1 a2", "TAKE a1", "a1"])
def test_a_line_that_is_no_order_is_answered_with_one_that_is(line: str) -> None:
    (first, *_) = told(opened(), line, "CLAIM a1")
    assert first == f"1: I do not understand '{line}'; write CLAIM b2"


class Hide(Struct, frozen=True):
    place: Literal["mill", "well"]


class Go(Struct, frozen=True):
    place: Literal["mill", "well"]


class Stay(Struct, frozen=True):
    pass


def _moves(view: Any) -> Sequence[Hide | Go | Stay]:
    return [Hide("mill"), Hide("well")] if view.turn == 1 else [Go("mill"), Stay()]


WALK = game(
    "walk",
    Look(),
    orders=SimpleOrders(
        words={"HIDE": Hide, "GO": Go, "STAY": Stay},
        examples=("HIDE mill", "GO well", "GO mill", "STAY"),
        legal=_moves,
    ),
)


def test_a_template_has_the_words_that_are_legal_now() -> None:
    for state, lines in (
        (opened(), ["HIDE .."]),
        (replace(opened(), turn=2), ["GO ..", "STAY .."]),
    ):
        assert [*WALK.orders.template(WALK.sight.observe(state, NORTH))] == lines
        for line in lines:
            assert refusals(WALK, state, line)


@pytest.mark.parametrize(
    ("line", "example"),
    [
        ("GO nowhere", "GO well"),
        ("stay here", "STAY"),
        ("HIDE", "HIDE mill"),
        ("RUN mill", "HIDE mill / GO well / STAY"),
    ],
)
def test_a_line_is_answered_with_an_example_of_its_word(line: str, example: str) -> None:
    (told,) = refusals(WALK, opened(), line)
    assert told == f"1: I do not understand '{line}'; write {example}"


def test_empty_orders_are_answered_with_what_is_legal_now() -> None:
    assert refusals(WALK, opened()) == ["0: your orders are empty; write HIDE mill"]
    assert refusals(WALK, replace(opened(), turn=2)) == ["0: your orders are empty; write GO mill"]


def test_the_card_has_no_sheet_that_would_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "walk", WALK)
    card = render.card(WALK, "en", spelling_of(WALK, tell))
    sheet = card[card.index("\nORDERS") : card.index("\nEND")].split()
    assert sheet[-2:] == ["HIDE", "mill"]
    assert len(sheet) == 4
    assert "written like this:\n\nGO well\nSTAY\n" in card


def test_an_illegal_order_is_answered_with_what_is_legal() -> None:
    state = played(opened(), north="a1 a2", east="a1 a3", south="b1 b2")
    (refused,) = told(state, "CLAIM a1", "CLAIM b1")
    assert refused.startswith("1: you cannot order CLAIM a1 now; you can order CLAIM a3, CLAIM b3")


def test_what_a_seat_wrote_is_told_to_no_other() -> None:
    state = opened()
    events = tuple(SQUARES.rules.adjudicate(state, {NORTH: [Claim("a1"), Claim("a2")]}, CHANCE))
    assert [SQUARES.sight.witness(event, EAST) for event in events] == [None] * len(events)


def test_one_of_three_leaves_and_two_play_on() -> None:
    state = fold(SQUARES, opened(), SQUARES.rules.leave(opened(), [EAST], "resignation"))
    assert SQUARES.rules.awaiting(state) == {NORTH, SOUTH}
    assert SQUARES.rules.gone(state) == (EAST,)
    state = fold(SQUARES, state, SQUARES.rules.leave(state, [SOUTH], "forfeit"))
    outcome = SQUARES.rules.outcome(state)
    assert outcome
    assert (outcome.winner, outcome.reason) == (NORTH, "forfeit")


def test_a_game_says_what_else_happens_when_a_seat_leaves() -> None:
    ended = {
        seats: fold(HUNT, opened(), HUNT.rules.leave(opened(), seats, "forfeit")).outcome
        for seats in ((EAST,), (NORTH,), (NORTH, SOUTH), (EAST, SOUTH), SEATS)
    }
    winners = {seats: outcome and outcome.winners for seats, outcome in ended.items()}
    assert winners == {
        (EAST,): (NORTH, SOUTH),
        (NORTH,): None,
        (NORTH, SOUTH): (EAST,),
        (EAST, SOUTH): (NORTH,),
        SEATS: (),
    }
    assert {outcome.reason for outcome in ended.values() if outcome} == {"forfeit"}


def test_a_record_with_a_leaving_is_played_again() -> None:
    start = opened()
    events: list[Any] = []
    state = start

    def add(more: Any) -> None:
        nonlocal state
        new = tuple(more)
        events.extend(new)
        state = reduce(SQUARES.rules.apply, new, state)

    orders = {seat: [Claim("a1"), Claim("b2")] for seat in SEATS}
    add(SQUARES.rules.adjudicate(state, orders, CHANCE))
    add(SQUARES.rules.leave(state, [EAST], "resignation"))
    rest = {seat: [Claim("c1"), Claim("c2")] for seat in (NORTH, SOUTH)}
    add(SQUARES.rules.adjudicate(state, rest, CHANCE))
    outcome = SQUARES.rules.outcome(state)
    record = SQUARES.record.write(
        Chronicle({}, "2026.11.21", outcome, "m", bytes(32).hex()), state, events
    )
    assert "left east: resignation" in record
    (transcript,) = transcripts(record.splitlines())
    assert isinstance(SQUARES.record.replay(transcript), Replayed)
    for old, new, said in (
        ("\n2. ", "\n3. ", "expected ply 2 here, not 3"),
        ("2. south", "2. east", "nobody plays east"),
        ("2. south: CLAIM c1 | CLAIM c2\n", "", "these are not the seats that were due to order"),
        ('[Seats "north,east,south"]', '[Seats "north,west"]', "Seats cannot be 'west'"),
        ('[Variant "standard"]', '[Variant "odd"]', "Variant cannot be 'odd'"),
    ):
        assert old in record
        (spoiled,) = transcripts(record.replace(old, new).splitlines())
        refused = SQUARES.record.replay(spoiled)
        assert isinstance(refused, Refused)
        assert tell(refused.message) == said


def test_boards_are_told_as_text() -> None:
    table = ValueTable(["Player", "Points"], [("Blue", "8"), ("Red", "15")], ["The prize is 2."])
    assert text(table) == ["The prize is 2.", "Player  Points", "Blue    8", "Red     15"]
    squares = Squares(["a", "b"], [("2", [Square(""), Square("", [Thing("XO", "", "x")])])])
    assert text(squares) == ["2  .  XO", "", "   a  b"]
    assert text(Map({"Bonn": (0, 0), "Rome": (9, 9)}, things={"Rome": "A"})) == [
        "Bonn: -",
        "Rome: A",
    ]
    places, ways = {"Bonn": (0, 0), "Oslo": (5, 5), "Rome": (9, 9)}, [("Rome", "Bonn")]
    assert text(Map(places, ways)) == ["Bonn: - (Rome)", "Oslo: -", "Rome: - (Bonn)"]


@pytest.mark.parametrize("game", SMALL.values(), ids=list(SMALL))
@pytest.mark.parametrize("language", ["en", "nb"])
def test_each_kind_of_board_is_printed_in_all_forms(game: AnyGame, language: str) -> None:
    for ply in playout(game, Random(2), 3, agreed={"rounds": "3"}):
        seat = ply.setting.seats[0]
        at = standing(game, ply.after, ply.setting.options)
        report = printed.public_report(at.loaded, seat)
        news = [game.sight.witness(event, seat) for event in ply.events]
        report = replace(report, news=tuple(filter(None, news)))
        sheet = (report.sheet_head(), *game.orders.template(report.view), "END")
        report = replace(report, template=() if report.result else sheet)
        mark = report.view.claimed[0] if game.slug == "plain" else "X"
        for form in ("text", "letter", "html", "svg"):
            assert mark in printed.show(report, form, language)
        assert "rounds: 3." in printed.show(report, "text", language)


def test_a_reason_that_the_game_does_not_name_is_told_as_it_is() -> None:
    state = played(played(opened(), north="a1 a2", east="a1 a3", south="b1 b2"), north="c1 c2")
    report = printed.public_report(standing(SQUARES, state).loaded, NORTH)
    rows = SQUARES.page.rows(report, tell)
    assert rows.result == "North, East, South share the victory: enough."


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("resignation", "Blue wins: the other player resigned."),
        ("forfeit", "Blue wins: the other player forfeited."),
        ("agreement", "Nobody wins: the players agreed."),
        ("cancelled", "The match is cancelled and nobody wins."),
    ],
)
def test_the_ends_that_the_program_brings_are_told(reason: str, said: str) -> None:
    rules, seats = GOOFSPIEL.rules, GOOFSPIEL.seats
    state = rules.set_up(Setting("standard", {"ties": "carried"}, seats), CHANCE)
    leaves = reason in ("resignation", "forfeit")
    ended = rules.leave(state, seats[1:], reason) if leaves else rules.close(state, reason)
    view = GOOFSPIEL.sight.observe(fold(GOOFSPIEL, state, ended), seats[0])
    report = replace(printed.public_report(standing(SQUARES, opened()).loaded, NORTH), view=view)
    assert GOOFSPIEL.page.rows(report, tell).result == said


def test_a_game_without_a_list_of_orders_brings_its_own_computer() -> None:
    from adjudicator.core.simple import SimpleOrders, SimpleRules, SimpleSight, simple_game
    from tests.games import small_games as small

    parts: dict[str, Any] = {
        "slug": "squares",
        "title": "Squares",
        **dict.fromkeys(("gist", "about", "lasts"), say("x")),
        "seats": {seat: Message(seat) for seat in SEATS},
        "rules": SimpleRules(
            state=small.State,
            event=small.Claimed,
            set_up=small.set_up,
            adjudicate=small.adjudicate,
            apply=small.apply,
        ),
        "orders": SimpleOrders(words={"CLAIM": Claim}, examples=("CLAIM b2",)),
        "sight": SimpleSight(
            view=small.View,
            sighting=small.News,
            observe=small.observe,
            witness=small.witness,
        ),
    }
    with pytest.raises(TypeError, match="squares: give `legal` of its orders"):
        simple_game(**parts)
    made = simple_game(**parts, computers={"computer:random": lambda view, chance: (Claim("a1"),)})
    assert made.computers["computer:random"](None, None) == (Claim("a1"),)


@pytest.mark.parametrize("n", [1, 7, 256, 257, 1000])
def test_a_draw_among_many_is_below_their_number(n: int) -> None:
    stream = Stream(bytes(32), "x")
    drawn = [below(n, stream) for _ in range(400)]
    assert min(drawn) >= 0
    assert max(drawn) < n
    assert n < 200 or max(drawn) > n * 0.9


def test_a_template_of_its_own_is_used_in_place_of_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(ELSEWHERE, "squares", tmp_path)
    own = tmp_path / "templates/card.txt.j2"
    assert template("squares/card.txt.j2") == folder("templates") / "default/card.txt.j2"
    own.parent.mkdir()
    own.write_text("Mine\n", "utf-8")
    assert template("squares/card.txt.j2") == own
    assert template("squares/first.txt.j2") == folder("templates") / "default/first.txt.j2"


def test_a_game_of_the_program_has_no_default_templates() -> None:
    assert template("spion/missing.txt.j2") == folder("templates") / "spion/missing.txt.j2"


def test_a_catalogue_of_its_own_is_used_and_need_not_be_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(ELSEWHERE, "squares", tmp_path)
    assert load_catalogue("nb", "squares").gettext("Claims.") == "Claims."
    assert load_catalogue("nb", "squares").gettext("News") == "Nytt"
    catalogue = tmp_path / "locale/nb/LC_MESSAGES/squares.po"
    catalogue.parent.mkdir(parents=True)
    catalogue.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
        'msgid "Claims."\nmsgstr "Krav."\n',
        "utf-8",
    )
    assert load_catalogue("nb", "squares").gettext("Claims.") == "Krav."
    assert load_catalogue("nb", "squares").gettext("News") == "Nytt"
    assert load_catalogue("sv", "squares").gettext("Claims.") == "Claims."


def test_a_catalogue_of_the_program_must_be_there(tmp_path: Path) -> None:
    assert not is_untranslated("spion", "nb")
    assert is_untranslated("squares", "nb")


@pytest.mark.parametrize("form", ["text", "letter", "html"])
def test_the_ways_of_a_map_are_told_where_it_is_no_drawing(form: str) -> None:
    report = printed.public_report(standing(TOWNS, opened()).loaded, NORTH)
    page = printed.show(report, form)
    assert "b1: - (a1, c2)" in page
    assert ("In brackets: where ways lead from there." in page) is (form != "html")


def test_an_option_is_told_that_is_not_as_usual_for_so_many() -> None:
    nights = Option(("10", "12"), by_seats={3: "12"})
    night = game("night", Look(), options={"rounds": Option(("2", "3")), "nights": nights})
    told = {
        value: night.page.rows(
            printed.public_report(standing(night, opened(), {"nights": value}).loaded, NORTH), tell
        ).rules
        for value in ("10", "12")
    }
    assert told["10"].endswith("nights: 10.")
    assert told["12"].endswith("nights: 12.")
    assert "rounds" not in told["10"]


def test_the_first_email_gives_orders_that_are_allowed_as_an_example() -> None:
    assert [*SQUARES.orders.example(SQUARES.sight.observe(opened(), NORTH))] == [
        "CLAIM a3",
        "CLAIM b3",
    ]
    report = printed.public_report(standing(SQUARES, opened()).loaded, NORTH)
    sheet = (report.sheet_head(), *SQUARES.orders.template(report.view), "END")
    rows = SQUARES.page.rows(replace(report, template=sheet), tell)
    assert [*rows.example] == ["CLAIM a3", "CLAIM b3"]
    assert [*SQUARES.page.rows(report, tell).example] == []


# The turn of a match that is over.


def goofspiel(cards: int) -> Any:
    """Return a match in which both have bid so many of their cards, in the same order."""
    rules, orders = GOOFSPIEL.rules, GOOFSPIEL.orders
    state = rules.set_up(Setting("standard", {"ties": "discarded"}, GOOFSPIEL.seats), CHANCE)
    for card in range(1, cards + 1):
        bid = orders.parse(split_lines(f"BID {card}")).orders
        state = fold(
            GOOFSPIEL, state, rules.adjudicate(state, dict.fromkeys(GOOFSPIEL.seats, bid), CHANCE)
        )
    return state


def test_the_last_turn_of_a_match_is_the_last_that_was_ordered() -> None:
    over = goofspiel(13)
    assert over.outcome is not None
    assert GOOFSPIEL.rules.turn(over) == 13
    assert GOOFSPIEL.sight.observe(over, GOOFSPIEL.seats[0]).turn == 13


@pytest.mark.parametrize("reason", ["agreement", "cancelled", "resignation", "forfeit"])
def test_a_match_that_ends_between_two_turns_ends_in_the_one_that_was_open(reason: str) -> None:
    rules, state = GOOFSPIEL.rules, goofspiel(5)
    assert rules.turn(state) == 6
    events = (
        rules.leave(state, [GOOFSPIEL.seats[0]], reason)
        if reason in ("resignation", "forfeit")
        else rules.close(state, reason)
    )
    ended = fold(GOOFSPIEL, state, events)
    assert ended.outcome is not None
    assert rules.turn(ended) == 6
