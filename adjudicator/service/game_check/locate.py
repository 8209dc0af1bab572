"""Find the game that an author means: by its slug, or by the module that has it."""

from importlib import import_module
from importlib.util import find_spec

from adjudicator.core.game import AnyGame, Game
from adjudicator.core.message import say
from adjudicator.core.orders import shown
from adjudicator.games import GAMES
from adjudicator.resources import ELSEWHERE, folder_of_package
from adjudicator.service.base.context import Refusal

PREFIX = "adjud_"  # of the module that `adjud game new` makes


def find(word: str) -> AnyGame:
    """Return the game called by a slug, a module (`adjud_` may be left out), or `module:NAME`.

    The game is put among the program's, so that its reports can be made. Raises Refusal.
    """
    if word in GAMES:
        return GAMES[word]
    if (missing := GAMES.why_missing(word)) is not None:
        raise Refusal(missing)
    name, _, attribute = word.partition(":")
    name = name.replace("-", "_")
    try:
        module = import_module(name if find_spec(name) else f"{PREFIX}{name}")
    except ModuleNotFoundError as fault:
        raise Refusal(
            say(
                "there is no game and no package called {name}: {why}",
                name=shown(word),
                why=str(fault),
            )
        ) from fault
    except Exception as fault:
        why = f"{type(fault).__name__}: {fault}"
        raise Refusal(say("{name} cannot be imported: {why}", name=shown(word), why=why)) from fault
    values = vars(module)
    games = {key: value for key, value in values.items() if isinstance(value, Game)}
    if attribute:
        games = {key: value for key, value in games.items() if key == attribute}
    if len({game.slug for game in games.values()}) != 1:
        raise Refusal(
            say(
                "{name} has {number} games; write `module:NAME`",
                name=shown(word),
                number=len(games),
            )
        )
    game: AnyGame = [*games.values()][-1]  # the others are what it was made of
    GAMES[game.slug] = game
    if (own := folder_of_package(module.__name__)) is not None:
        ELSEWHERE.setdefault(game.slug, own)
    return game
