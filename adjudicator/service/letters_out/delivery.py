"""Hand over the letters that wait in the outbox.

A letter's bytes are stored before the first hand-over and then repeated unchanged until the server
has taken them. A crash in between sends the same Message-ID again, never other content. Once they
were taken they are not kept; a letter that must go again is made anew from its row.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from adjudicator.core.message import Message, say
from adjudicator.mail.transport.send import Way
from adjudicator.mail.transport.ways import BadWay, Permanent, Temporary, Unreachable
from adjudicator.resources import Incomplete
from adjudicator.service.base import letter_ids
from adjudicator.service.base.breakdown import of_program
from adjudicator.service.base.environment import Means
from adjudicator.service.base.progress import Progress
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.letters_in import bounces
from adjudicator.service.letters_out import writing
from adjudicator.service.letters_out.writing import Finished
from adjudicator.service.outbox import to_queue
from adjudicator.store import outbox
from adjudicator.store.database import Clash, Store, StoreTrouble, Tx

# How long a letter waits after each try that failed for now (letters, section 6).
BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (5, 30, 2 * 60, 6 * 60, 24 * 60))

# The longest time that one round takes: less than the five minutes between two ticks, so that a
# slow server delays no tick.
ROUND = timedelta(minutes=4)

# How long no other worker takes a letter that is being handed over: longer than any server needs.
# It runs out only if the worker was killed, and then the letter goes again.
LEASE = timedelta(minutes=15)


def deliver(store: Store, *, now: datetime, means: Means) -> Iterator[Progress]:
    """Hand over every letter that is due, through one connection.

    If the server cannot be reached or the time is up, the rest waits for the next tick.
    """
    with store.reading() as tx:
        waiting = outbox.due(tx, now)
    if not waiting or means.open_way is None or means.post is None:
        return
    try:
        way = means.open_way()
    except BadWay as trouble:
        raise Refusal(trouble.message) from None
    began = monotonic()  # with a slow server the last letters go much later than `now`
    broken: set[str] = set()
    with way:
        for n, letter_id in enumerate(waiting):
            passed = timedelta(seconds=monotonic() - began)
            if passed > ROUND:
                yield from _left(store, waiting[n:], say("the way out is slow"))
                return
            moment = now + timedelta(minutes=passed // timedelta(minutes=1))
            try:
                yield from _one(store, letter_id, way, moment, means)
            except Unreachable as trouble:
                yield from _later(store, letter_id, str(trouble), moment)
                yield from _left(store, waiting[n + 1 :], str(trouble))
                return
            except Incomplete as trouble:  # it goes as soon as the program is whole again
                if str(trouble) not in broken:
                    broken.add(str(trouble))
                    yield _broken_down(store, trouble.message, now, means)


def _one(store: Store, letter_id: int, way: Way, now: datetime, means: Means) -> Sequence[Progress]:
    """Hand over one letter. If it cannot go, that never stops the others."""
    try:
        return _hand_over(store, letter_id, way, now, means)
    except Clash:
        return []  # the next tick sends it
    except (StoreTrouble, Unreachable):
        raise
    except Exception as fault:
        if means.raise_faults:
            raise
        if missing := of_program(fault):
            raise missing from fault
        reason = f"a fault inside adjud ({type(fault).__name__})"
    with store.transaction() as tx:
        if outbox.still_waits(tx, letter_id) is None:
            return []
        to_queue.queue_warning_of_day(tx, "unsent", _waits_for_a_human(), now=now, means=means)
        return [_stuck(tx, letter_id, reason)]


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


def _hand_over(
    store: Store, letter_id: int, way: Way, now: datetime, means: Means
) -> Sequence[Progress]:
    finished = _finish(store, letter_id, now, means)
    if finished is None:
        return []
    try:
        way.hand_over(finished.sender, finished.to, finished.raw)
    except Unreachable:
        raise
    except Temporary as trouble:
        return _later(store, letter_id, str(trouble), now)
    except Permanent as trouble:
        return _never(store, letter_id, str(trouble), now, means)
    with store.transaction() as tx:
        outbox.update(tx, letter_id, status="sent", sent_at=now, next_at=None, raw=None)
        if finished.once:
            outbox.forget(tx, letter_id)
    return []


def _finish(store: Store, letter_id: int, now: datetime, means: Means) -> Finished | None:
    """Return the letter's bytes and lease it for a while; return None if it is not to go.

    The bytes are made and stored if this is the first time for its reader's address.
    """
    with store.transaction() as tx:
        outbox.hold_match(tx, letter_id)
        letter = outbox.take(tx, letter_id, now)
        if letter is None:
            return None
        if writing.is_superseded(tx, letter):
            why = outbox.TOLD_BY_NEWER if letter.kind == "report" else None
            outbox.update(tx, letter_id, status="dropped", next_at=None, reason=why)
            return None
        if not writing.may_go(tx, letter):
            outbox.update(tx, letter_id, status="unconfirmed", next_at=None)
            return None
        to = writing.address_of(tx, letter, means)
        if not to:
            outbox.update(tx, letter_id, status="stuck", reason="no address is set", next_at=None)
            return None
        ours: dict[str, Any] = {"next_at": now + LEASE}
        raw = letter.raw
        if raw is None or letter.address not in (to, None):
            raw = writing.write(tx, letter, to, means)
            tag = writing.bounce_tag_of(letter, means)
            ours |= {"raw": raw, "bounce_tag": tag, "address": to}
        outbox.update(tx, letter_id, **ours)
        sender = writing.sender_of(letter, means)
        return Finished(sender, to, raw, once=letter.kind == "aside")


def _left(store: Store, letter_ids: Collection[int], reason: Message | str) -> Iterator[Progress]:
    """Tell that letters were not tried in this round, if the queue shows any of them."""
    with store.reading() as tx:
        shown = outbox.listed(tx, ["waiting"], discreet=True)
    if not {letter.id for letter in shown}.isdisjoint(letter_ids):
        text = say("the other letters wait for the next tick: {reason}", reason=reason)
        yield Progress(text)


def _later(store: Store, letter_id: int, reason: str, now: datetime) -> Sequence[Progress]:
    """Let a letter wait, longer each time; after the last time a human must look.

    This is told only of letters that the queue shows: any other would tell who has sent orders.
    """
    with store.transaction() as tx:
        tries = outbox.still_waits(tx, letter_id)
        if tries is None:
            return []
        if tries >= len(BACK_OFF):
            return [_stuck(tx, letter_id, reason)]
        again = now + BACK_OFF[tries]
        outbox.update(tx, letter_id, tries=tries + 1, next_at=again, reason=reason)
        return [
            Progress(say("letter {id} waits: {reason}", id=letter_ids.id_of(shown), reason=reason))
            for shown in outbox.listed(tx, letter_id=letter_id, discreet=True)
        ]


def _stuck(tx: Tx, letter_id: int, reason: str) -> Progress:
    outbox.update(tx, letter_id, status="stuck", reason=reason, next_at=None)
    (letter,) = outbox.listed(tx, letter_id=letter_id)
    told = say("letter {id} is stuck: {reason}", id=letter_ids.id_of(letter), reason=reason)
    return Progress(told, urgent=True)


def _never(
    store: Store, letter_id: int, reason: str, now: datetime, means: Means
) -> Sequence[Progress]:
    """Deal with a letter that the server refuses for good.

    A report is treated as if it had come back; for any other letter a human is needed.
    """
    with store.transaction() as tx:
        refused = outbox.refused(tx, letter_id)
        if refused is None:
            return []
        if refused.kind == "report":
            told = bounces.refuse(tx, refused, reason, now=now, means=means)
            return [Progress(told, urgent=refused.bounces > 0)]
        return [_stuck(tx, letter_id, reason)]
