"""Answer the commands that a seat's holder may send beside his orders or instead of them."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Protocol, TypeVar

from msgspec import structs

from adjudicator.core.command_table import TABLE
from adjudicator.core.commands import Command, absence_of
from adjudicator.core.match import holder_read
from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.orders import Line, shown
from adjudicator.core.sheets import RawSheet, Reading, SheetCommand
from adjudicator.games import GAMES
from adjudicator.mail.write import subjects
from adjudicator.mail.write.subjects import Outcome
from adjudicator.reports import times
from adjudicator.reports.words import words
from adjudicator.service.base import calendar
from adjudicator.service.base.calendar import Never, pace, parse_zone, when
from adjudicator.service.base.context import Context, Refusal
from adjudicator.service.base.loaded_match import Unreadable, as_shown, readable
from adjudicator.service.base.next_step import complete_at
from adjudicator.service.base.options import terms
from adjudicator.service.base.reliability import per_cent, reliability
from adjudicator.service.base.reserve import has_reserve_until
from adjudicator.service.club import people, preferences
from adjudicator.service.club.offers import begun
from adjudicator.service.competition import by_email
from adjudicator.service.emails.mailed import Mailed
from adjudicator.service.inbound import confirmations, own_words, press
from adjudicator.service.inbound.replies import CommandAnswer, Conversation
from adjudicator.service.matches import overview, substituting
from adjudicator.service.matches.receipts import Receipt
from adjudicator.service.reports import building, printing
from adjudicator.service.reports.press_threads import threads_of
from adjudicator.store import daily, listings, matches, players
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder, Match
from adjudicator.store.players import Player
from adjudicator.store.submissions import Submission

# The end of every answer: the seat's orders in force and how long they may be replaced, or why
# none are awaited.
#
# Nothing in it shows who of the others has sent.


def standing_line(conversation: Conversation, told: Collection[int] = ()) -> str:
    """Say what is in force. `told` are the revisions whose orders are in the answer already."""
    if why := _nothing_awaited(conversation):
        return "\n".join(map(conversation.words, (why, *_sheets_ahead(conversation))))
    return "\n".join(
        (
            *_in_force(conversation, told),
            *map(conversation.words, (*_time(conversation), *_sheets_ahead(conversation))),
        )
    )


def current_line(conversation: Conversation) -> str:
    """Say what the seat's orders are now, in an answer to an email that says nothing new."""
    if is_awaited(conversation) and (sheet := conversation.loaded.sheets.get(conversation.seat)):
        told = say("Your current orders are version {revision}:", revision=sheet.revision)
        lines = (f"  {conversation.spelled(line)}" for line in sheet.lines)
        return "\n".join(
            (
                conversation.words(told),
                *lines,
                *map(conversation.words, (*_time(conversation), *_sheets_ahead(conversation))),
            )
        )
    return standing_line(conversation)


def still_line(conversation: Conversation, told: Collection[int] = ()) -> str:
    """Say in one sentence what is in force, of an email that is not read yet."""
    return conversation.words(_still(conversation.loaded.sheets.get(conversation.seat)))


def _still(sheet: Submission | None) -> Message:
    if sheet is None:
        return say("You have no current orders.")
    return say("Version {revision} of your orders is still current.", revision=sheet.revision)


def sheet_in_force(conversation: Conversation) -> str:
    """Return a sheet to be filled in; nothing if none would count now."""
    if not may_order(conversation):
        return ""
    told = conversation.words(say("Your order sheet to fill in:"))
    return "\n".join((told, "", *template_lines(conversation), ""))


