"""Judge again the orders that a seat sent in advance (`core/conditions.py`).

Theory of operation. No log has a sheet that was sent in advance, only the orders that it gave, with
its turn and its revision, which name it: no other sheet of the seat has both. Its lines are in the
confirmation, and the last report opens them to the player who sent them, and to nobody else. So
each player's audit does what the club did when the turn had come, with the same function: it
judges the sheet on the seat's view and on what the seat had seen since its own last orders, as
they follow from the log. What was used must be what comes of that, and a sheet of which orders
come must have been used.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core import conditions
from adjudicator.core.chain import AdjudicatedSheet, PlyText
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, say
from adjudicator.core.orders import number_lines
from adjudicator.core.report import OwnSheet
from adjudicator.service.audit.emailed import read_values
from adjudicator.service.audit.json_papers import within
from adjudicator.service.audit.log import (
    BY_DEFAULT,
    ParsedLog,
    PlyToJudge,
    ReplayedMatch,
    last_ordered_ply,
    offers_after,
    possible_plies,
    taken_back,
)
from adjudicator.service.audit.papers import Document, differ
from adjudicator.service.audit.verdicts import AuditFinding, asks, contradicts
from adjudicator.service.emails.paragraphs import Receipt


class SavedSheet(Struct, frozen=True):
    """A sheet for a later turn, as a paper has it."""

    paper: Document
    seat: Seat
    turn: int
    revision: int
    lines: tuple[str, ...]

    @property
    def called(self) -> Message:
        return say(
            "the orders of {seat} for turn {turn}, saved as version {revision}",
            seat=self.seat,
            turn=self.turn,
            revision=self.revision,
        )


def findings(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield the sheets that were sent in advance of which something else was used than comes of
    them, and those that the last report opens otherwise than they were confirmed."""
    yield from _opened(papers)
    if played.game.advance is None:
        return
    kept = {(one.seat, one.turn, one.revision): one for one in _kept(papers)}
    for ply in played.plies:
        for order in ply.entry.orders:
            one = kept.get((Seat(order.seat), ply.entry.turn, order.revision))
            if one is not None and not order.by:
                yield from _used(played, log, ply, order, one)
    for paper, seat, sheets in _own(papers):
        for sheet in sheets:
            if sheet.kept:
                one = SavedSheet(paper, seat, sheet.turn, sheet.revision, sheet.lines)
                yield from _became(played, log, papers, one, sheet.became, sheets)


def _kept(papers: Sequence[Document]) -> Iterator[SavedSheet]:
    """Yield the sheets for later turns of which confirmations and last reports have the lines."""
    for paper, seat, sheets in _own(papers):
        yield from (
            SavedSheet(paper, seat, one.turn, one.revision, one.lines) for one in sheets if one.kept
        )
    for paper, told in read_values(papers):
        for one in within(told):
            if isinstance(one, Receipt) and one.kept and one.proof is not None:
                seat, turn, revision = Seat(one.seat or ""), one.turn or 0, one.revision or 0
                yield SavedSheet(paper, seat, turn, revision, tuple(one.orders))


def _own(papers: Sequence[Document]) -> Iterator[tuple[Document, Seat, Sequence[OwnSheet]]]:
    """Yield what last reports open to their readers alone."""
    for paper in papers:
        if paper.report is not None and paper.report.own is not None:
            yield paper, Seat(paper.report.seat), paper.report.own.sheets


