"""Say how a match of several players ended, for the reasons that the program itself gives and for
those of a game."""

from collections.abc import Mapping
from typing import Any

from adjudicator.core.match import Outcome
from adjudicator.core.message import Message, listed, say

_REASONS: Mapping[str, Message] = {
    "resignation": say("the others resigned"),
    "forfeit": say("the others forfeited"),
    "agreement": say("the players agreed"),
}


def ending(
    result: Outcome, reasons: Mapping[str, Message], titles: Mapping[Any, Message]
) -> Message:
    """Say who won and why; `reasons` are the game's own, `titles` the names of its seats."""
    if result.reason == "cancelled":
        return say("The match is cancelled and nobody wins.")
    reason = {**_REASONS, **reasons}[result.reason]
    if not result.winners:
        return say("Nobody wins: {reason}.", reason=reason)
    seats = listed(titles[seat] for seat in result.winners)
    if len(result.winners) > 1:
        return say("{seats} share the victory: {reason}.", seats=seats, reason=reason)
    return say("{seat} wins: {reason}.", seat=seats, reason=reason)