def status_text(conversation: Conversation) -> str:
    """Answer STATUS: the match, its turn and players, and what it waits for."""
    loaded, tell = conversation.loaded, conversation.words
    game, match = loaded.game, loaded.match
    lines = [f"{tell(say(game.title))} {match.name}, {tell(overview.turn(loaded))}"]
    for seat in loaded.seats:
        name = holder_read(loaded.holders[seat].shown_name, tell) or tell(say("open seat"))
        you = f" ({tell(say('you'))})" if seat == conversation.seat else ""
        lines.append(f"{tell(game.seat_titles[seat])}: {name}{you}")
    if match.status != "over":
        lines.append(tell(overview.waits_for(loaded)))
        lines += map(tell, overview.draw_offers(loaded, conversation.seat))
    if match.status == "playing" and match.deadline_at and conversation.seat not in loaded.awaited:
        lines.append(tell(_deadline(match.deadline_at)))
    return "\n".join(lines)


def template_lines(conversation: Conversation) -> list[str]:
    """Return a sheet ready to edit; empty for a seat that is not awaited."""
    view = conversation.loaded.game.sight.observe(conversation.loaded.state, conversation.seat)
    return conversation.spelled.all(
        building.order_template(conversation.loaded, conversation.seat, view)
    )


def is_awaited(conversation: Conversation) -> bool:
    """Return whether the seat is to order now."""
    return _nothing_awaited(conversation) is None


def may_order(conversation: Conversation) -> bool:
    """Return whether a sheet that came now would count, if nothing were wrong with it."""
    return is_awaited(conversation) and (
        conversation.seat not in conversation.loaded.sheets or not _is_late(conversation)
    )


def _nothing_awaited(conversation: Conversation) -> Message | None:
    loaded = conversation.loaded
    if loaded.match.status == "over":
        return say("{match} is over.", match=loaded.match.name)
    if conversation.seat in loaded.gone:
        return say("You have left {match}; it continues without you.", match=loaded.match.name)
    if conversation.seat in loaded.resigned:
        return say("You have resigned. No orders are needed from you.")
    if conversation.seat not in loaded.awaited:
        return say("It's not your turn now.")
    return None


def _in_force(conversation: Conversation, told: Collection[int]) -> Iterator[str]:
    sheet = conversation.loaded.sheets.get(conversation.seat)
    if sheet is None:
        yield conversation.words(say("You have no current orders."))
        turn = conversation.loaded.match.turn
        yield conversation.words(say("Your orders for turn {turn} are due.", turn=turn))
        return
    yield conversation.words(
        say("Your current orders: version {revision}.", revision=sheet.revision)
    )
    if sheet.revision not in told:
        yield from (f"  {conversation.spelled(line)}" for line in sheet.lines)


def _sheets_ahead(conversation: Conversation) -> Iterator[Message]:
    """Say for which later turns sheets are kept."""
    if turns := [str(sheet.turn) for sheet in conversation.loaded.kept.get(conversation.seat, ())]:
        yield say("Saved for later turns: {turns}.", turns=", ".join(turns))


def _time(conversation: Conversation) -> Iterator[Message]:
    """Say how long the seat has."""
    loaded = conversation.loaded
    deadline = loaded.match.deadline_at
    if loaded.match.status == "held":
        yield say("The game master has put the match on hold.")
    elif loaded.match.status == "open" and loaded.has_begun:
        yield say("The match waits until the seat of a player who left is taken.")
    elif loaded.match.status == "open":
        yield say("The match begins when its last seat is filled.")
    elif conversation.seat in loaded.sheets:
        yield _replaceable(conversation)
    elif deadline and _is_late(conversation):
        yield say(
            "The deadline, {when}, has passed. You can still send orders until the turn is played.",
            when=when(deadline),
        )
        yield from _reserve(conversation)
    elif deadline:
        yield _deadline(deadline)
        yield from _reserve(conversation)


def _reserve(conversation: Conversation) -> Iterator[Message]:
    if ends := has_reserve_until(conversation.loaded, conversation.seat):
        yield say("With your reserve, you have until {when}.", when=when(ends))


