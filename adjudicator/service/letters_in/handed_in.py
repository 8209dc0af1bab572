"""Tell a player by letter of a sheet that the game master handed in for him."""

from adjudicator.service.base import looks
from adjudicator.service.base.environment import Means
from adjudicator.service.base.match_session import MatchSession
from adjudicator.service.letters_in import answer, replies
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.match.receipts import Receipt
from adjudicator.service.match.understood import Understood


def tell(session: MatchSession, understood: Understood, receipt: Receipt, *, means: Means) -> None:
    """Queue the receipt for the seat's player, and note that the game master has seen it.

    Nothing is queued if no letters go out, or for a built-in player, who reads none.
    """
    if not means.way_out:
        return
    loaded, seat, now = session.loaded, understood.seat, session.now
    if loaded.holders[seat].player_id is None:
        return
    looks.at_seats(session.tx, loaded, [seat], now)
    talk = Talk(session=session, seat=seat, letter_id=0, now=now, means=means)
    said = [
        *understood.text.split("\n")[1:],  # the head is told by the receipt
        *(command.line.text for command in understood.commands),
        *(jotting.line.text for jotting in understood.jottings),
    ]
    replies.queue_entered(talk, answer.entered(talk, receipt, said))
