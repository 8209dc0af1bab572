"""Seats that are free: taking one, and what follows when it was the last."""

from datetime import datetime

from adjudicator.service import deadlines
from adjudicator.service.loading import Loaded, load_open
from adjudicator.store import clock, matches
from adjudicator.store.database import Tx


def start_when_full(tx: Tx, loaded: Loaded, now: datetime) -> Loaded:
    """An open match begins to count its time when its last seat is taken."""
    match = loaded.match
    if match.status == "open" and all(h.shown_name for h in loaded.holders.values()):
        people = deadlines.people_of(loaded, loaded.awaited)
        deadline = deadlines.fresh(tx, match.options, people, now)
        matches.update(tx, match.id, status="playing", deadline_at=deadline)
        clock.begin(tx, now)
        return load_open(tx, match.name)
    return loaded
