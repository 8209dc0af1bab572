"""Game records (interface, section 4): what is written replays, what cannot be is refused."""

from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.game import fold
from adjudicator.core.match import Outcome, Setting
from adjudicator.core.orders import Line, Sheet, WrittenOrder
from adjudicator.core.record import Chronicle, Refused, Replayed, Transcript, transcripts
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.orders.check import check
from adjudicator.games.espionage.orders.values import Move
from adjudicator.games.espionage.record.replay import is_legal, replay
from adjudicator.games.espionage.rules.board import in_order
from adjudicator.games.espionage.rules.pieces import BLACK, SIDES, WHITE
from adjudicator.games.espionage.rules.state import Event, Ordered, State, Step, Stepped
from adjudicator.games.espionage.rules.turns import ground
from adjudicator.games.espionage.sight.observe import observe
from tests.games.one_turn import play_turn
from tests.scale import examples

EXAMPLES = Path(__file__).parents[3] / "examples" / "espionage" / "games.esp"

# White walks up to a Headquarters in the front row; a Spy on h4 and a Spy on h3 meet.
TAGS = """\
[Game "Espionage"]
[Variant "small-fast"]
[White "Anna"]
[Black "Bob"]
[Date "2026.11.21"]
[Volcanoes "b4 g5"]
[WhiteSetup "1111222S/334455SS/SPPPMMMH"]
[BlackSetup "SPPPMMM1/334455SS/111H222S"]
[Result "white headquarters"]
"""
TURNS = """
1. d3-d4 / h6-h5
2. d4-d5 / h5-h4
3. d5-d6
"""
GAME = TAGS + TURNS

# The same with two pieces a turn; the last order's second step is never made (2.7).
PAIRS = (
    TAGS.replace("small-fast", "small")
    + """
1. d3-d4 a3-a4 / h6-h5 a6-a5
2. d4-d5 c3-c4 / h5-h4 b6-b5
3. d5-d6 e3-e4
"""
)


def read(text: str) -> list[Replayed | Refused]:
    return [
        found if isinstance(found, Refused) else replay(found)
        for found in transcripts(text.splitlines(keepends=True))
    ]


def only(text: str) -> Mapping[str, Any]:
    (found,) = read(text)
    assert isinstance(found, Replayed), str(found.message)
    return found.data


def refusal(text: str) -> tuple[int, str]:
    (found,) = read(text)
    assert isinstance(found, Refused)
    return found.line, str(found.message)


def changed(old: str, new: str, text: str = GAME) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


# What a replay says


def test_a_replay_tells_every_step_and_what_became_known_in_it() -> None:
    steps = only(GAME)["steps"]
    assert steps[0] == {
        "turn": 1,
        "side": "white",
        "step": 1,
        "from": "d3",
        "to": "d4",
        "outcome": "moved",
        "revealed": [],
    }
    assert [(s["side"], s["from"], s["to"], s["outcome"], s["revealed"]) for s in steps[1:]] == [
        ("black", "h6", "h5", "moved", []),
        ("white", "d4", "d5", "moved", []),
        ("black", "h5", "h4", "moved", ["g3", "h3", "h4"]),
        ("white", "d5", "d6", "won", []),
    ]


def test_a_replay_tells_the_result_and_counts_orders_not_steps() -> None:
    data = only(PAIRS)
    assert list(data) == ["variant", "orders", "result", "steps", "pieces"]
    assert data["variant"] == "small"
    assert data["orders"] == 5
    assert data["result"] == {"winner": "white", "reason": "headquarters"}


def test_the_final_position_is_sorted_by_file_and_then_by_rank() -> None:
    pieces = only(GAME)["pieces"]
    squares = [piece["square"] for piece in pieces]
    assert squares == sorted(squares, key=lambda square: (square[0], int(square[1:])))
    assert len(pieces) == 47
    assert pieces[0] == {"square": "a1", "side": "white", "rank": "spy", "revealed": False}


def test_the_showing_at_the_end_reveals_nothing_in_a_record() -> None:
    revealed = [piece["square"] for piece in only(GAME)["pieces"] if piece["revealed"]]
    assert revealed == ["g3", "h3", "h4"]


def test_in_open_fast_every_piece_is_revealed_and_steps_reveal_nothing() -> None:
    state, events = random_match("open-fast", 1, 60)
    data = only(written(state, events))
    assert all(piece["revealed"] for piece in data["pieces"])
    assert not any(step["revealed"] for step in data["steps"])


