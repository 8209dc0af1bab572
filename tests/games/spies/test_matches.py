"""Random matches: what must hold holds after every ply, and everything is met on the way."""

from collections import Counter
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.orders import split_lines
from adjudicator.games.spies.orders.check import check
from adjudicator.games.spies.orders.missing_letters import complete_codes
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.values import (
    Discard,
    Give,
    Kill,
    Order,
    Plan,
    Play,
    Post,
    Take,
    canonical,
)
from adjudicator.games.spies.rules import events as e
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import LAST_YEAR
from adjudicator.games.spies.rules.discovery import free_discovery
from adjudicator.games.spies.rules.invariants import violations
from adjudicator.games.spies.rules.plans import spies_step
from adjudicator.games.spies.rules.ply_in_progress import Course
from adjudicator.games.spies.rules.state import State
from adjudicator.games.spies.sight.observe import observe
from tests.games.spies.matches import CHANCE, begun, fold, played, random_match, setting
from tests.games.spies.playing import quiet
from tests.games.spies.twins import RARE
from tests.scale import scaled

MATCHES = scaled(12)
EVENTS = msgspec.json.Decoder(tuple[e.AnyEvent, ...])


@pytest.mark.parametrize("seed", range(MATCHES))
def test_a_random_match_stays_sound_and_ends(seed: int):
    for ply in random_match(Random(seed)):
        assert list(violations(ply.after)) == []
        for seat, sheet in ply.sheets.items():
            text = "\n".join(map(canonical, sheet))
            read = parse(split_lines(text))
            assert read.problems == ()
            assert read.orders == sheet
            assert list(check(observe(ply.before, seat), read)) == []
        assert EVENTS.decode(msgspec.json.encode(ply.events)) == ply.events
        assert msgspec.json.decode(msgspec.json.encode(ply.after), type=State) == ply.after
        assert bool(match.awaiting(ply.after)) == (ply.after.outcome is None)
    assert ply.after.outcome
    assert not list(match.awaiting(ply.after))


@pytest.mark.parametrize("seed", range(scaled(4)))
def test_a_state_read_from_json_plays_on_as_the_state_itself(seed: int):
    for ply in random_match(Random(seed), leaving=0):
        stored = msgspec.json.decode(msgspec.json.encode(ply.before), type=State)
        assert tuple(match.adjudicate(stored, ply.sheets, ply.chance)) == ply.events


@pytest.mark.parametrize("line", [Discard("TC8"), Play("TC8"), Play("TG5")])
def test_a_line_for_a_tile_that_is_not_held_or_not_of_this_year_is_as_none(line: Order):
    """Rule 5.8: the tile with the earliest last year is discarded. Such a line is refused, but one
    that was taken could be overtaken."""
    state = begun(setting())
    hand = replace(state.hands["germany"], tiles=("TG5", "TG1"))
    state = replace(state, hands={**state.hands, "germany": hand})
    events, after = played(state, {Seat("germany"): (line,)})
    assert e.Tile("germany", Seat("germany"), "TG1", False) in events
    assert after.hands["germany"].tiles == ("TG5",)


def test_a_stored_event_with_a_field_that_is_not_known_is_refused():
    body = msgspec.json.encode([e.Turned("germany", 1933)]).replace(b"year", b"anno")
    with pytest.raises(msgspec.ValidationError):
        EVENTS.decode(body)


def test_random_matches_meet_every_kind_of_event():
    met: Counter[type] = Counter(dict.fromkeys(RARE, 1))
    for seed in range(40):
        for ply in random_match(Random(f"kinds {seed}"), leaving=0.05):
            met.update(type(event) for event in ply.events)
        if set(met) == set(e.AnyEvent.__args__):
            return
    assert set(met) == set(e.AnyEvent.__args__)


@pytest.mark.parametrize(
    ("players", "mode", "plies"), [(5, "years", 8), (5, "turns", 36), (2, "turns", 29)]
)
def test_a_match_has_as_many_deadlines_as_the_book_says(players: int, mode: str, plies: int):
    """Rules 1.1, 5.1, section 12."""
    assert len(list(random_match(Random(1), setting(players, mode), leaving=0))) == plies


@pytest.mark.parametrize("mode", ["years", "turns"])
def test_dormant_powers_and_order_hold_in_both_modes(mode: str):
    """Rule 5.1: who begins the years, and who plays in them."""
    first = []
    for ply in random_match(Random(2), setting(4, mode), leaving=0):
        turns = [event.power for event in ply.events if isinstance(event, e.Turned)]
        if mode == "years" and turns:
            assert len(turns) == 5
            first.append(turns[0])
    if mode == "years":
        assert first == ["germany", "italy", "russia", "france", "britain", "germany", "italy"]


def test_seats_that_left_before_the_set_up_are_placed_and_played():
    """Rule 6.7."""
    state = match.set_up(setting(3, "turns"), CHANCE)
    state = fold(state, match.leave(state, ["germany"], "forfeit"))
    assert match.awaiting(state) == {"italy", "russia"}
    events, state = played(state, {})
    assert state.to_move == "italy"
    assert [event.seat for event in events if isinstance(event, e.Ordered)] == ["italy", "russia"]
    assert [event.power for event in events if isinstance(event, e.Turned)] == ["germany"]
    assert all(spy.city or spy.captor for spy in state.spies.values())


