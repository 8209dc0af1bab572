"""The games of packages that are installed beside this program, found by their entry points."""

import ast
import keyword
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.util import find_spec
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudicator.core.game import CONTRACT, AnyGame, Game
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "adjud.games"  # each entry point in it is a slug, and the module and name of its `Game`
OURS = "adjud"  # the distribution of this program, whose own games are in the same group
# Folders of templates and a domain of catalogues that are the program's.
_TAKEN = {"adjud", "default", "shared"}


class NamedGame(Struct, frozen=True):
    """A game that a package names: what is known of it before it is imported. `target` is
    `module:NAME`."""

    slug: str
    package: str
    version: str
    target: str

    @property
    def told(self) -> str:
        return f"{self.package} {self.version}".strip()


class Unusable(Exception):
    """A package's game cannot be used. The message is one sentence that says what to do."""

    def __init__(self, named: NamedGame, message: Message) -> None:
        self.named, self.message = named, message
        super().__init__(str(message))


def named_games() -> Iterator[NamedGame]:
    """Yield the games that other packages name, by their slugs and packages. Nothing of them is
    imported."""
    from importlib.metadata import entry_points  # takes 30 ms, more than many a run

    found = {_named(entry) for entry in entry_points(group=GROUP)}
    for one in sorted(found, key=lambda one: (one.slug, one.package)):
        if one.package.lower() != OURS:
            yield one


def _named(entry: "EntryPoint") -> NamedGame:
    if entry.dist is None:
        return NamedGame(entry.name, entry.module, "", entry.value)
    return NamedGame(entry.name, entry.dist.name, entry.dist.version, entry.value)


def unusable(found: list[NamedGame], ours: tuple[str, ...]) -> Iterator[Unusable]:
    """Yield the named games that need not be imported to know that they cannot be used."""
    times = Counter(one.slug for one in found)
    for one in found:
        if one.slug in ours:
            why = say(
                "the package {package} names a game '{slug}', which is this program's own; "
                "the program's own is used, so uninstall the package",
                package=one.told,
                slug=one.slug,
            )
        elif times[one.slug] > 1:
            why = say(
                "the package {package} names a game '{slug}', as another package does; none "
                "of them is used until all but one are uninstalled",
                package=one.told,
                slug=one.slug,
            )
        elif not is_slug(one.slug):
            why = say(
                "the package {package} names a game '{slug}', but a game is called by one word "
                "of 2 to 20 small letters from a to z; ask its author for one with another name",
                package=one.told,
                slug=shown(one.slug),
            )
        else:
            continue
        yield Unusable(one, why)


def is_slug(word: str) -> bool:
    """Return whether a game can be called by this word."""
    is_word = re.fullmatch(r"[a-z]{2,20}", word) is not None
    return is_word and not keyword.iskeyword(word) and word not in _TAKEN


def import_game(named: NamedGame) -> AnyGame:
    """Import the game that a package names. Raises Unusable, whatever is wrong with it."""
    try:
        module, _, name = named.target.partition(":")
        value = getattr(import_module(module), name) if name else import_module(module)
    except (Exception, SystemExit) as fault:  # all that somebody else's module may raise
        if (contract := _contract_written(named)) not in (None, CONTRACT):
            raise Unusable(named, _of_another_contract(named, contract)) from fault
        kind, text = type(fault).__name__, shown(str(fault), 200)
        why = say(
            "the game '{slug}' of the package {package} cannot be imported ({why}); install "
            "another version of the package, or uninstall it",
            slug=named.slug,
            package=named.told,
            why=f"{kind}: {text}" if text else kind,
        )
        raise Unusable(named, why) from fault
    if not isinstance(value, Game) or value.slug != named.slug:
        why = say(
            "the package {package} names a game '{slug}', but {target} is none of that name; "
            "install another version of the package, or uninstall it",
            package=named.told,
            slug=named.slug,
            target=shown(named.target),
        )
        raise Unusable(named, why)
    if value.contract != CONTRACT:
        raise Unusable(named, _of_another_contract(named, value.contract))
    return value


def _contract_written(named: NamedGame) -> int | None:
    """Return the number that the module of a game gives the name `CONTRACT`; None if it gives none.

    It is read and not run: a module that is written for another contract may import, or call by
    other arguments, what this version does not have.
    """
    try:
        module = named.target.partition(":")[0]
        spec = find_spec(module)
        loader = spec.loader if spec else None
        source = loader.get_source(module) if isinstance(loader, InspectLoader) else None
        statements = ast.parse(source or "").body
    except (Exception, SystemExit):  # of a package around it, too
        return None
    for one in statements:
        match one:
            case ast.Assign(targets=[ast.Name(id="CONTRACT")], value=ast.Constant(value=int(n))):
                return n
    return None


def _of_another_contract(named: NamedGame, contract: int) -> Message:
    if contract < CONTRACT:
        return say(
            "the game '{slug}' of the package {package} is written for the contract {theirs}, and "
            "this version has the contract {ours}; install a newer version of the package",
            slug=named.slug,
            package=named.told,
            theirs=contract,
            ours=CONTRACT,
        )
    return say(
        "the game '{slug}' of the package {package} is written for the contract {theirs}, and this "
        "version has the contract {ours}; install a newer version of adjud",
        slug=named.slug,
        package=named.told,
        theirs=contract,
        ours=CONTRACT,
    )
