"""The log of each match: plies with their events, snapshots and reports, each inserted as a whole.

Events are never changed. What happens between two plies is added to the events of the first.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict

from adjudicator.core.email_kinds import names_of
from adjudicator.store import matches, rows
from adjudicator.store.daily import is_tried
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
from adjudicator.store.outbox import TOLD_BY_NEWER, release_receipts
from adjudicator.store.tables import charge, commitment, event, outbox, report, turn


class Ply(Struct, frozen=True, kw_only=True):
    """One adjudication. `snapshot` is the JSON of the state after it.

    `line` and `head` are those of the log's chain; None if the match has none. `added` counts the
    events that were added since.
    """

    ply: int
    turn: int
    cause: str
    adjudicated_at: datetime
    snapshot: str
    line: str | None = None
    head: str | None = None
    added: int = 0

    def __repr__(self) -> str:
        return f"Ply({self.ply})"  # never what happened


class StoredReport(Struct, frozen=True, kw_only=True):
    ply: int
    seat: str
    turn: int
    tenure: int
    body: str
    shown_at: datetime | None = None


class Commitment(Struct, frozen=True, kw_only=True):
    """A secret that was committed to: `text` is the secret, `salt` goes into the hash with it."""

    what: str
    seat: str
    ply: int
    text: str
    salt: str

    def __repr__(self) -> str:
        return f"Commitment({self.what!r}, {self.seat!r}, ply={self.ply})"  # and no more


_TURN, _EVENTS, _REPORTS = sa.insert(turn), sa.insert(event), sa.insert(report)
_PLY = sa.select(
    turn.c.ply,
    turn.c.turn,
    turn.c.cause,
    turn.c.adjudicated_at,
    turn.c.snapshot,
    turn.c.head,
    turn.c.added,
)
_WITH_LINE = _PLY.add_columns(turn.c.line)


def append(tx: Tx, match_id: int, ply: Ply, events: Sequence[str]) -> None:
    """Insert a ply; its primary key makes a second time impossible."""
    row = {"match_id": match_id, **asdict(ply)}
    tx.execute(_TURN, row)
    _put_events(tx, match_id, ply.ply, events, since=0)


def link(tx: Tx, match_id: int, ply: int, line: str | None, head: str | None) -> None:
    """Give a ply its line and head in the chain of the log."""
    chosen = sa.and_(turn.c.match_id == match_id, turn.c.ply == ply)
    tx.execute(sa.update(turn).where(chosen).values(line=line, head=head))


def extend(tx: Tx, match_id: int, ply: int, events: Sequence[str], snapshot: str) -> None:
    """Add events to those of the last ply. `snapshot` is the JSON of the state after them."""
    last = sa.select(sa.func.coalesce(sa.func.max(event.c.seq), 0)).where(
        event.c.match_id == match_id, event.c.ply == ply
    )
    _put_events(tx, match_id, ply, events, since=tx.execute(last).scalar_one())
    chosen = sa.and_(turn.c.match_id == match_id, turn.c.ply == ply)
    values = {"snapshot": snapshot, "added": turn.c.added + len(events)}
    tx.execute(sa.update(turn).where(chosen).values(values))
    matches.count_change(tx, match_id)


def _put_events(tx: Tx, match_id: int, ply: int, events: Sequence[str], *, since: int) -> None:
    rows = [
        {"match_id": match_id, "ply": ply, "seq": seq, "body": body}
        for seq, body in enumerate(events, start=since + 1)
    ]
    if rows:
        tx.execute(_EVENTS, rows)


def put_reports(tx: Tx, match_id: int, reports: Iterable[StoredReport]) -> None:
    """Insert the reports of a ply; call it in the transaction that inserts the ply."""
    rows = [{"match_id": match_id, **asdict(entry)} for entry in reports]
    tx.execute(_REPORTS, rows)


def put_report_anew(tx: Tx, match_id: int, ply: int, seat: str, body: str) -> None:
    """Change the text of a ply's report, for a new reader; whose news it told stays noted."""
    chosen = sa.and_(report.c.match_id == match_id, report.c.ply == ply, report.c.seat == seat)
    tx.execute(sa.update(report).where(chosen).values(body=body))
    matches.count_change(tx, match_id)


_ONE = _PLY.where(turn.c.match_id == sa.bindparam("of_match"), turn.c.ply == sa.bindparam("of_ply"))