def _opened(papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Compare the orders that a last report opens with the digests that their confirmations
    told."""
    told = [(paper, receipt) for paper in papers for receipt in (*paper.receipts, *paper.kept)]
    for paper, seat, sheets in _own(papers):
        for sheet in sheets:
            key = (seat, sheet.turn, sheet.revision, sheet.kept)
            for other, one in told:
                if (one.seat, one.turn, one.revision, one.kept) == key and not (
                    one.withdraws or one.tells(sheet.lines)
                ):
                    what = say(
                        "the orders shown for {seat}, turn {turn}, version {revision}",
                        seat=one.seat,
                        turn=one.turn,
                        revision=one.revision,
                    )
                    yield contradicts(differ(what, other, paper))


def _outcomes(
    played: ReplayedMatch, log: ParsedLog, ply: PlyToJudge, kept: SavedSheet
) -> Iterator[tuple[str, ...]]:
    """Yield what comes of a sheet whose turn was adjudicated in a ply: judged right after the ply
    before; or earlier, if nothing was ordered in that, so that its orders were carried on."""
    game, written = played.game, number_lines(kept.lines)
    earlier = replace(played, plies=played.plies[: ply.entry.ply - 1])
    for possible in possible_plies(earlier, ply):
        before = possible.entry.ply - 1
        since = last_ordered_ply(log, kept.seat, before) + 1
        seen = (
            game.sight.witness(one.event, kept.seat)
            for one in played.events()
            if since <= one.ply < before or (one.ply == before and not one.number)
        )
        view = game.sight.observe(possible.since[0], kept.seat)
        offering = offers_after(log.entries[:before], (), ())
        others = [Seat(seat) for seat in offering if seat != kept.seat]
        known = [one for one in seen if one is not None]
        yield conditions.use(game, written, view, known, others).lines


def _used(
    played: ReplayedMatch,
    log: ParsedLog,
    ply: PlyToJudge,
    order: AdjudicatedSheet,
    kept: SavedSheet,
) -> Iterator[AuditFinding]:
    """Compare the orders that were used with what comes of their sheet."""
    possible = [*_outcomes(played, log, ply, kept)]
    if order.lines not in possible:
        yield contradicts(
            say(
                "{what}, must give: {known} ({paper}); the log has: {shown}",
                what=kept.called,
                paper=kept.paper.name,
                known=_shown(possible[0]),
                shown=_shown(order.lines),
            )
        )


def _became(
    played: ReplayedMatch,
    log: ParsedLog,
    papers: Sequence[Document],
    kept: SavedSheet,
    became: str,
    sheets: Sequence[OwnSheet],
) -> Iterator[AuditFinding]:
    """Judge what a last report says became of a sheet whose turn has come."""
    seat, turn, revision = kept.seat, kept.turn, kept.revision
    its = [one for one in played.plies if one.entry.turn == turn]
    coming = next((one for one in its if seat in played.game.rules.awaiting(one.since[0])), None)
    if coming is None:
        return
    used = [one for ply in its for one in ply.entry.orders if one.seat == seat]
    named: dict[str, Value] = {"what": kept.called, "paper": kept.paper.name}
    revisions = {one.revision for one in used if not one.by}
    later = {*revisions, *(one.revision for one in sheets if one.turn == turn)}
    if became == "used" and revision not in revisions:
        yield contradicts(say("{what}, were used, says {paper}; the log has others", **named))
    elif became == "replaced" and revision >= max(later):
        yield contradicts(say("{what}, were replaced, says {paper}, and by none", **named))
    elif became == "dropped" and all(given := [*_outcomes(played, log, coming, kept)]):
        told = say(
            "{what}, were not used, says {paper}; by the log they give: {known}",
            **named,
            known=_shown(given[0]),
        )
        yield contradicts(told)
    elif became in ("withdrawn", "unused") and any(_is_silent(one.entry, seat) for one in its):
        is_undone = any(map(taken_back, log.entries))
        if not is_undone and not _withdrew(papers, kept):
            told = say(
                "{what}, were withdrawn, says {paper}, and {seat} was treated as silent: did you "
                "withdraw them?",
                **named,
                seat=played.game.seat_titles[seat],
            )
            yield asks(told)


def _is_silent(entry: PlyText, seat: Seat) -> bool:
    """Return whether a seat was treated as silent in a ply."""
    left = entry.leave.seats if entry.cause == "forfeit" and entry.leave else ()
    return seat in left or any(one.seat == seat and one.by == BY_DEFAULT for one in entry.orders)


def _withdrew(papers: Sequence[Document], kept: SavedSheet) -> bool:
    """Return whether an answer tells that the player took a sheet back: before its turn came, or
    when its orders were in force."""
    if any(
        (one.seat, one.turn, one.revision) == (kept.seat, kept.turn, kept.revision)
        and one.withdraws
        for paper in papers
        for one in paper.receipts
    ):
        return True
    told = [
        message
        for _, value in read_values(papers)
        for one in within(value)
        if isinstance(one, Receipt) and one.seat == kept.seat
        for message in one.done
    ]
    alone, all_of_them = (
        conditions.message_for_withdrawn_turn(kept.turn),
        conditions.message_for_withdrawn_turns(""),
    )
    return any(one == alone or one.text == all_of_them.text for one in told)


def _shown(lines: Sequence[str]) -> Message | str:
    return ", ".join(lines) or say("no orders")
