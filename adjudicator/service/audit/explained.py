"""Explain each input of a player by his own papers: orders, resignations, draws, forfeits.

Only he knows what he wrote. What his confirmations contradict is wrong; what no paper of his tells
is asked of him, for a club that made it up looks like a confirmation that was thrown away.
"""

from collections.abc import Iterator, Sequence

from adjudicator.core import chain
from adjudicator.core.chain import AdjudicatedSheet, DeclaredWord, PlyText
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.service.audit.agreed import deadline_after
from adjudicator.service.audit.papers import Document, ReceiptPaper, SaidPaper, differ
from adjudicator.service.audit.receipts import ParsedLog, withdrew
from adjudicator.service.audit.replayed import (
    ReplayedMatch,
    holders_before,
)
from adjudicator.service.audit.verdicts import AuditFinding, asks, contradicts, remark, uncompared


def explain(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield what in the log of a player's seats his papers contradict, or do not tell."""
    for seat in sorted({seat for paper in papers for seat in paper.seats}):
        if seat in played.setting.seats:
            yield from _of_seat(played, _Mine(seat, papers, log), log)


class _Mine:
    """What a player's papers say of his seat."""

    def __init__(self, seat: str, papers: Sequence[Document], log: ParsedLog) -> None:
        self.seat, self.log = seat, log
        mine = [paper for paper in papers if seat in paper.seats or not paper.seats]
        self.receipts = [
            (paper, one) for paper in mine for one in paper.receipts if one.seat == seat
        ]
        self.said = [(paper, one) for paper in mine for one in paper.said if one.said.seat == seat]
        self.kept = {(one.turn, one.revision) for paper in mine for one in paper.kept}
        self._plies = {(paper.head[0], paper.tenure) for paper in mine if paper.head}

    def received(self, turn: int) -> list[tuple[Document, ReceiptPaper]]:
        """Return the confirmations of orders for a turn, without what reports say of orders that
        were used already."""
        return [one for one in self.receipts if one[1].turn == turn and not one[1].claimed]

    def knows(self, entry: PlyText) -> bool:
        """Return whether the player had the seat when a ply was played, and kept what he got in
        that time: confirmations, a report of before the ply and one of after it."""
        first, last = self._tenure(entry)
        before = {one for ply, one in self._plies if first - 1 <= ply < entry.ply}
        after = {one for ply, one in self._plies if entry.ply <= ply <= last}
        # One who gave the seat up and has it again had another in between.
        same = before & after or (before and after and None in before | after)
        keeps = any(not one.claimed for _, one in self.receipts) or bool(self.said)
        if same and keeps:
            return True
        same_turn = (one for one in self.log.entries if one.turn == entry.turn)
        handed_over = any(_gives_away(one, self.seat) for one in same_turn)
        return bool(self.received(entry.turn)) and not handed_over

    def _tenure(self, entry: PlyText) -> tuple[int, int]:
        """Return the first and the last ply of the holder who had the seat at a ply."""
        given = [one.ply for one in self.log.entries if _gives_away(one, self.seat)]
        first = max((ply for ply in given if ply <= entry.ply), default=1)
        last = min((ply for ply in given if ply > entry.ply), default=len(self.log.entries) + 1)
        return first, last - 1


def _gives_away(entry: PlyText, seat: str) -> bool:
    """Return whether the seat got another holder before a ply."""
    named = (f" now plays {seat}.", f" plays {seat}.")
    return any(one.seat == seat for one in entry.holders) or any(
        ruled.action == "replace" and any(one in ruled.text.casefold() for one in named)
        for ruled in entry.rulings
    )


def _of_seat(played: ReplayedMatch, mine: _Mine, log: ParsedLog) -> Iterator[AuditFinding]:
    title = played.game.seat_titles[Seat(mine.seat)]
    people = (chain.PERSON, "")
    unknown = 0
    for entry in log.entries:
        if holders_before(log, entry.ply).get(mine.seat) not in people:
            continue
        for one in entry.orders:
            if one.seat != mine.seat:
                continue
            if not mine.knows(entry):
                unknown += not one.by
            else:
                yield from _ordered(entry, one, mine, title)
        # What was said before the seat changed hands is another's, and ended with that.
        taken_over = max((one.at for one in entry.holders if one.seat == mine.seat), default="")
        for word in entry.said:
            if word.seat == mine.seat and word.at >= taken_over and mine.knows(entry):
                yield from _said(entry, word, mine, title)
        yield from _unused_words(entry, mine, title)
        if entry.cause == "forfeit" and entry.leave and mine.seat in entry.leave.seats:
            yield from _forfeited(entry, mine, title)
    if unknown:
        told = say(
            "the orders of {seat} in {n} plies: there are no confirmations of that time among your "
            "files",
            seat=title,
            n=unknown,
        )
        yield uncompared(told)


def _ordered(
    entry: PlyText, one: AdjudicatedSheet, mine: _Mine, title: Message
) -> Iterator[AuditFinding]:
    """Ask about orders that were used without a confirmation among the papers."""
    turn, received = entry.turn, mine.received(entry.turn)
    if one.by or (turn, one.revision) in mine.kept:
        return
    # An undo may have given confirmed orders another number.
    if any(
        told.revision == one.revision or told.digest_of(one.lines) == told.digest
        for _, told in received
    ):
        return
    told = say(
        "version {revision} of the orders of {seat} for turn {turn} was used, and you have no "
        "confirmation of it: did you send it?",
        revision=one.revision,
        seat=title,
        turn=turn,
    )
    yield asks(told)


def _said(
    entry: PlyText, word: DeclaredWord, mine: _Mine, title: Message
) -> Iterator[AuditFinding]:
    """Ask for a RESIGN, a DRAW or a CLEAR that took effect and of which there is no
    confirmation."""
    if any(_is_of(paper, word) for _, paper in mine.said):
        return
    told = say(
        "{word} of {seat} took effect in turn {turn}, and you have no confirmation of it: did you "
        "send it on {at}?",
        word=shown(word.word),
        seat=title,
        turn=entry.turn,
        at=shown(word.at),
    )
    yield asks(told)


def _is_of(paper: SaidPaper, word: DeclaredWord) -> bool:
    """Return whether a confirmation is that of a word, with its time and its digest."""
    right = chain.said_digest(paper.label, paper.match, paper.turn, paper.said)
    return paper.digest == right and (paper.said.word, paper.said.at) == (word.word, word.at)


def _unused_words(entry: PlyText, mine: _Mine, title: Message) -> Iterator[AuditFinding]:
    """Find an agreement that a confirmed CLEAR had withdrawn."""
    if entry.cause != "agreement":
        return
    mine_said = [(paper, one) for paper, one in mine.said if one.turn == entry.turn]
    drawn = [one.said.at for _, one in mine_said if one.said.word == "DRAW"]
    for paper, one in mine_said:
        told_at = one.said.at
        if (
            one.said.word == "CLEAR"
            and told_at <= entry.at
            and not any(at > told_at for at in drawn)
        ):
            what = say(
                "the draw of turn {turn}: {seat} had withdrawn its offer",
                turn=entry.turn,
                seat=title,
            )
            yield contradicts(differ(what, paper, mine.log.paper))


def _forfeited(entry: PlyText, mine: _Mine, title: Message) -> Iterator[AuditFinding]:
    ruled = [one for one in entry.rulings if one.action == "forfeit"]
    for one in ruled:
        told = say(
            "{seat} lost by forfeit in turn {turn}, as the game master decided on {at}: {text}",
            seat=title,
            turn=entry.turn,
            at=shown(one.at),
            text=shown(one.text, 200),
        )
        yield remark(told)
    if ruled or not mine.knows(entry):
        return
    yield from _with_receipt(entry, mine, title)


def _with_receipt(entry: PlyText, mine: _Mine, title: Message) -> Iterator[AuditFinding]:
    """Compare a forfeit for silence with confirmed orders for its turn."""
    used = max(
        (
            order.revision
            for one in mine.log.entries[: entry.ply - 1]
            for order in one.orders
            if one.turn == entry.turn and order.seat == mine.seat
        ),
        default=0,
    )
    later = [one for one in mine.received(entry.turn) if one[1].revision > used]
    if not later:
        return
    paper, last = max(later, key=lambda one: (one[1].revision, withdrew(one[1])))
    if withdrew(last):
        return
    what = say(
        "{seat} lost by forfeit in turn {turn} as if it had sent nothing, and version {revision} "
        "of its orders was confirmed",
        seat=title,
        turn=entry.turn,
        revision=last.revision,
    )
    # A player who left in that turn, a new holder or an undo may have ended those orders.
    between = [one for one in mine.log.entries[: entry.ply - 1] if one.turn == entry.turn]
    ended = any(one.cause != "orders" for one in between) or any(
        ruled.action in ("undo", "replace") for one in (*between, entry) for ruled in one.rulings
    )
    told = differ(what, paper, mine.log.paper)
    yield asks(told) if ended else contradicts(told)


def due_in(log: ParsedLog, entry: PlyText, *, before: str = "") -> str:
    """Return the deadline that was in force when a ply was adjudicated, or `before` a time, as its
    line and the one before say; empty if there was none."""
    due = log.entries[entry.ply - 2].due if entry.ply > 1 else log.opening.due
    # A ruling that is told with the ply, as that of a forfeit, tells the deadline of before it.
    return deadline_after(due, entry.rulings, entry.holders, before=before)
