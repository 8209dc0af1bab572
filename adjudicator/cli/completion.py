"""What a shell completes beside commands and options: names of matches, seats and players.

A parameter says by its type what completes it. Only names are completed that `status` and `player
list` show as well. Completion reads the club that the command would use and never makes, changes or
complains about anything.
"""

import os
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from adjudicator.cli.shell import Run

if TYPE_CHECKING:
    from adjudicator.store.database import Store

MOST = 200  # names that are offered; more would help nobody
COMPUTERS = ("computer", "computer:random", "computer:easy", "computer:strong")

Names = Callable[["Store", click.Context], list[str]]


class Name(click.ParamType[str]):
    """A word that the club knows. It is completed and otherwise taken as it is."""

    name = "text"

    def __init__(self, names: Names) -> None:
        self.names = names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        begun = incomplete.casefold()
        found = (
            name for name in _names_in_club(self.names, ctx) if name.casefold().startswith(begun)
        )
        return [
            CompletionItem(_as_typed(name)) for name, _ in zip(found, range(MOST), strict=False)
        ]


class TournamentKind(Name):
    """A kind of tournament. The help names all that there are; the kinds are imported for it
    alone."""

    def __init__(self) -> None:
        super().__init__(lambda store, ctx: _kinds())

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "|".join(_kinds())


class SeatOfPlayer(Name):
    """SEAT=PLAYER. Behind the sign the player is completed; shells replace the whole word."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        seat, given, begun = incomplete.partition("=")
        if not given:
            return []
        players = super().shell_complete(ctx, param, begun)
        # Bash takes "=" for the end of a word, and replaces what is behind it only.
        return [one if _is_bash() else CompletionItem(f"{seat}={one.value}") for one in players]


def _names_in_club(names: Names, ctx: click.Context) -> list[str]:
    """Return names of the club that the command line names so far; none if it cannot be read."""
    from adjudicator.config import ConfigTrouble
    from adjudicator.service.base.context import BREAKDOWNS, Refusal
    from adjudicator.store.database import StoreTrouble

    root = ctx.find_root().params
    try:
        with Run(root.get("config"), root.get("database")).store() as store:
            return names(store, ctx)
    except (ConfigTrouble, Refusal, StoreTrouble, *BREAKDOWNS):
        return []  # the command itself says what is wrong; a sentence here would garble the prompt


def _is_bash() -> bool:
    return os.environ.get("_ADJUD_COMPLETE", "").startswith("bash")


def _as_typed(name: str) -> str:
    """Write a name as it must be typed; zsh and fish quote it themselves."""
    return shlex.quote(name) if _is_bash() else name


def _matches(store: "Store", ctx: click.Context) -> list[str]:
    """Return the newest first, those that are not over before all others."""
    from adjudicator.store import matches

    with store.reading() as tx:
        going = matches.names_going(tx)[::-1]
        return list(dict.fromkeys([*going, *matches.names(tx)[::-1]]))


def _seats(store: "Store", ctx: click.Context) -> list[str]:
    """Return the seats of the match that was named before, else those of all games."""
    from adjudicator.games import GAMES
    from adjudicator.store import matches

    if name := ctx.params.get("match"):
        with store.reading() as tx:
            match = matches.find(tx, name)
            if match is not None:
                return list(matches.holders(tx, match.id))
    return sorted({seat for game in GAMES.values() for seat in game.seats})


def _people(store: "Store", ctx: click.Context) -> list[str]:
    from adjudicator.store import players

    with store.reading() as tx:
        return [player.name for player in players.all_players(tx)]


def _players(store: "Store", ctx: click.Context) -> list[str]:
    return [*_people(store, ctx), *COMPUTERS]


def _games(store: "Store", ctx: click.Context) -> list[str]:
    from adjudicator.games import GAMES

    return [*GAMES]


def _tournaments(store: "Store", ctx: click.Context) -> list[str]:
    from adjudicator.store import tournaments

    with store.reading() as tx:
        return tournaments.names(tx)[::-1]


def _kinds() -> list[str]:
    from adjudicator.service.competition.kinds import KINDS

    return [*KINDS]


# What a parameter of a command takes: `type=MATCH_NAME`. A name that there is not yet has none.
MATCH_NAME = Name(_matches)
SEAT_NAME = Name(_seats)
PERSON_NAME = Name(_people)
PLAYER_NAME = Name(_players)  # or a computer
SEAT_OF_PLAYER = SeatOfPlayer(_players)
GAME_NAME = Name(_games)
TOURNAMENT_NAME = Name(_tournaments)
TOURNAMENT_KIND = TournamentKind()
