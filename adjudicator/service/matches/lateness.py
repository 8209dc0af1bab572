"""Orders that came after the time of their seat was up, and what of it all players are told."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from adjudicator.core import clock
from adjudicator.core.acts import CameLate, Outage
from adjudicator.core.match import Seat
from adjudicator.service.base.context import Session
from adjudicator.service.base.deadlines import facts_of
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import terms
from adjudicator.service.base.outages import known_outages, may_be_used
from adjudicator.service.matches import doubt


def late_orders(loaded: Loaded) -> Mapping[str, datetime]:
    """Return the seats whose orders came after their time was up, and when that was; none where
    that would tell when a player is away."""
    if terms(loaded.match.options).has_private_time:
        return {}
    return clock.late_seats(facts_of(loaded))


def came_late(loaded: Loaded) -> Iterator[CameLate]:
    """Yield what all are told of orders that came late."""
    for seat, due in late_orders(loaded).items():
        came = loaded.sheets[seat].received_at.replace(microsecond=0)
        yield CameLate(loaded.game.seat_titles[Seat(seat)], came, due)


def outages_to_tell(s: Session, loaded: Loaded) -> Sequence[Outage]:
    """Return the outages without which the orders that came late could not be used."""
    return known_outages(s.tx, s.now) if seats_too_late(s, loaded, ()) else ()


def seats_too_late(s: Session, loaded: Loaded, outages: Iterable[Outage]) -> list[str]:
    """Return the seats whose orders came later than they may be used with these outages, where
    silence has consequences by itself."""
    late = late_orders(loaded)
    if not late or terms(loaded.match.options).absence != "forfeit":
        return []
    most, known = doubt.long_for(s.tx, loaded.match, s.context), [*outages]
    came = {seat: loaded.sheets[seat].received_at for seat in late}
    return [seat for seat, up in late.items() if not may_be_used(up, came[seat], most, known)]
