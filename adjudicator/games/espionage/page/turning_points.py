"""The turning points of a match that has ended: where a reader may want to look first."""

from collections.abc import Iterator, Mapping

from adjudicator.core.message import Message, say
from adjudicator.games.espionage.page.news import fight, whose
from adjudicator.games.espionage.rules.board import BOARDS, Square
from adjudicator.games.espionage.rules.pieces import ENEMY, Piece, Rank
from adjudicator.games.espionage.rules.state import Reveal, State, Stepped

# The ranks that do what no other can (rules 3.2, 4.1).
_LAST: Mapping[tuple[str, Rank], Message] = {
    ("white", Rank.SAPPER): say("White has lost its last Sapper."),
    ("black", Rank.SAPPER): say("Black has lost its last Sapper."),
    ("white", Rank.SPY): say("White has lost its last Spy."),
    ("black", Rank.SPY): say("Black has lost its last Spy."),
}


def turning_points(event: Stepped, after: State) -> Iterator[Message]:
    """Yield what a step changed for good: a General lost, a Headquarters seen, the last of a
    kind."""
    lost = removed(event)
    if lost and lost.rank == Rank.GENERAL:
        yield from fight(event.side, event.outcome, event.rank, event.met)
    for reveal in event.revealed:
        if reveal.rank == Rank.HEADQUARTERS:
            yield from unmasking(reveal, after)
    if lost and (lost.side, lost.rank) in _LAST and not _left(lost, after):
        yield _LAST[lost.side, lost.rank]


def removed(event: Stepped) -> Piece | None:
    if event.outcome == "won" and event.met:
        return Piece(ENEMY[event.side], event.met)
    return Piece(event.side, event.rank) if event.outcome == "lost" else None


def _left(lost: Piece, after: State) -> bool:
    return any((p.side, p.rank) == (lost.side, lost.rank) for p in after.pieces.values())


def unmasking(reveal: Reveal, after: State) -> Iterator[Message]:
    """Say which Spy saw it (4.1); nothing if the fight itself has told the rank (3.4)."""
    spy = _spy_beside(reveal, after)
    if spy:
        yield say(
            "{spy} on {place} sees {piece} on {square}.",
            spy=whose(ENEMY[reveal.side], Rank.SPY),
            place=spy,
            piece=whose(reveal.side, reveal.rank),
            square=reveal.square,
        )


def _spy_beside(reveal: Reveal, after: State) -> Square | None:
    around = BOARDS[after.settings.rules.size].around[reveal.square]
    spy = Piece(ENEMY[reveal.side], Rank.SPY)
    standing = ((square, after.pieces.get(square)) for square in around)
    return next((sq for sq, p in standing if p and (p.side, p.rank) == (spy.side, spy.rank)), None)
