"""What of a match is an event for the club's hooks (club, 12.2): nothing that the first page would
not say, and nothing that depends on what a seat has sent in an open turn."""

from datetime import datetime

from adjudicator.core import result
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.store.database import Tx
from adjudicator.store.happenings import note_event
from adjudicator.store.matches import Match


def note_opening(tx: Tx, loaded: Loaded, now: datetime) -> None:
    """Tell that a match begins, and its first turn. One that began before tells its turn again: it
    waited for a seat to be taken."""
    if loaded.match.ply <= 0:
        note_event(tx, "match.opened", at=now, match=loaded.match.name)
    turn(tx, loaded, now)


def turn(tx: Tx, loaded: Loaded, now: datetime) -> None:
    match = loaded.match
    if match.status == "open":
        return
    note_event(
        tx,
        "match.turn",
        at=now,
        match=match.name,
        turn=match.turn,
        awaited=list(loaded.awaited),
        deadline=rfc3339(match.deadline_at),
    )


def after_ply(tx: Tx, after: Loaded, ending: str | None, now: datetime) -> None:
    """Tell the next turn, or how the match has ended, as `core/result` writes it."""
    if ending is None:
        turn(tx, after, now)
    else:
        over(tx, after.match, ending, now)


def over(tx: Tx, match: Match, ending: str, now: datetime) -> None:
    ended = result.read(ending)
    note_event(
        tx,
        "match.over",
        at=now,
        match=match.name,
        result={"winners": list(ended.winners), "reason": ended.reason},
        places=[list(group) for group in ended.places],
    )


def note_hold(tx: Tx, match: Match, now: datetime) -> None:
    note_event(tx, "match.held", at=now, match=match.name)


def note_resumption(tx: Tx, match: Match, now: datetime) -> None:
    note_event(tx, "match.resumed", at=now, match=match.name)


def note_seat_change(tx: Tx, match: Match, seat: str, now: datetime) -> None:
    note_event(tx, "seat.changed", at=now, match=match.name, seat=seat)
