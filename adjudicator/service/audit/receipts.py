"""Compare a player's confirmations with each other and with the opened log: orders, resignations,
draws, forfeits.

Only he knows what he wrote. What his confirmations contradict is wrong; what no paper of his tells
is asked of him, for a club that made it up looks like a confirmation that was thrown away.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core import chain, conditions
from adjudicator.core.chain import AdjudicatedSheet, DeclaredWord, PlyText
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, say
from adjudicator.core.orders import number_lines, shown
from adjudicator.core.report import OwnSheet
from adjudicator.service.audit.log import (
    ParsedLog,
    PlyToJudge,
    ReplayedMatch,
    moment,
    offers_after,
    possible_plies,
    times_silent,
)
from adjudicator.service.audit.papers import (
    Document,
    ReceiptPaper,
    by_key,
    differ,
    message_for_orders,
    read_values,
    within,
)
from adjudicator.service.audit.verdicts import (
    AuditFinding,
    asks,
    by_rule,
    contradicts,
    leaves_open,
    remark,
)
from adjudicator.service.emails.paragraphs import Receipt

_Told = tuple[Document, ReceiptPaper]  # a confirmation, and where it stands
_Given = tuple[PlyText, AdjudicatedSheet]  # orders of a ply
_IN_PARTS = frozenset({"spies"})  # games in which a seat may order several times in a turn (5.1)


def compare_receipts(papers: Sequence[Document]) -> Iterator[Message]:
    """Compare the receipts that name the same sheet."""
    first: dict[tuple[str, int, int, bool], tuple[Document, str]] = {}
    for paper in papers:
        for told in paper.receipts:
            told_by, before = first.setdefault((*told.named, told.withdraws), (paper, told.digest))
            if before != told.digest:
                yield differ(_receipt(told), told_by, paper)


def _receipt(told: ReceiptPaper) -> Message:
    return say(
        "the confirmation to {seat}, turn {turn}, version {revision}",
        seat=told.seat,
        turn=told.turn,
        revision=told.revision,
    )


def compare_with_log(papers: Sequence[Document], log: ParsedLog) -> Iterator[Message]:
    """Compare the last receipt before each adjudication with the orders in the log."""
    told = by_key(
        ((one.seat, one.turn), (paper, one)) for paper in papers for one in paper.receipts
    )
    orders = _orders(log)
    for (seat, turn), receipts in told.items():
        given = orders.get((seat, turn), [])
        wrong = {one: paper for paper, one in _contradicting(log, given, receipts)}
        last_turn = max((t for one, t in orders if one == seat), default=0)
        paper, last = max(receipts, key=_rank)
        if not given and last_turn > turn and not last.withdraws:
            wrong[last] = paper  # it had orders for this turn, if it gave some for a later one
        for one, paper in wrong.items():
            yield differ(_receipt(one), paper, log.paper)


def compare_undone(papers: Sequence[Document], log: ParsedLog) -> Iterator[Message]:
    """Compare receipts from before a restore with the orders in the log that have their revision:
    none is given twice, whatever was undone."""
    orders = _orders(log)
    for paper in papers:
        for one in paper.receipts:
            given = orders.get((one.seat, one.turn), [])
            named = [order for _, order in given if _is_of(order, one)]
            if named and not any(one.tells(order.lines) for order in named):
                yield differ(_receipt(one), paper, log.paper)


def _orders(log: ParsedLog) -> dict[tuple[str, int], list[_Given]]:
    """Return the orders of each seat and turn; a turn may have several for a seat (Spies rule
    5.1)."""
    return by_key(
        ((one.seat, entry.turn), (entry, one)) for entry in log.entries for one in entry.orders
    )


def _contradicting(
    log: ParsedLog, given: Sequence[_Given], receipts: Sequence[_Told]
) -> Iterator[_Told]:
    """Yield the receipts that the orders of their turn contradict.

    One that names the very revision of an order does so whatever came between: also where sheets
    had ended, no other sheet has got its number. Else the last one before an order must be of what
    counted then.
    """
    after = 0
    for number, (entry, order) in enumerate(given, start=1):
        named = [one for one in receipts if _is_of(order, one[1])]
        yield from (one for one in named if not one[1].tells(order.lines))
        is_last = number == len(given)
        before = [
            one
            for one in receipts
            if after < one[1].revision and (is_last or one[1].revision <= order.revision)
        ]
        after = max(after, order.revision)
        if before:
            paper, last = max(before, key=_rank)
            excused = _has_ended(log, entry, order.seat, paper) or _is_for_later(
                log, entry, order, last
            )
            if not excused and not _follows(order, last):
                yield paper, last


def _is_of(order: AdjudicatedSheet, told: ReceiptPaper) -> bool:
    """Return whether a receipt names the revision of an order that somebody sent."""
    return not order.by and not told.withdraws and order.revision == told.revision


def _rank(receipt: _Told) -> tuple[int, bool]:
    """Sort receipts by when they were told: a sheet is withdrawn after it was accepted."""
    return receipt[1].revision, receipt[1].withdraws


def _follows(order: AdjudicatedSheet, last: ReceiptPaper) -> bool:
    """Return whether the order can be what counted after that receipt.

    A later revision may have come that is not among the papers.
    """
    if order.by:
        return last.withdraws
    return order.revision > last.revision or (not last.withdraws and last.tells(order.lines))


def _has_ended(log: ParsedLog, entry: PlyText, seat: str, paper: Document) -> bool:
    """Return whether what the seat had sent by then had ended before a ply, as all were told: it
    left or got another holder in that turn, or the ply before was taken back. Where the ply itself
    was taken back, the orders for it were current again."""
    if any(seat in one.leave.seats for one in log.entries[: entry.ply - 1] if one.leave):
        return True
    turn = max((one.at for one in log.entries if one.turn < entry.turn), default="")
    sent = _time_of(paper)
    since = max(turn, sent)
    in_parts = log.opening.game in _IN_PARTS  # then it may be for a later ply of that turn
    undone = (one for one in log.entries if one.ply == entry.ply - 1 or in_parts)
    return any(_changes_hands(one, seat, since, entry.at) for one in log.entries) or any(
        one.ply >= entry.ply - 1 and _takes_back(one, sent, entry.at) for one in undone
    )


def _changes_hands(entry: PlyText, seat: str, since: str, until: str) -> bool:
    return any(one.seat == seat and since <= one.at <= until for one in entry.holders)


def _takes_back(entry: PlyText, since: str, until: str) -> bool:
    return any(one.action == "undo" and since <= one.at <= until for one in entry.rulings)


def _time_of(paper: Document) -> str:
    """Return when a paper was made, empty if it does not say: it then may be from any time."""
    return paper.made[1] if paper.made else ""


def _is_for_later(
    log: ParsedLog, entry: PlyText, order: AdjudicatedSheet, last: ReceiptPaper
) -> bool:
    """Return whether the match ended before a later part of the turn, for which the receipt may
    be."""
    end = log.entries[-1]
    return (
        log.opening.game in _IN_PARTS
        and last.revision > order.revision
        and end.turn == entry.turn
        and end.ply > entry.ply
        and end.cause != "orders"
    )


def missing(papers: Sequence[Document], log: ParsedLog) -> Iterator[Message]:
    """Name the reports that must exist and are not among the papers."""
    mine = {seat for paper in papers for seat in paper.seats}
    plies = {paper.head[0] for paper in papers if paper.head}
    if len(mine) != 1:
        return
    lacking = [
        entry.ply - 1
        for entry in log.entries
        if entry.ply - 1 not in plies
        and any(one.seat in mine and not one.by for one in entry.orders)
    ]
    if len(lacking) == 1:
        yield say(
            "missing: the report of ply {ply}, unless a newer one was sent in its place",
            ply=lacking[0],
        )
    elif lacking:
        yield say(
            "missing: the reports of plies {plies}, unless newer ones were sent in their place",
            plies=", ".join(map(str, lacking)),
        )


# Explain each input of a player by his own papers.


@by_rule("O2")
def explain(played: ReplayedMatch, papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Yield what in the log of a player's seats his papers contradict, or do not tell."""
    for seat in sorted({seat for paper in papers for seat in paper.seats}):
        if seat in played.setting.seats:
            yield from _of_seat(_Mine(seat, papers, played.log, played.title(seat)))


