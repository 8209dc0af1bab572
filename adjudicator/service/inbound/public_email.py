"""The public address: what anybody may ask is answered shortly, seldom and without an echo."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice

from msgspec import Struct, structs

from adjudicator.core.command_table import OWN, TABLE, help_lines
from adjudicator.core.commands import Command, code_of
from adjudicator.core.message import Message, Words, say
from adjudicator.core.orders import Line, folded
from adjudicator.core.text import folded_address
from adjudicator.mail.address import is_mailbox
from adjudicator.mail.read.email import Email, body_of
from adjudicator.mail.write import subjects
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import parse_zone
from adjudicator.service.base.context import Context, Refusal
from adjudicator.service.base.session import Session
from adjudicator.service.club import people
from adjudicator.service.competition import by_email
from adjudicator.service.inbound import confirmations, invited, joining_by_words, questions
from adjudicator.service.inbound.commands import games_to_join, open_seats
from adjudicator.service.inbound.joining_by_words import MOST_LINES, SIGNS, would_play
from adjudicator.service.inbound.parsed_email import ParsedEmail
from adjudicator.service.inbound.questions import reach_game_master
from adjudicator.service.inbound.replies import Question
from adjudicator.service.outbox.layout import fitted, paragraphs
from adjudicator.service.outbox.post import own_address, post_to_address
from adjudicator.store import inbox, matches, outbox, pending, players
from adjudicator.store.database import Tx
from adjudicator.store.inbox import IncomingEmail
from adjudicator.store.players import Player

A_DAY = 3  # answers to one address, beside codes and what is told to who has confirmed one
CODES_A_DAY = 10  # to one address
A_DAY_IN_ALL = 100  # answers and codes
_TABLES = 3  # in one email
_MOST_NAMES = 20  # of tournaments and ladders that are listed
_ASKED = frozenset(word for word, row in TABLE.items() if row.public == "answered")
_SETTINGS = frozenset(word for word, row in TABLE.items() if row.public == "beside")
# What follows `public/` in the keys of emails that are counted apart.
_CODE, _CONFIRMED, _SENT_BACK, _WELCOME = "code/", "confirmed/", "back/", "words/"
_OWN = "own/"


class PublicRequest(Struct, frozen=True):
    """Tell what an email asks, and the settings in it by their words. `of_seat` says that it holds
    something that only a seat's address takes, `own` something for a player's personal address;
    `prose` are the other words."""

    commands: Sequence[Command] = ()
    settings: Mapping[str, str] = {}
    of_seat: bool = False
    own: bool = False
    prose: Sequence[Line] = ()


class PublicReply(Struct, frozen=True):
    """An answer.

    `kind` is receipt, confirm if a code is in it, or refusal of orders. `count` says as what it is
    counted: as a plain answer, as a code, or as an answer to somebody who confirmed one.
    """

    text: str  # empty if only what is `asked` of the game master goes on
    kind: str = "receipt"
    count: str = ""
    subject: Message | None = None  # where that of its kind does not say what it is
    asked: Question | None = None


class Stranger(Struct, frozen=True):
    """The writer of an email, by his own account; nothing else is known of him."""

    address: str
    name: str
    words: Words
    language: str


def answer(s: Session, received: IncomingEmail, opened: ParsedEmail) -> tuple[str, str]:
    """Answer an email; return its status and why, in the operator's words."""
    email = opened.email
    inbox.update(s.tx, received.id, message_id=email.message_id or None, dated_at=email.date)
    if email.sender is None or not is_mailbox(email.sender):
        return "junk", email.sender_defect or "from no mailbox that we could write to"
    if not received.sender and received.channel in ("lmtp", "pipe"):
        return "junk", "no envelope sender"
    if _is_again(s.tx, received, opened):
        return "duplicate", "came before"
    asked = _request_in(opened)
    who = _stranger(s.tx, email, asked, s.now)
    asked = _with_code(s.tx, who, opened, asked, s.now)
    if not asked.commands and (said := _declined(s, who, opened)):
        if said.asked:
            questions.pass_on_question(s, said.asked)
        if said.text:
            _reply(s, received, email, who, said)
        return "accepted", "declines an invitation"
    if asked.own and not asked.commands and not _is_astray(s.tx, who, asked):
        told = _to_own_address(s, who)
        if told is None:
            return "refused", "not answered"
        _reply(s, received, email, who, told)
        return "refused", "is for a personal address"
    if not asked.commands and not _is_astray(s.tx, who, asked):
        said = _sent_back(s, who, opened)
        said = said or _welcome(s, who, opened)
        if said is None:
            return "junk", "asks nothing of the public address"
        if said.asked:
            questions.pass_on_question(s, said.asked)
        if not said.text:
            return "refused", "not answered"
        _reply(s, received, email, who, said)
        return "refused", "holds nothing but words"
    said = _answer(s, who, asked)
    status = "refused" if _is_astray(s.tx, who, asked) else "accepted"
    if said is None:
        return status, "not answered"
    status = "refused" if said.kind == "refusal" else status
    _reply(s, received, email, who, said)
    return status, "answered"


