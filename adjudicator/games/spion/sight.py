"""What a seat may know: `observe` builds its view, `witness` its news (rules 5.5).

Whatever names the type of a card in the news is told once: `lasting` makes a report as it may be
shown again, by a list of what may stay.
"""

from collections.abc import Mapping
from typing import Any, assert_never

from msgspec import UNSET, UnsetType

from adjudicator.core.game import Link, Outcome, Seat
from adjudicator.core.orders import Line
from adjudicator.core.report import Visible
from adjudicator.games.spion.board import Board, board_of
from adjudicator.games.spion.course import position
from adjudicator.games.spion.movement import ROLLS, ambushes, ends
from adjudicator.games.spion.orders import Order, canonical, parse
from adjudicator.games.spion.position import Position, blockers, eligible
from adjudicator.games.spion.rules import phase, turn
from adjudicator.games.spion.state import (
    AnswerAwaited,
    Begun,
    Blocked,
    Card,
    Challenged,
    Dealt,
    Dice,
    Drew,
    Ended,
    Event,
    GuardSwapped,
    GuessedRight,
    Holder,
    Instructed,
    Kept,
    Left,
    Moved,
    OpeningRolled,
    Ordered,
    Phrased,
    Place,
    Refused,
    Roll,
    Rolled,
    Settings,
    Shown,
    State,
    Swapped,
    TakenInAnswer,
    Took,
    TurnOpened,
    TurnPassed,
    X,
    chain,
)


class SeenEmbassy(Visible, frozen=True, kw_only=True):
    """`name` by language; `card` says whether one lies there, `type` only at the end which."""

    code: Place
    name: Mapping[str, str]
    cell: Place
    door: Place
    arrow: str
    card: bool
    type: Card | None = None


class SeenBoard(Visible, frozen=True, kw_only=True):
    """`grid` as in the board's file: a line for each row, the top one first. `own` is the whole
    file of a board that did not come with the game, else empty."""

    id: str
    own: str
    title: Mapping[str, str]
    grid: tuple[str, ...]
    embassies: tuple[SeenEmbassy, ...]
    wells: tuple[Place, ...]
    tunnel_cost: int


class SeenSeat(Visible, frozen=True, kw_only=True):
    """A seat in play. `filled` are the places of its holder that have a card; `cards` the types
    on places 1 to 4, None but for the reader's own, and everybody's at the end. `left` is why it
    goes on by the defaults."""

    seat: Seat
    spy: Place
    bodyguard: Place
    start: Place
    home: Place
    filled: tuple[int, ...]
    cards: Holder | None
    left: str | None


class SeenRoll(Visible, frozen=True, kw_only=True):
    """Dice that are to be used, with the link of the seat's chain that shows them."""

    seat: Seat
    dice: Dice
    number: int
    key: str


class SeenPending(Visible, frozen=True, kw_only=True):
    """A wrong guess whose answer is awaited; `place` is the defender's that was shown."""

    challenger: Seat
    defender: Seat
    place: int


class SeenNote(Visible, frozen=True, kw_only=True):
    """A line of the open dossier (5.6). `seat` None: `place` is an embassy."""

    turn: int
    card: Card
    seat: Seat | None
    place: str
    moved: bool


class View(Visible, frozen=True, kw_only=True):
    """What one seat sees now. `dice` are those that it may see, by rule its own or the moving
    seat's; `reach` the legal ends of its own dice, `targets` whom it may challenge, and where
    its spy may lie in ambush for whom, all as things stand. `standing` are its own standing
    orders in canonical lines; `dossier` is None unless memory is open."""

    variant: str
    phase: str
    seat: Seat
    mode: str
    memory: str
    turn: int
    round: int
    to_move: Seat | None
    board: SeenBoard
    seats: tuple[SeenSeat, ...]
    types: tuple[Card, ...]
    dice: tuple[SeenRoll, ...]
    reach: tuple[Place, ...]
    targets: tuple[Seat, ...]
    ambushes: Mapping[str, tuple[Place, ...]]
    standing: tuple[str, ...]
    pending: SeenPending | None
    dossier: tuple[SeenNote, ...] | None
    open_doors: bool
    roll_when_blocked: bool
    result: Outcome | None


