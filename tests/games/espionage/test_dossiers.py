"""A page tells of each enemy piece where it came from, and what was taken: that is true.

That no secret is in it, the twins of `tests/test_secrecy.py` hold, who get every page."""

import re
from collections.abc import Sequence
from random import Random

import pytest
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.message import tell
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page.dossiers import Dossier, dossiers
from adjudicator.games.espionage.page.losses import losses
from adjudicator.games.espionage.page.news import OldReport
from adjudicator.games.espionage.rules.pieces import ARMIES, ENEMY, LETTERS, SIDES, Rank
from adjudicator.games.espionage.rules.state import Stepped
from adjudicator.games.espionage.sight.observe import SeenStep
from tests.games.espionage.telling import report
from tests.games.playouts import Ply, playout
from tests.printed import AnyReport

R = AnyReport


def reports(plies: Sequence[Ply], seat: Seat) -> list[R]:
    """Return the seat's report after each ply, with news back to its own last order."""
    made: list[R] = []
    steps: list[SeenStep] = []
    since = 0
    for ply in plies:
        seen = [ESPIONAGE.sight.witness(event, seat) for event in ply.events]
        if any(isinstance(event, Stepped) and event.side == seat for event in ply.events):
            since = len(steps)
        steps += [step for step in seen if step is not None]
        made.append(replace(report(ply.after, seat), news=tuple(steps[since:])))
    view = ESPIONAGE.sight.remember(made[-1].view, steps, {})
    return [*made[:-1], replace(made[-1], view=view)]


def told(made: Sequence[R]) -> list[Dossier]:
    past = [OldReport(one.seat, one.view.pieces, one.news) for one in made[:-1]]
    return list(dossiers(made[-1], past, tell))


def played(variant: str, seed: int) -> list[Ply]:
    plies = playout(ESPIONAGE, Random(seed), 150, variant, agreed={"no_progress": "0"})
    return [ply for ply in plies if not ply.after.outcome]


def ways(plies: Sequence[Ply], enemy: Seat) -> dict[str, list[str]]:
    """Follow the enemy's pieces with everything in sight."""
    at: dict[str, list[str]] = {}
    for ply in plies:
        if not at and ply.after.pieces:
            at = {s: [s] for s, piece in ply.after.pieces.items() if piece.side == enemy}
            continue
        for event in ply.events:
            if not isinstance(event, Stepped):
                continue
            if event.side == enemy:
                way = at.pop(event.start)
                if event.outcome != "lost":
                    at[event.target] = [*way, event.target]
            elif event.outcome == "won":
                at.pop(event.target, None)
    return at


@pytest.mark.parametrize("variant", ["standard", "small-fast"])
@pytest.mark.parametrize("seat", SIDES)
def test_the_way_of_each_piece_is_the_one_that_it_went(variant: str, seat: Seat) -> None:
    plies = played(variant, 6)
    found = {one.square: list(one.squares) for one in told(reports(plies, seat))}
    assert found == ways(plies, ENEMY[seat])
    assert any(len(way) > 2 for way in found.values())


@pytest.mark.parametrize("seat", SIDES)
def test_what_is_told_of_a_fight_is_what_the_report_has(seat: Seat) -> None:
    made = reports(played("small", 15), seat)
    unknown = {p.square: p for p in made[-1].view.pieces if p.could_be}
    assert any(piece.fights for piece in unknown.values())
    for one in told(made):
        if piece := unknown.get(one.square):
            beaten = [tell(TITLES[fight.beat]) for fight in piece.fights or ()]
            assert re.findall(r"(?:captured|fought off) your ([A-Z]\w+)", one.told) == beaten
        assert ("It can still be:" in one.told) == (one.square in unknown)


@pytest.mark.parametrize("seat", SIDES)
def test_rows_of_taken_pieces_count_what_is_known_and_no_more(seat: Seat) -> None:
    made = reports(played("small", 15), seat)
    view = made[-1].view
    mine, theirs = view.lost[seat], view.lost[ENEMY[seat]]
    assert mine
    assert theirs
    rows = {row.title: row for row in losses(made[-1], tell)}
    assert sum(n for _, _, n in rows["Enemy losses"].signs) == theirs
    untold = theirs - len(view.lost_known)
    assert untold
    assert ("?", "of unknown rank", untold) in rows["Enemy losses"].signs
    assert sum(n for _, _, n in rows["Your losses"].signs) == mine
    army = {LETTERS[rank]: n for rank, n in ARMIES[8].items()}
    left = {letter: n for letter, _, n in rows["Left in the enemy's army"].signs}
    for rank in Rank:
        known = view.lost_known.count(rank)
        assert left.get(LETTERS[rank], 0) == army[LETTERS[rank]] - known
    assert rows["Left in the enemy's army"].note.startswith(str(untold))
    of_mines = replace(view, lost_known=(Rank.MINE,) * theirs)
    rows = {row.title: row for row in losses(replace(made[-1], view=of_mines), tell)}
    assert rows["Enemy losses"].signs == [("M", "Mine", theirs)]
    left = {letter: n for letter, _, n in rows["Left in the enemy's army"].signs}
    assert left.get("M", 0) == max(army["M"] - theirs, 0)
    without = replace(made[-1], options={"aids": "off"})
    assert "Left in the enemy's army" not in [row.title for row in losses(without, tell)]


def test_before_the_first_turn_and_after_the_end_nothing_is_told() -> None:
    made = reports(played("small", 15), SIDES[0])
    for phase in ("setup", "over"):
        ended = replace(made[-1], view=replace(made[-1].view, phase=phase))
        assert told([*made[:-1], ended]) == []
        assert losses(ended, tell) == []