def _to_own_address(s: Session, who: Stranger) -> PublicReply | None:
    """Return the answer, once a day, to a player who writes what his personal address takes; none
    to anybody else (club, 2)."""
    told = _own_address_told(s.tx, who, s.context)
    if told is None or not _may_answer(s.tx, who.address, s.now, _OWN, 1):
        return None
    return PublicReply(paragraphs([told]), "refusal", _OWN, subjects.nothing_done())


def _own_address_told(tx: Tx, who: Stranger, context: Context) -> str | None:
    """Tell a player that nothing was done of what belongs to his personal address."""
    player = players.at(tx, who.address)
    if player is None or player.confirmed_at is None or context.post is None:
        return None
    told = say(
        "Emails about several matches, and commands about offers, tournaments and ladders, go to "
        "your address for all your matches, {address}. Nothing was done about them here.",
        address=own_address(context.post, player),
    )
    return who.words(told)


def tell_astray(s: Session, received: IncomingEmail, opened: ParsedEmail) -> None:
    """Tell a player that what he wrote for a seat came to an address that is no seat's.

    A stranger is told nothing.
    """
    email, asked = opened.email, _request_in(opened)
    if email.sender is None:
        return
    who = _stranger(s.tx, email, asked, s.now)
    if _is_astray(s.tx, who, asked) and (said := _answer_unread(s, who, asked)):
        _reply(s, received, email, who, said)


def _with_code(
    tx: Tx, who: Stranger, opened: ParsedEmail, asked: PublicRequest, now: datetime
) -> PublicRequest:
    """Add what is meant without its word: the code of somebody who was sent one, alone or quoted
    below a clear yes; or JOIN, of which nothing comes but a code."""
    codes_alone = opened.content.codes_alone
    if asked.commands or not (codes_alone or asked.prose):
        return asked
    waiting = invited.waiting_codes(tx, who.address, now)
    lengths = {*map(len, waiting)}
    told = next((one for one in codes_alone if len(one.argument) in lengths), None)
    told = told or (invited.agreed(opened, waiting, "CONFIRM") if asked.prose else None)
    told = told or joining_by_words.wanted(tx, opened.content)
    return structs.replace(asked, commands=[told]) if told else asked


def _declined(s: Session, who: Stranger, opened: ParsedEmail) -> PublicReply | None:
    """Return the answer to DECLINE with the code of an invitation, which its button sends: the same
    as to a clear no in words. None if nobody was invited at this address with such a code."""
    said = invited.declined(s.tx, who.address, opened, who.words, context=s.context)
    if said is None:
        return None
    told, asked = said
    may_answer = _may_answer(s.tx, who.address, s.now, _SENT_BACK, 1)
    text = paragraphs([*map(who.words, told)]) if may_answer else ""
    return PublicReply(text, count=_SENT_BACK, subject=subjects.offer_declined(), asked=asked)


def _sent_back(s: Session, who: Stranger, opened: ParsedEmail) -> PublicReply | None:
    """Return the answer to somebody who was sent a code and writes without it, or sends it back
    only in our own words; None if there is no code of his, or he was told so today.

    A program may have sent it, so the answer is seldom, and holds no code.
    """
    waiting = invited.waiting_codes(s.tx, who.address, s.now)
    if not waiting:
        return None
    codes = invited.quoted_codes(opened, waiting)
    if not codes and not opened.content.prose:
        return None
    may_answer = _may_answer(s.tx, who.address, s.now, _SENT_BACK, 1)
    if said := invited.told(s.tx, who.address, opened, context=s.context):
        text = paragraphs([*map(who.words, said[0])]) if may_answer else ""
        return PublicReply(text, count=_SENT_BACK, subject=subjects.public_words(), asked=said[1])
    if not may_answer:
        return None
    told = (
        say(
            "Nothing is confirmed yet: the code is only in the quoted part of your email. To "
            "confirm, reply with the line CONFIRM and your code above the quoted text."
        )
        if codes
        else say(
            "Nothing is confirmed yet, because there is no code in your email. To confirm, reply "
            "with the line CONFIRM and the code that was sent to you."
        )
    )
    return PublicReply(
        paragraphs([who.words(told)]), count=_SENT_BACK, subject=subjects.nothing_confirmed()
    )


