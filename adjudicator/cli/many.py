"""Use one tool on several matches: one match that refuses it stops no other."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from adjudicator.cli.completion import GAME_NAME, MATCH_NAME, TOURNAMENT_NAME
from adjudicator.cli.shell import BLANKS, Run

if TYPE_CHECKING:
    from adjudicator.service.matches.overview import Selection
    from adjudicator.store.database import Store

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
