"""The command `adjud metrics`: numbers for a monitoring system."""

from pathlib import Path

import click

from adjudicator.cli.shell import FOLDER, Session


@click.command()
@click.option(
    "--folder",
    type=FOLDER,
    metavar="DIR",
    help="Write them into DIR/adjud.prom instead, for node_exporter.",
)
@click.pass_obj
def metrics(session: Session, folder: Path | None) -> None:
    """Print numbers for a monitoring system, as OpenMetrics.

    None of them depends on an open turn. The exit code is 0 also where something is wrong: the
    numbers tell it, adjud_up and adjud_faults first.

    \b
        adjud metrics
        adjud metrics --folder /var/lib/prometheus/node-exporter
    """
    from adjudicator.service.ops import metrics as service

    known = session.acknowledged
    found = [*service.measure(session.url, session.paths, acknowledged=known, now=session.now)]
    if folder is None:
        click.echo(service.text(found), nl=False)
    else:
        service.write(folder, found)
