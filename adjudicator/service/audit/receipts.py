"""Compare the receipts with each other and with the orders in the opened log."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core import chain
from adjudicator.core.acts import PlaysNow, Restored
from adjudicator.core.chain import AdjudicatedSheet, Opening, PlyText, Ruled
from adjudicator.core.message import Message, count, say, tell
from adjudicator.service.audit.claims import restores_in
from adjudicator.service.audit.papers import (
    SEED,
    Document,
    ReceiptPaper,
    Restore,
    all_promises,
    differ,
)

# The log that a last report opened, its heads, and what was promised before it.


class ParsedLog(Struct, frozen=True):
    """An opened log: the paper that opened it, what its first line says was agreed, its heads, and
    its entries from ply 1 on."""

    paper: Document
    opening: Opening
    lines: Sequence[str]
    heads: Sequence[str]
    entries: Sequence[PlyText]


def read_log_lines(
    match: str, papers: Sequence[Document]
) -> tuple[ParsedLog | None, list[Message]]:
    """Return the opened log, if there is one that can be read."""
    opened = [(paper, paper.log) for paper in papers if paper.log is not None]
    if not opened:
        return None, []
    paper, first = opened[0]
    wrong = [differ(say("the full log"), paper, other) for other, log in opened if log != first]
    try:
        opening = chain.read_opening(first.lines[0])
        told = [chain.read(line, opening.label) for line in first.lines[1:]]
        entries = [*chain.with_deadlines(opening, told)]
    except (ValueError, OverflowError):
        return None, [*wrong, say("{paper}: the full log cannot be read", paper=paper.name)]
    if [one.ply for one in entries] != list(range(1, len(entries) + 1)):
        wrong.append(say("{paper}: a ply is missing from the full log", paper=paper.name))
    heads = list(chain.heads(match, bytes.fromhex(first.key), first.lines))
    return ParsedLog(paper, opening, first.lines, heads, entries), wrong


def heads_of(papers: Sequence[Document], log: ParsedLog | None) -> Iterator[Message]:
    """Compare the heads of the same ply, and all of them with the opened log. A text may have the
    first digits of one."""
    first: dict[int, tuple[Document, str]] = {}
    for paper in papers:
        for ply, head in (paper.head, *paper.listed) if paper.head else paper.listed:
            told_by, told = first.setdefault(ply, (paper, head))
            if not (told.startswith(head) or head.startswith(told)):
                yield differ(say("the log fingerprint of ply {ply}", ply=ply), told_by, paper)
    if log is None:
        return
    for ply in sorted(first):
        paper, head = first[ply]
        if ply >= len(log.heads) or not log.heads[ply].startswith(head):
            what = say("the log up to ply {ply} does not match the fingerprint shown", ply=ply)
            yield differ(what, paper, log.paper)
            return


def promised_heads(papers: Sequence[Document], log: ParsedLog) -> Iterator[Message]:
    """Compare the commitments with the log's first line, which repeats the first of them."""
    told = {one.digest: paper for paper in papers for one in paper.promises}
    for what, _, digest in log.opening.commitments:
        if what == "seed" and digest not in told:
            for title, (paper, _) in all_promises(papers).items():
                if title == SEED:
                    yield differ(say("the proof of the seed"), paper, log.paper)


_IN_PARTS = frozenset({"spies"})  # games in which a seat may order several times in a turn (5.1)


def same_receipts(papers: Sequence[Document], log: ParsedLog | None) -> Iterator[Message]:
    """Compare the receipts that name the same sheet."""
    alike = _counted_anew(log) if log else frozenset()
    first: dict[tuple[str, int, int, bool], tuple[Document, str]] = {}
    for paper in papers:
        for told in paper.receipts:
            key = (told.seat, told.turn, told.revision, withdrew(told))
            told_by, before = first.setdefault(key, (paper, told.digest))
            if before != told.digest and (told.seat, told.turn) not in alike:
                yield differ(_receipt(told), told_by, paper)


def _receipt(told: ReceiptPaper) -> Message:
    return say(
        "the confirmation to {seat}, turn {turn}, version {revision}",
        seat=told.seat,
        turn=told.turn,
        revision=told.revision,
    )


