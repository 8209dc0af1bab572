"""Adjudicate sheets: the set-up, a year or a power's turn, and the ends of a match.

A seat may lead two powers (1.3); to everybody outside this package a seat is a seat. In mode
`turns` the powers of nobody act at once when their place comes, and so do those of a seat that
left. Only where chits must be shuffled for that, and a leaving has no chance to do it with, such a
seat stands alone among the awaited until the next adjudication, and has nothing to send.
"""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.dice import Chance
from adjudicator.core.match import Seat, Setting
from adjudicator.games.spies.orders.missing_letters import complete_codes
from adjudicator.games.spies.orders.values import Order, Place, SetUp, canonical
from adjudicator.games.spies.rules import outcome, placing, standing_orders, turn
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import FIRST_YEAR, LAST_YEAR, POWERS, SET_UP, Power, atlas
from adjudicator.games.spies.rules.control import order_from, seat_of
from adjudicator.games.spies.rules.deal import deal_match
from adjudicator.games.spies.rules.events import (
    AnyEvent,
    Committed,
    Instructed,
    Left,
    Ordered,
    Passed,
)
from adjudicator.games.spies.rules.invariants import violations
from adjudicator.games.spies.rules.ply_in_progress import ChanceNeeded, Course
from adjudicator.games.spies.rules.sensible import sensible_set_up
from adjudicator.games.spies.rules.state import Settings, State


def set_up(setting: Setting, chance: Chance) -> State:
    """Return a match as it was agreed: the deal, and dormant powers placed before the players place
    theirs (1.5, 2.3)."""
    settings = Settings(
        mode=setting.options["mode"],  # type: ignore[arg-type]  # one of Option.values
        order=setting.options["order"],  # type: ignore[arg-type]
        assassination=setting.options["assassination"] == "true",
    )
    return open_match(settings, atlas().seating[len(setting.seats)], chance)


def open_match(
    settings: Settings, seats: Mapping[Seat, tuple[Power, ...]], chance: Chance
) -> State:
    """Return a match of these seats as it opens."""
    state = deal_match(settings, seats, chance)
    for power in POWERS:
        if power not in state.hands:
            state = apply(state, placing.random_set_up(power, chance, with_spies=False))
    return state


def first_of(state: State) -> Power:
    """Return the power that begins the year to be played (5.1)."""
    if state.settings.mode == "turns" or state.settings.order == "fixed":
        return POWERS[0]
    return POWERS[(year_to_play(state) - FIRST_YEAR) % len(POWERS)]


def year_to_play(state: State) -> int:
    """Return the year to be played; during the set-up the one for which it is made."""
    return max(state.year, FIRST_YEAR)


def number(state: State) -> int:
    """Return the turn that is to be ordered: 0 is the set-up (1.1)."""
    return state.year - SET_UP


def phase(state: State) -> str:
    if state.outcome:
        return "over"
    return "play" if state.placed else "setup"


def awaiting(state: State) -> frozenset[Seat]:
    """Return the seats whose sheets the next ply waits for."""
    if state.outcome:
        return frozenset()
    mover = seat_of(state, state.to_move) if state.to_move else None
    if mover:
        return frozenset({mover})
    return frozenset(_staying(state))


def _staying(state: State) -> tuple[Seat, ...]:
    return tuple(seat for seat in state.seats if seat not in state.left)


def seats_that_left(state: State) -> tuple[Seat, ...]:
    """Return the seats that left a match that goes on."""
    return tuple(seat for seat in state.seats if seat in state.left)


def adjudicate(
    state: State, orders: Mapping[Seat, Sequence[Order]], chance: Chance
) -> Iterator[AnyEvent]:
    """Return the facts that follow from the sheets of the awaited seats. A missing sheet is
    silence."""
    course = Course(state, chance)
    sheets = {
        seat: tuple(complete_codes(order, powers) for order in orders.get(seat, ()))
        for seat, powers in state.seats.items()
        if seat in awaiting(state) and seat not in state.left
    }
    for seat, sheet in sheets.items():
        course.tell(Ordered(seat, state.ply + 1, tuple(map(canonical, sheet))))
    if not state.placed:
        _place(course, sheets, chance)
    else:
        _instruct(course, sheets)
        _play(course, sheets)
    assert not list(violations(course.state)) or list(violations(state)), "what was sound stays so"
    return iter(course.events)


