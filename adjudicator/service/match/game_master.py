"""The game master's tools. Every use is logged with its reason and told to the players."""

from datetime import datetime, timedelta
from functools import reduce

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, both, say
from adjudicator.core.orders import shown
from adjudicator.service.base import deadlines
from adjudicator.service.base.calendar import in_zone, later, when
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Loaded, load, load_open, seat_of
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.match import append_ply, deadline_setting, forfeits, handover
from adjudicator.service.match.creation import holder_of
from adjudicator.service.match.seating import keep_apart
from adjudicator.service.match.told_to_all import log, tell_all
from adjudicator.store import matches
from adjudicator.store.database import Store, Tx

MOST_SAID = 2000  # characters of a notice


def hold(store: Store, name: str, *, reason: str, now: datetime, means: Means) -> Message:
    """Hold the match: nothing is adjudicated until `resume`; sheets are still taken."""
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        if loaded.match.status != "playing":
            raise Refusal(say("{match} is {status} already", **_status(loaded)))
        matches.update(tx, loaded.match.id, status="held", held_at=now)
        told = say("The game master holds the match.")
        tell_all(tx, loaded, "hold", told, reason, now=now, means=means)
        return say("{match} is held", match=loaded.match.name)


def resume(
    store: Store,
    name: str,
    *,
    reason: str,
    extend: timedelta,
    sure: bool = False,
    zone: str = "UTC",
    now: datetime,
    means: Means,
) -> Message:
    """Go on with a held match; the seats get the time that was left, and `extend`.

    Raises Doubtful if that is very long and nobody is `sure`.
    """
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        match = loaded.match
        if match.status != "held" or match.held_at is None:
            raise Refusal(say("{match} is not held", match=match.name))
        held_at, deadline = match.held_at, match.deadline_at

        def moved(at: datetime) -> datetime:
            left = max(at, held_at) + (now - held_at)
            return deadlines.kept_free(tx, loaded, later(left, extend))

        if deadline is not None:
            missed = deadline <= held_at
            deadline = moved(deadline)
            deadline_setting.be_sure(loaded, deadline, extend, zone=zone, sure=sure)
            if missed:
                matches.update(tx, match.id, reminded_ply=None, alerted_ply=None)
        matches.update(
            tx, match.id, status="playing", held_at=None, deadline_at=deadline, trouble=None
        )
        told = reduce(both, forfeits.move(tx, loaded, moved), _goes_on(deadline))
        tell_all(tx, loaded, "resume", told, reason, now=now, means=means)
        return say("{match} goes on", match=match.name)


def _goes_on(deadline: datetime | None) -> Message:
    if deadline is None:
        return say("The match goes on.")
    return say("The match goes on. The deadline is now {when}.", when=when(deadline))


def extend(
    store: Store,
    name: str,
    duration: timedelta,
    *,
    sure: bool = False,
    zone: str = "UTC",
    reason: str,
    now: datetime,
    means: Means,
) -> Message:
    """Give more time to the present turn; one whose deadline has passed is open again.

    In a held match the deadline is told as it would be if the match went on now: the time that was
    left when it was held, and the new time. `zone` is that of the game master, who reads the
    answer. Raises Doubtful if the new time is very long and nobody is `sure`.
    """
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        match = loaded.match
        if not duration:
            raise Refusal(say("by how much? write a duration as 2 days"))
        if match.deadline_at is None:
            raise Refusal(
                say(
                    "{match} has no deadline; there is nothing to extend. `adjud gm deadline` "
                    "sets one",
                    match=match.name,
                )
            )
        since = match.held_at or now  # in a held match no time has passed since then
        deadline = later(max(match.deadline_at, since) + (now - since), duration)
        deadline_setting.be_sure(loaded, deadline, duration, zone=zone, sure=sure)
        matches.update(
            tx,
            match.id,
            deadline_at=deadline,
            held_at=match.held_at and now,
            reminded_ply=None,
            alerted_ply=None,
            trouble=match.trouble if match.held_at else None,
        )
        told = say("The deadline is now {when}.", when=when(deadline))
        moved = forfeits.move(tx, loaded, lambda at: max(at + (now - since), deadline))
        told = reduce(both, moved, told)
        tell_all(tx, loaded, "extend", told, reason, now=now, means=means)
        local = in_zone(deadline, zone)
        return say("{match}: the deadline is now {when}", match=match.name, when=local)


def announce(store: Store, name: str, text: str, *, now: datetime, means: Means) -> Message:
    """Tell all seats something that the game master says, also when the match is over."""
    words = " ".join(text.split())
    if not words:
        raise Refusal(say("there is nothing to say: write a text"))
    if len(words) > MOST_SAID:
        raise Refusal(say("say it in {most} characters at most", most=MOST_SAID))
    with store.transaction() as tx:
        loaded = load(tx, name)
        told = say("The game master says: {text}", text=shown(words, MOST_SAID))
        tell_all(tx, loaded, "say", told, now=now, means=means)
        return say("{match}: all seats are told", match=loaded.match.name)


def cancel(store: Store, name: str, *, reason: str, now: datetime, means: Means) -> Message:
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        told = say("The game master cancelled the match.")
        log(tx, loaded, "cancel", told, reason, now)
        events = loaded.game.rules.close(loaded.state, "cancelled")
        append_ply.append(tx, loaded, events, cause="cancelled", now=now, means=means)
        return say("{match} is cancelled", match=loaded.match.name)