def against_log(match: str, papers: Sequence[Document], log: ParsedLog) -> Iterator[Message]:
    """Compare the last receipt before each adjudication with the orders in the log."""
    told: dict[tuple[str, int], list[tuple[Document, ReceiptPaper]]] = {}
    for paper in papers:
        for one in paper.receipts:
            told.setdefault((one.seat, one.turn), []).append((paper, one))
    orders, alike = _orders(log), _counted_anew(log)
    for (seat, turn), receipts in told.items():
        given = orders.get((seat, turn), [])
        compared = _contradicting_any if (seat, turn) in alike else _contradicting
        wrong = {one: paper for paper, one in compared(match, log, given, receipts)}
        for one, paper in wrong.items():
            yield differ(_receipt(one), paper, log.paper)
        if not given and _played_on(log, seat, turn):
            paper, last = max(receipts, key=_rank)
            if not withdrew(last):
                yield differ(_receipt(last), paper, log.paper)


def of_undone(match: str, papers: Sequence[Document], log: ParsedLog) -> Iterator[Message]:
    """Compare receipts from before a restore with the orders in the log that have their revision:
    none is given twice, whatever was undone."""
    orders, alike = _orders(log), _counted_anew(log)
    for paper in papers:
        for one in paper.receipts:
            sent = [order for _, order in orders.get((one.seat, one.turn), [])]
            named = [order for order in sent if _is_of(order, one)]
            agrees = not named or any(_tells(match, order, one) for order in named)
            if not agrees and (one.seat, one.turn) not in alike:
                yield differ(_receipt(one), paper, log.paper)


def _contradicting(
    match: str,
    log: ParsedLog,
    given: Sequence[tuple[PlyText, AdjudicatedSheet]],
    receipts: Sequence[tuple[Document, ReceiptPaper]],
) -> Iterator[tuple[Document, ReceiptPaper]]:
    """Yield the receipts that the orders of their turn contradict.

    One that names the very revision of an order does so whatever came between: also where sheets
    had ended, no other sheet has got its number.
    """
    for _, order in given:
        for paper, one in receipts:
            if _is_of(order, one) and not _tells(match, order, one):
                yield paper, one
    for (entry, order), (paper, last) in _last_before(given, receipts):
        excused = _ended(log, entry, order) or _is_for_later(log, entry, order, last)
        if not excused and not _follows(match, order, last):
            yield paper, last


def _contradicting_any(
    match: str,
    log: ParsedLog,
    given: Sequence[tuple[PlyText, AdjudicatedSheet]],
    receipts: Sequence[tuple[Document, ReceiptPaper]],
) -> Iterator[tuple[Document, ReceiptPaper]]:
    """Yield the receipts that no order of a turn can mean in which revisions were counted anew.

    Behind one with the highest number none can have come, so its sheet was adjudicated.
    """
    if any(order.by or _ended(log, entry, order) for entry, order in given):
        return
    if any(withdrew(one) for _, one in receipts):
        return
    highest = max(order.revision for _, order in given)
    for paper, one in receipts:
        meant = any(_is_of(order, one) and _tells(match, order, one) for _, order in given)
        if one.revision >= highest and not meant:
            yield paper, one


def _is_of(order: AdjudicatedSheet, told: ReceiptPaper) -> bool:
    """Return whether a receipt names the revision of an order that somebody sent."""
    return not order.by and not withdrew(told) and order.revision == told.revision


def _tells(match: str, order: AdjudicatedSheet, told: ReceiptPaper) -> bool:
    return told.digest_of(order.lines) == told.digest


def _orders(log: ParsedLog) -> dict[tuple[str, int], list[tuple[PlyText, AdjudicatedSheet]]]:
    """Return the orders of each seat and turn; a turn may have several for a seat (Spies rule
    5.1)."""
    found: dict[tuple[str, int], list[tuple[PlyText, AdjudicatedSheet]]] = {}
    for entry in log.entries:
        for one in entry.orders:
            found.setdefault((one.seat, entry.turn), []).append((entry, one))
    return found


def _counted_anew(log: ParsedLog) -> frozenset[tuple[str, int]]:
    """Return the seats and turns whose revisions an older program counted anew for each
    adjudication.

    Nobody can say which of two sheets their receipts mean.
    """
    revisions = {key: [one.revision for _, one in orders] for key, orders in _orders(log).items()}
    return frozenset(key for key, told in revisions.items() if sorted({*told}) != told)


def _last_before(
    given: Sequence[tuple[PlyText, AdjudicatedSheet]],
    receipts: Sequence[tuple[Document, ReceiptPaper]],
) -> Iterator[tuple[tuple[PlyText, AdjudicatedSheet], tuple[Document, ReceiptPaper]]]:
    """Yield each order with the last receipt that was told before its adjudication."""
    after = 0
    for number, (entry, order) in enumerate(given, start=1):
        ends = number == len(given)
        mine = [
            one
            for one in receipts
            if after < one[1].revision and (ends or one[1].revision <= order.revision)
        ]
        if mine:
            yield (entry, order), max(mine, key=_rank)
        after = order.revision


