"""Say what silence costs."""

from datetime import datetime

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
    lost = (
        say("If none are here by then, you forfeit the match.")
        if at == loaded.match.deadline_at
        else say("If none are here by {when}, you forfeit the match.", when=when(at))
    )
    if not _all_are_forfeited(loaded, at):
        return lost
    return say("{lost} If nobody's are, the match is cancelled.", lost=lost)


def _all_are_forfeited(loaded: Loaded, at: datetime) -> bool:
    """Return whether all seats are people's, and forfeited then if they are silent; whether they
    are is not asked."""
    return all(
        seat in loaded.awaited
        and not loaded.holders[seat].computer
        and forfeited_at(loaded, seat) == at
        for seat in loaded.seats
    )
