"""The board as a table in letters shows what the report says, to eyes and to ears."""

from typing import Any

import pytest

from adjudicator.core.game import unflatten
from adjudicator.core.message import tell
from adjudicator.core.visible import Square
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.page.drawing import latest, lines
from adjudicator.games.espionage.page.squares import squares
from adjudicator.games.espionage.rules.pieces import SIDES
from tests.games.espionage.test_history import match, reported
from tests.reports.samples import played, report

STAGES = [0, 1, 2, 5, 9, 14]


def reports(seat: str, **options: str) -> list[Any]:
    told = list(played(most=15, **options))
    return [unflatten(ESPIONAGE, report(*told[n], seat)) for n in STAGES if n < len(told)]


def table(told: Any) -> dict[str, Square]:
    """Return the squares of the table by their names."""
    shown = squares(told.view, told.news, tell)
    return {
        f"{column}{head}": square
        for head, row in shown.rows
        for column, square in zip(shown.columns, row, strict=True)
    }


@pytest.mark.parametrize("seat", [*SIDES, ""])
def test_it_has_the_pieces_of_the_view_and_no_others(seat: str) -> None:
    for told in reports(seat, fights="both", unmask_notice="true"):
        pieces = {piece.square: piece for piece in told.view.pieces}
        for name, square in table(told).items():
            styles = [set(thing.style.split()) for thing in square.things]
            assert any({"own", "enemy"} & style for style in styles) == (name in pieces)
            for thing in square.things:
                assert thing.told
            if piece := pieces.get(name):
                (thing,) = square.things
                assert piece.side in thing.style
                rank = piece.rank.value if piece.rank else "piece"
                assert rank in thing.told.casefold()
                assert ("has moved" in thing.told) == piece.moved


@pytest.mark.parametrize("seat", SIDES)
def test_it_lies_as_the_board_in_signs_does(seat: str) -> None:
    for told in reports(seat):
        shown = squares(told.view, told.news, tell)
        head, *rows, _ = lines(told.view)
        assert head.split() == list(shown.columns)
        assert [row.split()[0] for row in rows] == [number for number, _ in shown.rows]
        assert [row.count("?") for row in rows] == [
            sum("?" in thing.sign for square in row for thing in square.things)
            for _, row in shown.rows
        ]


def test_the_last_steps_are_marked_with_arrows_of_whose_they_are() -> None:
    met = set()
    for told in reports("white") + reports("black"):
        shown = table(told)
        for step in latest(told.news):
            fought = step.outcome != "moved"
            whose = "mine" if step.side == told.seat else "theirs"
            if not fought:
                assert shown[step.target].ground in ("mine", "theirs", "fight")
            if shown[step.start].things and "step" in shown[step.start].things[0].style:
                met.add((told.seat, whose, shown[step.start].things[0].sign))
    assert {whose for _, whose, _ in met} == {"mine", "theirs"}
    assert {sign for _, whose, sign in met if whose == "mine"} <= set("↑↓←→")
    assert {sign for _, whose, sign in met if whose == "theirs"} <= set("⇡⇣⇠⇢")


def test_a_step_forward_goes_up_for_who_makes_it_and_down_for_his_enemy() -> None:
    for seat, other in (SIDES, SIDES[::-1]):
        for told in reports(seat):
            shown = table(told)
            for step in latest(told.news):
                forward = int(step.target[1:]) - int(step.start[1:])
                forward = forward if step.side == "white" else -forward
                first = next(iter(shown[step.start].things), None)
                if first and "step" in first.style and forward:
                    mine = step.side == seat
                    ups, downs = ("↑", "↓") if mine else ("⇣", "⇡")
                    assert first.sign == (ups if forward > 0 else downs), (step, other)


def test_a_fight_is_marked_and_told() -> None:
    fights = 0
    for body in reported(match(1), SIDES[0]).bodies[-40:]:
        told = unflatten(ESPIONAGE, body)
        shown = table(told)
        for step in latest(told.news):
            if step.outcome != "moved":
                fights += 1
                assert shown[step.target].ground == "fight"
                assert any("a fight" in thing.told for thing in shown[step.target].things)
    assert fights


@pytest.mark.slow
def test_a_piece_that_won_a_fight_tells_what_it_can_be() -> None:
    fought = 0
    for body in reported(match(0, most=40), SIDES[0]).bodies[::5]:
        told = unflatten(ESPIONAGE, body)
        shown = table(told)
        for piece in told.view.pieces:
            (thing,) = shown[piece.square].things
            said = thing.told.partition("can still be ")[2].casefold()
            if piece.fights:
                fought += 1
                assert said.startswith(", ".join(piece.could_be))
            else:
                assert not said
    assert fought
