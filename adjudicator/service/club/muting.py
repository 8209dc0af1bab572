"""Players whose messages to others are not passed on. Each of them is told, and nobody else."""

from adjudicator.core.message import Message, both, say
from adjudicator.core.orders import shown
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import OpenClub, Refusal
from adjudicator.service.base.loaded_match import find_player
from adjudicator.service.outbox import queue
from adjudicator.store import outbox, players

MOST_SAID = 500  # characters of a reason


def mute(club: OpenClub, name: str, *, off: bool, reason: str) -> Message:
    """Pass on no messages of a player, or with `off` pass them on again; tell that player."""
    why = shown(" ".join(reason.split()), MOST_SAID)
    with club.session() as s:
        player = find_player(s.tx, name)
        if off and player.muted_at is None:
            raise Refusal(say("{name} is not muted", name=player.name))
        if not off and player.muted_at is not None:
            raise Refusal(say("{name} is muted already", name=player.name))
        players.update(s.tx, player.id, muted_at=None if off else club.now)
        told = say(
            "The game master does not pass on your messages to other players any more. Your orders "
            "and everything else are read as before."
        )
        if off:
            told = say("The game master passes on your messages to other players again.")
        if why:
            told = both(told, say("The game master says: {text}", text=why))
        key = f"player/{player.id}/muted/"
        queue.queue_to_person(
            s, player, f"{key}{outbox.count(s.tx, key) + 1}", subjects.muting(), told
        )
        if off:
            return say("{name}: messages to other players are passed on again", name=player.name)
        return say("{name}: messages to other players are not passed on", name=player.name)
