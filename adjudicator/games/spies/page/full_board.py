"""The whole table for the game master, in monospace. Never part of a player's report."""

from collections.abc import Iterator

from adjudicator.games.spies.rules.atlas import POWERS, by_code, owner_of
from adjudicator.games.spies.rules.control import controller, face
from adjudicator.games.spies.rules.outcome import points_of
from adjudicator.games.spies.rules.state import State


def truth(state: State) -> str:
    """Draw every strength, value and hand; a dash stands where there is none."""
    return "\n".join((*_powers(state), "", *_secrets(state)))


def _powers(state: State) -> Iterator[str]:
    for power in POWERS:
        hand = state.hands.get(power)
        yield f"{power:<8}" + (
            f" {points_of(state, power)} points, {hand.money} £, "
            + ", ".join(f"{number} {kind}" for kind, number in hand.chits.items())
            if hand
            else " dormant"
        )
        if hand:
            yield f"  tiles   {' '.join(hand.tiles) or '-'}"
        for code in sorted((c for c in state.spies if owner_of(c) == power), key=by_code):
            spy = state.spies[code]
            where = spy.city or (f"with {spy.captor}" if spy.captor else "-")
            yield f"  {code:<7} {spy.strength} {where}" + (f" {spy.carries}" if spy.carries else "")
        for code, piece in state.police.items():
            if owner_of(code) == power:
                on = f" on {piece.on}" if piece.on else ""
                yield f"  {code:<7} {piece.strength} {piece.city or '-'}{on}"


def _secrets(state: State) -> Iterator[str]:
    for code in sorted(state.secrets):
        secret, shown = state.secrets[code], face(state, code)
        told = shown.value if shown.value is not None else f"c{shown.strength}"
        where = secret.gone if secret.gone in ("cashed", "removed") else secret.city or "-"
        held = controller(state, code)
        yield f"{code} {told!s:<3}{where:<8}{secret.spy or held or '-':<8} {shown.title}"
