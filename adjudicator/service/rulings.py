"""The game master's tools. Every use is logged with its reason and told to the players."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from adjudicator.core.game import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.service import letters, plies
from adjudicator.service.adjudication import adjudicate as adjudicate_ply
from adjudicator.service.calendar import next_deadline, rfc3339
from adjudicator.service.creation import holder_of
from adjudicator.service.loading import Loaded, load_open, seat_of
from adjudicator.service.means import Means
from adjudicator.service.options import terms
from adjudicator.service.refusal import Refusal
from adjudicator.service.waiting import silent_seats
from adjudicator.store import matches, rulings
from adjudicator.store.database import Store, Tx
from adjudicator.store.rulings import Ruling


def hold(store: Store, name: str, *, reason: str, now: datetime, means: Means) -> Message:
    """Nothing is adjudicated until `resume`; sheets are still taken."""
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        if loaded.match.status != "playing":
            raise Refusal(say("{match} is {status} already", **_status(loaded)))
        matches.update(tx, loaded.match.id, status="held", held_at=now)
        told = say("The game master holds the match.")
        _tell(tx, loaded, "hold", told, reason, now=now, means=means)
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
            deadline = max(deadline, match.held_at) + (now - match.held_at) + extend
        matches.update(tx, match.id, status="playing", held_at=None, deadline_at=deadline)
        told = say("The match goes on.")
        _tell(tx, loaded, "resume", told, reason, now=now, means=means)
        return say("{match} goes on", match=match.name)


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
        deadline = max(match.deadline_at or now, now) + duration
        matches.update(
            tx, match.id, deadline_at=deadline, reminded_ply=None, alerted_ply=None, trouble=None
        )
        told = say("The deadline is now {when}.", when=_when(deadline, match.options["timezone"]))
        _tell(tx, loaded, "extend", told, reason, now=now, means=means)
        when = _when(deadline, zone)
        return say("{match}: the deadline is now {when}", match=match.name, when=when)


def cancel(store: Store, name: str, *, reason: str, now: datetime, means: Means) -> Message:
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        told = say("The game master cancelled the match.")
        _log(tx, loaded, "cancel", told, reason, now)
        _end(tx, loaded, loaded.game.close(loaded.state, "cancelled"), "cancelled", now, means)
        return say("{match} is cancelled", match=loaded.match.name)


def forfeit(
    store: Store, name: str, word: str, *, reason: str, now: datetime, means: Means
) -> Message:
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        seat = _seat(loaded, word)
        told = say("The game master forfeited {seat}.", seat=loaded.game.seat_titles[seat])
        _log(tx, loaded, "forfeit", told, reason, now)
        _end(tx, loaded, loaded.game.leave(loaded.state, [seat], "forfeit"), "forfeit", now, means)
        return say("{match}: {seat} is forfeited", match=loaded.match.name, seat=seat)


def replace(
    store: Store, name: str, word: str, player: str, *, reason: str, now: datetime, means: Means
) -> Message:
    """Another holder for a seat, who gets its present report; fills a seat left open, too."""
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        seat = _seat(loaded, word)
        holder = loaded.holders[seat]
        new = holder_of(tx, loaded.game, player)
        if (new["player_id"], new["computer"]) == (holder.player_id, holder.computer):
            raise Refusal(say("{player} holds that seat already", player=shown(player)))
        vacant = not holder.shown_name
        tenure = holder.tenure + (not vacant)
        matches.update_seats(tx, loaded.match.id, [seat], tenure=tenure, **new)
        loaded = _start_when_full(tx, load_open(tx, name), now)
        told = say("{seat} has a new holder.", seat=loaded.game.seat_titles[seat])
        _tell(tx, loaded, "replace", told, reason, now=now, means=means)
        letters.queue_welcome(tx, loaded, seat, now=now, means=means)
        return say(
            "{match}: {player} holds {seat}",
            match=loaded.match.name,
            player=loaded.holders[seat].shown_name,
            seat=seat,
        )


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
            "{match}: adjudicated; turn {turn} is to be ordered",
            match=match.name,
            turn=after.match.turn,
        )


def _start_when_full(tx: Tx, loaded: Loaded, now: datetime) -> Loaded:
    """An open match begins to count its time when its last seat is taken."""
    match = loaded.match
    if match.status == "open" and all(h.shown_name for h in loaded.holders.values()):
        agreed = terms(match.options)
        deadline = next_deadline(agreed.deadline, agreed.zone, now)
        matches.update(tx, match.id, status="playing", deadline_at=deadline)
        return load_open(tx, match.name)
    return loaded


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


def _tell(
    tx: Tx,
    loaded: Loaded,
    action: str,
    told: Message,
    reason: str,
    *,
    now: datetime,
    means: Means,
) -> None:
    """Log a ruling and tell every player; a ruling that ends a ply is told by its reports."""
    made = _log(tx, loaded, action, told, reason, now)
    body = {"told": made.told, "reason": made.reason, "at": rfc3339(now)}
    letters.queue_notices(tx, loaded, loaded.seats, body, now=now, means=means)
    plies.rest(tx, loaded, now)


def _status(loaded: Loaded) -> dict[str, str]:
    return {"match": loaded.match.name, "status": loaded.match.status}


def _when(moment: datetime, zone: str) -> str:
    """A time in a zone, beside UTC, in figures that need no language."""
    utc = f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    if zone == "UTC":
        return utc
    return f"{moment.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M} {zone} ({utc})"
