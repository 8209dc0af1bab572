"""The commands `adjud submit`, `check`, `report`, `record`: sheets in, reports and records out."""

import sys
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adjudicator.cli.arguments import MATCH_NAME, SEAT_NAME
from adjudicator.cli.shell import FOLDER, FORMAT, Commands, Run, as_json, hint

if TYPE_CHECKING:
    from adjudicator.service.base.loaded_match import MatchSession
    from adjudicator.service.emails.paragraphs import Receipt
    from adjudicator.service.matches.sheet_parsing import JudgedSheet
    from adjudicator.service.reports.printing import Printable

MATCH = click.option(
    "--match", type=MATCH_NAME, metavar="MATCH", help="For lines without ORDERS ... END."
)
SEAT = click.option(
    "--seat", type=SEAT_NAME, metavar="SEAT", help="The seat, if the orders do not name it."
)


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="FILE...")
@MATCH
@SEAT
@click.option("--tick", is_flag=True, help="Then do at once what is due in those matches.")
@FORMAT
@click.pass_obj
def submit(
    run: Run,
    names: tuple[str, ...],
    match: str | None,
    seat: str | None,
    tick: bool,
    form: str,
) -> None:
    """Submit orders from FILEs, or from standard input for `-`.

    Prints a confirmation of each order sheet: the orders as understood and their version, or every
    problem with its line, and the orders that stay current. Exit 1 if any was refused, or if a
    match was stopped or waits for a human after --tick. Where the
    club sends email, the seat's player gets the confirmation, too, and the next reports show all
    players that you looked at what this seat sees.

    \b
        adjud submit orders.txt
    """
    from adjudicator.service.matches import overview, sheet_storing
    from adjudicator.service.matches.sheet_parsing import Source

    with run.club() as store:
        given = Source(match, seat)
        then = _told_by_email(run)
        receipts, refused = _read_all(
            names,
            form,
            lambda text: sheet_storing.submit(store, text, given, now=run.now, then=then),
        )
        if tick:
            from adjudicator.cli.match import run_tick

            # JSON output has a line for each sheet and nothing else.
            with redirect_stdout(sys.stderr) if form == "json" else nullcontext():
                for played in dict.fromkeys(r.match for r in receipts if r.accepted and r.match):
                    refused = run_tick(run, store, played, None) or refused
        elif form == "text" and any(receipt.accepted for receipt in receipts):
            hint(overview.AFTER_SUBMIT)
    if refused:
        raise click.exceptions.Exit(1)


def _told_by_email(
    run: Run,
) -> "Callable[[MatchSession, JudgedSheet, Receipt], None] | None":
    """Return what tells a player by email that a sheet was handed in for him, and notes the look
    at its answer; None if no emails go out.

    In that case nothing is loaded, which saves time.
    """
    from functools import partial

    context = run.context
    if not context.sends_mail:
        return None
    from adjudicator.service.inbound import answer

    return partial(answer.tell_holder, context=context)


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="FILE...")
@MATCH
@SEAT
@click.option(
    "--gm", is_flag=True, help="Check the position, too; the next reports tell all players of it."
)
@FORMAT
@click.pass_obj
def check(
    run: Run,
    names: tuple[str, ...],
    match: str | None,
    seat: str | None,
    gm: bool,
    form: str,
) -> None:
    """Say what `submit` would say, and store no orders.

    Where the club sends email you may be a player yourself. Then a person's orders are checked by
    their words and by what everyone may know; with --gm they are checked as for their sender.

    \b
        adjud check orders.txt
        adjud check orders.txt --gm
    """
    from adjudicator.service.base import looks
    from adjudicator.service.matches import sheet_storing
    from adjudicator.service.matches.sheet_parsing import Source

    with run.store() as store:
        given, noted = Source(match, seat), run.is_noted(store)

        def answer(text: str) -> "list[Receipt]":
            if not noted:
                return sheet_storing.check(store, text, given, now=run.now)
            if gm:
                return sheet_storing.check_noting(store, text, given, now=run.now)
            hidden = looks.is_hidden
            return sheet_storing.check(store, text, given, now=run.now, is_hidden=hidden)

        _, refused = _read_all(names, form, answer)
    if refused:
        raise click.exceptions.Exit(1)


def _read_all(
    names: tuple[str, ...], form: str, answer: "Callable[[str], list[Receipt]]"
) -> "tuple[list[Receipt], bool]":
    """Print the receipts of all files as they come and return them; one bad file does not stop the
    others."""
    from adjudicator.core.message import tell
    from adjudicator.service.base import files
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.emails.paragraphs import receipt_as_json, receipt_as_text

    printed: list[Receipt] = []
    refused = False
    for name in names:
        try:
            answers = answer(files.read_orders(name, sys.stdin.buffer))
        except Refusal as refusal:
            click.echo(f"adjud: {refusal}", err=True)
            refused = True
            continue
        for receipt in answers:
            shown = (
                as_json(receipt_as_json(receipt, tell))
                if form == "json"
                else receipt_as_text(receipt, tell)
            )
            refused = not _print_receipt(receipt, shown) or refused or not receipt.accepted
            printed.append(receipt)
    return printed, refused


