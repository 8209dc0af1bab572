"""The board as a table in letters shows what the report says, to eyes and to ears."""

import pytest

from adjudicator.core.game import unflatten
from adjudicator.core.message import tell
from adjudicator.core.visible import Square
from adjudicator.games.spion import SPION
from adjudicator.games.spion.page.drawing import LETTERS, reachable_places
from adjudicator.games.spion.page.squares import squares
from adjudicator.games.spion.sight.sightings import SawMoved
from adjudicator.games.spion.sight.view import board_in
from tests.games.spion.test_page import ALL, report

each_report = pytest.mark.parametrize("name", ALL)


def told_of(name: str) -> tuple[object, dict[str, Square]]:
    told = unflatten(SPION, report(name))
    shown = squares(told.view, told.news, tell)
    cells = {
        f"{column}{head}": square
        for head, row in shown.rows
        for column, square in zip(shown.columns, row, strict=True)
    }
    return told, cells


def signs(square: Square, style: str) -> list[str]:
    return [thing.sign for thing in square.things if style in thing.style.split()]


@each_report
def test_pieces_stand_where_the_view_has_them(name: str) -> None:
    told, cells = told_of(name)
    embassies = board_in(told.view).embassies
    for kind in ("spy", "guard"):
        due: dict[str, list[str]] = {}
        for seat in told.view.seats:
            place = seat.spy if kind == "spy" else seat.bodyguard
            cell = embassies[place].cell if place in embassies else place
            if cell in cells:  # else it is at home in a corner, which the players' table tells
                due.setdefault(cell, []).append(LETTERS[seat.seat])
            else:
                assert place == seat.home
        assert {cell: found for cell, sq in cells.items() if (found := signs(sq, kind))} == due
    for square in cells.values():
        for thing in square.things:
            assert thing.told or thing.sign in "@:#"


@each_report
def test_embassies_tell_whether_a_card_lies_in_them_and_no_more(name: str) -> None:
    told, cells = told_of(name)
    for entry in told.view.board.embassies:
        square = cells[entry.cell]
        code = next(thing for thing in square.things if thing.style == "code")
        assert code.sign == (entry.code if entry.card else entry.code.lower())
        assert ("card" in code.told) == entry.card
        if not entry.type:
            assert not any(card in code.told for card in told.view.types)
        assert entry.arrow in square.ground.split()


@each_report
def test_what_can_be_reached_has_an_edge(name: str) -> None:
    told, cells = told_of(name)
    embassies = board_in(told.view).embassies
    due = {embassies[p].cell if p in embassies else p for p in reachable_places(told.view)}
    starts = {seat.start for seat in told.view.seats}
    assert {cell for cell, sq in cells.items() if "goal" in sq.ground} == due - starts


def test_ways_that_were_gone_are_dotted() -> None:
    dotted = 0
    for name in ALL:
        told, cells = told_of(name)
        for step in told.news:
            if isinstance(step, SawMoved):
                for place in step.path[:-1]:
                    dotted += bool(place in cells and signs(cells[place], "way"))
    assert dotted > 3
