"""Adjudicate orders: a turn (R2), one in which the spy has nowhere to go (R8), a round, the set-up
(R1), and the ends of a match."""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.dice import Chance
from adjudicator.core.match import Seat, Setting
from adjudicator.games.spion.orders.values import Move, Order, Pass, Phrase, Swap, canonical
from adjudicator.games.spion.rules import defaults
from adjudicator.games.spion.rules.cards import by_cards, deal, no_winner, win_of
from adjudicator.games.spion.rules.invariants import violations
from adjudicator.games.spion.rules.missions import ambush, answer, mission
from adjudicator.games.spion.rules.movement import ROLLS, Ends, Path, ends, first_legal_way
from adjudicator.games.spion.rules.ply_in_progress import Course
from adjudicator.games.spion.rules.position import blockers, clockwise, eligible
from adjudicator.games.spion.rules.rolls import exhausted, open_match, roll_ahead, rolls
from adjudicator.games.spion.rules.standing_orders import merge
from adjudicator.games.spion.rules.state import (
    EMPTY,
    Blocked,
    Dealt,
    Ended,
    Event,
    GuardSwapped,
    Instructed,
    Left,
    Moved,
    Ordered,
    Phrased,
    Replaced,
    Settings,
    State,
    TurnOpened,
    TurnPassed,
)
from adjudicator.games.spion.rules.take_card import enter
from adjudicator.games.spion.rules.variants import board_of


def set_up(setting: Setting, chance: Chance) -> State:
    """Put pieces at their starts, with empty holders (R1.2); the cards wait for the phrases
    (6.2)."""
    settings = Settings(
        variant=setting.variant,
        own_board=setting.board,
        mode=setting.options["mode"],  # type: ignore[arg-type]  # one of Option.values
        memory=setting.options["memory"],  # type: ignore[arg-type]
        open_doors=setting.options["open_doors"] == "true",
        max_rounds=int(setting.options["max_rounds"]),
        roll_when_blocked=setting.options["roll_when_blocked"] == "true",
    )
    board = board_of(settings)
    seats = board.seating[len(setting.seats)]
    return State(
        settings=settings,
        seats=seats,
        types=board.types_in_play(len(seats)),
        spies={seat: board.starts[seat] for seat in seats},
        bodyguards={seat: board.homes[seat] for seat in seats},
        holders=dict.fromkeys(seats, EMPTY),
    )


def awaiting(state: State) -> frozenset[Seat]:
    """Return the seats whose orders the next ply waits for. A seat that has left stands alone here
    when its own turn or answer is next: it has nothing to send."""
    if state.outcome:
        return frozenset()
    if state.pending:
        return frozenset({state.pending.defender})
    if state.to_move:
        return frozenset({state.to_move})
    return frozenset(seat for seat in state.seats if seat not in state.left)


def phase(state: State) -> str:
    if state.outcome:
        return "over"
    return "play" if state.turn else "setup"


def phrases(state: State) -> tuple[str, ...]:
    """Return what the players gave to chance, in seat order (6.2)."""
    return tuple(state.phrases[seat] for seat in state.seats if seat in state.phrases)


def adjudicate(
    state: State, orders: Mapping[Seat, Sequence[Order]], chance: Chance
) -> Iterator[Event]:
    """Return the facts that follow from the sheets of the awaited seats. An empty or missing sheet
    leaves everything to standing orders and defaults."""
    course = Course(state, chance)
    sheets = {seat: orders.get(seat, ()) for seat in state.seats if seat not in state.left}
    for seat in state.seats:
        if seat in orders:
            course.tell(Ordered(seat, state.ply + 1, tuple(map(canonical, orders[seat]))))
    if not state.turn:
        _deal(course, sheets)
    else:
        _instruct(course, sheets)
        _play(course, sheets)
    assert not list(violations(course.state)) or list(violations(state)), "what was sound stays so"
    return iter(course.events)


def _deal(course: Course, sheets: Mapping[Seat, Sequence[Order]]) -> None:
    for seat in course.state.seats:
        given = (o.text for o in sheets.get(seat, ()) if isinstance(o, Phrase))
        course.tell(Phrased(seat, next(given, "")))
    course.take_phrases(phrases(course.state))
    cards = deal(course.board, len(course.state.seats), course.chance.deal())
    course.tell(Dealt(cards))
    open_match(course)
    roll_ahead(course)
    _absent_turns(course)


def _instruct(course: Course, sheets: Mapping[Seat, Sequence[Order]]) -> None:
    """Take standing orders from the sheets; they count from the start of the ply, also before the
    seat's own turn."""
    for seat, sheet in sheets.items():
        before = course.state.standing.get(seat, ())
        after = merge(before, sheet)
        if after != before:
            course.tell(Instructed(seat, after))


def _play(course: Course, sheets: Mapping[Seat, Sequence[Order]]) -> None:
    state = course.state
    if state.settings.mode == "rounds":
        _round(course, sheets)
        return
    assert state.to_move, "no seat is to move"
    if state.pending:
        course.open_turn()
        answer(course, state.pending, sheets.get(state.pending.defender, ()))
    else:
        _turn(course, state.to_move, sheets.get(state.to_move, ()))
    _pass_on(course)
    _absent_turns(course)


