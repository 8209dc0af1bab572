"""The games that this program adjudicates: its own, by the names of their packages, and those of
packages that are installed beside it."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from functools import cached_property
from importlib import import_module

from adjudicator import __version__
from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, say
from adjudicator.games import packaged
from adjudicator.games.packaged import NamedGame, Unusable
from adjudicator.resources import ELSEWHERE, folder_of_package

NAMES = ("espionage", "spion", "spies")  # the package, and in capitals the value in it


def own(slug: str) -> NamedGame:
    """Return what the program's own entry point says of one of its games."""
    target = f"adjudicator.games.{slug}:{slug.upper()}"
    return NamedGame(slug, packaged.OURS, __version__, target)


class Games(MutableMapping[str, AnyGame]):
    """Each game is imported when it is asked for: a run that reads one sheet needs one of them,
    and to import the others takes longer than to read it. Other packages are looked for once, and
    not before somebody asks for a game that is not ours, or for all. Another game may be put in
    beside them.

    A game of another package that cannot be used is as if it were not there; `unusable` says why.
    """

    def __init__(self) -> None:
        self._imported: dict[str, AnyGame] = {}
        self._refused: dict[str, Unusable] = {}

    @cached_property
    def _named(self) -> Sequence[NamedGame]:
        return list(packaged.named_games())

    @cached_property
    def _unasked(self) -> Mapping[NamedGame, Unusable]:
        """Return the named games that are not even imported."""
        return {one.named: one for one in packaged.unusable([*self._named], NAMES)}

    @cached_property
    def _packaged(self) -> Mapping[str, NamedGame]:
        return {one.slug: one for one in self._named if one not in self._unasked}

    def _find(self, slug: str) -> AnyGame | None:
        if slug in self._imported:
            return self._imported[slug]
        if slug in NAMES:
            module = import_module(f"adjudicator.games.{slug}")
            self._imported[slug] = getattr(module, slug.upper())
        elif slug in self._packaged and slug not in self._refused:
            self._take(self._packaged[slug])
        return self._imported.get(slug)

    def _take(self, named: NamedGame) -> None:
        try:
            game = packaged.import_game(named)
        except Unusable as unusable:
            self._refused[named.slug] = unusable
            return
        if (folder := folder_of_package(named.target.partition(":")[0])) is not None:
            ELSEWHERE[named.slug] = folder
        self._imported[named.slug] = game

    def unusable(self) -> Sequence[Unusable]:
        """Return the games of other packages that cannot be used; all others are imported."""
        for slug in self._packaged:
            self._find(slug)
        return [*self._unasked.values(), *self._refused.values()]

    def why_missing(self, slug: str) -> Message | None:
        """Return why a package's game of this name cannot be used; None if no package names it, or
        if it can."""
        if slug in self:
            return None
        return next((one.message for one in self.unusable() if one.named.slug == slug), None)

    def origin(self, slug: str) -> NamedGame | None:
        """Return which package names a game that can be used; None of one that was put in."""
        return own(slug) if slug in NAMES else self._packaged.get(slug)

    def title(self, slug: str) -> Message:
        """Return what people call a game; its slug, if it is not here."""
        return say(self[slug].title) if slug in self else Message(slug)

    def package(self, slug: str) -> str:
        """Return the package of a game and its version, as a match remembers them; empty of the
        program's own and of one that was put in."""
        origin = None if slug in NAMES else self.origin(slug)
        return "" if origin is None else origin.told

    def package_of(self, module: str) -> str | None:
        """Return the package, with its version, to whose game a module of this name belongs; None
        if it belongs to none that another package names."""
        top = module.partition(".")[0]
        mine = (
            one.told for one in self._named if one.target.partition(":")[0].split(".")[0] == top
        )
        return next(mine, None)

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
        installed = [slug for slug in self._packaged if self._find(slug) is not None]
        return iter(dict.fromkeys((*NAMES, *installed, *self._imported)))

    def __len__(self) -> int:
        return sum(1 for _ in self)


GAMES = Games()
