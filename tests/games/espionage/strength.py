"""Measure Espionage's built-in players, and print what came out beside what is wished.

`python -m tests.games.espionage.strength [MATCHES]` plays so many of each pair, 200 if nothing is
said. That takes a few minutes, with `computer:strong` some more.
"""

import sys
from collections.abc import Iterator
from statistics import median

from adjudicator.games.espionage.computers import COMPUTERS
from adjudicator.games.espionage.rules.pieces import ARMIES
from tests.games.espionage import armies_measured
from tests.games.espionage.arena import Played, matches, share_won
from tests.games.espionage.former import thinking as former

MATCHES = 200

PLAYERS = {**COMPUTERS, "former": former.play}
# Who plays whom, and which share the first is wished to win.
PAIRS = (
    ("computer", "computer", None),
    ("computer", "former", 60),
    ("computer:easy", "computer:random", 65),
    ("computer", "computer:easy", 65),
    ("computer:strong", "computer", 65),
)


def lines(number: int) -> Iterator[str]:
    for size in ARMIES:
        yield f"armies on {size}x{size} ({armies_measured.ARMIES_DRAWN} drawn)"
        for what, came, wished in armies_measured.measured(size):
            yield f"  {what:<36}{came:>8}  {wished}".rstrip()
    for one, other, wished in PAIRS:
        played = matches(number, PLAYERS[one], PLAYERS[other])
        yield f"{one} against {other} ({number} matches on 10x10)"
        yield from _told(played, wished)


def _told(played: list[Played], wished: int | None) -> Iterator[str]:
    if wished:
        yield f"  {'won':<36}{100 * share_won(played):>6.0f} %  >= {wished} %"
    yield f"  {'first fight in turn (median)':<36}{median(m.first_fight for m in played):>8}  <= 9"
    yield f"  {'turns (median)':<36}{median(m.turns for m in played):>8}  <= 60"
    yield f"  {'slowest order in seconds':<36}{max(m.slowest for m in played):>8.2f}  <= 2 (5)"


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]) if sys.argv[1:] else MATCHES):
        print(line, flush=True)