def test_a_second_step_that_was_left_unmade_is_legal_and_not_told() -> None:
    assert only(PAIRS)["steps"][-1]["to"] == "d6"
    line, reason = refusal(changed("e3-e4", "e3-e5", PAIRS))
    assert (line, reason) == (13, "turn 3, White: e3 to e5 is too far; a piece steps one square")


def test_fights_decide_what_becomes_known() -> None:
    text = changed("white headquarters", "*").replace("111H222S", "H111222S")
    assert only(text)["steps"][-1]["revealed"] == []
    with_fights = changed('[Result "*"]', '[Fights "both"]\n[Result "*"]', text)
    assert only(with_fights)["steps"][-1]["revealed"] == ["d6"]


def test_an_unfinished_game_has_no_result_and_may_end_with_whites_order() -> None:
    data = only(TAGS.replace("white headquarters", "*") + "1. d3-d4 / h6-h5\n2. d4-d5\n")
    assert data["result"] is None
    assert data["orders"] == 3


@pytest.mark.parametrize(
    ("tag", "winner", "reason"),
    [
        ("white resignation", "white", "resignation"),
        ("black forfeit", "black", "forfeit"),
        ("draw agreement", None, "agreement"),
        ("none cancelled", None, "cancelled"),
    ],
)
def test_what_the_board_does_not_decide_is_believed(
    tag: str, winner: str | None, reason: str
) -> None:
    data = only(TAGS.replace("white headquarters", tag) + "1. d3-d4\n")
    assert data["result"] == {"winner": winner, "reason": reason}


def test_the_summary_is_one_line_for_people() -> None:
    (found,) = read(changed("Anna", r"An\"na {x}"))
    assert isinstance(found, Replayed)
    assert str(found.summary) == 'An"na {x} - Bob, small-fast: white headquarters, 5 orders'


def test_the_examples_replay() -> None:
    results = []
    for found in read(EXAMPLES.read_text("utf-8")):
        assert isinstance(found, Replayed), str(found.message)
        results.append(found.tags["Result"])
    assert results == [
        "white headquarters",
        "black headquarters",
        "black resignation",
        "draw agreement",
        "draw no-progress",
        "*",
    ]


# How a record may be written


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + GAME,
        GAME.replace("\n", "\r\n"),
        GAME.replace("\n", "\n\n"),
        TAGS + TURNS.replace("\n", " "),
        TAGS + TURNS.replace(" ", "\n"),
        TAGS + TURNS.replace(" / ", "/").replace(". ", "."),
        "; a note\n" + TAGS + TURNS.replace("h6-h5", "h6-h5 {well; well} ; and so on"),
        GAME.replace(']\n[Black "', '] [Black "'),
        GAME.replace("[Date", '[Round "3"]\n[Date'),
    ],
    ids=["mark", "crlf", "blank", "one line", "wrapped", "dense", "notes", "tags", "unknown tag"],
)
def test_layout_does_not_matter(text: str) -> None:
    assert only(text) == only(GAME)


def test_tags_that_nobody_knows_are_kept() -> None:
    (found,) = read('[Round "a \\"b\\" \\\\"]\n' + GAME)
    assert isinstance(found, Replayed)
    assert found.tags["Round"] == 'a "b" \\'


def test_games_need_nothing_between_them() -> None:
    assert [found.line for found in read(GAME + GAME)] == [1, 14]


def test_games_without_moves_are_told_apart() -> None:
    cancelled = '[Game "Espionage"]\n[Variant "fast"]\n[Volcanoes "a5 b5 i6 j6"]\n'
    cancelled += '[Result "none cancelled"]\n'
    found = read(cancelled + cancelled + GAME + "\n" + cancelled)
    assert [game.line for game in found] == [1, 5, 9, 23]
    assert all(isinstance(game, Replayed) for game in found)


def test_a_long_file_is_read_game_by_game() -> None:
    lines = cycle(GAME.splitlines(keepends=True))
    games = transcripts(lines)
    assert isinstance(next(games), Transcript)
    assert next(lines) == GAME.splitlines(keepends=True)[1]


