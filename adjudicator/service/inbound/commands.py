"""What answers each command of an email that shows or changes something: one table, with a function
for each kind of sender that may send it.

To add a command: its row in `core/command_table`, and here its function and its row.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import TypeAlias, TypeVar

from msgspec import Struct, structs

from adjudicator.core.command_table import TABLE
from adjudicator.core.commands import Command, absence_of
from adjudicator.core.match import holder
from adjudicator.core.message import Message, Value, both, count, say
from adjudicator.core.orders import shown
from adjudicator.core.report import AnyReport, PressThread
from adjudicator.games import GAMES
from adjudicator.mail.write import subjects
from adjudicator.reports.words import day, short, supported_language, words
from adjudicator.resources import zone_of
from adjudicator.service.base import calendar
from adjudicator.service.base.calendar import Never, pace, parse_zone
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import (
    Loaded,
    Unreadable,
    gather,
    public_holders,
    readable,
)
from adjudicator.service.base.options import terms
from adjudicator.service.base.reliability import per_cent, reliability
from adjudicator.service.club import people, preferences
from adjudicator.service.club.offers import answering, begun, challenges, guests, wishes
from adjudicator.service.club.offers.answering import kind_of
from adjudicator.service.competition import by_email
from adjudicator.service.competition import ladders as of_club
from adjudicator.service.emails.paragraphs import (
    STATUS_HEADS,
    AlignedRows,
    CommandList,
    Lines,
    Paragraphs,
    Told,
    WholeReport,
    paragraph,
)
from adjudicator.service.emails.value import report_value
from adjudicator.service.inbound import codes, own_words, press
from adjudicator.service.inbound.conversation import (
    Conversation,
    Person,
    Sender,
    Stranger,
    holder_of,
    refusal_text,
    status_lines,
    template_order_lines,
)
from adjudicator.service.inbound.replies import Done, Status
from adjudicator.service.matches import substituting
from adjudicator.service.reports import building, printing
from adjudicator.service.reports.building import threads_of
from adjudicator.store import daily, listings, matches, offers, pending, players, rows
from adjudicator.store.ladders import LadderRow
from adjudicator.store.matches import Match

MOST_LISTED = 100  # matches in the answer to STATUS
_LAST = datetime.max.replace(tzinfo=UTC)
_MOST_NAMES = 20  # of tournaments and ladders that are listed


# What is said when a command has been carried out, and who may send which.

SenderT = TypeVar("SenderT", bound=Sender, contravariant=True)
Said: TypeAlias = Message | Paragraphs | Done
Carry: TypeAlias = Callable[[SenderT, Command], Said]


class Handler(Struct, frozen=True):
    """What carries out a command; it returns what its sender reads, or raises Refusal. `seat` is
    for the holder of a seat about that, `person` for a player, also one who writes from a seat,
    `anyone` for a stranger who writes to the public address."""

    seat: Carry[Conversation] | None = None
    person: Carry[Person] | None = None
    anyone: Carry[Stranger] | None = None


def obey_holder(conversation: Conversation, command: Command) -> Done:
    """Carry out a command from a seat's address; what is not one seat's is the holder's."""
    if carry := HANDLERS[command.word].seat:
        return _obey(carry, conversation, command, dry=conversation.dry)
    return obey_person(holder_of(conversation), command)


def obey_person(person: Person, command: Command) -> Done:
    """Carry out a command from a personal address."""
    carry = HANDLERS[command.word].person
    assert carry is not None
    return _obey(carry, person, command, dry=person.dry)


def answer_anyone(stranger: Stranger, command: Command) -> Done:
    """Carry out a command from the public address. Raises Refusal, which he may not read: it would
    repeat words of an email that anybody may have written."""
    carry = HANDLERS[command.word].anyone
    assert carry is not None
    return _done(command, carry(stranger, command))


def _obey(carry: Carry[SenderT], sender: SenderT, command: Command, *, dry: bool) -> Done:
    """Carry out a command; in a dry run nothing is changed."""
    row = TABLE[command.word]
    if dry and row.does == "changes":
        return Done(paragraph(say("understood: {words}", words=row.word)), "shown")
    try:
        return _done(command, carry(sender, command))
    except Refusal as refusal:
        return Done(refusal_text(refusal), "refused")