def _welcome(s: Session, who: Stranger, opened: ParsedEmail) -> PublicReply | None:
    """Return the answer to a person's words, once a day: to a stranger who would like to play how
    that is done, to a player where his questions go; None to anybody else."""
    if any(map(code_of, opened.content.prose[:MOST_LINES])):
        return None  # our own words, sent back
    known = players.at(s.tx, who.address)
    is_player = known is not None and known.confirmed_at is not None
    if not (opened.content.prose if is_player else would_play(opened.content)):
        return None
    if not _may_answer(s.tx, who.address, s.now, _WELCOME, 1):
        return None
    club = (
        say("Hello! This is the email address of {club}, a club that plays by email.",
            club=s.context.club)
        if s.context.club
        else say("Hello! This is the email address of a club that plays by email.")
    )  # fmt: skip
    parts = [who.words(club), *_where_to_play(s, who, known if is_player else None)]
    if reach := reach_game_master(s.context):
        parts.append(who.words(reach))
    return PublicReply(paragraphs(parts), count=_WELCOME, subject=subjects.public_words())


def _where_to_play(s: Session, who: Stranger, player: Player | None) -> Iterator[str]:
    """Tell a player where his questions go, and anybody who plays in no match how to play."""
    if player and matches.seats_of_player(s.tx, player.id):
        yield who.words(
            say(
                "You are already a player here. Orders and questions go to the address that your "
                "reports come with: reply to a report."
            )
        )
        return
    if player:
        assert s.context.post is not None
        yield who.words(
            say(
                "You play in no match here now. Your address for all your matches is {address}.",
                address=own_address(s.context.post, player),
            )
        )
    yield games_to_join(s.tx, who.language, s.now)
    yield who.words(
        say(
            "To play, reply with a line that begins with JOIN and names an open seat, as the list "
            "shows it. You are then sent a code, and with that code you take the seat."
        )
    )


def _is_again(tx: Tx, received: IncomingEmail, opened: ParsedEmail) -> bool:
    earlier = inbox.to_nobody(tx, opened.email.message_id or "")
    return any(one.id != received.id and body_of(one.raw) == opened.body for one in earlier)


def _request_in(opened: ParsedEmail) -> PublicRequest:
    """Return each thing that is asked once, and some tables; JOIN and CONFIRM stand alone."""
    commands = opened.commands
    settings = {one.word: one.argument for one in commands if one.word in _SETTINGS}
    found = {one.word: one for one in commands if one.word in _ASKED and one.word != "TABLE"}
    tables = {one.argument.lower(): one for one in commands if one.word == "TABLE"}
    alone = [found[word] for word in ("CONFIRM", "JOIN") if word in found][:1]
    # Beside one of these the settings are those of a player to be.
    words = {one.word for one in commands}
    others = words - {*_ASKED, *OWN, *(_SETTINGS if alone else ())}
    beside = opened.content.presses or opened.content.jottings
    of_seat = opened.holds_orders or bool(others) or bool(beside)
    asked = alone or [*found.values(), *islice(tables.values(), _TABLES)]
    own = bool((words & {*OWN, "MATCH"}) - _ASKED)
    return PublicRequest(asked, settings, of_seat, own, opened.content.prose)


def _is_astray(tx: Tx, who: Stranger, asked: PublicRequest) -> bool:
    """Return whether a player wrote what only a seat's address takes."""
    return asked.of_seat and players.at(tx, who.address) is not None


def _stranger(tx: Tx, email: Email, asked: PublicRequest, now: datetime) -> Stranger:
    assert email.sender is not None
    known = players.at(tx, email.sender)
    address = known.address if known else email.sender
    language = _language(tx, address, known, asked, now)
    return Stranger(address, email.name, words(language, ""), language)


def _language(
    tx: Tx, address: str, known: Player | None, asked: PublicRequest, now: datetime
) -> str:
    """Return the language that the email wishes for; else the player's, that of his earlier
    request, or that of the words that he uses."""
    with suppress(Refusal):
        return people.language_of(asked.settings.get("LANGUAGE", ""))
    earlier = known or confirmations.seat_asked_for(tx, address, now)
    if earlier:
        return earlier.language
    lines = [*(command.line for command in asked.commands), *asked.prose[:MOST_LINES]]
    said = {word.strip(SIGNS) for line in lines for word in folded(line.text[:200]).split()}
    if {"bli", "hjelp", "spill", "bekreft", "jeg", "hei", "spille"} & said:
        return "nb"
    return "sv" if {"ga", "hjalp", "spel", "bekrafta", "jag", "hej", "spela"} & said else "en"


