"""The command `adjud audit`, with which a player checks a match himself."""

from pathlib import Path

import click

from adjudicator.cli.shell import FORMAT, as_json


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE...",
)
@FORMAT
@click.pass_context
def audit(ctx: click.Context, files: tuple[Path, ...], form: str) -> None:
    """Check your own emails and reports of a match against each other.

    FILE is an email (.eml), an mbox, a Maildir or a folder, a page (.html), a report as text or
    JSON. No database and no key is needed. The exit code is 1 if something does not agree.
    Emails and files that could not be used are named, with the reason.

    \b
        adjud audit emails.mbox
        adjud audit Maildir/ espionage-1-white-final.html
    """
    from adjudicator.core.message import tell
    from adjudicator.service.audit import checks, documents

    read, unread, unused = documents.read(files)
    found = checks.audit(read)
    left = [{"name": one.name, "why": tell(one.why)} for one in unused]
    for one in found:
        if form == "json":
            told = {
                key: [tell(message) for message in getattr(one, key)]
                for key in ("checked", "wrong", "missing", "notes", "restored")
            }
            click.echo(as_json({"match": one.match, **told, "unused": left}))
        else:
            click.echo("\n".join(checks.summary(one)))
    for line in checks.not_used(unused):
        if form == "text" or not found:
            click.echo(line, err=not found)
    for trouble in unread:
        click.echo(f"adjud: {tell(trouble)}", err=True)
    if not found and not unread:
        raise click.ClickException(
            "there is no email, page or report from adjud in these files that can be checked; "
            "emails and pages from an adjud before 0.2.16 cannot"
        )
    if unread or any(one.wrong for one in found):
        ctx.exit(1)