def _done(command: Command, told: Said) -> Done:
    if isinstance(told, Done):
        return structs.replace(told, asked=command.word)
    status: Status = "done" if TABLE[command.word].does == "changes" else "shown"
    return Done(paragraph(told) if isinstance(told, Message) else told, status, command.word)


# The answer to GAMES: the games, and each open seat with what one needs to know of it.


MOST_SEATS = 20  # matches that are listed, the oldest first


def games_to_join(reader: Conversation | Person | Stranger) -> Paragraphs:
    """List the games, and the matches with open seats."""
    language = reader.language
    names = ", ".join(words(language, slug)(say(game.title)) for slug, game in GAMES.items())
    games = say("Games: {names}.", names=names)
    return open_seats(reader, [games], [*by_email.open_tournaments(reader.tx)])


def open_seats(
    reader: Conversation | Person | Stranger,
    above: Sequence[Message] = (),
    below: Sequence[Message] = (),
) -> Paragraphs:
    """List the matches with open seats, each with the line that its reader would write, and lines
    right above and below."""
    tx = reader.tx
    names, there_are = listings.matches_with_free_seats(tx, GAMES, MOST_SEATS)
    if not names:
        return paragraph(*above, say("There is no open seat now."), *below)
    told = paragraph(*above, say("Open seats:"))
    for name in names:
        match = matches.find(tx, name)
        assert match is not None
        with suppress(Unreadable), readable(match):
            told += paragraph(*_match(reader, match), game=match.game)
    if more := there_are - len(names):
        told += paragraph(count("and {n} more match", "and {n} more matches", more))
    last = told[-1]
    assert isinstance(last, Lines)
    return (*told[:-1], structs.replace(last, lines=(*last.lines, *below)))


def _match(reader: Conversation | Person | Stranger, match: Match) -> Iterator[Message]:
    """Yield game, variant and pace in one line, then who has which seat, how reliable he is, and
    how to take one."""
    game, holders = GAMES[match.game], public_holders(match, matches.holders(reader.tx, match.id))
    shown = (one for one in holders.values() if not one.hidden)
    people = [one.player_id for one in shown if one.player_id is not None]
    figures = reliability(reader.tx, reader.now, people)
    played: dict[str, Value] = {
        "match": match.name,
        "game": say(game.title),
        "variant": game.variant_titles[match.variant],
        "pace": _pace(match),
    }
    yield Message("{match}: {game} {variant}, {pace}", played)
    for seat in game.seats:
        if seat not in holders:
            continue
        title = words(reader.language, match.game)(game.seat_titles[seat])
        free = say("reserved") if holders[seat].kept else _open(match.name, title.lower())
        his = figures.get(holders[seat].player_id or 0)
        values: dict[str, Value] = {
            "seat": game.seat_titles[seat],
            "name": holder(holders[seat].shown_name) or free,
        }
        if his:
            yield Message("  {seat}: {name} ({reliable})", {**values, "reliable": his.told})
        else:
            yield Message("  {seat}: {name}", values)
    if least := terms(match.options).reliable:
        asked = say("for players with {least} of turns on time", least=per_cent(least))
        yield Message("  {told}", {"told": asked})


def _pace(match: Match) -> Message:
    agreed = terms(match.options)
    told = pace(agreed.deadline)
    if isinstance(agreed.deadline, Never):
        return told
    return Message("{pace} {zone}", {"pace": told, "zone": agreed.zone.key})


def _open(match: str, seat: str) -> Message:
    return say("open seat, write JOIN {match} {seat}", match=match, seat=seat)


# The commands of a seat's holder, and those that are taken at a personal address as well.


def _ask_to_join(conversation: Conversation, command: Command) -> Done:
    """Ask for a seat from the address of another one; a code confirms it. Raises Refusal.

    Whoever reads the answer is the seat's holder.
    """
    who = codes.newcomer(conversation.address, "", conversation.holder.language)
    joining = codes.ask_for_seat(conversation, who, command.argument)
    told = say(
        "To join {name}, reply to this email with the line\n\nCONFIRM {code}",
        name=joining.match,
        code=joining.code,
    )
    return Done(paragraph(told), "code")


