"""The games that this program adjudicates. One line each."""

from adjudicator.core.game import AnyGame
from adjudicator.games.espionage import ESPIONAGE

GAMES: dict[str, AnyGame] = {game.slug: game for game in (ESPIONAGE,)}
