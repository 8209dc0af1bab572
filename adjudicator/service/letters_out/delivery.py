"""Deliver the letters that wait in the outbox, some at a time.

Theory of operation. One transaction makes the bytes of some letters, stores them, and leases these
letters to this worker. Then they are handed over one after the other, with nothing locked. A second
transaction notes which of them were taken. A letter's bytes are so stored before the first
hand-over, and then repeated unchanged until the server has taken them. A crash in between sends
those that were not yet noted again when the lease has run out, with the same Message-ID and never
other content. Once they were taken the bytes are not kept; a letter that must go again is made anew
from its row.
"""

from collections import deque
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from time import monotonic

from adjudicator.core.message import Message, say
from adjudicator.mail.transport.send import Way
from adjudicator.mail.transport.ways import BadWay, Permanent, Temporary, Unreachable
from adjudicator.service.base import letter_ids
from adjudicator.service.base.breakdown import of_program
from adjudicator.service.base.environment import Means
from adjudicator.service.base.progress import Progress
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.letters_in import bounces
from adjudicator.service.letters_out.making_ready import LEASE, Ready, make_ready
from adjudicator.service.letters_out.writing import Finished
from adjudicator.service.outbox import to_queue
from adjudicator.store import came_back, handing_over, outbox
from adjudicator.store.database import Clash, Store, StoreTrouble, Tx
from adjudicator.store.outbox_shown import LETTERS_OUT

# How long a letter waits after each try that failed for now (letters, section 6).
BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (5, 30, 2 * 60, 6 * 60, 24 * 60))

# The longest time that one round takes: less than the five minutes between two ticks, so that a
# slow server delays no tick.
ROUND = timedelta(minutes=4)

SOME = 16  # letters at most whose bytes are made in one transaction
AHEAD = 8 * SOME  # letters of which these are claimed: there may be as many other workers
UNNOTED = 2.0  # seconds, about, after which letters that were taken are noted

_SLOW = say("the way out is slow")


def deliver(store: Store, *, now: datetime, means: Means) -> Iterator[Progress]:
    """Deliver every letter that is due, through one connection.

    If the server cannot be reached or the time is up, the rest waits for the next tick.
    """
    with store.reading() as tx:
        waiting = handing_over.due(tx, now)
    if not waiting or means.open_way is None or means.post is None:
        return
    try:
        way = means.open_way()
    except BadWay as trouble:
        raise Refusal(trouble.message) from None
    with way:
        yield from _Round(store, way, now, means).hand_over(waiting)


