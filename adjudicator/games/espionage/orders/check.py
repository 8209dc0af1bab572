"""Say what is not allowed, as far as the sender can know: judged on his own view only (rule
2.5)."""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import Line, Problem, Sheet, problem
from adjudicator.games.espionage.orders.refusals import STEPS, because
from adjudicator.games.espionage.orders.values import (
    AutoSetUp,
    Move,
    Order,
    Places,
    RandomSetUp,
    Rows,
    SetUpOrder,
)
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.rules.board import BOARDS, FILES, Square, file_of, rank_of
from adjudicator.games.espionage.rules.movement import Ground, after, steps_due
from adjudicator.games.espionage.rules.pieces import IMMOBILE
from adjudicator.games.espionage.rules.setup import place_problems, row_problems
from adjudicator.games.espionage.rules.state import Step
from adjudicator.games.espionage.sight.observe import SeenPiece, View, ground, pieces_moved


def check(view: View, sheet: Sheet[Order]) -> Sequence[Problem]:
    """Return every problem of the sheet, by line."""
    problems = _set_up(view, sheet) if view.phase == "setup" else _march(view, sheet)
    return tuple(problems)


def _set_up(view: View, sheet: Sheet[Order]) -> Iterator[Problem]:
    placing = [entry for entry in sheet.written if isinstance(entry.order, SetUpOrder)]
    marching = (entry.line for entry in sheet.written if not isinstance(entry.order, SetUpOrder))
    for line in dict.fromkeys(marching):
        yield problem(
            line, say("no piece can move before both armies are placed; send a set-up first")
        )
    if not sheet.written:
        yield _whole(say("your orders have no set-up; write SETUP and your three home rows"))
    for entry in placing:
        for message in _army(view, entry.order, complete=not sheet.problems):
            yield problem(entry.line, message)


def _army(view: View, order: Order, complete: bool) -> Iterator[Message]:
    board = BOARDS[view.board.size]
    match order:
        case Rows(rows):
            yield from row_problems(rows, board, complete)
        case Places(places):
            yield from place_problems(view.seat, places, board, complete)
        case RandomSetUp() | AutoSetUp() | Move():
            return


def _march(view: View, sheet: Sheet[Order]) -> Iterator[Problem]:
    seen = {piece.square: piece for piece in view.pieces}
    here = ground(view)
    yield from set_up_too_late(sheet)
    moves = steps_of(sheet)
    made: list[Move] = []
    for line, move in moves:
        for message in _step(view, here, seen, made, move):
            yield problem(line, message)
        made.append(move)
    if len(moves) == len(sheet.written):
        yield from _number(view, here, sheet, moves)


def set_up_too_late(sheet: Sheet[Order]) -> Iterator[Problem]:
    for entry in sheet.written:
        if isinstance(entry.order, SetUpOrder):
            told = say("the armies are already placed; write steps, as in d3-d4")
            yield problem(entry.line, told)


def steps_of(sheet: Sheet[Order]) -> list[tuple[Line, Move]]:
    return [(one.line, one.order) for one in sheet.written if isinstance(one.order, Move)]


def _number(
    view: View, here: Ground, sheet: Sheet[Order], moves: Sequence[tuple[Line, Move]]
) -> Iterator[Problem]:
    """Check that there are as many steps as rule 2.6 demands. A line that was not understood counts
    as the step that it was meant to be."""
    due = steps_due(here, pieces_moved(view))
    for line in dict.fromkeys(line for line, _ in moves[due:]):
        yield problem(
            line,
            count(
                "too many steps: you must make exactly {n} step this turn",
                "too many steps: you must make exactly {n} steps, by different pieces",
                due,
            ),
        )
    given = len(moves) + len(sheet.problems)
    if given < due:
        yield _whole(
            say("steps needed this turn: {due}; write each like d3-d4", due=due)
            if sheet.problems  # what they were meant to be nobody knows
            else say("{given} of {due} steps given; write each like d3-d4", given=given, due=due)
        )


