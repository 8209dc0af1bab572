"""What a match waits for is decided by facts alone: each step of the table, and the second before
it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from adjudicator.core import clock
from adjudicator.core.clock import (
    DORMANT_AFTER,
    SEARCH,
    Adjudicate,
    Alert,
    ClockFacts,
    Default,
    Excuse,
    Forfeit,
    Overdue,
    Remind,
    SeatTime,
    Seek,
    Timing,
)

SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
OPEN = datetime(2026, 11, 23, 12, tzinfo=UTC)
DUE = OPEN + 5 * DAY
TIMING = Timing(
    is_timed=True,
    period=5 * DAY,
    absence="forfeit",
    excused=0,
    grace=DAY,
    settle=6 * HOUR,
    reminders=False,
    substitutes=False,
    has_reserve=False,
)


def seat(**more: Any) -> SeatTime:
    return SeatTime(is_awaited=True, **more)


SENT = seat(sent_at=OPEN + HOUR)


def facts(red: SeatTime = SENT, blue: SeatTime = SENT, **more: Any) -> ClockFacts:
    """Return the facts of a turn of two seats; what is agreed stands among the others."""
    timing = {key: more.pop(key) for key in [*more] if key in TIMING.__struct_fields__}
    more = {"since": OPEN, "due": DUE, **more}
    return ClockFacts(timing=replace(TIMING, **timing), seats={"red": red, "blue": blue}, **more)


SILENT = seat()
ASLEEP = seat(silent=DORMANT_AFTER, has_default=True)
RED, BOTH = ("red",), ("red", "blue")
# What is so, when a step is due, and which; nothing is a second before.
STEPS: dict[str, tuple[ClockFacts, datetime, clock.Step]] = {
    "all have sent and settled": (
        facts(seat(sent_at=OPEN), SENT),
        OPEN + 7 * HOUR,
        Adjudicate(),
    ),
    "a computer need not settle": (
        facts(seat(sent_at=OPEN), seat(sent_at=OPEN + 2 * HOUR, is_computer=True)),
        OPEN + 6 * HOUR,
        Adjudicate(),
    ),
    "nobody settles after a hurry": (
        facts(is_hurried=True),
        OPEN + HOUR,
        Adjudicate(),
    ),
    "who thinks on has until the deadline": (
        facts(seat(sent_at=OPEN, thinks_on=True)),
        DUE,
        Adjudicate(),
    ),
    "a hurry ends thinking": (
        facts(seat(sent_at=OPEN, thinks_on=True), is_hurried=True),
        OPEN + HOUR,
        Adjudicate(),
    ),
    "grace before a forfeit": (facts(SILENT), DUE + DAY, Forfeit(RED)),
    "all who are silent": (facts(SILENT, SILENT), DUE + DAY, Forfeit(BOTH)),
    "no grace without a forfeit": (facts(SILENT, absence="gm"), DUE, Alert(RED)),
    "orders that the game has": (facts(seat(has_default=True)), DUE + DAY, Default(RED)),
    "the rules answer at the grace's end": (
        facts(seat(has_default=True), provides=True, excused=1),
        DUE + DAY,
        Default(RED),
    ),
    "an excuse": (facts(SILENT, excused=1), DUE + DAY, Excuse(RED)),
    "no second excuse": (facts(seat(missed=1), excused=1), DUE + DAY, Forfeit(RED)),
    "no excuse without a deadline": (
        facts(SILENT, excused=1, is_timed=False),
        DUE + DAY,
        Forfeit(RED),
    ),
    "the one who came farthest first": (
        facts(seat(missed=1), SILENT, excused=1),
        DUE + DAY,
        Forfeit(RED),
    ),
    "a time that was announced": (
        facts(seat(forfeit_at=OPEN + DAY)),
        OPEN + DAY,
        Forfeit(RED),
    ),
    "announced for orders of the game": (
        facts(seat(forfeit_at=OPEN + 2 * HOUR, sent_at=OPEN + HOUR, is_default=True)),
        OPEN + 2 * HOUR,
        Forfeit(RED),
    ),
    "nobody waits for who sleeps": (facts(ASLEEP), OPEN + 7 * HOUR, Default(RED)),
    "nor for who has left": (
        facts(seat(has_left=True, has_default=True)),
        OPEN + 7 * HOUR,
        Default(RED),
    ),
    "two misses are not three": (
        facts(seat(silent=DORMANT_AFTER - 1, has_default=True)),
        DUE + DAY,
        Default(RED),
    ),
    "all sleep": (facts(ASLEEP, ASLEEP), DUE + DAY, Default(BOTH)),
    "asleep without orders": (facts(seat(silent=DORMANT_AFTER)), DUE + DAY, Forfeit(RED)),
    "a reserve": (
        facts(seat(own_end=DUE + 2 * DAY), has_reserve=True),
        DUE + 2 * DAY,
        Forfeit(RED),
    ),
    "the last reserve": (
        facts(seat(own_end=DUE + HOUR), seat(own_end=DUE + 2 * HOUR), has_reserve=True),
        DUE + 2 * HOUR,
        Forfeit(BOTH),
    ),
    "reserves that begin": (
        facts(seat(own_end=DUE + DAY), has_reserve=True, is_overdue_noted=False),
        DUE,
        Overdue(BOTH),
    ),
    "a search before a forfeit": (facts(SILENT, substitutes=True), DUE + DAY, Seek(RED)),
    "a search that is over": (
        facts(seat(sought=True), substitutes=True, sought_until=DUE + DAY + SEARCH),
        DUE + DAY + SEARCH,
        Forfeit(RED),
    ),
    "a search for who would fall asleep": (
        facts(seat(silent=DORMANT_AFTER - 1, has_default=True), substitutes=True),
        DUE + DAY,
        Seek(RED),
    ),
    "none in the set-up": (
        facts(
            seat(silent=DORMANT_AFTER - 1, has_default=True),
            substitutes=True,
            is_setup=True,
        ),
        DUE + DAY,
        Default(RED),
    ),
    "none for who has left": (
        facts(
            seat(silent=DORMANT_AFTER - 1, has_default=True, has_left=True, thinks_on=True),
            seat(),
            substitutes=True,
            absence="gm",
        ),
        DUE,
        Alert(BOTH),
    ),
    "none for a computer": (
        facts(seat(is_computer=True), substitutes=True),
        DUE + DAY,
        Forfeit(RED),
    ),
    "a reminder": (facts(SILENT, reminders=True), OPEN + 4 * DAY, Remind(BOTH)),
    "a reminder of a clock that ran ahead": (
        facts(SILENT, reminders=True, since=DUE + HOUR),
        DUE - DAY,
        Remind(BOTH),
    ),
    "a second reminder": (
        facts(SILENT, reminders=True, is_reminded=True),
        DUE + DAY,
        Forfeit(RED),
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_step_is_due_at_its_time_and_not_before(name: str) -> None:
    known, at, step = STEPS[name]
    assert clock.decide(known, at) == step
    assert clock.decide(known, at - SECOND) is None
    assert clock.until(known, at - SECOND) == at


@pytest.mark.parametrize(
    "known",
    [
        facts(SILENT, due=None),
        facts(SILENT, is_alerted=True),
        facts(seat(is_computer=True, sent_at=OPEN, thinks_on=True), due=None),
    ],
)
def test_a_match_without_a_time_waits(known: ClockFacts) -> None:
    assert clock.decide(known, DUE + 9 * DAY) is None


def test_a_late_tick_does_what_was_due() -> None:
    assert clock.decide(facts(SILENT), DUE + 9 * DAY) == Forfeit(RED)
    late = facts(SILENT, reminders=True)
    assert clock.decide(late, DUE) is None
    assert clock.decide(late, DUE - SECOND) == Remind(BOTH)


def test_who_has_sent_orders_is_not_forfeited_at_the_announced_time() -> None:
    known = facts(seat(forfeit_at=OPEN + 2 * HOUR, sent_at=OPEN))
    assert clock.decide(known, OPEN + 2 * HOUR) is None
    assert clock.decide(known, OPEN + 7 * HOUR) == Adjudicate()


def test_a_seat_that_is_not_awaited_is_neither_silent_nor_late() -> None:
    idle = replace(SILENT, is_awaited=False)
    assert clock.decide(facts(SENT, idle), OPEN + 7 * HOUR) == Adjudicate()
    assert clock.decide(facts(idle, idle), OPEN + 7 * HOUR) is None


def test_a_seat_is_told_when_it_is_forfeited() -> None:
    both = seat(forfeit_at=OPEN + DAY)
    for known, at in (
        (facts(SILENT), DUE + DAY),
        (facts(both), OPEN + DAY),
        (facts(seat(forfeit_at=DUE + 9 * DAY)), DUE + DAY),
        (facts(seat(has_default=True)), None),
        (facts(SILENT, due=None), None),
        (facts(SILENT, substitutes=True), DUE + DAY + SEARCH),
        (facts(SILENT, substitutes=True, sought_until=DUE + 2 * DAY), DUE + 2 * DAY),
        (facts(seat(own_end=DUE + 3 * HOUR), has_reserve=True), DUE + 3 * HOUR),
    ):
        assert clock.forfeit_time(known, "red") == at


def test_a_search_is_told_once_and_only_where_a_seat_would_be_forfeited() -> None:
    assert clock.search_time(facts(SILENT, substitutes=True), "red") == DUE + DAY
    assert clock.search_time(facts(SILENT), "red") is None
    assert clock.search_time(facts(SILENT, substitutes=True, sought_until=DUE), "red") is None
    assert clock.search_time(facts(seat(has_default=True), substitutes=True), "red") is None


def test_own_times_that_have_ended_are_those_of_silent_people() -> None:
    ended = seat(own_end=DUE + HOUR)
    known = facts(ended, SENT, has_reserve=True)
    assert clock.out_of_time(known, DUE + HOUR) == {"red": DUE + HOUR}
    assert clock.out_of_time(known, DUE + HOUR - SECOND) == {}
    assert clock.out_of_time(replace(known, is_alerted=True), DUE + HOUR) == {}
    assert clock.out_of_time(replace(known, due=None), DUE + HOUR) == {}
    for one in (
        replace(ended, is_computer=True),
        replace(ended, silent=DORMANT_AFTER, has_default=True),
    ):
        assert clock.out_of_time(facts(one, SENT, has_reserve=True), DUE + HOUR) == {}
    provided = facts(replace(ended, has_default=True), SENT, has_reserve=True, provides=True)
    assert clock.out_of_time(provided, DUE + HOUR) == {}


def test_seats_whose_time_is_up_are_named_with_those_that_are_silent() -> None:
    known = facts(SILENT)
    assert clock.seats_out_of_time(known, DUE + DAY) == (BOTH, RED)
    assert clock.seats_out_of_time(known, DUE + DAY - SECOND) == ((), ())
    assert clock.seats_out_of_time(replace(known, is_alerted=True), DUE + DAY) == ((), ())
    warned = facts(seat(forfeit_at=OPEN + DAY), seat(sent_at=OPEN, forfeit_at=OPEN + DAY))
    assert clock.seats_out_of_time(warned, OPEN + DAY) == (BOTH, RED)
    assert clock.time_was_up(warned, OPEN + 2 * DAY) == OPEN + DAY
    assert clock.time_was_up(warned, DUE + 2 * DAY) == DUE + DAY
    assert clock.time_was_up(warned, OPEN) == OPEN