def board_seen(variant: str, own: str) -> Board:
    """The board that a view or a report names."""
    return board_of(Settings(variant=variant, own_board=own))


def position_seen(view: View) -> Position:
    """The same from what a seat sees."""
    return Position(
        board=board_seen(view.variant, view.board.own),
        seats=tuple(entry.seat for entry in view.seats),
        types=view.types,
        spies={entry.seat: entry.spy for entry in view.seats},
        bodyguards={entry.seat: entry.bodyguard for entry in view.seats},
        out=tuple(embassy.code for embassy in view.board.embassies if embassy.card),
        filled={entry.seat: entry.filled for entry in view.seats},
        open_doors=view.open_doors,
    )


def blocking(view: View) -> tuple[Seat, ...]:
    """Whose bodyguards keep the reader's spy from moving (R8.3); none where it can move, or its
    dice are not known. A spy that did not roll because it is stuck met them with any count."""
    own = next((roll for roll in view.dice if roll.seat == view.seat), None)
    stuck = view.to_move == view.seat and not view.roll_when_blocked and not view.pending
    if view.reach or not (own or stuck):
        return ()
    here = position_seen(view)
    met = ends(here, view.seat, sum(own.dice) if own else max(ROLLS)).met
    return blockers(here, view.seat, met)


def standing_of(view: View) -> tuple[Order, ...]:
    """The reader's standing orders as values."""
    return parse([Line(n, text) for n, text in enumerate(view.standing, start=1)]).orders


def observe(state: State, seat: Seat) -> View:
    """What `seat` sees. At the end every card is shown."""
    settings, here = state.settings, position(state)
    own = state.rolls.get(seat)
    count = sum(own.dice) if own and not state.pending else 0
    return View(
        variant=settings.variant,
        phase=phase(state),
        seat=seat,
        mode=settings.mode,
        memory=settings.memory,
        turn=turn(state),
        round=state.round,
        to_move=state.to_move,
        board=_board(state, here.board),
        seats=tuple(_seat(state, here, other, seat) for other in state.seats),
        types=state.types,
        dice=tuple(_roll(state, other) for other in state.seats if _shows(state, other, seat)),
        reach=tuple(ends(here, seat, count).paths) if count else (),
        targets=eligible(here, seat),
        ambushes=_ambushes(here, seat, count),
        standing=tuple(canonical(order) for order in state.standing.get(seat, ())),
        pending=_pending(state),
        dossier=_dossier(state) if settings.memory == "open" else None,
        open_doors=settings.open_doors,
        roll_when_blocked=settings.roll_when_blocked,
        result=state.outcome,
    )


def _board(state: State, board: Board) -> SeenBoard:
    over = state.outcome is not None
    return SeenBoard(
        id=board.id,
        own=state.settings.own_board,
        title=board.title,
        grid=board.grid,
        embassies=tuple(
            SeenEmbassy(
                code=entry.code,
                name=entry.name,
                cell=entry.cell,
                door=entry.door,
                arrow=entry.arrow,
                card=entry.code in state.embassies,
                type=state.embassies.get(entry.code) if over else None,
            )
            for entry in board.embassies.values()
        ),
        wells=board.wells,
        tunnel_cost=board.params.tunnel_cost,
    )


def _seat(state: State, here: Position, seat: Seat, viewer: Seat) -> SeenSeat:
    open_ = seat == viewer or state.outcome is not None
    return SeenSeat(
        seat=seat,
        spy=state.spies[seat],
        bodyguard=state.bodyguards[seat],
        start=here.board.starts[seat],
        home=here.board.homes[seat],
        filled=here.filled[seat],
        cards=state.holders[seat] if open_ else None,
        left=state.left.get(seat),
    )


def _shows(state: State, seat: Seat, viewer: Seat) -> bool:
    """Dice of a coming turn: public in mode `turns`, in `rounds` only the owner's (5.1)."""
    return seat in state.rolls and (seat == viewer or state.settings.mode == "turns")


