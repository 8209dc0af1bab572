"""Tell a player by letter of a sheet that the game master handed in for him."""

from datetime import datetime

from adjudicator.service.base import looks
from adjudicator.service.base.environment import Means
from adjudicator.service.letters_in import answer, replies
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.match.sheet_storing import Stored
from adjudicator.service.match.understood import Understood
from adjudicator.store.database import Tx


def tell(tx: Tx, stored: Stored, understood: Understood, *, now: datetime, means: Means) -> None:
    """Queue the receipt for the seat's player, and note that the game master has seen it.

    Nothing is queued if no letters go out, or for a built-in player, who reads none.
    """
    if not means.way_out:
        return
    loaded, seat = stored.loaded, understood.seat
    if loaded.holders[seat].player_id is None:
        return
    looks.at_seats(tx, loaded, [seat], now)
    talk = Talk(tx=tx, loaded=loaded, seat=seat, letter_id=0, now=now, at=now, means=means)
    said = [
        *understood.text.split("\n")[1:],  # the head is told by the receipt
        *(command.line.text for command in understood.commands),
        *(jotting.line.text for jotting in understood.jottings),
    ]
    replies.queue_entered(talk, answer.entered(talk, stored.receipt, said))
