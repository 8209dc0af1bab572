"""The games that this program adjudicates: its own, and those of packages beside it."""

from collections.abc import Iterator, Mapping, MutableMapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from adjudicator.core.game import AnyGame, Game
from adjudicator.core.message import Message, say
from adjudicator.resources import ELSEWHERE, folder_of_package

NAMES = ("espionage", "spion", "spies")  # the package, and in capitals the value in it
GROUP = "adjud.games"  # of the entry points by which packages name theirs: its slug, and the value


class Games(MutableMapping[str, AnyGame]):
    """Each game is imported when it is asked for: a run that reads one sheet needs one of them,
    and to import the others takes longer than to read it. Another game may be put in beside
    them.

    A package whose game cannot be used is as if it were not there; `broken` says why, by slug.
    """

    def __init__(self) -> None:
        self._imported: dict[str, AnyGame] = {}
        self._broken: dict[str, Message] = {}

    @cached_property
    def _packaged(self) -> Mapping[str, EntryPoint]:
        return {one.name: one for one in entry_points(group=GROUP) if one.name not in NAMES}

    @property
    def packages(self) -> Mapping[str, tuple[str, str]]:
        """Return the name and the version of each package that names a game, by its slug."""
        return {slug: _package(entry) for slug, entry in self._packaged.items()}

    @property
    def broken(self) -> Mapping[str, Message]:
        for slug in self._packaged:
            self._find(slug)
        return self._broken

    def _find(self, slug: str) -> AnyGame | None:
        if slug in self._imported:
            return self._imported[slug]
        if slug in NAMES:
            module = import_module(f"adjudicator.games.{slug}")
            self._imported[slug] = getattr(module, slug.upper())
        elif slug in self._packaged and slug not in self._broken:
            self._take(slug, self._packaged[slug])
        return self._imported.get(slug)

    def _take(self, slug: str, entry: EntryPoint) -> None:
        package = " ".join(_package(entry))
        try:
            game = entry.load()
        except Exception as fault:  # whatever it is, all other games can be played
            why = f"{type(fault).__name__}: {fault}"
            self._broken[slug] = say(
                "the game {slug} of the package {package} cannot be imported: {why}",
                slug=slug,
                package=package,
                why=why,
            )
            return
        if not isinstance(game, Game) or game.slug != slug:
            self._broken[slug] = say(
                "the package {package} names no game {slug}: {value} is none that is called so",
                slug=slug,
                package=package,
                value=entry.value,
            )
            return
        if (own := folder_of_package(entry.module)) is not None:
            ELSEWHERE[slug] = own
        self._imported[slug] = game

    def __getitem__(self, slug: str) -> AnyGame:
        if (game := self._find(slug)) is None:
            raise KeyError(slug)
        return game

    def __contains__(self, slug: object) -> bool:  # the inherited one would import our own, too
        return slug in NAMES or (isinstance(slug, str) and self._find(slug) is not None)

    def __setitem__(self, slug: str, game: AnyGame) -> None:
        self._imported[slug] = game

    def __delitem__(self, slug: str) -> None:
        del self._imported[slug]

    def __iter__(self) -> Iterator[str]:
        packaged = (slug for slug in self._packaged if self._find(slug) is not None)
        return iter(dict.fromkeys((*NAMES, *packaged, *self._imported)))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _package(entry: EntryPoint) -> tuple[str, str]:
    return (entry.dist.name, entry.dist.version) if entry.dist else (entry.module, "")


GAMES = Games()