def _replaceable(conversation: Conversation) -> Message:
    """Say until when the orders in force may be replaced.

    When all orders will have settled is told only if this seat alone is awaited; otherwise it would
    say that the others have sent.
    """
    loaded = conversation.loaded
    deadline = loaded.match.deadline_at
    complete = complete_at(loaded) if loaded.awaited == (conversation.seat,) else None
    if deadline and _is_late(conversation):
        return say("The deadline has passed. These orders can no longer change.")
    if complete and complete <= conversation.now:
        return say("The turn is now being played with these orders.")
    if loaded.holders[conversation.seat].not_ready_ply == loaded.match.ply + 1:
        return _until(deadline, say("until you send READY"))
    if complete:
        settled = min(complete, deadline) if deadline else complete
        return say("You can change these orders until {when}.", when=when(settled))
    return _until(deadline, say("until everyone's orders are in"))


def _until(moment: datetime | None, event: Message) -> Message:
    if moment is None:
        return say("You can change these orders {until}.", until=event)
    return say(
        "You can change these orders until {when}, or {until}.", when=when(moment), until=event
    )


def _is_late(conversation: Conversation) -> bool:
    deadline = conversation.loaded.match.deadline_at
    return deadline is not None and conversation.now >= deadline


def _deadline(deadline: datetime) -> Message:
    return say("Deadline: {when}.", when=when(deadline))


# The answer to GAMES: the games, and each open seat with what one needs to know of it.


MOST_SEATS = 20  # matches that are listed, the oldest first


def games_to_join(tx: Tx, language: str, now: datetime) -> str:
    """List the games, and the matches with open seats."""
    tell = words(language, "")
    names = ", ".join(words(language, slug)(say(game.title)) for slug, game in GAMES.items())
    cups = [tell(one) for one in by_email.open_tournaments(tx)]
    games = tell(say("Games: {names}.", names=names))
    return "\n".join([games, open_seats(tx, language, now), *cups])


def open_seats(tx: Tx, language: str, now: datetime) -> str:
    """List the matches with open seats, in one reader's words."""
    tell = words(language, "")
    names, there_are = listings.matches_with_free_seats(tx, GAMES, MOST_SEATS)
    if not names:
        return tell(say("There is no open seat now."))
    lines = [tell(say("Open seats:"))]
    for name in names:
        match = matches.find(tx, name)
        assert match is not None
        with suppress(Unreadable), readable(match):
            lines += ["", *_match(tx, match, words(language, match.game), now)]
    if more := there_are - len(names):
        lines += ["", tell(count("and {n} more match", "and {n} more matches", more))]
    return "\n".join(lines)


def _match(tx: Tx, match: Match, tell: Words, now: datetime) -> Iterator[str]:
    """Yield game, variant and pace in one line, then who has which seat, how reliable he is, and
    how to take one."""
    game, holders = GAMES[match.game], as_shown(match, matches.holders(tx, match.id))
    shown = (one for one in holders.values() if not one.hidden)
    people = [one.player_id for one in shown if one.player_id is not None]
    figures = reliability(tx, now, people)
    played = f"{tell(say(game.title))} {tell(game.variant_titles[match.variant])}"
    yield f"{match.name}: {played}, {_pace(match, tell)}"
    for seat in game.seats:
        if seat not in holders:
            continue
        title = tell(game.seat_titles[seat])
        name = holder_read(holders[seat].shown_name, tell)
        free = say("reserved") if holders[seat].kept else _open(match.name, title.lower())
        his = figures.get(holders[seat].player_id or 0)
        yield f"  {title}: {name or tell(free)}{f' ({tell(his.told)})' if his else ''}"
    if least := terms(match.options).reliable:
        asked = say("for players with {least} of turns on time", least=per_cent(least))
        yield f"  {tell(asked)}"


def _pace(match: Match, tell: Words) -> str:
    agreed = terms(match.options)
    told = tell(pace(agreed.deadline))
    return told if isinstance(agreed.deadline, Never) else f"{told} {agreed.zone.key}"


def _open(match: str, seat: str) -> Message:
    return say("open seat, write JOIN {match} {seat}", match=match, seat=seat)