class _Mine:
    """What a player's papers say of his seat."""

    def __init__(
        self, seat: str, papers: Sequence[Document], log: ParsedLog, title: Message
    ) -> None:
        self.seat, self.log, self.title = seat, log, title
        mine = [paper for paper in papers if seat in paper.seats or not paper.seats]
        self.receipts = [
            (paper, one) for paper in mine for one in paper.receipts if one.seat == seat
        ]
        self.said = [(paper, one) for paper in mine for one in paper.said if one.said.seat == seat]
        self.kept = {(one.turn, one.revision) for paper in mine for one in paper.kept}
        self._plies = {(paper.head[0], paper.tenure) for paper in mine if paper.head}

    def confirmations(self, turn: int) -> list[_Told]:
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
        handed_over = any(self._is_given_away(one) for one in same_turn)
        return bool(self.confirmations(entry.turn)) and not handed_over

    def _tenure(self, entry: PlyText) -> tuple[int, int]:
        """Return the first and the last ply of the holder who had the seat at a ply."""
        given = [one.ply for one in self.log.entries if self._is_given_away(one)]
        first = max((ply for ply in given if ply <= entry.ply), default=1)
        last = min((ply for ply in given if ply > entry.ply), default=len(self.log.entries) + 1)
        return first, last - 1

    def _is_given_away(self, entry: PlyText) -> bool:
        """Return whether the seat got another holder before a ply."""
        return any(one.seat == self.seat for one in entry.holders)


