"""`adjud record replay` of many recorded games: orders a second, and whether memory stays flat."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from adjudicator.core.game import Chronicle
from adjudicator.core.turn import fold
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.state import Ordered
from tests.bench.measuring import Row, adjud, environment, per_second, scaled
from tests.games.playouts import playout

GAMES, FEW = 10_000, 1_000
PLIES = 60  # after these the sides agree on a draw: random play goes on for hundreds


def rows(scale: float) -> Iterator[Row]:
    games = scaled(GAMES, scale, least=4)
    few = scaled(FEW, scale, least=2)
    with TemporaryDirectory() as name:
        folder = Path(name)
        orders = _write(folder, games, few)
        env = environment(folder, "sqlite://")
        _, small = _replay(folder / "few.esp", env)
        seconds, large = _replay(folder / "many.esp", env)
    yield Row(
        name=f"replay of {games:,} games, {orders:,} orders",
        ours=per_second(orders, seconds, "orders"),
    )
    yield Row(
        name=f"  its memory ({few:,} games)",
        ours=f"{large / 1024:.1f} MiB",
        theirs=f"{small / 1024:.1f} MiB",
        ratio=large / small,
        most=1.1,
    )


def _write(folder: Path, games: int, few: int) -> int:
    """Games of `computer:random` in all variants; returns how many orders are in them all."""
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
    """A record, and how many orders it holds."""
    plies = list(playout(ESPIONAGE, rng, PLIES))
    events = [event for ply in plies for event in ply.events]
    state = plies[-1].after
    if state.outcome is None:
        agreed = list(ESPIONAGE.close(state, "agreement"))
        events += agreed
        state = fold(ESPIONAGE, state, agreed)
    names = {seat: "computer:random" for seat in ESPIONAGE.seats}
    text = ESPIONAGE.record(Chronicle(names, "2026.11.21", state.outcome), state, events)
    return text, sum(isinstance(event, Ordered) for event in events)


def _replay(file: Path, env: Mapping[str, str]) -> tuple[float, int]:
    """Seconds and the largest resident memory, in KiB, of the command."""
    start = perf_counter()
    command = [*adjud(), "record", "replay", str(file)]
    run = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    assert run.returncode == 0, f"{file.name} was not replayed"
    return perf_counter() - start, used.ru_maxrss
