"""Delete what the club's settings say is kept no longer ([keep]). A tick does it once a day, each
match and some letters at a time in a transaction of their own."""

from collections.abc import Callable, Iterator
from datetime import datetime

from adjudicator.core.message import Message, count, say
from adjudicator.service.base.context import Keep, Progress
from adjudicator.store import retention, upkeep
from adjudicator.store.database import Store, Tx


def apply(store: Store, keep: Keep, *, now: datetime) -> Iterator[Progress]:
    """Delete what is too old. What is told counts matches that are over, and never letters."""
    if keep.letters is not None:
        before, more = now - keep.letters, True
        while more:
            with store.transaction() as tx:
                more = retention.forget_letters(tx, before)
    if keep.reports is not None:
        with store.reading() as tx:
            old = retention.with_old_reports(tx, now - keep.reports)
        if n := _each(store, old, lambda tx, one: retention.drop_reports(tx, one, now)):
            yield Progress(_reports_gone(n))
    if keep.ended is not None:
        with store.reading() as tx:
            old = retention.ended_before(tx, now - keep.ended)
        if n := _each(store, old, lambda tx, one: reduce(tx, one, now)):
            yield Progress(_reduced(n))


def prune(store: Store, keep: Keep, *, now: datetime) -> Iterator[Message]:
    """Delete what is too old, and give the free pages of an SQLite file back."""
    for done in apply(store, keep, now=now):
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
        before=_rounded(before),
        after=_rounded(path.stat().st_size),
    )


def _rounded(size: int) -> int:
    """Return a size in kB, rounded up to whole megabytes: else it would tell of single emails."""
    return -(-size // 1_000_000) * 1000


def _each(store: Store, found: list[tuple[int, str]], do: Callable[[Tx, int], None]) -> int:
    """Do something with each match of which no letter waits; return how many these were."""
    n = 0
    for match_id, _ in found:
        with store.transaction() as tx:
            if retention.is_over(tx, match_id) and not retention.is_busy(tx, match_id):
                do(tx, match_id)
                n += 1
    return n


def reduce(tx: Tx, match_id: int, now: datetime) -> None:
    """Delete the reports of an ended match but the last, and all its letters."""
    retention.drop_reports(tx, match_id, now)
    retention.drop_letters(tx, match_id)
    retention.mark_archived(tx, match_id, now)


def _reports_gone(n: int) -> Message:
    return count(
        "the old reports of {n} ended match were deleted, as [keep] says",
        "the old reports of {n} ended matches were deleted, as [keep] says",
        n,
    )


def _reduced(n: int) -> Message:
    return count(
        "the old reports and the emails of {n} ended match were deleted, as [keep] says",
        "the old reports and the emails of {n} ended matches were deleted, as [keep] says",
        n,
    )