def _place(course: Course, sheets: Mapping[Seat, Sequence[Order]], chance: Chance) -> None:
    """Place all pieces, by sheet or by chance (2.5 to 2.7)."""
    for seat, powers in course.state.seats.items():
        sheet = sheets.get(seat, ())
        lines = [order for order in sheet if isinstance(order, Place)]
        drawn = not lines or SetUp("RANDOM") in sheet
        for power in powers:
            if SetUp("AUTO") in sheet:
                course.tell(sensible_set_up(course.state, power, chance))
            elif drawn:
                course.tell(placing.random_set_up(power, chance, with_spies=True))
            else:
                course.tell(placing.set_up_from_lines(power, lines))
        course.tell(Committed(seat, placing.committed_lines(course.state, seat)))
    _instruct(course, sheets)
    if course.state.settings.mode == "turns":
        _pass_on(course, None)
    else:
        course.tell(Passed(None, FIRST_YEAR))


def _instruct(course: Course, sheets: Mapping[Seat, Sequence[Order]]) -> None:
    """Take standing orders from the sheets; they hold from the beginning of the year's play or of
    the sheet's turn (6.2)."""
    for seat, sheet in sheets.items():
        after = standing_orders.new_standing_orders(course.state, seat, sheet)
        if after:
            course.tell(Instructed(seat, after))


def _play(course: Course, sheets: Mapping[Seat, Sequence[Order]]) -> None:
    state = course.state
    if state.settings.mode == "turns":
        assert state.to_move, "no power is to move"
        turn.play(course, state.to_move, _sheet_of(state, state.to_move, sheets))
        _pass_on(course, state.to_move)
        return
    for power in order_from(first_of(state)):
        turn.play(course, power, _sheet_of(state, power, sheets))
    if state.year < LAST_YEAR:
        course.tell(Passed(None, state.year + 1))
    else:
        _end(course)


def _sheet_of(
    state: State, power: Power, sheets: Mapping[Seat, Sequence[Order]]
) -> Sequence[Order]:
    seat = seat_of(state, power)
    return sheets.get(seat, ()) if seat else ()


def _pass_on(course: Course, last: Power | None) -> None:
    """Go on in mode `turns` to the next power that is led by a seat still there; those before it
    act at once. `last` moved last; None if the set-up was made."""
    place = _behind(course.state, last)
    while place:
        power, year = place
        course.tell(Passed(power, year))
        if seat_of(course.state, power) in _staying(course.state):
            return
        turn.play(course, power, ())
        place = _behind(course.state, power)
    _end(course)


def _behind(state: State, last: Power | None) -> tuple[Power, int] | None:
    """Return the power whose place comes behind another, and its year; None at the end."""
    if last is None:
        return POWERS[0], FIRST_YEAR
    at = POWERS.index(last) + 1
    if at < len(POWERS):
        return POWERS[at], state.year
    return (POWERS[0], state.year + 1) if state.year < LAST_YEAR else None


def _end(course: Course) -> None:
    """End the match by points (8.1)."""
    for event in outcome.kept_originals(course.state):
        course.tell(event)
    course.tell(outcome.by_points(course.state))


def leave(state: State, seats: Sequence[Seat], reason: str) -> Iterator[AnyEvent]:
    """Let seats give up or be forfeited; the last one left wins (6.7). In mode `turns` a power of
    theirs whose place has come acts at once."""
    course = Course(state, None)
    for seat in seats:
        if seat not in course.state.left:
            course.tell(Left(seat, reason))
    staying = _staying(course.state)
    if len(staying) < 2:
        course.tell(outcome.end_event(staying, reason if staying else "cancelled"))
        return iter(course.events)
    return iter((*course.events, *_absent(course.state)))


def _absent(state: State) -> Sequence[AnyEvent]:
    """Play the turns of seats that left, as far as nothing must be drawn; else none, and the next
    adjudication plays them."""
    mover = seat_of(state, state.to_move) if state.to_move else None
    if mover not in state.left:
        return ()
    course = Course(state, None)
    try:
        _play(course, {})
    except ChanceNeeded:
        return ()
    return course.events


def close(state: State, reason: str) -> Iterator[AnyEvent]:
    """End the match without a winner, by `agreement` or as `cancelled`."""
    yield outcome.end_event((), reason)
