"""Deliver the letters that wait in the outbox, some at a time.

Theory of operation. One transaction makes the bytes of some letters, stores them, and leases these
letters to this worker. Then they are handed over one after the other, with nothing locked. A second
transaction notes which of them were taken. A letter's bytes are so stored before the first
hand-over, and then repeated unchanged until the server has taken them. A crash in between sends
those that were not yet noted again when the lease has run out, with the same Message-ID and never
other content. Once they were taken the bytes are not kept; a letter that must go again is made anew
from its row.

Before all that, what can wait for the one letter a day of its reader is told from what goes at once
(`gathering`). A daily letter is delivered like any other. What it carries shares its fate in the
same transactions: it is leased, put off and noted as sent with it (`store/daily`).
"""

from collections import deque
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from time import monotonic

from msgspec import structs

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.message import Message, say
from adjudicator.mail.transport.errors import BadTransport, Permanent, Temporary, Unreachable
from adjudicator.mail.transport.send import Transport
from adjudicator.service.base import keys
from adjudicator.service.base.context import Context, Progress, Refusal, fault_of_program
from adjudicator.service.base.jobs import isolated, raise_what_stops_all
from adjudicator.service.base.loaded_match import Seated, with_holders
from adjudicator.service.base.session import OpenClub, Session
from adjudicator.service.club.offers import wishes
from adjudicator.service.inbound import bounces
from adjudicator.service.outbound import answers, gathering, rendering
from adjudicator.service.outbound import daily as daily_letter
from adjudicator.service.outbound.going import is_superseded, may_go
from adjudicator.service.outbound.rendering import ReadyLetter, RenderedLetter
from adjudicator.service.outbox import faults
from adjudicator.service.outbox.alerts import alert
from adjudicator.store import daily, matches, outbox, outgoing
from adjudicator.store.database import Clash, Store, Tx
from adjudicator.store.listings import LETTERS_OUT
from adjudicator.store.outgoing import DueLetter, Lease

# Claim some letters, make their bytes and lease them, in one transaction.
#
# `delivery` opens with the theory of it.


# How long no other worker takes a letter that is being delivered: longer than any server needs.
# It runs out only if the worker was killed, and then the letter goes again.
LEASE = timedelta(minutes=15)

UNREADABLE_AGAIN = timedelta(hours=1)  # until a letter is tried whose match could not be read


class Batch:
    """Some of the next letters: those that were claimed, and of these those that are to go."""

    def __init__(self, letter_ids: Sequence[int]) -> None:
        self.next = letter_ids
        self.seen = len(letter_ids)  # so many of them were looked at
        self.claimed: Sequence[int] = ()
        self.finished: list[ReadyLetter] = []
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


def make_ready(club: OpenClub, ready: Batch, most: int, alone: Collection[int] = ()) -> None:
    """Claim some letters, make their bytes and lease them for a while.

    The bytes are made and stored if this is the first time for the reader's address. Those that may
    wait for a daily letter, and are not among the `alone`, are left for the next tick.
    """
    leased = list[Lease]()
    with club.session() as s:
        claimed = outgoing.claim(s.tx, ready.next, club.now, most)
        ready.claim(claimed, most)
        if not claimed:
            return
        held = matches.take_of_letters(s.tx, claimed)
        known = with_holders(s.tx, held.values())
        letters = outgoing.take(s.tx, claimed, club.now)
        dropped = set[tuple[int | None, str | None]]()  # to these seats
        for letter_id in claimed:
            letter = letters.get(letter_id)
            if letter is None or letter.match_id not in (*held, None):
                ready.not_ours.add(letter_id)
                continue
            if letter.seat is not None and letter.match not in known:
                _put_off(s.tx, letter, club.now)
                continue
            if answers.waits_for_report(s.tx, letter):
                continue
            if letter.kind == daily.KIND:
                if not daily.matches_of(s.tx, letter_id) <= held.keys():
                    ready.not_ours.add(letter_id)
                    continue
                finished = _daily(s, letter, known)
                if finished is not None:
                    letter, made = finished
                    ready.finished.append(made)
                    leased.append(_lease(letter, made, club.now, club.context))
                continue
            if letter_id not in alone and _may_wait(letter):
                continue
            to = _reader(s.tx, letter, club.context)
            if to is None:
                dropped.add((letter.match_id, letter.seat))
            else:
                if (letter.match_id, letter.seat) in dropped:
                    first = outgoing.is_first_report(s.tx, letter_id)
                    letter = structs.replace(letter, is_first_report=first)
                made = _make(s, letter, to, known)
                outgoing.carry(s.tx, made.carries, letter.key)
                ready.finished.append(made)
                leased.append(_lease(letter, made, club.now, club.context))
        outgoing.lease(s.tx, leased)
        if whole := [one.id for one in ready.finished if one.is_daily]:
            daily.mirror(s.tx, whole)


