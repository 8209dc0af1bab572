"""Deliver the emails that wait in the outbox, some at a time.

Theory of operation. One transaction makes the bytes of some emails, stores them, and leases these
emails to this worker. Then they are handed over one after the other, with nothing locked. A second
transaction notes which of them were taken. An email's bytes are so stored before the first
hand-over, and then repeated unchanged until the server has taken them. A crash in between sends
those that were not yet noted again when the lease has run out, with the same Message-ID and never
other content. Once they were taken the bytes are not kept; an email that must go again is made anew
from its row.

Before all that, what can wait for the one email a day of its reader is told from what goes at once
(`outbound/daily`). A daily email is delivered like any other. What it carries shares its fate in
the same transactions: it is leased, put off and noted as sent with it (`store/daily`).
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
from adjudicator.service.base import game_faults, keys
from adjudicator.service.base.context import (
    Context,
    OpenClub,
    Progress,
    Refusal,
    Session,
    fault_of_program,
)
from adjudicator.service.base.jobs import isolate, raise_what_stops_all
from adjudicator.service.base.loaded_match import Seated, with_holders
from adjudicator.service.club.offers import wishes
from adjudicator.service.inbound import bounces
from adjudicator.service.outbound import answers, rendering
from adjudicator.service.outbound import daily as daily_email
from adjudicator.service.outbound.rendering import is_superseded, may_go
from adjudicator.service.outbox import faults
from adjudicator.service.outbox.queue import alert
from adjudicator.store import daily, matches, outbox, outgoing, players
from adjudicator.store.database import Clash, Store, Tx
from adjudicator.store.listings import EMAILS_OUT
from adjudicator.store.outgoing import DueEmail

# Claim some emails, make their bytes and lease them, in one transaction.
#
# `delivery` opens with the theory of it.


# How long no other worker takes an email that is being delivered: longer than any server needs.
# It runs out only if the worker was killed, and then the email goes again.
LEASE = timedelta(minutes=15)

UNREADABLE_AGAIN = timedelta(hours=1)  # until an email is tried whose match could not be read


class Batch:
    """Some of the next emails: those that were claimed, and of these those that are to go."""

    def __init__(self, email_ids: Sequence[int]) -> None:
        self.next = email_ids
        self.seen = len(email_ids)  # so many of them were looked at
        self.claimed: Sequence[int] = ()
        self.finished: list[DueEmail] = []
        # Claimed, but gone, or another worker has their match or player.
        self.not_ours: set[int] = set()

    def claim(self, email_ids: Sequence[int], most: int) -> None:
        self.claimed = email_ids
        if len(email_ids) == most:
            self.seen = self.next.index(email_ids[-1]) + 1

    @property
    def others(self) -> list[int]:
        """Return those that were looked at and that another worker may hold."""
        ours = set(self.claimed) - self.not_ours
        return [letter_id for letter_id in self.next[: self.seen] if letter_id not in ours]


def make_ready(club: OpenClub, ready: Batch, most: int, alone: Collection[int] = ()) -> None:
    """Claim some emails, make their bytes and lease them for a while.

    The bytes are made and stored if this is the first time for the reader's address. Those that may
    wait for a daily email, and are not among the `alone`, are left for the next tick.
    """
    with club.session() as s:
        claimed = outgoing.claim(s.tx, ready.next, club.now, most)
        ready.claim(claimed, most)
        if not claimed:
            return
        held = matches.take_of_emails(s.tx, claimed)
        known = with_holders(s.tx, held.values())
        readers = players.take_of_emails(s.tx, claimed)
        emails = outgoing.take(s.tx, claimed, club.now)
        dropped = set[tuple[int | None, str | None]]()  # to these seats
        for letter_id in claimed:
            email = emails.get(letter_id)
            if email is None or email.match_id not in (*held, None):
                ready.not_ours.add(letter_id)
                continue
            if email.seat is None and email.player_id not in (*readers, None):
                ready.not_ours.add(letter_id)
                continue
            if email.seat is not None and email.match not in known:
                _put_off(s.tx, email, club.now)
                continue
            if answers.waits_for_report(s.tx, email):
                continue
            if email.kind == daily.KIND:
                if not daily.matches_of(s.tx, letter_id) <= held.keys():
                    ready.not_ours.add(letter_id)
                    continue
                made = _daily(s, email, known)
                if made is not None:
                    ready.finished.append(made)
                    _lease(s, made)
                continue
            if letter_id not in alone and _may_wait(email):
                continue
            to = _reader(s.tx, email, club.context)
            if to is None:
                dropped.add((email.match_id, email.seat))
            else:
                if (email.match_id, email.seat) in dropped:
                    first = outgoing.is_first_report(s.tx, letter_id)
                    email = structs.replace(email, is_first_report=first)
                made = _with_bytes(email, to) or rendering.write(s, email, to, known)
                ready.finished.append(made)
                # At once, because the next email of a seat is numbered by the bytes that stand.
                _lease(s, made)
        if whole := _ids_of_daily(ready.finished):
            daily.mirror(s.tx, whole)


def _may_wait(email: DueEmail) -> bool:
    """Return whether an email may wait for a daily email: it was queued after that was looked
    at."""
    is_fresh = email.raw is None and email.is_untried and email.confirmed
    wishes = email.letters == "daily" and is_fresh
    return wishes and daily_email.can_wait(email.kind, email.key, email.body)


def _daily(s: Session, email: DueEmail, known: Mapping[str, Seated]) -> DueEmail | None:
    """Return a daily email with its bytes; None if it is not to go now, which is noted."""
    settled = daily_email.settle(s.tx, email, known, s.now)
    if settled is None:
        outbox.update(s.tx, email.id, status="dropped", next_at=None)
        return None
    email, parts = settled
    to = _reader(s.tx, email, s.context)
    if to is None:
        daily.mirror(s.tx, [email.id])
        return None
    return _with_bytes(email, to) or daily_email.write(s, email, parts, to, known)


def _with_bytes(email: DueEmail, to: str) -> DueEmail | None:
    """Return an email that has its bytes for that address from before."""
    if email.raw is None or email.address not in (to, None):
        return None
    return structs.replace(email, address=to)


def _ids_of_daily(emails: Collection[DueEmail]) -> list[int]:
    """Return the ids of the daily emails; what they carry goes with them."""
    return [email.id for email in emails if email.kind == daily.KIND]


def _lease(s: Session, email: DueEmail) -> None:
    outgoing.lease(s.tx, email, rendering.bounce_tag_of(email, s.context), s.now + LEASE)


def _reader(tx: Tx, email: DueEmail, context: Context) -> str | None:
    """Return the address to which an email goes; None, which is noted, if it is not to go."""
    if is_superseded(tx, email):
        why = outbox.TOLD_BY_NEWER if KINDS[email.kind].is_told_in_reports else None
        outbox.update(tx, email.id, status="dropped", next_at=None, reason=why)
        outbox.release_receipts(tx, [email.key])
        return None
    if not may_go(email):
        outbox.update(tx, email.id, status="unconfirmed", next_at=None)
        return None
    to = rendering.address_of(email, context)
    if not to:
        outbox.update(tx, email.id, status="stuck", reason="no address is set", next_at=None)
        return None
    return to


def _put_off(tx: Tx, email: DueEmail, now: datetime) -> None:
    """Let an email to a seat wait whose match cannot be read; that may be mended."""
    outbox.update(tx, email.id, next_at=now + UNREADABLE_AGAIN, reason="its match cannot be read")


# How long an email waits after each try that failed for now (emails, section 6).
BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (5, 30, 2 * 60, 6 * 60, 24 * 60))

# The longest time that one round takes. The next ticks do not wait for it: they find what is left.
ROUND = timedelta(minutes=4)

SOME = 16  # emails at most whose bytes are made in one transaction
AHEAD = 8 * SOME  # emails of which these are claimed: there may be as many other workers
UNNOTED = 2.0  # seconds, about, after which emails that were taken are noted

_SLOW = say("outgoing mail is slow")


def deliver(club: OpenClub) -> Iterator[Progress]:
    """Deliver every email that is due, through one connection.

    If the server cannot be reached or the time is up, the rest waits for the next tick.
    """
    with club.store.reading() as tx:
        waiting, readers = outgoing.due_to(tx, club.now)
    if not waiting or club.context.open_transport is None or club.context.post is None:
        return
    alone: Collection[int] = ()
    if readers:
        alone = daily_email.gather(club, readers)
        with club.store.reading() as tx:
            waiting = outgoing.due(tx, club.now)
        if not waiting:
            return
    try:
        way = club.context.open_transport()
    except BadTransport as trouble:
        raise Refusal(trouble.message) from None
    with way:
        yield from _Round(club, way, alone).deliver(waiting)


class _Round:
    """The emails that one tick delivers."""

    def __init__(self, club: OpenClub, way: Transport, alone: Collection[int] = ()) -> None:
        self._club, self._store, self._way = club, club.store, way
        self._alone = alone  # those that might have waited for a daily email
        self._began = monotonic()  # with a slow server the last emails go much later than `now`
        self._broken: set[str] = set()
        self._is_over = False

    def deliver(self, waiting: Sequence[int]) -> Iterator[Progress]:
        """Deliver all of them; where one cannot go, that never stops the others.

        What other workers hold comes last. When they hold all that is left we wait until one email
        is let go, and by then the worker who had it has mostly leased others, too.
        """
        left = waiting
        while left:
            others = yield from self._all(left)
            left = self._still_due(others)
            if left and left == others:
                with suppress(Clash), self._store.transaction() as tx:
                    outgoing.wait_for(tx, left[0])

    def _club_at(self, moment: datetime) -> OpenClub:
        return OpenClub(self._store, moment, self._club.context)

    def _still_due(self, email_ids: Sequence[int]) -> list[int]:
        if self._is_over or not email_ids:
            return []
        with self._store.reading() as tx:
            due = set(outgoing.due(tx, self._moment))
        return [letter_id for letter_id in email_ids if letter_id in due]

    def _all(self, waiting: Sequence[int]) -> Generator[Progress, None, list[int]]:
        """Return the emails that other workers hold; none, if the round is over."""
        left, most, others = list(waiting), SOME, list[int]()
        while left:
            if self._is_late():
                self._is_over = True
                yield from _tell_left(self._store, [*left, *others], _SLOW)
                return []
            ready = Batch(left[:AHEAD])
            try:
                make_ready(self._club_at(self._moment), ready, most, self._alone)
            except Clash:
                ready.finished.clear()  # the next tick sends them
            except Exception as fault:
                raise_what_stops_all(fault, self._club.context)
                if not ready.claimed:  # then it is no email's fault
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
        return self._club.now + timedelta(minutes=self._passed // timedelta(minutes=1))

    def _is_late(self) -> bool:
        return self._passed > ROUND

    def _cannot_be_written(self, letter_id: int, fault: Exception) -> Iterator[Progress]:
        """Put an email aside over which we stumble; tell, once, if a file of the program is
        missing."""
        missing = fault_of_program(fault)
        if missing is None:
            yield from self._tell_stumble(letter_id, fault)
        elif str(missing) not in self._broken:  # it goes as soon as the program is whole again
            self._broken.add(str(missing))
            yield _broken_down(self._club, missing.message)

    def _tell_stumble(self, letter_id: int, fault: Exception) -> Iterator[Progress]:
        reason, at = f"a fault inside {game_faults.whose(fault)}", self._moment
        with self._club_at(at).session() as s:
            if outgoing.still_waits(s.tx, letter_id) is None:
                return
            if daily.dissolve(s.tx, letter_id, at):
                return  # what cannot be written shows when it is tried by itself
            told = _waits_for_a_human()
            alert(s, told, "unsent", once="day")
            outbox.update(s.tx, letter_id, status="stuck", reason=reason, next_at=None)
        tell = partial(faults.tell, self._club_at(at), "")
        yield from isolate(self._tell_stuck(letter_id, reason), tell)

    def _tell_stuck(self, letter_id: int, reason: str) -> Iterator[Progress]:
        with self._store.transaction() as tx:
            told = _put_aside(tx, letter_id, reason)
        yield from told

    def _deliver(self, email: DueEmail) -> None:
        assert email.raw is not None
        assert email.address is not None
        sender = rendering.sender_of(email, self._club.context)
        self._way.deliver(sender, email.address, email.raw)

    def _hand_over(
        self, finished: Sequence[DueEmail]
    ) -> Generator[Progress, None, tuple[list[int], Message | str | None]]:
        """Deliver emails that are ready; return those that were not tried, and why not."""
        untried, taken = deque(finished), list[DueEmail]()
        reason: Message | str | None = None
        noted = monotonic()
        try:
            while untried and reason is None:
                email = untried.popleft()
                try:
                    self._deliver(email)
                except Temporary as trouble:
                    yield from _later(self._store, email.id, str(trouble), self._moment)
                    reason = str(trouble) if isinstance(trouble, Unreachable) else None
                except Permanent as trouble:
                    why = str(trouble)
                    yield from _never(self._club_at(self._moment), email.id, why)
                except Exception as fault:
                    raise_what_stops_all(fault, self._club.context)
                    yield from self._cannot_be_written(email.id, fault)
                else:
                    taken.append(email)
                if reason is None and untried and self._is_late():
                    reason = _SLOW
                if monotonic() - noted > UNNOTED:
                    _note(self._store, taken, untried, self._moment)
                    taken, noted = [], monotonic()
        finally:
            _note(self._store, taken, (), self._moment)
            _give_back(self._store, untried, self._moment)
        return [email.id for email in untried], reason


def _note(
    store: Store, taken: Collection[DueEmail], untried: Collection[DueEmail], now: datetime
) -> None:
    """Note that emails were taken; those that are still to be tried stay ours."""
    if not (taken or untried):
        return
    with store.transaction() as tx:
        if taken:
            outgoing.mark_sent(tx, [email.id for email in taken], now)
        if whole := _ids_of_daily(taken):
            daily.mark_sent(tx, whole, now)
        for email in taken:
            if email.kind == "aside":  # what is told once only
                outbox.forget(tx, email.id)
        if untried:
            outgoing.keep_leased(tx, [email.id for email in untried], now + LEASE)
            if whole := _ids_of_daily(untried):
                daily.mirror(tx, whole)


def _give_back(store: Store, emails: Collection[DueEmail], now: datetime) -> None:
    """End the lease of emails that were not tried."""
    for fresh in (True, False):
        if ids := [email.id for email in emails if email.is_fresh is fresh]:
            with store.transaction() as tx:
                outgoing.give_back(tx, ids, now, fresh=fresh)
                if whole := _ids_of_daily(emails):
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
    store: Store, email_ids: Collection[int], reason: Message | str
) -> Iterator[Progress]:
    """Tell that emails were not tried in this round, if the queue shows any of them."""
    with store.reading() as tx:
        shown = EMAILS_OUT.emails(tx, ["waiting"], discreet=True)
    if not {email.id for email in shown}.isdisjoint(email_ids):
        text = say("the other emails wait for the next tick: {reason}", reason=reason)
        yield Progress(text)


def _later(store: Store, letter_id: int, reason: str, now: datetime) -> Sequence[Progress]:
    """Let an email wait, longer each time; after the last time a human must look.

    This is told only of emails that the queue shows: any other would tell who has sent orders.
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
            for shown in EMAILS_OUT.emails(tx, ["waiting"], letter_id, discreet=True)
        ]


def _put_aside(tx: Tx, letter_id: int, reason: str) -> Sequence[Progress]:
    """Let an email wait for a human, and tell it. Of a daily email nothing is told but what it
    carries, as far as the queue shows that."""
    outbox.update(tx, letter_id, status="stuck", reason=reason, next_at=None)
    carried = daily.get_stuck(tx, letter_id)
    (email,) = EMAILS_OUT.emails(tx, letter_id=letter_id)
    if email.kind == daily.KIND:
        stuck = [one for number in carried for one in EMAILS_OUT.emails(tx, letter_id=number)]
    else:
        stuck = [email]
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
    """Deal with an email that the server refuses for good.

    A report is treated as if it had come back; for any other email a human is needed.
    """
    with club.session() as s:
        refused = outbox.refused_email(s.tx, letter_id)
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
