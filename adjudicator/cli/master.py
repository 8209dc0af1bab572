"""The commands `adjud gm`: the game master's tools. Every use is logged and told to the players."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

from adjudicator.cli.arguments import (
    GAME_NAME,
    MATCH_NAME,
    PLAYER_NAME,
    SEAT_NAME,
    TOURNAMENT_NAME,
    OnMatches,
    on_each,
    selection,
    several,
)
from adjudicator.cli.match import take_emails, warn_of_unconfirmed
from adjudicator.cli.shell import Commands, Run, WithBlanks

if TYPE_CHECKING:
    from adjudicator.service.matches.overview import Selection

REASON = click.option("--reason", default="", metavar="TEXT", help="Shown to the players.")


def _some_words(ctx: object, option: object, text: str) -> str:
    if not text.strip():
        raise click.BadParameter("say why, in a few words")
    return text


NEEDED_REASON = click.option(
    "--reason", required=True, callback=_some_words, metavar="TEXT", help="Shown to the players."
)


YES = click.option("--yes", is_flag=True, help="Do not ask, however long the wait is.")

T = TypeVar("T")


def at_terminal() -> bool:
    return sys.stdin.isatty()


def unless_a_slip(use: "Callable[[bool], T]", *, yes: bool) -> T:
    """Use a tool; where it doubts what is asked, ask at a terminal whether it is meant so."""
    from adjudicator.service.base.context import Doubtful

    try:
        return use(yes)
    except Doubtful as doubtful:
        if not at_terminal():
            raise
        if not click.confirm(f"{doubtful.doubt}. Do you mean it?", err=True):
            click.echo("adjud: nothing was changed", err=True)
            raise click.exceptions.Exit(1) from None
    return use(True)


@click.group(cls=Commands)
def gm() -> None:
    """Do the game master's work.

    Every use is logged, and players are shown it with its reason.

    \b
        adjud gm extend espionage-1 "2 days" --reason "Easter"
    """


@gm.command(cls=OnMatches)
@several
@NEEDED_REASON
@click.pass_obj
def hold(run: Run, wanted: "Selection", reason: str) -> None:
    """Stop the clock of each MATCH.

    Orders are still taken, but nothing is adjudicated.

    \b
        adjud gm hold espionage-1 --reason "mail trouble"
        adjud gm hold --all --reason "mail trouble"
    """
    from adjudicator.service.matches import game_master

    on_each(
        run,
        wanted,
        "hold",
        lambda store, name: game_master.hold(run.open_club(store), name, reason=reason),
    )


@gm.command(cls=OnMatches)
@several
@NEEDED_REASON
@click.option("--extend", default="0", metavar="DURATION", help="More time on top.")
@YES
@click.pass_obj
def resume(
    run: Run,
    wanted: "Selection",
    reason: str,
    extend: str,
    yes: bool,
) -> None:
    """Go on with each held MATCH.

    The time that was left is left again. If none was, the turn gets its whole time again,
    or what --extend says.

    \b
        adjud gm resume espionage-1 --reason "mail works again" --extend "1 day"
        adjud gm resume --all --reason "mail works again"
    """
    from adjudicator.service.base.calendar import parse_duration
    from adjudicator.service.matches import game_master

    longer = parse_duration(extend)
    on_each(
        run,
        wanted,
        "resume",
        lambda store, name: unless_a_slip(
            lambda sure: game_master.resume(
                run.open_club(store),
                name,
                reason=reason,
                extend=longer,
                sure=sure,
                zone=run.settings.timezone,
            ),
            yes=yes,
        ),
    )


@gm.command("extend", cls=OnMatches)
@several
@click.argument("duration")
@REASON
@YES
@click.pass_obj
def extend_(
    run: Run,
    wanted: "Selection",
    duration: str,
    reason: str,
    yes: bool,
) -> None:
    """Give the present turn of each MATCH more time.

    It asks first if that is more than ten times the usual time of a turn.

    \b
        adjud gm extend espionage-1 "2 days"
        adjud gm extend --game spion "4 days" --reason "Easter"
    """
    from adjudicator.service.base.calendar import parse_duration
    from adjudicator.service.matches import game_master

    longer = parse_duration(duration)
    on_each(
        run,
        wanted,
        "extend",
        lambda store, name: unless_a_slip(
            lambda sure: game_master.extend(
                run.open_club(store),
                name,
                longer,
                sure=sure,
                zone=run.settings.timezone,
                reason=reason,
            ),
            yes=yes,
        ),
    )


@gm.command()
@click.argument(
    "matches", type=MATCH_NAME, nargs=-1, required=True, metavar="MATCH... KEY=VALUE..."
)
@click.option("--all", "every", is_flag=True, help="All matches that are not over.")
@click.option("--game", type=GAME_NAME, metavar="GAME", help="All of this game that are not over.")
@click.option(
    "--tournament", type=TOURNAMENT_NAME, metavar="TOURNAMENT", help="All of it that are not over."
)
@REASON
@click.pass_obj
def option(
    run: Run,
    matches: tuple[str, ...],
    every: bool,
    game: str | None,
    tournament: str | None,
    reason: str,
) -> None:
    """Change options of each MATCH.

    All can be changed but `chance`, `drand_after`, `names` and the rules of its game. The current
    turn keeps its deadline, unless it had none.

    \b
        adjud gm option espionage-1 "deadline=every 5 days" absence=gm --reason "all asked for it"
        adjud gm option --all "skip=2026-12-24..2027-01-02"
    """
    options = [word for word in matches if "=" in word]
    names = [word for word in matches if "=" not in word]
    if not options:
        raise click.UsageError("write an option as KEY=VALUE")
    after = matches[matches.index(options[0]) :]
    if loose := [word for word in after if "=" not in word]:
        quoted = " ".join(after)
        raise click.UsageError(
            f"'{loose[0]}' comes after the options; a value with blanks needs quotes: \"{quoted}\""
        )
    _change(run, selection(names, every, game, tournament), options, reason)


@gm.command()
@several
@click.argument(
    "state", metavar="on|off|all|unsigned", type=click.Choice(["on", "off", "all", "unsigned"])
)
@REASON
@click.pass_obj
def press(
    run: Run,
    wanted: "Selection",
    state: str,
    reason: str,
) -> None:
    """Turn messages between players of each MATCH off or on.

    `all` allows only messages to everyone, `unsigned` also those that do not name their writer.

    \b
        adjud gm press espionage-1 off --reason "insults"
    """
    _change(run, wanted, [f"press={state}"], reason)


def _change(run: Run, wanted: "Selection", options: Sequence[str], reason: str) -> None:
    """Change options of matches."""
    from adjudicator.service.matches.option_changes import change_options

    on_each(
        run,
        wanted,
        "option",
        lambda store, name: change_options(
            run.open_club(store), name, options, zone=run.settings.timezone, reason=reason
        ),
    )


@gm.command(cls=WithBlanks)
@click.argument("match", type=MATCH_NAME)
@click.argument("time")
@REASON
@YES
@click.pass_obj
def deadline(run: Run, match: str, time: str, reason: str, yes: bool) -> None:
    """Set the deadline of the present turn of MATCH to TIME.

    It may be earlier or later than it is.

    TIME is in the zone of the match, as "2026-12-24 18:00", "2026-12-24" or "Fri 18:00", or from
    now on, as "2 days". A match without deadlines has this one for the present turn. It asks first
    if the wait is more than ten times the usual time of a turn.

    \b
        adjud gm deadline espionage-1 "2026-12-24 18:00" --reason "both agreed"
    """
    from adjudicator.service.matches import game_master

    with run.club() as store:
        told, warning = unless_a_slip(
            lambda sure: game_master.set_deadline(
                run.open_club(store),
                match,
                time,
                sure=sure,
                zone=run.settings.timezone,
                reason=reason,
            ),
            yes=yes,
        )
    click.echo(told)
    if warning:
        click.echo(f"adjud: {warning}", err=True)


@gm.command("say", cls=OnMatches)
@several
@click.argument("text")
@click.pass_obj
def say_(run: Run, wanted: "Selection", text: str) -> None:
    """Say TEXT to all seats of each MATCH.

    They read it in an email and in the next report.

    \b
        adjud gm say espionage-1 "I am on holiday until Monday."
        adjud gm say --all "I am on holiday until Monday."
    """
    from adjudicator.service.matches import game_master

    on_each(
        run,
        wanted,
        "say",
        lambda store, name: game_master.announce(run.open_club(store), name, text),
    )


@gm.command()
@click.argument("match", type=MATCH_NAME)
@REASON
@click.option("--check", is_flag=True, help="Only say whether it can be done, and why not.")
@click.pass_obj
def undo(run: Run, match: str, reason: str, check: bool) -> None:
    """Take back the last ply of MATCH, if nobody has its report.

    No report of it may have been sent or printed, nor be on the club's site: nobody can know who
    has looked at a page there. Its orders are current again and its time starts
    again. Hold MATCH first, or the next tick may adjudicate it again. A match that has ended stays
    ended.

    \b
        adjud gm undo espionage-1 --check
        adjud gm undo espionage-1 --reason "White's email was read wrongly"
    """
    from adjudicator.service.matches import undoing

    if check:
        with run.store() as store:
            click.echo(undoing.check(store, match))
        return
    run.do(undoing.undo, match, zone=run.settings.timezone, reason=reason)


@gm.command()
@click.argument("match", type=MATCH_NAME)
@NEEDED_REASON
@click.option("--unread", is_flag=True, help="End a match that cannot be read, from its rows.")
@click.pass_obj
def cancel(run: Run, match: str, reason: str, unread: bool) -> None:
    """End MATCH without a result.

    \b
        adjud gm cancel espionage-1 --reason "both asked for it"
    """
    from adjudicator.service.matches import game_master
    from adjudicator.service.matches import outage as unread_matches

    tool = unread_matches.cancel_unreadable if unread else game_master.cancel
    run.do(tool, match, reason=reason)


@gm.command(cls=WithBlanks)
@click.argument("match", type=MATCH_NAME)
@click.argument("seat", type=SEAT_NAME)
@click.argument("player", type=PLAYER_NAME)
@REASON
@click.option("--yes", is_flag=True, help="Do not ask, whatever PLAYER has seen.")
@click.option("--left", is_flag=True, help="Record that the old player left the match.")
@click.pass_obj
def replace(
    run: Run, match: str, seat: str, player: str, reason: str, yes: bool, left: bool
) -> None:
    """Give SEAT of MATCH to PLAYER.

    PLAYER is a name, computer or computer:random. This fills an open seat, too. Everything that the
    old player sent is dropped, and so are emails waiting for them. All players are informed. If
    little time is left, the deadline moves. It asks first if PLAYER had another seat of MATCH.

    \b
        adjud gm replace espionage-1 white Bob --reason "Anna moved away"
    """
    from adjudicator.service.matches import game_master

    with run.club() as store:
        take_emails(run, store)  # while they are still from the holder of the seat
        told = unless_a_slip(
            lambda sure: game_master.replace(
                run.open_club(store),
                match,
                seat,
                player,
                sure=sure,
                left=left,
                zone=run.settings.timezone,
                reason=reason,
            ),
            yes=yes,
        )
        click.echo(told)
        warn_of_unconfirmed(store, match)


@gm.command()
@click.argument("match", type=MATCH_NAME)
@click.argument("seat", type=SEAT_NAME)
@click.option(
    "--by",
    default="",
    metavar="DURATION",
    help="Announce it to all, and let the tick do it then if the seat is silent.",
)
@REASON
@YES
@click.pass_obj
def forfeit(run: Run, match: str, seat: str, by: str, reason: str, yes: bool) -> None:
    """Forfeit SEAT of MATCH, at once or by a time.

    At once it is done whatever the seat has sent, by a time only if it stays silent.

    \b
        adjud gm forfeit espionage-1 white --reason "no answer for a month"
        adjud gm forfeit espionage-1 white --by "3 days"
    """
    from adjudicator.service.base.calendar import parse_duration
    from adjudicator.service.matches import game_master

    with run.club() as store:
        if by:
            told = unless_a_slip(
                lambda sure: game_master.announce_forfeit(
                    run.open_club(store),
                    match,
                    seat,
                    parse_duration(by),
                    sure=sure,
                    zone=run.settings.timezone,
                    reason=reason,
                ),
                yes=yes,
            )
        else:
            take_emails(run, store)  # so that these are answered before the forfeit
            told = game_master.forfeit(run.open_club(store), match, seat, reason=reason)
        click.echo(told)


@gm.command()
@click.argument("match", type=MATCH_NAME)
@click.option(
    "--expect",
    type=int,
    required=True,
    metavar="TURN",
    help="The turn that you mean; nothing is done at any other.",
)
@REASON
@click.pass_obj
def adjudicate(run: Run, match: str, expect: int, reason: str) -> None:
    """End the waiting of MATCH for READY and for the option settle.

    The tick adjudicates the turn as soon as all orders for it are in. Nothing here tells whether
    they are.

    \b
        adjud gm adjudicate espionage-1 --expect 12
    """
    from adjudicator.service.matches import game_master

    run.do(game_master.adjudicate, match, expect=expect, reason=reason)


@gm.command(cls=WithBlanks)
@click.argument("match", type=MATCH_NAME)
@click.argument("draw")
@click.pass_obj
def chance(run: Run, match: str, draw: str) -> None:
    """Name another DRAW for MATCH, in place of one that is too early.

    That is one less than a day after the last seat was taken. A draw that all players knew a day
    before cannot be changed.

    \b
        adjud gm chance espionage-1 "6 of Lotto 6aus49 at 2026-12-05T19:00Z"
    """
    from adjudicator.service.matches import unopened

    run.do(unopened.name_draw, match, draw, zone=run.settings.timezone)


@gm.command(cls=WithBlanks)
@click.argument("match", type=MATCH_NAME)
@click.argument("number", metavar="VALUE")
@click.pass_obj
def value(run: Run, match: str, number: str) -> None:
    """Enter the public number that MATCH waits for, to open it.

    For chance=drand VALUE is the signature of the round, 96 hex digits; for a draw its numbers in
    ascending order. It is entered once and never changed.

    \b
        adjud gm value espionage-1 "1 7 15 23 38 44"
    """
    from adjudicator.service.matches import entering

    run.do(entering.enter_value, match, number, zone=run.settings.timezone)
