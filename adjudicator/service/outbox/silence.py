"""Say what silence costs."""

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.service.base.calendar import when
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.next_step import forfeited_at


def cost(loaded: Loaded, seat: Seat) -> Message | None:
    """Say that an awaited seat loses by silence, and when; None if something milder follows. The
    deadline is told before it."""
    at = forfeited_at(loaded, seat)
    if at is None:
        return None
    if at == loaded.match.deadline_at:
        return say("If none are here by then, you forfeit the match.")
    return say("If none are here by {when}, you forfeit the match.", when=when(at))