def _ask_to_join_by_address(stranger: Stranger, command: Command) -> Done:
    """Ask for a seat from any address; a code that goes there confirms it. Raises Refusal."""
    who = codes.newcomer(stranger.address, stranger.name, stranger.language)
    joining = codes.ask_for_seat(stranger, who, command.argument)
    told = codes.code_to_join(joining)
    return Done(paragraph(told), "waits", subject=subjects.confirm())


def _games(sender: Conversation | Person | Stranger, command: Command) -> Paragraphs:
    return games_to_join(sender)


def _status(conversation: Conversation, command: Command) -> Paragraphs:
    # What is in force is told at the end of every answer.
    searched = substituting.standing(conversation.tx, conversation.loaded, conversation.seat)
    return paragraph(*status_lines(conversation), searched)


def _template(conversation: Conversation, command: Command) -> Paragraphs:
    return paragraph(
        *template_order_lines(conversation)
    )  # why there is none is told at the end, too


def _report(conversation: Conversation, command: Command) -> Paragraphs:
    if command.argument:
        stored = printing.of_turn(
            conversation.tx, conversation.loaded, conversation.seat, int(command.argument)
        )
        if stored is None:
            raise Refusal(say("There is no report for turn {turn}.", turn=command.argument))
        told = printing.old_report(conversation.loaded, stored)
        told_by = threads_of(conversation.tx, conversation.loaded, conversation.seat, stored.ply)
        return _printed(conversation, told, told_by)
    return present_page(conversation)


def present_page(conversation: Conversation) -> Paragraphs:
    """Return how the match stands now, as the seat sees it."""
    present = printing.present(
        conversation.tx, conversation.loaded, conversation.seat, conversation.now
    )
    tips = building.wants_tips(conversation.tx, conversation.loaded, present)
    told_by = threads_of(conversation.tx, conversation.loaded, conversation.seat)
    return _printed(conversation, present, told_by, tips=tips)


def _printed(
    conversation: Conversation,
    report: AnyReport,
    press: tuple[PressThread, ...],
    *,
    tips: bool = False,
) -> Paragraphs:
    holder = conversation.holder
    told = WholeReport(
        report=report_value(report),
        language=holder.language,
        zone=holder.zone,
        tips=tips,
        press=press,
    )
    return (told,)


def _card(conversation: Conversation, command: Command) -> Paragraphs:
    return (own_words.card_of(conversation),)


def _set_language(sender: Conversation | Person, command: Command) -> Message:
    language = people.language_of(command.argument)
    _change_player(sender, language=language)
    return say("Your language is now {it}.", it=language)


def _set_zone(sender: Conversation | Person, command: Command) -> Message:
    zone = parse_zone(command.argument)
    _change_player(sender, zone=zone.key)
    daily.look_again_for(sender.tx, sender.player_id)
    told = say("Your time zone is now {zone}.", zone=zone.key)
    if always := calendar.fixed_zone(zone.key):
        told = say("{told} Note: {note}.", told=told, note=always)
    return told


def _set_wish(sender: Conversation | Person, command: Command) -> Message | Done:
    """Change one of the player's preferences; without a choice tell it, or all of them."""
    what, word, *_ = [*command.argument.split(), "", ""]
    column = preferences.column_of(what)
    if column is None or not word:
        told = [column] if column else list(preferences.WISHES)
        lines = (preferences.in_force(sender.wishes, one) for one in told)
        return Done(paragraph(*lines), "shown" if column or not what else "refused")
    choice = preferences.choice_of(column, word)
    if choice is None:
        raise Refusal(say("Write it like this: {form}", form=preferences.WISHES[column].form))
    _change_player(sender, **{column: choice})
    if column == "letters" and choice == "each":
        daily.release(sender.tx, sender.player_id, sender.now)
    return preferences.WISHES[column].told[choice]


def _note_absence(sender: Conversation | Person, command: Command) -> Done:
    first, last = (_day(text) for text in absence_of(command))
    told = preferences.announce_absence(sender, sender.player_id, first, last, own=True)
    language = sender.language
    until = day(datetime(last.year, last.month, last.day, 12, tzinfo=UTC), language, "UTC")
    return Done(paragraph(told), "done", subject=subjects.away(until))


