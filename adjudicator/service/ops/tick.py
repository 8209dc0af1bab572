"""Do everything that is due, in every match or in one; this is what cron calls."""

from collections.abc import Generator, Iterator, Sequence
from datetime import datetime, timedelta
from time import monotonic

from adjudicator.core.message import Message, say
from adjudicator.service.base import files
from adjudicator.service.base.calendar import when
from adjudicator.service.base.context import Context, Keep, Progress, Refusal, fault_of_program
from adjudicator.service.base.loaded_match import Seated, Unopened, Unreadable, load
from adjudicator.service.base.public_number import why_unopened
from adjudicator.service.club import people
from adjudicator.service.club.offers import answering, substitutes
from adjudicator.service.competition import ladders
from adjudicator.service.inbound import collecting, reading, routing
from adjudicator.service.inbound.reading import LetterResult
from adjudicator.service.matches import entering, outage, results, unopened
from adjudicator.service.matches.adjudication import advance_first, set_aside
from adjudicator.service.matches.append_ply import tell_all
from adjudicator.service.ops import hooks
from adjudicator.service.outbound import delivery
from adjudicator.store import epochs, matches, turns, upkeep
from adjudicator.store.database import Clash, Store, StoreTrouble, Tx
from adjudicator.store.epochs import PastEpoch
from adjudicator.store.upkeep import Busy

# Tell the players of each match that a backup was restored, once, before anything else is done.


def tell_players(store: Store, *, now: datetime, context: Context) -> Iterator[Progress]:
    """Tell each match's players, each match in a transaction of its own.

    A match that cannot be read stops none of the others; it is tried again.
    """
    with store.reading() as tx:
        untold = epochs.untold(tx)
    for ended in untold:
        try:
            told = _tell(store, ended, now, context)
        except (Clash, Unreadable):
            continue  # a later tick tells them; that a match cannot be read is told by itself
        except StoreTrouble:
            raise
        except Exception:
            if context.raise_faults:
                raise
            why = say("its players could not be informed that the club was restored")
            yield Progress(why, ended.match, urgent=True)
        else:
            if told:
                done = say("its players are informed that the club was restored")
                yield Progress(done, ended.match)


def _tell(store: Store, ended: PastEpoch, now: datetime, context: Context) -> bool:
    with store.transaction() as tx:
        try:
            loaded = load(tx, ended.match)
        except Unopened as early:
            return _tell_early(tx, ended, early.waiting, now, context)
        if not epochs.mark_told(tx, ended.match_id, now):
            return False  # another worker was quicker
        turn = turns.one(tx, ended.match_id, min(ended.ply, loaded.match.ply)).turn
        tell_all(
            tx,
            loaded,
            "restore",
            _notice(ended, turn, loaded.match.epoch),
            now=now,
            context=context,
        )
        return True


def _tell_early(tx: Tx, ended: PastEpoch, found: Seated, now: datetime, context: Context) -> bool:
    """Tell the players of a match without a position, and what decides in it, once more."""
    if not epochs.mark_told(tx, ended.match_id, now):
        return False
    if found.match.status == "over":
        return True
    told = say(
        "The club was restored from its backup of {saved}. The match has not opened: {why}.",
        saved=when(ended.saved_at),
        why=why_unopened(found.match),
    )
    full = found.match.full_at is not None
    unopened.tell(tx, found, told, proofs=full, now=now, context=context)
    return True


def _notice(ended: PastEpoch, turn: int, epoch: str) -> Message:
    """Return what the players read, and the log keeps; `adjud audit` reads the last sentence."""
    return say(
        "The club was restored from its backup of {saved}. The match continues from turn {turn}: "
        "the later moves that you were sent are no longer valid, and orders that reply to them "
        "are not carried out. Epoch {ended} ends with ply {ply}, epoch {epoch} begins.",
        saved=when(ended.saved_at),
        turn=turn,
        ended=ended.epoch,
        ply=ended.ply,
        epoch=epoch,
    )


COMPUTER_ORDERS = 10_000  # a tick at most; the next one goes on
SOME = 16  # matches of which one is claimed: more than there are workers


