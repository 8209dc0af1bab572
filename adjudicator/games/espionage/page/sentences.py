"""Sentences of a report that are no news: what was agreed, how the match ended, what bears on the
orders, how the sheet is filled in, and the reader's own marks and notes (rule 9.3)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.report import Report
from adjudicator.games.espionage.lexicon import SIDE_TITLES
from adjudicator.games.espionage.orders.refusals import because
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page.news import whose
from adjudicator.games.espionage.rules.board import BOARDS, FILES
from adjudicator.games.espionage.rules.pieces import BLACK, ENEMY, WHITE, Rank
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import LostMark, SeenPiece, SeenStep, View

_FIGHTS: Mapping[str, Message] = {
    "hidden": say("a fight reveals no rank"),
    "captured": say("both players are shown the rank of a removed piece"),
    "both": say("both ranks in a fight are shown, and the survivor stays visible"),
}
# How `side` has lost, in words that are true for every reader.
_DEFEATS: Mapping[str, Message] = {
    "no-legal-move": say("{side} has no legal move"),
    "resignation": say("{side} resigned"),
    "forfeit": say("{side} forfeits the match"),
}
_DRAWS: Mapping[str, Message] = {
    "agreement": say("the players agreed"),
    "no-progress": say("too many turns without a fight"),
}


def opening(sentence: str) -> str:
    """Begin a sentence with a capital letter. `capitalize` would lower all others."""
    return sentence[:1].upper() + sentence[1:]


def option_messages(report: Report[View, SeenStep]) -> Iterator[Message]:
    """Yield what was agreed, in parts of one sentence."""
    variant = VARIANTS[report.variant]
    yield say("a board of {n} by {n} squares", n=variant.size)
    yield count("{n} piece moves each turn", "{n} pieces move each turn", variant.pieces_moved)
    if variant.open_ranks:
        yield say("all ranks are visible to both players")
        return
    options = report.options
    yield _FIGHTS[options.get("fights", "hidden")]
    if options.get("unmask_notice") == "true":
        yield say("you are shown which of your pieces the enemy knows")
    if options.get("aids") == "off":
        yield say("you are not shown what an unknown piece can still be")


def ending(view: View, words: Words) -> str | None:
    """Say how the match ended; return None before its end."""
    return words(_result(view.result)) if view.result else None


def _result(result: Outcome) -> Message:
    if result.reason == "cancelled":
        return say("The match is cancelled and nobody wins.")
    if not result.winner:
        return say("Draw: {reason}.", reason=_DRAWS[result.reason])
    reason = _defeat(ENEMY[result.winner], result.reason)
    return say("{side} wins: {reason}.", side=SIDE_TITLES[result.winner], reason=reason)


def _defeat(loser: Seat, reason: str) -> Message:
    if reason == "headquarters":
        return say("{piece} was captured", piece=whose(loser, Rank.HEADQUARTERS))
    return because(_DEFEATS[reason], side=SIDE_TITLES[loser])


def picture(view: View) -> Message:
    """Say what the drawing shows, for those who do not see it."""
    volcanoes = ", ".join(view.board.volcanoes)
    if not view.pieces:
        return say("The empty board. Volcanoes: {squares}.", squares=volcanoes)
    held = Counter(piece.side for piece in view.pieces)
    return say(
        "The board with {white} white and {black} black pieces, listed below."
        " Volcanoes: {squares}.",
        white=held[WHITE],
        black=held[BLACK],
        squares=volcanoes,
    )


def facts(view: View) -> Iterator[Message]:
    """Say what bears on the order to be written."""
    if barred := view.barred:
        steps = ", ".join(str(step) for step in barred)
        yield say(
            "Not allowed in your next order (no piece may go straight back): {steps}.", steps=steps
        )
    left = view.no_progress_left
    if left is not None and view.phase != "over":
        yield count(
            "Without a fight the match is drawn after {n} more full turn.",
            "Without a fight the match is drawn after {n} more full turns.",
            left,
        )


def how(view: View, own: Seat) -> Iterator[Message]:
    """Say how the sheet below is filled in."""
    size = view.board.size
    if view.phase == "over":
        return
    if view.phase == "setup":
        front, _, back = BOARDS[size].home_rows(own)
        yield say(
            "Place your army on rows {front} to {back}. With SETUP AUTO adjud places it sensibly. "
            "Or write three lines of {n} letters under SETUP, the front row first, each from "
            "your left to your right ({left} to {right}).",
            front=front,
            back=back,
            n=size,
            left=FILES[0] if own == WHITE else FILES[size - 1],
            right=FILES[size - 1] if own == WHITE else FILES[0],
        )
    else:
        yield say("Replace the dots with your steps, such as d3-d4.")
    yield say("Send everything from ORDERS to END. Later orders replace earlier ones.")


def mark_lines(view: View, notes: Sequence[str], words: Words) -> list[str]:
    """Return the marks that stand, at the end those on removed pieces, and then the notes."""
    standing = [words(_standing(piece)) for piece in view.pieces if piece.mark]
    lost = [words(_lost(mark)) for mark in view.marks_lost or ()]
    return [*_listed(standing), *lost, *notes]


def _listed(marks: Sequence[str]) -> Iterator[str]:
    if marks:
        yield "; ".join(marks)


def _standing(piece: SeenPiece) -> Message:
    """Say a mark; the end tells the rank beside it."""
    square, mark = piece.square, piece.mark or ""
    if piece.rank is None:
        return say("{square}: {mark}", square=square, mark=mark)
    return say("{square}: {mark} ({rank})", square=square, mark=mark, rank=TITLES[piece.rank])


def _lost(mark: LostMark) -> Message:
    return say(
        "{mark} was the {rank} removed on {square} in turn {turn}.",
        mark=mark.mark,
        rank=TITLES[mark.rank],
        square=mark.square,
        turn=mark.turn,
    )
