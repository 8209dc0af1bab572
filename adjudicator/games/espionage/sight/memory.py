"""Remember what a seat has seen happen to the enemy pieces that it does not know (rules 9.4, 9.5).

It is made from the seat's own news alone: where every piece went is told to both sides, and of a
fight each side knows its own piece. So nothing of it is kept in the state: the log tells it anew
whenever a view is made, also of a match that began before there were such lists, after an
adjudication was taken back, and to a seat's next holder; and it cannot hold what the seat was not
told.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import ARMIES, ENEMY, IMMOBILE, TAKES, Rank
from adjudicator.games.espionage.sight.observe import Fight, SeenPiece, SeenStep, View

Fights = Mapping[Square, Sequence[Fight]]


def remember(view: View, seen: Iterable[SeenStep], options: Mapping[str, str]) -> View:
    """Return the view with what its seat's fights told. `seen` are all steps of the match as the
    seat saw them, `options` those of the match."""
    fights, lost = fights_by_square(view.seat, seen)
    known = replace(view, lost_known=tuple(lost))
    aids = options.get("aids", "on") == "on"  # a match of before the option has the default
    left = [rank for rank, n in unaccounted_ranks(known).items() if n]
    pieces = []
    for piece in view.pieces:
        if piece.side == ENEMY[view.seat] and piece.rank is None:
            piece = replace(piece, fights=tuple(fights.get(piece.square, ())))
            piece = replace(piece, could_be=could_be(piece, left) if aids else None)
        pieces.append(piece)
    return replace(known, pieces=tuple(pieces))


def fights_by_square(seat: Seat, seen: Iterable[SeenStep]) -> tuple[Fights, list[Rank]]:
    """Return the fights of each enemy piece by the square on which it stands now, and the told
    ranks of those that were removed."""
    fights: dict[Square, list[Fight]] = {}
    lost: list[Rank] = []
    for step in seen:
        if step.side == seat:
            _own_step(step, fights, lost)
        else:
            _enemy_step(step, fights, lost)
    return fights, lost


def _own_step(step: SeenStep, fights: dict[Square, list[Fight]], lost: list[Rank]) -> None:
    if step.outcome == "won":
        fights.pop(step.target, None)
        lost += [step.defender] if step.defender else []
    elif step.outcome == "lost" and step.attacker:
        beaten = Fight(turn=step.turn, beat=step.attacker, role="defender")
        fights.setdefault(step.target, []).append(beaten)


def _enemy_step(step: SeenStep, fights: dict[Square, list[Fight]], lost: list[Rank]) -> None:
    before = fights.pop(step.start, [])
    if step.outcome == "lost":
        lost += [step.attacker] if step.attacker else []
        return
    if step.outcome == "won" and step.defender:
        before = [*before, Fight(turn=step.turn, beat=step.defender, role="attacker")]
    if before:
        fights[step.target] = before


def could_be(piece: SeenPiece, left: Collection[Rank]) -> tuple[Rank, ...]:
    """Return the ranks that an enemy piece can have, judged by itself: it moved or not, and each of
    its fights went as it did. `left` are the ranks of which the army has any unaccounted for."""
    return tuple(rank for rank in Rank if rank in left and _fits(piece, rank))


def unaccounted_ranks(view: View) -> Mapping[Rank, int]:
    """Count the ranks that the enemy had at the start, less those that are told: on the board, or
    of pieces that were removed."""
    left = dict(ARMIES[view.board.size])
    told = [p.rank for p in view.pieces if p.side == ENEMY[view.seat] and p.rank]
    for rank in (*told, *(view.lost_known or ())):
        left[rank] = max(left[rank] - 1, 0)
    return left


def _fits(piece: SeenPiece, rank: Rank) -> bool:
    if piece.moved and rank in IMMOBILE:
        return False
    return all(_won(rank, fight) for fight in piece.fights or ())


def _won(rank: Rank, fight: Fight) -> bool:
    """Return whether a piece of that rank would have won the fight (rule 3.2)."""
    if fight.role == "attacker":
        return fight.beat in TAKES.get(rank, ())
    return rank not in TAKES[fight.beat]