def one(tx: Tx, match_id: int, ply: int) -> Ply:
    """Return one ply, which must exist."""
    return Ply(**tx.execute(_ONE, {"of_match": match_id, "of_ply": ply}).mappings().one())


def last_ply_before_turn(tx: Tx, match_id: int, number: int) -> int | None:
    """Return the last ply after which the turn of that number, or an earlier one, was to be
    ordered; None if there is none."""
    wanted = sa.select(sa.func.max(turn.c.ply)).where(
        turn.c.match_id == match_id, turn.c.turn <= number
    )
    found: int | None = tx.execute(wanted).scalar()
    return found


def plies(tx: Tx, match_id: int) -> list[Ply]:
    wanted = _WITH_LINE.where(turn.c.match_id == match_id).order_by(turn.c.ply)
    return [Ply(**row) for row in tx.execute(wanted).mappings()]


def first_line(tx: Tx, match_id: int) -> str | None:
    """Return the line of the opening in the log's chain."""
    wanted = sa.select(turn.c.line).where(turn.c.match_id == match_id, turn.c.ply == 0)
    return tx.execute(wanted).scalar()


def lines(tx: Tx, match_id: int) -> list[str | None]:
    """Return the lines of the log's chain, the opening's first."""
    wanted = sa.select(turn.c.line).where(turn.c.match_id == match_id).order_by(turn.c.ply)
    return list(tx.execute(wanted).scalars())


_EVENTS_SINCE = (
    sa.select(event.c.ply, event.c.body)
    .where(event.c.match_id == sa.bindparam("of_match"), event.c.ply >= sa.bindparam("since"))
    .order_by(event.c.ply, event.c.seq)
)


def events_since(tx: Tx, match_id: int, ply: int) -> list[tuple[int, str]]:
    """Return (ply, JSON) of the events of that ply and all later ones, in order."""
    rows = tx.execute(_EVENTS_SINCE, {"of_match": match_id, "since": ply})
    return [(row.ply, row.body) for row in rows]


def logs_of(tx: Tx, match_ids: Sequence[int]) -> dict[int, list[str]]:
    """Return the events of matches in JSON, by the match's id; those without any are left out."""
    found: dict[int, list[str]] = {}
    wanted = sa.select(event.c.match_id, event.c.body).where(event.c.match_id.in_(match_ids))
    for match_id, body in tx.execute(wanted).all() if match_ids else ():
        found.setdefault(match_id, []).append(body)
    return found


def plies_with_gaps(tx: Tx, match_id: int) -> list[int]:
    """Return the plies whose events are not numbered from 1 without a gap."""
    wanted = (
        sa.select(event.c.ply)
        .where(event.c.match_id == match_id)
        .group_by(event.c.ply)
        .having(sa.or_(sa.func.max(event.c.seq) != sa.func.count(), sa.func.min(event.c.seq) != 1))
    )
    return list(tx.execute(wanted.order_by(event.c.ply)).scalars())


_STORED = sa.select(
    report.c.ply, report.c.seat, report.c.turn, report.c.tenure, report.c.body, report.c.shown_at
)
_REPORT = _STORED.where(
    report.c.match_id == sa.bindparam("of_match"),
    report.c.ply == sa.bindparam("of_ply"),
    report.c.seat == sa.bindparam("of_seat"),
)


def last_report_of_turn(tx: Tx, match_id: int, seat: str, number: int) -> StoredReport | None:
    """Return the seat's last report of a turn, as it was sent."""
    wanted = (
        _STORED.where(report.c.match_id == match_id, report.c.seat == seat, report.c.turn == number)
        .order_by(report.c.ply.desc())
        .limit(1)
    )
    row = tx.execute(wanted).mappings().first()
    return StoredReport(**row) if row else None


def reports(tx: Tx, match_id: int) -> Iterator[StoredReport]:
    """Yield all reports of a match, as they were sent."""
    wanted = _STORED.where(report.c.match_id == match_id).order_by(report.c.ply, report.c.seat)
    for row in tx.execute(wanted).mappings():
        yield StoredReport(**row)


_TOLD_BEFORE = (
    sa.select(report.c.body)
    .where(
        report.c.match_id == sa.bindparam("of_match"),
        report.c.seat == sa.bindparam("to_seat"),
        report.c.ply < sa.bindparam("before"),
        report.c.tenure >= sa.bindparam("since_tenure"),
        report.c.turn >= sa.bindparam("since_turn"),
    )
    .order_by(report.c.ply.desc())
    .limit(sa.bindparam("most"))
)


