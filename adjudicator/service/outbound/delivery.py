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
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from msgspec import structs
from msgspec.json import decode

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.mail.transport.errors import BadTransport, Permanent, Temporary, Unreachable
from adjudicator.mail.transport.send import Transport
from adjudicator.service.base import keys
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Context, Progress, Refusal, fault_of_program
from adjudicator.service.base.loaded_match import Loaded, Seated, Unreadable, load, with_holders
from adjudicator.service.inbound import bounces
from adjudicator.service.outbound import answers, rendering
from adjudicator.service.outbound.rendering import ReadyLetter
from adjudicator.service.outbox import queue
from adjudicator.service.reports import building
from adjudicator.store import matches, outbox, outgoing, players, turns
from adjudicator.store.database import Clash, Store, StoreTrouble, Tx
from adjudicator.store.listings import LETTERS_OUT
from adjudicator.store.outbox import OF_PERSONS
from adjudicator.store.outgoing import DueLetter, Lease

# Decide at delivery whether a letter still goes: it must be true, and not told by another.


# A newer report may tell the same as one of these.
TOLD_IN_REPORTS = ("report", "notice")


def may_go(letter: DueLetter) -> bool:
    """Return whether the letter's player has confirmed his present address.

    It may be another than when the letter was queued. A letter that asks him to confirm goes there
    before.
    """
    if letter.player_id is None or _asks_to_confirm(letter):
        return True
    return letter.confirmed


def _asks_to_confirm(letter: DueLetter) -> bool:
    """Return whether it has the code with which a player confirms his address; other codes are a
    seat's, or confirm a letter to his personal address."""
    to_person = letter.match_id is None and letter.player_id is not None
    return letter.kind == "confirm" and to_person and not letter.key.startswith(OF_PERSONS)


def _asks_in_vain(tx: Tx, letter: DueLetter) -> bool:
    """Return whether the address has been confirmed or changed meanwhile."""
    assert letter.player_id is not None
    player = players.one(tx, letter.player_id)
    return player.confirmed_at is not None or player.address != decode(letter.body)["address"]


def is_superseded(tx: Tx, letter: DueLetter) -> bool:
    """Return whether a letter is no longer true or needed.

    It may be for somebody who no longer holds its seat, have a code that confirms nothing any more,
    or be a reminder for a player who has ordered or wants none, or of a ply that is past. Or it is
    a report or a notice, and a newer report tells it, too.
    """
    if letter.is_to_former:
        return True
    if _asks_to_confirm(letter):
        return _asks_in_vain(tx, letter)
    if letter.kind in TOLD_IN_REPORTS:
        return _is_told_by_newer(tx, letter)
    if letter.kind != "reminder":
        return False
    if letter.match is None:
        assert letter.player_id is not None
        return not queue.awaited(tx, letter.player_id)
    try:
        loaded = load(tx, letter.match)
    except Unreadable:
        return True  # the match is held
    return (
        letter.ply != loaded.match.ply + 1
        or letter.seat in loaded.sheets
        or letter.seat not in loaded.awaited
        or loaded.holders[str(letter.seat)].reminders == "off"
        or _is_of_other_deadline(loaded, decode(letter.body))
    )


def _is_of_other_deadline(loaded: Loaded, body: Any) -> bool:
    """Return whether a reminder of a reserve is of a deadline that was moved meanwhile."""
    return bool(body) and body["overdue"] != rfc3339(loaded.match.deadline_at)


def _is_told_by_newer(tx: Tx, letter: DueLetter) -> bool:
    """Return whether a newer report that still stands tells all that this letter tells."""
    if letter.ply is None or letter.player_id is None:
        return False
    if letter.kind == "notice":
        return _is_in_report(tx, letter)
    # It was made before this one was delivered, so it reaches back behind it.
    return letter.is_told_by_newer and letter.reports != "all"


