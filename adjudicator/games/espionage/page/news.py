"""Tell what happened in words: steps and fights as far as this report's seat knows them (rule
5.1)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say
from adjudicator.games.espionage.lexicon import SIDE_TITLES
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import BLACK, ENEMY, WHITE, Rank
from adjudicator.games.espionage.sight.observe import SeenPiece, SeenStep

_UNKNOWN: Mapping[Seat, Message] = {
    WHITE: say("White's piece"),
    BLACK: say("Black's piece"),
}

Row = tuple[str, str, str]
Tale = tuple[str, str, str]  # an arrow as the reader sees the step, its outcome, and a sentence


def order_groups(
    news: Sequence[SeenStep], pieces: Sequence[SeenPiece], seat: Seat, words: Words
) -> list[tuple[str, list[Row]]]:
    """Return each order of the news that `seat` was told: its heading and a row for each step.
    `pieces` are those that stood afterwards."""
    rows = list(zip(news, _rows(news, pieces, seat, words), strict=True))
    made = []
    for (turn, side), group in groupby(rows, lambda pair: (pair[0].turn, pair[0].side)):
        made.append((words(order_label(turn, side)), [row for _, row in group]))
    return made


def tales(
    news: Sequence[SeenStep], pieces: Sequence[SeenPiece], seat: Seat, below: Seat, words: Words
) -> list[tuple[str, str, list[Tale]]]:
    """Return the same in whole sentences: an order's heading, its place, and its steps."""
    rows = list(zip(news, _tales(news, pieces, seat, below, words), strict=True))
    return [
        (words(order_label(turn, side)), order_place(turn, side), [tale for _, tale in group])
        for (turn, side), group in groupby(rows, lambda pair: (pair[0].turn, pair[0].side))
    ]


def order_label(turn: int, side: str) -> Message:
    return say("Turn {turn}, {side}", turn=turn, side=SIDE_TITLES[side])


def order_place(turn: int, side: str) -> str:
    """Return the name by which links find an order."""
    return f"turn-{turn}-{side}"


def _rows(
    news: Sequence[SeenStep], pieces: Sequence[SeenPiece], seat: Seat, words: Words
) -> Iterator[Row]:
    """Yield for each step how it is written, the outcome as a class, and what is to be told."""
    for i, step in enumerate(news):
        told = [*fight(step.side, step.outcome, step.attacker, step.defender)]
        met = step.defender if step.side == seat else step.attacker
        for square in step.revealed:
            if square != step.target or not met:  # else the fight has told it
                told.append(_unmasked(square, _rank_shown(square, news[i + 1 :], pieces)))
        yield f"{step.start}-{step.target}", step.outcome, " ".join(map(words, told))


def _tales(
    news: Sequence[SeenStep], pieces: Sequence[SeenPiece], seat: Seat, below: Seat, words: Words
) -> Iterator[Tale]:
    for i, (step, (_, outcome, told)) in enumerate(
        zip(news, _rows(news, pieces, seat, words), strict=True)
    ):
        sentence = words(_step_told(step, _rank_shown(step.target, news[i + 1 :], pieces)))
        beside = told if outcome == "moved" else told.partition(". ")[2]  # the fight is told
        yield _arrow(step, below), outcome, f"{sentence} {beside}".strip()


def _step_told(step: SeenStep, rank: Rank | None) -> Message:
    """Tell a step in one sentence; `rank` is that of the piece that made it, if it was seen."""
    values = {"start": step.start, "target": step.target}
    attacker, defender = whose(step.side, step.attacker), whose(ENEMY[step.side], step.defender)
    if step.outcome == "won":
        return say(
            "{attacker} from {start} takes {defender} on {target}.",
            attacker=attacker,
            defender=defender,
            **values,
        )
    if step.outcome == "lost":
        return say(
            "{attacker} from {start} attacks {defender} on {target} and is removed.",
            attacker=attacker,
            defender=defender,
            **values,
        )
    return say("{piece} goes from {start} to {target}.", piece=whose(step.side, rank), **values)


def _arrow(step: SeenStep, below: Seat) -> str:
    """Return the arrow of a step on a board with that side below."""
    (file, rank), (to_file, to_rank) = (
        (ord(square[0]), int(square[1:])) for square in (step.start, step.target)
    )
    up, right = to_rank - rank, to_file - file
    if below == BLACK:
        up, right = -up, -right
    return {(1, 0): "↑", (-1, 0): "↓", (0, 1): "→", (0, -1): "←"}[up, right]


def fight(
    side: Seat, outcome: str, attacking: Rank | None, defending: Rank | None
) -> Iterator[Message]:
    """Tell the fight of a step that was one; `side` made the step."""
    attacker, defender = whose(side, attacking), whose(ENEMY[side], defending)
    if outcome == "won":
        yield say("{attacker} takes {defender}.", attacker=attacker, defender=defender)
    elif outcome == "lost":
        yield say(
            "{attacker} attacks {defender} and is removed.", attacker=attacker, defender=defender
        )


def whose(side: Seat, rank: Rank | None) -> Message:
    """Name a piece as a sentence names it."""
    if rank is None:
        return _UNKNOWN[side]
    if side == WHITE:
        return say("White's {rank}", rank=TITLES[rank])
    return say("Black's {rank}", rank=TITLES[rank])


def _unmasked(square: Square, rank: Rank | None) -> Message:
    if rank:
        return say("Now known: {rank} on {square}.", rank=TITLES[rank], square=square)
    return say("Now known: the piece on {square}.", square=square)


def _rank_shown(
    square: Square, later: Sequence[SeenStep], pieces: Sequence[SeenPiece]
) -> Rank | None:
    """Return the rank of the piece that stood on `square`, wherever the report shows it: still on
    the board, or in the fight that removed it."""
    for step in later:
        if step.start == square:
            if step.outcome == "lost":
                return step.attacker
            square = step.target
        elif step.target == square and step.outcome == "won":
            return step.defender
    return next((piece.rank for piece in pieces if piece.square == square), None)


class OldReport(Struct, frozen=True, gc=False):
    """The part of its seat's old report that a page needs; nothing else of it is read."""

    seat: Seat
    pieces: tuple[SeenPiece, ...]
    news: tuple[SeenStep, ...]


def fresh_steps(reports: Iterable[OldReport]) -> Iterator[tuple[OldReport, list[SeenStep]]]:
    """Yield each report with those of its news that none before it had."""
    told: set[tuple[int, Seat, int]] = set()
    for old in reports:
        news = [step for step in old.news if _key(step) not in told]
        yield old, news
        told.update(map(_key, news))


def _key(step: SeenStep) -> tuple[int, Seat, int]:
    return step.turn, step.side, step.step
