"""Positions, and what the order composer of a page is given about them."""

from collections.abc import Iterator
from random import Random

from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.report import Report
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.rules.board import BOARDS, Square
from adjudicator.games.espionage.rules.pieces import ENEMY, SIDES, Piece, Rank
from adjudicator.games.espionage.rules.state import Settings, State, Step
from adjudicator.games.espionage.sight.observe import SeenStep, View
from tests.games.playouts import playout
from tests.games.standing import make_loaded
from tests.printed import public_report, view_of

TWO, ONE = "small", "small-fast"


def report(state: State, seat: Seat) -> Report[View, SeenStep]:
    """Report what stands, with a sheet to fill in."""
    match = make_loaded(ESPIONAGE, state)
    seen = replace(public_report(match, seat), view=view_of(match, seat, ()))
    head = f"ORDERS espionage-17 {seat} turn {seen.turn}"
    return replace(seen, template=(head, *ESPIONAGE.orders.template(seen.view), "END"))


def played(rng: Random, matches: int, variant: str | None = None) -> Iterator[State]:
    """Yield every seventh position of random matches, of any variant by default, while they go
    on."""
    for _ in range(matches):
        for number, ply in enumerate(playout(ESPIONAGE, rng, 200, variant)):
            if number % 7 == 1 and ply.after.to_move:
                yield ply.after


def cornered(rng: Random) -> State:
    """Return a position of few pieces on few squares, where hardly a step is left (rule 2.6)."""
    variant = rng.choice([TWO, TWO, ONE])
    corner = [Square(f"{file}{rank}") for file in "abc" for rank in (1, 2, 3)]
    beyond = [Square(f"{file}4") for file in "abc"] + [Square(f"d{rank}") for rank in (1, 2, 3)]
    rng.shuffle(corner)
    side = rng.choice(SIDES)
    armies = (side, corner[: rng.randint(1, 5)]), (ENEMY[side], corner[5:7])
    pieces = {
        square: Piece(of, rng.choice([Rank.MINE, Rank.HEADQUARTERS, *Rank]))
        for of, squares in armies
        for square in squares
    }
    beside = BOARDS[8].beside
    steps = [Step(square, to) for square in armies[0][1] for to in beside[square]]
    return State(
        Settings(variant),
        volcanoes=(*beyond, *corner[7:]) if rng.random() < 0.8 else (),
        pieces=pieces,
        turn=3,
        to_move=side,
        barred={side: tuple(rng.sample(steps, rng.randint(0, 2)))},
        lost=dict.fromkeys(SIDES, 0),
    )