def _may_wait(letter: DueLetter) -> bool:
    """Return whether a letter may wait for a daily letter: it was queued after that was looked
    at."""
    is_fresh = letter.raw is None and letter.is_untried and letter.confirmed
    wishes = letter.letters == "daily" and is_fresh
    return wishes and gathering.can_wait(letter.kind, letter.key, letter.body)


def _daily(
    s: Session, letter: DueLetter, known: Mapping[str, Seated]
) -> tuple[DueLetter, ReadyLetter] | None:
    """Make a daily letter ready; return None if it is not to go now, which is noted."""
    settled = daily_letter.settle(s.tx, letter, known, s.now)
    if settled is None:
        outbox.update(s.tx, letter.id, status="dropped", next_at=None)
        return None
    letter, parts = settled
    to = _reader(s.tx, letter, s.context)
    if to is None:
        daily.mirror(s.tx, [letter.id])
        return None
    if letter.raw is not None and letter.address in (to, None):
        return letter, _ready(letter, to, None, s.context)
    written = daily_letter.write(s, letter, parts, to, known)
    return letter, _ready(letter, to, written, s.context)


def _lease(letter: DueLetter, made: ReadyLetter, now: datetime, context: Context) -> Lease:
    return Lease(
        id=letter.id,
        raw=made.raw,
        address=made.to,
        bounce_tag=rendering.bounce_tag_of(letter, context),
        since=made.since,
        until=now + LEASE,
    )


def _reader(tx: Tx, letter: DueLetter, context: Context) -> str | None:
    """Return the address to which a letter goes; None, which is noted, if it is not to go."""
    if is_superseded(tx, letter):
        why = outbox.TOLD_BY_NEWER if KINDS[letter.kind].is_told_in_reports else None
        outbox.update(tx, letter.id, status="dropped", next_at=None, reason=why)
        outbox.release_receipts(tx, [letter.key])
        return None
    if not may_go(letter):
        outbox.update(tx, letter.id, status="unconfirmed", next_at=None)
        return None
    to = rendering.address_of(letter, context)
    if not to:
        outbox.update(tx, letter.id, status="stuck", reason="no address is set", next_at=None)
        return None
    return to


def _put_off(tx: Tx, letter: DueLetter, now: datetime) -> None:
    """Let a letter to a seat wait whose match cannot be read; that may be mended."""
    outbox.update(tx, letter.id, next_at=now + UNREADABLE_AGAIN, reason="its match cannot be read")


def _make(s: Session, letter: DueLetter, to: str, known: Mapping[str, Seated]) -> ReadyLetter:
    fresh = letter.raw is None or letter.address not in (to, None)
    written = rendering.write(s.tx, letter, to, s.context, known, now=s.now) if fresh else None
    return _ready(letter, to, written, s.context)


def _ready(
    letter: DueLetter, to: str, written: RenderedLetter | None, context: Context
) -> ReadyLetter:
    """Return a letter with the bytes that were written now or, without them, those of before."""
    raw = written.raw if written else letter.raw
    assert raw is not None
    return ReadyLetter(
        id=letter.id,
        sender=rendering.sender_of(letter, context),
        to=to,
        raw=raw,
        since=written.since if written else letter.since,
        once=letter.kind == "aside",
        fresh=written is not None,
        is_daily=letter.kind == daily.KIND,
        carries=written.carries if written else (),
    )


# How long a letter waits after each try that failed for now (letters, section 6).
BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (5, 30, 2 * 60, 6 * 60, 24 * 60))

# The longest time that one round takes. The next ticks do not wait for it: they find what is left.
ROUND = timedelta(minutes=4)

SOME = 16  # letters at most whose bytes are made in one transaction
AHEAD = 8 * SOME  # letters of which these are claimed: there may be as many other workers
UNNOTED = 2.0  # seconds, about, after which letters that were taken are noted

_SLOW = say("outgoing mail is slow")


