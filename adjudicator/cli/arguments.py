"""What commands take beside their own options: names of matches, seats and players, which a shell
completes, and several matches at once.

A parameter says by its type what completes it. Only names are completed that `status` and `player
list` show as well. Completion reads the club that the command would use and never makes, changes or
complains about anything.
"""

import os
import shlex
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from adjudicator.cli.shell import BLANKS, Run

if TYPE_CHECKING:
    from adjudicator.service.matches.overview import Selection
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


# Several matches at once: one that refuses a tool stops no other.


_ARGUMENT = click.argument("matches", type=MATCH_NAME, nargs=-1, metavar="MATCH...")
_ALL = click.option("--all", "every", is_flag=True, help="All matches to which it applies.")
_GAME = click.option(
    "--game", type=GAME_NAME, metavar="GAME", help="All of this game to which it applies."
)
_TOURNAMENT = click.option(
    "--tournament",
    type=TOURNAMENT_NAME,
    metavar="TOURNAMENT",
    help="All of this tournament to which it applies.",
)


def several(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command take several matches, `--all`, `--game` or `--tournament`; it is given which
    ones are `wanted`."""

    @wraps(command)
    def choose(
        *given: Any,
        matches: Sequence[str],
        every: bool,
        game: str | None,
        tournament: str | None,
        **more: Any,
    ) -> Any:
        wanted = selection(matches, every, game, tournament)
        return command(*given, wanted=wanted, **more)

    return _ARGUMENT(_ALL(_GAME(_TOURNAMENT(choose))))


class OnMatches(click.Command):
    """A command on several matches. A last argument with blanks and without quotes comes in as
    several words, which are no names of matches; then the command says so."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:
            names = ctx.params.get("matches", ())
            strange = next((i for i, one in enumerate(names) if not _may_be_match(one)), None)
            if strange and _last_argument(ctx) in BLANKS:
                ctx.fail(f"too many words; {_quoting_hint(ctx, strange)}")
        return rest


def _may_be_match(word: str) -> bool:
    return word[:1].isalpha() and word.replace("-", "").isalnum()


def _last_argument(ctx: click.Context) -> str:
    return [str(one.name) for one in ctx.command.params if isinstance(one, click.Argument)][-1]


def _quoting_hint(ctx: click.Context, first: int) -> str:
    """Say that the words from the one with that number on are one, and need quotes."""
    last = _last_argument(ctx)
    words = [*ctx.params["matches"][first:], ctx.params[last]]
    kind, most = BLANKS[last]
    return f'{kind} with blanks needs quotes: "{" ".join(words[:most])}"'


def selection(
    matches: Sequence[str], every: bool, game: str | None, tournament: str | None = None
) -> "Selection":
    """Return which matches are meant, or refuse to guess."""
    from adjudicator.service.matches.overview import Selection

    if bool(matches) + every + bool(game) + bool(tournament) != 1:
        raise click.UsageError(
            "name one MATCH or several, or give --all, --game GAME or --tournament TOURNAMENT"
        )
    return Selection(names=matches, game=game, tournament=tournament)


def on_each(
    run: Run, wanted: "Selection", tool: str, use: "Callable[[Store, str], object]"
) -> None:
    """Use a tool on each of the matches and print what it answers; end with 1 if one refused."""
    with run.club() as store:
        names = _selected(store, wanted, tool)
        if len(names) == 1 and wanted.names:
            click.echo(use(store, *names))
        else:
            run_on_each(names, lambda name: use(store, name))


def run_on_each(names: Sequence[str], use: Callable[[str], object]) -> None:
    """Do something with each match and print what it answers, and at last how many did it. A match
    that refuses is named with its reason, and the command ends with 1."""
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.base.loaded_match import Unreadable

    failed = []
    for name in names:
        try:
            click.echo(use(name))
        except (Refusal, Unreadable) as trouble:
            messages = trouble.messages if isinstance(trouble, Refusal) else [trouble.message]
            for message in messages:
                told = str(message)
                click.echo(f"adjud: {told if name in told else f'{name}: {told}'}", err=True)
            failed.append(name)
        except click.exceptions.Exit:  # asked whether it was meant, and it was not
            failed.append(name)
    told = f"{len(names) - len(failed)} of {len(names)} matches done"
    click.echo(f"{told}; not done: {', '.join(failed)}" if failed else told)
    if failed:
        raise click.exceptions.Exit(1)


def _selected(store: "Store", wanted: "Selection", tool: str) -> list[str]:
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.matches.overview import Selection, select

    try:
        return select(store, wanted, tool)
    except Refusal:
        # The words of a text without quotes are taken for matches.
        ctx = click.get_current_context()
        for number, name in enumerate(wanted.names if tool == "say" else ()):
            try:
                select(store, Selection(names=[name]), tool)
            except Refusal:
                if number:
                    ctx.fail(f"there is no match '{name}'; {_quoting_hint(ctx, number)}")
        raise