def reports_before(
    tx: Tx, match_id: int, seat: str, ply: int, *, since_tenure: int, since_turn: int, most: int
) -> list[str]:
    """Return the JSON of the last reports that a seat was sent before a ply, the oldest first."""
    wanted = {
        "of_match": match_id,
        "to_seat": seat,
        "before": ply,
        "since_tenure": since_tenure,
        "since_turn": since_turn,
        "most": most,
    }
    return [str(body) for body in tx.execute(_TOLD_BEFORE, wanted).scalars()][::-1]


def mark_shown(tx: Tx, match_id: int, ply: int, seat: str, now: datetime) -> None:
    """Note when a report was first shown or delivered; later times do not count."""
    chosen = sa.and_(
        report.c.match_id == match_id,
        report.c.ply == ply,
        report.c.seat == seat,
        report.c.shown_at.is_(None),
    )
    tx.execute(sa.update(report).where(chosen).values(shown_at=now))


def plies_to_print(tx: Tx, match_id: int, seat: str, tenure: int) -> list[int]:
    """Return the plies whose report to a seat's holder waits to be printed, as no email carries
    it.

    A report that was shown in part, as a picture, still counts as waiting.
    """
    email = sa.and_(
        outbox.c.match_id == report.c.match_id,
        outbox.c.ply == report.c.ply,
        outbox.c.seat == report.c.seat,
        outbox.c.kind == "report",
        outbox.c.status == "kept",
        outbox.c.sent_at.is_(None),
    )
    wanted = (
        sa.select(report.c.ply)
        .join(outbox, email)
        .where(
            report.c.match_id == match_id,
            report.c.seat == seat,
            report.c.tenure == tenure,
        )
    )
    return list(tx.execute(wanted).scalars())


def commit_to(tx: Tx, match_id: int, made: Sequence[Commitment]) -> None:
    if made:
        rows = [{"match_id": match_id, **asdict(entry)} for entry in made]
        tx.execute(sa.insert(commitment), rows)


_COMMITMENTS = (
    sa.select(
        commitment.c.what,
        commitment.c.seat,
        commitment.c.ply,
        commitment.c.text,
        commitment.c.salt,
    )
    .where(commitment.c.match_id == sa.bindparam("of_match"))
    .order_by(commitment.c.ply, commitment.c.seat.desc())
)


def commitments(tx: Tx, match_id: int) -> list[Commitment]:
    rows = tx.execute(_COMMITMENTS, {"of_match": match_id}).mappings()
    return [Commitment(**row) for row in rows]


def was_shown(tx: Tx, match_id: int, ply: int) -> bool:
    """Return whether any report of a ply was printed."""
    wanted = sa.select(report.c.seat).where(
        report.c.match_id == match_id, report.c.ply == ply, report.c.shown_at.is_not(None)
    )
    return tx.execute(wanted.limit(1)).first() is not None


def was_shown_to(tx: Tx, match_id: int, ply: int, seat: str) -> bool:
    """Return whether the report of a ply to a seat was printed."""
    wanted = sa.select(report.c.seat).where(
        report.c.match_id == match_id,
        report.c.ply == ply,
        report.c.seat == seat,
        report.c.shown_at.is_not(None),
    )
    return tx.execute(wanted).first() is not None


class ToldHead(Struct, frozen=True):
    """The head that a ply has in the chain of the log, and when the ply was adjudicated."""

    ply: int
    at: datetime
    head: str


def told_heads(tx: Tx, match_id: int) -> list[ToldHead]:
    """Return the heads of a match up to the last ply of which a report was handed over: printed,
    shown on the seat's page in the site, or sent.

    None of these plies can be taken back: only the last one ever can, and that only while nothing
    of it was told (`was_shown`, `has_told`).
    """
    printed = sa.select(sa.func.max(report.c.ply)).where(
        report.c.match_id == match_id, report.c.shown_at.is_not(None)
    )
    sent = sa.select(sa.func.max(outbox.c.ply)).where(
        outbox.c.match_id == match_id, outbox.c.kind == "report", outbox.c.sent_at.is_not(None)
    )
    plies = (tx.execute(wanted).scalar() for wanted in (printed, sent))
    told = [ply for ply in plies if ply is not None]
    heads = (
        sa.select(turn.c.ply, turn.c.adjudicated_at, turn.c.head)
        .where(turn.c.match_id == match_id, turn.c.head.is_not(None))
        .where(turn.c.ply <= max(told, default=-1))
        .order_by(turn.c.ply)
    )
    return [ToldHead(*row) for row in tx.execute(heads)]