# What is refused


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("d3-d4", "d3-d5", 11, "turn 1, White: d3 to d5 is too far; a piece steps one square"),
        ("d3-d4", "k3-k4", 11, "turn 1, White: there is no square k3"),
        ("d3-d4", "d4-d5", 11, "turn 1, White: you have no piece on d4"),
        ("h6-h5", "h3-h4", 11, "turn 1, Black: the piece on h3 is not yours"),
        ("d3-d4", "b3-b4", 11, "turn 1, White: b4 is a volcano"),
        ("d3-d4", "d3-d2", 11, "turn 1, White: your own piece is on d2"),
        ("d4-d5", "d4-d3", 12, "turn 2, White: a piece may not go straight back"),
        ("d4-d5", "h1-h2", 12, "turn 2, White: your Headquarters on h1 cannot move"),
        ("d3-d4", "d3-d4 c3-c4", 11, "turn 1, White: too many steps"),
        ("d3-d4", "d3–d4", 11, "I do not understand 'd3–d4'; write a step like d3-d4"),
        ("d3-d4 /", "/", 11, "turn 1, White: the order has no steps"),
        ("/ h6-h5", "/", 11, "turn 1, Black: the order has no steps"),
        ("/ h6-h5", "", 12, "turn 1, Black: there is no order, but another turn follows"),
        ("h5-h4", "/ h5-h4", 12, "a slash may only come between White's order and Black's"),
        ("1. d3-d4", "d3-d4", 11, "d3-d4 comes before any turn number"),
        ("1. d3-d4", "/ d3-d4", 11, "a slash may only come between White's order and Black's"),
        ("3. d5", "4. d5", 13, "expected turn 3 here, not turn 4"),
        ("1. d3", "0. d3", 11, "expected turn 1 here, not turn 0"),
        ("1. d3", "9999999. d3", 11, "I do not understand '9999999.'"),
        ("d5-d6", "d5-d6 / h4-h5", 13, "turn 3, Black: the game has already ended"),
        ("d5-d6", "d5-d6 / h4-h5\n4. a1", 13, "turn 3, Black: the game has already ended"),
    ],
)
def test_an_order_that_cannot_be_is_refused_by_its_line(
    old: str, new: str, line: int, reason: str
) -> None:
    found, message = refusal(changed(old, new))
    assert (found, message[: len(reason)]) == (line, reason)


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        (
            "2. d4-d5 c3-c4",
            "2. d4-d5\n",
            12,
            "turn 2, White: 1 of 2 steps given; write each like d3-d4",
        ),
        ("d4-d5 c3-c4", "d4-d5\nd5-d6", 13, "turn 2, White: d5: two different pieces must move"),
        ("d4-d5 c3-c4", "d4-d5\n\nd2-d3 c3-c4", 14, "turn 2, White: too many steps"),
        ("d3-d4 a3-a4", "c3-c4 d3-d4\nc4-d4", 12, "turn 1, White: c4: two different pieces"),
        ("d3-d4 a3-a4", "c3-d3\nd3-d4", 11, "turn 1, White: your own piece is on d3"),
        ("d3-d4 a3-a4", "d3-d4\nc3-d3\nd4-c4", 13, "turn 1, White: d4: two different pieces"),
    ],
)
def test_two_steps_are_judged_as_a_pair(old: str, new: str, line: int, reason: str) -> None:
    found, message = refusal(changed(old, new, PAIRS))
    assert (found, message[: len(reason)]) == (line, reason)


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ('[Variant "small-fast"]\n', "", 1, "the tag Variant is missing"),
        ('[Volcanoes "b4 g5"]\n', "", 1, "the tag Volcanoes is missing"),
        ('[BlackSetup "SPPPMMM1/334455SS/111H222S"]\n', "", 1, "the tag BlackSetup is missing"),
        ('[Result "white headquarters"]\n', "", 1, "the tag Result is missing"),
        ("small-fast", "smal-fast", 2, "there is no variant 'smal-fast'; did you mean small-fast?"),
        ("small-fast", "q", 2, "there is no variant 'q'; use one of: standard, fast, small"),
        ('"b4 g5"', '"b4"', 6, "the board has 2 volcanoes on different squares, not 'b4'"),
        ('"b4 g5"', '"b4 b4"', 6, "the board has 2 volcanoes on different squares"),
        ('"b4 g5"', '"b4 c4 f5 g5"', 6, "the board has 2 volcanoes on different squares"),
        ('"b4 g5"', '"b3 g6"', 6, "a volcano cannot be on b3, only in rows 4 and 5"),
        ('"b4 g5"', '"b4 j5"', 6, "there is no square 'j5' for a volcano"),
        ('"b4 g5"', '"b4 5"', 6, "there is no square '5' for a volcano"),
        ("1111222S", "11112225", 7, "WhiteSetup: General: 3 placed, the army has 2"),
        ("1111222S", "1111222", 7, "WhiteSetup: row 1 has 7 letters; it needs 8"),
        ("1111222S/", "1111222S", 7, "WhiteSetup: a set-up has three rows with / between them"),
        ("SPPPMMM1/3", "SPPPMMM/13", 8, "BlackSetup: row 1 has 7 letters; it needs 8"),
        ("SPPPMMM1", "SPPPMMMx", 8, "BlackSetup: row 1: 'x' is not a piece"),
        ("white headquarters", "white won", 9, "there is no Result 'white won'; use one of:"),
        ("[White ", '[Fights "open"]\n[White ', 3, "'Fights' cannot be 'open'; use one of:"),
        (
            "[White ",
            '[NoProgress "-1"]\n[White ',
            3,
            "'NoProgress' must be a number of full turns, not",
        ),
        (
            "[White ",
            '[NoProgress "x"]\n[White ',
            3,
            "'NoProgress' must be a number of full turns, not",
        ),
        ("[White ", '[White "B"]\n[White ', 4, "the tag White appears here twice"),
        ('[White "Anna"]', '[White "Anna]', 3, "I do not understand '[White \"Anna]'; write a tag"),
    ],
)
def test_tags_that_cannot_be_are_refused_by_their_line(
    old: str, new: str, line: int, reason: str
) -> None:
    found, message = refusal(changed(old, new))
    assert (found, message[: len(reason)]) == (line, reason)


