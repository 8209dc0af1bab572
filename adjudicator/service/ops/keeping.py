"""Delete what the club's settings say is kept no longer ([keep]). A tick does it once a day, each
match and some emails at a time in a transaction of their own."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from adjudicator.core.message import Message, count, say
from adjudicator.service.base.context import Context, Keep, Session
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.ops import jobs
from adjudicator.store import erasure, upkeep
from adjudicator.store.database import Store, Tx


def old_emails(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return one key if words of emails are kept for a time."""
    return [] if tick.context.keep.letters is None else [DueItem("emails")]


def forget_emails(s: Session, _key: str) -> Told:
    """Forget what some old emails said. Of emails nothing is counted and told."""
    kept = s.context.keep.letters
    return () if kept is not None and erasure.forget_words_of_emails(s.tx, s.now - kept) else None


def old_reports(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    kept = tick.context.keep.reports
    found = () if kept is None else erasure.with_old_reports(tx, tick.now - kept)
    return [DueItem(match_id, name) for match_id, name in found]


def drop_reports(s: Session, match_id: int) -> Told:
    """Delete the reports of an ended match of which no email waits, but the last."""
    if not _is_done_with(s.tx, match_id):
        return None
    erasure.drop_reports(s.tx, match_id, s.now)
    return ()


def long_ended(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    kept = tick.context.keep.ended
    found = () if kept is None else erasure.matches_to_archive(tx, tick.now - kept)
    return [DueItem(match_id, name) for match_id, name in found]


def reduce_ended(s: Session, match_id: int) -> Told:
    """Delete all but the last reports of an ended match of which no email waits."""
    if not _is_done_with(s.tx, match_id):
        return None
    reduce(s.tx, match_id, s.now)
    return ()


def _is_done_with(tx: Tx, match_id: int) -> bool:
    return erasure.is_over(tx, match_id) and not erasure.is_busy(tx, match_id)


def prune(store: Store, keep: Keep, *, now: datetime) -> Iterator[Message]:
    """Delete what is too old, and give the free pages of an SQLite file back."""
    from adjudicator.service.ops.jobs import KEEPING  # it names the functions above

    tick = Tick(now, Context(keep=keep), sure=True, is_first_of_day=True)
    for done in jobs.run(store, KEEPING, tick):
        yield done.text
    path = upkeep.file_of(store)
    if path is None:
        yield say("PostgreSQL uses free space itself; `VACUUM FULL` gives it back to the disk")
        return
    before = path.stat().st_size
    upkeep.forget_free_pages(store)
    yield say(
        "{path}: {before} kB before, {after} kB now",
        path=str(path),
        before=_round_up(before),
        after=_round_up(path.stat().st_size),
    )


def _round_up(size: int) -> int:
    """Return a size in kB, rounded up to whole megabytes: else it would tell of single emails."""
    return -(-size // 1_000_000) * 1000


def reduce(tx: Tx, match_id: int, now: datetime) -> None:
    """Delete the reports of an ended match but the last, and all its emails."""
    erasure.drop_reports(tx, match_id, now)
    erasure.drop_emails(tx, match_id)
    erasure.mark_archived(tx, match_id, now)


def reports_gone(n: int) -> Message:
    return count(
        "the old reports of {n} ended match were deleted, as [keep] says",
        "the old reports of {n} ended matches were deleted, as [keep] says",
        n,
    )


def message_for_reduced(n: int) -> Message:
    return count(
        "the old reports and the emails of {n} ended match were deleted, as [keep] says",
        "the old reports and the emails of {n} ended matches were deleted, as [keep] says",
        n,
    )
