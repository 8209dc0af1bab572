"""Events that no rule brings about, as a club that cheats would like them: one of each game that
helps its operator."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.games.samples import of_games

Forged = Callable[[Any, str], Any]

FORGED: Mapping[str, Mapping[str, Forged]] = of_games("cheating", "FORGED")

EVERY = [(game, name) for game, forged in FORGED.items() for name in forged]
