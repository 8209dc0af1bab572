"""The commands `adjud audit` and `adjud write`, with which a player checks a match himself."""

import os
from collections.abc import Callable
from errno import ENOENT
from pathlib import Path
from time import monotonic

import click

from adjudicator.cli.shell import FORMAT, as_json, in_utc

_KEYS = ("checked", "wrong", "asks", "missing", "notes", "uncompared", "restored")  # in JSON


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE...",
)
@click.option(
    "--no-computers",
    is_flag=True,
    help="Do not compute again what the built-in players ordered, which can take minutes.",
)
@click.option(
    "--with",
    "program",
    type=click.Path(exists=True, path_type=Path),
    metavar="PROGRAM",
    help="The adjud that wrote emails of another version, or the folder of its checkout.",
)
@click.option(
    "--values-only",
    is_flag=True,
    help="Do not ask about emails of another version.",
)
@FORMAT
@click.pass_context
def audit(
    ctx: click.Context,
    files: tuple[Path, ...],
    no_computers: bool,
    program: Path | None,
    values_only: bool,
    form: str,
) -> None:
    """Check your own emails and reports of a match against each other.

    FILE is an email (.eml), an mbox, a Maildir or a folder, a page (.html), a report as text or
    JSON. No database and no key is needed. Emails and files that could not be used are named,
    with the reason. The exit code is 1 if something does not agree, and 3 if there is only a
    question for you, such as: did you send these orders?

    \b
        adjud audit emails.mbox
        adjud audit Maildir/ espionage-1-white-final.html
    """
    from adjudicator.core.message import say, tell
    from adjudicator.service.audit import checks, documents
    from adjudicator.service.audit.inputs import Thinking
    from adjudicator.service.audit.versions import OtherVersions

    gone = [path for path in files if not path.exists()]
    read, unread, unused = documents.read([path for path in files if path not in gone])
    thinking = Thinking(not no_computers, _progress())
    found = checks.audit(read, thinking, OtherVersions(program, values_only))
    left = [{"name": one.name, "why": tell(one.why)} for one in unused]
    for one in found:
        if form == "json":
            told = {key: [in_utc(message) for message in getattr(one, key)] for key in _KEYS}
            click.echo(as_json({"match": one.match, **told, "unused": left}))
        else:
            click.echo("\n".join(checks.summary(one, in_utc)))
    for line in checks.not_used(unused):
        if form == "text" or not found:
            click.echo(line, err=not found)
    for trouble in unread:
        click.echo(f"adjud: {tell(trouble)}", err=True)
    for path in gone:
        why = say("{name} cannot be read: {why}", name=str(path), why=os.strerror(ENOENT))
        click.echo(f"adjud: {tell(why)}", err=True)
    if not found and not unread and not gone:
        raise click.ClickException(
            "there is no email, page or report from adjud in these files that can be checked; "
            "emails and pages from an adjud before 0.2.16 cannot"
        )
    if unread or gone or any(one.wrong for one in found):
        ctx.exit(1)
    ctx.exit(max((one.exit_code for one in found), default=0))


PAUSE = 2.0  # seconds between two lines on how far the computers' orders are


def _progress() -> Callable[[int], None]:
    """Return what tells on stderr, now and then, how many orders were computed again."""
    from adjudicator.core.message import count, tell

    told = [monotonic()]

    def progress(number: int) -> None:
        if monotonic() - told[0] < PAUSE:
            return
        told[0] = monotonic()
        line = count(
            "{n} order sheet of a computer computed again so far",
            "{n} order sheets of computers computed again so far",
            number,
        )
        click.echo(f"adjud: {tell(line)}", err=True)

    return progress


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--form",
    type=click.Choice(["text", "html", "page", "subject", "all"]),
    default="text",
    show_default=True,
    help="What of the email to print; the page is the one that was attached, and all is JSON.",
)
@click.option(
    "--earlier",
    type=click.Path(path_type=Path),
    metavar="FILE",
    multiple=True,
    help="An earlier email of the seat, on which the page looks back. Can be given several times.",
)
def write(file: Path, form: str, earlier: tuple[Path, ...]) -> None:
    """Write an email with a report again, from its value.

    FILE has all that the email says, as JSON. Only the version of adjud that wrote the email
    writes it again. No database and no key is needed.

    \b
        adjud write garden-white-7.json
        adjud write garden-white-7.json --form subject
    """
    from adjudicator.service.reports.email_files import form_of

    made = form_of(file, form, earlier)
    click.echo(made, nl=not made.endswith("\n"))
