"""Armies as a report tells them: what of each side stands where, and what a player has to place."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page.dossiers import removed_ranks
from adjudicator.games.espionage.page.sentences import opening
from adjudicator.games.espionage.rules.pieces import ARMIES, ENEMY, LETTERS, WHITE, Rank
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import SeenPiece, View

Entry = tuple[str, str, int | str, str]  # letter, name, how many, where


class Army(Struct, frozen=True, kw_only=True):
    """A side's pieces as the reader knows them."""

    side: Seat
    shape: str
    title: str
    summary: str
    entries: Sequence[Entry]
    marks: Sequence[str]


def armies(view: View, words: Words, own: Seat) -> list[Army]:
    """Return the reader's army and the enemy's: heading, one sentence, entries, marks."""
    mine = [piece for piece in view.pieces if piece.side == own]
    theirs = [piece for piece in view.pieces if piece.side != own]
    dated = not VARIANTS[view.variant].open_ranks
    return [
        Army(
            side=side,
            shape="own" if side == own else "enemy",
            title=words(_army_title(side, view.seat)),
            summary=words(_summary(pieces, view.lost[side])),
            entries=list(_entries(pieces, words, dated, _whole_army(view, side))),
            marks=[
                words(message)
                for message in (*_army_marks(pieces, dated), *_removed(view, side, dated))
            ],
        )
        for side, pieces in ((own, mine), (ENEMY[own], theirs))
    ]


def _army_title(side: Seat, seat: Seat) -> Message:
    if side == seat:
        return say("Your pieces")
    return say("White's pieces") if side == WHITE else say("Black's pieces")


def _summary(pieces: Sequence[SeenPiece], lost: int) -> Message:
    """Say what remains of an army, as rule 5.1 has it: ranks that are told stand in the entries,
    the rest is a number."""
    unknown = sum(piece.rank is None for piece in pieces)
    values = {"on_board": len(pieces), "lost": lost, "unknown": unknown}
    if unknown:
        return say("{on_board} on the board, {unknown} of unknown rank; {lost} removed.", **values)
    return say("{on_board} on the board; {lost} removed.", **values)


def _whole_army(view: View, side: Seat) -> Mapping[Rank, int]:
    """Return how many of each rank a side began with, if the reader knows all its ranks: his own,
    or every one when they are open or the match has ended; else nothing."""
    variant = VARIANTS[view.variant]
    open_ = variant.open_ranks or view.phase == "over"
    return ARMIES[variant.size] if open_ or side == view.seat else {}


def _entries(
    pieces: Sequence[SeenPiece], words: Words, dated: bool, army: Mapping[Rank, int]
) -> Iterator[Entry]:
    """Yield a row for each rank, and then for the pieces of unknown rank. Ranks of which none is
    left have a row if the `army` is known. If all ranks are open from the first turn, it says
    nothing since when one is known (`dated`)."""
    for rank in Rank:
        held = [piece for piece in pieces if piece.rank == rank]
        if held or rank in army:
            where = ", ".join(_where(piece, words, dated) for piece in held) or "-"
            number = words(say("{n} of {all}", n=len(held), all=army[rank])) if army else len(held)
            yield LETTERS[rank], opening(words(TITLES[rank])), number, where
    unknown = [piece for piece in pieces if piece.rank is None]
    for message, moved in (
        (say("Unknown, has moved"), True),
        (say("Unknown, has not moved"), False),
    ):
        held = [piece for piece in unknown if piece.moved == moved]
        if held:
            yield "?", words(message), len(held), _squares(held)


def _where(piece: SeenPiece, words: Words, dated: bool) -> str:
    square, since = piece.square, piece.known_since
    if since is None or not dated:
        return square
    return words(say("{square} (known since turn {turn})", square=square, turn=since))


def _squares(pieces: Sequence[SeenPiece]) -> str:
    return ", ".join(piece.square for piece in pieces)


def _army_marks(pieces: Sequence[SeenPiece], hidden: bool) -> Iterator[Message]:
    """Say which pieces of known rank have moved and, if ranks are `hidden`, which of them the enemy
    knows (4.4)."""
    moved = [piece for piece in pieces if piece.moved and piece.rank]
    if moved:
        yield say("Moved so far: {squares}.", squares=_squares(moved))
    known = [piece for piece in pieces if piece.known_to_enemy is True]
    if known and hidden:
        yield say("The enemy knows: {squares}.", squares=_squares(known))


def _removed(view: View, side: Seat, hidden: bool) -> Iterator[Message]:
    """Say which ranks of the enemy's removed pieces are told (9.4); where all ranks are known, his
    army's list says it."""
    if hidden and side == ENEMY.get(view.seat) and view.phase != "over":
        told = removed_ranks(view.lost_known or ())
        if told:
            yield told


def to_place(view: View, words: Words) -> list[Entry]:
    """Return the pieces that are to be placed (1.2, 1.3)."""
    army = ARMIES[view.board.size]
    return [(LETTERS[rank], opening(words(TITLES[rank])), n, "") for rank, n in army.items()]
