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
from adjudicator.core.chain import AdjudicatedSheet
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, say
from adjudicator.core.orders import number_lines
from adjudicator.core.report import OwnSheet
from adjudicator.service.audit.log import (
    PlyToJudge,
    ReplayedMatch,
    offers_after,
    possible_plies,
    times_silent,
)
from adjudicator.service.audit.papers import (
    Document,
    differ,
    message_for_orders,
    read_values,
    within,
)
from adjudicator.service.audit.verdicts import AuditFinding, asks, by_rule, contradicts
from adjudicator.service.emails.paragraphs import Receipt


class SavedSheet(Struct, frozen=True):
    """A sheet for a later turn, as a paper has it."""

    paper: Document
    seat: Seat
    turn: int
    revision: int
    lines: tuple[str, ...]

    @property
    def named(self) -> tuple[Seat, int, int]:
        return self.seat, self.turn, self.revision

    def is_beside(self, other: "SavedSheet") -> bool:
        """Return whether one last report opens both, for the same turn."""
        return self.paper is other.paper and (self.seat, self.turn) == other.named[:2]

    @property
    def called(self) -> Message:
        return say(
            "the orders of {seat} for turn {turn}, saved as version {revision}",
            seat=self.seat,
            turn=self.turn,
            revision=self.revision,
        )


@by_rule("O3")
def findings(played: ReplayedMatch, papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Yield the sheets that were sent in advance of which something else was used than comes of
    them, and those that the last report opens otherwise than they were confirmed."""
    opened = [
        (SavedSheet(paper, Seat(paper.report.seat), one.turn, one.revision, one.lines), one)
        for paper in papers
        if paper.report and paper.report.own
        for one in paper.report.own.sheets
    ]
    yield from _opened(papers, opened)
    if played.game.advance is None:
        return
    ahead = [(saved, one) for saved, one in opened if one.kept]
    kept = {one.named: one for one in (*(saved for saved, _ in ahead), *_confirmed(papers))}
    for ply in played.plies:
        for order in ply.entry.orders:
            saved = kept.get((Seat(order.seat), ply.entry.turn, order.revision))
            if saved is not None and not order.by:
                yield from _used(played, ply, order, saved)
    for saved, one in ahead:
        others = [other.revision for other, _ in opened if other.is_beside(saved)]
        yield from _became(played, papers, saved, one.became, max(others))


def _confirmed(papers: Sequence[Document]) -> Iterator[SavedSheet]:
    """Yield the sheets for later turns of which confirmations have the lines."""
    for paper, told in read_values(papers):
        for one in within(told, Receipt):
            if one.kept and one.proof is not None:
                seat, turn, revision = Seat(one.seat or ""), one.turn or 0, one.revision or 0
                yield SavedSheet(paper, seat, turn, revision, tuple(one.orders))


def _opened(
    papers: Sequence[Document], opened: Sequence[tuple[SavedSheet, OwnSheet]]
) -> Iterator[AuditFinding]:
    """Compare the orders that a last report opens with the digests that their confirmations
    told."""
    told = [(paper, receipt) for paper in papers for receipt in (*paper.receipts, *paper.kept)]
    for saved, sheet in opened:
        for other, one in told:
            is_its = one.named == saved.named and one.kept == sheet.kept
            if is_its and not (one.withdraws or one.tells(sheet.lines)):
                what = message_for_orders(*one.named)
                yield contradicts(differ(what, other, saved.paper))


def _outcomes(
    played: ReplayedMatch, ply: PlyToJudge, kept: SavedSheet
) -> Iterator[tuple[str, ...]]:
    """Yield what comes of a sheet whose turn was adjudicated in a ply: judged right after the ply
    before; or earlier, if nothing was ordered in that, so that its orders were carried on."""
    game, written = played.game, number_lines(kept.lines)
    earlier = replace(played, plies=played.plies[: ply.entry.ply - 1])
    for possible in possible_plies(earlier, ply):
        before = possible.entry.ply - 1
        since = played.log.last_ordered_ply(kept.seat, before) + 1
        happened = (
            one.event
            for one in played.events()
            if since <= one.ply < before or (one.ply == before and not one.number)
        )
        view = game.sight.observe(possible.since[0], kept.seat)
        offering = offers_after(played.log.entries[:before], (), ())
        others = [Seat(seat) for seat in offering if seat != kept.seat]
        seen = played.sights(kept.seat, happened)
        yield conditions.use(game, written, view, seen, others).lines


def _used(
    played: ReplayedMatch, ply: PlyToJudge, order: AdjudicatedSheet, kept: SavedSheet
) -> Iterator[AuditFinding]:
    """Compare the orders that were used with what comes of their sheet."""
    possible = [*_outcomes(played, ply, kept)]
    if order.lines not in possible:
        yield contradicts(
            "{what}, must give: {known} ({paper}); the log has: {shown}",
            what=kept.called,
            paper=kept.paper.name,
            known=_shown(possible[0]),
            shown=_shown(order.lines),
        )


def _became(
    played: ReplayedMatch, papers: Sequence[Document], kept: SavedSheet, became: str, newest: int
) -> Iterator[AuditFinding]:
    """Judge what a last report says became of a sheet whose turn has come; `newest` is the highest
    revision for that turn that it opens."""
    seat, turn, revision = kept.named
    its = [one for one in played.plies if one.entry.turn == turn]
    coming = next((one for one in its if seat in played.game.rules.awaiting(one.since[0])), None)
    if coming is None:
        return
    used = [one for ply in its for one in ply.entry.orders if one.seat == seat]
    named: dict[str, Value] = {"what": kept.called, "paper": kept.paper.name}
    revisions = {one.revision for one in used if not one.by}
    if became == "used" and revision not in revisions:
        yield contradicts("{what}, were used, says {paper}; the log has others", **named)
    elif became == "replaced" and revision >= max([newest, *revisions]):
        yield contradicts("{what}, were replaced, says {paper}, and by none", **named)
    elif became == "dropped" and all(given := [*_outcomes(played, coming, kept)]):
        yield contradicts(
            "{what}, were not used, says {paper}; by the log they give: {known}",
            **named,
            known=_shown(given[0]),
        )
    elif became in ("withdrawn", "unused"):
        is_silent = any([*times_silent(one.entry, seat)] for one in its)
        if is_silent and not played.log.has_undo and not _withdrew(papers, kept):
            yield asks(
                "{what}, were withdrawn, says {paper}, and {seat} was treated as silent: did you "
                "withdraw them?",
                **named,
                seat=played.title(seat),
            )


def _withdrew(papers: Sequence[Document], kept: SavedSheet) -> bool:
    """Return whether an answer tells that the player took a sheet back: before its turn came, or
    when its orders were in force."""
    receipts = (one for paper in papers for one in paper.receipts if one.withdraws)
    if any(one.named == kept.named for one in receipts):
        return True
    told = [
        message
        for _, value in read_values(papers)
        for one in within(value, Receipt)
        if one.seat == kept.seat
        for message in one.done
    ]
    alone = conditions.message_for_withdrawn_turn(kept.turn)
    all_of_them = conditions.message_for_withdrawn_turns("").text
    return any(one == alone or one.text == all_of_them for one in told)


def _shown(lines: Sequence[str]) -> Message | str:
    return ", ".join(lines) or say("no orders")
