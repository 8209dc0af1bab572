"""The whole truth of a match of Espionage, and the facts that change it."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from adjudicator.core.match import Outcome, Seat, StoredValue
from adjudicator.core.visible import Visible
from adjudicator.games.espionage.rules.board import BOARDS, Board, Square
from adjudicator.games.espionage.rules.pieces import Piece, Rank


class Variant(Struct, frozen=True):
    """A row of the table in rule 1.5's section."""

    name: str
    size: int
    pieces_moved: int
    open_ranks: bool = False


VARIANTS: Mapping[str, Variant] = {
    variant.name: variant
    for variant in (
        Variant("standard", 10, 2),
        Variant("fast", 10, 1),
        Variant("small", 8, 2),
        Variant("small-fast", 8, 1),
        Variant("open-fast", 10, 1, open_ranks=True),
    )
}

# Every step asks for the board, so it is found at once.
_BOARD_OF: Mapping[str, Board] = {name: BOARDS[rules.size] for name, rules in VARIANTS.items()}

Fights: TypeAlias = Literal["hidden", "captured", "both"]


class Settings(StoredValue, frozen=True):
    """The variant and the options of rules 3.4, 4.4 and 6.3."""

    variant: str = "standard"
    fights: Fights = "hidden"
    unmask_notice: bool = False
    no_progress: int = 0

    @property
    def rules(self) -> Variant:
        return VARIANTS[self.variant]

    @property
    def board(self) -> Board:
        return _BOARD_OF[self.variant]


class Step(
    Visible,
    frozen=True,
    kw_only=False,
    cache_hash=True,
    rename={"start": "from", "target": "to"},
):
    """One piece to a neighbouring square."""

    start: Square
    """From where."""
    target: Square
    """To where."""

    def __str__(self) -> str:
        return f"{self.start}-{self.target}"


class State(StoredValue, frozen=True):
    """`barred` and `lost` are by side: the steps that rule 2.4 forbids in the coming turn, and
    how many pieces were removed. `quiet` counts full turns without a fight up to now (6.3)."""

    settings: Settings
    volcanoes: tuple[Square, ...]
    pieces: Mapping[Square, Piece] = {}
    turn: int = 0
    to_move: Seat | None = None
    setups: Mapping[Seat, str] = {}
    barred: Mapping[Seat, tuple[Step, ...]] = {}
    lost: Mapping[Seat, int] = {}
    fought: bool = False
    quiet: int = 0
    outcome: Outcome | None = None


class Reveal(StoredValue, frozen=True):
    """A piece of `side` that its opponent now knows."""

    square: Square
    side: Seat
    rank: Rank


class SetUp(StoredValue, frozen=True, tag=True):
    """A side placed its army: `rows` as in a record's tag (interface, section 4)."""

    side: Seat
    rows: str
    drawn: bool = False


class Begun(StoredValue, frozen=True, tag=True):
    """Both armies stand; White's first turn begins (rule 2.1)."""


class Ordered(StoredValue, frozen=True, tag=True):
    """A side's order as it was given, also a second step that 2.7 left unmade."""

    side: Seat
    turn: int
    steps: tuple[Step, ...]


class Stepped(StoredValue, frozen=True, tag=True):
    """A piece made a step. `rank` is the stepping piece's, `met` the defender's, None where the
    target was empty; `rank_told` and `met_told` say whether the other side knows them after the
    step (3.4, 4.2). `revealed` is sorted by square."""

    side: Seat
    turn: int
    step: int
    start: Square
    target: Square
    rank: Rank
    rank_told: bool = False
    outcome: Literal["moved", "won", "lost"] = "moved"
    met: Rank | None = None
    met_told: bool = False
    revealed: tuple[Reveal, ...] = ()


class TurnPassed(StoredValue, frozen=True, tag=True):
    """A side has made its order; `to_move` is next in `turn`. `quiet` as in State."""

    side: Seat
    to_move: Seat
    turn: int
    barred: tuple[Step, ...]
    quiet: int
    fought: bool


class Ended(StoredValue, frozen=True, tag=True):
    """The match is over (rules 6.1-6.4)."""

    outcome: Outcome


Event: TypeAlias = SetUp | Begun | Ordered | Stepped | TurnPassed | Ended