def _day(text: str) -> date:
    """Read a date: `2026-12-24` or `24.12.2026`. Raises Refusal."""
    try:
        day, dot, rest = text.partition(".")
        month, _, year = rest.partition(".")
        return date(int(year), int(month), int(day)) if dot else date.fromisoformat(text)
    except ValueError:
        told = say("'{seen}' is not a day; write one like 2026-12-24", seen=shown(text))
        raise Refusal(told) from None


def _change_player(sender: Conversation | Person, **changes: str) -> None:
    players.update(sender.tx, sender.player_id, **changes)


def _rematch(conversation: Conversation, command: Command) -> Message:
    player = players.one(conversation.tx, conversation.player_id)
    return begun.rematch(conversation, conversation.loaded, conversation.seat, player)


def _substitute(conversation: Conversation, command: Command) -> Message:
    tx, loaded, seat = conversation.tx, conversation.loaded, conversation.seat
    done = substituting.take_back if command.argument else substituting.ask
    return done(tx, loaded, seat, conversation.now)


def _ping(sender: Sender, command: Command) -> Message:
    return say("Your email has arrived.")


# The commands of a player (club, 2): what is not one seat's.


def _help_person(person: Person, command: Command) -> Paragraphs:
    told = say("This address is for all your matches at once. It understands these lines:")
    orders = say(
        "Below a line MATCH with the name of a match you may write anything that an email to that "
        "match could say. HELP there sends the rules of its game. Orders name their match "
        "themselves: ORDERS m1, the orders, END."
    )
    return (*paragraph(told), CommandList("person"), *paragraph(orders))


def _join(person: Person, command: Command) -> Done:
    """Take an open seat at once: who writes here is known. Raises Refusal."""
    player = person.wishes
    who = codes.Newcomer(player.address, player.name, player.language)
    joining = codes.ask_for_seat(person, who, command.argument)
    seated = codes.confirm_seat(person, player.address, joining.code)
    assert seated is not None
    return Done(paragraph(seated), "done", subject=subjects.tournament_entry(joining.match))


def _withdraw(person: Person, command: Command) -> Message | Done:
    """Leave a ladder, or a tournament: at once before it begins, later when a code has confirmed
    it. Raises Refusal."""
    tx, name = person.tx, command.argument
    if row := rows.first(tx, LadderRow, name=name.lower()):
        of_club.leave(person, row, person.wishes)
        return say("You have left {name}.", name=row.name)
    if person.confirmed or not by_email.has_begun(tx, name, person.player_id):
        return by_email.withdraw(person, name, person.player_id)
    code, line = person.context.coder(), f"WITHDRAW {name}"
    pending.park_email(
        tx, person.player_id, letter_id=person.letter_id, code=code, text=line, now=person.now
    )
    told = say(
        "If you leave {name}, you lose your matches in it that are not over. To leave it, reply "
        "to this email with the line\n\nCONFIRM {code}",
        name=name.lower(),
        code=code,
    )
    return Done(paragraph(told), "code")


def _table(person: Person, command: Command) -> Paragraphs:
    return by_email.table(person.tx, command.argument)


def _accept(person: Person, command: Command) -> Done:
    told = answering.accept(person, person.player_id, command.argument)
    return _answered(person, command, told, "accepted", subjects.offer_accepted())


def _decline(person: Person, command: Command) -> Done:
    told = answering.decline(person, person.player_id, command.argument)
    return _answered(person, command, told, "declined", subjects.offer_declined())


def _answered(
    person: Person, command: Command, told: Sequence[Message], status: str, subject: Message
) -> Done:
    """Return what came of an answer to an offer, which was open until now or not at all."""
    found = offers.newest(person.tx, person.player_id, command.argument.upper())
    if found and found.status == status and found.ended_at == person.now:
        is_begun = status == "accepted" and kind_of(found) is begun.KIND
        welcome = begun.welcome(person.tx, found) if is_begun else None
        return Done(paragraph(*told), "done", subject=welcome or subject)
    return Done(paragraph(*told), "refused")


