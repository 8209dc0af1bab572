"""The games that this program adjudicates, by the names of their packages."""

from collections.abc import Iterator, MutableMapping
from importlib import import_module

from adjudicator.core.game import AnyGame

NAMES = ("espionage", "spion", "spies")  # the package, and in capitals the value in it


class Games(MutableMapping[str, AnyGame]):
    """Each game is imported when it is asked for: a run that reads one sheet needs one of them,
    and to import the others takes longer than to read it. Another game may be put in beside
    them."""

    def __init__(self) -> None:
        self._imported: dict[str, AnyGame] = {}

    def __getitem__(self, slug: str) -> AnyGame:
        if slug not in self._imported:
            if slug not in NAMES:
                raise KeyError(slug)
            module = import_module(f"adjudicator.games.{slug}")
            self._imported[slug] = getattr(module, slug.upper())
        return self._imported[slug]

    def __contains__(self, slug: object) -> bool:  # the inherited one would import the game
        return slug in self._imported or slug in NAMES

    def __setitem__(self, slug: str, game: AnyGame) -> None:
        self._imported[slug] = game

    def __delitem__(self, slug: str) -> None:
        del self._imported[slug]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*NAMES, *self._imported)))

    def __len__(self) -> int:
        return len({*NAMES, *self._imported})


GAMES = Games()
