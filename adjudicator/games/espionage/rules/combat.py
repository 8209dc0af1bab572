"""Fights (rules 3.1-3.3): the whole table."""

from collections.abc import Mapping

from adjudicator.games.espionage.rules.pieces import Rank

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
