"""Append a ply to a match: events, snapshot, reports, letters and deadline in one piece."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.json import encode

from adjudicator.core.game import fold
from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.core.orders import numbered
from adjudicator.service.base import deadlines
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Loaded, load, rulings_since
from adjudicator.service.base.match_session import MatchSession
from adjudicator.service.base.next_step import wake_at
from adjudicator.service.match import kept_sheets, log_lines
from adjudicator.service.match.log_lines import Linked
from adjudicator.service.outbox import to_queue
from adjudicator.service.report import report_body
from adjudicator.service.report.standing import Past, standing_of
from adjudicator.store import declarations, matches, parking, submissions, turns
from adjudicator.store.database import Tx
from adjudicator.store.turns import Commitment, Ply, StoredReport

UNHEARD = 3  # plies in which only letters came that were never confirmed


def append(
    tx: Tx,
    loaded: Loaded,
    events: Iterable[Any],
    *,
    cause: str,
    ordering: Collection[str] = (),
    now: datetime,
    means: Means,
) -> Loaded:
    """Make the events the match's next ply, and return the match after it.

    `ordering` are the seats whose orders it adjudicated. If there are none, as when a seat leaves a
    match that goes on, the others' orders and the time for them stay.
    """
    state = fold(loaded.game, loaded.state, happened := tuple(events))
    made = rulings_since(tx, loaded.match, 0)
    linked = log_lines.following(
        tx, loaded, happened, made, cause=cause, ordering=ordering, at=rfc3339(now)
    )
    if not ordering:
        _carry_on(tx, loaded, state)
    _close_sheets(tx, loaded, ordering)
    _end_announced_forfeits(tx, loaded, state, ordering)
    _write(tx, loaded, state, happened, cause, ordering, linked, now)
    session = MatchSession(tx, load(tx, loaded.match.name), now)
    kept_sheets.use(session)
    rest(session)
    after = session.loaded
    past = Past(commitments=_commit_to_secrets(tx, after, means), rulings=made)
    ahead = [seat for seat in ordering if loaded.sheets[seat].in_advance]
    publish(tx, after, ahead, past, now=now, means=means)
    if set(ordering) - set(_own_orders(loaded, ordering)):
        _tell_of_unheard(tx, after, now, means)
    return after


def _tell_of_unheard(tx: Tx, after: Loaded, now: datetime, means: Means) -> None:
    """Tell the operator, with the ply, of seats of which only letters came that wait for a code."""
    match = after.match
    for found in parking.unheard(tx, match.id) if match.status != "over" else ():
        if found.plies and found.plies % UNHEARD == 0:
            told = say(
                "Emails for {seat} have come in {n} turns since it last ordered, and none of them "
                "counted: each had to be confirmed, and was not. Its player may write from another "
                "address, or not see our replies. With level=token+auth the mail server may vouch "
                "for nobody; `adjud mail test` and `adjud doctor` try that.",
                seat=after.game.seat_titles[Seat(found.seat)],
                n=found.plies,
            )
            about = f"unheard/{found.seat}/{found.tenure}"
            to_queue.queue_reminder_of_match(tx, match, about, told, now=now, means=means)


def extend(tx: Tx, loaded: Loaded, events: Iterable[Any]) -> None:
    """Add events since the last ply that are no ply of their own; no reports are made of them."""
    happened = tuple(events)
    if happened:
        state = fold(loaded.game, loaded.state, happened)
        bodies = [encode(event).decode() for event in happened]
        turns.extend(tx, loaded.match.id, loaded.match.ply, bodies, encode(state).decode())


def _carry_on(tx: Tx, loaded: Loaded, state: Any) -> None:
    """Move what was sent for this ply to the next one, if it can still be followed."""
    match, ply = loaded.match, loaded.match.ply + 1
    awaited = loaded.game.rules.awaiting(state) - set(loaded.game.rules.gone(state))
    stand = [seat for seat in loaded.sheets if seat in awaited and _stands(loaded, state, seat)]
    submissions.carry(tx, match.id, ply, stand)
    submissions.carry_kept(tx, match.id)
    thinking = [seat for seat in awaited if loaded.holders[seat].not_ready_ply == ply]
    matches.update_seats(tx, match.id, thinking, not_ready_ply=ply + 1)


def _stands(loaded: Loaded, state: Any, seat: str) -> bool:
    game = loaded.game
    sheet = game.orders.parse(numbered(loaded.sheets[seat].lines))
    view = game.sight.observe(state, Seat(seat))
    return not sheet.problems and not game.orders.check(view, sheet)


def _close_sheets(tx: Tx, loaded: Loaded, ordering: Collection[str]) -> None:
    match, ply = loaded.match, loaded.match.ply + 1
    if ordering:
        submissions.close(tx, match.id, ply, ordering, "used")
        matches.update_seats(tx, match.id, _own_orders(loaded, ordering), ordered_ply=ply)
    if unused := loaded.sheets.keys() - set(ordering):
        submissions.close(tx, match.id, ply, unused, "unused")
    # An offer stands until the other seat's next order is adjudicated.
    standing = [d for d in loaded.declarations if d.status == "standing"]
    lapsed = [d.id for d in standing if any(seat != d.seat for seat in ordering)]
    declarations.settle(tx, lapsed, "lapsed", ply=ply)


def _end_announced_forfeits(tx: Tx, loaded: Loaded, state: Any, ordering: Collection[str]) -> None:
    """End those of all seats if the match is over, else those of seats that left or ordered."""
    ended = {*loaded.game.rules.gone(state), *_own_orders(loaded, ordering)}
    if loaded.game.rules.outcome(state) is not None:
        ended = {*loaded.seats}
    seats = [seat for seat, holder in loaded.holders.items() if seat in ended and holder.forfeit_at]
    if seats:
        matches.update_seats(tx, loaded.match.id, seats, forfeit_at=None, forfeit_ply=None)


def _own_orders(loaded: Loaded, ordering: Collection[str]) -> list[str]:
    """Return the seats that ordered themselves.

    A silent seat is told of all that it has missed (interface, section 3).
    """
    return [seat for seat in ordering if loaded.sheets[seat].channel != submissions.DEFAULT]


def _write(
    tx: Tx,
    loaded: Loaded,
    state: Any,
    events: Sequence[Any],
    cause: str,
    ordering: Collection[str],
    linked: Linked,
    now: datetime,
) -> None:
    """Write the ply, and the match as it is after it, but for when it is due next."""
    game, match = loaded.game, loaded.match
    ply, over = match.ply + 1, game.rules.outcome(state) is not None
    made = Ply(
        ply=ply,
        turn=game.rules.turn(state),
        cause=cause,
        adjudicated_at=now,
        snapshot=encode(state).decode(),
        line=linked.line,
        head=linked.head,
    )
    turns.append(tx, match.id, made, [encode(event).decode() for event in events])
    times = _fresh_time(tx, loaded, state, now) if ordering else _time_that_stays(loaded, state)
    matches.update(
        tx,
        match.id,
        ply=ply,
        turn=made.turn,
        status="over" if over else match.status,
        trouble=match.trouble if match.held_at and not over else None,
        **{**times, **({"deadline_at": None} if over else {})},
    )


def _fresh_time(tx: Tx, loaded: Loaded, state: Any, now: datetime) -> Mapping[str, Any]:
    """Return the columns of the match with a new deadline."""
    awaited = deadlines.people_of(loaded, loaded.game.rules.awaiting(state))
    pace = loaded.game.rules.pace(state)
    return {"deadline_at": deadlines.fresh(tx, loaded.match.options, awaited, now, pace)}


def _time_that_stays(loaded: Loaded, state: Any) -> Mapping[str, Any]:
    """Return the columns of the match with its old deadline; what was told of it counts for the
    next ply."""
    match, ply = loaded.match, loaded.match.ply + 1
    reminded, hurried = match.reminded_ply, match.hurried_ply
    if reminded == ply and set(loaded.awaited).issuperset(loaded.game.rules.awaiting(state)):
        reminded = ply + 1  # one reminder is enough: orders and deadline are the same
    if hurried == ply:
        hurried = ply + 1
    return {"reminded_ply": reminded, "hurried_ply": hurried}


def _commit_to_secrets(tx: Tx, after: Loaded, means: Means) -> Sequence[Commitment]:
    """Commit to what the ply has made a secret; return all to which the match has committed."""
    match, proof = after.match, after.game.proof
    before = turns.commitments(tx, match.id)
    known = {entry.seat for entry in before}
    made = [
        Commitment(what=proof.what, seat=seat, ply=match.ply, text=text, salt=means.committer())
        for seat, text in proof.secrets(after.state).items()
        if seat not in known
    ]
    turns.commit_to(tx, match.id, made)
    return [*before, *made]


def publish(
    tx: Tx,
    loaded: Loaded,
    ahead: Collection[str] = (),
    past: Past | None = None,
    *,
    now: datetime,
    means: Means,
) -> None:
    """Write the reports of the match's last ply and queue the letters that carry them.

    `ahead` are the seats of which it adjudicated orders that they had sent in advance. `past` is
    what lies behind the ply, if it is known.
    """
    match = loaded.match
    standing = standing_of(tx, loaded, past)
    reports, asides = [], {}
    for seat in loaded.seats:
        told = report_body.report_to_seat(standing, seat)
        reports.append(
            StoredReport(
                ply=match.ply,
                seat=seat,
                turn=match.turn,
                tenure=loaded.holders[seat].tenure,
                body=report_body.written(loaded.game, told.kept),
            )
        )
        if told.once is not None:
            asides[seat] = told.once
    turns.put_reports(tx, match.id, reports)
    to_queue.queue_reports(tx, loaded, standing.since, ahead, now=now, means=means)
    to_queue.queue_asides(tx, loaded, asides, now=now, means=means)


def rest(session: MatchSession) -> None:
    """Note when `tick` must look at the match again."""
    loaded = session.loaded
    wake = wake_at(loaded, session.now)
    if wake != loaded.match.wake_at:
        matches.update(session.tx, loaded.match.id, wake_at=wake)
        session.changed()


def rest_anew(tx: Tx, loaded: Loaded, now: datetime) -> Loaded:
    """Load the match as it is in this transaction, and note when `tick` must look at it again."""
    session = MatchSession(tx, load(tx, loaded.match.name), now)
    rest(session)
    return session.loaded