def _invite(person: Person, command: Command) -> Message | Done:
    if guests.is_of_guest(command):
        return _invite_guest(person, command)
    said = begun.read(person.tx, command.argument)
    if row := rows.first(person.tx, LadderRow, name=said.what.lower()):
        return _challenge(person, row, said)
    return begun.invite(person, person.wishes, said)


def _invite_guest(person: Person, command: Command) -> Done:
    subject, told = wishes.invite(person, person.wishes, command)
    return Done(told, "done", subject=subject)


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


def _matches_of(person: Person, command: Command) -> Message | Paragraphs:
    """Tell all matches of a player, the soonest first."""
    names, there_are = listings.soonest_matches(person.tx, person.player_id, MOST_LISTED)
    if not names:
        return say("You are not playing in any match now.")
    lines = sorted(_matches(person, names), key=lambda one: (one.due or _LAST, one.match))
    rows = (STATUS_HEADS, *(_cells(one, person) for one in lines))
    more = there_are - len(names)
    below: list[Told] = []
    if more:
        below.append(count("and {n} more match", "and {n} more matches", more))
    if any(one.due for one in lines):
        zone = zone_of(person.wishes.zone).key
        below += ["", say("All times are those of {zone}.", zone=zone)]
    return (AlignedRows(rows, tuple(below)),)


def _cells(line: _StatusLine, person: Person) -> tuple[Told, ...]:
    """Return a row; its time is short, so that the row is not broken at 70 columns (emails, 7)."""
    wishes = person.wishes
    until = "-"
    if line.due:
        until = short(line.due.isoformat(), supported_language(wishes.language), wishes.zone)
    return line.match, line.game, line.turn, line.wanted, until


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
        yield _StatusLine(
            name, title, str(match.turn), message_for_awaited(loaded, person.player_id), due
        )


def message_for_awaited(loaded: Loaded, player_id: int) -> Message:
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


# What anybody may ask of the public address; JOIN and CONFIRM are answered there by themselves.


def _help_anyone(stranger: Stranger, command: Command) -> Paragraphs:
    told = say("This address belongs to a club that plays by email. It understands these lines:")
    orders = say("Send orders to the address that your reports come with: reply to a report.")
    return (*paragraph(told), CommandList("anyone"), *paragraph(orders))


def _table_on_site(stranger: Stranger, command: Command) -> Message | Paragraphs:
    """Show a table that the site shows, too (club, 7.7 and 8.1)."""
    known = by_email.names_of_tables(stranger.tx)
    if command.argument.lower() in known:
        return by_email.table(stranger.tx, command.argument)
    # What was asked for is not repeated: anybody may have written it.
    nothing = say("There is no such tournament or ladder.")
    if not known:
        return nothing
    names = ", ".join([*known[:_MOST_NAMES], *(["..."] if known[_MOST_NAMES:] else [])])
    return both(nothing, say("There are: {names}", names=names))


HANDLERS: Mapping[str, Handler] = {
    "HELP": Handler(seat=_card, person=_help_person, anyone=_help_anyone),
    "STATUS": Handler(seat=_status, person=_matches_of),
    "REPORT": Handler(seat=_report),
    "TEMPLATE": Handler(seat=_template),
    "MUTE": Handler(seat=press.mute),
    "COMPLAIN": Handler(seat=press.complain),
    "ABSENCE": Handler(seat=_note_absence, person=_note_absence),
    "LANGUAGE": Handler(seat=_set_language, person=_set_language),
    "ZONE": Handler(seat=_set_zone, person=_set_zone),
    "PREFS": Handler(seat=_set_wish, person=_set_wish),
    "GAMES": Handler(seat=_games, person=_games, anyone=_games),
    "JOIN": Handler(seat=_ask_to_join, person=_join, anyone=_ask_to_join_by_address),
    "WITHDRAW": Handler(person=_withdraw),
    "TABLE": Handler(person=_table, anyone=_table_on_site),
    "ACCEPT": Handler(person=_accept),
    "DECLINE": Handler(person=_decline),
    "INVITE": Handler(person=_invite),
    "REMATCH": Handler(seat=_rematch),
    "SUBSTITUTE": Handler(seat=_substitute),
    "PING": Handler(seat=_ping, person=_ping, anyone=_ping),
}
