"""What a seat learns of what happens (rules 7.3)."""

from msgspec.structs import replace

from adjudicator.core.game import Seat
from adjudicator.games.spies.rules.events import AnyEvent, Skipped
from adjudicator.games.spies.sight.news import News
from adjudicator.games.spies.sight.parts import private, public


def witness(event: AnyEvent, seat: Seat) -> News | None:
    """The event as `seat` may see it, with its own private part; None where that is nothing."""
    if isinstance(event, Skipped) and event.seat != seat:
        return None
    seen, known = public(event), private(event).get(seat)
    if seen is None or known is None:
        return seen
    return replace(seen, known=known)
