"""Test who learns the type of a card, and what of it may be read again: the table of rules 5.5."""

import json
from random import Random
from typing import Any, get_args

import pytest
from msgspec import UNSET
from msgspec.json import encode
from msgspec.structs import fields, replace

from adjudicator.core.report import flat
from adjudicator.core.visible import plain
from adjudicator.games.spion import SPION
from adjudicator.games.spion.rules.state import (
    Challenged,
    Dealt,
    Event,
    GuessedRight,
    Instructed,
    Kept,
    Ordered,
    Refused,
    Roll,
    Rolled,
    Shown,
    Swapped,
    TakenInAnswer,
    Took,
    TurnOpened,
)
from adjudicator.games.spion.sight.observe import observe
from adjudicator.games.spion.sight.sightings import LASTING, Seen
from adjudicator.games.spion.sight.witness import lasting, tells_once, witness
from tests import printed
from tests.games.spion.matches import TOLD_ONCE, random_match, setting
from tests.games.standing import make_loaded
from tests.scale import scaled

SEATS = ("blue", "green", "yellow", "red")
ALL = set(SEATS)
OWN = {"blue"}

# What happened, and who may learn that the card is an ATOM.
TABLE: list[tuple[Event, set[str]]] = [
    (Dealt({"NOR": "ATOM"}), set()),
    (Took("blue", "NOR", "ATOM", 1), OWN),
    (Took("blue", "NOR", "ATOM", None), OWN),
    (Swapped("blue", 2, "NOR", "ATOM", "KEMI"), OWN),
    (Swapped("blue", 2, "NOR", "KEMI", "ATOM"), OWN),
    (Refused("blue", "NOR", "ATOM"), OWN),
    (Refused("blue", "NOR", "ATOM", known=True), ALL),
    (Kept("blue", 3, "ATOM"), OWN),
    (GuessedRight("blue", "green", 1, "ATOM", 2), ALL),
    (Shown("green", 1, "ATOM"), ALL),
    (TakenInAnswer("blue", "green", 1, "ATOM"), {"blue", "green"}),
]


def told(event: Event, seat: str) -> str:
    return json.dumps(plain(witness(event, seat)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("event", "knowing"), TABLE, ids=lambda value: type(value).__name__)
def test_the_type_of_a_card_is_told_to_these_and_no_others(event: Event, knowing: set[str]):
    assert {seat for seat in SEATS if "ATOM" in told(event, seat)} == knowing


@pytest.mark.parametrize(("event", "_"), TABLE, ids=lambda value: type(value).__name__)
def test_all_see_which_place_and_which_embassy_is_touched(event: Event, _: set[str]):
    seen = {seat: plain(witness(event, seat)) for seat in SEATS}  # type: ignore[arg-type]
    types = ("card", "given", "kept", "guess")
    open_ = [{k: v for k, v in one.items() if k not in types} for one in seen.values()]
    assert all({**one, "seat": ""} == {**open_[0], "seat": ""} for one in open_)


def test_dice_to_come_and_orders_are_nobodys_news():
    roll = Roll(3, (2, 5), "a key")
    for event in (
        Rolled("blue", 3, (2, 5), "a key", public=False),
        Instructed("blue", ()),
        Ordered("blue", 4, ("PASS",)),
    ):
        assert {witness(event, seat) for seat in SEATS} == {None}  # type: ignore[arg-type]
    assert "a key" in told(TurnOpened("blue", 3, roll), "red")


def test_a_guess_is_public_and_fleeting():
    event = Challenged("blue", "green", 1, "ATOM", "a1", "e2", "e2", "n2")
    assert all("ATOM" in told(event, seat) for seat in SEATS)


def report_of(events, state, seat):
    news = tuple(sight for sight in (witness(e, seat) for e in events) if sight is not None)
    return replace(printed.public_report(make_loaded(SPION, state), seat), news=news)


@pytest.mark.parametrize("memory", ["honour", "once", "open"])
def test_an_old_report_names_the_types_in_play_and_no_other(memory: str):
    """Whatever is shown again, over whole matches, says only which types there are."""
    agreed = setting("original", 4, mode="rounds", memory=memory, max_rounds="12")
    told_once = 0
    for number in range(scaled(3)):
        for ply in random_match(Random(number), agreed, leaving=False):
            state = ply.states[-1]
            for seat in state.seats:
                report = report_of(ply.events, state, seat)
                told_once += tells_once(report)
                again = {**flat(lasting(report)), "types": (), "standing": ()}
                named = [card for card in state.types if card in encode(again).decode()]
                if memory != "open" and not state.outcome:
                    assert named == []
    assert (told_once > 0) == (memory == "once")


@pytest.mark.parametrize("kind", get_args(Seen), ids=lambda kind: kind.__name__)
def test_whatever_does_not_last_may_be_left_out(kind: Any):
    """A field of news that nobody has listed as lasting is told once only, as types of cards
    are."""
    fleeting = [field for field in fields(kind) if field.name not in LASTING]
    assert all(field.default is UNSET for field in fleeting)
    assert {field.name for field in fleeting} <= TOLD_ONCE


def test_a_seat_sees_its_own_cards_only_and_all_at_the_end():
    agreed = setting("original", 3, mode="rounds", max_rounds="6")
    for ply in random_match(Random(5), agreed, leaving=False):
        state = ply.states[-1]
        for seat in state.seats:
            view = observe(state, seat)
            shown = {entry.seat for entry in view.seats if entry.cards is not None}
            assert shown == ({seat} if state.outcome is None else set(state.seats))
            lying = {embassy.type for embassy in view.board.embassies}
            assert state.outcome or lying == {None}