def _absent_turns(course: Course) -> None:
    """Play the turns of seats that left at once in mode `turns` (5.4), up to the next that
    plays."""
    while course.state.to_move in course.state.left and not course.state.pending:
        seat = course.state.to_move
        assert seat
        _turn(course, seat, ())
        _pass_on(course)


def _round(course: Course, sheets: Mapping[Seat, Sequence[Order]]) -> None:
    first = course.state.first
    assert first, "the match has not begun"
    order = (first, *clockwise(course.state.seats, first))
    for number, seat in enumerate(order, start=1):
        _turn(course, seat, sheets.get(seat, ()))
        if course.over:
            return
        state, last = course.state, number == len(order)
        if last and _is_last(state, state.round + 1):
            course.tell(Ended(by_cards(state)))
            return
        following = None if last else order[number]
        course.tell(TurnPassed(seat, following, state.turn + last, state.round + last))
    roll_ahead(course)


def _pass_on(course: Course) -> None:
    """Begin the next seat's turn in mode `turns`, unless an answer is awaited."""
    state = course.state
    if course.over or state.pending:
        return
    assert state.to_move, "no seat is to move"
    following = clockwise(state.seats, state.to_move)[0]
    number = state.round + (following == state.first)
    if _is_last(state, number):
        course.tell(Ended(by_cards(state)))
        return
    course.tell(TurnPassed(state.to_move, following, state.turn + 1, number))
    roll_ahead(course)


def _is_last(state: State, following: int) -> bool:
    """Return whether the match ends before the round in which the following turn is: the rounds or
    a chain have come to their end (A38)."""
    limit = state.settings.max_rounds
    return (limit > 0 and following > limit) or exhausted(state)


def _turn(course: Course, seat: Seat, sheet: Sequence[Order]) -> None:
    """Play a seat's turn (R2). The order of the checks is ruling A41."""
    course.open_turn()
    roll = course.state.rolls.get(seat) if rolls(course, seat) else None
    course.tell(TurnOpened(seat, course.state.turn, roll))
    if roll is None:  # A26, its other reading
        stand_still(course, seat, ends(course.position, seat, max(ROLLS)), sheet)
    elif roll.double and eligible(course.position, seat):
        mission(course, seat, sheet)
    elif not ambush(course, seat, roll.total, sheet):
        _move(course, seat, roll.total, sheet)


def _move(course: Course, seat: Seat, count: int, sheet: Sequence[Order]) -> None:
    """Move the spy (R2, steps 3 to 5): whoever can move must (R3.6, A6)."""
    now = course.position
    found = ends(now, seat, count)
    if not found.paths:
        stand_still(course, seat, found, sheet)
        return
    goals = [goal for order in sheet if isinstance(order, Move) for goal in order.goals]
    path = first_legal_way(now, seat, count, found, goals) or _default_way(course, seat, found)
    course.tell(Moved(seat, now.spies[seat], path[-1], path))
    enter(course, seat, path[-1], sheet)


def _default_way(course: Course, seat: Seat, found: Ends) -> Path:
    goals = defaults.goals(course.position, found)
    goal = goals[0] if len(goals) == 1 else course.draw(seat, "move").choice(goals)
    return found.paths[goal]


def leave(state: State, seats: Sequence[Seat], reason: str) -> Iterator[Event]:
    """Let seats give up or be forfeited; they go on by the defaults while two or more play
    (5.4)."""
    leaving = [seat for seat in seats if seat not in state.left]
    yield from (Left(seat, reason) for seat in leaving)
    playing = [seat for seat in state.seats if seat not in {*state.left, *leaving}]
    if len(playing) < 2:
        yield Ended(win_of(playing[0], reason) if playing else no_winner("cancelled"))


def succeed(state: State, seat: Seat) -> Iterator[Event]:
    """Give a seat a new holder. That is told whether there were standing orders or not, which is
    the affair of the one before."""
    yield Replaced(seat)


def close(state: State, reason: str) -> Iterator[Event]:
    """End the match without a winner, by `agreement` or as `cancelled`."""
    yield Ended(no_winner(reason))


def seats_that_left(state: State) -> tuple[Seat, ...]:
    """Return the seats that left a match that goes on."""
    return tuple(seat for seat in state.seats if seat in state.left)


def pace(state: State) -> float:
    """Return the share of the usual time: an answer has half that of a turn (5.3)."""
    return 0.5 if state.pending else 1.0


def provides(state: State) -> bool:
    """Return whether silence is answered by defaults, as it is for phrases (6.2) and answers
    (5.3)."""
    return not state.turn or state.pending is not None


def stand_still(course: Course, seat: Seat, found: Ends, sheet: Sequence[Order]) -> None:
    """Make the optional swap of one blocking bodyguard (R8.2); nothing else moves (A29)."""
    by = blockers(course.position, seat, found.met)
    course.tell(Blocked(seat, by))
    replaced = _chosen(by, sheet)
    if replaced:
        state = course.state
        course.tell(
            GuardSwapped(
                seat=seat,
                replaced=replaced,
                square=state.bodyguards[replaced],
                guard_from=state.bodyguards[seat],
                home=course.board.homes[replaced],
            )
        )


def _chosen(by: Sequence[Seat], sheet: Sequence[Order]) -> Seat | None:
    """Return the first SWAP that can be made or PASS, else the first clockwise (5.4)."""
    for order in sheet:
        if isinstance(order, Pass):
            return None
        if isinstance(order, Swap) and order.target in by:
            return Seat(order.target)
    return next(iter(by), None)
