"""Test what a seat sees, and who is told what (rules 7.1 to 7.4, 9.7)."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from adjudicator.core.match import Seat
from adjudicator.core.orders import split_lines
from adjudicator.core.visible import plain
from adjudicator.games.spies.orders.check import check
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.template import template
from adjudicator.games.spies.orders.values import Order, canonical
from adjudicator.games.spies.orders.warn import warn
from adjudicator.games.spies.rules import events as e
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.state import State
from adjudicator.games.spies.sight.observe import observe
from adjudicator.games.spies.sight.witness import unveil, witness
from tests.games.spies import twins
from tests.games.spies.matches import CHANCE, begun, digest_of, fold, played, random_match, setting
from tests.scale import examples, scaled

VIEWS = json.loads(Path(__file__).with_name("views.json").read_text("utf-8"))
AFTER = "after everybody was silent in the set-up (2.7)"
SEATS = ("germany", "italy", "russia", "france", "britain")
ALL = set(SEATS)


@pytest.mark.parametrize(("name", "placed"), [("opening", False), (AFTER, True)])
def test_the_two_printed_views_are_seen_exactly(name: str, placed: bool):
    """Rule 9.7: shape, order of lists and nulls; also by their digests."""
    state = begun(setting()) if placed else match.set_up(setting(), CHANCE)
    told, printed = plain(observe(state, Seat("germany"))), VIEWS[name]["view of germany"]
    seen = {key: told[key] for key in printed}
    assert seen == printed
    assert digest_of(seen) == VIEWS[name]["digest"]


FACE = {"value", "title"}
# What happened; the seats that are told something besides, and the keys of it.
TABLE: list[tuple[e.AnyEvent, dict[str, set[str]]]] = [
    (e.Turned("germany", 1933), {}),
    (e.Tile("germany", Seat("germany"), "TG1", True), {}),
    (e.Tile("germany", Seat("germany"), "TG1", False), {"germany": {"tile"}}),
    (e.Gain("germany", Seat("germany"), "BER", ("papers",), 0), {"germany": {"chits"}}),
    (e.Gain("germany", Seat("germany"), "BER", (), 4), {}),
    (e.Search("germany", "F-A", "BER", False, "papers", None, False), {}),
    (e.Search("germany", "F-A", "BER", False, "escape", "HAM", False), {}),
    (
        e.Search("germany", "F-A", "BER", True, None, None, True, 3, 4, ("germany", "france")),
        {"germany": {"strength", "police"}, "france": {"strength", "police"}},
    ),
    (e.Go("germany", "G-A", "BER", "PRA"), {}),
    (e.Return("germany", "G-A", "BER"), {}),
    (e.Take("germany", "G-A", "G-1", "BER"), {}),
    (e.Drop("germany", "G-A", "G-1", "BER"), {}),
    (e.Guard("germany", "G-1", "BER", "G-P1"), {}),
    (
        e.Discover(
            *("germany", "G-A", "N-4", "PRA", False, "found"),
            told={"germany": e.Learned(value=3, title="Oil contract draft")},
        ),
        {"germany": FACE},
    ),
    (
        e.Discover(
            *("germany", "G-A", "I-1", "MIL", False, "counterspy", True, "italy"),
            told={
                "germany": e.Learned(counterspy=4),
                "italy": e.Learned(counterspy=4, strength=3),
            },
        ),
        {"germany": {"counterspy"}, "italy": {"counterspy", "strength"}},
    ),
    (
        e.Discover(
            *("germany", "G-A", "I-1", "MIL", False, "covered"),
            coverer="italy",
        ),
        {},
    ),
    (
        e.Discover(
            *("germany", "G-A", "N-4", "PRA", False, "guarded"),
            carrier="F-A",
            told={"germany": e.Learned(spy=3, guard=3), "france": e.Learned(spy=3, guard=3)},
        ),
        {"germany": {"spy", "guard"}, "france": {"spy", "guard"}},
    ),
    (e.Cash("germany", Seat("germany"), "G-A", "N-4", "papers"), {"germany": {"chit"}}),
    (e.Cash("germany", Seat("germany"), "G-A", "N-4", None), {}),
    (e.Give("germany", "italy", 10), {}),
    (
        e.Give("germany", "italy", 0, "papers", ("germany", "italy")),
        {"germany": {"chit"}, "italy": {"chit"}},
    ),
    (
        e.Kill("germany", "G-A", "F-A", "PAR", "killed", 3, 2, ("germany", "france")),
        {"germany": {"spy", "victim"}, "france": {"spy", "victim"}},
    ),
]


@pytest.mark.parametrize(("event", "told"), TABLE, ids=lambda value: type(value).__name__)
def test_each_event_has_one_public_part_and_tells_these_seats_more(
    event: e.AnyEvent, told: dict[str, set[str]]
):
    """Rule 7.3."""
    public = []
    for seat in (*SEATS, ""):
        seen: dict[str, Any] = plain(witness(event, Seat(seat)))
        known = seen.pop("known", {})
        assert set(known) == told.get(seat, set()), seat
        public.append(seen)
    assert all(seen == public[0] for seen in public)


@pytest.mark.parametrize(("event", "told"), TABLE, ids=lambda value: type(value).__name__)
def test_when_all_is_open_an_event_is_told_with_what_any_seat_was_told(
    event: e.AnyEvent, told: dict[str, set[str]]
):
    """Rule 7.4."""
    seen: dict[str, Any] = plain(unveil(event))
    known = seen.pop("known", {})
    assert seen == plain(witness(event, Seat("")))
    assert set(known) == set().union(*told.values())


def test_a_step_left_out_is_its_owners_affair_alone():
    event = e.Skipped("germany", Seat("germany"), "G-A", 2, "no-goal")
    assert [seat for seat in SEATS if witness(event, Seat(seat))] == ["germany"]
    assert plain(witness(event, Seat("germany"))) == {
        "type": "skipped",
        "power": "germany",
        "spy": "G-A",
        "step": 2,
        "known": {"why": "no-goal"},
    }
    assert unveil(event) == witness(event, Seat("germany"))


def test_what_is_no_news_is_told_to_nobody():
    """Rules 7.3, 7.4: pending sheets, standing orders, new places of police, the pool."""
    silent = (
        e.Ordered(Seat("germany"), 2, ("HOLD ALL",)),
        e.Placed("germany", {}, {}, {}),
        e.Committed(Seat("germany"), "G-1 BER"),
        e.Reshuffled(1, ("papers",)),
        e.Rearranged("germany", {"G-P1": e.Spot("BER")}),
        e.Passed(None, 1934),
        e.Kept("germany", ("G-1",)),
        e.Left(Seat("germany"), "resignation"),
    )
    assert {witness(event, Seat(seat)) for event in silent for seat in SEATS} == {None}
    assert {unveil(event) for event in silent} == {None}


def test_the_names_of_fields_are_those_of_the_book():
    """Rule 7.3."""
    assert list(plain(witness(e.Go("germany", "G-A", "BER", "PRA"), Seat("italy")))) == [
        *("type", "power", "spy", "from", "to")
    ]
    search = e.Search("germany", "F-A", "BER", True, None, None, True, 3, 4, ("germany",))
    assert list(plain(witness(search, Seat("italy")))) == [
        *("type", "power", "spy", "city", "arrival", "answer", "to", "captured")
    ]
    found = e.Discover("germany", "G-A", "N-4", "PRA", True, "found")
    assert list(plain(witness(found, Seat("italy")))) == [
        *("type", "power", "spy", "secret", "city", "free", "result", "captured", "by")
    ]
    assert e.Learned().value is UNSET


def test_both_seats_of_a_match_of_two_see_their_own_two_powers_only():
    """Rules 1.3, 7.2."""
    state = begun(setting(2))
    for seat, mine in (("germany", {"G", "B"}), ("russia", {"R", "F"})):
        view = observe(state, Seat(seat))
        assert view.powers == (
            ("germany", "britain") if seat == "germany" else ("russia", "france")
        )
        assert view.dormant == ("italy",)
        assert {spy.spy[0] for spy in view.spies if spy.strength} == mine
        assert {secret.secret[0] for secret in view.secrets if secret.title} == mine
        assert {piece.police[0] for piece in view.own_police} == mine
        assert set(view.own_chits) == set(view.own_tiles) == set(view.points) == set(view.powers)


def test_who_has_no_seat_sees_what_all_see():
    """Rule 7.4: a spectator."""
    view = observe(begun(setting()), Seat(""))
    assert (view.powers, view.own_police, view.own_chits) == ((), (), {})
    assert {spy.strength for spy in view.spies} == {None}
    assert {secret.title for secret in view.secrets} == {None}


def test_at_the_end_everything_is_shown():
    """Rule 7.4, also after a resignation."""
    state = begun(setting(3))
    state = fold(state, match.leave(state, [Seat("germany")], "resignation"))
    assert any(spy.strength is None for spy in observe(state, Seat("italy")).spies)
    state = fold(state, match.leave(state, [Seat("russia")], "resignation"))
    for seat in ("italy", "germany", ""):
        view = observe(state, Seat(seat))
        assert all(spy.strength for spy in view.spies)
        assert all(secret.title for secret in view.secrets)
        assert set(view.own_chits) == set(view.points) == set(state.hands)
        assert {piece.police[0] for piece in view.own_police} == set("GIRFB")  # dormant ones, too


def test_an_end_in_the_set_up_shows_everything_too():
    """Rule 7.4: the strengths that were dealt, though no piece was placed yet."""
    state = match.set_up(setting(2), CHANCE)
    state = fold(state, match.leave(state, [Seat("germany")], "resignation"))
    for seat in ("germany", "russia", ""):
        view = observe(state, Seat(seat))
        assert {spy.spy for spy in view.spies} == set(state.spies)
        assert all(spy.strength for spy in view.spies)
        assert len(view.secrets) == 43
        assert len(view.own_police) == len(state.police)


def test_in_the_set_up_nobody_sees_where_others_pieces_are_or_will_be():
    state = match.set_up(setting(3), CHANCE)
    view = observe(state, Seat("germany"))
    assert {spy.spy[0] for spy in view.spies} == {"G"}
    assert {secret.secret[0] for secret in view.secrets} == {"G", "F", "B", "N"}
    assert {police.power for police in view.police} == {"france", "britain"}


def report(state: Any, events: Any, seat: Seat) -> Any:
    news = [witness(event, seat) for event in events]
    return plain([observe(state, seat), [seen for seen in news if seen]])


@pytest.mark.parametrize("seed", range(scaled(6)))
def test_a_seat_cannot_tell_twins_apart_at_any_ply(seed: int):
    """Case 13 of section 11: others' unknown strengths, values, hands, tiles and the pool are
    exchanged; the seat's report is the same, and so is the next one while its news are."""
    rng = Random(seed)
    for ply in random_match(rng, leaving=0.02):
        if ply.before.outcome:
            continue
        for seat in ply.before.seats:
            twin = twins.twin_of(ply.before, seat, rng)
            assert plain(observe(twin, seat)) == plain(observe(ply.before, seat))
            if not ply.sheets or ply.after.outcome:
                continue
            sheets = {s: sheet for s, sheet in ply.sheets.items() if may_send(twin, s, sheet)}
            events, after = played(twin, sheets, ply.chance)
            news = [plain(seen) for event in events if (seen := witness(event, seat))]
            was = [plain(seen) for event in ply.events if (seen := witness(event, seat))]
            if news == was and twins.standing_alike(twin, ply.before, seat):
                assert twins.told_alike(after, ply.after, seat)


