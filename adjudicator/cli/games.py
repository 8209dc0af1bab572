"""`adjud games`: what can be played."""

import click

from adjudicator.cli.shell import FORMAT, as_json, rows


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
