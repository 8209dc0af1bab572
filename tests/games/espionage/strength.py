"""Measure Espionage's built-in players, and print what came out beside what is wished.

`python -m tests.games.espionage.strength` takes some minutes.
"""

from collections.abc import Iterator

from adjudicator.games.espionage.rules.pieces import ARMIES
from tests.games.espionage import armies_measured


def lines() -> Iterator[str]:
    for size in ARMIES:
        yield f"armies on {size}x{size} ({armies_measured.ARMIES_DRAWN} drawn)"
        for what, came, wished in armies_measured.measured(size):
            yield f"  {what:<36}{came:>8}  {wished}".rstrip()


if __name__ == "__main__":
    for line in lines():
        print(line, flush=True)
