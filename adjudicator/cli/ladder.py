"""The commands `adjud ladder`: ladders of the club."""

import click

from adjudicator.cli.arguments import GAME_NAME, PLAYER_NAME
from adjudicator.cli.shell import FORMAT, Commands, Run, as_json, in_utc, rows


@click.group(cls=Commands)
def ladder() -> None:
    """Let players challenge each other for the places of a ladder.

    \b
        adjud ladder new spring espionage
        adjud ladder enter spring Anna
    """


@ladder.command()
@click.argument("name")
@click.argument("game", type=GAME_NAME, required=False)
@click.option("--variant", metavar="V", help="A variant of the game; the first is the default.")
@click.option("--like", metavar="TEMPLATE", help="Take game, variant and options of a template.")
@click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="Of its matches, as in `new`."
)
@click.pass_obj
def new(
    run: Run,
    name: str,
    game: str | None,
    variant: str | None,
    like: str | None,
    options: tuple[str, ...],
) -> None:
    """Make a ladder of a game for two. Its matches get the names NAME-1, NAME-2 and so on.

    \b
        adjud ladder new spring espionage --variant small
        adjud ladder new autumn --like slow
    """
    from adjudicator.service.competition import ladders

    wanted = ladders.NewLadder(name=name, game=game, variant=variant, like=like, options=options)
    run.do(ladders.create, wanted)


@ladder.command("list")
@FORMAT
@click.pass_obj
def list_(run: Run, form: str) -> None:
    """List the ladders of the club.

    \b
        adjud ladder list
    """
    from adjudicator.service.competition import ladder_tables

    with run.store() as store:
        listed = ladder_tables.all_of_club(store)
    if form == "json":
        for one in listed:
            click.echo(as_json(ladder_tables.as_json(one)))
        return
    if not listed:
        click.echo("no ladders yet")
        return
    table = [
        (one.row.name, one.row.game, one.row.status, str(len(one.rungs)), str(len(one.going)))
        for one in listed
    ]
    for line in rows([("name", "game", "state", "players", "matches"), *table]):
        click.echo(line)


@ladder.command()
@click.argument("ladder")
@FORMAT
@click.pass_obj
def show(run: Run, ladder: str, form: str) -> None:
    """Show the places of a ladder, its matches and its last results.

    \b
        adjud ladder show spring
    """
    from adjudicator.service.competition import ladder_tables

    with run.store() as store:
        found = ladder_tables.one_of_club(store, ladder)
    as_text, of_json = ladder_tables.as_text, ladder_tables.as_json
    click.echo(as_json(of_json(found)) if form == "json" else as_text(found, in_utc))


@ladder.command()
@click.argument("ladder")
@FORMAT
@click.pass_obj
def log(run: Run, ladder: str, form: str) -> None:
    """Check the log of a ladder, and print its lines.

    The exit code is 1 if something in it does not agree. The log of a ladder from before 1.0.0
    begins with its next change.

    \b
        adjud ladder log spring
    """
    from adjudicator.service.competition import ladder_replay, ladder_tables, ladders
    from adjudicator.store import ladders as rows_of

    with run.store() as store, store.reading() as tx:
        of = ladder_tables.table(tx, ladders.find(tx, ladder))
        lines = rows_of.log(tx, of.row.id)
        wrong = [str(one) for one in ladder_replay.verify(tx, of.row)]
    if form == "json":
        told = [{"n": one.n, "line": one.line, "head": one.head} for one in lines]
        click.echo(as_json({"ladder": of.row.name, "log": told, "faults": wrong}))
    else:
        for line in lines:
            click.echo(line.line)
        click.echo(str(of.head or "there is no log yet"))
        for fault in wrong:
            click.echo(f"adjud: {fault}", err=True)
    if wrong:
        raise click.exceptions.Exit(1)


@ladder.command()
@click.argument("ladder")
@click.argument("player", type=PLAYER_NAME)
@click.pass_obj
def enter(run: Run, ladder: str, player: str) -> None:
    """Put a player on the last place.

    \b
        adjud ladder enter spring Anna
    """
    from adjudicator.service.competition import ladders

    run.do(ladders.enter, ladder, player)


@ladder.command()
@click.argument("ladder")
@click.argument("player", type=PLAYER_NAME)
@click.pass_obj
def leave(run: Run, ladder: str, player: str) -> None:
    """Take a player from a ladder; those below move up.

    \b
        adjud ladder leave spring Anna
    """
    from adjudicator.service.competition import ladders

    run.do(ladders.remove, ladder, player)


@ladder.command()
@click.argument("ladder")
@click.pass_obj
def close(run: Run, ladder: str) -> None:
    """Close a ladder: nobody can be challenged any more.

    \b
        adjud ladder close spring
    """
    from adjudicator.service.competition import ladders

    run.do(ladders.close, ladder)