def may_send(state: State, seat: Seat, sheet: Sequence[Order]) -> bool:
    read = parse(split_lines("\n".join(map(canonical, sheet))))
    return not list(check(observe(state, seat), read))


def test_the_canaries_of_a_state_stand_in_no_report_of_another_seat():
    """Rule 7.4: every title and hand of others is a word that stands nowhere else."""
    for ply in random_match(Random(5), setting(5)):
        if ply.after.outcome:
            return
        for seat in ply.after.seats:
            told = json.dumps(plain(observe(ply.after, seat)))
            known = {s.title for s in observe(ply.after, seat).secrets if s.title}
            for title in twins.titles(ply.after) - known:
                assert json.dumps(title) not in told


@given(pair=twins.pairs(), seed=st.integers(0, 2**32))
@examples(15)
def test_twins_are_answered_the_same_at_the_counter(pair: twins.Twins, seed: int):
    """Rules 7.4, 9.6: accepted, refused, warned of, and why."""
    rng = Random(seed)
    for _ in range(4):
        text = twins.sheet(pair.left, pair.seat, rng)
        read = parse(split_lines(text))
        one, other = (
            [*check(view, read), *warn(view, read), *template(view)]
            for view in (observe(state, pair.seat) for state in (pair.left, pair.right))
        )
        assert one == other, text