def deliver(club: OpenClub) -> Iterator[Progress]:
    """Deliver every letter that is due, through one connection.

    If the server cannot be reached or the time is up, the rest waits for the next tick.
    """
    with club.store.reading() as tx:
        waiting, readers = outgoing.due_to(tx, club.now)
    if not waiting or club.context.open_transport is None or club.context.post is None:
        return
    alone: Collection[int] = ()
    if readers:
        alone = gathering.gather(club, readers)
        with club.store.reading() as tx:
            waiting = outgoing.due(tx, club.now)
        if not waiting:
            return
    try:
        way = club.context.open_transport()
    except BadTransport as trouble:
        raise Refusal(trouble.message) from None
    with way:
        yield from _Round(club.store, way, club.now, club.context, alone).deliver(waiting)


class _Round:
    """The letters that one tick delivers."""

    def __init__(
        self,
        store: Store,
        way: Transport,
        now: datetime,
        context: Context,
        alone: Collection[int] = (),
    ) -> None:
        self._store, self._way, self._now, self._means = store, way, now, context
        self._alone = alone  # those that might have waited for a daily letter
        self._began = monotonic()  # with a slow server the last letters go much later than `now`
        self._broken: set[str] = set()
        self._is_over = False

    def deliver(self, waiting: Sequence[int]) -> Iterator[Progress]:
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
                    outgoing.wait_for(tx, left[0])

    def _still_due(self, letter_ids: Sequence[int]) -> list[int]:
        if self._is_over or not letter_ids:
            return []
        with self._store.reading() as tx:
            due = set(outgoing.due(tx, self._moment))
        return [letter_id for letter_id in letter_ids if letter_id in due]

    def _all(self, waiting: Sequence[int]) -> Generator[Progress, None, list[int]]:
        """Return the letters that other workers hold; none, if the round is over."""
        left, most, others = list(waiting), SOME, list[int]()
        while left:
            if self._is_late():
                self._is_over = True
                yield from _tell_left(self._store, [*left, *others], _SLOW)
                return []
            ready = Batch(left[:AHEAD])
            try:
                make_ready(
                    OpenClub(self._store, self._moment, self._means), ready, most, self._alone
                )
            except Clash:
                ready.finished.clear()  # the next tick sends them
            except Exception as fault:
                raise_what_stops_all(fault, self._means)
                if not ready.claimed:  # then it is no letter's fault
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
                yield from _tell_left(self._store, [*untried, *left, *others], reason)
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
        missing = fault_of_program(fault)
        if missing is None:
            yield from self._tell_stumble(letter_id, fault)
        elif str(missing) not in self._broken:  # it goes as soon as the program is whole again
            self._broken.add(str(missing))
            yield _broken_down(OpenClub(self._store, self._now, self._means), missing.message)

    def _tell_stumble(self, letter_id: int, fault: Exception) -> Iterator[Progress]:
        reason, at = f"a fault inside adjud ({type(fault).__name__})", self._moment
        with OpenClub(self._store, at, self._means).session() as s:
            if outgoing.still_waits(s.tx, letter_id) is None:
                return
            if daily.dissolve(s.tx, letter_id, at):
                return  # what cannot be written shows when it is tried by itself
            told = _waits_for_a_human()
            alert(s, told, "unsent", once="day")
            outbox.update(s.tx, letter_id, status="stuck", reason=reason, next_at=None)
        tell = partial(faults.tell, OpenClub(self._store, at, self._means), "")
        yield from isolated(self._tell_stuck(letter_id, reason), tell)

    def _tell_stuck(self, letter_id: int, reason: str) -> Iterator[Progress]:
        with self._store.transaction() as tx:
            told = _put_aside(tx, letter_id, reason)
        yield from told

    def _hand_over(
        self, finished: Sequence[ReadyLetter]
    ) -> Generator[Progress, None, tuple[list[int], Message | str | None]]:
        """Deliver letters that are ready; return those that were not tried, and why not."""
        untried, taken = deque(finished), list[ReadyLetter]()
        reason: Message | str | None = None
        noted = monotonic()
        try:
            while untried and reason is None:
                letter = untried.popleft()
                try:
                    self._way.deliver(letter.sender, letter.to, letter.raw)
                except Temporary as trouble:
                    yield from _later(self._store, letter.id, str(trouble), self._moment)
                    reason = str(trouble) if isinstance(trouble, Unreachable) else None
                except Permanent as trouble:
                    why = str(trouble)
                    yield from _never(
                        OpenClub(self._store, self._moment, self._means), letter.id, why
                    )
                except Exception as fault:
                    raise_what_stops_all(fault, self._means)
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
    store: Store, taken: Collection[ReadyLetter], untried: Collection[ReadyLetter], now: datetime
) -> None:
    """Note that letters were taken; those that are still to be tried stay ours."""
    if not (taken or untried):
        return
    with store.transaction() as tx:
        if taken:
            outgoing.mark_sent(tx, [letter.id for letter in taken], now)
        if whole := [letter.id for letter in taken if letter.is_daily]:
            daily.mark_sent(tx, whole, now)
        for letter in taken:
            if letter.once:
                outbox.forget(tx, letter.id)
        if untried:
            outgoing.keep_leased(tx, [letter.id for letter in untried], now + LEASE)
            if whole := [letter.id for letter in untried if letter.is_daily]:
                daily.mirror(tx, whole)