def _of_seat(mine: _Mine) -> Iterator[AuditFinding]:
    log, unknown = mine.log, 0
    for entry in log.entries:
        if log.holders_at(entry.ply).get(mine.seat) not in (chain.PERSON, ""):
            continue
        for one in entry.orders:
            if one.seat == mine.seat and not one.by:
                if mine.knows(entry):
                    yield from _ordered(entry, one, mine)
                else:
                    unknown += 1
        # What was said before the seat changed hands is another's, and ended with that.
        taken_over = max((one.at for one in entry.holders if one.seat == mine.seat), default="")
        for word in entry.said:
            if word.seat == mine.seat and word.at >= taken_over and mine.knows(entry):
                yield from _said(entry, word, mine)
        yield from _unused_words(entry, mine)
        if entry.cause == "forfeit" and entry.leave and mine.seat in entry.leave.seats:
            yield from _forfeited(entry, mine)
    if unknown:
        yield leaves_open(
            "the orders of {seat} in {n} plies: there are no confirmations of that time among your "
            "files",
            seat=mine.title,
            n=unknown,
        )


def _ordered(entry: PlyText, one: AdjudicatedSheet, mine: _Mine) -> Iterator[AuditFinding]:
    """Ask about orders that were used without a confirmation among the papers."""
    confirmed = [told for _, told in mine.confirmations(entry.turn)]
    # An undo may have given confirmed orders another number.
    is_told = any(told.revision == one.revision or told.tells(one.lines) for told in confirmed)
    if not is_told and (entry.turn, one.revision) not in mine.kept:
        yield asks(
            "version {revision} of the orders of {seat} for turn {turn} was used, and you have no "
            "confirmation of it: did you send it?",
            revision=one.revision,
            seat=mine.title,
            turn=entry.turn,
        )


def _said(entry: PlyText, word: DeclaredWord, mine: _Mine) -> Iterator[AuditFinding]:
    """Ask for a RESIGN, a DRAW or a CLEAR that took effect and of which there is no
    confirmation."""
    if not any(told.confirms(word) for _, told in mine.said):
        yield asks(
            "{word} of {seat} took effect in turn {turn}, and you have no confirmation of it: did "
            "you send it on {at}?",
            word=shown(word.word),
            seat=mine.title,
            turn=entry.turn,
            at=moment(word.at),
        )


def _unused_words(entry: PlyText, mine: _Mine) -> Iterator[AuditFinding]:
    """Find an agreement that a confirmed CLEAR had withdrawn."""
    if entry.cause != "agreement":
        return
    logged = (one for each in mine.log.entries[: entry.ply] for one in each.said)
    drawn = max((o.at for o in logged if (o.seat, o.word) == (mine.seat, "DRAW")), default="")
    for paper, one in ((paper, told.said) for paper, told in mine.said):
        if one.word == "CLEAR" and drawn < one.at <= entry.at:
            what = say(
                "the draw of turn {turn}: {seat} had withdrawn its offer",
                turn=entry.turn,
                seat=mine.title,
            )
            yield contradicts(differ(what, paper, mine.log.paper))


def _forfeited(entry: PlyText, mine: _Mine) -> Iterator[AuditFinding]:
    ruled = [one for one in entry.rulings if one.action == "forfeit"]
    for one in ruled:
        yield remark(
            "{seat} lost by forfeit in turn {turn}, as the game master decided on {at}: {text}",
            seat=mine.title,
            turn=entry.turn,
            at=moment(one.at),
            text=shown(one.text, 200),
        )
    if not ruled and mine.knows(entry):
        yield from _forfeited_though_confirmed(entry, mine)


