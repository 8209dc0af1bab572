"""Answer the commands that a seat's holder may send beside his orders or instead of them."""

from collections.abc import Callable, Mapping
from datetime import date

from adjudicator.core.command_table import TABLE
from adjudicator.core.commands import Command, absence_of
from adjudicator.core.message import say
from adjudicator.core.orders import Line, shown
from adjudicator.core.sheets import RawSheet, SheetCommand
from adjudicator.reports.words import words
from adjudicator.service.base import zones
from adjudicator.service.base.calendar import parse_zone
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.club import absences, people, wishes
from adjudicator.service.letters_in import in_force, joining
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.letters_in.open_seats import games
from adjudicator.service.match.receipts import Receipt
from adjudicator.service.match.sheet_reading import TakenApart
from adjudicator.service.report import printed_report
from adjudicator.store import players


def obey(talk: Talk, command: Command) -> str:
    """Obey a command that is in `HANDLERS` and return what its sender is told. In a dry run nothing
    is changed."""
    row = TABLE[command.word]
    if talk.dry and row.does == "changes":
        return talk.words(say("understood: {words}", words=row.word))
    return HANDLERS[command.word](talk, command)


def in_sheet(talk: Talk, word: str, line: Line) -> list[Receipt]:
    """Treat a command that a sheet may hold as well as if it stood in a sheet."""
    sheet = RawSheet(line, None, (), (SheetCommand(word, line),), ())
    return talk.submit(TakenApart((sheet,), (), ()))


def _join(talk: Talk, command: Command) -> str:
    """Ask for a seat from the address of another one; a code confirms it.

    Whoever reads the answer is the seat's holder.
    """
    who = joining.newcomer(talk.address, "", talk.holder.language)
    try:
        code = joining.ask(talk.tx, who, command.argument, now=talk.now, means=talk.means)
    except Refusal as refusal:
        return talk.refused(refusal)
    told = say("To take that seat, answer this letter with the line\n\nCONFIRM {code}", code=code)
    return talk.words(told)


def _games(talk: Talk, command: Command) -> str:
    return games(talk.tx, talk.holder.language)


def _status(talk: Talk, command: Command) -> str:
    return in_force.status(talk)  # what is in force is told at the end of every answer


def _template(talk: Talk, command: Command) -> str:
    return "\n".join(in_force.template(talk))  # why there is none is told at the end, too


def _report(talk: Talk, command: Command) -> str:
    holder = talk.loaded.holders[talk.seat]
    if command.argument:
        stored = printed_report.of_turn(talk.tx, talk.loaded, talk.seat, int(command.argument))
        if stored is None:
            return talk.words(say("There is no report of turn {turn}.", turn=command.argument))
        return printed_report.as_pages(
            printed_report.remembered(talk.loaded, stored), holder, "text"
        )[0]
    return present_page(talk)


def present_page(talk: Talk) -> str:
    """Return how the match stands now, as the seat sees it."""
    present = printed_report.present(talk.tx, talk.loaded, talk.seat, talk.now)
    return printed_report.as_pages(present, talk.holder, "text")[0]


def _help(talk: Talk, command: Command) -> str:
    from adjudicator.reports.cards import card

    return card(talk.loaded.match.game, talk.holder.language, talk.spelled)


def _language(talk: Talk, command: Command) -> str:
    try:
        language = people.language_of(command.argument)
    except Refusal as refusal:
        return talk.refused(refusal)
    _change_player(talk, language=language)
    return words(language, talk.loaded.match.game)(say("Your language is now {it}.", it=language))


def _zone(talk: Talk, command: Command) -> str:
    try:
        zone = parse_zone(command.argument)
    except Refusal as refusal:
        return talk.refused(refusal)
    _change_player(talk, zone=zone.key)
    told = say("Your time zone is now {zone}.", zone=zone.key)
    if always := zones.fixed(zone.key):
        told = say("{told} Note: {note}.", told=told, note=always)
    return talk.words(told)


def _prefs(talk: Talk, command: Command) -> str:
    """Change the player's preferences; without an argument tell them."""
    if not command.argument:
        return "\n".join(map(talk.words, wishes.standing(talk.holder)))
    what, word = command.argument.split()
    column = wishes.column_of(what)
    if column is None:
        return "\n".join(map(talk.words, wishes.standing(talk.holder)))
    choice = wishes.choice_of(column, word)
    if choice is None:
        return talk.words(say("It is written: {form}", form=wishes.WISHES[column].form))
    _change_player(talk, **{column: choice})
    return talk.words(wishes.WISHES[column].told[choice])


def _absence(talk: Talk, command: Command) -> str:
    try:
        first, last = (_day(text) for text in absence_of(command))
        told = absences.announce(
            talk.tx,
            talk.player_id,
            first,
            last,
            now=talk.now,
            budget=talk.means.absence_days,
        )
    except Refusal as refusal:
        return talk.refused(refusal)
    return talk.words(told)


def _day(text: str) -> date:
    """Read a date: `2026-12-24` or `24.12.2026`. Raises Refusal."""
    try:
        day, dot, rest = text.partition(".")
        month, _, year = rest.partition(".")
        return date(int(year), int(month), int(day)) if dot else date.fromisoformat(text)
    except ValueError:
        told = say("'{seen}' is no day; write one as 2026-12-24", seen=shown(text))
        raise Refusal(told) from None


def _change_player(talk: Talk, **changes: str) -> None:
    players.update(talk.tx, talk.player_id, **changes)


def _ping(talk: Talk, command: Command) -> str:
    return talk.words(say("Your letter has arrived."))


# What answers each command that shows or changes something.
HANDLERS: Mapping[str, Callable[[Talk, Command], str]] = {
    "STATUS": _status,
    "TEMPLATE": _template,
    "REPORT": _report,
    "HELP": _help,
    "LANGUAGE": _language,
    "ZONE": _zone,
    "PREFS": _prefs,
    "ABSENCE": _absence,
    "PING": _ping,
    "GAMES": _games,
    "JOIN": _join,
}
