"""The commands `adjud games`, what can be played, and `adjud game`, for authors of games."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudicator.cli.arguments import GAME_NAME
from adjudicator.cli.shell import FOLDER, FORMAT, Commands, as_json, hint, rows

if TYPE_CHECKING:
    from adjudicator.service.game_check.sample import Sample
    from adjudicator.service.game_check.table import CheckedDemand


@click.group(cls=Commands)
def game() -> None:
    """Begin a game of your own, and check that it keeps its contract.

    \b
        adjud game new tides
        adjud game check tides
    """


@game.command()
@click.argument("slug")
@click.option("--simultaneous", is_flag=True, help="All order at once; else they take turns.")
@click.option(
    "--folder",
    type=FOLDER,
    metavar="DIR",
    help="An empty folder, or one that is made [SLUG, in the present folder].",
)
def new(slug: str, simultaneous: bool, folder: Path | None) -> None:
    """Begin a game of your own: a package that can be played at once.

    It is a small game to be changed rule by rule, in one file, with a test and what makes it a
    package. Its README says what comes next. No club is needed.

    \b
        adjud game new tides
        adjud game new storms --simultaneous --folder games/storms
    """
    from adjudicator.core.message import Message
    from adjudicator.service.game_check import new_package

    kind = new_package.AT_ONCE if simultaneous else new_package.BY_TURNS
    place = folder or Path(slug)
    for path in new_package.begin(slug, place, kind):
        click.echo(path)
    told = {"folder": str(place), "slug": slug}
    hint(Message("cd {folder} && adjud game check {slug}", told))  # no words


@game.command()
@click.argument("name", type=GAME_NAME, metavar="PACKAGE|SLUG")
@click.option("--seed", default="1", metavar="TEXT", show_default=True, help="Play other matches.")
@click.option(
    "--matches",
    default=3,
    type=click.IntRange(1, 1000),
    metavar="N",
    show_default=True,
    help="Random matches of each variant.",
)
@FORMAT
@click.pass_context
def check(ctx: click.Context, name: str, seed: str, matches: int, form: str) -> None:
    """Check that a game keeps its contract, by random matches.

    PACKAGE is a module that has the game, also in the present folder, or module:NAME. Each line is
    one demand of docs/games.md, and whether it is met; "skipped" is one that would only find the
    same fault again. The exit code is 1 if something is wrong; a warning is not. No club is
    needed.

    \b
        adjud game check spion
        adjud game check adjud_tides --matches 20 --seed 2
    """
    from adjudicator.service.game_check import table
    from adjudicator.service.game_check.sample import Sample, find

    sys.path.insert(0, str(Path.cwd()))  # a package that is not installed yet
    sample = Sample(find(name), seed, matches, name)
    results = []
    for result in table.run(sample):
        results.append(result)
        if form == "text":
            click.echo("\n".join(_lines(result)))
    wrong = [one.check for one in results if one.state == "wrong"]
    if form == "json":
        click.echo(as_json(_told(sample, results)))
    elif wrong:
        click.echo(f"{sample.game.slug}: {len(wrong)} of {len(results)} checks found a fault")
    else:
        click.echo(f"{sample.game.slug}: {len(results)} checks, nothing wrong")
    ctx.exit(1 if wrong else 0)


def _lines(result: "CheckedDemand") -> list[str]:
    """Return a check as it is printed: its demand, and below it what was found and where."""
    because = f" (because of {result.because})" if result.because else ""
    note = f" ({result.note})" if result.note else ""
    lines = [f"{result.state:8} {result.check:11} {result.demands}{because}{note}"]
    for found in result.found:
        lines.append(f"{'':9}{found.told}")
        if place := str(found.place):
            lines.append(f"{'':11}in {place}")
    if result.found:
        lines.append(f'{"":11}look at {result.member}; docs/games.md, "Check a game"')
    return lines


def _told(sample: "Sample", results: "list[CheckedDemand]") -> dict[str, Any]:
    return {
        "game": sample.game.slug,
        "seed": sample.seed,
        "matches": sample.matches,
        "checks": [
            {
                "check": one.check,
                "state": one.state,
                "demands": one.demands,
                "because": one.because or None,
                "note": one.note or None,
                "found": [
                    {
                        "text": found.told,
                        "match": found.place.match or None,
                        "ply": found.place.ply,
                        "seat": found.place.seat or None,
                        "orders": found.place.orders,
                    }
                    for found in one.found
                ],
            }
            for one in results
        ],
    }


@click.command()
@FORMAT
def games(form: str) -> None:
    """List the games, and the packages that they come from.

    A package with an entry point "adjud.games" that is installed beside adjud
    brings its game (docs/games.md). A package that cannot be used is named
    with what to do about it.

    \b
        adjud games
    """
    from adjudicator.core.message import tell
    from adjudicator.games import GAMES

    unusable = [(one.named, tell(one.message)) for one in GAMES.unusable()]
    usable = [
        (game, origin) for slug, game in GAMES.items() if (origin := GAMES.origin(slug)) is not None
    ]
    if form == "json":
        for game, origin in usable:
            click.echo(
                as_json(
                    {
                        "slug": game.slug,
                        "title": game.title,
                        "package": origin.package,
                        "version": origin.version,
                        "contract": game.contract,
                        "trouble": None,
                    }
                )
            )
        for named, told in unusable:
            click.echo(
                as_json(
                    {
                        "slug": named.slug,
                        "title": None,
                        "package": named.package,
                        "version": named.version,
                        "contract": None,
                        "trouble": told,
                    }
                )
            )
        return
    table = [
        (game.slug, game.title, origin.package, origin.version, str(game.contract))
        for game, origin in usable
    ]
    for line in rows([("slug", "title", "package", "version", "contract"), *table]):
        click.echo(line)
    for _, told in unusable:
        click.echo(told)
