"""Compare the receipts with each other and with the orders in the opened log."""

from collections.abc import Iterator, Sequence

from adjudicator.core import chain
from adjudicator.core.message import Message, say
from adjudicator.service.audit.opened_log import Log
from adjudicator.service.audit.papers import Paper, Told, differ


def same_receipts(papers: Sequence[Paper]) -> Iterator[Message]:
    first: dict[tuple[str, int, int, bool], tuple[Paper, str]] = {}
    for paper in papers:
        for told in paper.receipts:
            digest = chain.sheet_digest(
                told.match, told.seat, told.turn, told.revision, chain.WITHDRAWN
            )
            key = (told.seat, told.turn, told.revision, told.digest == digest)
            told_by, before = first.setdefault(key, (paper, told.digest))
            if before != told.digest:
                yield differ(_receipt(told), told_by, paper)


def _receipt(told: Told) -> Message:
    return say(
        "the receipt of {seat}, turn {turn}, revision {revision}",
        seat=told.seat,
        turn=told.turn,
        revision=told.revision,
    )


def against_log(match: str, papers: Sequence[Paper], log: Log) -> Iterator[Message]:
    """Compare the last receipt of each turn with the orders in the log."""
    last: dict[tuple[str, int], tuple[Paper, Told]] = {}
    for paper in papers:
        for told in paper.receipts:
            before = last.get((told.seat, told.turn))
            if before is None or told.revision > before[1].revision or _withdrew(told):
                last[told.seat, told.turn] = (paper, told)
    adjudicated = {(one.seat, entry.turn): one for entry in log.entries for one in entry.orders}
    for (seat, turn), (paper, told) in last.items():
        order = adjudicated.get((seat, turn))
        if _withdrew(told):
            if order is not None and not order.by and order.revision <= told.revision:
                yield differ(_receipt(told), paper, log.paper)
        elif order is None:
            if _played_on(log, seat, turn):
                yield differ(_receipt(told), paper, log.paper)
        elif order.by or order.revision <= told.revision:
            mine = chain.sheet_digest(match, seat, turn, told.revision, order.lines)
            if mine != told.digest or order.by:
                yield differ(_receipt(told), paper, log.paper)


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
