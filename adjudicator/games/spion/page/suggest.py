"""Orders that an email to a new player of Spion can send as they are, from his view alone: to the
nearest embassy with a card that is in reach."""

from adjudicator.core.game import Suggestion
from adjudicator.core.message import Words, say
from adjudicator.games.spion.page.names import embassy_names
from adjudicator.games.spion.rules.movement import ends
from adjudicator.games.spion.sight.view import (
    View,
    blocking,
    doubled,
    own_roll,
    position_of,
    seat_in,
)


def suggest(view: View, words: Words) -> Suggestion | None:
    """Return nothing where something else than a move is due, or no card is in reach."""
    own = own_roll(view)
    if view.phase != "play" or view.pending or own is None or blocking(view):
        return None
    if seat_in(view, view.seat).left or (doubled(view) and view.targets):
        return None
    if view.mode != "rounds" and view.to_move != view.seat:
        return None
    here = position_of(view)
    paths = ends(here, view.seat, sum(own.dice)).paths
    found = [place for place in view.reach if place in here.out]
    if not found:
        return None
    goal = min(found, key=lambda place: len(paths[place]))
    return Suggestion(
        lines=(f"MOVE {goal}",),
        why=say(
            "{place} is the nearest embassy with a card.", place=embassy_names(view, words)[goal]
        ),
    )
