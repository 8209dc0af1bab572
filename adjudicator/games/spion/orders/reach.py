"""Say where the spy of a question's sender can go now, as the sender sees the board."""

from collections.abc import Iterator

from adjudicator.core.message import Message, say
from adjudicator.games.spion.sight.view import View

_MOST = 40  # places


def reach(view: View, question: str) -> Iterator[Message]:
    """Yield a sentence with the places; the dice of a seat say where its spy can go."""
    if view.phase != "play" or not view.reach:
        return
    goals = " ".join(view.reach[:_MOST])
    if view.reach[_MOST:]:
        goals = f"{goals} ..."
    yield say("With your dice your spy can go to: {goals}", goals=goals)
