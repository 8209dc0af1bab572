"""The earlier reports of a seat, on which its page looks back."""

from collections.abc import Sequence
from typing import Any

from adjudicator.core.match import Seat
from adjudicator.core.report import AnyReport
from adjudicator.service.base.decoders import decoder
from adjudicator.service.base.loaded_match import Seated
from adjudicator.store import turns
from adjudicator.store.database import Tx

_MOST = 400  # reports; about as many moments as a page has room for


def looking_back(
    tx: Tx, loaded: Seated, report: AnyReport, *, turns_back: int | None = None
) -> Sequence[Any]:
    """Return the seat's reports before this one, read as far as its game's pages need them.

    With `turns_back` it returns no more than those of so many turns. The last report of a match
    holds the record, which tells more; there it returns none.
    """
    game = loaded.game
    if game.page.past is None or report.record:
        return ()
    seat, since = report.seat, first_tenure(loaded, report.seat)
    told = turns.told_before(
        tx,
        loaded.match.id,
        seat,
        report.ply,
        since_tenure=since,
        since_turn=0 if turns_back is None else report.turn - turns_back,
        most=_MOST,
    )
    return [*map(decoder(game.page.past).decode, told)]


def first_tenure(loaded: Seated, seat: Seat) -> int:
    """Return the first tenure whose reports the seat's present holder may read."""
    return 0 if loaded.game.sight.retold else loaded.holders[seat].tenure
