"""The commands `adjud tournament`: tournaments of the club, from their entrants to the table."""

import click

from adjudicator.cli.arguments import (
    GAME_NAME,
    MATCH_NAME,
    PERSON_NAME,
    PLAYER_NAME,
    TOURNAMENT_KIND,
    TOURNAMENT_NAME,
)
from adjudicator.cli.master import NEEDED_REASON
from adjudicator.cli.shell import FORMAT, Commands, Run, as_json, in_utc, rows

PLAYER = click.argument("player", type=PLAYER_NAME)
TOURNAMENT = click.argument("tournament", type=TOURNAMENT_NAME)


@click.group(cls=Commands)
def tournament() -> None:
    """Let players meet in rounds, in a knock-out, or as two teams.

    \b
        adjud tournament new cup espionage --kind swiss --entrant Anna --entrant Bob
    """


@tournament.command()
@click.argument("name")
@click.argument("game", type=GAME_NAME)
@click.option("--kind", required=True, type=TOURNAMENT_KIND, help="How its rounds are paired.")
@click.option("--variant", metavar="V", help="A variant of the game; the first is the default.")
@click.option("--seats", metavar="LO-HI", help="Of a Swiss: players in a match, 2 or like 3-4.")
@click.option("--rounds", type=int, metavar="N", help="Of a Swiss.")
@click.option("--twice", is_flag=True, help="All who meet do so twice.")
@click.option("--at-once", type=int, metavar="N", help="So many rounds at a time, and not all.")
@click.option("--size", type=int, metavar="N", help="It starts when so many have entered.")
@click.option("--starts", metavar="TIME", help='It starts then: "2026-12-01 18:00".')
@click.option("--round-limit", metavar="DURATION", help="You hear of matches not over then.")
@click.option("--chance", metavar="CHANCE", help="Of its draws: seed, drand, or a draw of numbers.")
@click.option("--like", metavar="TEMPLATE", help="With the options of a template.")
@click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="Of its matches, as in `new`."
)
@click.option("--entrant", "entrants", multiple=True, type=PERSON_NAME, metavar="PLAYER")
@click.option("--open", "is_public", is_flag=True, help="Players may enter by email: JOIN NAME.")
@click.pass_obj
def new(
    run: Run,
    name: str,
    game: str,
    kind: str,
    variant: str | None,
    seats: str | None,
    rounds: int | None,
    twice: bool,
    at_once: int | None,
    size: int | None,
    starts: str | None,
    round_limit: str | None,
    chance: str | None,
    like: str | None,
    options: tuple[str, ...],
    entrants: tuple[str, ...],
    is_public: bool,
) -> None:
    """Make a tournament. Its matches get the names NAME-ROUND-BOARD.

    Unless other options are given, a turn has three days and each seat a reserve of five.

    \b
        adjud tournament new cup espionage --kind round-robin --variant small \\
            --entrant Anna --entrant Bob --entrant Cleo
        adjud tournament new spring spies --kind swiss --seats 3-5 --open --size 12
    """
    from adjudicator.service.competition import creating
    from adjudicator.service.matches import creation

    if like is not None:
        template = creation.find_template(run.context, like, game)
        variant, options = variant or template.variant or None, (*template.options, *options)
    wanted = creating.NewTournament(
        name=name,
        game=game,
        kind=kind,
        variant=variant,
        seats=seats,
        rounds=rounds,
        twice=twice,
        at_once=at_once,
        size=size,
        starts=starts,
        round_limit=round_limit,
        options=options,
        entrants=entrants,
        is_public=is_public,
        chance=chance,
    )
    with run.club() as store:
        told = creating.create(run.open_club(store), wanted, zone=run.settings.timezone)
        click.echo(told)
        click.echo(creating.longest_silence(store, name, context=run.context))


@tournament.command("list")
@FORMAT
@click.pass_obj
def list_(run: Run, form: str) -> None:
    """List the tournaments of the club.

    \b
        adjud tournament list
    """
    from adjudicator.service.competition import showing
    from adjudicator.service.competition.tournament import all_of_club

    with run.store() as store:
        listed = all_of_club(store)
    if form == "json":
        for one in listed:
            click.echo(as_json(showing.as_json(one)))
        return
    if not listed:
        click.echo("no tournaments yet")
        return
    head = ("name", "game", "kind", "state", "entrants", "round")
    table = [
        (
            one.row.name,
            one.row.game,
            one.row.kind,
            one.row.status,
            str(len(one.entries)),
            f"{one.row.round} of {one.rounds}" if one.numbers else "-",
        )
        for one in listed
    ]
    for line in rows([head, *table]):
        click.echo(line)


