"""Ranks, their letters, the two armies, and which rank takes which (rules 1.1-1.3, 3, 7.1)."""

from collections.abc import Mapping
from enum import StrEnum

from adjudicator.core.match import Seat, StoredValue

WHITE = Seat("white")
BLACK = Seat("black")
SIDES = (WHITE, BLACK)
ENEMY: Mapping[Seat, Seat] = {WHITE: BLACK, BLACK: WHITE}


class Rank(StrEnum):
    """In the order in which reports list them."""

    CORPORAL = "corporal"
    LIEUTENANT = "lieutenant"
    CAPTAIN = "captain"
    COLONEL = "colonel"
    GENERAL = "general"
    SPY = "spy"
    SAPPER = "sapper"
    MINE = "mine"
    HEADQUARTERS = "headquarters"


# Python 3.11 calls a function for each `Rank.SPY`, and every step asks for these.
SPY, HEADQUARTERS = Rank.SPY, Rank.HEADQUARTERS

LETTERS: Mapping[Rank, str] = dict(zip(Rank, "12345SPMH", strict=True))
BY_LETTER: Mapping[str, Rank] = {letter: rank for rank, letter in LETTERS.items()}

IMMOBILE = frozenset({Rank.MINE, HEADQUARTERS})  # rule 2.2

# Rule 1.2 (the seed's army) and rule 1.3 (the small board's).
ARMIES: Mapping[int, Mapping[Rank, int]] = {
    10: dict(zip(Rank, (5, 4, 3, 2, 2, 5, 4, 4, 1), strict=True)),
    8: dict(zip(Rank, (4, 3, 2, 2, 2, 4, 3, 3, 1), strict=True)),
}


class Piece(StoredValue, frozen=True):
    """`known_since` is the turn in which the opponent learned the rank; None while hidden."""

    side: Seat
    rank: Rank
    moved: bool = False
    known_since: int | None = None


SOLDIERS = (Rank.CORPORAL, Rank.LIEUTENANT, Rank.CAPTAIN, Rank.COLONEL, Rank.GENERAL)

_WEAK = frozenset({Rank.SPY, Rank.SAPPER, Rank.HEADQUARTERS})

# Rule 3.2. The attacker takes what is listed; against everything else it is removed itself.
TAKES: Mapping[Rank, frozenset[Rank]] = {
    **{rank: frozenset(SOLDIERS[: i + 1]) | _WEAK for i, rank in enumerate(SOLDIERS)},
    Rank.SPY: _WEAK,
    Rank.SAPPER: _WEAK | {Rank.MINE, Rank.GENERAL},
}


def wins(attacker: Rank, defender: Rank) -> bool:
    """Return whether the attacker takes the square; otherwise the attacker is removed."""
    return defender in TAKES[attacker]
