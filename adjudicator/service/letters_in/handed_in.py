"""Tell a player by letter of a sheet that the game master handed in for him."""

from datetime import datetime

from adjudicator.core.match import Seat
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import load
from adjudicator.service.letters_in import answer, replies
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.match.receipts import Receipt
from adjudicator.store.database import Tx


def tell(tx: Tx, receipt: Receipt, *, now: datetime, means: Means) -> None:
    """Queue the receipt for the seat's player.

    Nothing is queued if no letters go out, or for a built-in player, who reads none.
    """
    if not means.way_out:
        return
    loaded, seat = load(tx, str(receipt.match)), Seat(str(receipt.seat))
    if loaded.holders[seat].player_id is None:
        return
    talk = Talk(tx=tx, loaded=loaded, seat=seat, letter_id=0, now=now, at=now, means=means)
    replies.queue_entered(talk, answer.entered(talk, receipt))
