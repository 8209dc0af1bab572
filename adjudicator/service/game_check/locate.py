"""Find the game that an author means: by its slug, or by the module that has it."""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from adjudicator.core.game import AnyGame, Game
from adjudicator.core.message import say
from adjudicator.core.orders import shown
from adjudicator.games import GAMES
from adjudicator.resources import ELSEWHERE
from adjudicator.service.base.context import Refusal

PREFIX = "adjud_"  # of the module that `adjud game new` makes


def find(word: str) -> AnyGame:
    """Return the game called by a slug, a module (`adjud_` may be left out), or `module:NAME`.

    The game is put among the program's, so that its reports can be made. Raises Refusal.
    """
    if word in GAMES:
        return GAMES[word]
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
    if len({id(game) for game in games.values()}) != 1:
        raise Refusal(
            say("{name} has {number} games; write module:NAME", name=shown(word), number=len(games))
        )
    game: AnyGame = next(iter(games.values()))
    GAMES[game.slug] = game
    if package := module.__package__:  # its templates and catalogues are in its folder
        ELSEWHERE.setdefault(game.slug, Path(sys.modules[package].__path__[0]))
    return game