def _print_receipt(receipt: "Receipt", shown: str | bytes) -> bool:
    """Print a receipt and return whether it could be printed.

    A sheet that was stored stays stored, which must be told, and the sheets after it must still be
    read.
    """
    from adjudicator.core.message import tell
    from adjudicator.service.emails.paragraphs import receipt_headline

    try:
        click.echo(shown)
    except OSError as trouble:
        what = receipt_headline(receipt, tell)
        why = f"the confirmation cannot be printed: {trouble.strerror}"
        click.echo(f"adjud: {what}; {why}", err=True)
        return False
    return True


@click.command()
@click.argument("match", type=MATCH_NAME)
@click.argument("seat", type=SEAT_NAME, required=False)
@click.option(
    "--turn",
    type=click.IntRange(0, 2**31 - 1),
    metavar="N",
    help="The last report of that turn, as sent.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "html", "json", "value", "png", "svg"]),
    default="text",
    show_default=True,
)
@click.option("--all", "every", is_flag=True, help="Every seat's newest page, as files.")
@click.option(
    "--folder",
    type=FOLDER,
    metavar="DIR",
    help="Where --all writes; the files are readable by you only.",
)
@click.pass_obj
def report(
    run: Run,
    match: str,
    seat: str | None,
    turn: int | None,
    form: str,
    every: bool,
    folder: Path | None,
) -> None:
    """Print what SEAT may see of MATCH.

    Where the club sends email, the next reports show all players that you looked at a person's
    seat.

    \b
        adjud report espionage-1 white
        adjud report espionage-1 white --format html > white.html
        adjud report espionage-1 white --format png > white.png
        adjud report espionage-1 white --format value > white.adjud.json
        adjud report espionage-1 --all --folder reports
    """
    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.reports import printing

    if form == "png" and sys.stdout.isatty():
        raise Refusal(say("a terminal cannot show a picture; add > board.png to the command"))
    if every == bool(seat) or every != bool(folder):
        raise click.UsageError("give a SEAT, or --all with --folder DIR")
    with run.store() as store:
        noting = run.is_noted(store)
        if folder is not None:
            from adjudicator.cli.match import write_reports

            written, refused = write_reports(run, store, match, folder, noting=noting)
            for path in written:
                click.echo(path)
            if refused:
                raise Refusal(*refused)
            return
        one = (
            printing.live(
                store, match, str(seat), now=run.now, post=run.post_of(store), noting=noting
            )
            if turn is None
            else printing.sent_report(store, match, str(seat), turn, now=run.now, noting=noting)
        )
        _print(run, one, form)
        if form in printing.WHOLE:
            printing.note_delivery(store, one, now=run.now)


def _print(run: Run, report: "Printable", form: str) -> None:
    from adjudicator.service.reports import printing

    if form == "value":
        from adjudicator.service.outbound.writing import club_lines

        said = printing.as_value(report, club_lines(run.context), run.now)
        click.echo(said.encode(), nl=False)
    elif form == "png":
        click.echo(printing.picture(report), nl=False)
    elif form == "text":
        click.echo(printing.render(report, form))
    else:  # the page says itself that it is UTF-8
        click.echo(printing.render(report, form).encode())


@click.group(cls=Commands)
def record() -> None:
    """Write and replay game records.

    \b
        adjud record export espionage-1 > espionage-1.esp
    """


@record.command()
@click.argument("match", type=MATCH_NAME)
@click.pass_obj
def export(run: Run, match: str) -> None:
    """Print the record of MATCH, which must have ended.

    \b
        adjud record export espionage-1 > espionage-1.esp
    """
    from adjudicator.service.matches import overview

    with run.store() as store:
        click.echo(overview.export(store, match).encode(), nl=False)


@record.command()
@click.argument("names", nargs=-1, required=True, metavar="FILE...")
@FORMAT
def replay(names: tuple[str, ...], form: str) -> None:
    """Play recorded games through the rules; `-` is standard input.

    Prints a line for each game. A game with a fault is named with file, line and reason; the
    others are replayed all the same, and the exit code is 1.

    \b
        adjud record replay games.esp --format json
    """
    from adjudicator.service.base import files
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.matches import overview

    faulty = False
    for name in names:
        try:
            with files.open_text(name, sys.stdin.buffer) as lines:
                for found in overview.replay_files([(name, lines)]):
                    if isinstance(found, str):
                        click.echo(f"adjud: {found}", err=True)
                        faulty = True
                    else:
                        click.echo(as_json(found.data) if form == "json" else str(found.summary))
        except Refusal as refusal:
            click.echo(f"adjud: {refusal}", err=True)
            faulty = True
    if faulty:
        raise click.exceptions.Exit(1)