def _whole(message: Message) -> Problem:
    return Problem(0, "", message)


def _step(
    view: View,
    here: Ground,
    seen: Mapping[Square, SeenPiece],
    made: Sequence[Move],
    move: Move,
) -> Iterator[Message]:
    """Say what is wrong with one step: the first thing that makes it impossible."""
    beyond = [square for square in (move.start, move.target) if square not in here.board.beside]
    if beyond:
        yield from (off_board(here.board.size, square) for square in beyond)
        return
    trouble = _refusal(view, here, seen, made, move)
    if trouble := trouble or _too_late(view, here, seen, made, move):
        yield trouble


def _refusal(
    view: View,
    here: Ground,
    seen: Mapping[Square, SeenPiece],
    made: Sequence[Move],
    move: Move,
) -> Message | None:
    return _starting(view, seen, made, move) or _going(here, made, move) or _misnamed(seen, move)


def _misnamed(seen: Mapping[Square, SeenPiece], move: Move) -> Message | None:
    claimed, rank = move.claimed, seen[move.start].rank
    if claimed and rank and claimed != rank:
        return say(
            "the piece on {square} is your {rank}, not a {claimed}",
            square=move.start,
            rank=TITLES[rank],
            claimed=TITLES[claimed],
        )
    return None


def _too_late(
    view: View,
    here: Ground,
    seen: Mapping[Square, SeenPiece],
    made: Sequence[Move],
    move: Move,
) -> Message | None:
    """Say whether a step should have come first, if it begins on a square that an earlier step
    would have entered."""
    earlier = next((step for step in made if step.target == move.start), None)
    if earlier is None:
        return None
    if trouble := _refusal(view, here, seen, (), move):
        return trouble
    if pieces_moved(view) == 1 or _refusal(view, here, seen, (move,), earlier):
        return None
    return say(
        "write {first} first; then {second} can follow",
        first=f"{move.start}-{move.target}",
        second=f"{earlier.start}-{earlier.target}",
    )


def off_board(n: int, square: Square) -> Message:
    """Say that a board of n by n has no such square."""
    return say(
        "there is no square {square}; the board goes from a1 to {last}",
        square=square,
        last=f"{FILES[n - 1]}{n}",
    )


def _starting(
    view: View, seen: Mapping[Square, SeenPiece], made: Sequence[Move], move: Move
) -> Message | None:
    square = move.start
    piece = seen.get(square)
    own = piece is not None and piece.side == view.seat
    # Where an own piece stands, an earlier step to its square was refused: they are two.
    if any(square == step.start or (square == step.target and not own) for step in made):
        return because(STEPS["two-pieces"], square=square)
    if piece is None:
        return because(STEPS["no-piece"], square=square)
    if piece.side != view.seat:
        return because(STEPS["not-yours"], square=square)
    if piece.rank in IMMOBILE and piece.rank:
        return because(STEPS["immobile"], rank=TITLES[piece.rank], square=square)
    return None


def _going(here: Ground, made: Sequence[Move], move: Move) -> Message | None:
    start, target = move.start, move.target
    if target not in here.board.beside[start]:
        return too_far(start, target)
    if target in here.volcanoes:
        return because(STEPS["volcano"], square=target)
    if Step(start, target) in here.barred:
        return because(STEPS["barred"], start=start, target=target)
    for earlier in made:
        if target == earlier.target:
            return because(STEPS["taken"], square=target)
        here = after(here, Step(earlier.start, earlier.target))
    if target in here.own:
        return because(STEPS["own-piece"], square=target)
    return None


def too_far(start: Square, target: Square) -> Message:
    """Say why a piece cannot step from one square to the other."""
    if start == target:
        return because(STEPS["nowhere"], square=start)
    files = abs(file_of(start) - file_of(target))
    ranks = abs(rank_of(start) - rank_of(target))
    if files and ranks:
        return because(STEPS["crooked"], start=start, target=target)
    return because(STEPS["too-far"], start=start, target=target)
