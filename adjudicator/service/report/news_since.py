"""From which ply on a seat's report tells news: since its own last orders, or since it was told."""

from collections.abc import Mapping, Sequence

from adjudicator.core.match import Seat
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.store import reports_told, sheets_ahead, turns, used_sheets
from adjudicator.store.database import Tx


def first_news(tx: Tx, loaded: Loaded, seat: Seat) -> int:
    """Return the first ply of which the seat's report tells, if it was told of all before.

    It is that of its own last orders, or the one after the last that it has been told of. A seat
    that has left orders no more.
    """
    holder, since = loaded.holders[seat], loaded.match.ply
    if loaded.game.sight.retells and seat not in loaded.gone:
        return holder.ordered_ply
    untold = turns.untold(tx, loaded.match.id, seat, holder.tenure)
    while since - 1 in untold and since > holder.ordered_ply:
        since -= 1
    return since


def untold(tx: Tx, loaded: Loaded, since: Mapping[Seat, int]) -> Mapping[Seat, int]:
    """Go back, for each seat to which letters go, to the first ply that none has told its
    holder."""
    match_id, reaches = loaded.match.id, reports_told.told_by_reports(tx, loaded.match.id)
    found = {}
    for seat in loaded.seats:
        tenure = loaded.holders[seat].tenure
        reach = reaches.get((seat, tenure))
        if reach is None:
            continue
        if reach.unsent:
            found[seat] = _since_orders(tx, loaded, seat, since[seat])
            continue
        first = since[seat] if reach.first is None else reach.first
        if reach.returned:
            first = _first_gap(reports_told.spans_told(tx, match_id, seat, tenure), first)
        elif reach.until is not None:
            first = reach.until + 1
        found[seat] = min(since[seat], first)
    return found


def _first_gap(spans: Sequence[tuple[int, int]], first: int) -> int:
    """Return the first ply, counted from `first`, that is in no span; these are sorted.

    A report that came back leaves such a gap, though newer ones were delivered.
    """
    for since, until in spans:
        if since > first:
            break
        first = max(first, until + 1)
    return first


def _since_orders(tx: Tx, loaded: Loaded, seat: Seat, since: int) -> int:
    """Go back over orders that were sent in advance to the last ply of which a report was printed.

    No letters go out, and who prints his report after several turns finds all of them in it.
    """
    match_id = loaded.match.id
    while since and sheets_ahead.ordered_in_advance(tx, match_id, since, seat):
        before = since - 1
        if turns.was_shown_to(tx, match_id, before, seat):
            break
        if reports_told.was_tried(tx, match_id, before, seat):
            break
        since = used_sheets.last_used_ply(tx, match_id, seat, since)
    return since
