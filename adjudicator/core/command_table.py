"""The commands that an email may hold: one row each, from which the parsers, HELP, the guesses at
misspelt ones and the tables of the books are made (emails, section 4).

Whoever adds a row adds what carries it out, too: a row in `service/inbound/commands` for a command
that shows or changes something, in `service/matches/sheet_storing` for one that acts in the match.
"""

from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import Literal, TypeAlias

from msgspec import Struct

from adjudicator.core.message import Message, Words, say
from adjudicator.core.orders import folded

# What a command does: it shows something, changes something of the player's, acts in the match, or
# says how the whole email is read.
Effect: TypeAlias = Literal["shows", "changes", "acts", "letter"]
# Whether the public address takes a command: not, answers it, or heeds it beside JOIN or CONFIRM.
Public: TypeAlias = Literal["no", "answered", "beside"]
# Whose business a command is (club, 2): that of one seat, the player's at his seats' addresses and
# at his personal one, or his alone; the last is obeyed at a seat's address as if it had come to
# the personal one.
Where: TypeAlias = Literal["seat", "anywhere", "own"]


class CommandRow(Struct, frozen=True):
    """A command: how it is written, where it is taken and what it does.

    A dry run carries out what shows something; of what changes something it says that it was
    understood. What acts may stand in a sheet, too, and a restore of the club may undo it.
    """

    word: Message  # in capitals; its translation is the word in the reader's language
    spellings: str  # all that is read as it: English, Norwegian, Swedish, then others
    does: Effect
    help: Message
    argument: str = ""  # the form that an argument must have; a sentence that begins alike lacks it
    example: Message | None = None  # the word with an argument
    alone: bool = True  # whether it may stand without an argument
    public: Public = "no"
    where: Where = "seat"
    others: str = ""  # words that people write for it: they are answered with a question

    @property
    def name(self) -> str:
        return self.word.text

    @property
    def phrases(self) -> list[str]:
        """Return how the command is written, folded."""
        return [folded(phrase) for phrase in self.spellings.split(", ")]

    @property
    def form(self) -> Message:
        """Return the command with its argument, if it needs one."""
        return self.example if self.example and not self.alone else self.word

    @property
    def forms(self) -> list[Message]:
        """Return the ways to write the command: alone, with an argument, or both."""
        return [self.form, self.example] if self.example and self.alone else [self.form]