class Asker(Protocol):
    """Whoever sends a command that is not about one seat: the holder of one, or a player at his
    personal address."""

    @property
    def tx(self) -> Tx: ...
    @property
    def now(self) -> datetime: ...
    @property
    def context(self) -> Context: ...
    @property
    def player_id(self) -> int: ...
    @property
    def wishes(self) -> Holder | Player: ...
    @property
    def game(self) -> str: ...
    @property
    def words(self) -> Words: ...
    def refused(self, refusal: Refusal) -> str: ...


AskerT = TypeVar("AskerT", bound=Asker)


def obey(conversation: Conversation, command: Command) -> CommandAnswer:
    """Obey a command that is in `HANDLERS` and return what its sender is told. In a dry run nothing
    is changed."""
    return obeyed_by(HANDLERS, conversation, command, dry=conversation.dry)


def obeyed_by(
    handlers: Mapping[str, Callable[[AskerT, Command], str | CommandAnswer]],
    asker: AskerT,
    command: Command,
    *,
    dry: bool,
) -> CommandAnswer:
    """Let a command be obeyed by its handler, which raises Refusal if it cannot be."""
    row = TABLE[command.word]
    if dry and row.does == "changes":
        return CommandAnswer(asker.words(say("understood: {words}", words=row.word)), "shown")
    try:
        told = handlers[command.word](asker, command)
    except Refusal as refusal:
        return CommandAnswer(asker.refused(refusal), "refused")
    if isinstance(told, CommandAnswer):
        return structs.replace(told, word=command.word)
    came: Outcome = "done" if row.does == "changes" else "shown"
    return CommandAnswer(told, came, word=command.word)


def in_sheet(conversation: Conversation, word: str, line: Line) -> list[Receipt]:
    """Treat a command that a sheet may hold as well as if it stood in a sheet."""
    sheet = RawSheet(line, None, (), (SheetCommand(word, line),), ())
    return conversation.submit(Reading((sheet,), ()))


def _join(conversation: Conversation, command: Command) -> CommandAnswer:
    """Ask for a seat from the address of another one; a code confirms it. Raises Refusal.

    Whoever reads the answer is the seat's holder.
    """
    who = confirmations.newcomer(conversation.address, "", conversation.holder.language)
    joining = confirmations.ask_for_seat(conversation, who, command.argument)
    told = say(
        "To join {name}, reply to this email with the line\n\nCONFIRM {code}",
        name=joining.match,
        code=joining.code,
    )
    return CommandAnswer(conversation.words(told), "code")


def list_games(asker: Asker, command: Command) -> str:
    return games_to_join(asker.tx, asker.wishes.language, asker.now)


def _status(conversation: Conversation, command: Command) -> str:
    # What is in force is told at the end of every answer.
    searched = substituting.standing(conversation.tx, conversation.loaded, conversation.seat)
    told = [status_text(conversation), *([conversation.words(searched)] if searched else [])]
    return "\n".join(told)


def _template(conversation: Conversation, command: Command) -> str:
    return "\n".join(template_lines(conversation))  # why there is none is told at the end, too


def _report(conversation: Conversation, command: Command) -> str:
    holder = conversation.loaded.holders[conversation.seat]
    if command.argument:
        stored = printing.of_turn(
            conversation.tx, conversation.loaded, conversation.seat, int(command.argument)
        )
        if stored is None:
            raise Refusal(say("There is no report for turn {turn}.", turn=command.argument))
        told = printing.remembered(conversation.loaded, stored)
        told_by = threads_of(conversation.tx, conversation.loaded, conversation.seat, stored.ply)
        email = Mailed(press=told_by)
        return printing.as_pages(told, holder, "text", email=email)[0]
    return present_page(conversation)


def present_page(conversation: Conversation) -> str:
    """Return how the match stands now, as the seat sees it."""
    present = printing.present(
        conversation.tx, conversation.loaded, conversation.seat, conversation.now
    )
    tips = printing.wants_tips(conversation.tx, conversation.loaded, present)
    told_by = threads_of(conversation.tx, conversation.loaded, conversation.seat)
    email = Mailed(tips=tips, press=told_by)
    return printing.as_pages(present, conversation.holder, "text", email=email)[0]


