"""`adjud mail`: letters."""

import click

from adjudicator.cli.shell import FORMAT, Session, as_json, rows

NUMBER = click.IntRange(1, 2**31 - 1)


@click.group()
def mail() -> None:
    """Letters.

    \b
        adjud mail queue list
    """


@mail.group()
def queue() -> None:
    """Letters that wait, were kept, or got stuck.

    \b
        adjud mail queue list
    """


@queue.command("list")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    metavar="STATUS",
    help="Only these: kept, unconfirmed, waiting, sent, stuck, dropped.",
)
@FORMAT
@click.pass_obj
def list_(session: Session, statuses: tuple[str, ...], form: str) -> None:
    """List the letters: kind, match, seat and times, never what they say.

    \b
        adjud mail queue list --status stuck
    """
    from adjudicator.service import queue

    with session.store() as store:
        letters = queue.listed(store, statuses)
    if form == "json":
        for letter in letters:
            click.echo(as_json(queue.plain(letter)))
        return
    for line in rows([_row(session, letter) for letter in letters]):
        click.echo(line)


def _row(session: Session, letter: object) -> tuple[str, ...]:
    from adjudicator.store.outbox import Queued

    assert isinstance(letter, Queued)
    whom = letter.to or "the operator"
    return (str(letter.id), letter.status, letter.key, whom, session.shown(letter.created_at))


@queue.command()
@click.argument("number", type=NUMBER)
@click.option("--gm", is_flag=True, help="Show what the letter says, too.")
@click.pass_obj
def show(session: Session, number: int, gm: bool) -> None:
    """Show letter NUMBER of the queue.

    \b
        adjud mail queue show 7
    """
    from adjudicator.service import queue

    with session.store() as store:
        letter, body = queue.one(store, number)
    for name in ("id", "key", "kind", "match", "seat", "to", "status", "tries"):
        click.echo(f"{name}: {getattr(letter, name) if getattr(letter, name) is not None else '-'}")
    for name in ("created_at", "next_at", "sent_at"):
        click.echo(f"{name}: {session.shown(getattr(letter, name))}")
    if gm:
        click.echo(body)


@queue.command()
@click.argument("number", type=NUMBER)
@click.pass_obj
def retry(session: Session, number: int) -> None:
    """Try letter NUMBER again at once.

    \b
        adjud mail queue retry 7
    """
    from adjudicator.service import queue

    with session.store() as store:
        click.echo(queue.retry(store, number, now=session.now))


@queue.command()
@click.argument("number", type=NUMBER)
@click.pass_obj
def drop(session: Session, number: int) -> None:
    """Never send letter NUMBER; it stays in the list as dropped.

    \b
        adjud mail queue drop 7
    """
    from adjudicator.service import queue

    with session.store() as store:
        click.echo(queue.drop(store, number))
