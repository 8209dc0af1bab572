"""`adjud`: parse arguments, call one service, print. Heavy imports stand inside the commands."""

import click

from adjudicator import SCHEMA, __version__
from adjudicator.cli.audit import audit, write
from adjudicator.cli.desk import late, match_, standings
from adjudicator.cli.game import game, games
from adjudicator.cli.install import backup, config_, db, demo, doctor, drill, init, metrics
from adjudicator.cli.ladder import ladder
from adjudicator.cli.mail import mail
from adjudicator.cli.master import gm
from adjudicator.cli.match import board, new, status, tick, verify
from adjudicator.cli.people import player
from adjudicator.cli.play import check, record, report, submit
from adjudicator.cli.setup import setup
from adjudicator.cli.shell import Program, Run
from adjudicator.cli.site import site
from adjudicator.cli.tournament import tournament


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--database", metavar="URL", help="Where matches are kept [ADJUD_DATABASE].")
@click.option("--config", metavar="FILE", help="The configuration file [ADJUD_CONFIG].")
@click.version_option(message=f"adjud, version {__version__}, schema {SCHEMA}")
@click.pass_context
def main(ctx: click.Context, database: str | None, config: str | None) -> None:
    """A play-by-email turn adjudicator for hidden-information board games.

    \b
    A first look:
        adjud demo
    A match from order files:
        adjud init club && cd club
        adjud player add Anna anna@example.org --confirmed
        adjud new espionage --seat white=Anna --seat black=computer
        adjud submit orders.txt
        adjud tick
        adjud report espionage-1 white
    """
    ctx.obj = Run(config, database)


for _command in (
    demo,
    init,
    setup,
    player,
    new,
    submit,
    check,
    tick,
    report,
    status,
    late,
    standings,
    tournament,
    board,
    record,
    verify,
    match_,
    audit,
    write,
    mail,
    gm,
    game,
    games,
    ladder,
    site,
    backup,
    drill,
    config_,
    doctor,
    metrics,
    db,
):
    main.add_command(_command)
