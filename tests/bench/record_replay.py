"""Replay many recorded games with `adjud record replay`: orders a second, and whether memory stays
flat."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from adjudicator.core.game import Chronicle, fold
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.rules.state import Ordered
from tests.bench.measuring import (
    Row,
    adjud,
    environment,
    mebibytes,
    per_second,
    scaled,
    used,
)
from tests.games.playouts import playout

GAMES, FEW = 10_000, 1_000
PLIES = 60  # after these the sides agree on a draw: random play goes on for hundreds


def rows(scale: float) -> Iterator[Row]:
    games = scaled(GAMES, scale, least=4)
    few = scaled(FEW, scale, least=2)
    with TemporaryDirectory() as made:
        folder = Path(made)
        orders = _write(folder, games, few)
        env = environment(folder, "sqlite://")
        few_replayed, all_replayed = (
            [*adjud(), "record", "replay", str(folder / name)] for name in ("few.esp", "many.esp")
        )
        used(few_replayed, env)  # compiles our modules, which takes memory too
        small, _ = used(few_replayed, env)
        large, seconds = used(all_replayed, env)
    yield Row(
        name=f"record replay, {games:,} games, {orders:,} orders",
        ours=per_second(orders, seconds, "orders"),
    )
    yield Row(
        name=f"  its memory ({few:,} games)",
        ours=mebibytes(large),
        theirs=mebibytes(small),
        ratio=large / small,
        most=1.1,
    )


def _write(folder: Path, games: int, few: int) -> int:
    """Write games of `computer:random` in all variants; return how many orders they have
    together."""
    rng = Random(1)
    orders = 0
    with (
        (folder / "many.esp").open("w", encoding="utf-8") as many,
        (folder / "few.esp").open("w", encoding="utf-8") as beginning,
    ):
        for number in range(games):
            text, ordered = _game(rng)
            orders += ordered
            many.write(text + "\n")
            if number < few:
                beginning.write(text + "\n")
    return orders


def _game(rng: Random) -> tuple[str, int]:
    """Return a record, and how many orders it holds."""
    plies = list(playout(ESPIONAGE, rng, PLIES))
    events = [event for ply in plies for event in ply.events]
    state = plies[-1].after
    if state.outcome is None:
        agreed = list(ESPIONAGE.rules.close(state, "agreement"))
        events += agreed
        state = fold(ESPIONAGE, state, agreed)
    names = dict.fromkeys(ESPIONAGE.seats, "computer:random")
    text = ESPIONAGE.record.write(Chronicle(names, "2026.11.21", state.outcome), state, events)
    return text, sum(isinstance(event, Ordered) for event in events)