def test_the_last_year_ends_the_match_in_mode_turns_too():
    state = begun(setting(3, "turns"))
    years = set()
    while match.awaiting(state):
        years.add(state.year)
        _, state = played(state, {})
    assert max(years) == LAST_YEAR
    assert state.outcome
    assert state.outcome.reason == "points"


def test_a_free_discovery_in_the_own_capital_is_cashed_with_the_spies():
    """Rules 5.8, 4.6: no tile of the map names a capital, so it is tried without one."""
    course = Course(quiet(begun(setting())), CHANCE)
    lying = replace(course.state.secrets["N-4"], city="PAR")
    secrets = {**course.state.secrets, "N-4": lying}
    course.state = replace(course.state, secrets=secrets)
    free_discovery(course, "france", "PAR")
    assert course.state.spies["F-A"].carries == "N-4"
    spies_step(course, "germany", ())
    assert course.state.spies["F-A"].carries == "N-4"
    spies_step(course, "france", ())
    assert [type(event) for event in course.events] == [e.Discover, e.Cash]
    assert course.state.secrets["N-4"].gone == "cashed"


def test_silence_and_an_empty_sheet_are_the_same():
    """Rule 6.7."""
    state = begun(setting())
    assert played(state, {}) == played(state, dict.fromkeys(state.seats, ()))


def test_orders_without_letters_are_stored_whole():
    """Rule 9.1."""
    state = begun(setting())
    sheet = parse(split_lines("SPY A: GO HOME\nPOLICE P1 COL\nANSWER PAPERS B")).orders
    events, after = played(state, {"germany": sheet})
    ordered = next(event for event in events if isinstance(event, e.Ordered))
    assert ordered.lines == ("SPY G-A: GO HOME", "POLICE G-P1 COL", "ANSWER PAPERS G-B")
    assert after.standing["germany"].answer == tuple(
        complete_codes(o, ("germany",)) for o in sheet[2:]
    )


def test_events_can_be_applied_one_by_one_without_the_rules():
    state = begun(setting())
    for ply in random_match(Random(7)):
        state = ply.before
        for event in ply.events:
            state = apply(state, event)
        assert state == ply.after


def where_chits_are_short() -> State:
    """Return a match in mode `turns`: Germany is to move and has something to cash, and the pool is
    empty."""
    state = quiet(begun(setting(5, "turns")))
    lying = replace(state.secrets["N-4"], city="BER", spy="G-A")
    carrier = replace(state.spies["G-A"], carries="N-4")
    return replace(
        state,
        secrets={**state.secrets, "N-4": lying},
        spies={**state.spies, "G-A": carrier},
        discard={"papers": 3},
    )


def test_where_chits_must_be_shuffled_a_seat_that_left_waits_for_the_next_adjudication():
    """Rules 2.4, 5.1, 6.7: a leaving has no chance to shuffle with."""
    state = where_chits_are_short()
    left = fold(state, match.leave(state, ["germany"], "resignation"))
    assert match.awaiting(left) == {"germany"}
    events, after = played(left, {})
    assert [type(event) for event in events] == [e.Turned, e.Tile, e.Reshuffled, e.Cash, e.Passed]
    assert match.awaiting(after) == {"italy"}
    assert after.ply == left.ply


@pytest.mark.parametrize(
    ("players", "line"),
    [
        (5, Give("germany", 10)),
        (3, Give("france", 10)),
        (2, Give("russia", 10)),
        (5, Plan("G-A", (Take("F-1"),))),
        (2, Plan("G-A", (Kill("B-A"),))),
        (5, Post("G-P1", "BER", "F-1")),
    ],
    ids=lambda case: str(case) if isinstance(case, int) else canonical(case),
)
def test_what_a_sheet_may_not_say_is_left_out_if_it_was_taken_all_the_same(
    players: int, line: Order
):
    """Rules 4.5, 4.7, 5.9, 5.10; `check` refuses such a line."""
    state = quiet(begun(setting(players, "turns", daggers=True)))
    hand = replace(state.hands["germany"], chits={"dagger": 1})
    lying = replace(state.secrets["F-1"], city="BER")
    state = replace(
        state,
        to_move="germany",
        hands={**state.hands, "germany": hand},
        secrets={**state.secrets, "F-1": lying},
    )
    spies = {code: replace(spy, city="BER") for code, spy in state.spies.items()}
    state = replace(state, spies=spies)
    events, after = played(state, {Seat("germany"): (line,)})
    done = e.Give | e.Take | e.Kill
    assert not [event for event in events if isinstance(event, done)]
    assert after.hands["germany"].money == 40
    assert after.police["G-P1"].on is None


@pytest.mark.parametrize("order", ["rotating", "fixed"])
def test_in_mode_turns_germany_begins_every_year(order: str):
    """Rule 5.1: the option `order` counts in `years` only."""
    state = replace(begun(setting(5, "turns", order)), year=1935)
    assert match.first_of(state) == "germany"
    assert observe(state, Seat("italy")).first == "germany"