_DAY = r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}"
_SETTINGS = (
    "reminders?|p[aå]minnelser?|board|brett(?:et)?|br[aä]det?|page|sid[ae]n?|"
    "receipts?|kvittering(?:er)?|kvitto[tn]?|reports?|rapport(?:er)?|tips?|"
    "substitutes?|vikar(?:er|ie|ier)?|letters?|emails|brev(?:en)?"
)
# A code of ours has a letter and a digit, so it is no word: "accept draw" is none.
_OFFER = r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{4,12}"
_ROWS = (
    CommandRow(
        say("HELP"),
        "help, hjelp, hjälp",
        "shows",
        say("Get this help"),
        argument=r"[a-z]+",
        public="answered",
        others="rules, rule, manual, commands, instructions, info, how to play, regler, reglene, "
        "reglerna, kommandoer, kommandon",
        where="anywhere",
    ),
    CommandRow(
        say("STATUS"),
        "status",
        "shows",
        say("Show the current position and the player to move"),
        others="state, deadline, whose turn, stilling, stillingen, frist, ställning, ställningen, "
        "tidsfrist",
        where="anywhere",
    ),
    CommandRow(
        say("REPORT"),
        "report, rapport",
        "shows",
        say("Show your page as it is now, or the report of a turn"),
        argument=r"(?:(?i:turn|runde|omg[aå]ng) +)?(?P<it>\d{1,6})",
        example=say("REPORT 3"),
        others="show, board, map, view, resend, brett, brettet, kart, vis, bräde, brädet, "
        "spelplan, karta, visa",
    ),
    CommandRow(
        say("TEMPLATE"),
        "template, mal, mall",
        "shows",
        say("Get orders to fill in"),
        others="form, sheet, skjema, blankett, formulär",
    ),
    CommandRow(
        say("CHECK"),
        "check, sjekk, kontrollera",
        "letter",
        say("Try out this email; nothing in it is carried out"),
        others="verify, validate, dry run, test",
    ),
    CommandRow(
        say("RESIGN"),
        "resign, gi opp, ge upp",
        "acts",
        say("Resign from the match; you are asked to confirm it"),
        others="quit, surrender, give up, i give up, i resign, concede, i surrender, i concede, "
        "capitulate, forfeit, jeg gir opp, gir opp, overgi meg, jeg gir meg, jag ger upp, ger "
        "upp, kapitulera",
    ),
    CommandRow(
        say("DRAW"),
        "draw, remis, remi",
        "acts",
        say("Offer or accept a draw"),
        others="tie, truce, accept draw, offer draw, uavgjort, oavgjort",
    ),
    CommandRow(
        say("CLEAR"),
        "clear, slett, rensa",
        "acts",
        say("Withdraw your orders for this turn and your draw offer"),
        others="undo, cancel, retract, revoke, delete, remove, angre, avbryt, trekk "
        "tilbake, fjern, ångra, ta tillbaka, radera, ta bort, återkalla, annuller, annullera",
    ),
    CommandRow(
        say("CLEAR ADVANCE"),
        "clear advance, slett forhånd, rensa förväg",
        "acts",
        say("Withdraw your orders for later turns"),
    ),
    CommandRow(
        say("READY"),
        "ready, klar",
        "acts",
        say("Stop holding the turn open"),
    ),
    CommandRow(
        say("NOTREADY"),
        "notready, not ready, ikke klar, inte klar",
        "acts",
        say("Hold the turn open until the deadline"),
        others="wait, pause, unready, vent, vänta",
    ),
    CommandRow(
        say("CONFIRM"),
        "confirm, bekreft, bekräfta",
        "letter",
        say("Confirm what you were sent a code for"),
        argument=r"[A-Za-z0-9]{4,12}",
        example=say("CONFIRM code"),
        alone=False,
        public="answered",
        others="approve, godkjenn, godkänn",
        where="anywhere",
    ),
    CommandRow(
        say("PRESS TO"),
        "press to, melding til, meddelande till",
        "letter",
        say("Send the lines below, up to ENDPRESS, to a seat, ALL or MASTER"),
        example=say("PRESS TO seat"),
        alone=False,
        others="message, message to, msg, melding, beskjed, press, write to, skriv til, "
        "meddelande, skriv till",
    ),
    CommandRow(
        say("MUTE"),
        "mute, demp, tysta",
        "changes",
        say("Stop messages from a seat, or all UNSIGNED ones; OFF allows them again"),
        argument=r"[A-Za-zæøåäöÆØÅÄÖ]{1,24}(?: +(?i:off|av))?",
        example=say("MUTE seat"),
        alone=False,
        others="silence, block, ignore, unmute, blokker, ignorer, blockera, ignorera",
    ),
    CommandRow(
        say("COMPLAIN"),
        "complain, klag, klaga",
        "changes",
        say("Send a message you received to the game master, by its number"),
        argument=r"\d{1,4}",
        example=say("COMPLAIN 3"),
        alone=False,
        others="complaint, abuse, klage, klagomål",
    ),
    CommandRow(
        say("ABSENCE"),
        "absence, fravær, frånvaro",
        "changes",
        say("Say when you are away: no new deadline falls on these days"),
        argument=rf"(?:(?i:from|fra|fr[aå]n) +)?(?P<first>{_DAY})(?: +(?i:to|till?) +| *- *| +)"
        rf"(?P<last>{_DAY})",
        example=say("ABSENCE 2026-12-24 TO 2026-12-31"),
        alone=False,
        others="vacation, vacations, holiday, holidays, away, absent, leave, ferie, ferien, "
        "borte, bortreist, semester, borta, bortrest",
        where="anywhere",
    ),
    CommandRow(
        say("LANGUAGE"),
        "language, språk",
        "changes",
        say("Choose your language: en, nb or sv"),
        argument=r"[A-Za-z_-]{2,12}",
        example=say("LANGUAGE nb"),
        alone=False,
        public="beside",
        others="lang, sprog, språket",
        where="anywhere",
    ),
    CommandRow(
        say("ZONE"),
        "zone, sone, zon",
        "changes",
        say("Choose your time zone"),
        argument=r"[A-Za-z0-9_+/:-]{2,40}(?: ?[+-] ?\d{1,2}(?::?\d\d)?)?|"
        r"[A-Z][a-z]{1,20} [A-Z][a-z]{1,20}",
        example=say("ZONE Europe/Oslo"),
        alone=False,
        public="beside",
        others="timezone, time zone, time-zone, tz, tidssone, tidszon",
        where="anywhere",
    ),
    CommandRow(
        say("PREFS"),
        "prefs, valg, val",
        "changes",
        say("Show your settings and how to change them, or change one"),
        argument=rf"(?i:{_SETTINGS})(?: +[A-Za-zæøåäöÆØÅÄÖ]{{1,12}})?",
        example=say("PREFS REMINDERS OFF"),
        others="preferences, settings, unsubscribe, innstillinger, inställningar",
        where="anywhere",
    ),
    CommandRow(
        say("GAMES"),
        "games, spill, spel",
        "shows",
        say("List the open seats"),
        public="answered",
        others="matches, seats, list, partier, matcher, ledige plasser",
        where="anywhere",
    ),
    CommandRow(
        say("JOIN"),
        "join, bli med, gå med",
        "changes",
        say("Ask for an open seat, or a place in a tournament or on a ladder"),
        argument=r"[A-Za-z0-9-]{1,24}(?: +[A-Za-zæøåäöÆØÅÄÖ]{1,24})?",
        example=say("JOIN match"),
        alone=False,
        public="answered",
        others="register, sign up, signup, enroll, enrol",
        where="anywhere",
    ),
    CommandRow(
        say("WITHDRAW"),
        "withdraw, trekk meg fra, dra mig ur",
        "changes",
        say("Leave a tournament or a ladder"),
        argument=r"[A-Za-z][A-Za-z0-9-]{0,15}",
        example=say("WITHDRAW name"),
        alone=False,
        where="own",
    ),
    CommandRow(
        say("TABLE"),
        "table, tabell",
        "shows",
        say("Show the table of a tournament or a ladder"),
        argument=r"[A-Za-z][A-Za-z0-9-]{0,15}",
        example=say("TABLE name"),
        alone=False,
        public="answered",
        where="own",
    ),
    CommandRow(
        say("ACCEPT"),
        "accept, godta, acceptera",
        "changes",
        say("Accept an offer that you were sent"),
        argument=_OFFER,
        example=say("ACCEPT 7K3Q"),
        alone=False,
        where="own",
    ),
    CommandRow(
        say("DECLINE"),
        "decline, nei takk, nej tack",
        "changes",
        say("Decline an offer that you were sent"),
        argument=_OFFER,
        example=say("DECLINE 7K3Q"),
        alone=False,
        where="own",
    ),
    CommandRow(
        say("INVITE"),
        "invite, inviter, bjud in",
        "changes",
        say("Invite a player to a match"),
        argument=r"[^@<>\s][^<>]{0,160}",
        example=say("INVITE Bob TO espionage"),
        alone=False,
        where="own",
    ),
    CommandRow(
        say("MATCH"),
        "match, parti",
        "letter",
        say("Say which match the lines below are for, up to the next MATCH"),
        argument=r"[A-Za-z][A-Za-z0-9-]{0,23}",
        example=say("MATCH m1"),
        alone=False,
        where="own",
    ),
    CommandRow(
        say("REMATCH"),
        "rematch, omkamp, revansch",
        "changes",
        say("Ask for a rematch, once a match is over"),
    ),
    CommandRow(
        say("SUBSTITUTE"),
        "substitute, vikar, vikarie",
        "changes",
        say("Ask for a player to take over your seat; OFF ends the search"),
        argument=r"(?i:off|av)",
        example=say("SUBSTITUTE OFF"),
        others="replacement, replace me, stand-in, erstatter, ersättare",
    ),
    CommandRow(
        say("PING"),
        "ping",
        "shows",
        say("Check that your email arrives"),
        public="answered",
        where="anywhere",
    ),
)
TABLE: Mapping[str, CommandRow] = {row.name: row for row in _ROWS}
WORDS: Mapping[str, Message] = {row.name: row.word for row in _ROWS}
ACTING = frozenset(row.name for row in _ROWS if row.does == "acts")
ANSWERED = frozenset(row.name for row in _ROWS if row.does in ("shows", "changes"))
OWN = frozenset(row.name for row in _ROWS if row.where == "own" and row.does != "letter")

_WIDTH, _FORM = 70, 18  # columns of a line of HELP, and of the command in it


def help_lines(rows: Iterable[CommandRow], words: Words) -> Iterator[str]:
    """Yield the lines that explain commands. No line is one that could be read as a command, for
    emails are sent back."""
    for row in rows:
        form = ", ".join(map(words, row.forms))
        first, below = f"  {form:{_FORM}}  ", " " * (_FORM + 4)
        yield from wrap(words(row.help), _WIDTH, initial_indent=first, subsequent_indent=below)