def _is_in_report(tx: Tx, letter: DueLetter) -> bool:
    """Return whether a report that was made after a notice tells what was ruled, that the offer
    stands, or that the match has ended."""
    assert letter.ply is not None
    body = decode(letter.body)
    if "at" in body:  # a ruling
        return letter.is_told_by_newer
    newest = outgoing.newest_standing_report(tx, letter.id)
    if letter.match is None or newest is None or newest <= letter.ply or "offers" not in body:
        return False
    loaded = load(tx, letter.match)
    stored = turns.report_of(tx, loaded.match.id, newest, Seat(str(letter.seat)))
    if stored is None:
        return False
    report = building.read(loaded.game, stored.body)
    return report.result is not None or body["offers"] in (report.draw_offers or ())


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


def make_ready(store: Store, ready: Batch, most: int, now: datetime, context: Context) -> None:
    """Claim some letters, make their bytes and lease them for a while.

    The bytes are made and stored if this is the first time for the reader's address.
    """
    leased = list[Lease]()
    with store.transaction() as tx:
        claimed = outgoing.claim(tx, ready.next, now, most)
        ready.claim(claimed, most)
        if not claimed:
            return
        held = matches.take_of_letters(tx, claimed)
        known = with_holders(tx, held.values())
        letters = outgoing.take(tx, claimed, now)
        dropped = set[tuple[int | None, str | None]]()  # to these seats
        for letter_id in claimed:
            letter = letters.get(letter_id)
            if letter is None or letter.match_id not in (*held, None):
                ready.not_ours.add(letter_id)
                continue
            if letter.seat is not None and letter.match not in known:
                _put_off(tx, letter, now)
                continue
            if answers.waits_for_report(tx, letter):
                continue
            to = _reader(tx, letter, context)
            if to is None:
                dropped.add((letter.match_id, letter.seat))
            else:
                if (letter.match_id, letter.seat) in dropped:
                    first = outgoing.is_first_report(tx, letter_id)
                    letter = structs.replace(letter, is_first_report=first)
                made = _made(tx, letter, to, now, context, known)
                outgoing.carry(tx, made.carries, letter.key)
                ready.finished.append(made)
                leased.append(_leased(letter, made, now, context))
        outgoing.lease(tx, leased)


def _leased(letter: DueLetter, made: ReadyLetter, now: datetime, context: Context) -> Lease:
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
        why = outbox.TOLD_BY_NEWER if letter.kind in TOLD_IN_REPORTS else None
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


def _made(
    tx: Tx, letter: DueLetter, to: str, now: datetime, context: Context, known: Mapping[str, Seated]
) -> ReadyLetter:
    fresh = letter.raw is None or letter.address not in (to, None)
    written = rendering.write(tx, letter, to, context, known, now=now) if fresh else None
    raw = written.raw if written else letter.raw
    assert raw is not None
    return ReadyLetter(
        id=letter.id,
        sender=rendering.sender_of(letter, context),
        to=to,
        raw=raw,
        since=written.since if written else letter.since,
        once=letter.kind == "aside",
        fresh=fresh,
        carries=written.carries if written else (),
    )


# How long a letter waits after each try that failed for now (letters, section 6).
BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (5, 30, 2 * 60, 6 * 60, 24 * 60))

# The longest time that one round takes: less than the five minutes between two ticks, so that a
# slow server delays no tick.
ROUND = timedelta(minutes=4)

SOME = 16  # letters at most whose bytes are made in one transaction
AHEAD = 8 * SOME  # letters of which these are claimed: there may be as many other workers
UNNOTED = 2.0  # seconds, about, after which letters that were taken are noted

_SLOW = say("outgoing mail is slow")


def deliver(store: Store, *, now: datetime, context: Context) -> Iterator[Progress]:
    """Deliver every letter that is due, through one connection.

    If the server cannot be reached or the time is up, the rest waits for the next tick.
    """
    with store.reading() as tx:
        waiting = outgoing.due(tx, now)
    if not waiting or context.open_transport is None or context.post is None:
        return
    try:
        way = context.open_transport()
    except BadTransport as trouble:
        raise Refusal(trouble.message) from None
    with way:
        yield from _Round(store, way, now, context).deliver(waiting)