def delete(tx: Tx, match_id: int, ply: int) -> None:
    """Take a ply out of the log, with its events, reports and commitments."""
    for table in (commitment, report, event, turn):
        chosen = sa.and_(table.c.match_id == match_id, table.c.ply == ply)
        tx.execute(sa.delete(table).where(chosen))


def report_of(tx: Tx, match_id: int, ply: int, seat: str) -> StoredReport | None:
    """Return the report that a seat was sent for a ply."""
    row = tx.execute(_REPORT, {"of_match": match_id, "of_ply": ply, "of_seat": seat}).mappings()
    found = row.first()
    return StoredReport(**found) if found else None


# Tell how far the emails of a match have told its plies, and note it when one is taken back.


def kept_asides(tx: Tx, match_id: int, seat: str, tenure: int) -> list[tuple[int, int, str]]:
    """Return id, ply and body of the news told once only to a seat's holder, if no emails go
    out."""
    c = outbox.c
    of_seat = (c.match_id == match_id, c.seat == seat, c.tenure == tenure)
    kept = (c.kind == "aside", c.status == "kept", c.body != "null")
    wanted = sa.select(c.id, c.ply, c.body).where(*of_seat, *kept).order_by(c.id)
    return [(row.id, row.ply, row.body) for row in tx.execute(wanted)]


def kept_report(tx: Tx, match_id: int, ply: int, seat: str) -> list[int]:
    """Return the ids of the kept emails with a ply's report to a seat."""
    c = outbox.c
    of_seat = (c.match_id == match_id, c.ply == ply, c.seat == seat)
    wanted = sa.select(c.id).where(*of_seat, c.kind == "report", c.status == "kept")
    return list(tx.execute(wanted).scalars())


def mark_printed(tx: Tx, email_ids: Sequence[int], now: datetime) -> None:
    """Note that kept emails were printed, and forget what they said."""
    chosen = outbox.c.id.in_(list(email_ids))
    tx.execute(sa.update(outbox).where(chosen).values(body="null", raw=None, sent_at=now))


# The emails that tell a player of a ply: those with its number, and reminders for the next ply.
_OF_PLY = names_of(lambda kind: kind.is_of_ply)


def _telling(match_id: int, ply: int) -> Any:
    of_ply = sa.and_(outbox.c.ply == ply, outbox.c.kind.in_(_OF_PLY))
    reminders = sa.and_(outbox.c.ply == ply + 1, outbox.c.kind == "reminder")
    return sa.and_(outbox.c.match_id == match_id, sa.or_(of_ply, reminders))


def has_told(tx: Tx, match_id: int, ply: int) -> bool:
    """Return whether an email that tells of a ply was handed over, or a hand-over was tried.

    It may have arrived. The emails stay locked until the transaction ends, so that none goes out
    meanwhile.
    """
    came = (outbox.c.kind == "receipt", outbox.c.ply == ply - 1, outbox.c.since == ply)
    receipts = sa.and_(outbox.c.match_id == match_id, *came)
    with_words = sa.or_(_telling(match_id, ply), receipts)
    wanted = sa.select(outbox.c.id, is_tried.label("tried")).where(with_words)
    return any(row.tried for row in tx.execute(wanted.with_for_update(of=outbox)))


def was_tried(tx: Tx, match_id: int, ply: int, seat_name: str) -> bool:
    """Return whether the report of a ply to a seat was printed or handed over, or a hand-over was
    tried."""
    c = outbox.c
    reports = (c.match_id == match_id, c.ply == ply, c.seat == seat_name, c.kind == "report")
    return tx.execute(sa.select(c.id).where(*reports, is_tried).limit(1)).first() is not None


class ReportCoverage(Struct, frozen=True, kw_only=True):
    """How far the reports that were handed over have told a seat's holder what happened.

    `until` is the last ply of which the newest of them tells, None if there is none; `first` the
    first ply of which any was to tell; `unsent` says that no emails go out, and `returned` that
    one came back after it was handed over.
    """

    until: int | None
    first: int | None
    unsent: bool
    returned: bool


_HANDED_OVER = outbox.c.status.in_(["sent", "kept"])

