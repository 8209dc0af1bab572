"""Spies and secrets as a report writes them: the code, and what its reader knows of the piece."""

from collections.abc import Mapping
from typing import TypeAlias

from adjudicator.core.message import Message, say
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.rules.state import NEUTRAL_BOX
from adjudicator.games.spies.sight.view import SeenSecret, SeenSpy, View

Piece: TypeAlias = SeenSpy | SeenSecret


def pieces(view: View) -> Mapping[str, Piece]:
    """Return all spies and secrets by their codes."""
    return {
        **{spy.spy: spy for spy in view.spies},
        **{secret.secret: secret for secret in view.secrets},
    }


def piece_text(piece: Piece) -> str:
    """Write `N-4`, or `N-4=3` if the reader knows its value or strength."""
    if isinstance(piece, SeenSpy):
        return piece.spy if piece.strength is None else f"{piece.spy}={piece.strength}"
    return "=".join(filter(None, (piece.secret, face(piece))))


def face(secret: SeenSecret) -> str:
    """Return what the reader knows of a secret: its value, or `c3` for a counterspy of
    strength 3."""
    if secret.value is not None:
        return str(secret.value)
    return "" if secret.counterspy is None else f"c{secret.counterspy}"


def load(view: View, spy: SeenSpy) -> str:
    """Write the secret that a spy carries; nothing if it has empty hands."""
    return piece_text(pieces(view)[spy.carries]) if spy.carries else ""


def fate(spy: SeenSpy) -> Message:
    """Say what became of a spy that is not on the map."""
    if spy.captor is None:
        return say("has no place yet")
    if spy.captor == NEUTRAL_BOX:
        return say("in the neutral box")
    if spy.dead:
        return say("dead")
    return say("captured by {power}", power=TITLES[spy.captor])
