"""The command `adjud metrics`: numbers for a monitoring system."""

from pathlib import Path

import click

from adjudicator.cli.shell import FOLDER, Run


@click.command()
@click.option(
    "--folder",
    type=FOLDER,
    metavar="DIR",
    help="Write them into DIR/adjud.prom instead, for node_exporter.",
)
@click.pass_obj
def metrics(run: Run, folder: Path | None) -> None:
    """Print numbers for a monitoring system, as OpenMetrics.

    None of them depends on an open turn. The exit code is 0 also where something is wrong: the
    numbers tell it, adjud_up and adjud_faults first.

    \b
        adjud metrics
        adjud metrics --folder /var/lib/prometheus/node-exporter
    """
    from adjudicator.service.ops import metrics as service

    known = run.acknowledged
    found = [*service.measure(run.url, run.paths, acknowledged=known, now=run.now)]
    if folder is None:
        click.echo(service.text(found), nl=False)
    else:
        service.write(folder, found)