def run_tick(
    store: Store, *, now: datetime, context: Context, match: str | None = None
) -> Iterator[Progress]:
    """Do all that cron calls for, and tell each thing as soon as it is done.

    The letters that have reached us are read, all that is due is done, in all matches or in one,
    the club's pages are built if they changed, and letters are delivered. While the mailbox cannot
    be reached nothing is adjudicated: orders may lie where we cannot see them. If another tick
    works on the same SQLite file for too long, nothing is done.
    """
    begun = monotonic()
    unreached = yield from _fetch(store, now, context)
    try:
        with upkeep.hold(store):
            try:
                yield from read_letters(store, now=now, context=context)
                if unreached is not None:
                    raise Refusal(unreached)
            except Refusal as refusal:
                for why in refusal.messages:
                    yield Progress(why, failed=True)
            else:
                yield from run_due(store, now=now, context=context, match=match, begun=begun)
    except Busy as busy:
        yield Progress(busy.message)
        return
    if context.pages is not None:
        from adjudicator.service.ops import pages  # most clubs have none

        yield from pages.refresh(store, now=now, context=context)
    yield from delivery.deliver(store, now=now, context=context)
    yield from hooks.hand_over(store, now=now, context=context)


def take_letters(store: Store, *, now: datetime, context: Context) -> Iterator[Progress]:
    """Fetch and read every letter that has reached us.

    Raises Refusal, after those that are here were read, if the configured mailbox cannot be
    reached, or the spool is another club's: until then no deadline counts as missed. Raises Busy if
    another tick is at work.
    """
    unreached = yield from _fetch(store, now, context)
    with upkeep.hold(store):
        for done in read_letters(store, now=now, context=context):
            if done.failed:
                unreached = unreached or done.text
            else:
                yield done
    if unreached is not None:
        raise Refusal(unreached)


def _fetch(
    store: Store, now: datetime, context: Context
) -> Generator[Progress, None, Message | None]:
    """Empty the configured mailbox into the spool; return why it cannot be reached."""
    if context.mailbox is None or context.spool is None:
        return None
    # With it come IMAP and mailboxes, which most clubs have no use for.
    from adjudicator.service.inbound import fetching

    skipped: dict[str, Message] = {}  # what cannot be read of it, by its place
    why: Message | None = None
    try:
        files.claim_spool(store, context.spool)
        password = context.mailbox.password()
        fetching.fetch_mailbox(context.mailbox.source, context.spool, password, skipped.setdefault)
    except Refusal as refusal:
        why = say(
            "emails cannot be fetched: {why}; nothing is adjudicated or decided until they can be",
            why=refusal.messages[0],
        )
    for place, told in skipped.items():
        if fetching.warn_of_skipped(store, place, told, now=now, context=context):
            yield Progress(told, urgent=True)
    return why


def read_letters(store: Store, *, now: datetime, context: Context) -> Iterator[Progress]:
    """Read and answer each letter in the spool; do nothing without a domain of ours."""
    if context.post is None:
        return
    if context.spool is not None:
        yield from collecting.collect(store, context.spool, now=now, context=context)
    for read in reading.read_all(store, now=now, context=context):
        yield from _told(read)
    routing.tell_of_unsigned(store, now=now, context=context)


def _told(read: LetterResult) -> Iterator[Progress]:
    """Tell what became of a letter; but nobody is told that a seat has written, for the operator
    may play against it."""
    if read.status in ("junk", "later", "stuck"):
        yield Progress(read.text, urgent=read.status == "stuck")


