"""Game records (`.esp`): written from the event log, played again under the rules (interface,
section 4)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, to_builtins

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Seat
from adjudicator.core.message import count, say
from adjudicator.core.orders import Line, Sheet, WrittenOrder, shown
from adjudicator.core.record import (
    Chronicle,
    Refused,
    Replayed,
    Transcript,
    record_text,
    with_states,
)
from adjudicator.games.espionage.orders.check import check
from adjudicator.games.espionage.orders.values import Move, Order, Rows
from adjudicator.games.espionage.record.moves import GivenOrder, read_orders
from adjudicator.games.espionage.record.tags import (
    BY_THE_BOARD,
    RESULTS,
    SETUP_TAGS,
    ended_in_set_up,
    result,
    settings,
    tag_faults,
)
from adjudicator.games.espionage.rules.board import Square, in_order
from adjudicator.games.espionage.rules.movement import Ground, after, steps_due
from adjudicator.games.espionage.rules.pieces import BLACK, SIDES, WHITE, Rank
from adjudicator.games.espionage.rules.state import Event, Ordered, SetUp, State, Step, Stepped
from adjudicator.games.espionage.rules.turns import adjudicate, apply, ground
from adjudicator.games.espionage.sight.observe import observe

# A record leaves nothing to chance: volcanoes and set-ups are given.
NO_CHANCE = Chance(b"", "", label=LABEL)


def write(chronicle: Chronicle, state: State, events: Sequence[Event]) -> str:
    """Write the record of a match, `state` being its last and `events` all of it in order."""
    return record_text(_tags(chronicle, state, events), _turns(events))


def _tags(chronicle: Chronicle, state: State, events: Sequence[Event]) -> dict[str, str]:
    settings = state.settings
    rows = {event.side: event.rows for event in events if isinstance(event, SetUp)}
    tags: dict[str, str] = {
        "Game": "Espionage",
        "Variant": settings.variant,
        "White": chronicle.names.get(WHITE, "?"),  # a seat that nobody took
        "Black": chronicle.names.get(BLACK, "?"),
        "Date": chronicle.date,
        "Volcanoes": " ".join(state.volcanoes),
    }
    if settings.fights != "hidden":
        tags["Fights"] = settings.fights
    if settings.no_progress:
        tags["NoProgress"] = str(settings.no_progress)
    if rows:
        tags |= {"WhiteSetup": rows[WHITE], "BlackSetup": rows[BLACK]}
    return {**tags, "Result": result(chronicle.outcome)}


def _turns(events: Iterable[Event]) -> Iterator[str]:
    turns: dict[int, dict[str, str]] = {}
    for event in events:
        if isinstance(event, Ordered):
            steps = " ".join(str(step) for step in event.steps)
            turns.setdefault(event.turn, {})[event.side] = steps
    for number, by_side in turns.items():
        yield f"{number}. " + " / ".join(by_side[side] for side in SIDES if side in by_side)


# Played again.


class StepMade(Struct, frozen=True, rename={"start": "from", "target": "to"}):
    """A step as it was made; `revealed` are the squares of all pieces that became known."""

    turn: int
    side: Seat
    step: int
    start: Square
    target: Square
    outcome: str
    revealed: Sequence[Square]


class PieceLeft(Struct, frozen=True):
    """A piece of the final position; `revealed` if its opponent knew it before the end (5.4)."""

    square: Square
    side: Seat
    rank: Rank
    revealed: bool


class Verdict(Struct, frozen=True):
    winner: Seat | None
    reason: str


class Record(Struct, frozen=True):
    """A game as `adjud record replay --format json` prints it."""

    variant: str
    orders: int
    result: Verdict | None
    steps: Sequence[StepMade]
    pieces: Sequence[PieceLeft]


class Played(Struct, frozen=True):
    """A record's orders, played: where they lead."""

    state: State
    orders: int
    steps: Sequence[StepMade]


def replay(transcript: Transcript) -> Replayed | Refused:
    """Play the game again; return the first thing in it that the rules do not allow, if there is
    one."""
    if fault := next(tag_faults(transcript), None):
        return fault
    played = _play(_opening(transcript), transcript.body)
    if isinstance(played, Refused):
        return played
    return _result_fault(transcript, played.state) or _replayed(transcript, played)


def _opening(transcript: Transcript) -> State:
    """Return both armies on the board, or none if the match never got so far."""
    state = _empty(transcript)
    if ended_in_set_up(transcript):
        return state
    return list(_facts(state, _armies(transcript)))[-1][1]


def _empty(transcript: Transcript) -> State:
    volcanoes = in_order(Square(name) for name in transcript.tags["Volcanoes"].value.split())
    return State(settings(transcript), volcanoes)


