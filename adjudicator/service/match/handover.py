"""Hand a seat over: what of its holder's ends with him, and what the new one is given."""

from collections.abc import Iterable
from datetime import datetime

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, both, say
from adjudicator.service.base import deadlines
from adjudicator.service.base.calendar import when
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Loaded, load_open
from adjudicator.service.match import append_ply, forfeits
from adjudicator.service.match.seating import start_when_full
from adjudicator.service.outbox import to_queue
from adjudicator.service.report import report_body
from adjudicator.service.report.standing import standing_of
from adjudicator.store import (
    declarations,
    matches,
    parking,
    reports_told,
    sheets_ahead,
    submissions,
    tenures,
    turns,
)
from adjudicator.store.database import Tx


def end_tenure(
    tx: Tx, loaded: Loaded, seat: Seat, reason: str, *, now: datetime, means: Means
) -> None:
    """End all that the holder of a seat has sent.

    His orders and offers were his, and what waits for him goes to nobody.
    """
    match_id, holder = loaded.match.id, loaded.holders[seat]
    if holder.player_id is not None:
        tenures.end(tx, match_id, seat, holder.tenure, holder.player_id, now)
    submissions.withdraw_all(tx, match_id, seat)
    sheets_ahead.forget_verdicts(tx, match_id, seat)
    declared = [entry.id for entry in loaded.declarations if entry.seat == seat]
    declarations.settle(tx, declared, "withdrawn")
    parking.void(tx, match_id, seat)
    matches.update_seats(
        tx,
        match_id,
        [seat],
        tenure=max(holder.tenure, holder.above) + 1,
        not_ready_ply=None,
        missed=0,
        silent=0,
        forfeit_at=None,
        forfeit_ply=None,
    )
    end_arrangements(tx, loaded, seat)
    to_queue.queue_farewell(tx, loaded, holder, reason, now=now, means=means)


def end_arrangements(tx: Tx, loaded: Loaded, seat: Seat) -> None:
    """End in the game, too, what the seat's former holder arranged for later turns."""
    append_ply.extend(tx, loaded, loaded.game.rules.succeed(loaded.state, seat))


def give_time(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Loaded:
    """Give a new holder whose orders are awaited at least half of the usual time.

    If less is left, the deadline becomes that of a turn that opens now. In a held match the time
    left is what was left when it was held.
    """
    match = loaded.match
    deadline = match.deadline_at
    if deadline is None or seat not in loaded.awaited:
        return loaded
    left = deadline - (match.held_at or now)
    if left >= (deadline - loaded.since) / 2:
        return loaded
    people = deadlines.people_of(loaded, loaded.awaited)
    later = deadlines.fresh(tx, match.options, people, now, loaded.game.rules.pace(loaded.state))
    if later is None or later <= deadline:
        return loaded
    if match.held_at is not None:
        held = now - match.held_at
        forfeits.move(tx, loaded, lambda at: at + held)
        matches.update(tx, match.id, held_at=now)
    else:
        matches.update(tx, match.id, trouble=None)
    matches.update(tx, match.id, deadline_at=later, reminded_ply=None, alerted_ply=None)
    return load_open(tx, match.name)


def welcome(tx: Tx, loaded: Loaded, seat: Seat, *, now: datetime, means: Means) -> None:
    """Make the seat's present page for its new holder, and queue the letter with it."""
    since = _make_anew(tx, loaded, seat)
    to_queue.queue_welcome(tx, loaded, seat, since, now=now, means=means)


def take_open_seat(tx: Tx, before: Loaded, seat: Seat, *, now: datetime) -> tuple[Loaded, Message]:
    """Start the match if an open seat that was just taken was its last.

    Return the match, and what the others are told.
    """
    loaded = start_when_full(tx, load_open(tx, before.match.name), now)
    begins = loaded.match.status != before.match.status
    if begins:
        mend_reports(tx, loaded, loaded.seats)
    return loaded, _who_plays(loaded, seat, begins=begins)


def mend_reports(tx: Tx, loaded: Loaded, seats: Iterable[Seat]) -> None:
    """Rewrite the last reports to seats, where nobody has had them yet, as things stand now: who
    plays, until when, and what is in force."""
    for seat in seats:
        if not reports_told.was_tried(tx, loaded.match.id, loaded.match.ply, seat):
            since = _make_anew(tx, loaded, seat)
            reports_told.told_anew(tx, loaded.match.id, loaded.match.ply, seat, since)


def _make_anew(tx: Tx, loaded: Loaded, seat: Seat) -> int:
    """Write the seat's last report anew; return the first ply of which it tells."""
    at = standing_of(tx, loaded)
    body = report_body.written(loaded.game, report_body.present(tx, loaded, seat, at))
    turns.put_report_anew(tx, loaded.match.id, loaded.match.ply, seat, body)
    return at.since[seat]


def _who_plays(loaded: Loaded, seat: Seat, *, begins: bool) -> Message:
    told = say("{player} plays {seat}.", player=_name(loaded, seat), seat=_title(loaded, seat))
    deadline = loaded.match.deadline_at
    if not begins:
        return told
    if deadline is None:
        return both(told, say("The match begins."))
    return both(told, say("The match begins; orders are due {when}.", when=when(deadline)))


def who_plays_now(before: Loaded, loaded: Loaded, seat: Seat) -> Message:
    """Return what the others are told of a seat that was another player's `before`.

    This includes what they were told then and is no longer true.
    """
    told = say("{player} plays {seat} now.", player=_name(loaded, seat), seat=_title(loaded, seat))
    if ("DRAW", "standing", seat) in {(d.kind, d.status, d.seat) for d in before.declarations}:
        told = both(told, say("The offer of a draw that came from there has ended."))
    deadline = loaded.match.deadline_at
    if deadline is None or deadline == before.match.deadline_at:
        return told
    return both(told, say("The deadline is now {when}.", when=when(deadline)))


def _name(loaded: Loaded, seat: Seat) -> Message | str:
    return loaded.holders[seat].player_name or say("The computer")


def _title(loaded: Loaded, seat: Seat) -> Message:
    return loaded.game.seat_titles[seat]
