"""Every case is played: rules as orders and outcomes that a player can read."""

from pathlib import Path

import pytest

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Seat, Setting
from adjudicator.core.orders import split_lines
from tests.games.casefiles import Case, Section, read_folder
from tests.games.one_turn import play_turn
from tests.games.skeleton.game import SKELETON
from tests.games.skeleton.game.rules import SEATS, Event, State

CASES = read_folder(Path(__file__).parent / "cases")
CHANCE = Chance(bytes(32), "case", label=LABEL)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_holds(case: Case) -> None:
    state = SKELETON.rules.set_up(Setting("standard", {}, SEATS), CHANCE)
    events: tuple[Event, ...] = ()
    for section in case.sections:
        if section.word == "ORDERS":
            events, state = _played(state, section)
        else:
            _holds(section, state, events)


def _played(state: State, section: Section) -> tuple[tuple[Event, ...], State]:
    seat = Seat(section.said)
    sheet = SKELETON.orders.parse(split_lines("\n".join(section.texts)))
    assert not sheet.problems
    assert not SKELETON.orders.check(SKELETON.sight.observe(state, seat), sheet)
    assert SKELETON.rules.awaiting(state) == {seat}
    return play_turn(SKELETON, state, {seat: sheet.orders}, CHANCE)


def _holds(section: Section, state: State, events: tuple[Event, ...]) -> None:
    seat = Seat(section.said)
    view = SKELETON.sight.observe(state, seat)
    match section.word:
        case "SEES":
            assert [f"{square} {by}" for square, by in view.marks.items()] == [*section.texts]
        case "NEWS":
            news = (SKELETON.sight.witness(event, seat) for event in events)
            told = [f"{n.square or 'somewhere'} {'hit' if n.hit else 'marked'}" for n in news if n]
            assert told == [*section.texts]
        case "REFUSED":
            sheet = SKELETON.orders.parse(split_lines("\n".join(section.texts)))
            assert SKELETON.orders.check(view, sheet)
        case "RESULT":
            assert state.outcome
            assert section.said == f"{state.outcome.winner or 'none'} {state.outcome.reason}"
        case word:
            pytest.fail(f"a case has no section {word}")