def _armies(transcript: Transcript) -> dict[Seat, Sequence[Order]]:
    armies: dict[Seat, Sequence[Order]] = {}
    for side, name in SETUP_TAGS.items():
        letters = transcript.tags[name].value.replace("/", "")
        # Black saw his board turned by half when he wrote his rows (7.3).
        armies[side] = [Rows((letters if side == WHITE else letters[::-1],))]
    return armies


def _facts(state: State, orders: Mapping[Seat, Sequence[Order]]) -> Iterator[tuple[Event, State]]:
    """Return what follows from orders, each fact with the state that it leaves."""
    return with_states(state, adjudicate(state, orders, NO_CHANCE), apply)


def retell(transcript: Transcript) -> Iterator[Sequence[tuple[Event, State]]]:
    """Play a game that is known to be sound: yield the facts of its opening, then those of each
    order."""
    facts = list(_facts(_empty(transcript), _armies(transcript)))
    yield facts
    for given in read_orders(transcript.body):
        if isinstance(given, GivenOrder):
            facts = list(_facts(facts[-1][1], {given.side: _moves(given)}))
            yield facts


def _moves(given: GivenOrder) -> list[Order]:
    return [Move(step.start, step.target) for step in given.steps]


def _play(state: State, body: Sequence[Line]) -> Played | Refused:
    orders = 0
    steps: list[StepMade] = []
    for given in read_orders(body):
        if isinstance(given, Refused):
            return given
        if fault := _order_fault(state, given):
            return fault
        facts = list(_facts(state, {given.side: _moves(given)}))
        steps += [_made(event) for event, _ in facts if isinstance(event, Stepped)]
        state = facts[-1][1]
        orders += 1
    return Played(state, orders, steps)


def _made(event: Stepped) -> StepMade:
    return StepMade(
        turn=event.turn,
        side=event.side,
        step=event.step,
        start=event.start,
        target=event.target,
        outcome=event.outcome,
        revealed=[reveal.square for reveal in event.revealed],
    )


def _order_fault(state: State, given: GivenOrder) -> Refused | None:
    """Say why the order cannot stand here, in the words that its player would have been told."""
    if state.outcome:
        found = result(state.outcome)
        return given.refusal(say("the game has already ended: {found}", found=found))
    most = state.settings.rules.pieces_moved
    if is_legal(ground(state, given.side), given.steps, most):
        return None
    # One step too many says as much as a thousand.
    steps = zip(given.steps[: most + 1], given.lines, strict=False)
    written = tuple(
        WrittenOrder[Order](Move(step.start, step.target), Line(line, str(step)))
        for step, line in steps
    )
    trouble = check(observe(state, given.side), Sheet(written, ()))[0]
    return given.refusal(trouble.message, trouble.line)


def is_legal(here: Ground, steps: Sequence[Step], pieces_moved: int) -> bool:
    """Return whether an order is what rules 2.2-2.6 allow. `check` says the same and why; this is
    for the many orders of a file, nearly all of which are."""
    first, *more = steps
    if not _may_step(here, first):
        return False
    if not more:
        return pieces_moved == 1 or steps_due(here, pieces_moved) == 1
    return len(steps) == pieces_moved and _may_step(after(here, first), more[0])


def _may_step(here: Ground, step: Step) -> bool:
    return step in here.own.get(step.start, ()) and step.target not in here.own


def _result_fault(transcript: Transcript, state: State) -> Refused | None:
    """Compare the Result with the board: what it has decided must be the Result, and nothing that
    it decides but has not."""
    seen = transcript.tags["Result"].value
    said = RESULTS[seen]
    if state.outcome and state.outcome != said:
        message = say(
            "the Result is '{seen}', but on the board the game ended '{found}'",
            seen=seen,
            found=result(state.outcome),
        )
    elif said and said.reason in BY_THE_BOARD and not state.outcome:
        message = say("the Result is '{seen}', but on the board the game continues", seen=seen)
    else:
        return None
    return transcript.refusal("Result", message)


def _replayed(transcript: Transcript, played: Played) -> Replayed:
    state, tags = played.state, transcript.values
    outcome = RESULTS[tags["Result"]]
    record = Record(
        variant=state.settings.variant,
        orders=played.orders,
        result=Verdict(outcome.winner, outcome.reason) if outcome else None,
        steps=played.steps,
        pieces=[
            PieceLeft(square, piece.side, piece.rank, piece.known_since is not None)
            for square in in_order(state.pieces)
            for piece in (state.pieces[square],)
        ],
    )
    summary = say(
        "{white} - {black}, {variant}: {result}, {orders}",
        white=shown(tags.get("White", "?")),
        black=shown(tags.get("Black", "?")),
        variant=record.variant,
        result=result(outcome) if outcome else say("unfinished"),
        orders=count("{n} order", "{n} orders", record.orders),
    )
    return Replayed(transcript.line, tags, summary, to_builtins(record))