def _forfeited_though_confirmed(entry: PlyText, mine: _Mine) -> Iterator[AuditFinding]:
    """Compare a forfeit for silence with confirmed orders for its turn."""
    between = [one for one in mine.log.entries[: entry.ply - 1] if one.turn == entry.turn]
    orders = (order for one in between for order in one.orders if order.seat == mine.seat)
    used = max((order.revision for order in orders), default=0)
    later = [one for one in mine.confirmations(entry.turn) if one[1].revision > used]
    paper, last = max(later, key=_rank, default=(None, None))
    if paper is None or last is None or last.withdraws:
        return
    what = say(
        "{seat} lost by forfeit in turn {turn} as if it had sent nothing, and version {revision} "
        "of its orders was confirmed",
        seat=mine.title,
        turn=entry.turn,
        revision=last.revision,
    )
    # A player who left in that turn, a new holder or an undo may have ended those orders.
    sent = _time_of(paper)
    ended = any(one.cause != "orders" for one in between) or any(
        _changes_hands(one, mine.seat, sent, entry.at) or _takes_back(one, sent, entry.at)
        for one in (*between, entry)
    )
    told = differ(what, paper, mine.log.paper)
    yield asks(told) if ended else contradicts(told)


# Orders that a seat sent in advance are judged again (`core/conditions.py`).
#
# Theory of operation. No log has a sheet that was sent in advance, only the orders that it gave,
# with its turn and its revision, which name it: no other sheet of the seat has both. Its lines are
# in the confirmation, and the last report opens them to the player who sent them, and to nobody
# else. So each player's audit does what the club did when the turn had come, with the same
# function: it judges the sheet on the seat's view and on what the seat had seen since its own last
# orders, as they follow from the log. What was used must be what comes of that, and a sheet of
# which orders come must have been used.


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
def compare_saved_sheets(
    played: ReplayedMatch, papers: Sequence[Document]
) -> Iterator[AuditFinding]:
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
    kept = {one.named: one for one in (*(saved for saved, _ in ahead), *_confirmed_sheets(papers))}
    for ply in played.plies:
        for order in ply.entry.orders:
            saved = kept.get((Seat(order.seat), ply.entry.turn, order.revision))
            if saved is not None and not order.by:
                yield from _used(played, papers, ply, order, saved)
    for saved, one in ahead:
        others = [other.revision for other, _ in opened if other.is_beside(saved)]
        yield from _became(played, papers, saved, one.became, max(others))


def _confirmed_sheets(papers: Sequence[Document]) -> Iterator[SavedSheet]:
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
    played: ReplayedMatch,
    papers: Sequence[Document],
    ply: PlyToJudge,
    order: AdjudicatedSheet,
    kept: SavedSheet,
) -> Iterator[AuditFinding]:
    """Compare the orders that were used with what comes of their sheet, which must not have been
    taken back after it was confirmed."""
    dated = [paper for paper in papers if paper.made]
    its = (paper for paper in dated if any(one.named == kept.named for one in paper.kept))
    confirmed = min((paper.made[1] for paper in its if paper.made), default="~")
    if any(confirmed < at < ply.entry.at for at in _withdrawals(papers, kept)):
        yield contradicts("{what}, were used, and you had withdrawn them", what=kept.called)
    possible = [*_outcomes(played, ply, kept)]
    if order.lines not in possible:
        yield contradicts(
            "{what}, must give: {known} ({paper}); the log has: {shown}",
            what=kept.called,
            paper=kept.paper.name,
            known=_as_text(possible[0]),
            shown=_as_text(order.lines),
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
            known=_as_text(given[0]),
        )
    elif became in ("withdrawn", "unused") and not played.log.has_undo:
        is_silent = any([*times_silent(one.entry, seat)] for one in its)
        if min(revisions, default=revision) < revision:
            yield contradicts("{what}, were withdrawn, says {paper}; older ones were used", **named)
        elif is_silent and not [*_withdrawals(papers, kept)]:
            yield asks(
                "{what}, were withdrawn, says {paper}, and {seat} was treated as silent: did you "
                "withdraw them?",
                **named,
                seat=played.title(seat),
            )


def _withdrawals(papers: Sequence[Document], kept: SavedSheet) -> Iterator[str]:
    """Yield when answers were made that tell that the player took a sheet back: before its turn
    came, or when its orders were in force."""
    for paper in papers:
        if any(one.withdraws and one.named == kept.named for one in paper.receipts):
            yield paper.made[1] if paper.made else ""
    alone = conditions.message_for_withdrawn_turn(kept.turn)
    all_of_them = conditions.message_for_withdrawn_turns("").text
    for _, value in read_values(papers):
        told = (one for one in within(value, Receipt) if one.seat == kept.seat)
        done = [message for one in told for message in one.done]
        if any(one == alone or one.text == all_of_them for one in done):
            yield value.at


def _as_text(lines: Sequence[str]) -> Message | str:
    return ", ".join(lines) or say("no orders")