def run_due(
    store: Store,
    *,
    now: datetime,
    context: Context,
    match: str | None = None,
    begun: float | None = None,
) -> Iterator[Progress]:
    """Do all that is due at `now`, each thing in a transaction of its own, and tell it.

    `begun` is what the clock that is never set showed at `now`, if letters were read since.
    """
    with store.reading() as tx:
        chores = upkeep.chores(tx, now - collecting.REMEMBERED, now)
        due = matches.due(tx, now)
    if chores.restored:
        yield from tell_players(store, now=now, context=context)
    if match is None and chores.unfilled_since is not None:
        yield from results.fill(store)
    names = [match] if match else [one.name for one in due]
    overdue = [one.name for one in due if one.overdue and match in (None, one.name)]
    if overdue:
        yield from outage.hold_back(store, overdue, now=now, context=context)
        spent = timedelta(seconds=0 if begun is None else monotonic() - begun)
        left = outage.left_waiting(store, overdue, now=now, until=now + spent, context=context)
        names = [name for name in names if name not in left]
    if match is None and chores.offers:
        yield from answering.expire(store, now=now, context=context)
    yield from entering.fetch(store, now=now, context=context, match=match)
    seeks = chores.searches
    for done in _advance_all(store, names, now, context):
        seeks = seeks or done.seeks
        yield done
    if match is None and seeks:
        substitutes.look(store, now=now, context=context)
    if match is None and chores.has_tournaments:
        from adjudicator.service.competition import rounds  # most clubs have none

        yield from rounds.advance_all(store, now=now, context=context)
    if match is None and chores.challenges:
        yield from ladders.settle_all(store, now=now, context=context)
    if match is None and chores.unconfirmed:
        yield from people.remind_unconfirmed(store, now=now, context=context)
    first = match is None and _is_first_of_day(chores.last_tick, now)
    if first:
        yield from _look_at_all(store, now, context)
        yield from _keep(store, chores.last_tick, now, context)
    # This comes last, so that the tick after a killed one still knows what that one knew.
    if first or (match is None and outage.is_to_note(chores.last_tick, now, context)):
        outage.note(store, now, first=first)
    if match is None and chores.old_bytes:
        collecting.forget_bytes(store, now=now)


def _keep(
    store: Store, last: datetime | None, now: datetime, context: Context
) -> Iterator[Progress]:
    """Delete what is kept no longer, unless the clock has just made a leap: then nobody knows how
    old anything is."""
    if last is not None and now - last <= _LEAP and context.keep != Keep():
        from adjudicator.service.ops import keeping  # most clubs keep everything

        yield from keeping.apply(store, context.keep, now=now)


_LEAP = timedelta(days=2)


def _is_first_of_day(last: datetime | None, now: datetime) -> bool:
    return last is not None and last.date() != now.date()


def _look_at_all(store: Store, now: datetime, context: Context) -> Iterator[Progress]:
    """Find the matches that cannot be read, before their time comes or a letter does."""
    for fault in outage.unreadable(store, every=False):
        with store.transaction() as tx:
            done = outage.lay_aside(tx, fault, now=now, context=context)
        if done:
            yield done


def _advance_all(
    store: Store, names: Sequence[str], now: datetime, context: Context
) -> Iterator[Progress]:
    """Do all that is due in these matches, beside other workers, who have the same list.

    Each match is done by whoever claims it first. Of those that are done already, or that another
    one has, many are passed over at once.
    """
    allowance, passed = COMPUTER_ORDERS, 0
    while passed < len(names) and allowance > 0:
        looked_at, name, done = _advance_first(store, names[passed : passed + SOME], now, context)
        passed += looked_at
        while done:
            allowance -= done.computer_orders
            yield done
            if done.sleeps or allowance <= 0:
                break
            _, _, done = _advance_first(store, [name], now, context)


def _advance_first(
    store: Store, names: Sequence[str], now: datetime, context: Context
) -> tuple[int, str, Progress | None]:
    """Do the next step in the first match that can be claimed; return how many are passed, its
    name, and what was done.

    A match that cannot be adjudicated is held and does not stop the others. If a part of the
    program is missing, it waits. A fault of the database stops all.
    """
    claimed: list[str] = []
    done: Progress | None = None
    try:
        done = advance_first(store, names, now=now, context=context, claimed=claimed.append)
    except Exception as fault:
        if not claimed and len(names) > 1:  # one of them cannot even be claimed
            return _advance_first(store, names[:1], now, context)
        done = _not_advanced(store, (claimed or names)[0], fault, now, context)
    if not claimed:
        return len(names), names[0], done
    return names.index(claimed[0]) + 1, claimed[0], done


def _not_advanced(
    store: Store, name: str, fault: Exception, now: datetime, context: Context
) -> Progress | None:
    if isinstance(fault, Clash):
        return None  # the next tick does it
    if isinstance(fault, StoreTrouble):
        raise fault
    if context.raise_faults and not isinstance(fault, Unreadable):
        raise fault
    if missing := fault_of_program(fault):
        waits = say("waiting: {why}", why=missing.message)
        return Progress(waits, name, sleeps=True, urgent=True)
    return set_aside(store, name, fault, now=now, context=context)
