"""What tips look at: a view of Espionage, and what is looked up in it again and again."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.message import Message
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.rules.board import BOARDS, Board, Square, steps_between
from adjudicator.games.espionage.rules.movement import legal_steps
from adjudicator.games.espionage.rules.pieces import TAKES, Rank
from adjudicator.games.espionage.rules.state import VARIANTS, Step
from adjudicator.games.espionage.sight.memory import unaccounted_ranks
from adjudicator.games.espionage.sight.observe import SeenPiece, View, ground

# What the loss of a piece costs, roughly; the Headquarters ends the match.
_WORTH: Mapping[Rank, int] = {
    Rank.CORPORAL: 1,
    Rank.LIEUTENANT: 2,
    Rank.MINE: 3,
    Rank.CAPTAIN: 4,
    Rank.SAPPER: 5,
    Rank.SPY: 6,
    Rank.COLONEL: 7,
    Rank.GENERAL: 8,
    Rank.HEADQUARTERS: 9,
}
_SOME = 3  # pieces of which one is named, another each turn


class Table(Struct, frozen=True):
    """A view, and what is looked up in it again and again. `steps` are the seat's legal ones, none
    where it is not to move."""

    view: View
    board: Board
    at: Mapping[Square, SeenPiece]
    own: Sequence[SeenPiece]
    enemy: Sequence[SeenPiece]
    steps: Sequence[Step]

    def of_own(self, *ranks: Rank) -> Sequence[SeenPiece]:
        return [piece for piece in self.own if piece.rank in ranks]

    def attacks(self) -> Iterable[tuple[SeenPiece, SeenPiece]]:
        """Yield each own piece that may attack, with the enemy piece that it would meet."""
        for step in self.steps:
            if met := self.at.get(step.target):
                yield self.at[step.start], met


def table(view: View) -> Table:
    to_move = view.phase == "play" and view.to_move == view.seat
    return Table(
        view=view,
        board=BOARDS[view.board.size],
        at={piece.square: piece for piece in view.pieces},
        own=[piece for piece in view.pieces if piece.side == view.seat],
        enemy=[piece for piece in view.pieces if piece.side != view.seat],
        steps=legal_steps(ground(view)) if to_move else (),
    )


def open_ranks(table: Table) -> bool:
    return VARIANTS[table.view.variant].open_ranks


def unknown_pieces(table: Table) -> Sequence[SeenPiece]:
    return [piece for piece in table.enemy if piece.rank is None]


def unknown_around(table: Table, square: Square) -> Sequence[Square]:
    unknown = {piece.square for piece in unknown_pieces(table)}
    return [near for near in table.board.around[square] if near in unknown]


def cannot_win(mine: SeenPiece, met: SeenPiece) -> bool:
    """Return whether an attack is known to fail, as far as the view tells what the other can be."""
    return bool(mine.rank and met.could_be) and not any(
        rank in TAKES[mine.rank] for rank in met.could_be or () if mine.rank
    )


def own_headquarters(table: Table) -> Square | None:
    return next((piece.square for piece in table.of_own(Rank.HEADQUARTERS)), None)


def sides_of(table: Table, square: Square) -> Sequence[Square]:
    volcanoes = table.view.board.volcanoes
    return [near for near in table.board.beside[square] if near not in volcanoes]


def one_nearby(table: Table, some: Sequence[SeenPiece], others: Sequence[SeenPiece]) -> SeenPiece:
    """Return one of the pieces that stand closest to some of the others, another one each turn."""

    def far(piece: SeenPiece) -> int:
        return min(steps_between(piece.square, other.square) for other in others)

    closest = sorted(some, key=far)[:_SOME]
    return closest[table.view.turn % len(closest)]


def most_of_rank(table: Table, rank: Rank) -> int:
    """Return how many pieces of a rank the enemy may have, as far as the seat was told."""
    known = sum(piece.rank == rank for piece in table.enemy)
    return known + min(unaccounted_ranks(table.view)[rank], len(unknown_pieces(table)))


def closest_pair(
    some: Sequence[SeenPiece], others: Sequence[SeenPiece]
) -> tuple[SeenPiece, SeenPiece]:
    """Return the piece of each that stand closest to each other."""
    pairs = ((one, other) for one in some for other in others)
    return min(pairs, key=lambda pair: steps_between(pair[0].square, pair[1].square))


def worth_of(piece: SeenPiece) -> int:
    return _WORTH[piece.rank] if piece.rank else 0


def title_of(piece: SeenPiece) -> Message:
    assert piece.rank
    return TITLES[piece.rank]