@given(pair=twins.pairs(), seed=st.integers(0, 2**32))
@examples(15)
def test_twins_at_play_look_alike_as_long_as_the_news_do(pair: twins.Twins, seed: int):
    """Case 13 of section 11."""
    rng = Random(seed)
    orders = twins.same_orders(pair, rng)
    if orders is None:
        return
    (events, left), (others, right) = (played(state, orders) for state in (pair.left, pair.right))
    if left.outcome or twins.told(events, pair.seat) != twins.told(others, pair.seat):
        return
    one, other = (twins.untold(plain(observe(state, pair.seat))) for state in (left, right))
    assert one == other


@pytest.mark.parametrize("seed", range(scaled(4)))
def test_the_news_of_an_event_hang_on_nothing_hidden(seed: int):
    rng = Random(seed)
    for ply in random_match(rng):
        for event in ply.events:
            for seat in (*ply.before.seats, Seat("")):
                disguised = twins.disguised(event, seat, rng)
                assert plain(witness(event, seat)) == plain(witness(disguised, seat))


@pytest.mark.slow
@given(pair=twins.pairs())
@examples(20)
def test_no_mark_on_a_tile_is_seen_before_the_end(pair: twins.Twins):
    state, marks = twins.canaries(pair.left, pair.seat)
    assert [m for m in marks if m in json.dumps(plain(observe(state, pair.seat)))] == []
    ended = fold(state, match.close(state, "agreement"))
    told = json.dumps(plain(observe(ended, pair.seat)))
    assert [mark for mark in marks if mark not in told] == []