@pytest.mark.parametrize(
    "claimed", ["black headquarters", "white no-legal-move", "black resignation", "*"]
)
def test_what_the_board_has_decided_must_be_the_result(claimed: str) -> None:
    line, reason = refusal(changed("white headquarters", claimed))
    assert line == 9
    assert reason == (
        f"the Result is '{claimed}', but on the board the game ended 'white headquarters'"
    )


@pytest.mark.parametrize("claimed", ["white headquarters", "black no-legal-move"])
def test_what_the_board_has_not_decided_cannot_be_the_result(claimed: str) -> None:
    line, reason = refusal(TAGS.replace("white headquarters", claimed) + "1. d3-d4\n")
    assert line == 9
    assert reason == f"the Result is '{claimed}', but on the board the game continues"


@pytest.mark.parametrize(("tag", "decided"), [("2", True), ("3", False), ("0", False)])
def test_no_progress_ends_a_game_after_as_many_quiet_turns(tag: str, decided: bool) -> None:
    text = changed("[White ", f'[NoProgress "{tag}"]\n[White ').replace("3. d5-d6\n", "")
    drawn = changed("white headquarters", "draw no-progress", text)
    open_ended = changed("white headquarters", "*", text)
    assert isinstance(read(drawn)[0], Replayed) == decided
    assert isinstance(read(open_ended)[0], Replayed) != decided


def test_a_game_without_set_ups_has_neither_orders_nor_a_result_of_the_board() -> None:
    bare = "".join(line for line in TAGS.splitlines(keepends=True) if "Setup" not in line)
    for tag in ("white headquarters", "draw no-progress", "*"):
        message = refusal(bare.replace("white headquarters", tag))
        assert message == (1, "the tag WhiteSetup is missing")
    cancelled = bare.replace("white headquarters", "none cancelled")
    assert refusal(cancelled + TURNS) == (1, "the tag WhiteSetup is missing")
    assert only(cancelled)["pieces"] == []


def test_after_a_refused_game_reading_goes_on() -> None:
    broken = changed("d4-d5", "d4-d6")
    found = read("no tag yet\n" + GAME + broken + GAME.replace("[Date", "[Date\n[Day") + GAME)
    assert [(type(game), game.line) for game in found] == [
        (Refused, 1),
        (Replayed, 2),
        (Refused, 26),
        (Refused, 32),
        (Replayed, 42),
    ]


@given(st.text(alphabet='[]"\\/{};.1-9a-dSPMH \n', max_size=200))
@examples(200)
def test_no_text_at_all_breaks_the_reader(text: str) -> None:
    for whole in (text, TAGS + text, GAME.replace("h6-h5", text), GAME.replace("b4 g5", text)):
        for found in read(whole):
            assert isinstance(found, Replayed | Refused)
            str(found.summary if isinstance(found, Replayed) else found.message)


# What is written replays


def random_match(
    variant: str, seed: int, limit: int, **options: str
) -> tuple[State, tuple[Event, ...]]:
    """Play `limit` orders between two `computer:random`, or fewer if the match ends before."""
    chance = Chance(seed.to_bytes(32, "big"), "m", label=LABEL)
    defaults = {name: option.default for name, option in ESPIONAGE.options.items()}
    state = ESPIONAGE.rules.set_up(Setting(variant, defaults | options, SIDES), chance)
    events: tuple[Event, ...] = ()
    player = ESPIONAGE.computers["computer:random"]
    for number in range(limit + 1):
        orders = {
            seat: player(observe(state, seat), chance.private(seat, f"computer {number}"))
            for seat in SIDES
            if seat in ESPIONAGE.rules.awaiting(state)
        }
        if not orders:
            break
        news, state = play_turn(ESPIONAGE, state, orders, chance)
        events += news
    return state, events


