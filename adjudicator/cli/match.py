"""The commands `adjud new`, `tick`, `status`, `board`, `verify`, with which an operator runs
matches."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from adjudicator.cli import shell
from adjudicator.cli.arguments import MATCH_NAME, PERSON_NAME, SEAT_OF_PLAYER
from adjudicator.cli.shell import FOLDER, FORMAT, Run, as_json, hint

if TYPE_CHECKING:
    from adjudicator.core.game import AnyGame
    from adjudicator.core.message import Message
    from adjudicator.service.base.context import Progress
    from adjudicator.service.reports.printing import Printable
    from adjudicator.store.database import Store


class Games(click.ParamType[str]):
    """The name of a game. If none is given, all that can be played are listed."""

    name = "game"

    def get_missing_message(self, param: object, ctx: object = None) -> str:
        from adjudicator.games import GAMES

        return "One of these:\n" + "\n".join(
            line for game in GAMES.values() for line in _lines_of_game(game)
        )


def _lines_of_game(game: "AnyGame") -> Iterator[str]:
    """Yield a game with its variants and seats and, if it depends on their number, who sits
    where."""
    yield f"  {game.slug}: {', '.join(game.variants)}; seats {', '.join(game.seats)}"
    for variant in game.variants:
        if seating := game.seating(variant, ""):
            taken = (f"{n} take {', '.join(seats)}" for n, seats in seating.items())
            yield f"    {variant}: {'; '.join(taken)}"


class New(click.Command):
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from adjudicator.games import GAMES

        formatter.write(
            f"\nGames: {', '.join(GAMES)}. `adjud new` alone lists their variants and seats.\n"
        )


@click.command(cls=New)
@click.argument("game", type=Games(), required=False)
@click.option("--like", metavar="TEMPLATE", help="Take game, variant and options of a template.")
@click.option("--variant", metavar="V", help="A variant of the game; the first is the default.")
@click.option("--match", "name", metavar="NAME", help="The match's name; made up if not given.")
@click.option(
    "--seat",
    "seats",
    multiple=True,
    type=SEAT_OF_PLAYER,
    metavar="SEAT=PLAYER",
    help="Who plays: a player's name, computer or computer:random; in Espionage "
    "and Spion also computer:easy or computer:strong.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="deadline, timezone, skip, absence, excused, grace, settle, chance, reminders, "
    "bank, double, leave, reliable, substitutes, level, press, and those of the game.",
)
@click.option(
    "--invite",
    "invited",
    multiple=True,
    metavar="SEAT=PLAYER",
    help="Keep a seat for a player and ask them by email.",
)
@click.option("--muster", is_flag=True, help="Ask every person of a --seat for a yes first.")
@click.option("--open", "leave_open", is_flag=True, help="Leave the other seats to be joined.")
@click.option("--seed", metavar="HEX", help="64 hex digits, for tests only.")
@click.option("--board", type=click.File("rb"), help="A board of your own.")
@click.option("--phrase", "phrases", multiple=True, hidden=True)  # until 0.2.28
@FORMAT
@click.pass_context
def new(
    ctx: click.Context,
    game: str | None,
    like: str | None,
    variant: str | None,
    name: str | None,
    seats: tuple[str, ...],
    options: tuple[str, ...],
    invited: tuple[str, ...],
    muster: bool,
    leave_open: bool,
    seed: str | None,
    board: BinaryIO | None,
    phrases: tuple[str, ...],
    form: str,
) -> None:
    """Start a match of GAME and print its name.

    \b
        adjud new espionage --seat white=Anna --seat black=Bob \\
            --option deadline="Tue,Fri 18:00" --option timezone=Europe/Oslo
        adjud new espionage --variant small --seat white=Anna --seat black=computer
        adjud new espionage --seat white=Anna --invite black=Bob
        adjud new --like slow --seat white=Anna --seat black=Bob
    """
    import secrets

    from adjudicator.mail.read.charset import decode
    from adjudicator.service.base.loaded_match import game_of
    from adjudicator.service.club.offers import seats as offered
    from adjudicator.service.matches import creation, overview

    run: Run = ctx.obj
    if like is not None:
        template = creation.find_template(run.context, like, game)
        game, variant = template.game, variant or template.variant or None
        options = (*template.options, *options)
    if game is None:
        raise _missing_game(ctx)
    if phrases:
        creation.refuse_phrases(game_of(game))
    wanted = creation.NewMatch(
        game=game,
        variant=variant,
        name=name,
        seats=seats,
        options=options,
        seed=seed,
        fresh_seed=secrets.token_bytes(32),
        leave_open=leave_open,
        board=decode(board.read()) if board else None,
    )
    with run.club() as store:
        if invited or muster:
            match = offered.create(run.open_club(store), wanted, invited, muster=muster)
        else:
            match = creation.create(run.open_club(store), wanted)
        click.echo(as_json({"match": match}) if form == "json" else match)
        warn_of_unconfirmed(store, match)
        hint(overview.after_new(store, match, sends_mail=run.context.sends_mail))


def _missing_game(ctx: click.Context) -> click.MissingParameter:
    param = next(one for one in ctx.command.params if one.name == "game")
    return click.MissingParameter(ctx=ctx, param=param)


def warn_of_unconfirmed(store: "Store", match: str) -> None:
    """Name the players who would wait for emails that do not come."""
    from adjudicator.service.matches import seating

    for name in seating.unconfirmed_players(store, match):
        click.echo(
            f"adjud: the address of {name} is not confirmed yet; no report goes there until it is",
            err=True,
        )


@click.command()
@click.option("--match", "name", type=MATCH_NAME, metavar="MATCH", help="Only this match.")
@click.option(
    "--folder",
    type=FOLDER,
    metavar="DIR",
    help="Write the reports of every match that went on into this folder.",
)
@click.option("--quiet", is_flag=True, help="Print only what waits for you.")
@click.option(
    "--sure", is_flag=True, help="The clock is right: do what waits while it is in doubt."
)
@FORMAT
@click.pass_obj
def tick(
    run: Run, name: str | None, folder: Path | None, quiet: bool, sure: bool, form: str
) -> None:
    """Do everything that is due; this is what cron calls.

    Prints a line for each thing done and nothing when nothing was due; with --quiet, a line for
    what waits for a human and no other, so that cron mails nothing else. Safe to run at any time,
    twice at once, and to kill at any point.

    \b
        * * * * *  adjud tick --quiet
    """
    least = run.settings.log.level
    quiet = quiet or not shell.is_level_wanted("info", least)
    with run.club() as store:
        run_tick(run, store, name, folder, quiet=quiet, form=form, sure=sure)
    if least == "debug":
        shell.write_log("debug", "the tick is done")


def run_tick(
    run: Run,
    store: "Store",
    name: str | None,
    folder: Path | None,
    *,
    quiet: bool = False,
    form: str = "text",
    sure: bool = False,
) -> bool:
    """Do what is due and print what was done; `submit --tick` does this, too. Return whether
    something waits for a human."""
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.ops import tick

    if name is not None:
        from adjudicator.service.base import loaded_match

        with store.reading() as tx:
            name = loaded_match.find(tx, name).name
    went_on: dict[str, None] = {}
    failed = urgent = False
    for done in tick.run_tick(run.open_club(store), match=name, sure=sure):
        tell(done, quiet=quiet, form=form)
        failed, urgent = failed or done.failed, urgent or done.urgent
        if done.match:
            went_on[done.match] = None
    if folder is not None:
        refused = [
            message
            for match in went_on
            for message in write_reports(run, store, match, folder, noting=False)[1]
        ]
        if refused:
            raise Refusal(*refused)
    if failed:
        raise click.exceptions.Exit(1)
    return urgent


def tell(done: "Progress", *, quiet: bool = False, form: str = "text") -> None:
    """Print what was done; with `quiet` only what waits for a human. The journal gets it with a
    priority."""
    if done.failed:
        shell.write_log("error", str(done))
    if quiet and not (done.urgent or done.failed):
        return
    if form == "text" and not done.failed and shell.in_journal():
        shell.write_log("warning" if done.urgent else "info", str(done))
        return
    if form == "json":
        told = {"match": done.match or None, "text": str(done.text)}
        click.echo(as_json({**told, "urgent": done.urgent, "failed": done.failed}))
    elif not done.failed:
        click.echo(str(done))


def take_emails(run: Run, store: "Store") -> None:
    """Read every email that has reached us and print what came of it.

    Raises Refusal if the configured mailbox cannot be reached.
    """
    from adjudicator.service.ops import tick

    for done in tick.take_emails(run.open_club(store)):
        tell(done)


def write_reports(
    run: Run, store: "Store", match: str, folder: Path, *, noting: bool
) -> "tuple[list[Path], list[Message]]":
    """Write every seat's newest report into a folder; return the files, and what is in the way of
    others. With `noting` it is a look at each seat."""
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.reports import printing

    written: list[Path] = []
    refused: list[Message] = []
    post = run.post_of(store)
    for report in printing.newest(store, match, now=run.now, post=post, noting=noting):
        try:
            written += write_report(folder, report)
        except Refusal as refusal:
            refused += refusal.messages
        else:
            printing.note_delivery(store, report, now=run.now)
    return written, refused


def write_report(folder: Path, report: "Printable") -> list[Path]:
    """Write every form of a report as a file that only its owner can read."""
    from adjudicator.service.base import files
    from adjudicator.service.reports import printing

    forms = [(folder / name, text) for name, text in printing.forms(report)]
    for path, _ in forms:
        printing.refuse_another(path, report.report.match)
    return [files.write_private(path, text) for path, text in forms]


@click.command()
@click.argument("match", type=MATCH_NAME, required=False)
@click.option("--all", "every", is_flag=True, help="Also the matches that have ended.")
@click.option(
    "--page", default=1, type=click.IntRange(1, 10**9), help="Show the next hundred matches."
)
@click.option(
    "--gm",
    is_flag=True,
    help="Show also who sent nothing; if the club sends email, the next reports show you looked.",
)
@click.option(
    "--waiting-for-me",
    "mine",
    is_flag=True,
    help="Only matches in which you are to move, the earliest deadline first.",
)
@click.option(
    "--player",
    type=PERSON_NAME,
    metavar="NAME",
    help="Who you are; else the player with the operator's address.",
)
@FORMAT
@click.pass_obj
def status(
    run: Run,
    match: str | None,
    every: bool,
    page: int,
    gm: bool,
    mine: bool,
    player: str | None,
    form: str,
) -> None:
    """Show who is to move until when, queues and problems.

    It shows neither who has sent orders nor how a turn went. JSON has all matches, a text a hundred
    at a time.

    \b
        adjud status
        adjud status espionage-1
        adjud status --all --page 2
        adjud status --waiting-for-me --player Anna
    """
    from adjudicator.service.club import people
    from adjudicator.service.matches import overview

    if match and (every or page > 1):
        raise click.UsageError("give a MATCH or --all and --page")
    if player is not None and not mine:
        raise click.UsageError("--player goes with --waiting-for-me")
    if mine:
        if match or every or page > 1 or gm:
            raise click.UsageError("--waiting-for-me shows all matches of one player")
        _show_waiting(run, player, form)
        return
    with run.store() as store:
        if gm and run.is_noted(store):
            overview.note(store, match, now=run.now)
        if form == "json":
            asked = list(overview.one(store, match, gm=gm)) if match else None
            _print_status(asked or overview.entries(store, every=every, gm=gm))
            waits = {"unconfirmed": named} if (named := people.unconfirmed_addresses(store)) else {}
            click.echo(as_json({**overview.queues(store), **waits})[1:])
            return
        if match:
            shown, more = list(overview.one(store, match, gm=gm)), False
        else:
            shown, more = overview.page(store, page, every=every, gm=gm)
        emails, unheard = overview.queues(store), people.unconfirmed_addresses(store)
    _show_matches(run, shown)
    if more:
        click.echo(f"there are more matches: `adjud status{' --all' * every} --page {page + 1}`")
    elif not shown:
        click.echo("no more matches" if page > 1 else "no match is being played")
    _show_emails(run, emails, unheard)


def _show_emails(run: Run, emails: Mapping[str, Any], unheard: Iterable[Mapping[str, Any]]) -> None:
    """Show what waits in the queues, and whose address is not confirmed."""
    if emails["letters"]:
        told = ", ".join(f"{n} {state}" for state, n in emails["letters"].items())
        click.echo(f"emails: {told}")
    if "letters_in" in emails:
        n = emails["letters_in"]["stuck"]
        click.echo(f"incoming emails: {n} stuck; see `adjud mail queue list --status stuck`")
    for one in unheard:
        since = run.time_text(one["since"])
        playing = ", ".join(one["matches"])
        click.echo(
            f"the address of {one['player']} ({playing}) has not been confirmed since {since}"
        )


def _show_waiting(run: Run, player: str | None, form: str) -> None:
    from adjudicator.service.matches import overview

    with run.store() as store:
        found = overview.waiting_for(store, player, run.settings.operator)
    if form == "json":
        click.echo(as_json({"matches": found}))
        return
    _show_matches(run, found)
    if not found:
        click.echo("no match is waiting for you")


def _print_status(matches: Iterable[Mapping[str, Any]]) -> None:
    """Print the beginning of a JSON object, match by match: a club may have very many."""
    click.echo('{"matches":[', nl=False)
    for number, entry in enumerate(matches):
        click.echo(b"," * (number > 0) + as_json(entry), nl=False)
    click.echo("],", nl=False)


def _show_matches(run: Run, matches: Iterable[Mapping[str, Any]]) -> None:
    from adjudicator.core.message import together

    for entry in matches:
        players = [f"{seat} {name or '(open)'}" for seat, name in entry["players"].items()]
        played = ", ".join([f"{entry['game']} {entry['variant']}", *players])
        click.echo(f"{entry['match']}: {played}; {entry['status']}")
        if "chance" in entry:
            click.echo(f"  {_chance(run, entry)}")
        if entry["awaited"]:
            until = f" until {run.time_text(entry['deadline'])}" if entry["deadline"] else ""
            awaited = together(entry["awaited"])
            click.echo(f"  turn {entry['turn']} is waiting for {awaited}{until}")
        if "substitutes_until" in entry:
            until = run.time_text(entry["substitutes_until"])
            click.echo(f"  substitutes are looked for until {until}")
        for seat, at in entry.get("forfeits", {}).items():
            by = run.time_text(at)
            click.echo(f"  {seat} forfeits if it sends no orders by {by}")
        if entry.get("silent"):
            click.echo(f"  no orders yet from {together(entry['silent'])}")
        if entry["trouble"]:
            click.echo(f"  TROUBLE: {entry['trouble']}")


def _chance(run: Run, entry: Mapping[str, Any]) -> str:
    """Say what a match without a position waits for."""
    chance = entry["chance"]
    if entry["status"] == "over":
        return "it was cancelled before it opened"
    if entry["status"] == "open":
        return "waits for players, and then for a public number"
    if chance["too_early"]:
        return "waits for a later draw: name one with `adjud gm chance`"
    return f"waits for {chance['number']}, published {run.time_text(chance['due'])}"


@click.command()
@click.argument("match", type=MATCH_NAME)
@click.option("--gm", is_flag=True, required=True, help="Yes, show me everything.")
@FORMAT
@click.pass_obj
def board(run: Run, match: str, gm: bool, form: str) -> None:
    """Show everything in MATCH, for a game master who does not play.

    Where the club sends email, the next reports show all players that you looked.

    \b
        adjud board espionage-1 --gm
    """
    from adjudicator.service.matches import full_board

    with run.store() as store:
        noted_at = run.now if run.is_noted(store) else None
        found = full_board.whole_state(store, match, noted_at=noted_at)
    if form == "json":
        click.echo(as_json({key: value for key, value in found.items() if key != "drawing"}))
        return
    click.echo(f"{found['match']}, turn {found['turn']}: everything, for the game master only")
    click.echo(found["drawing"])
    for seat, lines in found["orders"].items():
        click.echo(f"{seat} has ordered: {'; '.join(lines)}")


@click.command()
@click.argument("match", type=MATCH_NAME, required=False)
@FORMAT
@click.pass_obj
def verify(run: Run, match: str | None, form: str) -> None:
    """Replay the log of MATCH, or of all, and check it.

    Every snapshot and every proof is compared.

    \b
        adjud verify
    """
    from adjudicator.core.chain import OLDER
    from adjudicator.service.matches import verification

    troubled = False
    with run.store() as store:
        for name in [] if match else verification.older(store):
            if form == "json":
                why = str(OLDER)
                click.echo(as_json({"match": name, "agrees": None, "faults": [], "why": why}))
            else:
                click.echo(f"{name}: {OLDER}")
        for name in [match] if match else verification.names(store):
            found = verification.verify(store, name)
            troubled = troubled or bool(found)
            if form == "json":
                faults = [str(message) for message in found]
                click.echo(as_json({"match": name, "agrees": not faults, "faults": faults}))
                continue
            for message in found:
                click.echo(f"{name}: {message}")
            if not found:
                click.echo(f"{name}: the log, its snapshots and proofs agree")
    if troubled:
        raise click.exceptions.Exit(1)
