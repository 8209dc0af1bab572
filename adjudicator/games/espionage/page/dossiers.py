"""Tell of each enemy piece where it came from, since when it moves, whom it beat and what it can
still be (rules 9.4, 9.5).

It is made from the reader's own reports, as the look back is: the steps and fights that they told.
It goes with pages that are not sent by letter, for which it is too long; so it is made when it is
printed, and not before.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.message import Message, Words, listed, say
from adjudicator.core.report import Report
from adjudicator.games.espionage.orders.refusals import because
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page.news import OldReport, fresh_steps
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import ENEMY, Rank
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.memory import fights_by_square
from adjudicator.games.espionage.sight.observe import Fight, SeenPiece, SeenStep, View


class Trail(Struct, frozen=True):
    """The squares of one enemy piece, the oldest first and the present one last, and the turns of
    the steps between them."""

    squares: tuple[Square, ...]
    turns: tuple[int, ...] = ()


class Dossier(Struct, frozen=True):
    """Tell of the piece on a square, and name the squares on which it has stood."""

    square: Square
    squares: Sequence[Square]
    told: str


def dossiers(
    report: Report[View, SeenStep], past: Sequence[OldReport], words: Words
) -> Iterator[Dossier]:
    """Yield what is known of each enemy piece on the board; nothing before the first turn and
    after the end, or for a reader who has no enemy."""
    view = report.view
    if view.phase != "play" or view.seat not in ENEMY:
        return
    reports = [*fresh_steps([*past, OldReport(view.seat, view.pieces, report.news)])]
    trails = _trails(reports)
    fights, _ = fights_by_square(view.seat, (step for _, steps in reports for step in steps))
    dated = not VARIANTS[view.variant].open_ranks
    for piece in view.pieces:
        if piece.side != view.seat:
            trail = trails.get(piece.square, Trail((piece.square,)))
            fought = piece.fights or fights.get(piece.square, ())
            told = " ".join(words(message) for message in _told(piece, trail, fought, dated))
            yield Dossier(piece.square, trail.squares, told)


def _told(
    piece: SeenPiece, trail: Trail, fights: Sequence[Fight], dated: bool
) -> Iterator[Message]:
    if piece.rank and dated and piece.known_since is not None:
        rank, turn = TITLES[piece.rank], piece.known_since
        yield say("The enemy's {rank}, known to you since turn {turn}.", rank=rank, turn=turn)
    elif piece.rank:
        yield say("The enemy's {rank}.", rank=TITLES[piece.rank])
    else:
        yield say("An unknown enemy piece.")
    if trail.turns:
        origin, turn = trail.squares[0], trail.turns[0]
        yield say(
            "It started on {square} and first moved in turn {turn}.", square=origin, turn=turn
        )
        if len(trail.turns) > 1:
            yield say("Its path: {squares}.", squares=", ".join(trail.squares))
    else:
        yield say("It has moved.") if piece.moved else say("It has not moved.")
    if fights:
        yield say("It {fights}.", fights=fights_won(fights))
    if piece.could_be:
        yield say(
            "It can still be: {ranks}.", ranks=listed(TITLES[rank] for rank in piece.could_be)
        )


def _trails(reports: Iterable[tuple[OldReport, Sequence[SeenStep]]]) -> Mapping[Square, Trail]:
    """Follow each enemy piece from the oldest report at hand on, by the square on which it stands
    now."""
    trails: dict[Square, Trail] = {}
    begun = False
    for old, steps in reports:
        if not begun and old.pieces:
            theirs = (piece.square for piece in old.pieces if piece.side != old.seat)
            trails = {square: Trail((square,)) for square in theirs}
            begun = True
            continue
        for step in steps:
            _follow(step, old.seat == step.side, trails)
    return trails


def _follow(step: SeenStep, own: bool, trails: dict[Square, Trail]) -> None:
    if own and step.outcome == "won":
        trails.pop(step.target, None)
    elif not own and (trail := trails.pop(step.start, None)) and step.outcome != "lost":
        trails[step.target] = Trail((*trail.squares, step.target), (*trail.turns, step.turn))


_FIGHTS: Mapping[str, Message] = {
    "attacker": say("captured your {rank} in turn {turn}"),
    "defender": say("fought off your {rank} in turn {turn}"),
}


def fight_rows(view: View, words: Words) -> list[tuple[str, str]]:
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
