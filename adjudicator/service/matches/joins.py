"""Let a player take an open seat, once it is known that he may."""

from datetime import datetime

from adjudicator.core.match import Seat
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import Context
from adjudicator.service.base.loaded_match import Loaded, Seated, person
from adjudicator.service.matches import append_ply, seating, unopened
from adjudicator.service.outbox import queue
from adjudicator.store import matches
from adjudicator.store.database import Tx


def take_seat(
    tx: Tx, loaded: Loaded, seat: Seat, player_id: int, *, now: datetime, context: Context
) -> Seated:
    """Give an open seat to a player: he is welcomed, the others are told, and the match begins, or
    begins to wait for its public number, if it was its last."""
    matches.update_seats(tx, loaded.match.id, [seat], player_id=player_id, computer=None)
    if not loaded.is_opened:
        told = seating.who_plays(unopened.waiting(tx, loaded.match.name), seat, new=False)
        return unopened.take_seat(tx, loaded, seat, told, now=now, context=context)
    loaded, news = seating.take_open_seat(tx, loaded, seat, now=now)
    seating.welcome(tx, loaded, seat, now=now, context=context)
    others = [reader for reader in loaded.seats if reader != seat]
    subject = subjects.plays_now(loaded.match.name, person(loaded, seat))
    body = {"told": news.named, "subject": subject}
    queue.queue_notices(tx, loaded, others, body, now=now, context=context)
    return append_ply.reload_and_reschedule(tx, loaded, now)
