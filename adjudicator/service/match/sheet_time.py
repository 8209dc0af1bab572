"""Say what is wrong with the time of a sheet (interface, section 2)."""

from datetime import datetime

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.sheets import Origin, RawSheet
from adjudicator.service.base.loaded_match import Loaded, titles
from adjudicator.service.base.turns_ahead import is_open, next_turn, takes_advance
from adjudicator.service.match.understood import Given
from adjudicator.store import epochs
from adjudicator.store.database import Tx

UNDONE = say(
    "these orders answer a report from before the club was restored from a backup, of a part of "
    "the match that no longer counts; send orders for the newest report"
)


def is_of_ours(tx: Tx, loaded: Loaded, origin: Origin) -> bool:
    """Return whether a sheet was made with a report of this club, not with one that a restore has
    undone."""
    match = loaded.match
    return epochs.is_ours(tx, match.id, match.epoch, origin.epoch, origin.ply)


def untimely(
    loaded: Loaded, seat: Seat, raw: RawSheet, given: Given, now: datetime, *, says_orders: bool
) -> Message | None:
    """Return why a sheet does not count now: its match or its seat's part in it is over, the seat
    is not awaited, it is for another turn, or the deadline has passed; None if it counts.

    A sheet of commands alone may also come when no orders would be taken.
    """
    words = {command.word for command in raw.commands}
    asked = raw.head.turn if raw.head else None
    if told := ended(loaded, seat):
        return told
    if seat not in loaded.awaited and (says_orders or words & {"READY", "NOTREADY"}):
        return _not_awaited(loaded, seat, says_orders=says_orders)
    if told := _for_another_turn(loaded, asked, given.turn if says_orders else None):
        return told
    if _is_too_late(loaded, seat, now) and (says_orders or "CLEAR" in words):
        return say("the deadline has passed; the orders that you have in force stay")
    return None


def ended(loaded: Loaded, seat: Seat) -> Message | None:
    """Say that the match, or the seat's part in it, has ended."""
    if loaded.match.status == "over":
        return say("{match} is over", match=loaded.match.name)
    if seat in loaded.gone:
        return say("{seat} has left this match", seat=titles(loaded, [seat]))
    return None


def _not_awaited(loaded: Loaded, seat: Seat, *, says_orders: bool) -> Message:
    told = say(
        "turn {turn} waits for the orders of {seats} now, not for yours",
        turn=loaded.match.turn,
        seats=titles(loaded, loaded.awaited),
    )
    if says_orders and takes_advance(loaded) and is_open(loaded):
        then = say(
            "write ORDERS {match} turn {turn} for your next one",
            match=loaded.match.name,
            turn=next_turn(loaded, seat),
        )
        return say("{told}; {then}", told=told, then=then)
    return told


def _for_another_turn(loaded: Loaded, asked: int | None, meant: int | None) -> Message | None:
    """Say that another turn is to be ordered than the one that the sheet asks for, or, if it names
    none, than the one of the report that its letter answers."""
    turn = loaded.match.turn
    if asked is not None:
        if asked == turn:
            return None
        return say(
            "this sheet is for turn {asked}; turn {turn} is to be ordered", asked=asked, turn=turn
        )
    if meant in (None, turn):
        return None
    return say(
        "your letter answers the report of turn {meant}, and turn {turn} is to be ordered; "
        "write ORDERS {match} turn {turn} if that is what you mean",
        meant=str(meant),
        turn=turn,
        match=loaded.match.name,
    )


def _is_too_late(loaded: Loaded, seat: Seat, now: datetime) -> bool:
    """Return whether a sheet is too late: after the deadline it counts only for a seat that had
    none."""
    deadline = loaded.match.deadline_at
    return deadline is not None and now >= deadline and seat in loaded.sheets
