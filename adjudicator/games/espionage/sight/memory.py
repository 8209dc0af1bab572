"""Remember what a seat has seen happen to the enemy's pieces that it does not know.

It is made from the seat's own news alone: where every piece went is told to both sides, and of a
fight each side knows its own piece.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.combat import TAKES
from adjudicator.games.espionage.rules.pieces import ARMIES, ENEMY, IMMOBILE, Rank
from adjudicator.games.espionage.sight.observe import Fight, SeenPiece, SeenStep, View

Fights = Mapping[Square, Sequence[Fight]]


def remember(view: View, seen: Iterable[SeenStep]) -> View:
    """Return the view with the fights of each enemy piece of unknown rank, and the ranks that were
    told of those that were removed. `seen` are all steps of the match as the seat saw them."""
    fights, lost = _followed(view, seen)
    enemy = ENEMY[view.seat]
    pieces = tuple(
        replace(piece, fights=tuple(fights.get(piece.square, ())))
        if piece.side == enemy and piece.rank is None
        else piece
        for piece in view.pieces
    )
    return replace(view, pieces=pieces, lost_known=tuple(lost))


def _followed(view: View, seen: Iterable[SeenStep]) -> tuple[Fights, list[Rank]]:
    """Return the fights of each enemy piece by the square on which it stands now."""
    fights: dict[Square, list[Fight]] = {}
    lost: list[Rank] = []
    for step in seen:
        if step.side == view.seat:
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


def unaccounted(view: View) -> Mapping[Rank, int]:
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