def _rank(receipt: tuple[Document, ReceiptPaper]) -> tuple[int, bool]:
    """Sort receipts by when they were told: a sheet is withdrawn after it was accepted."""
    return receipt[1].revision, withdrew(receipt[1])


def _follows(match: str, order: AdjudicatedSheet, last: ReceiptPaper) -> bool:
    """Return whether the order can be what counted after that receipt.

    A later revision may have come that is not among the papers.
    """
    if not order.by and order.revision > last.revision:
        return True
    if withdrew(last):
        return bool(order.by)
    return _tells(match, order, last) and not order.by


def _ended(log: ParsedLog, entry: PlyText, order: AdjudicatedSheet) -> bool:
    """Return whether all that the seat had sent had ended before the order, as all were told: it
    left or got another holder in that turn, or the ply before was taken back."""
    earlier = log.entries[: entry.ply - 1]
    if any(order.seat in one.leave.seats for one in earlier if one.leave):
        return True
    before = [one.at for one in log.entries if one.turn < entry.turn]
    since = before[-1] if before else ""
    return any(
        (since <= ruled.at and _replaces(ruled, order.seat))
        or (ruled.action == "undo" and one.ply >= entry.ply - 1)
        for one in log.entries
        for ruled in one.rulings
        if ruled.at <= entry.at
    )


def _replaces(ruled: Ruled, seat: str) -> bool:
    """Return whether a ruling gave the seat to another holder."""
    if ruled.number:
        return any(isinstance(one, PlaysNow) and _is_of_seat(one, seat) for one in ruled.acts)
    return ruled.action == "replace" and f" now plays {seat}." in ruled.text.casefold()


def _is_of_seat(act: PlaysNow, seat: str) -> bool:
    return tell(act.seat).casefold() == seat


def _is_for_later(
    log: ParsedLog, entry: PlyText, order: AdjudicatedSheet, last: ReceiptPaper
) -> bool:
    """Return whether the match ended before a later part of the turn, for which the receipt may
    be."""
    end, setting = log.entries[-1], log.paper.setting or {}
    return (
        setting.get("game") in _IN_PARTS
        and last.revision > order.revision
        and end.turn == entry.turn
        and end.ply > entry.ply
        and end.cause != "orders"
    )


def withdrew(told: ReceiptPaper) -> bool:
    return told.digest_of(chain.WITHDRAWN) == told.digest