def _answer(s: Session, who: Stranger, asked: PublicRequest) -> PublicReply | None:
    """Return the answer, None if there is to be none.

    It tells a player what of his email was not read, also one who has just become a player.
    """
    said = _answer_request(s, who, asked)
    if not _is_astray(s.tx, who, asked) or (said and said.kind == "refusal"):
        return said
    if said is None:
        return _answer_unread(s, who, asked)
    kind = "refusal" if said.kind == "receipt" else said.kind
    return structs.replace(said, text=paragraphs([said.text, _astray(who)]), kind=kind)


def _answer_request(s: Session, who: Stranger, asked: PublicRequest) -> PublicReply | None:
    """Return the answer to what may be asked here."""
    first = next(iter(asked.commands), None)
    if first and first.word == "CONFIRM":
        return _confirm(s, who, first.argument, asked.settings)
    if first and first.word == "JOIN":
        return _join(s, who, first.argument)
    if first is None or not _may_answer(s.tx, who.address, s.now):
        return None
    told = fitted([HANDLERS[one.word](s.tx, who, one, s.now) for one in asked.commands], who.words)
    subject = subjects.of_shown(first.word)
    if asked.own and (elsewhere := _own_address_told(s.tx, who, s.context)):
        told.append(elsewhere)
    return PublicReply(paragraphs(told), subject=subject)


def _answer_unread(s: Session, who: Stranger, asked: PublicRequest | None) -> PublicReply | None:
    """Return the answer to a player of whose email nothing was read."""
    if not _may_answer(s.tx, who.address, s.now):
        return None
    elsewhere = _own_address_told(s.tx, who, s.context) if asked and asked.own else None
    return PublicReply(paragraphs([_astray(who), elsewhere or ""]), "refusal")


def _may_answer(tx: Tx, address: str, now: datetime, count: str = "", most: int = A_DAY) -> bool:
    given = outbox.since(tx, _prefix(address, count), now - timedelta(days=1))
    return given < most and not has_answered_enough(tx, now)


def has_answered_enough(tx: Tx, now: datetime) -> bool:
    """Return whether nobody is answered any more who asks for something, for a day is not over."""
    day = now - timedelta(days=1)
    confirmed = outbox.since(tx, f"public/{_CONFIRMED}", day)
    return outbox.since(tx, "public/", day) - confirmed >= A_DAY_IN_ALL


def key_of_answer(tx: Tx, address: str, letter_id: int, now: datetime) -> str | None:
    """Return the key of an answer to words, of which each address gets one a day; None if it is to
    get none."""
    if not _may_answer(tx, address, now, _WELCOME, 1):
        return None
    return f"{_prefix(address, _WELCOME)}{letter_id}"


def _prefix(address: str, count: str = "") -> str:
    return f"public/{count}{sha256(folded_address(address).encode()).hexdigest()[:16]}/"


def _join(s: Session, who: Stranger, argument: str) -> PublicReply | None:
    if not _may_answer(s.tx, who.address, s.now, _CODE, CODES_A_DAY):
        return None
    newcomer = confirmations.newcomer(who.address, who.name, who.language)
    try:
        joining = confirmations.ask_for_seat(s, newcomer, argument)
    except Refusal:
        if not _may_answer(s.tx, who.address, s.now):
            return None
        # The reason is left out: it would repeat words of an email that anybody may have written.
        nothing = who.words(say("There is no such open seat."))
        text = paragraphs([nothing, open_seats(s.tx, who.language, s.now)])
        return PublicReply(text, subject=subjects.no_open_seat())
    told = confirmations.code_to_join(joining)
    settings = say(
        "Below that line you can add your language and time zone, such as LANGUAGE nb and ZONE "
        "Europe/Oslo, each on its own line."
    )
    known = players.at(s.tx, who.address)
    parts = [who.words(told)] if known else [who.words(told), who.words(settings)]
    return PublicReply(paragraphs(parts), "confirm", _CODE)


