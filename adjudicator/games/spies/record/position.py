"""A position as other programs compare it (rules 10.3)."""

from typing import Any

from msgspec import to_builtins

from adjudicator.games.spies.rules.atlas import POWERS, owner_of
from adjudicator.games.spies.rules.control import face
from adjudicator.games.spies.rules.outcome import points
from adjudicator.games.spies.rules.state import State


def position(state: State) -> dict[str, Any]:
    """Return everything that lies on the table and in the hands, as plain data."""
    return {
        "year": state.year,
        "to_move": state.to_move,
        "powers": {
            power: {
                "money": hand.money,
                "chits": dict(hand.chits),
                "tiles": sorted(hand.tiles),
            }
            for power, hand in state.hands.items()
        },
        "record": {
            power: [[entry.kind, entry.code, entry.year] for entry in state.record[power]]
            for power in POWERS
        },
        "spies": {
            code: {
                "strength": spy.strength,
                "city": spy.city,
                "captor": spy.captor,
                "carries": spy.carries,
            }
            for code, spy in state.spies.items()
        },
        "police": {power: _police(state, power) for power in POWERS},
        "secrets": {code: _secret(state, code) for code in state.secrets},
        "result": result(state),
    }


def _police(state: State, power: str) -> list[list[Any]]:
    return sorted(
        [piece.city or "", -piece.strength, piece.on or ""]
        for code, piece in state.police.items()
        if owner_of(code) == power
    )


def _secret(state: State, code: str) -> dict[str, Any]:
    secret, shown = state.secrets[code], face(state, code)
    return {
        "value": shown.value,
        "counterspy": shown.strength,
        "city": secret.city,
        "spy": secret.spy,
        "gone": secret.gone,
    }


def result(state: State) -> dict[str, Any] | None:
    """Return how the match ended, with everybody's points; None before."""
    if state.outcome is None:
        return None
    told: dict[str, Any] = to_builtins(state.outcome)
    return {**told, "points": dict(points(state))}