_TOLD = (
    sa.select(
        outbox.c.seat,
        outbox.c.tenure,
        sa.func.max(sa.case((_HANDED_OVER, outbox.c.ply))).label("until"),
        sa.func.min(outbox.c.since).label("first"),
        sa.func.max(sa.case((outbox.c.status == "kept", outbox.c.ply))).label("kept"),
        sa.func.max(
            sa.case((sa.and_(outbox.c.bounces > 0, outbox.c.status != "sent"), 1), else_=0)
        ).label("returned"),
    )
    .where(outbox.c.match_id == sa.bindparam("of_match"), outbox.c.kind == "report")
    .group_by(outbox.c.seat, outbox.c.tenure)
)


def told_by_reports(tx: Tx, match_id: int) -> dict[tuple[str, int], ReportCoverage]:
    """Return how far each seat's holders were told what happened, by seat and tenure."""
    rows = tx.execute(_TOLD, {"of_match": match_id})
    return {
        (row.seat, row.tenure): ReportCoverage(
            until=row.until,
            first=row.first,
            unsent=row.kept is not None and row.kept == row.until,
            returned=bool(row.returned),
        )
        for row in rows
    }


def spans_of_reports(tx: Tx, match_id: int, seat_name: str, tenure: int) -> list[tuple[int, int]]:
    """Return the first and the last ply of which each report tells that a seat's holder was handed
    over, the earliest first."""
    c = outbox.c
    of_seat = (c.match_id == match_id, c.seat == seat_name, c.tenure == tenure)
    wanted = sa.select(c.since, c.ply).where(*of_seat, c.kind == "report", _HANDED_OVER)
    return sorted((row.since or 0, row.ply) for row in tx.execute(wanted))


def change_span(tx: Tx, match_id: int, ply: int, seat_name: str, since: int) -> None:
    """Note from which ply on a report tells, because it was made anew before it went out."""
    c = outbox.c
    which = (c.match_id == match_id, c.ply == ply, c.seat == seat_name, c.kind == "report")
    unsent = (c.raw.is_(None), c.sent_at.is_(None))
    tx.execute(sa.update(outbox).where(*which, *unsent).values(since=since))


def revive_reports(tx: Tx, match_id: int) -> None:
    """Let reports and notices wait again that a newer report told, too, for that was taken back.

    Where a newer one was tried, that has told of them.
    """
    newer = outbox.alias()
    told = (
        sa.select(newer.c.id)
        .where(
            newer.c.match_id == match_id,
            newer.c.seat == outbox.c.seat,
            newer.c.tenure == outbox.c.tenure,
            newer.c.kind == "report",
            newer.c.ply > outbox.c.ply,
            sa.or_(newer.c.raw.is_not(None), newer.c.sent_at.is_not(None)),
        )
        .exists()
    )
    dropped = sa.and_(
        outbox.c.match_id == match_id,
        outbox.c.kind.in_(["report", "notice"]),
        outbox.c.status == "dropped",
        outbox.c.reason == TOLD_BY_NEWER,
        sa.not_(told),
    )
    values = {"status": "waiting", "next_at": outbox.c.created_at, "reason": None}
    tx.execute(sa.update(outbox).where(dropped).values(values))


def delete_of_ply(tx: Tx, match_id: int, ply: int) -> list[str]:
    """Delete the emails that tell of a ply, and return their keys. Call it only if none of them
    went out."""
    gone = sa.delete(outbox).where(
        sa.or_(
            _telling(match_id, ply),
            sa.and_(
                outbox.c.match_id == match_id,
                outbox.c.ply == ply + 1,
                outbox.c.kind == "alert",
                outbox.c.raw.is_(None),
            ),
        )
    )
    keys = list(tx.execute(gone.returning(outbox.c.key)).scalars())
    release_receipts(tx, keys)
    return keys


@rows.of(charge)
class BalanceBefore(Struct, frozen=True):
    """What a seat had before a ply."""

    seat: str
    bank: int | None
    turns: int


def keep_balances(tx: Tx, match_id: int, ply: int, before: Mapping[str, Holder]) -> None:
    """Keep what these seats have before a ply changes it."""
    kept = [
        {"match_id": match_id, "ply": ply, "seat": seat, "bank": one.bank, "turns": one.turns}
        for seat, one in before.items()
    ]
    if kept:
        tx.execute(sa.insert(charge), kept)


def take_back_balances(tx: Tx, match_id: int, ply: int) -> None:
    """Give seats what they had before a ply."""
    for one in rows.find(tx, BalanceBefore, match_id=match_id, ply=ply):
        matches.update_seats(tx, match_id, [one.seat], bank=one.bank, turns=one.turns)
    rows.drop(tx, BalanceBefore, match_id=match_id, ply=ply)
