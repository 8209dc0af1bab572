"""Let a player take an open seat, once it is known that he may."""

from adjudicator.core.match import Seat
from adjudicator.mail.write import subjects
from adjudicator.service.base.loaded_match import Loaded, Seated, person
from adjudicator.service.base.session import Session
from adjudicator.service.matches import append_ply, seating, unopened
from adjudicator.service.outbox import queue
from adjudicator.store import matches


def take_seat(s: Session, loaded: Loaded, seat: Seat, player_id: int) -> Seated:
    """Give an open seat to a player: he is welcomed, the others are told, and the match begins, or
    begins to wait for its public number, if it was its last."""
    matches.update_seats(s.tx, loaded.match.id, [seat], player_id=player_id, computer=None)
    if not loaded.is_opened:
        told = seating.who_plays(unopened.waiting(s.tx, loaded.match.name), seat, new=False)
        return unopened.take_seat(s, loaded, seat, told)
    loaded, news = seating.take_open_seat(s.tx, loaded, seat, now=s.now)
    seating.welcome(s, loaded, seat)
    others = [reader for reader in loaded.seats if reader != seat]
    subject = subjects.plays_now(loaded.match.name, person(loaded, seat))
    body = {"told": news.named, "subject": subject}
    queue.queue_notices(s, loaded, others, body)
    return append_ply.reload_and_reschedule(s.tx, loaded, s.now)