def _roll(state: State, seat: Seat) -> SeenRoll:
    roll = state.rolls[seat]
    return SeenRoll(seat=seat, dice=roll.dice, number=roll.number, key=roll.key)


def _ambushes(here: Position, seat: Seat, count: int) -> Mapping[str, tuple[Place, ...]]:
    """Only while no card lies in any embassy (R7.1)."""
    if here.out or not count:
        return {}
    found = {who: tuple(ambushes(here, seat, who, count)) for who in eligible(here, seat)}
    return {who: places for who, places in found.items() if places}


def _pending(state: State) -> SeenPending | None:
    waits = state.pending
    if waits is None:
        return None
    return SeenPending(challenger=waits.challenger, defender=waits.defender, place=waits.place)


def _dossier(state: State) -> tuple[SeenNote, ...]:
    return tuple(
        SeenNote(turn=n.turn, card=n.card, seat=n.seat, place=n.place, moved=n.moved)
        for n in state.dossier
    )


def links(state: State, seat: Seat) -> tuple[Link, ...]:
    """Of each chain the anchor; of the dice to be used the key that their owner may see (6.5).
    The keys of used dice stand in the news of their turn."""
    anchors = [Link(chain(other), other, 1, opened=False) for other in state.seats]
    opened = [
        Link(chain(other), other, state.rolls[other].number)
        for other in state.seats
        if _shows(state, other, seat)
    ]
    return (*anchors, Link(X, None, 1, opened=False), *opened)


class Seen(Visible, frozen=True, kw_only=True):
    """One event as a seat learns of it; absent is what the event does not have. `card`, `given`
    and `kept` are types and told once, `guess` too; each is absent for who may not know it."""

    event: str
    seat: Seat
    target: Seat | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    text: str | UnsetType = UNSET
    number: int | UnsetType = UNSET
    dice: Dice | UnsetType | None = UNSET
    key: str | UnsetType = UNSET
    start: Place | UnsetType = UNSET
    goal: Place | UnsetType = UNSET
    path: tuple[Place, ...] | UnsetType = UNSET
    embassy: Place | UnsetType = UNSET
    embassies: tuple[Place, ...] | UnsetType = UNSET
    place: int | UnsetType | None = UNSET
    into: int | UnsetType | None = UNSET
    guard_from: Place | UnsetType = UNSET
    guard_to: Place | UnsetType = UNSET
    spy_from: Place | UnsetType = UNSET
    spy_to: Place | UnsetType = UNSET
    by: tuple[Seat, ...] | UnsetType = UNSET
    use: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    ambush: bool | UnsetType = UNSET
    guess: Card | UnsetType = UNSET
    card: Card | UnsetType = UNSET
    given: Card | UnsetType = UNSET
    kept: Card | UnsetType = UNSET


FLEETING = ("guess", "card", "given", "kept")
_LASTING = tuple(name for name in Seen.__struct_fields__ if name not in FLEETING)


def witness(event: Event, seat: Seat) -> Seen | None:
    """What `seat` learns of an event; None where that is nothing, or stands in its view."""
    match event:
        case Ordered() | Rolled() | Instructed() | TurnPassed() | Ended():
            return None
        case Phrased(who, text):
            return Seen(event="phrased", seat=who, text=text)
        case Begun(first):
            return Seen(event="begun", seat=first)
        case OpeningRolled(who, number, dice, key):
            return Seen(event="opening-rolled", seat=who, number=number, dice=dice, key=key)
        case TurnOpened(who, number, roll):
            return _opened(who, number, roll)
        case Blocked(who, by):
            return Seen(event="blocked", seat=who, by=by)
        case Drew(who, use, number, key):
            return Seen(event="drew", seat=who, use=use, number=number, key=key)
        case AnswerAwaited(challenger, defender, place):
            return Seen(event="answer-awaited", seat=challenger, target=defender, place=place)
        case Left(who, reason):
            return Seen(event="left", seat=who, reason=reason)
        case Dealt() | Moved() | Challenged() | GuardSwapped():
            return _on_the_board(event, seat)
        case Took() | Swapped() | Refused() | Kept() | GuessedRight() | Shown() | TakenInAnswer():
            return _of_cards(event, seat)
        case _:
            assert_never(event)