def forfeit(
    store: Store, name: str, word: str, *, reason: str, now: datetime, means: Means
) -> Message:
    """Forfeit the seat, whatever it has sent.

    If the answer depended on that, it would tell a game master who plays.
    """
    with store.transaction() as tx:
        loaded = _begun(tx, name)
        seat = _seat(loaded, word)
        told = say("The game master forfeited {seat}.", seat=loaded.game.seat_titles[seat])
        log(tx, loaded, "forfeit", told, reason, now)
        events = loaded.game.rules.leave(loaded.state, [seat], "forfeit")
        append_ply.append(tx, loaded, events, cause="forfeit", now=now, means=means)
        return say("{match}: {seat} is forfeited", match=loaded.match.name, seat=seat)


def announce_forfeit(
    store: Store,
    name: str,
    word: str,
    duration: timedelta,
    *,
    sure: bool = False,
    zone: str = "UTC",
    reason: str,
    now: datetime,
    means: Means,
) -> Message:
    """Tell everybody that the seat is forfeited if it is silent until then; the tick carries it
    out.

    `zone` is that of the game master, who reads the answer. Raises Doubtful if the time is very
    long and nobody is `sure`.
    """
    with store.transaction() as tx:
        loaded = _begun(tx, name)
        seat = _seat(loaded, word)
        if not duration:
            raise Refusal(say("by when? write a duration as 2 days"))
        if loaded.match.status != "playing":
            raise Refusal(say("{match} is {status}; nothing was done", **_status(loaded)))
        if seat not in loaded.awaited or seat in loaded.gone:
            raise Refusal(say("orders of {seat} are not awaited now", seat=seat))
        if loaded.holders[seat].computer:
            raise Refusal(say("{seat} is a computer's, which is never silent", seat=seat))
        by = later(now, duration)
        deadline_setting.be_sure(loaded, by, duration, zone=zone, sure=sure)
        told = forfeits.announce(tx, loaded, seat, by)
        tell_all(tx, loaded, "announce", told, reason, now=now, means=means)
        return say(
            "{match}: {seat} will be forfeited if it has sent no orders by {when}",
            match=loaded.match.name,
            seat=seat,
            when=in_zone(by, zone),
        )


def _begun(tx: Tx, name: str) -> Loaded:
    loaded = load_open(tx, name)
    if loaded.match.status == "open":  # the winner might be a seat without a player
        raise Refusal(
            say("{match} has not begun; `adjud gm cancel` ends it", match=loaded.match.name)
        )
    return loaded


def replace(
    store: Store,
    name: str,
    word: str,
    player: str,
    *,
    zone: str = "UTC",
    reason: str,
    now: datetime,
    means: Means,
) -> Message:
    """Give a seat to another holder, whose tenure begins with its present page; fill an open seat,
    too.

    `zone` is that of the game master, who reads the answer.
    """
    with store.transaction() as tx:
        before = load_open(tx, name)
        seat = _seat(before, word)
        holder = before.holders[seat]
        new = holder_of(tx, before.game, player)
        if (new["player_id"], new["computer"]) == (holder.player_id, holder.computer):
            raise Refusal(say("{player} holds that seat already", player=shown(player)))
        if seat in before.gone:
            raise Refusal(say("{seat} has left this match", seat=seat))
        if holder.shown_name:
            handover.end_tenure(tx, before, seat, reason, now=now, means=means)
        matches.update_seats(tx, before.match.id, [seat], **new)
        keep_apart(tx, matches.people_of(tx, before.match.id))
        if holder.shown_name:
            loaded = handover.give_time(tx, load_open(tx, name), seat, now)
            told = handover.who_plays_now(before, loaded, seat)
        else:
            loaded, told = handover.take_open_seat(tx, before, seat, now=now)
        tell_all(tx, loaded, "replace", told, reason, now=now, means=means, besides=[seat])
        handover.welcome(tx, loaded, seat, now=now, means=means)
        return _seated(before, loaded, seat, zone)


def _seated(before: Loaded, loaded: Loaded, seat: Seat, zone: str) -> Message:
    """Return what the game master reads, also of a deadline that was moved."""
    who = loaded.holders[seat].shown_name
    match, deadline = loaded.match, loaded.match.deadline_at
    told = say("{match}: {player} holds {seat}", match=match.name, player=who, seat=seat)
    if deadline is None or deadline == before.match.deadline_at:
        return told
    return say("{told}; the deadline is now {when}", told=told, when=in_zone(deadline, zone))


def adjudicate(
    store: Store, name: str, *, expect: int, reason: str, now: datetime, means: Means
) -> Message:
    """End the waiting for `settle` and READY: the tick adjudicates as soon as all orders are in.

    The answer is the same whether they are; otherwise a game master who plays could find out who
    has sent.
    """
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        match = loaded.match
        if match.turn != expect:
            raise Refusal(
                say(
                    "{match} stands at turn {turn}, not {expect}; nothing was done",
                    match=match.name,
                    turn=match.turn,
                    expect=expect,
                )
            )
        if match.status != "playing":
            raise Refusal(say("{match} is {status}; nothing was done", **_status(loaded)))
        matches.update(tx, match.id, hurried_ply=match.ply + 1)
        told = say(
            "The game master has ended the waiting: turn {turn} is adjudicated as soon as all "
            "orders are in.",
            turn=match.turn,
        )
        tell_all(tx, loaded, "adjudicate", told, reason, now=now, means=means)
        return say(
            "{match}: turn {turn} is adjudicated by the tick as soon as all orders are in",
            match=match.name,
            turn=match.turn,
        )


def _seat(loaded: Loaded, word: str) -> Seat:
    seat = seat_of(loaded.game, word)
    if seat not in loaded.holders:
        raise Refusal(say("nobody plays {seat} in {match}", seat=seat, match=loaded.match.name))
    return seat


def _status(loaded: Loaded) -> dict[str, str]:
    return {"match": loaded.match.name, "status": loaded.match.status}
