"""Reports of matches that were really played, for the tests of pages and for looking at them."""

from collections.abc import Iterator, Sequence
from typing import Any

from adjudicator.core.dice import LABEL, Chance, digest, seal
from adjudicator.core.match import Seat, Setting
from adjudicator.core.record import Chronicle
from adjudicator.core.visible import plain
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.rules.state import Event, State
from adjudicator.games.espionage.sight.memory import remember
from tests.games.one_turn import play_turn

PLAYERS = {"white": "Anna", "black": "Bob"}
NAMES = {Seat(seat): name for seat, name in PLAYERS.items()}
SALT = "5a" * 32


def played(
    seed: int = 1, variant: str = "standard", most: int = 2000, **options: str
) -> Iterator[tuple[State, tuple[Event, ...]]]:
    """Yield each state of a match between random players, with all events up to it."""
    chance = Chance(seed.to_bytes(32, "big"), "espionage-17", label=LABEL)
    settings = {key: option.default for key, option in ESPIONAGE.options.items()} | options
    state = ESPIONAGE.rules.set_up(Setting(variant, settings, ESPIONAGE.seats), chance)
    events: tuple[Event, ...] = ()
    play = ESPIONAGE.computers["computer:random"]
    yield state, events
    for ply in range(most):
        awaited = ESPIONAGE.rules.awaiting(state)
        if not awaited:
            return
        orders = {
            seat: play(ESPIONAGE.sight.observe(state, seat), chance.private(seat, f"play{ply}"))
            for seat in ESPIONAGE.seats
            if seat in awaited
        }
        made, state = play_turn(ESPIONAGE, state, orders, chance)
        events += made
        yield state, events


def report(state: State, events: Sequence[Event], seat: str, **more: Any) -> dict[str, Any]:
    """Put a report together for one seat from its view, as the use cases do."""
    view = ESPIONAGE.sight.observe(state, Seat(seat))
    news = [news for news in (ESPIONAGE.sight.witness(e, Seat(seat)) for e in events) if news]
    if seat:
        view = remember(view, news, {})
    seen = [plain(step) for step in news]
    last = max((step["turn"] for step in seen if step["side"] == seat), default=0)
    own = [step["side"] == seat and step["turn"] == last for step in seen]
    over = ESPIONAGE.rules.outcome(state) is not None
    awaited = ESPIONAGE.rules.awaiting(state)
    body = [] if over or seat not in awaited else ESPIONAGE.orders.template(view)
    chronicle = Chronicle(NAMES, "2026.11.21", ESPIONAGE.rules.outcome(state))
    return {
        **plain(view),
        "match": "espionage-17",
        "game": "espionage",
        "ply": 1,
        "awaited": [side for side in ESPIONAGE.seats if side in awaited],
        "deadline": None if over else "2026-11-24T18:00:00Z",
        "orders": None,
        "news": seen[own.index(True) if True in own else 0 :],
        "commitments": _commitments(state, over),
        "draw_offer": None,
        "players": dict(PLAYERS),
        "options": {"fights": state.settings.fights, "unmask_notice": "false"},
        "notices": [],
        "template": [f"ORDERS espionage-17 {seat} turn {view.turn}", *body, "END"] if body else [],
        "record": ESPIONAGE.record.write(chronicle, state, events) if over else None,
        **more,
    }


def _commitments(state: State, over: bool) -> list[dict[str, Any]]:
    sealed = {
        seat: seal("espionage-17", "setup", seat, rows, SALT)
        for seat, rows in ESPIONAGE.proof.secrets(state).items()
    }
    return [
        {
            "what": "setup",
            "seat": seat,
            "number": None,
            "digest": digest(text),
            "opened": text if over else None,
        }
        for seat, text in sealed.items()
    ]