def _help(conversation: Conversation, command: Command) -> str:
    return own_words.card_of(conversation)


def set_language(asker: Asker, command: Command) -> str:
    language = people.language_of(command.argument)
    _change_player(asker, language=language)
    return words(language, asker.game)(say("Your language is now {it}.", it=language))


def set_zone(asker: Asker, command: Command) -> str:
    zone = parse_zone(command.argument)
    _change_player(asker, zone=zone.key)
    daily.look_again_for(asker.tx, asker.player_id)
    told = say("Your time zone is now {zone}.", zone=zone.key)
    if always := calendar.fixed_zone(zone.key):
        told = say("{told} Note: {note}.", told=told, note=always)
    return asker.words(told)


def set_wish(asker: Asker, command: Command) -> str | CommandAnswer:
    """Change one of the player's preferences; without a choice tell it, or all of them."""
    what, word, *_ = [*command.argument.split(), "", ""]
    column = preferences.column_of(what)
    if column is None or not word:
        told = [column] if column else list(preferences.WISHES)
        lines = (asker.words(preferences.in_force(asker.wishes, one)) for one in told)
        return CommandAnswer("\n".join(lines), "shown" if column or not what else "refused")
    choice = preferences.choice_of(column, word)
    if choice is None:
        raise Refusal(say("Write it like this: {form}", form=preferences.WISHES[column].form))
    _change_player(asker, **{column: choice})
    if column == "letters" and choice == "each":
        daily.release(asker.tx, asker.player_id, asker.now)
    return asker.words(preferences.WISHES[column].told[choice])


def note_absence(asker: Asker, command: Command) -> CommandAnswer:
    first, last = (_day(text) for text in absence_of(command))
    told = preferences.announce_absence(
        asker.tx,
        asker.player_id,
        first,
        last,
        now=asker.now,
        budget=asker.context.absence_days,
        own=True,
    )
    language = asker.wishes.language
    until = times.day(datetime(last.year, last.month, last.day, 12, tzinfo=UTC), language, "UTC")
    return CommandAnswer(asker.words(told), "done", subjects.away(until))


def _day(text: str) -> date:
    """Read a date: `2026-12-24` or `24.12.2026`. Raises Refusal."""
    try:
        day, dot, rest = text.partition(".")
        month, _, year = rest.partition(".")
        return date(int(year), int(month), int(day)) if dot else date.fromisoformat(text)
    except ValueError:
        told = say("'{seen}' is not a day; write one like 2026-12-24", seen=shown(text))
        raise Refusal(told) from None


def _change_player(asker: Asker, **changes: str) -> None:
    players.update(asker.tx, asker.player_id, **changes)


def _rematch(conversation: Conversation, command: Command) -> str:
    player = players.one(conversation.tx, conversation.player_id)
    told = begun.rematch(conversation, conversation.loaded, conversation.seat, player)
    return conversation.words(told)


def _substitute(conversation: Conversation, command: Command) -> str:
    tx, loaded, seat = conversation.tx, conversation.loaded, conversation.seat
    done = substituting.take_back if command.argument else substituting.ask
    return conversation.words(done(tx, loaded, seat, conversation.now))


def answer_ping(asker: Asker, command: Command) -> str:
    return asker.words(say("Your email has arrived."))


# What answers each command that shows or changes something.
HANDLERS: Mapping[str, Callable[[Conversation, Command], str | CommandAnswer]] = {
    "STATUS": _status,
    "TEMPLATE": _template,
    "REPORT": _report,
    "HELP": _help,
    "LANGUAGE": set_language,
    "ZONE": set_zone,
    "PREFS": set_wish,
    "ABSENCE": note_absence,
    "PING": answer_ping,
    "REMATCH": _rematch,
    "SUBSTITUTE": _substitute,
    "GAMES": list_games,
    "JOIN": _join,
    "MUTE": press.mute,
    "COMPLAIN": press.complain,
}
