"""Carry out the commands that are not about one seat (club, 2): those of a player."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct, structs

from adjudicator.core.command_table import TABLE, help_lines
from adjudicator.core.commands import Command
from adjudicator.core.message import Message, Words, count, say
from adjudicator.mail.write import subjects
from adjudicator.reports.times import short
from adjudicator.reports.words import spoken, words
from adjudicator.resources import zone_of
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import Loaded, Unreadable, gather
from adjudicator.service.base.session import Session
from adjudicator.service.club.offers import answering, begun, challenges, guests, wishes
from adjudicator.service.club.offers.kinds import kind_of
from adjudicator.service.competition import by_email
from adjudicator.service.competition import ladders as of_club
from adjudicator.service.inbound import commands, confirmations
from adjudicator.service.inbound.replies import CommandAnswer, Conversation
from adjudicator.service.outbox.layout import aligned
from adjudicator.store import ladders, listings, matches, offers, pending, players
from adjudicator.store.ladders import LadderRow
from adjudicator.store.players import Player

MOST_LISTED = 100  # matches in the answer to STATUS
_LAST = datetime.max.replace(tzinfo=UTC)


class Person(Session, frozen=True, kw_only=True):
    """A player who writes to his personal address, or from a seat about what is not that seat's.

    `letter_id` is the email that is answered. With `dry` nothing is changed. `confirmed` says that
    a code confirmed what is asked.
    """

    player_id: int
    letter_id: int
    dry: bool = False
    confirmed: bool = False

    @property
    def wishes(self) -> Player:
        """Return the player as his row is now."""
        return players.one(self.tx, self.player_id)

    @property
    def game(self) -> str:
        return ""  # his words are of no game

    @property
    def words(self) -> Words:
        player = self.wishes
        return words(player.language, "", player.zone)

    def refused(self, refusal: Refusal) -> str:
        """Return a refusal as the player reads it."""
        return "\n".join(self.words(message) for message in refusal.messages)


def of_seat(conversation: Conversation) -> Person:
    """Return the player who holds the seat of an email."""
    return Person(
        tx=conversation.tx,
        player_id=conversation.player_id,
        letter_id=conversation.letter_id,
        now=conversation.now,
        context=conversation.context,
        dry=conversation.dry,
    )


def obey(person: Person, command: Command) -> CommandAnswer:
    """Obey a command that is in `HANDLERS` and return what the player is told."""
    return commands.obeyed_by(HANDLERS, person, command, dry=person.dry)


def _help(person: Person, command: Command) -> str:
    tell = person.words
    told = say("This address is for all your matches at once. It understands these lines:")
    status = structs.replace(TABLE["STATUS"], help=say("Show all your matches, the soonest first"))
    rows = (
        status if row.name == status.name else row for row in TABLE.values() if row.where != "seat"
    )
    orders = say(
        "Below a line MATCH with the name of a match you may write anything that an email to that "
        "match could say. HELP there sends the rules of its game. Orders name their match "
        "themselves: ORDERS m1, the orders, END."
    )
    return "\n\n".join([tell(told), "\n".join(help_lines(rows, tell)), tell(orders)])


def _join(person: Person, command: Command) -> CommandAnswer:
    """Take an open seat at once: who writes here is known. Raises Refusal."""
    player = person.wishes
    who = confirmations.Newcomer(player.address, player.name, player.language)
    joining = confirmations.ask_for_seat(person, who, command.argument)
    seated = confirmations.confirm_seat(person, player.address, joining.code)
    assert seated is not None
    return CommandAnswer(person.words(seated), "done", subjects.entered(joining.match))


def _withdraw(person: Person, command: Command) -> str | CommandAnswer:
    """Leave a ladder, or a tournament: at once before it begins, later when a code has confirmed
    it. Raises Refusal."""
    tx, now, context = person.tx, person.now, person.context
    if row := ladders.find(tx, command.argument.lower()):
        of_club.leave(person, row, person.wishes)
        return person.words(say("You have left {name}.", name=row.name))
    if person.confirmed or not by_email.has_begun(tx, command.argument, person.player_id):
        told = by_email.withdraw(person, command.argument, person.player_id)
        return person.words(told)
    code = context.coder()
    line = f"WITHDRAW {command.argument}"
    pending.park_email(
        tx, person.player_id, letter_id=person.letter_id, code=code, text=line, now=now
    )
    told = say(
        "If you leave {name}, you lose your matches in it that are not over. To leave it, reply "
        "to this email with the line\n\nCONFIRM {code}",
        name=command.argument.lower(),
        code=code,
    )
    return CommandAnswer(person.words(told), "code")


def _table(person: Person, command: Command) -> str:
    return by_email.table(person.tx, command.argument, person.words)


def _accept(person: Person, command: Command) -> CommandAnswer:
    told = answering.accept(person, person.player_id, command.argument)
    return _answered(person, command, told, "accepted", subjects.offer_accepted())


def _decline(person: Person, command: Command) -> CommandAnswer:
    told = answering.decline(person, person.player_id, command.argument)
    return _answered(person, command, told, "declined", subjects.offer_declined())


def _answered(
    person: Person, command: Command, told: Sequence[Message], status: str, subject: Message
) -> CommandAnswer:
    """Return what came of an answer to an offer, which was open until now or not at all."""
    text = "\n".join(map(person.words, told))
    found = offers.newest(person.tx, person.player_id, command.argument.upper())
    if found and found.status == status and found.ended_at == person.now:
        is_begun = status == "accepted" and kind_of(found) is begun.KIND
        welcome = begun.welcome(person.tx, found) if is_begun else None
        return CommandAnswer(text, "done", welcome or subject)
    return CommandAnswer(text, "refused")


def _invite(person: Person, command: Command) -> str | CommandAnswer:
    if guests.is_of_guest(command):
        return _invite_guest(person, command)
    said = begun.read(person.tx, command.argument)
    if row := ladders.find(person.tx, said.what.lower()):
        return person.words(_challenge(person, row, said))
    told = begun.invite(person, person.wishes, said)
    return person.words(told)


def _invite_guest(person: Person, command: Command) -> CommandAnswer:
    subject, told = wishes.invite(person, person.wishes, command)
    return CommandAnswer("\n\n".join(told), "done", subject)


def _challenge(person: Person, row: LadderRow, said: begun.Invitation) -> Message:
    if len(said.people) != 1:
        raise Refusal(say("On a ladder you can challenge one player at a time."))
    return challenges.challenge(person, row, person.wishes, said.people[0])


# The answer to STATUS: one line for each match, with what it waits for.


class _StatusLine(Struct, frozen=True):
    """A match in the table of a player; `due` is None without a deadline."""

    match: str
    game: str
    turn: str
    wanted: Message
    due: datetime | None


def _status(person: Person, command: Command) -> str:
    """Tell all matches of a player, the soonest first."""
    tell = person.words
    names, there_are = listings.soonest_matches(person.tx, person.player_id, MOST_LISTED)
    if not names:
        return tell(say("You are not playing in any match now."))
    lines = sorted(_matches(person, names), key=lambda one: (one.due or _LAST, one.match))
    heads = tuple(
        map(tell, (say("Match"), say("Game"), say("Turn"), say("Waiting for"), say("Until")))
    )
    rows = [heads, *(_cells(one, person) for one in lines)]
    more = there_are - len(names)
    below = [tell(count("and {n} more match", "and {n} more matches", more))] if more else []
    if any(one.due for one in lines):
        zone = zone_of(person.wishes.zone).key
        below += ["", tell(say("All times are those of {zone}.", zone=zone))]
    return "\n".join([aligned(rows), *below])


def _cells(line: _StatusLine, person: Person) -> tuple[str, ...]:
    """Return a row; its time is short, so that the row is not broken at 70 columns (emails, 7)."""
    wishes = person.wishes
    until = "-"
    if line.due:
        until = short(line.due.isoformat(), spoken(wishes.language), wishes.zone)
    return line.match, line.game, line.turn, person.words(line.wanted), until


def _matches(person: Person, names: Sequence[str]) -> Iterator[_StatusLine]:
    """Yield the lines of these matches; of those that cannot be read, that."""
    language = person.wishes.language
    for name in names:
        match = matches.find(person.tx, name)
        assert match is not None
        try:
            loaded = gather(person.tx, match)
        except Unreadable:
            yield _StatusLine(name, match.game, str(match.turn), say("on hold"), None)
            continue
        title = words(language, match.game)(say(loaded.game.title))
        due = match.deadline_at if match.status == "playing" else None
        yield _StatusLine(name, title, str(match.turn), wanted_in(loaded, person.player_id), due)


def wanted_in(loaded: Loaded, player_id: int) -> Message:
    """Say whose orders a match waits for, as its reader may know: of others never who has sent."""
    if loaded.match.status == "held":
        return say("on hold")
    if loaded.match.status != "playing":
        return say("players")
    own = [seat for seat, holder in loaded.holders.items() if holder.player_id == player_id]
    asked = [seat for seat in own if seat in loaded.awaited]
    if not asked:
        return say("others' orders")
    if all(seat in loaded.sheets for seat in asked):
        return say("your orders are here")
    return say("your orders")


# What answers each command to a personal address. A new one whose `where` is "own" in
# core/command_table belongs here alone; one that is taken at a seat's address as well ("anywhere")
# is in `commands.HANDLERS`, too.
HANDLERS: Mapping[str, Callable[[Person, Command], str | CommandAnswer]] = {
    "HELP": _help,
    "STATUS": _status,
    "GAMES": commands.list_games,
    "JOIN": _join,
    "PREFS": commands.set_wish,
    "LANGUAGE": commands.set_language,
    "ZONE": commands.set_zone,
    "ABSENCE": commands.note_absence,
    "PING": commands.answer_ping,
    "ACCEPT": _accept,
    "DECLINE": _decline,
    "INVITE": _invite,
    "WITHDRAW": _withdraw,
    "TABLE": _table,
}
