"""Keep what waits to be confirmed by a code (letters, section 3).

A code cannot be found by trying: only one in each letter counts, and after a few wrong ones nothing
waits any more.
"""

from adjudicator.core.message import say
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.outbox import to_queue
from adjudicator.store import parking
from adjudicator.store.parking import Parked

MOST_WAITING = 5  # of a seat's letters from its address on file; as many from elsewhere
TRIES = 5  # wrong codes, then what waits is void


def park(talk: Talk, text: str) -> tuple[str, bool]:
    """Park a text; return the code that confirms it, and whether something older was dropped for
    it."""
    code, match_id = talk.means.coder(), talk.loaded.match.id
    parking.insert(
        talk.tx,
        match_id,
        seat=talk.seat,
        tenure=talk.holder.tenure,
        letter_id=talk.letter_id,
        code=code,
        text=text,
        created_at=talk.now,
        on_file=int(talk.on_file),
    )
    fell = parking.drop_older(talk.tx, match_id, talk.seat, on_file=talk.on_file, most=MOST_WAITING)
    return code, fell


def claim(talk: Talk, code: str) -> Parked | None:
    """Return what waited under a code; from now on it waits no longer."""
    parked = parking.find(talk.tx, talk.loaded.match.id, talk.seat, talk.holder.tenure, code)
    if parked is not None:
        parking.confirm(talk.tx, parked.id)
    return parked


def is_current(talk: Talk, parked: Parked) -> bool:
    """Return whether no turn was adjudicated since it came."""
    return parked.ply in (None, talk.loaded.match.ply + 1)


def count_wrong_code(talk: Talk, code: str) -> None:
    """Count a wrong code; the last one that is allowed makes void what waits, and the holder is
    told."""
    match = talk.loaded.match
    if parking.was_used(talk.tx, match.id, talk.seat, code):
        return
    if parking.count_wrong_code(talk.tx, match.id, talk.seat, TRIES):
        told = say(
            "So many wrong codes came for your seat in {match} that nothing waits to be "
            "confirmed any more. If something of yours did, send it again.",
            match=match.name,
        )
        body = {"told": told}
        to_queue.queue_notices(
            talk.tx, talk.loaded, [talk.seat], body, now=talk.now, means=talk.means
        )


def codes(talk: Talk) -> list[str]:
    """Return the codes of all that waits, the oldest first."""
    return parking.codes(talk.tx, talk.loaded.match.id, talk.seat, talk.holder.tenure)