def _give_back(store: Store, letters: Collection[ReadyLetter], now: datetime) -> None:
    """End the lease of letters that were not tried."""
    for fresh in (True, False):
        if ids := [letter.id for letter in letters if letter.fresh is fresh]:
            with store.transaction() as tx:
                outgoing.give_back(tx, ids, now, fresh=fresh)
                if whole := [letter.id for letter in letters if letter.is_daily]:
                    daily.mirror(tx, whole)


def _broken_down(club: OpenClub, trouble: Message) -> Progress:
    told = say("emails are waiting to be sent: {why}", why=trouble)
    with club.session() as s:
        alert(s, told, "broken", once="day")
    return Progress(told, urgent=True)


def _waits_for_a_human() -> Message:
    return say(
        "An email could not be sent because of an error in the program. It is still in the "
        "queue: `adjud mail queue list --status stuck` shows it, `adjud mail queue retry` sends "
        "it."
    )


def _tell_left(
    store: Store, letter_ids: Collection[int], reason: Message | str
) -> Iterator[Progress]:
    """Tell that letters were not tried in this round, if the queue shows any of them."""
    with store.reading() as tx:
        shown = LETTERS_OUT.listed(tx, ["waiting"], discreet=True)
    if not {letter.id for letter in shown}.isdisjoint(letter_ids):
        text = say("the other emails wait for the next tick: {reason}", reason=reason)
        yield Progress(text)


def _later(store: Store, letter_id: int, reason: str, now: datetime) -> Sequence[Progress]:
    """Let a letter wait, longer each time; after the last time a human must look.

    This is told only of letters that the queue shows: any other would tell who has sent orders.
    """
    with store.transaction() as tx:
        tries = outgoing.still_waits(tx, letter_id)
        if tries is None:
            return []
        if tries >= len(BACK_OFF):
            return _put_aside(tx, letter_id, reason)
        again = now + BACK_OFF[tries]
        outbox.update(tx, letter_id, tries=tries + 1, next_at=again, reason=reason)
        daily.mirror(tx, [letter_id])
        return [
            Progress(say("email {id} is waiting: {reason}", id=keys.shown_id(shown), reason=reason))
            for shown in LETTERS_OUT.listed(tx, ["waiting"], letter_id, discreet=True)
        ]


def _put_aside(tx: Tx, letter_id: int, reason: str) -> Sequence[Progress]:
    """Let a letter wait for a human, and tell it. Of a daily letter nothing is told but what it
    carries, as far as the queue shows that."""
    outbox.update(tx, letter_id, status="stuck", reason=reason, next_at=None)
    carried = daily.get_stuck(tx, letter_id)
    (letter,) = LETTERS_OUT.listed(tx, letter_id=letter_id)
    if letter.kind == daily.KIND:
        stuck = [one for number in carried for one in LETTERS_OUT.listed(tx, letter_id=number)]
    else:
        stuck = [letter]
    return [
        Progress(
            say(
                "email {id} is stuck: {reason}",
                id=keys.shown_id(one),
                reason=bounces.told_reason(tx, one.match, reason),
            ),
            urgent=True,
        )
        for one in stuck
    ]


def _never(club: OpenClub, letter_id: int, reason: str) -> Sequence[Progress]:
    """Deal with a letter that the server refuses for good.

    A report is treated as if it had come back; for any other letter a human is needed.
    """
    with club.session() as s:
        refused = outbox.refused(s.tx, letter_id)
        if refused is None or wishes.came_back(s.tx, refused.key, club.now):
            return []
        if refused.kind == daily.KIND:
            return [
                Progress(one) for one in bounces.refuse_daily(s.tx, refused, reason, now=club.now)
            ]
        if refused.kind == "report":
            told = bounces.refuse(s, refused, reason)
            return [Progress(told, urgent=refused.bounces > 0)]
        return _put_aside(s.tx, letter_id, reason)
