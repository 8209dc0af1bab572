"""What a seat's holder wrote to others and got from them, for his page and his report (club,
section 10).

It is read from its own rows when a report is printed, so what is stored of a report does not hold
it, and a former holder's messages are in none of his successor's.
"""

from adjudicator.core.match import Seat
from adjudicator.core.press import PressThread, ShownPress, threads
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import Seated
from adjudicator.store import press
from adjudicator.store.database import Tx


def threads_of(
    tx: Tx, loaded: Seated, seat: Seat, ply: int | None = None
) -> tuple[PressThread, ...]:
    """Return the threads of a seat's present holder: those of the report of a ply, or all that is
    known now."""
    holder = loaded.holders[seat]
    if holder.player_id is None:
        return ()
    its = (loaded.match.id, seat, holder.tenure)
    found = [
        (
            one.at,
            one.sent.id,
            ShownPress(
                number=one.number,
                at=rfc3339(one.at),
                by=None if one.sent.unsigned else one.sent.seat,
                to=_readers(loaded, one.sent),
                unsigned=one.sent.unsigned,
                lines=one.sent.lines,
            ),
        )
        for one in press.copies(tx, *its)
        if (ply is None or one.ply <= ply) and one.sent.lines
    ]
    found += [
        (
            one.sent_at,
            one.id,
            ShownPress(
                at=rfc3339(one.sent_at),
                by=seat,
                to=_readers(loaded, one),
                unsigned=one.unsigned,
                lines=one.lines,
            ),
        )
        for one in press.messages_of(tx, *its)
        if (ply is None or one.ply < ply) and one.lines
    ]
    # What is told at one moment keeps the order of its numbers, which says nothing of who wrote.
    found.sort(key=lambda one: (one[0], one[2].number is None, one[2].number or one[1]))
    return threads([one for _, _, one in found], seat, loaded.seats)


def _readers(loaded: Seated, sent: press.SentPress) -> tuple[Seat, ...]:
    return tuple(seat for seat in loaded.seats if seat in sent.readers)
