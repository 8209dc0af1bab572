"""`adjud games`: what can be played."""

import click


@click.command()
def games() -> None:
    """List the games: slug, title, and the package that has it.

    Whoever installs a package with an entry point "adjud.games" beside adjud
    has its game too (docs/games.md). A package that cannot be used is named.

    \b
        adjud games
    """
    from adjudicator import __version__
    from adjudicator.core.message import tell
    from adjudicator.games import GAMES

    packages, broken = GAMES.packages, GAMES.broken
    for slug, game in GAMES.items():
        package, version = packages.get(slug, ("adjud", __version__))
        click.echo(f"{slug}: {game.title} ({package} {version})")
    for message in broken.values():
        click.echo(tell(message), err=True)
