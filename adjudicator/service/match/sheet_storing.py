"""Put a sheet that was judged in force and obey its commands; or tell what would be done."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import structs

from adjudicator.core.commands import WORDS
from adjudicator.core.game import Seat
from adjudicator.core.message import Message, listed, say
from adjudicator.core.orders import Problem
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.next_step import has_ordered
from adjudicator.service.match import append_ply
from adjudicator.service.match.receipts import MOST_PROBLEMS, Receipt, first_few
from adjudicator.service.match.sheet_judging import Given, Understood
from adjudicator.store import matches, submissions
from adjudicator.store.database import Tx

MOST_OF_NONSENSE = 10  # the same, if nothing of the sheet is understood


def store(tx: Tx, understood: Understood, given: Given, now: datetime) -> Receipt:
    """Put the sheet in force and do what its commands say."""
    loaded, seat = understood.loaded, understood.seat
    awake(tx, loaded, seat)
    if understood.problems:
        return _refused(understood)
    match = loaded.match
    words = dict.fromkeys(command.word for command in understood.commands)
    # A resignation by mail waits for its confirmation, for which the mail dialog asks.
    obeyed = [word for word in words if word != "RESIGN" or given.may_resign]
    done = [_OBEY[word](tx, loaded, seat, now) for word in obeyed]
    revision = None
    if understood.says_orders:
        revision = submissions.store(
            tx,
            match.id,
            match.ply + 1,
            seat,
            lines=understood.lines,
            text=understood.text,
            channel=given.channel,
            now=now,
            letter_id=given.letter_id,
        )
    fresh = append_ply.rest(tx, loaded, now)
    return _receipt(
        structs.replace(understood, loaded=fresh),
        accepted=True,
        stored=True,
        revision=revision,
        done=done,
    )


def awake(tx: Tx, loaded: Loaded, seat: Seat) -> None:
    """Note that somebody is there again, because he sent something, even if it was refused."""
    if loaded.holders[seat].silent:
        matches.update_seats(tx, loaded.match.id, [seat], silent=0)


def would_store(tx: Tx, understood: Understood, given: Given, now: datetime) -> Receipt:
    if understood.problems:
        return _refused(understood)
    match = understood.loaded.match
    last = submissions.last_revision(tx, match.id, match.ply + 1, understood.seat)
    words = dict.fromkeys(command.word for command in understood.commands)
    return _receipt(
        understood,
        accepted=True,
        revision=last + 1 if understood.says_orders else None,
        done=[say("understood: {words}", words=listed(WORDS[w] for w in words))] if words else (),
    )


def _resign(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    if not _declared(loaded, seat, "RESIGN"):
        submissions.declare(tx, loaded.match.id, seat, "RESIGN", now)
    return say("your resignation takes effect at the next tick")


def _offer_draw(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    if not _declared(loaded, seat, "DRAW"):
        submissions.declare(tx, loaded.match.id, seat, "DRAW", now)
    if set(loaded.seats) - loaded.gone - {seat} <= set(loaded.draw_offers):
        return say(
            "you accept the draw; the match ends at the next tick, unless the offer is withdrawn "
            "before"
        )
    return say(
        "your offer of a draw stands until the next orders of the others are adjudicated, or "
        "until you send CLEAR"
    )


def _clear(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    """Withdraw the sheet in force and an offer of a draw.

    A seat that had orders when it was to be forfeited is not forfeited afterwards.
    """
    match, forfeit_at = loaded.match, loaded.holders[seat].forfeit_at
    if forfeit_at and now >= forfeit_at and has_ordered(loaded, seat):
        matches.update_seats(tx, match.id, [seat], forfeit_at=None, forfeit_ply=None)
    submissions.close(tx, match.id, match.ply + 1, [seat], "withdrawn")
    submissions.settle_declarations(tx, _declared(loaded, seat, "DRAW"), "withdrawn")
    return say("what you had sent for this turn is withdrawn")


def _ready(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    matches.update_seats(tx, loaded.match.id, [seat], not_ready_ply=None)
    return say("you are ready; the turn may be adjudicated as soon as all orders are in")


def _not_ready(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    if loaded.match.hurried_ply == loaded.match.ply + 1:
        return say(
            "the game master has ended the waiting; the turn is adjudicated as soon as all orders "
            "are in"
        )
    matches.update_seats(tx, loaded.match.id, [seat], not_ready_ply=loaded.match.ply + 1)
    return say("the turn waits for you until the deadline, or until you say READY")


_OBEY = {
    "RESIGN": _resign,
    "DRAW": _offer_draw,
    "CLEAR": _clear,
    "READY": _ready,
    "NOTREADY": _not_ready,
}


def _declared(loaded: Loaded, seat: Seat, kind: str) -> list[int]:
    return [d.id for d in loaded.declarations if (d.seat, d.kind) == (seat, kind)]


def _refused(understood: Understood) -> Receipt:
    most = MOST_PROBLEMS if understood.lines else MOST_OF_NONSENSE
    return _receipt(understood, accepted=False, problems=first_few(understood.problems, most))


def _receipt(
    understood: Understood,
    *,
    accepted: bool,
    stored: bool = False,
    revision: int | None = None,
    problems: Sequence[Problem] = (),
    done: Sequence[Message] = (),
) -> Receipt:
    loaded = understood.loaded
    sheet = loaded.sheets.get(understood.seat)
    return Receipt(
        match=loaded.match.name,
        seat=understood.seat,
        turn=loaded.match.turn,
        accepted=accepted,
        stored=stored,
        revision=revision,
        orders=understood.lines if accepted else [],
        problems=problems,
        warnings=understood.warnings if accepted else (),
        ignored=[],
        in_force=sheet.revision if sheet else None,
        done=(*understood.explained, *done) if accepted else done,
        awaited=understood.seat in loaded.awaited and understood.seat not in loaded.resigned,
    )
