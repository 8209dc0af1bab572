"""Boards: what the two that come with the game are, and how others are checked."""

import json
from importlib.resources import files

import msgspec
import pytest

from adjudicator.core.message import Message
from adjudicator.games.spion.orders.own_board import write_board
from adjudicator.games.spion.rules.board import Board, read, steps_to
from adjudicator.games.spion.rules.board_file import COPIES
from adjudicator.games.spion.rules.state import Settings
from adjudicator.games.spion.rules.variants import VARIANTS, board_of, seating, standard

ORIGINAL, QUICK = standard("original"), standard("quick")
both = pytest.mark.parametrize("board", [ORIGINAL, QUICK], ids=VARIANTS)


def source(variant: str) -> str:
    return (
        files("adjudicator.games.spion.rules")
        .joinpath("boards", f"{variant}.json")
        .read_text("utf-8")
    )


def test_the_original_board_is_that_of_the_rule_book():
    """Section 7.1."""
    kinds = list(ORIGINAL.kinds.values())
    counted = {kind: kinds.count(kind) for kind in ("street", "well", "forbidden", "wire")}
    assert counted == {"street": 84, "well": 4, "forbidden": 33, "wire": 28}
    assert len(ORIGINAL.embassies) == 16
    assert ORIGINAL.wells == ("b9", "g2", "i14", "n7")
    for start in ORIGINAL.starts.values():
        far = sorted(steps_to(ORIGINAL, code)[start] for code in ORIGINAL.embassies)
        assert far == [5, 7, 8, 8, 8, 8, 10, 12, 12, 12, 14, 14, 14, 15, 15, 16]


def test_the_quick_board_is_smaller_and_the_same_from_both_starts():
    assert (QUICK.rows, QUICK.cols, len(QUICK.embassies)) == (11, 11, 12)
    for start in QUICK.starts.values():
        far = sorted(steps_to(QUICK, code)[start] for code in QUICK.embassies)
        assert far == [4, 6, 7, 8, 8, 9, 10, 10, 11, 16, 16, 17]


def test_three_players_leave_fysik_and_the_centre_out():
    """R1.1, A33."""
    assert ORIGINAL.types_in_play(3) == ("ATOM", "KEMI", "RYMD")
    assert ORIGINAL.types_in_play(2) == ORIGINAL.types_in_play(4) == ORIGINAL.types
    assert set(ORIGINAL.embassies) - set(ORIGINAL.embassies_with_cards(3)) == {
        "HOL",
        "FIN",
        "OST",
        "TYS",
    }
    assert ORIGINAL.embassies_with_cards(4) == tuple(ORIGINAL.embassies)


def test_two_players_sit_opposite():
    assert seating("original", "") == {
        2: ("blue", "yellow"),
        3: ("blue", "green", "yellow"),
        4: ("blue", "green", "yellow", "red"),
    }
    assert seating("quick", "") == {2: ("blue", "yellow")}


@both
def test_no_single_blocked_square_cuts_an_embassy_off(board: Board):
    for blocked in (place for place in board.kinds if board.open_ground(place)):
        for start in board.starts.values():
            assert set(board.embassies) <= on_foot(board, start, blocked), blocked


def on_foot(board: Board, start: str, blocked: str) -> set[str]:
    seen, waiting = {start}, [start]
    while waiting:
        near = [n for n in board.walk[waiting.pop()] if n not in seen and n != blocked]
        seen.update(near)
        waiting += near
    return seen


@both
def test_each_start_sees_the_same_board(board: Board):
    """The distances to all embassies, wells and streets are the same from each start."""
    views = {
        tuple(
            sorted(
                (board.kinds.get(p, "embassy"), steps_to(board, p).get(start, 99))
                for p in board.walk
            )
        )
        for start in board.starts.values()
    }
    assert len(views) == 1


@both
def test_a_fifth_card_always_finds_a_vacant_embassy(board: Board):
    """I2: while one is decided, five cards lie in holders; one more embassy may be barred."""
    for players in board.seating:
        cards = COPIES * len(board.types_in_play(players))
        assert len(board.embassies) - (cards - 5) >= 2
        assert len(board.embassies_with_cards(players)) == cards
        assert len(board.types_in_play(players)) >= players  # I3


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_board_is_the_same_when_it_is_stored_with_its_match(variant: str):
    text = write_board(source(variant))
    assert isinstance(text, str)
    own = board_of(Settings(variant, own_board=text))
    for name in Board.__struct_fields__:
        assert getattr(own, name) == getattr(standard(variant), name)


def changed(*path: object, to: object) -> str:
    """Change one thing in the file of the quick board; None strikes it out."""
    told = json.loads(source("quick"))
    place = told
    for key in path[:-1]:
        place = place[key]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return json.dumps(told)