class _Round:
    """The letters that one tick delivers."""

    def __init__(self, store: Store, way: Transport, now: datetime, context: Context) -> None:
        self._store, self._way, self._now, self._means = store, way, now, context
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
                yield from _left(self._store, [*left, *others], _SLOW)
                return []
            ready = Batch(left[:AHEAD])
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
        missing = fault_of_program(fault)
        if missing is None:
            yield from self._stumbled(letter_id, fault)
        elif str(missing) not in self._broken:  # it goes as soon as the program is whole again
            self._broken.add(str(missing))
            yield _broken_down(self._store, missing.message, self._now, self._means)

    def _stumbled(self, letter_id: int, fault: Exception) -> Iterator[Progress]:
        reason, at = f"a fault inside adjud ({type(fault).__name__})", self._moment
        with self._store.transaction() as tx:
            if outgoing.still_waits(tx, letter_id) is None:
                return
            told = _waits_for_a_human()
            queue.queue_warning_of_day(tx, "unsent", told, now=at, context=self._means)
            stuck = _stuck(tx, letter_id, reason)
        yield stuck

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
    store: Store, taken: Collection[ReadyLetter], untried: Collection[ReadyLetter], now: datetime
) -> None:
    """Note that letters were taken; those that are still to be tried stay ours."""
    if not (taken or untried):
        return
    with store.transaction() as tx:
        if taken:
            outgoing.mark_sent(tx, [letter.id for letter in taken], now)
        for letter in taken:
            if letter.once:
                outbox.forget(tx, letter.id)
        if untried:
            outgoing.keep_leased(tx, [letter.id for letter in untried], now + LEASE)


def _give_back(store: Store, letters: Collection[ReadyLetter], now: datetime) -> None:
    """End the lease of letters that were not tried."""
    for fresh in (True, False):
        if ids := [letter.id for letter in letters if letter.fresh is fresh]:
            with store.transaction() as tx:
                outgoing.give_back(tx, ids, now, fresh=fresh)


def _broken_down(store: Store, trouble: Message, now: datetime, context: Context) -> Progress:
    told = say("emails are waiting to be sent: {why}", why=trouble)
    with store.transaction() as tx:
        queue.queue_warning_of_day(tx, "broken", told, now=now, context=context)
    return Progress(told, urgent=True)


def _waits_for_a_human() -> Message:
    return say(
        "An email could not be sent because of an error in the program. It is still in the "
        "queue: `adjud mail queue list --status stuck` shows it, `adjud mail queue retry` sends "
        "it."
    )


def _left(store: Store, letter_ids: Collection[int], reason: Message | str) -> Iterator[Progress]:
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
            return [_stuck(tx, letter_id, reason)]
        again = now + BACK_OFF[tries]
        outbox.update(tx, letter_id, tries=tries + 1, next_at=again, reason=reason)
        return [
            Progress(say("email {id} is waiting: {reason}", id=keys.shown_id(shown), reason=reason))
            for shown in LETTERS_OUT.listed(tx, letter_id=letter_id, discreet=True)
        ]


def _stuck(tx: Tx, letter_id: int, reason: str) -> Progress:
    outbox.update(tx, letter_id, status="stuck", reason=reason, next_at=None)
    (letter,) = LETTERS_OUT.listed(tx, letter_id=letter_id)
    told = say("email {id} is stuck: {reason}", id=keys.shown_id(letter), reason=reason)
    return Progress(told, urgent=True)


def _never(
    store: Store, letter_id: int, reason: str, now: datetime, context: Context
) -> Sequence[Progress]:
    """Deal with a letter that the server refuses for good.

    A report is treated as if it had come back; for any other letter a human is needed.
    """
    with store.transaction() as tx:
        refused = outbox.refused(tx, letter_id)
        if refused is None:
            return []
        if refused.kind == "report":
            told = bounces.refuse(tx, refused, reason, now=now, context=context)
            return [Progress(told, urgent=refused.bounces > 0)]
        return [_stuck(tx, letter_id, reason)]
