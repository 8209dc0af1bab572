"""Compare the receipts with each other and with the orders in the opened log."""

from collections.abc import Iterator, Sequence

from adjudicator.core import chain
from adjudicator.core.chain import Entry, Given
from adjudicator.core.message import Message, say
from adjudicator.service.audit.opened_log import Log
from adjudicator.service.audit.papers import Paper, Told, differ

_IN_PARTS = frozenset({"spies"})  # games in which a seat may order several times in a turn (5.1)


def same_receipts(papers: Sequence[Paper], log: Log | None) -> Iterator[Message]:
    """Compare the receipts that name the same sheet."""
    alike = _counted_anew(log) if log else frozenset()
    first: dict[tuple[str, int, int, bool], tuple[Paper, str]] = {}
    for paper in papers:
        for told in paper.receipts:
            key = (told.seat, told.turn, told.revision, _withdrew(told))
            told_by, before = first.setdefault(key, (paper, told.digest))
            if before != told.digest and (told.seat, told.turn) not in alike:
                yield differ(_receipt(told), told_by, paper)


def _receipt(told: Told) -> Message:
    return say(
        "the receipt of {seat}, turn {turn}, revision {revision}",
        seat=told.seat,
        turn=told.turn,
        revision=told.revision,
    )


def against_log(match: str, papers: Sequence[Paper], log: Log) -> Iterator[Message]:
    """Compare the last receipt before each adjudication with the orders in the log."""
    told: dict[tuple[str, int], list[tuple[Paper, Told]]] = {}
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
            if not _withdrew(last):
                yield differ(_receipt(last), paper, log.paper)


def of_undone(match: str, papers: Sequence[Paper], log: Log) -> Iterator[Message]:
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
    log: Log,
    given: Sequence[tuple[Entry, Given]],
    receipts: Sequence[tuple[Paper, Told]],
) -> Iterator[tuple[Paper, Told]]:
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
    log: Log,
    given: Sequence[tuple[Entry, Given]],
    receipts: Sequence[tuple[Paper, Told]],
) -> Iterator[tuple[Paper, Told]]:
    """Yield the receipts that no order of a turn can mean in which revisions were counted anew.

    Behind one with the highest number none can have come, so its sheet was adjudicated.
    """
    if any(order.by or _ended(log, entry, order) for entry, order in given):
        return
    if any(_withdrew(one) for _, one in receipts):
        return
    highest = max(order.revision for _, order in given)
    for paper, one in receipts:
        meant = any(_is_of(order, one) and _tells(match, order, one) for _, order in given)
        if one.revision >= highest and not meant:
            yield paper, one


def _is_of(order: Given, told: Told) -> bool:
    """Return whether a receipt names the revision of an order that somebody sent."""
    return not order.by and not _withdrew(told) and order.revision == told.revision


def _tells(match: str, order: Given, told: Told) -> bool:
    digest = chain.sheet_digest(match, order.seat, told.turn, told.revision, order.lines)
    return digest == told.digest


def _orders(log: Log) -> dict[tuple[str, int], list[tuple[Entry, Given]]]:
    """Return the orders of each seat and turn; a turn may have several for a seat (Spies rule
    5.1)."""
    found: dict[tuple[str, int], list[tuple[Entry, Given]]] = {}
    for entry in log.entries:
        for one in entry.orders:
            found.setdefault((one.seat, entry.turn), []).append((entry, one))
    return found


def _counted_anew(log: Log) -> frozenset[tuple[str, int]]:
    """Return the seats and turns whose revisions an older program counted anew for each
    adjudication.

    Nobody can say which of two sheets their receipts mean.
    """
    revisions = {key: [one.revision for _, one in orders] for key, orders in _orders(log).items()}
    return frozenset(key for key, told in revisions.items() if sorted({*told}) != told)


def _last_before(
    given: Sequence[tuple[Entry, Given]], receipts: Sequence[tuple[Paper, Told]]
) -> Iterator[tuple[tuple[Entry, Given], tuple[Paper, Told]]]:
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


def _rank(receipt: tuple[Paper, Told]) -> tuple[int, bool]:
    """Sort receipts by when they were told: a sheet is withdrawn after it was accepted."""
    return receipt[1].revision, _withdrew(receipt[1])


def _follows(match: str, order: Given, last: Told) -> bool:
    """Return whether the order can be what counted after that receipt.

    A later revision may have come that is not among the papers.
    """
    if not order.by and order.revision > last.revision:
        return True
    if _withdrew(last):
        return bool(order.by)
    return _tells(match, order, last) and not order.by


def _ended(log: Log, entry: Entry, order: Given) -> bool:
    """Return whether all that the seat had sent had ended before the order, as all were told: it
    got another holder in that turn, or the ply before was taken back."""
    before = [one.at for one in log.entries if one.turn < entry.turn]
    since = before[-1] if before else ""
    named = f" plays {order.seat} now."
    return any(
        (ruled.action == "replace" and named in ruled.text.casefold() and since <= ruled.at)
        or (ruled.action == "undo" and one.ply >= entry.ply - 1)
        for one in log.entries
        for ruled in one.rulings
        if ruled.at <= entry.at
    )


def _is_for_later(log: Log, entry: Entry, order: Given, last: Told) -> bool:
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


def _withdrew(told: Told) -> bool:
    cleared = chain.sheet_digest(told.match, told.seat, told.turn, told.revision, chain.WITHDRAWN)
    return told.digest == cleared


def _played_on(log: Log, seat: str, turn: int) -> bool:
    """Return whether the seat gave orders for a later turn, so it had some for this one, too."""
    return any(
        one.seat == seat and entry.turn > turn for entry in log.entries for one in entry.orders
    )


def missing(papers: Sequence[Paper], log: Log) -> Iterator[Message]:
    """Name the reports and receipts that must exist and are not among the papers."""
    mine = {seat for paper in papers for seat in paper.seats}
    plies = {paper.head[0] for paper in papers if paper.head}
    receipts = {(one.seat, one.turn, one.revision) for paper in papers for one in paper.receipts}
    if len(mine) != 1:
        return
    for entry in log.entries:
        for one in entry.orders:
            if one.seat not in mine or one.by:
                continue
            if entry.ply - 1 not in plies:
                yield say(
                    "missing: the report of ply {ply}, unless a newer one was sent in its place",
                    ply=entry.ply - 1,
                )
            if (one.seat, entry.turn, one.revision) not in receipts:
                told = Told("", one.seat, entry.turn, one.revision, "")
                yield say("missing: {receipt}", receipt=_receipt(told))
