"""Fetch letters from a mailbox into the spool; the next tick reads them."""

from collections.abc import Callable, Iterator
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from adjudicator.core.message import Message, count, say
from adjudicator.mail.read.letter import received_at
from adjudicator.mail.transport import fetch as ways_in
from adjudicator.mail.transport import spool
from adjudicator.mail.transport.fetch import Keep, Skip
from adjudicator.mail.transport.ways import BadWay, Temporary
from adjudicator.service.base.environment import Means
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.outbox import to_queue
from adjudicator.store.database import Store

# Seconds before a mailbox that cannot be reached is tried again, longer each time.
BACK_OFF = (5, 15, 60, 300)
LOOK = 10  # seconds between looks at a mailbox on disk, which cannot tell of a new letter

Sleep = Callable[[float], object]
Tell = Callable[[str, Message], object]  # takes the place of an entry that cannot be read, and why


def fetch(source: str, folder: Path, password: str | None, tell: Tell | None = None) -> int:
    """Take the letters from `maildir:PATH`, `mbox:PATH` or an IMAP URL; return how many there
    were. Entries that cannot be read are told, and stay."""
    try:
        return _look(source, _keeper(source, folder), _skipper(tell), password)
    except BadWay as trouble:
        raise Refusal(trouble.message) from None
    except Temporary as trouble:
        raise Refusal(say("not now: {why}", why=str(trouble))) from None


def _skipper(tell: Tell | None) -> Skip:
    def skip(place: str, why: str) -> None:
        told = say(
            "An entry of the mailbox cannot be read as an email: {place} ({why}). It stays there, "
            "and all other emails are fetched. Please look at it: it may hold a player's orders.",
            place=place,
            why=why,
        )
        if tell is not None:
            tell(place, told)

    return skip


def warn(store: Store, place: str, told: Message, *, now: datetime, means: Means) -> bool:
    """Tell the operator of an entry that cannot be read; return whether this is the first time."""
    about = sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    with store.transaction() as tx:
        return to_queue.queue_warning_once(tx, f"mailbox/{about}", told, now=now, means=means)


def told_of(taken: int) -> Message:
    return count("{n} letter fetched", "{n} letters fetched", taken)


def watch(source: str, folder: Path, password: str | None, sleep: Sleep) -> Iterator[Message]:
    """Fetch for as long as the caller asks; yield a line for each batch and for each trouble.

    After a trouble the mailbox is opened anew.
    """
    skipped: dict[str, Message] = {}
    shown: set[str] = set()
    keep, skip, failures = _keeper(source, folder), _skipper(skipped.setdefault), 0
    while True:
        try:
            for taken in _looks(source, keep, skip, password, sleep):
                failures = 0
                yield from (told for place, told in skipped.items() if place not in shown)
                shown.update(skipped)
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


def _look(source: str, keep: Keep, skip: Skip, password: str | None) -> int:
    scheme, _, path = source.partition(":")
    if scheme == "maildir":
        return ways_in.fetch_maildir(Path(path), keep, skip)
    if scheme == "mbox":
        return ways_in.fetch_mbox(Path(path), keep, skip)
    return ways_in.fetch_imap(source, password, keep, skip)


def _looks(
    source: str, keep: Keep, skip: Skip, password: str | None, sleep: Sleep
) -> Iterator[int]:
    if source.partition(":")[0] not in ("maildir", "mbox"):
        yield from ways_in.watch_imap(source, password, keep, skip)
    while True:
        yield _look(source, keep, skip, password)
        sleep(LOOK)