def _opened(seat: Seat, number: int, roll: Roll | None) -> Seen:
    """A turn is executed and its dice become public."""
    if roll is None:
        return Seen(event="turn-opened", seat=seat, turn=number, dice=None)
    return Seen(
        event="turn-opened",
        seat=seat,
        turn=number,
        dice=roll.dice,
        number=roll.number,
        key=roll.key,
    )


def _on_the_board(event: Dealt | Moved | Challenged | GuardSwapped, seat: Seat) -> Seen:
    match event:
        case Dealt(cards):
            return Seen(event="dealt", seat=seat, embassies=tuple(cards))
        case Moved(who, start, goal, path, ambush):
            return Seen(event="moved", seat=who, start=start, goal=goal, path=path, ambush=ambush)
        case GuardSwapped():
            return Seen(
                event="guard-swapped",
                seat=event.seat,
                target=event.replaced,
                guard_from=event.guard_from,
                guard_to=event.square,
                goal=event.home,
            )
        case Challenged():
            return Seen(
                event="challenged",
                seat=event.seat,
                target=event.target,
                place=event.place,
                guess=event.guess,
                guard_from=event.guard_from,
                guard_to=event.guard_to,
                spy_from=event.spy_from,
                spy_to=event.spy_to,
                ambush=event.ambush,
            )


def _of_cards(
    event: Took | Swapped | Refused | Kept | GuessedRight | Shown | TakenInAnswer, seat: Seat
) -> Seen:
    """Everybody sees which place and embassy is touched; types are told as 5.5 has it."""
    match event:
        case Took(who, embassy, card, place):
            told = _told(card, seat == who)
            return Seen(event="took", seat=who, embassy=embassy, place=place, card=told)
        case Swapped(who, place, embassy, given, kept):
            return Seen(
                event="swapped",
                seat=who,
                place=place,
                embassy=embassy,
                given=_told(given, seat == who),
                kept=_told(kept, seat == who),
            )
        case Refused(who, embassy, card, known):
            told = _told(card, known or seat == who)
            return Seen(event="refused", seat=who, embassy=embassy, card=told)
        case Kept(who, place, card):
            return Seen(event="kept", seat=who, place=place, card=_told(card, seat == who))
        case GuessedRight(who, target, place, card, into):
            return Seen(
                event="guessed-right", seat=who, target=target, place=place, into=into, card=card
            )
        case Shown(who, place, card):
            return Seen(event="shown", seat=who, place=place, card=card)
        case TakenInAnswer(who, challenger, place, card):
            told = _told(card, seat in (who, challenger))
            return Seen(
                event="taken-in-answer", seat=who, target=challenger, place=place, card=told
            )


def _told(card: Card, may_know: bool) -> Card | UnsetType:
    return card if may_know else UNSET


# The keys of a report that may be shown again; the cards are only ever the present ones (5.5).
_KEPT_SEAT = tuple(name for name in SeenSeat.__struct_fields__ if name != "cards")


def lasting(report: Mapping[str, Any]) -> Mapping[str, Any]:
    """A report as it may be read again (5.6): what happened and where, no type of a card. With
    open memory, and when all is over, there is nothing to forget."""
    if report["memory"] == "open" or report["phase"] == "over":
        return report
    return {
        **report,
        "news": [_without_types(entry) for entry in report["news"]],
        "seats": [_without_cards(entry) for entry in report["seats"]],
    }


def _without_types(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: entry[key] for key in _LASTING if key in entry}


def _without_cards(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {**{key: entry[key] for key in _KEPT_SEAT}, "cards": None}


def tells_once(report: Mapping[str, Any]) -> bool:
    """With `memory=once` news that name a type go into a letter of their own."""
    if report["memory"] != "once" or report["phase"] == "over":
        return False
    return any(key in entry for entry in report["news"] for key in FLEETING)
