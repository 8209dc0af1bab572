"""Measure how often each built-in player of Espionage and Spion beats the one below it, by variant:
`python -m tests.games.strength [MATCHES [GAME [VARIANT ...]]]`.

It plays 20 matches of each pair if nothing is said, each seed twice with the sides exchanged, and
prints the share won, the median of turns and the slowest order in seconds of the processor. All of
it takes some ten minutes. The last lines are what people wait for: a standard match of Espionage
between two `computer`.
"""

import sys
from collections.abc import Iterator
from statistics import median

from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.computers import COMPUTERS
from adjudicator.games.spion import SPION
from tests.games.espionage import arena
from tests.games.spion import strength as spion

MATCHES = 20
PAIRS = (("computer", "computer:easy"), ("computer:strong", "computer"))


def espionage(variant: str, number: int) -> Iterator[str]:
    for one, other in PAIRS:
        yield _told(arena.matches(number, COMPUTERS[one], COMPUTERS[other], variant), one, other)
    if variant == "standard":
        both = COMPUTERS["computer"]
        yield _told(arena.matches(number, both, both), "computer", "computer")


def _told(played: list[arena.Played], one: str, other: str) -> str:
    won = arena.share_won(played) * len(played)
    turns, slowest = median(m.turns for m in played), max(m.slowest for m in played)
    return f"  {one} against {other}: {won:g} of {len(played)}, {turns:g} turns, {slowest:.2f} s"


def of_spion(variant: str, number: int) -> Iterator[str]:
    for one, other in PAIRS:
        clock = spion.Clock()
        won = spion.share(one, other, number, clock, variant) * number
        yield f"  {one} against {other}: {won:g} of {number}, {clock.slowest[one]:.2f} s"


GAMES = {"spion": (SPION.variants, of_spion), "espionage": (ESPIONAGE.variants, espionage)}


def main(number: int, games: list[str], variants: list[str]) -> None:
    for game in games:
        every, lines = GAMES[game]
        for variant in variants or every:
            print(f"{game} {variant}")
            for line in lines(variant, number):
                print(line, flush=True)


if __name__ == "__main__":
    said = sys.argv[1:]
    main(int(said[0]) if said else MATCHES, said[1:2] or [*GAMES], said[2:])
