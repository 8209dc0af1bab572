"""Claim some letters, make their bytes and lease them, in one transaction.

`delivery` opens with the theory of it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import structs

from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Seated, with_holders
from adjudicator.service.letters_out import still_true, writing
from adjudicator.service.letters_out.writing import Finished
from adjudicator.store import handing_over, matches, outbox
from adjudicator.store.database import Store, Tx
from adjudicator.store.handing_over import Leased, Waiting

# How long no other worker takes a letter that is being delivered: longer than any server needs.
# It runs out only if the worker was killed, and then the letter goes again.
LEASE = timedelta(minutes=15)

AGAIN = timedelta(hours=1)  # until a letter is tried whose match could not be read


class Ready:
    """Some of the next letters: those that were claimed, and of these those that are to go."""

    def __init__(self, letter_ids: Sequence[int]) -> None:
        self.next = letter_ids
        self.seen = len(letter_ids)  # so many of them were looked at
        self.claimed: Sequence[int] = ()
        self.finished: list[Finished] = []
        self.not_ours: set[int] = set()  # claimed, but gone, or another worker has their match

    def claim(self, letter_ids: Sequence[int], most: int) -> None:
        self.claimed = letter_ids
        if len(letter_ids) == most:
            self.seen = self.next.index(letter_ids[-1]) + 1

    @property
    def others(self) -> list[int]:
        """Return those that were looked at and that another worker may hold."""
        ours = set(self.claimed) - self.not_ours
        return [letter_id for letter_id in self.next[: self.seen] if letter_id not in ours]


def make_ready(store: Store, ready: Ready, most: int, now: datetime, means: Means) -> None:
    """Claim some letters, make their bytes and lease them for a while.

    The bytes are made and stored if this is the first time for the reader's address.
    """
    leased = list[Leased]()
    with store.transaction() as tx:
        claimed = handing_over.claim(tx, ready.next, now, most)
        ready.claim(claimed, most)
        if not claimed:
            return
        held = matches.take_of_letters(tx, claimed)
        known = with_holders(tx, held.values())
        letters = handing_over.take(tx, claimed, now)
        dropped = set[tuple[int | None, str | None]]()  # to these seats
        for letter_id in claimed:
            letter = letters.get(letter_id)
            if letter is None or letter.match_id not in (*held, None):
                ready.not_ours.add(letter_id)
                continue
            if letter.seat is not None and letter.match not in known:
                _put_off(tx, letter, now)
                continue
            to = _reader(tx, letter, means)
            if to is None:
                dropped.add((letter.match_id, letter.seat))
            else:
                if (letter.match_id, letter.seat) in dropped:
                    first = handing_over.is_first_report(tx, letter_id)
                    letter = structs.replace(letter, is_first_report=first)
                made = _made(tx, letter, to, now, means, known)
                ready.finished.append(made)
                leased.append(_leased(letter, made, now, means))
        handing_over.lease(tx, leased)


def _leased(letter: Waiting, made: Finished, now: datetime, means: Means) -> Leased:
    return Leased(
        id=letter.id,
        raw=made.raw,
        address=made.to,
        bounce_tag=writing.bounce_tag_of(letter, means),
        since=made.since,
        until=now + LEASE,
    )


def _reader(tx: Tx, letter: Waiting, means: Means) -> str | None:
    """Return the address to which a letter goes; None, which is noted, if it is not to go."""
    if still_true.is_superseded(tx, letter):
        why = outbox.TOLD_BY_NEWER if letter.kind in still_true.TOLD_IN_REPORTS else None
        outbox.update(tx, letter.id, status="dropped", next_at=None, reason=why)
        return None
    if not still_true.may_go(letter):
        outbox.update(tx, letter.id, status="unconfirmed", next_at=None)
        return None
    to = writing.address_of(letter, means)
    if not to:
        outbox.update(tx, letter.id, status="stuck", reason="no address is set", next_at=None)
        return None
    return to


def _put_off(tx: Tx, letter: Waiting, now: datetime) -> None:
    """Let a letter to a seat wait whose match cannot be read; that may be mended."""
    outbox.update(tx, letter.id, next_at=now + AGAIN, reason="its match cannot be read")


def _made(
    tx: Tx, letter: Waiting, to: str, now: datetime, means: Means, known: Mapping[str, Seated]
) -> Finished:
    fresh = letter.raw is None or letter.address not in (to, None)
    written = writing.write(tx, letter, to, means, known, now=now) if fresh else None
    raw = written.raw if written else letter.raw
    assert raw is not None
    return Finished(
        id=letter.id,
        sender=writing.sender_of(letter, means),
        to=to,
        raw=raw,
        since=written.since if written else letter.since,
        once=letter.kind == "aside",
        fresh=fresh,
    )
