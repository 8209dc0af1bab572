"""The commands `adjud player`: people and their addresses."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from adjudicator.cli.arguments import PERSON_NAME, PLAYER_NAME, run_on_each
from adjudicator.cli.master import unless_a_slip
from adjudicator.cli.match import take_emails, warn_of_unconfirmed
from adjudicator.cli.shell import FORMAT, Commands, Run, WithBlanks, as_json, rows
from adjudicator.core.message import LANGUAGES

if TYPE_CHECKING:
    from adjudicator.store.database import Store

LANGUAGE = click.Choice(LANGUAGES)


@click.group(cls=Commands)
def player() -> None:
    """Enter people and change their addresses.

    \b
        adjud player add Anna anna@example.org --timezone Europe/Oslo
    """


@player.command(cls=WithBlanks)
@click.argument("name")
@click.argument("address")
@click.option("--language", type=LANGUAGE, default="en", show_default=True)
@click.option("--timezone", "zone", default="UTC", show_default=True, metavar="ZONE")
@click.option("--confirmed", is_flag=True, help="You know the address: reports may go there.")
@click.pass_obj
def add(run: Run, name: str, address: str, language: str, zone: str, confirmed: bool) -> None:
    """Add a player. Without --confirmed the address gets an email with a code, and no other.

    \b
        adjud player add Anna anna@example.org --language nb --timezone Europe/Oslo --confirmed
    """
    from adjudicator.service.club import people
    from adjudicator.service.club.names import name_of

    with run.club() as store:
        people.add(
            store,
            name,
            address,
            language=language,
            zone=zone,
            confirmed=confirmed,
            now=run.now,
            sends_mail=run.context.sends_mail,
            page=people.first_page(run.settings.site.url),
        )
        _notice_shared(store, name)
    state = "confirmed" if confirmed else "not confirmed yet: no content goes there"
    click.echo(f"{name_of(name)} <{address.strip()}>: {state}")


@player.command("set", cls=WithBlanks)
@click.argument("name", type=PERSON_NAME)
@click.option("--name", "new_name", metavar="NAME", help="A new name.")
@click.option("--address", metavar="ADDRESS", help="A new address; it must be confirmed again.")
@click.option("--language", type=LANGUAGE)
@click.option("--timezone", "zone", metavar="ZONE")
@click.option("--confirmed", is_flag=True, help="You know the address: reports may go there.")
@click.option(
    "--reminders",
    type=click.Choice(["on", "off", "daily"]),
    help="A reminder for each match, none, or one email a day for all of them.",
)
@click.option(
    "--substitute",
    type=click.Choice(["on", "off"]),
    help="Whether to ask them to take over a seat when a match needs a substitute.",
)
@click.option(
    "--letters",
    type=click.Choice(["each", "daily"]),
    help="Each email at once, or one email a day with all that can wait.",
)
@click.pass_obj
def set_(
    run: Run,
    name: str,
    new_name: str | None,
    address: str | None,
    language: str | None,
    zone: str | None,
    confirmed: bool,
    reminders: str | None,
    substitute: str | None,
    letters: str | None,
) -> None:
    """Change a player: a mistyped address, a new language.

    \b
        adjud player set Anna --address anna@example.com --confirmed
        adjud player set Anna --reminders daily
    """
    from adjudicator.service.club import people

    wanted = people.Changes(
        name=new_name,
        address=address,
        language=language,
        zone=zone,
        reminders=reminders,
        substitute=substitute,
        letters=letters,
        confirmed=confirmed,
    )
    with run.club() as store:
        changed = people.change(store, name, wanted, now=run.now, sends_mail=run.context.sends_mail)
        if address is not None:
            _notice_shared(store, changed)
    click.echo(f"{changed}: changed")


def _notice_shared(store: "Store", name: str) -> None:
    """Name the players who have the same address as this one."""
    from adjudicator.service.club import people

    if told := people.message_for_shared_address(store, name):
        click.echo(f"adjud: {told}", err=True)


@player.command(cls=WithBlanks)
@click.argument("number", type=int, required=False)
@click.option("--allow", "answer", flag_value="allow", help="The club writes there, once.")
@click.option("--decline", "answer", flag_value="decline", help="The club does not write there.")
@FORMAT
@click.pass_obj
def guest(run: Run, number: int | None, answer: str | None, form: str) -> None:
    """List the people to whom players ask the club to write, and answer.

    With outside = "ask" in the configuration, a player's INVITE with an address asks you first. A
    wish is open for 7 days.

    \b
        adjud player guest
        adjud player guest 3 --allow
    """
    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.club.offers import wishes

    if (number is None) != (answer is None):
        raise Refusal(say("say which wish, and --allow or --decline"))
    with run.club() as store:
        if number is not None:
            club = run.open_club(store)
            told = wishes.answer(club, number, is_allowed=answer == "allow")
            click.echo(told)
            return
        listed = wishes.open_wishes(store)
    if form == "json":
        for one in listed:
            click.echo(as_json(one))
        return
    for line in rows([(str(one.id), one.player, one.game, one.address) for one in listed]):
        click.echo(line)


@player.command("list")
@FORMAT
@click.pass_obj
def list_(run: Run, form: str) -> None:
    """List the players.

    \b
        adjud player list
    """
    from msgspec import structs

    from adjudicator.service.base.reliability import Reliability, reliability
    from adjudicator.service.club.preferences import plain
    from adjudicator.store import players

    with run.store() as store, store.reading() as tx:
        listed = players.all_players(tx)
        figures = reliability(tx, run.now)
    if form == "json":
        for entry in listed:
            his = figures.get(entry.id, Reliability())
            click.echo(as_json({**plain(entry), "reliability": structs.asdict(his)}))
        return
    table = [
        (
            entry.name,
            f"<{entry.address}>",
            entry.language,
            entry.zone,
            ", ".join(_states(confirmed=bool(entry.confirmed_at), muted=bool(entry.muted_at))),
            str(figures[entry.id].told) if entry.id in figures else "",
        )
        for entry in listed
    ]
    for line in rows(table):
        click.echo(line)


@player.command(cls=WithBlanks)
@click.argument("name", type=PERSON_NAME)
@click.argument("first", metavar="FROM")
@click.argument("last", metavar="TO")
@click.pass_obj
def absence(run: Run, name: str, first: str, last: str) -> None:
    """Note that NAME is away from FROM to TO, both included.

    No later deadline falls on these days. A deadline that is set already stays. The days of a year
    are limited, see absence_days in the configuration.

    \b
        adjud player absence Anna 2026-12-24 2027-01-02
    """
    from adjudicator.service.base import loaded_match
    from adjudicator.service.base.calendar import parse_date
    from adjudicator.service.base.context import Context, OpenClub
    from adjudicator.service.club import preferences

    days = parse_date(first), parse_date(last)
    context = Context(absence_days=run.settings.absence_days)
    with run.store() as store, OpenClub(store, run.now, context).session() as s:
        player_id = loaded_match.find_player(s.tx, name).id
        told = preferences.announce_absence(s, player_id, *days)
    click.echo(told)


@player.command(cls=WithBlanks)
@click.argument("name", type=PERSON_NAME)
@click.pass_obj
def remove(run: Run, name: str) -> None:
    """Remove a player who never held a seat.

    \b
        adjud player remove Anna
    """
    from adjudicator.service.club import people

    with run.store() as store:
        removed = people.remove(store, name)
    click.echo(f"{removed}: removed")


@player.command(cls=WithBlanks)
@click.argument("name", type=PERSON_NAME)
@click.pass_obj
def export(run: Run, name: str) -> None:
    """Print all that the club keeps of a player, as JSON.

    Reports are as the player got them. Of a match that continues, nothing of its current turn is
    printed, and all its players read that you looked at this player's board.

    \b
        adjud player export Anna > anna.json
    """
    from adjudicator.service.club import personal

    with run.club() as store:
        noting = run.is_noted(store)
        click.echo(as_json(personal.export(store, name, now=run.now, noting=noting)))


@player.command(cls=WithBlanks)
@click.argument("name", type=PERSON_NAME)
@click.option("--confirm", is_flag=True, help="You are sure: nothing brings it back.")
@click.pass_obj
def erase(run: Run, name: str, confirm: bool) -> None:
    """Erase a player: the name becomes "Former player N".

    The address, the settings, absences and emails of the player are deleted. Seats, results and
    logs of matches stay. A player who still plays in a match is not erased. Older backups still
    have everything.

    \b
        adjud player erase Anna --confirm
    """
    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.ops import erasing

    if not confirm:
        raise Refusal(
            say("this cannot be undone, so nothing was done; add --confirm if you are sure")
        )
    with run.club() as store:
        told = erasing.erase(run.open_club(store), name, at=run.paths)
        for line in told:
            click.echo(line)


@player.command(cls=WithBlanks)
@click.argument("name", type=PERSON_NAME)
@click.option("--off", is_flag=True, help="Pass the messages on again.")
@click.option("--reason", default="", metavar="TEXT", help="Shown to the player.")
@click.pass_obj
def mute(run: Run, name: str, off: bool, reason: str) -> None:
    """Pass on no messages of NAME to other players.

    The player reads that in an email, and in the answer to each message. Orders are read as before.

    \b
        adjud player mute Anna --reason "insults"
        adjud player mute Anna --off
    """
    from adjudicator.service.club import preferences

    run.do(preferences.mute, name, off=off, reason=reason)


@player.command(cls=WithBlanks)
@click.argument("name", type=PERSON_NAME)
@click.option(
    "--to",
    type=PLAYER_NAME,
    metavar="PLAYER",
    help="Who takes the seats: a player's name, or computer.",
)
@click.option("--reason", default="", metavar="TEXT", help="Shown to the players.")
@click.option("--yes", is_flag=True, help="Do not ask, whatever PLAYER has seen.")
@click.pass_obj
def leave(run: Run, name: str, to: str | None, reason: str, yes: bool) -> None:
    """Let NAME leave all matches that continue.

    Each seat goes to PLAYER, as by `gm replace`. Without --to it is open, by JOIN or `gm replace`,
    and its match waits for that. All players read of it.

    \b
        adjud player leave Anna --reason "moved away"
        adjud player leave Anna --to computer
    """
    from adjudicator.service.base import looks
    from adjudicator.service.matches import game_master, seating

    with run.club() as store:
        take_emails(run, store)  # while they are still from the holder of the seats
        seats = dict(seating.seats_of_player(store, name))

        def leave_one(match: str) -> object:
            noted_at = run.now if run.context.sends_mail else None
            with looks.at_refusal(store, [match], noted_at):  # it tells where the player plays
                return leave_this(match)

        def leave_this(match: str) -> object:
            if to is None:
                return seating.open_seat(run.open_club(store), match, seats[match], reason=reason)
            told = unless_a_slip(
                lambda sure: game_master.replace(
                    run.open_club(store),
                    match,
                    seats[match],
                    to,
                    sure=sure,
                    zone=run.settings.timezone,
                    reason=reason,
                ),
                yes=yes,
            )
            warn_of_unconfirmed(store, match)
            return told

        run_on_each([*seats], leave_one)


@player.command(cls=WithBlanks)
@click.argument("name", type=PERSON_NAME)
@FORMAT
@click.pass_obj
def show(run: Run, name: str, form: str) -> None:
    """Show a player: seats, missed deadlines, absences.

    Whether the player has sent orders is not shown, and nothing here depends on it.

    \b
        adjud player show Anna
    """
    from adjudicator.service.club import preferences

    with run.store() as store:
        found = preferences.profile(store, name, now=run.now)
    if form == "json":
        click.echo(as_json(found))
        return
    told = [found["language"], found["timezone"]]
    told += _states(confirmed=found["confirmed"], muted=found["muted"])
    click.echo(f"{found['name']} <{found['address']}>: {', '.join(told)}")
    for seat in found["seats"]:
        shown = "; ".join(_seat(run, seat)) if seat["seat"] else "names are hidden"
        click.echo(f"  {seat['match']}: {shown}")
    for first, last in found["absences"]:
        click.echo(f"  away from {first} to {last}")
    if found["ended"]:
        click.echo(f"  matches that ended: {', '.join(found['ended'])}")
    for left in found["left"]:
        if left["seat"]:
            click.echo(f"  left {left['match']}, {left['seat']}, {run.time_text(left['until'])}")
        else:
            click.echo(f"  left {left['match']}")


def _states(*, confirmed: bool, muted: bool) -> list[str]:
    """Return what is not as usual with a player."""
    return [*([] if confirmed else ["not confirmed"]), *(["muted"] if muted else [])]


def _seat(run: Run, seat: Mapping[str, Any]) -> Iterator[str]:
    yield f"{seat['seat']}, turn {seat['turn']}"
    if seat["held"]:
        yield f"on hold since {run.time_text(seat['held'])}"
    elif seat["status"] != "playing":
        yield str(seat["status"])
    if seat.get("to_move"):
        yield f"to move until {run.time_text(seat['deadline'])}" if seat["deadline"] else "to move"
    if seat.get("missed"):
        yield f"deadlines missed: {seat['missed']}"
    if seat.get("forfeits"):
        yield f"forfeits if silent until {run.time_text(seat['forfeits'])}"
