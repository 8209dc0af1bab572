"""The view of a seat, as values, and what follows from it alone."""

from collections.abc import Mapping

from adjudicator.core.match import Outcome, Seat
from adjudicator.core.orders import number_lines
from adjudicator.core.visible import Visible
from adjudicator.games.spion.orders.parse import parse
from adjudicator.games.spion.orders.values import Order
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.movement import ROLLS, ends
from adjudicator.games.spion.rules.position import Position, blockers
from adjudicator.games.spion.rules.state import Card, Dice, Holder, Place, Settings
from adjudicator.games.spion.rules.variants import board_of


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
    """The match as one seat sees it now. `dice` are those that it may see, by rule its own or the
    moving seat's; `reach` the legal ends of its own dice, `targets` whom it may challenge, and
    where its spy may lie in ambush for whom, all as things stand. `standing` are its own standing
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


def board_in(view: View) -> Board:
    """Return the tables of the board that a view names."""
    return board_of(Settings(variant=view.variant, own_board=view.board.own))


def seat_in(view: View, seat: str) -> SeenSeat:
    return next(entry for entry in view.seats if entry.seat == seat)


def position_seen(view: View) -> Position:
    """Return what everybody sees of a match, from what a seat sees."""
    return Position(
        board=board_in(view),
        seats=tuple(entry.seat for entry in view.seats),
        types=view.types,
        spies={entry.seat: entry.spy for entry in view.seats},
        bodyguards={entry.seat: entry.bodyguard for entry in view.seats},
        out=tuple(embassy.code for embassy in view.board.embassies if embassy.card),
        filled={entry.seat: entry.filled for entry in view.seats},
        open_doors=view.open_doors,
    )


def blocking(view: View) -> tuple[Seat, ...]:
    """Return whose bodyguards keep the reader's spy from moving (R8.3); none if it can move, or its
    dice are not known."""
    stuck = view.to_move == view.seat and not view.roll_when_blocked and not view.pending
    if view.reach or not (own_roll(view) or stuck):
        return ()
    return in_the_way(view)


def in_the_way(view: View) -> tuple[Seat, ...]:
    """Return whose bodyguards the reader's spy meets. One that did not roll because it is stuck met
    them with any count."""
    here, own = position_seen(view), own_roll(view)
    met = ends(here, view.seat, sum(own.dice) if own else max(ROLLS)).met
    return blockers(here, view.seat, met)


def own_roll(view: View) -> SeenRoll | None:
    """Return the reader's dice that are to be used."""
    return next((roll for roll in view.dice if roll.seat == view.seat), None)


def doubled(view: View) -> bool:
    """Return whether the reader has rolled a double."""
    own = own_roll(view)
    return own is not None and own.dice[0] == own.dice[1]


def standing_of(view: View) -> tuple[Order, ...]:
    """Return the reader's standing orders as values."""
    return parse(number_lines(view.standing)).orders
