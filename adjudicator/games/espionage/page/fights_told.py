"""Tell in words what a seat's own fights showed of pieces that it does not know (rules 9.4,
9.5)."""

from collections import Counter
from collections.abc import Iterable, Mapping

from adjudicator.core.message import Message, Words, listed, say
from adjudicator.games.espionage.orders.refusals import because
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.rules.pieces import Rank
from adjudicator.games.espionage.sight.observe import Fight, SeenPiece, View

_FIGHTS: Mapping[str, Message] = {
    "attacker": say("captured your {rank} in turn {turn}"),
    "defender": say("fought off your {rank} in turn {turn}"),
}


def fights_told(view: View, words: Words) -> list[tuple[str, str]]:
    """Return the square of each piece that has won fights, and what is known of it by them."""
    return [(piece.square, words(_known_of(piece))) for piece in view.pieces if piece.fights]


def _known_of(piece: SeenPiece) -> Message:
    fights = fights_won(piece.fights or ())
    if not piece.could_be:
        return say("{fights}.", fights=fights)
    ranks = listed(TITLES[rank] for rank in piece.could_be)
    return say("{fights}. It can still be: {ranks}.", fights=fights, ranks=ranks)


def fights_won(fights: Iterable[Fight]) -> Message:
    """Say in which fights a piece removed what; there must be one."""
    return listed(map(_fight, fights))


def _fight(fight: Fight) -> Message:
    return because(_FIGHTS[fight.role], rank=TITLES[fight.beat], turn=fight.turn)


def removed_ranks(ranks: Iterable[Rank]) -> Message | None:
    """Say which ranks of removed pieces are told; None if none is."""
    counted = Counter(ranks)
    if not counted:
        return None
    told = listed(_how_many(rank, counted[rank]) for rank in Rank if counted[rank])
    return say("Removed pieces of known rank: {ranks}.", ranks=told)


def _how_many(rank: Rank, n: int) -> Message:
    return TITLES[rank] if n == 1 else say("{rank} ({n})", rank=TITLES[rank], n=n)