def _played_on(log: ParsedLog, seat: str, turn: int) -> bool:
    """Return whether the seat gave orders for a later turn, so it had some for this one, too."""
    return any(
        one.seat == seat and entry.turn > turn for entry in log.entries for one in entry.orders
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


# Part the papers of a match that a restore has undone from those that count.
#
# Theory of operation. After a restore a match is played on anew from an earlier ply; what was told
# of later ones before is contradicted by an honest club, too. The log has the restore among its
# rulings, and all players are told at once by email and in their next reports: which epoch ended
# with which ply, and which began. So a paper of an ended epoch that tells of a later ply, or of an
# epoch that the log does not know, is undone. It is compared with others of its epoch and not with
# those that count. Where the log is opened, a restore counts only if it stands there. Nobody but
# the players can say whether there was a reason for one; so it is always told.


class Divided(Struct, frozen=True):
    """The papers that count, and those that were undone, by epoch."""

    counting: Sequence[Document]
    undone: Mapping[str, Sequence[Document]]
    restores: Sequence[Restore]

    @property
    def all_undone(self) -> list[Document]:
        return [paper for papers in self.undone.values() for paper in papers]


def divided(papers: Sequence[Document]) -> Divided:
    """Part papers by the restores in the log that counts, or where none is opened by those that
    they tell of themselves."""
    logs = [[*_entries(paper.log.lines)] for paper in papers if paper.log is not None]
    told = [one for paper in papers for one in paper.restores]
    found = _parted(papers, [*told, *(one for log in logs for one in _logged(log))], logs)
    counting = [[*_entries(paper.log.lines)] for paper in found.counting if paper.log is not None]
    if not counting:
        return found
    log = max(counting, key=lambda entries: len([*_logged(entries)]))
    return _parted(papers, [*_logged(log)], [log])


def _parted(
    papers: Sequence[Document], restores: Sequence[Restore], logs: Sequence[Sequence[chain.PlyText]]
) -> Divided:
    limits = _limits([*dict.fromkeys(restores)])
    turns = {entry.ply: entry.turn for log in logs if [*_logged(log)] for entry in log}
    counting: list[Document] = []
    undone: dict[str, list[Document]] = {}
    for paper in papers:
        if _is_undone(paper, limits, turns):
            undone.setdefault(paper.epoch or "", []).append(paper)
        else:
            counting.append(paper)
    counting = _without_strays(counting, undone, limits)
    return Divided(counting, undone, [*dict.fromkeys(restores)])


def _entries(lines: Iterable[str]) -> Iterator[chain.PlyText]:
    first, *others = lines
    for line in others:
        try:
            yield chain.read(line, chain.label_of(first))
        except ValueError:
            return  # it is told elsewhere that the log cannot be read


def _logged(entries: Iterable[chain.PlyText]) -> Iterator[Restore]:
    for entry in entries:
        for ruled in entry.rulings:
            told = [act for act in ruled.acts if isinstance(act, Restored)]
            yield from (Restore(int(act.ply), act.ended, act.epoch) for act in told)
            if ruled.action == "restore" and not told:
                yield from restores_in(ruled.text)


def _limits(restores: Sequence[Restore]) -> Mapping[str, int | None]:
    """Return the last ply of each epoch that counts, None for one that has not ended. The first
    epoch is also the empty one, as which letters know it.

    Where an epoch has ended twice, a backup of it was restored twice, and what began the first time
    is undone.
    """
    limits: dict[str, int | None] = {}
    for one in restores:
        for other in restores[: restores.index(one)]:
            if other.ended == one.ended:
                limits[other.begun] = -1
        before = limits.get(one.ended)
        limits[one.ended] = one.ply if before is None else min(before, one.ply)
        limits[one.begun] = None
    begun = {one.begun for one in restores}
    first = [one.ply for one in restores if one.ended not in begun]
    return limits | ({"": min(first)} if first else {})


def _is_undone(paper: Document, limits: Mapping[str, int | None], turns: Mapping[int, int]) -> bool:
    if not limits or paper.epoch is None:
        return False
    limit = limits.get(paper.epoch, -1)
    if limit is None:
        return False
    if paper.listed:
        return paper.listed[-1][0] > limit
    if paper.head is not None or limit < 0:  # of an epoch that was undone whole
        return paper.head is None or paper.head[0] > limit
    awaited = turns.get(limit + 1)  # the turn that was ordered anew
    return awaited is not None and any(one.turn >= awaited for one in paper.receipts)


def _without_strays(
    counting: Sequence[Document],
    undone: dict[str, list[Document]],
    limits: Mapping[str, int | None],
) -> list[Document]:
    """Take papers that name no epoch for undone ones if they tell another head than those of a
    ply that was played anew."""
    last = min((ply for ply in limits.values() if ply is not None), default=None)
    heads = dict(paper.head for paper in counting if paper.head and paper.epoch is not None)
    kept = []
    for paper in counting:
        ply, head = paper.head or (0, "")
        if last is not None and paper.epoch is None and ply > last and heads.get(ply, head) != head:
            undone.setdefault("", []).append(paper)
        else:
            kept.append(paper)
    return kept


def unlogged_restores(found: Divided, logged: bool) -> Iterator[Message]:
    """Yield the restores of which papers tell that count and that are not in the opened log."""
    if not logged:
        return
    for paper in found.counting:
        for one in paper.restores:
            if one not in found.restores:
                yield say(
                    "{paper} says that the club was restored after ply {ply}, but the full log "
                    "does not",
                    paper=paper.name,
                    ply=one.ply,
                )


def summary_of_restores(found: Divided) -> Iterator[Message]:
    """Yield what is told of the restores of a club."""
    for one in found.restores:
        yield say(
            "the club was restored from a backup: after ply {ply} of epoch {ended} the match was "
            "played again, in epoch {begun}. All players were sent a notice; ask the others "
            "whether they got it",
            ply=one.ply,
            ended=one.ended,
            begun=one.begun,
        )
    if n := len(found.all_undone):
        yield count(
            "{n} document is from before the restore, from a part that it undid, and was not "
            "compared with the rest",
            "{n} documents are from before the restore, from a part that it undid, and were not "
            "compared with the rest",
            n,
        )