class _Round:
    """The letters that one tick delivers."""

    def __init__(self, store: Store, way: Way, now: datetime, means: Means) -> None:
        self._store, self._way, self._now, self._means = store, way, now, means
        self._began = monotonic()  # with a slow server the last letters go much later than `now`
        self._broken: set[str] = set()
        self._is_over = False

    def hand_over(self, waiting: Sequence[int]) -> Iterator[Progress]:
        """Deliver all of them; where one cannot go, that never stops the others.

        What other workers hold comes last. When they hold all that is left we wait until one letter
        is let go, and by then the worker who had it has mostly leased others, too.
        """
        left = waiting
        while left:
            others = yield from self._all(left)
            left = self._still_due(others)
            if left and left == others:
                with suppress(Clash), self._store.transaction() as tx:
                    handing_over.wait_for(tx, left[0])

    def _still_due(self, letter_ids: Sequence[int]) -> list[int]:
        if self._is_over or not letter_ids:
            return []
        with self._store.reading() as tx:
            due = set(handing_over.due(tx, self._moment))
        return [letter_id for letter_id in letter_ids if letter_id in due]

    def _all(self, waiting: Sequence[int]) -> Generator[Progress, None, list[int]]:
        """Return the letters that other workers hold; none, if the round is over."""
        left, most, others = list(waiting), SOME, list[int]()
        while left:
            if self._is_late():
                self._is_over = True
                yield from _left(self._store, [*left, *others], _SLOW)
                return []
            ready = Ready(left[:AHEAD])
            try:
                make_ready(self._store, ready, most, self._moment, self._means)
            except Clash:
                ready.finished.clear()  # the next tick sends them
            except StoreTrouble:
                raise
            except Exception as fault:
                if self._means.raise_faults or not ready.claimed:  # then it is no letter's fault
                    raise
                ready.finished.clear()
                if len(ready.claimed) > 1:
                    most = (len(ready.claimed) + 1) // 2  # so it shows which one it is
                    continue
                yield from self._cannot_be_written(ready.claimed[0], fault)
            left, most = left[ready.seen :], SOME
            others += ready.others
            untried, reason = yield from self._hand_over(ready.finished)
            if reason is not None:
                self._is_over = True
                yield from _left(self._store, [*untried, *left, *others], reason)
                return []
        return others

    @property
    def _passed(self) -> timedelta:
        return timedelta(seconds=monotonic() - self._began)

    @property
    def _moment(self) -> datetime:
        return self._now + timedelta(minutes=self._passed // timedelta(minutes=1))

    def _is_late(self) -> bool:
        return self._passed > ROUND

    def _cannot_be_written(self, letter_id: int, fault: Exception) -> Iterator[Progress]:
        """Put a letter aside over which we stumble; tell, once, if a file of the program is
        missing."""
        missing = of_program(fault)
        if missing is None:
            yield from self._stumbled(letter_id, fault)
        elif str(missing) not in self._broken:  # it goes as soon as the program is whole again
            self._broken.add(str(missing))
            yield _broken_down(self._store, missing.message, self._now, self._means)

    def _stumbled(self, letter_id: int, fault: Exception) -> Iterator[Progress]:
        reason, at = f"a fault inside adjud ({type(fault).__name__})", self._moment
        with self._store.transaction() as tx:
            if handing_over.still_waits(tx, letter_id) is None:
                return
            told = _waits_for_a_human()
            to_queue.queue_warning_of_day(tx, "unsent", told, now=at, means=self._means)
            stuck = _stuck(tx, letter_id, reason)
        yield stuck

    def _hand_over(
        self, finished: Sequence[Finished]
    ) -> Generator[Progress, None, tuple[list[int], Message | str | None]]:
        """Deliver letters that are ready; return those that were not tried, and why not."""
        untried, taken = deque(finished), list[Finished]()
        reason: Message | str | None = None
        noted = monotonic()
        try:
            while untried and reason is None:
                letter = untried.popleft()
                try:
                    self._way.hand_over(letter.sender, letter.to, letter.raw)
                except Temporary as trouble:
                    yield from _later(self._store, letter.id, str(trouble), self._moment)
                    reason = str(trouble) if isinstance(trouble, Unreachable) else None
                except Permanent as trouble:
                    why = str(trouble)
                    yield from _never(self._store, letter.id, why, self._moment, self._means)
                except Exception as fault:
                    if self._means.raise_faults:
                        raise
                    yield from self._cannot_be_written(letter.id, fault)
                else:
                    taken.append(letter)
                if reason is None and untried and self._is_late():
                    reason = _SLOW
                if monotonic() - noted > UNNOTED:
                    _note(self._store, taken, untried, self._moment)
                    taken, noted = [], monotonic()
        finally:
            _note(self._store, taken, (), self._moment)
            _give_back(self._store, untried, self._moment)
        return [letter.id for letter in untried], reason


def _note(
    store: Store, taken: Collection[Finished], untried: Collection[Finished], now: datetime
) -> None:
    """Note that letters were taken; those that are still to be tried stay ours."""
    if not (taken or untried):
        return
    with store.transaction() as tx:
        if taken:
            handing_over.mark_sent(tx, [letter.id for letter in taken], now)
        for letter in taken:
            if letter.once:
                outbox.forget(tx, letter.id)
        if untried:
            handing_over.keep_leased(tx, [letter.id for letter in untried], now + LEASE)


def _give_back(store: Store, letters: Collection[Finished], now: datetime) -> None:
    """End the lease of letters that were not tried."""
    for fresh in (True, False):
        if ids := [letter.id for letter in letters if letter.fresh is fresh]:
            with store.transaction() as tx:
                handing_over.give_back(tx, ids, now, fresh=fresh)


def _broken_down(store: Store, trouble: Message, now: datetime, means: Means) -> Progress:
    told = say("letters that should go out wait: {why}", why=trouble)
    with store.transaction() as tx:
        to_queue.queue_warning_of_day(tx, "broken", told, now=now, means=means)
    return Progress(told, urgent=True)


def _waits_for_a_human() -> Message:
    return say(
        "A letter could not be sent, for the program stumbled over it. It is kept: `adjud mail "
        "queue list --status stuck` shows it, `adjud mail queue retry` sends it."
    )


def _left(store: Store, letter_ids: Collection[int], reason: Message | str) -> Iterator[Progress]:
    """Tell that letters were not tried in this round, if the queue shows any of them."""
    with store.reading() as tx:
        shown = LETTERS_OUT.listed(tx, ["waiting"], discreet=True)
    if not {letter.id for letter in shown}.isdisjoint(letter_ids):
        text = say("the other letters wait for the next tick: {reason}", reason=reason)
        yield Progress(text)


def _later(store: Store, letter_id: int, reason: str, now: datetime) -> Sequence[Progress]:
    """Let a letter wait, longer each time; after the last time a human must look.

    This is told only of letters that the queue shows: any other would tell who has sent orders.
    """
    with store.transaction() as tx:
        tries = handing_over.still_waits(tx, letter_id)
        if tries is None:
            return []
        if tries >= len(BACK_OFF):
            return [_stuck(tx, letter_id, reason)]
        again = now + BACK_OFF[tries]
        outbox.update(tx, letter_id, tries=tries + 1, next_at=again, reason=reason)
        return [
            Progress(say("letter {id} waits: {reason}", id=letter_ids.id_of(shown), reason=reason))
            for shown in LETTERS_OUT.listed(tx, letter_id=letter_id, discreet=True)
        ]


def _stuck(tx: Tx, letter_id: int, reason: str) -> Progress:
    outbox.update(tx, letter_id, status="stuck", reason=reason, next_at=None)
    (letter,) = LETTERS_OUT.listed(tx, letter_id=letter_id)
    told = say("letter {id} is stuck: {reason}", id=letter_ids.id_of(letter), reason=reason)
    return Progress(told, urgent=True)


def _never(
    store: Store, letter_id: int, reason: str, now: datetime, means: Means
) -> Sequence[Progress]:
    """Deal with a letter that the server refuses for good.

    A report is treated as if it had come back; for any other letter a human is needed.
    """
    with store.transaction() as tx:
        refused = came_back.refused(tx, letter_id)
        if refused is None:
            return []
        if refused.kind == "report":
            told = bounces.refuse(tx, refused, reason, now=now, means=means)
            return [Progress(told, urgent=refused.bounces > 0)]
        return [_stuck(tx, letter_id, reason)]