@tournament.command()
@TOURNAMENT
@FORMAT
@click.pass_obj
def show(run: Run, tournament: str, form: str) -> None:
    """Show the table and the rounds of a tournament.

    \b
        adjud tournament show cup
    """
    from adjudicator.service.competition import showing
    from adjudicator.service.competition.tournament import one_of_club

    with run.store() as store:
        of = one_of_club(store, tournament)
    if form == "json":
        click.echo(as_json(showing.as_json(of)))
        return
    click.echo(showing.as_text(of, in_utc))
    if of.row.trouble:
        click.echo(f"\nadjud: {of.row.trouble}")


@tournament.command()
@TOURNAMENT
@FORMAT
@click.pass_obj
def log(run: Run, tournament: str, form: str) -> None:
    """Check the log of a tournament, and print its lines.

    With hidden names it is shown at the end. The exit code is 1 if something in it does not agree.

    \b
        adjud tournament log cup
    """
    from adjudicator.service.competition.replay import verify
    from adjudicator.service.competition.tournament import find, head_of_log
    from adjudicator.store import tournaments

    with run.store() as store, store.reading() as tx:
        of = find(tx, tournament)
        lines = tournaments.log(tx, of.row.id)
        wrong = [str(one) for one in verify(tx, of)]
    shown = lines if of.shown_log else []
    if wrong and not shown:  # the sentences name who meets whom
        wrong = ["something in the log does not agree; at the end it is shown what"]
    if form == "json":
        told = [{"n": one.n, "line": one.line, "head": one.head} for one in shown]
        click.echo(as_json({"tournament": of.row.name, "log": told, "faults": wrong}))
    else:
        for line in shown:
            click.echo(line.line)
        click.echo(str(head_of_log(of)))
        for fault in wrong:
            click.echo(f"adjud: {fault}", err=True)
    if wrong:
        raise click.exceptions.Exit(1)


@tournament.command()
@TOURNAMENT
@click.pass_obj
def start(run: Run, tournament: str) -> None:
    """Start a tournament; the next tick makes its matches.

    \b
        adjud tournament start cup
    """
    from adjudicator.service.competition import entering

    run.do(entering.start, tournament)


@tournament.command()
@TOURNAMENT
@click.argument("draw")
@click.pass_obj
def chance(run: Run, tournament: str, draw: str) -> None:
    """Name another draw of numbers for a tournament that has not begun.

    \b
        adjud tournament chance cup "6 of Lotto 6aus49 at 2026-12-12T19:00Z"
    """
    from adjudicator.service.competition import numbers

    run.do(numbers.name_draw, tournament, draw)


@tournament.command()
@TOURNAMENT
@click.argument("value")
@click.pass_obj
def value(run: Run, tournament: str, value: str) -> None:
    """Enter the public number for which a tournament waits.

    \b
        adjud tournament value cup "3 11 17 29 41 48"
    """
    from adjudicator.service.competition import numbers

    run.do(numbers.enter_value, tournament, value, zone=run.settings.timezone)


@tournament.command()
@TOURNAMENT
@PLAYER
@click.pass_obj
def enter(run: Run, tournament: str, player: str) -> None:
    """Enter a player, until the tournament starts.

    \b
        adjud tournament enter cup Anna
    """
    from adjudicator.service.competition import entering

    run.do(entering.enter, tournament, player)


@tournament.command()
@TOURNAMENT
@PLAYER
@NEEDED_REASON
@click.pass_obj
def withdraw(run: Run, tournament: str, player: str, reason: str) -> None:
    """Take a player out, who loses matches that are not over.

    \b
        adjud tournament withdraw cup Anna --reason "has moved away"
    """
    from adjudicator.service.competition import entering

    run.do(entering.withdraw, tournament, player, reason=reason)


@tournament.command()
@TOURNAMENT
@click.argument("old", type=PERSON_NAME, metavar="PLAYER")
@click.argument("new", type=PERSON_NAME, metavar="PLAYER")
@NEEDED_REASON
@click.pass_obj
def replace(run: Run, tournament: str, old: str, new: str, reason: str) -> None:
    """Hand an entry over, with its points and its seats.

    \b
        adjud tournament replace cup Anna Eva --reason "is ill"
    """
    from adjudicator.service.competition import entering

    run.do(entering.replace, tournament, old, new, reason=reason)


@tournament.command()
@TOURNAMENT
@click.argument("match", type=MATCH_NAME)
@click.argument("result", metavar="SEAT|draw|void")
@NEEDED_REASON
@click.pass_obj
def result(run: Run, tournament: str, match: str, result: str, reason: str) -> None:
    """Decide what a match gives. One that is not over is cancelled.

    \b
        adjud tournament result cup cup-1-2 white --reason "Black agreed that it was lost"
    """
    from adjudicator.service.competition import ending

    run.do(ending.decide, tournament, match, result, reason=reason)


@tournament.command()
@TOURNAMENT
@NEEDED_REASON
@click.pass_obj
def cancel(run: Run, tournament: str, reason: str) -> None:
    """Cancel a tournament. Its matches that have begun continue.

    \b
        adjud tournament cancel cup --reason "too few players"
    """
    from adjudicator.service.competition import ending

    run.do(ending.cancel, tournament, reason=reason)