WALLED_IN = [QUICK.grid[0], " 1#......@ ", " #" + QUICK.grid[2][2:], *QUICK.grid[3:]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is not a board: Input data was truncated"),
        (
            '{"a":' * 100000,
            "this is not a board: maximum recursion depth exceeded while deserializing an object",
        ),
        (
            changed("size", "rows", to="11"),
            "this is not a board: Expected `int`, got `str` - at `$.size.rows`",
        ),
        (
            changed("wells", to=None),
            "this is not a board: Object missing required field `wells`",
        ),
        (changed("size", "rows", to=0), "a board must have 1 to 99 rows and 1 to 26 columns"),
        (changed("size", "cols", to=12), "the grid is not 11 lines of 12 signs"),
        (changed("grid", 1, to=" 1.......? "), "'?' on j2 has no meaning"),
        (changed("grid", 1, to=" 1......@@ "), "'@' on i2 is not listed"),
        (changed("grid", 1, to=" 1........ "), "the grid has no '@' on j2"),
        (changed("wells", 1, to={"cell": "j2"}), "j2 is listed twice"),
        (
            changed("embassies", 0, "arrow", to="E"),
            "the door of NOR must be the forbidden square (':') to which its arrow points",
        ),
        (
            changed("embassies", 0, "code", to="N1"),
            "an embassy's code must be two to five letters A to Z, not 'N1'",
        ),
        (changed("embassies", 0, "name", to={"sv": "Norge"}), "NOR has no English name ('en')"),
        (
            changed("title", to={"sv": "Min egen plan"}),
            "the board has no English title ('en')",
        ),
        (changed("embassies", 0, "code", to="SVE"), "the name 'SVE' is given twice"),
        (
            changed("cards", "types", to=["A B", "C", "D"]),
            "a card's type must be one word of at most 12 letters",
        ),
        (changed("cards", "copies_each", to=3), "there must be four cards of each type"),
        (
            changed("params", "tunnel_cost", to=2),
            "'tunnel_cost' and 'tunnels_per_move' must be 0 or 1",
        ),
        (
            changed("seats_used", to={}),
            "'seats_used' must say which seats two, three or four players take",
        ),
        (
            changed("seats_used", to={"2": [3, 1]}),
            "'seats_used' for 2 players must name exactly that many seats, in order",
        ),
        (
            changed("seats_used", to={"2": [1, 2]}),
            "'seats_used' for 2 players names a seat that is not listed",
        ),
        (
            changed("cards", "types", to=["A"]),
            "2 players need at least 2 types and an embassy for each card",
        ),
        (
            changed("cards", "types", to=["A", "B", "C", "D"]),
            "2 players need at least 2 types and an embassy for each card",
        ),
        (
            changed("grid", to=WALLED_IN),
            "there is no way from b2 to NOR",
        ),
    ],
)
def test_what_is_wrong_with_a_board_is_said(text: str, message: str):
    seen = read(text)
    assert isinstance(seen, Message)
    assert str(seen) == message
    assert write_board(text) == seen


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            changed("params", "tunel_cost", to=0),
            "'params.tunel_cost' is not known in a board file; did you mean 'params.tunnel_cost'?",
        ),
        (
            changed("Params", to={"tunnel_cost": 0}),
            "'Params' is not known in a board file; did you mean 'params'?",
        ),
        (
            changed("cards", "removed_with_three_players", to="ATOM"),
            "'cards.removed_with_three_players' is not known in a board file; did you mean "
            "'cards.removed_with_3_players'?",
        ),
        (
            changed("embassies", 2, "empty_at_start", to=True),
            "'embassies[2].empty_at_start' is not known in a board file; did you mean "
            "'embassies[2].empty_at_start_with_3_players'?",
        ),
        (
            changed("q", to=1),
            "'q' is not known in a board file; choose from id, title, size, grid, embassies, "
            "wells, seats, seats_used, cards, params, comment, version, note, coordinates, "
            "legend, adjacency, stats",
        ),
    ],
)
def test_a_word_that_no_board_has_is_named_with_the_nearest(text: str, message: str):
    """A word that is passed over makes the board another than its maker meant."""
    assert str(read(text)) == message


def test_what_is_for_people_may_stand_in_a_board():
    assert isinstance(read(changed("comment", to="drawn in a train")), Board)
    assert isinstance(read(changed("cards", "note", to="my own")), Board)


def test_the_parameters_may_be_left_out():
    seen = read(changed("params", to=None))
    assert isinstance(seen, Board)
    assert seen.params == QUICK.params


def test_a_board_that_was_never_read_cannot_be_played():
    with pytest.raises(ValueError, match="not a board"):
        board_of(Settings(own_board="{}"))


def test_a_stored_board_keeps_only_what_the_rules_need():
    kept = msgspec.json.decode(str(write_board(changed("note", to="for people"))))
    assert "note" not in kept


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"ATOM"', '"PHYSICS"', "cannot name the type PHYSICS"),
        ('"ATOM"', '"Gold"', "cannot name the type Gold"),
        ('"ATOM"', '"\u00d6L"', "cannot name the type"),
        ('"NOR"', '"SPAIN"', "SPAIN means another embassy"),
    ],
)
def test_a_board_of_ones_own_has_names_that_a_sheet_can_say(before, after, message):
    file = (
        files("adjudicator.games.spion.rules")
        .joinpath("boards", "original.json")
        .read_text("utf-8")
    )
    found = write_board(file.replace(before, after))
    assert isinstance(found, Message)
    assert message in str(found)
