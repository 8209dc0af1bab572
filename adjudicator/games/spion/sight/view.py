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
    """An embassy."""

    code: Place
    """Its code, such as NOR."""
    name: Mapping[str, str]
    """Its name, by language."""
    cell: Place
    """Its square."""
    door: Place
    """The square before its door."""
    arrow: str
    """To which side the door opens."""
    card: bool
    """Whether a card lies there."""
    type: Card | None = None
    """Which one; only at the end."""


class SeenBoard(Visible, frozen=True, kw_only=True):
    """The board, and the cards that everybody sees on it."""

    id: str
    """The board's name."""
    own: str
    """The whole file of a board that did not come with the game, else empty."""
    title: Mapping[str, str]
    """Its title, by language."""
    grid: tuple[str, ...]
    """A line for each row, the top one first, as in the board's file."""
    embassies: tuple[SeenEmbassy, ...]
    """The embassies."""
    wells: tuple[Place, ...]
    """The squares of the wells."""
    tunnel_cost: int
    """What the way from well to well counts."""


class SeenSeat(Visible, frozen=True, kw_only=True):
    """A seat in play."""

    seat: Seat
    """The seat."""
    spy: Place
    """Where its spy is."""
    bodyguard: Place
    """Where its bodyguard is."""
    start: Place
    """Where the spy begins."""
    home: Place
    """Its home."""
    filled: tuple[int, ...]
    """The places of its holder that have a card."""
    cards: Holder | None
    """The types on places 1 to 4; null but for the reader's own, and everybody's at the end."""
    left: str | None
    """Why it goes on by the default rules, or null."""


class SeenRoll(Visible, frozen=True, kw_only=True):
    """Dice that are to be used, with the link of the seat's chain that shows them."""

    seat: Seat
    """Whose dice."""
    dice: Dice
    """The two numbers."""
    number: int
    """Which draw of the seat's chain."""
    key: str
    """The link that shows them."""


class SeenPending(Visible, frozen=True, kw_only=True):
    """A wrong guess that waits for an answer."""

    challenger: Seat
    """Who guessed."""
    defender: Seat
    """Who answers."""
    place: int
    """The defender's place that was shown."""


class SeenNote(Visible, frozen=True, kw_only=True):
    """A line of the open dossier (5.6)."""

    turn: int
    """When."""
    card: Card
    """The type."""
    seat: Seat | None
    """Whose place it is; null for an embassy."""
    place: str
    """The place."""
    moved: bool
    """Whether the entry is struck out, because the card has moved."""


class View(Visible, frozen=True, kw_only=True):
    """The match as one seat sees it now."""

    variant: str
    """The variant."""
    phase: str
    """`play` or `over`."""
    seat: Seat
    """The reader's seat."""
    mode: str
    """`turns` or `rounds`."""
    memory: str
    """`honour`, `once` or `open`."""
    turn: int
    """The turn."""
    round: int
    """The round."""
    to_move: Seat | None
    """The seat that is to move, or null."""
    board: SeenBoard
    """The board."""
    seats: tuple[SeenSeat, ...]
    """All seats in play."""
    types: tuple[Card, ...]
    """The types of cards in play."""
    dice: tuple[SeenRoll, ...]
    """The dice that this seat may see."""
    reach: tuple[Place, ...]
    """Where its spy can go."""
    targets: tuple[Seat, ...]
    """The seats that it may challenge."""
    ambushes: Mapping[str, tuple[Place, ...]]
    """By seat, the squares on which its spy may lie in ambush."""
    standing: tuple[str, ...]
    """Its standing orders, in canonical lines."""
    pending: SeenPending | None
    """A wrong guess that waits for an answer, or null."""
    dossier: tuple[SeenNote, ...] | None
    """What is known of cards; null unless `memory` is `open`."""
    open_doors: bool
    """The option."""
    roll_when_blocked: bool
    """The option."""
    result: Outcome | None
    """How the match ended, or null."""


def board_in(view: View) -> Board:
    """Return the tables of the board that a view names."""
    return board_of(Settings(variant=view.variant, own_board=view.board.own))


def seat_in(view: View, seat: str) -> SeenSeat:
    return next(entry for entry in view.seats if entry.seat == seat)


def position_of(view: View) -> Position:
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
    here, own = position_of(view), own_roll(view)
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
