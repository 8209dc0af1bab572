"""The game master's tools. Every use is logged with its reason and told to the players."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from adjudicator.core.game import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.service import deadlines, handover, letters, plies
from adjudicator.service.adjudication import adjudicate as adjudicate_ply
from adjudicator.service.calendar import in_zone, rfc3339, when
from adjudicator.service.creation import holder_of
from adjudicator.service.loading import Loaded, load, load_open, seat_of
from adjudicator.service.means import Means
from adjudicator.service.refusal import Refusal
from adjudicator.service.seating import keep_apart
from adjudicator.service.waiting import silent_seats
from adjudicator.store import matches, rulings
from adjudicator.store.database import Store, Tx
from adjudicator.store.rulings import Ruling

MOST_SAID = 2000  # characters of a notice


def hold(store: Store, name: str, *, reason: str, now: datetime, means: Means) -> Message:
    """Nothing is adjudicated until `resume`; sheets are still taken."""
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        if loaded.match.status != "playing":
            raise Refusal(say("{match} is {status} already", **_status(loaded)))
        matches.update(tx, loaded.match.id, status="held", held_at=now)
        told = say("The game master holds the match.")
        tell_all(tx, loaded, "hold", told, reason, now=now, means=means)
        return say("{match} is held", match=loaded.match.name)


def resume(
    store: Store, name: str, *, reason: str, extend: timedelta, now: datetime, means: Means
) -> Message:
    """Goes on; the seats get the time that was left when the match was held, and `extend`."""
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        match = loaded.match
        if match.status != "held" or match.held_at is None:
            raise Refusal(say("{match} is not held", match=match.name))
        deadline = match.deadline_at
        if deadline is not None:
            missed = deadline <= match.held_at
            deadline = max(deadline, match.held_at) + (now - match.held_at) + extend
            deadline = deadlines.kept_free(tx, loaded, deadline)
            if missed:
                matches.update(tx, match.id, reminded_ply=None, alerted_ply=None)
        matches.update(
            tx, match.id, status="playing", held_at=None, deadline_at=deadline, trouble=None
        )
        told = _goes_on(deadline)
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
    zone: str = "UTC",
    reason: str,
    now: datetime,
    means: Means,
) -> Message:
    """More time for the present turn; one whose deadline has passed is open again. `zone` is
    that of the game master, who reads the answer."""
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        match = loaded.match
        if not duration:
            raise Refusal(say("by how much? write a duration as 2 days"))
        if match.deadline_at is None:
            raise Refusal(
                say("{match} has no deadline; there is nothing to extend", match=match.name)
            )
        deadline = max(match.deadline_at, now) + duration
        matches.update(
            tx, match.id, deadline_at=deadline, reminded_ply=None, alerted_ply=None, trouble=None
        )
        told = say("The deadline is now {when}.", when=when(deadline))
        tell_all(tx, loaded, "extend", told, reason, now=now, means=means)
        local = in_zone(deadline, zone)
        return say("{match}: the deadline is now {when}", match=match.name, when=local)


def announce(store: Store, name: str, text: str, *, now: datetime, means: Means) -> Message:
    """Something that the game master says to all seats, also when the match is over."""
    words = " ".join(text.split())
    if not words:
        raise Refusal(say("there is nothing to say: write a text"))
    if len(words) > MOST_SAID:
        raise Refusal(say("say it in {most} characters at most", most=MOST_SAID))
    with store.transaction() as tx:
        loaded = load(tx, name)
        told = say("The game master says: {text}", text=shown(words, MOST_SAID))
        tell_all(tx, loaded, "say", told, "", now=now, means=means)
        return say("{match}: all seats are told", match=loaded.match.name)


def cancel(store: Store, name: str, *, reason: str, now: datetime, means: Means) -> Message:
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        told = say("The game master cancelled the match.")
        _log(tx, loaded, "cancel", told, reason, now)
        _end(tx, loaded, loaded.game.close(loaded.state, "cancelled"), "cancelled", now, means)
        return say("{match} is cancelled", match=loaded.match.name)


def revision(store: Store, name: str, word: str) -> int | None:
    """Of the orders that a seat has in force."""
    with store.reading() as tx:
        loaded = load(tx, name)
        return _revision(loaded, _seat(loaded, word))


def forfeit(
    store: Store,
    name: str,
    word: str,
    *,
    known: int | None = None,
    reason: str,
    now: datetime,
    means: Means,
) -> Message:
    """There is no way back, so a seat is not forfeited over orders that the game master cannot
    have known of: `known` is the revision from before the last letters were read."""
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        if loaded.match.status == "open":  # whoever is left there would win as nobody
            raise Refusal(
                say("{match} has not begun; `adjud gm cancel` ends it", match=loaded.match.name)
            )
        seat = _seat(loaded, word)
        if _revision(loaded, seat) not in (known, None):
            raise Refusal(
                say(
                    "a letter with orders of {seat} has just been read; nothing was done. "
                    "Say it again if you still mean it",
                    seat=seat,
                )
            )
        told = say("The game master forfeited {seat}.", seat=loaded.game.seat_titles[seat])
        _log(tx, loaded, "forfeit", told, reason, now)
        _end(tx, loaded, loaded.game.leave(loaded.state, [seat], "forfeit"), "forfeit", now, means)
        return say("{match}: {seat} is forfeited", match=loaded.match.name, seat=seat)


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
    """Another holder for a seat, whose tenure begins with its present page; fills a seat left
    open, too. `zone` is that of the game master, who reads the answer."""
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
        keep_apart(tx, load_open(tx, name))
        if holder.shown_name:
            loaded = handover.give_time(tx, load_open(tx, name), seat, now)
            told = handover.who_plays_now(before, loaded, seat)
        else:
            loaded, told = handover.take_open_seat(tx, before, seat, now=now)
        tell_all(tx, loaded, "replace", told, reason, now=now, means=means, besides=[seat])
        handover.welcome(tx, loaded, seat, now=now, means=means)
        return _seated(before, loaded, seat, zone)


def _seated(before: Loaded, loaded: Loaded, seat: Seat, zone: str) -> Message:
    """What the game master reads, also of a deadline that was moved."""
    who = loaded.holders[seat].shown_name
    match, deadline = loaded.match, loaded.match.deadline_at
    told = say("{match}: {player} holds {seat}", match=match.name, player=who, seat=seat)
    if deadline is None or deadline == before.match.deadline_at:
        return told
    return say("{told}; the deadline is now {when}", told=told, when=in_zone(deadline, zone))


def adjudicate(
    store: Store, name: str, *, expect: int, reason: str, now: datetime, means: Means
) -> Message:
    """Adjudicate the present turn without waiting for `settle`, READY or the deadline."""
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
        if silent_seats(loaded):
            raise Refusal(
                say(
                    "{match}: not every awaited seat has orders in force; "
                    "`gm extend` gives time, `gm forfeit` ends it",
                    match=match.name,
                )
            )
        told = say("The game master had turn {turn} adjudicated.", turn=match.turn)
        _log(tx, loaded, "adjudicate", told, reason, now)
        after = adjudicate_ply(tx, loaded, now=now, means=means)
        if after.match.status == "over":
            return say("{match}: adjudicated; the match is over", match=match.name)
        return say(
            "{match}: adjudicated; turn {turn} awaits {seats}",
            match=match.name,
            turn=after.match.turn,
            seats=" and ".join(after.awaited),
        )


def _revision(loaded: Loaded, seat: Seat) -> int | None:
    sheet = loaded.sheets.get(seat)
    return sheet.revision if sheet else None


def _seat(loaded: Loaded, word: str) -> Seat:
    seat = seat_of(loaded.game, word)
    if seat not in loaded.holders:
        raise Refusal(say("nobody plays {seat} in {match}", seat=seat, match=loaded.match.name))
    return seat


def _end(
    tx: Tx, loaded: Loaded, events: Iterable[Any], cause: str, now: datetime, means: Means
) -> None:
    plies.append(tx, loaded, events, cause=cause, ordering=(), now=now, means=means)


def _log(tx: Tx, loaded: Loaded, action: str, told: Message, reason: str, now: datetime) -> Ruling:
    made = Ruling(ply=loaded.match.ply, at=now, action=action, told=told, reason=reason)
    rulings.insert(tx, loaded.match.id, made)
    return made


def tell_all(
    tx: Tx,
    loaded: Loaded,
    action: str,
    told: Message,
    reason: str,
    *,
    now: datetime,
    means: Means,
    besides: Collection[str] = (),
) -> None:
    """Log a ruling and tell every player, but the seats that are told otherwise; a ruling that
    ends a ply is told by its reports."""
    made = _log(tx, loaded, action, told, reason, now)
    body = {"told": made.told, "reason": made.reason, "at": rfc3339(now)}
    seats = [seat for seat in loaded.seats if seat not in besides]
    letters.queue_notices(tx, loaded, seats, body, now=now, means=means)
    plies.rest(tx, loaded, now)


def _status(loaded: Loaded) -> dict[str, str]:
    return {"match": loaded.match.name, "status": loaded.match.status}
