"""The commands `adjud late`, `adjud standings` and `adjud match`: what the game master of many
matches lists and archives."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from adjudicator.cli.arguments import GAME_NAME, MATCH_NAME
from adjudicator.cli.shell import FILE, FORMAT, Commands, Run, as_json, rows


@click.command()
@click.option(
    "--within", default="0", metavar="DURATION", help="Also matches that are due so soon."
)
@click.option(
    "--gm",
    is_flag=True,
    help="Show also who sent nothing; if the club sends email, the next reports show you looked.",
)
@FORMAT
@click.pass_obj
def late(run: Run, within: str, gm: bool, form: str) -> None:
    """List the matches that are overdue, or nearly so.

    The earliest deadline is first. A seat is named if it is the only one to move. Whether a seat
    has sent orders is not shown, and nothing here depends on it.

    \b
        adjud late
        adjud late --within "2 days"
    """
    from adjudicator.service.base.calendar import parse_duration
    from adjudicator.service.matches import overview

    soon = parse_duration(within)
    with run.store() as store:
        noting = gm and run.is_noted(store)
        found = overview.late(store, soon, now=run.now, gm=gm, noting=noting)
    if form == "json":
        for entry in found:
            click.echo(as_json(entry))
        return
    for entry in found:
        due = run.time_text(entry["deadline"])
        told = [f"turn {entry['turn']} {'was' if entry['late'] else 'is'} due {due}"]
        if entry["seat"]:
            told.append(f"waiting for {entry['seat']}")
        if "tournament" in entry:
            told.append(f"in the tournament {entry['tournament']}")
        if entry["held"]:
            told.append("on hold")
        elif entry["alerted"]:
            told.append("the match waits for you")
        if "substitutes_until" in entry:
            until = run.time_text(entry["substitutes_until"])
            told.append(f"substitutes are looked for until {until}")
        if entry.get("silent"):
            told.append(f"no orders yet from {', '.join(entry['silent'])}")
        click.echo(f"{entry['match']}: {'; '.join(told)}")
    if not found:
        click.echo("no match is late" + (" or due so soon" if soon else ""))


@click.command()
@click.argument("game", type=GAME_NAME, required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
)
@click.pass_obj
def standings(run: Run, game: str | None, form: str) -> None:
    """Show how often players have won, and how strong they seem.

    Only matches between people count. A rating of 200 points more wins three games of four; "+-" is
    how far it may be off. A match that ended in its set-up does not count, nor does a forfeit after
    emails to the player came back.

    \b
        adjud standings
        adjud standings espionage --format csv
    """
    from msgspec import to_builtins

    from adjudicator.service.competition import standings as counting

    with run.store() as store:
        tables = counting.of_club(store, game)
    listed = [
        {"game": slug, **to_builtins(one), "played": one.played}
        for slug, table in tables.items()
        for one in table
    ]
    match form:
        case "json":
            for row in listed:
                click.echo(as_json(row))
        case "csv":
            _print_csv(listed)
        case _ if listed:
            _print_table(listed)
        case _:
            click.echo("no match between people has ended")


_COLUMNS = ("game", "player", "rating", "doubt", "played", "won", "drawn", "lost")


def _print_table(listed: Sequence[Mapping[str, object]]) -> None:
    head = ("game", "player", "rating", "", "won", "drawn", "lost")
    table = [
        (row["game"], row["player"], row["rating"], f"+-{row['doubt']}", *_results(row))
        for row in listed
    ]
    for line in rows([head, *(tuple(map(str, row)) for row in table)]):
        click.echo(line)


def _results(row: Mapping[str, object]) -> tuple[object, ...]:
    return row["won"], row["drawn"], row["lost"]


def _print_csv(listed: Sequence[Mapping[str, object]]) -> None:
    """Print a table for a spreadsheet (RFC 4180)."""
    import csv
    import io

    written = io.StringIO()
    table = csv.DictWriter(written, _COLUMNS)
    table.writeheader()
    table.writerows(listed)
    click.echo(written.getvalue(), nl=False)


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
def archive(run: Run, match: str, file: Path | None) -> None:
    """Write an ended MATCH into one file, and shrink it in the database.

    The file is a ZIP archive with record, log, all reports and each seat's last page; nobody needs
    the club to read it. Then the old reports and all emails of the match are deleted from the
    database. Its result, log, orders and last reports stay there.

    \b
        adjud match archive espionage-1
        adjud match archive espionage-1 /srv/archive/espionage-1.zip
    """
    from adjudicator.service.ops import archiving

    with run.store() as store:
        click.echo(archiving.archive(store, match, file, now=run.now))
