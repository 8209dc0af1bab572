"""The command `adjud match`: what is done with a whole match that has ended."""

from pathlib import Path

import click

from adjudicator.cli.completion import MATCH_NAME
from adjudicator.cli.shell import FILE, Commands, Session


@click.group("match", cls=Commands)
def match_() -> None:
    """Archive matches that have ended.

    \b
        adjud match archive espionage-1
    """


@match_.command()
@click.argument("match", type=MATCH_NAME)
@click.argument("file", required=False, type=FILE, metavar="[FILE]")
@click.pass_obj
def archive(session: Session, match: str, file: Path | None) -> None:
    """Write an ended MATCH into one file, and shrink it in the database.

    The file is a ZIP archive with record, log, all reports and each seat's last page; nobody needs
    the club to read it. Then the old reports and all emails of the match are deleted from the
    database. Its result, log, orders and last reports stay there.

    \b
        adjud match archive espionage-1
        adjud match archive espionage-1 /srv/archive/espionage-1.zip
    """
    from adjudicator.service.ops import archiving

    with session.store() as store:
        click.echo(archiving.archive(store, match, file, now=session.now))
