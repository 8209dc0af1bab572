"""Appending a ply to a match: events, snapshot, reports, letters and deadline in one piece."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from msgspec.json import encode

from adjudicator.core.turn import fold
from adjudicator.service import deadlines, letters, reporting
from adjudicator.service.loading import Loaded, gather
from adjudicator.service.means import Means
from adjudicator.service.waiting import wake_at
from adjudicator.store import matches, submissions, turns
from adjudicator.store.database import Tx
from adjudicator.store.turns import Commitment, Ply, StoredReport


def append(
    tx: Tx,
    loaded: Loaded,
    events: Iterable[Any],
    *,
    cause: str,
    ordering: Collection[str],
    now: datetime,
    means: Means,
) -> Loaded:
    """What happened becomes the match's next ply. `ordering` are the seats whose orders it
    adjudicated. Returns the match as it stands then."""
    happened = tuple(events)
    state = fold(loaded.game, loaded.state, happened)
    ply = loaded.match.ply + 1
    _close_sheets(tx, loaded, ply, ordering)
    _write(tx, loaded, ply, state, happened, cause, now)
    _commit_to_secrets(tx, loaded, ply, state, means)
    return publish(tx, loaded.match.name, now=now, means=means)


def _write(
    tx: Tx,
    loaded: Loaded,
    ply: int,
    state: Any,
    events: Sequence[Any],
    cause: str,
    now: datetime,
) -> None:
    game, match = loaded.game, loaded.match
    over = game.outcome(state) is not None
    awaited = deadlines.people_of(loaded, game.awaiting(state))
    turn = game.turn(state)
    made = Ply(
        ply=ply,
        turn=turn,
        cause=cause,
        adjudicated_at=now,
        snapshot=encode(state).decode(),
    )
    turns.append(tx, match.id, made, [encode(event).decode() for event in events])
    matches.update(
        tx,
        match.id,
        ply=ply,
        turn=turn,
        status="over" if over else match.status,
        deadline_at=None if over else deadlines.fresh(tx, match.options, awaited, now),
        trouble=None,
    )


def _close_sheets(tx: Tx, loaded: Loaded, ply: int, ordering: Collection[str]) -> None:
    if ordering:
        submissions.close(tx, loaded.match.id, ply, ordering, "used")
        matches.update_seats(tx, loaded.match.id, ordering, ordered_ply=ply)
    submissions.close(tx, loaded.match.id, ply, loaded.seats, "unused")
    # An offer stands until the other seat's next order is adjudicated.
    standing = [d for d in loaded.declarations if d.status == "standing"]
    lapsed = [d.id for d in standing if any(seat != d.seat for seat in ordering)]
    submissions.settle_declarations(tx, lapsed, "lapsed", ply=ply)


def _commit_to_secrets(tx: Tx, loaded: Loaded, ply: int, state: Any, means: Means) -> None:
    known = {entry.seat for entry in turns.commitments(tx, loaded.match.id)}
    made = [
        Commitment(what="setup", seat=seat, ply=ply, text=text, salt=means.committer())
        for seat, text in loaded.game.secrets(state).items()
        if seat not in known
    ]
    turns.commit_to(tx, loaded.match.id, made)


def publish(tx: Tx, name: str, *, now: datetime, means: Means) -> Loaded:
    """Write the reports of the match's last ply and queue the letters that carry them."""
    match = matches.find(tx, name)
    assert match is not None
    loaded = gather(tx, match)
    standing = reporting.standing(tx, loaded)
    reports = [
        StoredReport(
            ply=match.ply,
            seat=seat,
            turn=match.turn,
            tenure=loaded.holders[seat].tenure,
            body=encode(reporting.body(standing, seat)).decode(),
        )
        for seat in loaded.seats
    ]
    turns.put_reports(tx, match.id, reports)
    letters.queue_reports(tx, loaded, now=now, means=means)
    return _note_wake(tx, loaded, now)


def rest(tx: Tx, loaded: Loaded, now: datetime) -> Loaded:
    """Note when `tick` must look at the match again, as it stands in this transaction."""
    match = matches.find(tx, loaded.match.name)
    assert match is not None
    return _note_wake(tx, gather(tx, match), now)


def _note_wake(tx: Tx, loaded: Loaded, now: datetime) -> Loaded:
    wake = wake_at(loaded, now)
    if wake != loaded.match.wake_at:
        matches.update(tx, loaded.match.id, wake_at=wake)
    return loaded
