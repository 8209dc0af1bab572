"""One ply as it goes: what is told so far, and how things stand after it."""

from msgspec.structs import replace

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.match import Seat
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.cards import filled_places, win_of, winner
from adjudicator.games.spion.rules.effects import apply
from adjudicator.games.spion.rules.position import Position
from adjudicator.games.spion.rules.state import Drew, Ended, Event, State, Use, X
from adjudicator.games.spion.rules.variants import board_of


def position(state: State) -> Position:
    """Return what everybody sees of a state."""
    return Position(
        board=board_of(state.settings),
        seats=state.seats,
        types=state.types,
        spies=state.spies,
        bodyguards=state.bodyguards,
        out=tuple(state.embassies),
        filled={seat: filled_places(holder) for seat, holder in state.holders.items()},
        open_doors=state.settings.open_doors,
    )


class Course:
    """Collects the facts of a ply, so that each choice is made in the position of its moment."""

    def __init__(self, state: State, chance: Chance) -> None:
        self.state = state
        self.chance = chance
        self.events: list[Event] = []
        self._drawn: tuple[int, Stream] | None = None

    def tell(self, event: Event) -> None:
        """Tell a fact; the match ends with it when it makes a holder complete (R9)."""
        self.events.append(event)
        self.state = apply(self.state, event)
        won = None if self.over else winner(self.state)
        if won:
            self.tell(Ended(win_of(won, "set")))

    @property
    def over(self) -> bool:
        return self.state.outcome is not None

    @property
    def board(self) -> Board:
        return board_of(self.state.settings)

    @property
    def position(self) -> Position:
        return position(self.state)

    def open_turn(self) -> None:
        """Begin a seat's turn, which draws from a link of X of its own, if it draws at all."""
        self._drawn = None

    def draw(self, seat: Seat, use: Use) -> Stream:
        """Draw the adjudicator's own chance for a default (5.4). Whether it is called must follow
        from orders and from what everybody sees, never from a hidden card."""
        number, stream = self._drawn or self._next_link()
        self._drawn = number, stream
        self.tell(Drew(seat, use, number, self.chance.key(X, number).hex()))
        return stream

    def _next_link(self) -> tuple[int, Stream]:
        number = self.state.links.get(X, 0) + 1
        return number, self.chance.public(X, number)

    def take_phrases(self, phrases: tuple[str, ...]) -> None:
        """Let chance depend on the players' phrases too from now on (6.2)."""
        self.chance = replace(self.chance, phrases=phrases)
