"""Matches of Espionage to measure with: random, but the same each time."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.game import fold
from adjudicator.core.match import Seat, Setting
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.orders.values import Move, RandomSetUp
from adjudicator.games.espionage.rules.movement import after, legal_steps
from adjudicator.games.espionage.rules.state import State, Step
from adjudicator.games.espionage.rules.turns import ground
from adjudicator.service.base.context import Context
from adjudicator.service.base.loaded_match import load
from adjudicator.service.club import people
from adjudicator.service.matches import creation, sheet_storing
from adjudicator.service.matches.adjudication import advance_first, orders_of
from adjudicator.service.matches.sheet_parsing import Source
from adjudicator.store.database import Store, open_store
from adjudicator.store.schema import create

MATCH = "espionage-1"
OPENED = datetime.now(UTC) - timedelta(hours=1)


def set_up(rng: Random, variant: str = "standard") -> tuple[State, Chance]:
    """Return a match in which both armies stand as `SETUP RANDOM` puts them and White is to
    order."""
    chance = Chance(rng.randbytes(32), MATCH, label=LABEL)
    options = {name: option.default for name, option in ESPIONAGE.options.items()}
    state = ESPIONAGE.rules.set_up(Setting(variant, options, ESPIONAGE.seats), chance)
    orders = {seat: (RandomSetUp(),) for seat in ESPIONAGE.seats}
    return fold(ESPIONAGE, state, ESPIONAGE.rules.adjudicate(state, orders, chance)), chance


def random_order(state: State, rng: Random) -> tuple[Seat, tuple[Step, ...]]:
    """Return the side to move and two legal steps, or one if there is no second."""
    side = state.to_move
    assert side is not None
    here = ground(state, side)
    firsts = legal_steps(here)
    first = rng.choice(firsts)
    if seconds := legal_steps(after(here, first)):
        return side, (first, rng.choice(seconds))
    for first in firsts:  # rarely: nearly every step leaves a second one
        if seconds := legal_steps(after(here, first)):
            return side, (first, rng.choice(seconds))
    return side, (first,)


def moves(steps: Sequence[Step]) -> tuple[Move, ...]:
    return tuple(Move(step.start, step.target) for step in steps)


def positions(rng: Random, number: int) -> Iterator[tuple[State, Mapping[Seat, Any], Chance]]:
    """Yield positions of random standard matches, with an order for each."""
    state, chance = set_up(rng)
    for _ in range(number):
        if state.outcome is not None:
            state, chance = set_up(rng)
        side, steps = random_order(state, rng)
        orders = {side: moves(steps)}
        yield state, orders, chance
        state = fold(ESPIONAGE, state, ESPIONAGE.rules.adjudicate(state, orders, chance))


def open_club(folder: Path) -> tuple[str, Store]:
    """Make a new database with two players; return its URL and its store."""
    url = f"sqlite:///{folder / 'adjud.db'}"
    create(url)
    store = open_store(url)
    for name in ("Anna", "Bob"):
        people.add(
            store,
            name,
            f"{name.lower()}@example.org",
            language="en",
            zone="UTC",
            confirmed=True,
            now=OPENED,
            sends_mail=False,
        )
    return url, store


def open_match(store: Store, name: str = MATCH, options: Sequence[str] = ()) -> None:
    """Open a match that awaits both set-ups."""
    wanted = creation.NewMatch(
        game="espionage",
        variant="standard",
        name=name,
        seats=["white=Anna", "black=Bob"],
        options=options,
        seed=None,
        fresh_seed=sha256(name.encode()).digest(),
    )
    creation.create(store, wanted, now=OPENED, context=Context())


def begin(store: Store, name: str = MATCH) -> None:
    """Open a match in which White's first turn is to be ordered."""
    open_match(store, name)
    submit(store, name)
    assert advance_first(store, [name], now=OPENED, context=Context())


def sheets(store: Store, name: str = MATCH) -> str:
    """Return what every awaited seat may send now: random orders, as `computer:random` gives
    them."""
    with store.reading() as tx:
        loaded = load(tx, name)
    lines = []
    for seat in loaded.awaited:
        lines.append(f"ORDERS {name} {seat} turn {loaded.match.turn}")
        lines += [*orders_of(loaded, seat, "computer:random"), "END"]
    return "\n".join([*lines, ""])


def submit(store: Store, name: str = MATCH) -> None:
    for receipt in sheet_storing.submit(store, sheets(store, name), Source(), now=OPENED):
        assert receipt.accepted, receipt