def written(state: State, events: tuple[Event, ...], white: str = "Anna") -> str:
    chronicle = Chronicle({WHITE: white, BLACK: "Bob"}, "2026.11.21", state.outcome)
    return ESPIONAGE.record.write(chronicle, state, events)


def matches_record(state: State, events: tuple[Event, ...], data: Mapping[str, Any]) -> None:
    steps = [event for event in events if isinstance(event, Stepped)]
    assert data["orders"] == sum(isinstance(event, Ordered) for event in events)
    assert data["steps"] == [
        {
            "turn": event.turn,
            "side": event.side,
            "step": event.step,
            "from": event.start,
            "to": event.target,
            "outcome": event.outcome,
            "revealed": [reveal.square for reveal in event.revealed],
        }
        for event in steps
    ]
    assert data["pieces"] == [
        {
            "square": square,
            "side": state.pieces[square].side,
            "rank": state.pieces[square].rank,
            "revealed": state.pieces[square].known_since is not None,
        }
        for square in in_order(state.pieces)
    ]
    outcome = state.outcome
    assert data["result"] == (
        {"winner": outcome.winner, "reason": outcome.reason} if outcome else None
    )


@given(
    variant=st.sampled_from(ESPIONAGE.variants),
    seed=st.integers(0, 2**32),
    limit=st.integers(0, 1200),
    fights=st.sampled_from(ESPIONAGE.options["fights"].values),
    notice=st.sampled_from(ESPIONAGE.options["unmask_notice"].values),
    no_progress=st.sampled_from(["0", "3", "12"]),
)
@examples(40)
@pytest.mark.slow
def test_a_match_replays_from_its_record(
    variant: str, seed: int, limit: int, fights: str, notice: str, no_progress: str
) -> None:
    state, events = random_match(
        variant, seed, limit, fights=fights, unmask_notice=notice, no_progress=no_progress
    )
    matches_record(state, events, only(written(state, events)))


@pytest.mark.parametrize("limit", [-1, 0, 1, 8])
@pytest.mark.parametrize(
    ("seats", "reason"),
    [((WHITE,), "resignation"), ((BLACK,), "forfeit"), (SIDES, "forfeit"), ((), "agreement")],
)
def test_a_match_that_ends_away_from_the_board_replays(
    limit: int, seats: tuple[Any, ...], reason: str
) -> None:
    state, events = random_match("small", 4, limit)
    end = tuple(
        ESPIONAGE.rules.leave(state, seats, reason)
        if seats
        else ESPIONAGE.rules.close(state, reason)
    )
    state = fold(ESPIONAGE, state, end)
    matches_record(state, events, only(written(state, events + end)))


@given(st.text(max_size=30))
@examples(100)
def test_any_name_can_stand_in_a_record(name: str) -> None:
    state, events = random_match("small-fast", 3, 2)
    text = written(state, events, name)
    assert len(text.splitlines()) == 11
    (found,) = read(text)
    assert isinstance(found, Replayed)
    assert found.tags["White"] == "".join(c if c.isprintable() else " " for c in name)


def test_a_seat_that_nobody_took_is_written_as_a_question_mark() -> None:
    state, events = random_match("fast", 3, -1)
    over = Outcome(winner=None, winners=(), reason="cancelled")
    text = ESPIONAGE.record.write(Chronicle({}, "2026.11.21", over), state, events)
    assert '[White "?"]\n[Black "?"]' in text


# The quick judge of orders


@given(
    variant=st.sampled_from(["small", "fast", "small-fast"]),
    seed=st.integers(0, 2**32),
    limit=st.integers(0, 30),
    data=st.data(),
)
@examples(100)
@pytest.mark.slow
def test_the_quick_judge_agrees_with_what_players_are_told(
    variant: str, seed: int, limit: int, data: st.DataObject
) -> None:
    state, _ = random_match(variant, seed, limit)
    side = state.to_move
    if side is None:
        return
    here, board = ground(state, side), state.settings.board
    starts = st.sampled_from(sorted(here.own) if data.draw(st.booleans()) else board.squares)
    steps = [
        Step(start, data.draw(st.sampled_from(board.beside[start])))
        for start in data.draw(st.lists(starts, min_size=1, max_size=3))
    ]
    sheet = Sheet(
        tuple(
            WrittenOrder(Move(s.start, s.target), Line(i, str(s))) for i, s in enumerate(steps, 1)
        ),
        (),
    )
    legal = is_legal(here, steps, state.settings.rules.pieces_moved)
    assert legal == (not check(observe(state, side), sheet))
