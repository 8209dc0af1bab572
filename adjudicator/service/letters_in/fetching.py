"""Fetch letters from a mailbox into the spool; the next tick reads them."""

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

from adjudicator.core.message import Message, count, say
from adjudicator.mail.read.letter import received_at
from adjudicator.mail.transport import fetch as ways_in
from adjudicator.mail.transport import spool
from adjudicator.mail.transport.fetch import Keep
from adjudicator.mail.transport.ways import BadWay, Temporary
from adjudicator.service.base.refusal import Refusal

# Seconds before a mailbox that cannot be reached is tried again, longer each time.
BACK_OFF = (5, 15, 60, 300)
LOOK = 10  # seconds between looks at a mailbox on disk, which cannot tell of a new letter

Sleep = Callable[[float], object]


def fetch(source: str, folder: Path, password: str | None) -> int:
    """Take the letters from `maildir:PATH`, `mbox:PATH` or an IMAP URL; return how many there
    were."""
    try:
        return _look(source, _keeper(source, folder), password)
    except BadWay as trouble:
        raise Refusal(trouble.message) from None
    except Temporary as trouble:
        raise Refusal(say("not now: {why}", why=str(trouble))) from None


def told_of(taken: int) -> Message:
    return count("{n} letter fetched", "{n} letters fetched", taken)


def watch(source: str, folder: Path, password: str | None, sleep: Sleep) -> Iterator[Message]:
    """Fetch for as long as the caller asks; yield a line for each batch and for each trouble.

    After a trouble the mailbox is opened anew.
    """
    keep, failures = _keeper(source, folder), 0
    while True:
        try:
            for taken in _looks(source, keep, password, sleep):
                failures = 0
                if taken:
                    yield told_of(taken)
        except BadWay as trouble:
            raise Refusal(trouble.message) from None
        except (Temporary, OSError) as trouble:
            seconds = BACK_OFF[min(failures, len(BACK_OFF) - 1)]
            failures += 1
            yield say("not now: {why}; again in {n} seconds", why=str(trouble), n=seconds)
            sleep(seconds)


def _keeper(source: str, folder: Path) -> Keep:
    channel = source.partition(":")[0]

    def keep(raw: bytes) -> None:
        # A letter that reached the mailbox before the deadline is in time, however late we look.
        taken = received_at(raw)
        spool.put(
            folder,
            BytesIO(raw),
            sender="",
            recipient="",
            channel=channel,
            received_at=taken.timestamp() if taken else None,
        )

    return keep


def _look(source: str, keep: Keep, password: str | None) -> int:
    scheme, _, path = source.partition(":")
    if scheme == "maildir":
        return ways_in.fetch_maildir(Path(path), keep)
    if scheme == "mbox":
        return ways_in.fetch_mbox(Path(path), keep)
    return ways_in.fetch_imap(source, password, keep)


def _looks(source: str, keep: Keep, password: str | None, sleep: Sleep) -> Iterator[int]:
    if source.partition(":")[0] not in ("maildir", "mbox"):
        yield from ways_in.watch_imap(source, password, keep)
    while True:
        yield _look(source, keep, password)
        sleep(LOOK)
