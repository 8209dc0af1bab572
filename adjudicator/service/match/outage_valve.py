"""What a tick does after an outage (letters, section 7).

If something may have kept the players' letters from us, nothing is adjudicated on a missed
deadline. A wrong reveal cannot be taken back.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta

from adjudicator.core.message import Message, say
from adjudicator.mail.transport import spool
from adjudicator.service.base import arrival, spool_mark
from adjudicator.service.base.calendar import in_zone
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Loaded, Unreadable, gather
from adjudicator.service.base.next_step import missed, time_was_up
from adjudicator.service.base.progress import Progress
from adjudicator.service.match.told_to_all import tell_all
from adjudicator.service.outbox import to_queue
from adjudicator.store import clock, inbox, matches, unheard, upkeep
from adjudicator.store.database import Store, StoreTrouble, Tx
from adjudicator.store.unheard import Unheard

PRECISION = timedelta(hours=1)  # how exact the noted time is, so that not every tick writes
SLACK = timedelta(minutes=10)  # by so much the clocks of programs that run at once may differ


def hold_back(
    store: Store, overdue: Collection[str], *, now: datetime, means: Means
) -> Iterator[Progress]:
    """Hold the matches with silent seats whose time is up, if there is reason to doubt the silence.

    All of them are held, and the letter to the operator is queued, in one transaction.
    """
    with store.transaction() as tx:
        last = clock.last_tick(tx)
        loaded = [one for name in overdue if (one := _load(tx, name, means))]
        doubted = [one for one in loaded if missed(one, now)[1]]
        reason = _of_clock(last, now, means) or _of_silence(loaded, now, means)
        if reason is None:
            doubted = _with_letters(doubted, unheard.all_stuck(tx), now, now)
            reason = _of_letters()
        if not doubted:
            return
        held = [_hold(tx, one, reason, now, means) for one in doubted]
        told = say(
            "{reason}. These matches are past their deadline without all orders; nothing was "
            "adjudicated and they are held: {matches}. For each of them "
            "`adjud gm resume MATCH --reason TEXT --extend DURATION` goes on.",
            reason=reason,
            matches=", ".join(done.match for done in held),
        )
        to_queue.queue_warning(tx, told, now=now, means=means)
    yield from held


def left_waiting(
    store: Store, overdue: Collection[str], *, now: datetime, until: datetime, means: Means
) -> Collection[str]:
    """Return the matches that must wait because a letter that was not read may be of a silent seat.

    Their time is up, and the letter lies unread though we have read: another worker has it, or it
    could not be taken from the spool, or the spool is another club's, and the next tick knows more;
    or the letter was put off. A letter that came after their time does not make them wait: in a
    flood there is always one more. `until` is the present time, as late as this tick has become.

    The spool is looked at before the database: what another worker has taken from there by then is
    in what we see of the database, which is as it was when we first looked.
    """
    in_spool = list(_in_spool(means))
    with store.reading() as tx:
        unread, later = _unread(tx, in_spool, now, means), unheard.put_off(tx, now)
        if not (unread or later):
            return ()
        loaded = [one for name in overdue if (one := _load(tx, name, means))]
        silent = [one for one in loaded if missed(one, now)[1]]
        left = [one for one in silent if any(_is_in_time(at, one, now, until) for at in unread)]
        left += _with_letters(silent, later, now, until)
        return {one.match.name for one in left}


def is_to_note(last: datetime | None, now: datetime, means: Means) -> bool:
    """Return whether this tick must be written down."""
    precision = min(PRECISION, means.max_gap / 4) if means.max_gap else PRECISION
    return last is None or now - last >= precision or now < last - SLACK


def note(store: Store, now: datetime, *, first: bool) -> None:
    """Write the tick down, the first of a day always; another not if no match waits for any time,
    for then nothing can be missed."""
    with store.reading() as tx:
        waits = upkeep.longest_due(tx) is not None
    if waits or first:
        with store.transaction() as tx:
            clock.ticked(tx, now)


def _load(tx: Tx, name: str, means: Means) -> Loaded | None:
    """Load a match; return None if it cannot be read: the tick will come to it and set it aside."""
    try:
        match = matches.find(tx, name)
        return gather(tx, match) if match and match.status == "playing" else None
    except StoreTrouble:
        raise
    except Unreadable:
        return None
    except Exception:
        if means.raise_faults:
            raise
        return None


def _of_clock(last: datetime | None, now: datetime, means: Means) -> Message | None:
    if last is None or means.max_gap is None:
        return None
    if now - last > means.max_gap:
        return say("`adjud tick` had not run since {when}", when=in_zone(last, "UTC"))
    if now < last - SLACK:
        return say("the clock is behind the last tick, {when}", when=in_zone(last, "UTC"))
    return None


def _of_silence(loaded: Sequence[Loaded], now: datetime, means: Means) -> Message | None:
    """Return the reason to doubt that so many seats are silent, if there is one.

    It has no numbers: they would tell the operator, who may play, who has sent.
    """
    if means.max_silent is None:
        return None
    found = [missed(one, now) for one in loaded]
    due = sum(len(awaited) for awaited, _ in found)
    silent = sum(len(silent) for _, silent in found)
    if silent > means.max_silent and 2 * silent > due:
        return say("more seats than usual are silent at their deadline")
    return None


def _unread(
    tx: Tx, in_spool: Sequence[datetime | None], now: datetime, means: Means
) -> list[datetime | None]:
    """Return when the letters came that lie unread; None where nobody knows it."""
    if means.post is None:  # letters are not read at all
        return []
    if means.spool and spool_mark.is_anothers(tx, means.spool):
        return [None]
    return [*in_spool, *inbox.unread_since(tx, now)]


def _in_spool(means: Means) -> Iterator[datetime | None]:
    """Yield when the letters came that lie in the spool; None where nobody knows it."""
    folder = means.spool
    if means.post is None or folder is None:
        return
    for name in spool.names(folder):
        try:
            found = spool.read(folder, name)
        except (OSError, spool.NoLetter):
            yield None
        else:
            if found:
                yield arrival.received_at(found.envelope, found.raw)


def _is_in_time(at: datetime | None, loaded: Loaded, now: datetime, until: datetime) -> bool:
    """Return whether a letter that came then may be from before the time of a silent seat was up.

    A time that has not come yet was written by a clock that ran ahead, so it tells nothing.
    """
    return at is None or at <= time_was_up(loaded, now) + SLACK or at > until + SLACK


def _of_letters() -> Message:
    return say(
        "a letter that may hold orders is stuck (`adjud mail queue list --status stuck`, then "
        "`retry` or `drop`)"
    )


def _with_letters(
    loaded: Sequence[Loaded], letters: Sequence[Unheard], now: datetime, until: datetime
) -> list[Loaded]:
    """Keep the matches of which a silent seat has written, or may have if nobody knows who
    wrote."""
    return [
        one
        for one in loaded
        if any(_may_hold_orders(letter, one, now, until) for letter in letters)
    ]


def _may_hold_orders(letter: Unheard, loaded: Loaded, now: datetime, until: datetime) -> bool:
    match = loaded.match
    if letter.match_id is None:  # anybody can write such letters, as many as he likes
        in_time = _is_in_time(letter.received_at, loaded, now, until)
        return letter.received_at >= loaded.since and in_time
    of_silent = letter.match_id == match.id and letter.seat in missed(loaded, now)[1]
    return of_silent and (letter.ply == match.ply + 1 or letter.received_at >= loaded.since)


def _hold(tx: Tx, loaded: Loaded, reason: Message, now: datetime, means: Means) -> Progress:
    trouble = say("the deadline has passed, but {reason}; the match is held", reason=reason)
    changes = {"status": "held", "held_at": now, "wake_at": None, "trouble": str(trouble)}
    matches.update(tx, loaded.match.id, **changes)
    told = say(
        "The deadline has passed, but letters may have been kept from us. Nothing was adjudicated "
        "and the match is held until the game master lets it go on; orders are still taken."
    )
    tell_all(tx, loaded, "hold", told, now=now, means=means)
    return Progress(trouble, loaded.match.name, urgent=True)