def _confirm(
    s: Session, who: Stranger, code: str, settings: Mapping[str, str]
) -> PublicReply | None:
    """Try a code. If it is right, the answer is his first emails as a player.

    Somebody who was never asked for a code gets no answer, unless it is one of his seat's.
    """
    if player := people.confirm(s.tx, who.address, code, now=s.now):
        told = [
            who.words(say("Your address is confirmed.")),
            *_set_preferences(s.tx, who, player, settings),
        ]
        return PublicReply(paragraphs(told), count=_CONFIRMED, subject=subjects.address_confirmed())
    if not confirmations.seat_asked_for(s.tx, who.address, s.now):
        known = players.at(s.tx, who.address)
        waits = known is not None and code.upper() in pending.codes_of_player(s.tx, known.id)
        return _answer_unread(s, who, None) if waits else None
    try:
        seated = confirmations.confirm_seat(s, who.address, code)
    except Refusal as refusal:
        taken = [*map(who.words, refusal.messages), open_seats(s.tx, who.language, s.now)]
        told = [*taken, *_set_preferences(s.tx, who, players.at(s.tx, who.address), settings)]
        return PublicReply(paragraphs(told), count=_CONFIRMED, subject=subjects.not_joined())
    if seated is not None:
        told = list(_set_preferences(s.tx, who, players.at(s.tx, who.address), settings))
        if not told:
            return None
        return PublicReply(paragraphs(told), count=_CONFIRMED, subject=subjects.address_confirmed())
    if not _may_answer(s.tx, who.address, s.now):
        return None
    wrong = who.words(say("That is not the code that was sent to you."))
    return PublicReply(paragraphs([wrong]), subject=subjects.nothing_confirmed())


def _set_preferences(
    tx: Tx, who: Stranger, player: Player | None, settings: Mapping[str, str]
) -> Iterator[str]:
    """Set language and zone of a player whose address has just been confirmed.

    Tell what cannot be set, without an echo.
    """
    assert player is not None
    if "LANGUAGE" in settings:
        try:
            players.update(tx, player.id, language=people.language_of(settings["LANGUAGE"]))
        except Refusal as refusal:
            yield from map(who.words, refusal.messages)
    if "ZONE" in settings:
        try:
            players.update(tx, player.id, zone=parse_zone(settings["ZONE"]).key)
        except Refusal:
            told = say(
                "There is no such time zone, so times are shown in {zone}. To change that, reply "
                "to a report with a line such as ZONE Europe/Oslo.",
                zone=player.zone,
            )
            yield who.words(told)


def _help(tx: Tx, who: Stranger, command: Command, now: datetime) -> str:
    told = say("This address belongs to a club that plays by email. It understands these lines:")
    lines = help_lines((row for row in TABLE.values() if row.public == "answered"), who.words)
    orders = say("Send orders to the address that your reports come with: reply to a report.")
    return paragraphs([who.words(told), "\n".join(lines), who.words(orders)])


def _ping(tx: Tx, who: Stranger, command: Command, now: datetime) -> str:
    return who.words(say("Your email has arrived."))


def _games(tx: Tx, who: Stranger, command: Command, now: datetime) -> str:
    return games_to_join(tx, who.language, now)


def _table(tx: Tx, who: Stranger, command: Command, now: datetime) -> str:
    """Show a table that the site shows, too (club, 7.7 and 8.1)."""
    known = by_email.names_of_tables(tx)
    if command.argument.lower() in known:
        return by_email.table(tx, command.argument, who.words)
    # What was asked for is not repeated: anybody may have written it.
    nothing = who.words(say("There is no such tournament or ladder."))
    if not known:
        return nothing
    names = ", ".join([*known[:_MOST_NAMES], *(["..."] if known[_MOST_NAMES:] else [])])
    listed = who.words(say("There are: {names}", names=names))
    return f"{nothing} {listed}"


def _astray(who: Stranger) -> str:
    return who.words(
        say(
            "Your email contains orders or commands for a seat, and they were NOT read. Reply to "
            "a report instead: your mail program then uses the right address. If a mail server "
            "drops that address, add its last part (the 16 letters and digits before the @) to "
            "the first line of your orders:\n\nORDERS match seat key LETTERS"
        )
    )


# What answers each command here, but JOIN and CONFIRM, of which one is answered by itself.
HANDLERS = {"HELP": _help, "PING": _ping, "GAMES": _games, "TABLE": _table}
_SUBJECTS = {
    "confirm": subjects.confirm(),
    "receipt": subjects.public_words(),
    "refusal": subjects.misdirected(),
}


def _reply(
    s: Session, received: IncomingEmail, email: Email, who: Stranger, said: PublicReply
) -> None:
    key = f"{_prefix(who.address, said.count)}{received.id}"
    subject = said.subject or _SUBJECTS[said.kind]
    answers = email.message_id
    post_to_address(
        s, key, said.kind, who.address, who.language, subject, said.text, answers=answers
    )
