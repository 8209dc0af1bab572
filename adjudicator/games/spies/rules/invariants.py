"""Check what must hold after every ply of a match: pieces, carriers, guards, limits, chits,
money."""

from collections import Counter
from collections.abc import Iterator

from adjudicator.games.spies.rules.atlas import KINDS, atlas, owner_of
from adjudicator.games.spies.rules.state import DEAD, NEUTRAL_BOX, State


def violations(state: State) -> Iterator[str]:
    """Name what does not hold; nothing in a sound state that has been set up."""
    if not state.placed:
        return
    yield from _secrets(state)
    yield from _spies(state)
    yield from _police(state)
    yield from _hands(state)


def _secrets(state: State) -> Iterator[str]:
    if sorted(secret.face for secret in state.secrets.values()) != sorted(atlas().faces):
        yield "43 faces"
    for code, secret in state.secrets.items():
        lies = secret.city is not None
        if lies != (secret.gone in (None, "kept")):
            yield f"{code} lies somewhere exactly while it is in play or kept"
        if secret.spy and (secret.gone or state.spies[secret.spy].carries != code):
            yield f"{code} is carried by who carries it"
        if secret.spy and state.spies[secret.spy].city != secret.city:
            yield f"{code} is where its spy is"
    entries = [
        (entry.code, secret.gone)
        for entries in state.record.values()
        for entry in entries
        if entry.kind == "secret"
        for secret in (state.secrets[entry.code],)
    ]
    gone = [(c, s.gone) for c, s in state.secrets.items() if s.gone in ("cashed", "kept")]
    if sorted(entries) != sorted(gone):
        yield "what is cashed or kept is on one record"


def _spies(state: State) -> Iterator[str]:
    for code, spy in state.spies.items():
        if (spy.city is None) == (spy.captor is None):
            yield f"{code} is on the map or has a captor"
        if spy.carries and (spy.city is None or state.secrets[spy.carries].spy != code):
            yield f"{code} carries what it carries"
        listed = [p for p, entries in state.record.items() if code in (e.code for e in entries)]
        if listed != ([spy.captor] if spy.captor not in (None, NEUTRAL_BOX, DEAD) else []):
            yield f"{code} is on its captor's record alone"


def _police(state: State) -> Iterator[str]:
    guarded = Counter(piece.on for piece in state.police.values() if piece.on)
    if any(number > 1 for number in guarded.values()):
        yield "one piece guards a secret"
    for code, piece in state.police.items():
        if piece.city is None or atlas().owner(piece.city) != owner_of(code):
            yield f"{code} stands at home"
        if piece.on:
            secret = state.secrets[piece.on]
            at_home = secret.city == piece.city and owner_of(piece.on) == owner_of(code)
            if not at_home or secret.spy or secret.gone not in (None, "kept"):
                yield f"{code} guards an own original that lies there"
    for city, number in Counter(piece.city for piece in state.police.values()).items():
        if city and number > atlas().cities[city].max_police:
            yield f"police in {city}"


def _hands(state: State) -> Iterator[str]:
    chits = Counter(state.pool) + Counter(dict(state.discard))
    for power, hand in state.hands.items():
        chits += Counter(dict(hand.chits))
        if hand.money < 0 or any(number <= 0 for number in hand.chits.values()):
            yield f"{power} owes nothing"
        if not set(hand.chits) <= set(KINDS):
            yield f"{power} holds chits"
    wanted = Counter(dict(atlas().chits))
    if state.settings.assassination:
        wanted["dagger"] = atlas().daggers
    if +chits != +wanted:
        yield "all chits are somewhere"
    held = [tile for hand in state.hands.values() for tile in hand.tiles]
    if len(set(held)) != len(held) or not set(held).isdisjoint(state.played):
        yield "a tile is in one hand, or played"
