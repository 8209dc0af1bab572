"""`adjud new`, `tick`, `status`, `board`, `verify`: a match from the operator's chair."""

from pathlib import Path
from typing import IO

import click

from adjudicator.cli.shell import FORMAT, Session, as_json


@click.command()
@click.argument("game")
@click.option("--variant", metavar="V", help="A variant of the game; the first is the default.")
@click.option("--match", "name", metavar="NAME", help="The match's name; made up if not given.")
@click.option(
    "--seat",
    "seats",
    multiple=True,
    metavar="SEAT=PLAYER",
    help="Who plays: a player's name, computer or computer:random.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="deadline, timezone, skip, absence, excused, grace, settle, level, press, and those of "
    "the game.",
)
@click.option("--open", "leave_open", is_flag=True, help="Leave the other seats to be joined.")
@click.option("--seed", metavar="HEX", help="64 hex digits, for tests only.")
@click.option("--board", type=click.File(encoding="utf-8"), help="A board of your own.")
@click.option("--phrase", "phrases", metavar="SEAT=TEXT", multiple=True, help="For the dice.")
@click.pass_obj
def new(
    session: Session,
    game: str,
    variant: str | None,
    name: str | None,
    seats: tuple[str, ...],
    options: tuple[str, ...],
    leave_open: bool,
    seed: str | None,
    board: IO[str] | None,
    phrases: tuple[str, ...],
) -> None:
    """Start a match of GAME and print its name.

    \b
        adjud new espionage --seat white=Anna --seat black=Bob \\
            --option deadline="Tue,Fri 18:00" --option timezone=Europe/Oslo
        adjud new espionage --variant small --seat white=Anna --seat black=computer
    """
    import secrets

    from adjudicator.service import creation

    wanted = creation.Wanted(
        game=game,
        variant=variant,
        name=name,
        seats=seats,
        options=options,
        seed=seed,
        fresh_seed=secrets.token_bytes(32),
        leave_open=leave_open,
        board=board.read() if board else None,
        phrases=phrases,
    )
    with session.store() as store:
        click.echo(creation.create(store, wanted, now=session.now, means=session.means))


@click.command()
@click.option("--match", "name", metavar="MATCH", help="Only this match.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the reports of every match that went on into this folder.",
)
@click.pass_obj
def tick(session: Session, name: str | None, folder: Path | None) -> None:
    """Do everything that is due; this is what cron calls.

    Prints a line for each thing done and nothing when nothing was due. Safe to run at any time,
    twice at once, and to kill at any point.

    \b
        */5 * * * *  adjud tick
    """
    with session.store() as store:
        run_tick(session, store, name, folder)


def run_tick(session: Session, store: object, name: str | None, folder: Path | None) -> None:
    """Tick and tell it; shared with `submit --tick`."""
    from adjudicator.service import delivery, loading, pages, tick
    from adjudicator.store.database import Store

    assert isinstance(store, Store)
    if name is not None:
        with store.reading() as tx:
            name = loading.load(tx, name).match.name
    means = session.means
    all_in = True
    if name is None:
        all_in = fetch_letters(session)
        for text in tick.read_letters(store, now=session.now, means=means):
            click.echo(text)
    went_on: dict[str, None] = {}
    if all_in:  # else orders may lie where we cannot see them, and a deadline has not been missed
        for done in tick.tick(store, now=session.now, means=means, match=name):
            click.echo(f"{done.match}: {done.text}")
            went_on[done.match] = None
    for sent in delivery.deliver(store, now=session.now, means=means):
        click.echo(sent.text)
    if folder is not None:
        for match in went_on:
            for report in pages.newest(store, match, now=session.now, post=session.post):
                write_report(folder, report)


def fetch_letters(session: Session) -> bool:
    """Empty the mailbox that the configuration names, if any; False if it cannot be reached."""
    from adjudicator.service.dialog import fetching
    from adjudicator.service.refusal import Refusal

    source = session.settings.mail.fetch
    if not source:
        return True
    try:
        fetching.fetch(source, session.spool, session.fetch_password)
    except Refusal as refusal:
        click.echo(f"adjud: letters cannot be fetched: {refusal.messages[0]}", err=True)
        click.echo("adjud: nothing is adjudicated until they can", err=True)
        return False
    return True


def write_report(folder: Path, report: object) -> list[Path]:
    """Every form of a report as a file that only its owner can read."""
    from adjudicator.service import files, pages

    assert isinstance(report, pages.Report)
    return [files.write_private(folder / name, text) for name, text in pages.forms(report)]


@click.command()
@click.argument("match", required=False)
@click.option("--gm", is_flag=True, help="Say also who has not sent; do not look if you play.")
@FORMAT
@click.pass_obj
def status(session: Session, match: str | None, gm: bool, form: str) -> None:
    """Who is awaited until when, queues, trouble. Never who has sent, never outcomes.

    \b
        adjud status
        adjud status espionage-1
    """
    from adjudicator.service import overview

    with session.store() as store:
        found = overview.status(store, match, gm=gm)
    if form == "json":
        click.echo(as_json(found))
        return
    for entry in found["matches"]:
        players = ", ".join(f"{seat} {name or '(open)'}" for seat, name in entry["players"].items())
        click.echo(
            f"{entry['match']}: {entry['game']} {entry['variant']}, {players}; {entry['status']}"
        )
        if entry["awaited"]:
            until = f" until {session.shown(entry['deadline'])}" if entry["deadline"] else ""
            awaited = " and ".join(entry["awaited"])
            click.echo(f"  turn {entry['turn']} awaits {awaited}{until}")
        if entry.get("silent"):
            click.echo(f"  no orders yet from {' and '.join(entry['silent'])}")
        if entry["trouble"]:
            click.echo(f"  TROUBLE: {entry['trouble']}")
    if not found["matches"]:
        click.echo("no match is being played")
    if found["letters"]:
        letters = ", ".join(f"{n} {state}" for state, n in found["letters"].items())
        click.echo(f"letters: {letters}")
    if "letters_in" in found:
        n = found["letters_in"]["stuck"]
        click.echo(f"letters that came: {n} stuck; `adjud mail queue list --status stuck`")


@click.command()
@click.argument("match")
@click.option("--gm", is_flag=True, required=True, help="Yes, show me everything.")
@FORMAT
@click.pass_obj
def board(session: Session, match: str, gm: bool, form: str) -> None:
    """The full truth of MATCH, for a game master who does not play in it.

    \b
        adjud board espionage-1 --gm
    """
    from adjudicator.service import truth

    with session.store() as store:
        found = truth.whole_state(store, match)
    if form == "json":
        click.echo(as_json({key: value for key, value in found.items() if key != "drawing"}))
        return
    click.echo(f"{found['match']}, turn {found['turn']}: everything, for the game master only")
    click.echo(found["drawing"])
    for seat, lines in found["orders"].items():
        click.echo(f"{seat} has ordered: {'; '.join(lines)}")


@click.command()
@click.argument("match", required=False)
@click.pass_obj
def verify(session: Session, match: str | None) -> None:
    """Replay the log of MATCH, or of all, and check every snapshot and commitment.

    \b
        adjud verify
    """
    from adjudicator.service import verification

    troubled = False
    with session.store() as store:
        for name in [match] if match else verification.names(store):
            found = verification.verify(store, name)
            troubled = troubled or bool(found)
            for message in found:
                click.echo(f"{name}: {message}")
            if not found:
                click.echo(f"{name}: the log, its snapshots and commitments agree")
    if troubled:
        raise click.exceptions.Exit(1)
