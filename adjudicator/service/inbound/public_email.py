"""The public address: what anybody may ask is answered shortly, seldom and without an echo."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice, pairwise

from msgspec import Struct, structs

from adjudicator.core.command_table import OWN, TABLE
from adjudicator.core.commands import Command, code_of
from adjudicator.core.consent import consent
from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, folded
from adjudicator.core.text import folded_address
from adjudicator.mail.address import is_mailbox
from adjudicator.mail.read.email import Email
from adjudicator.mail.write import subjects
from adjudicator.service.base.calendar import parse_zone
from adjudicator.service.base.context import Refusal, Session, reach_game_master
from adjudicator.service.club import people
from adjudicator.service.emails.paragraphs import Paragraphs, each, paragraph
from adjudicator.service.inbound import codes, commands, questions
from adjudicator.service.inbound.conversation import Question, Stranger
from adjudicator.service.inbound.parsed_email import EmailContent, ParsedEmail
from adjudicator.service.inbound.replies import Done, notes, of_no_match, paragraphs_of, with_words
from adjudicator.service.outbox.queue import own_address, post_to_address
from adjudicator.store import inbox, matches, outbox, pending, players
from adjudicator.store.database import Tx
from adjudicator.store.players import Player

A_DAY = 3  # answers to one address, beside codes and what is told to who has confirmed one
CODES_A_DAY = 10  # to one address
A_DAY_IN_ALL = 100  # answers and codes
_TABLES = 3  # in one email
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


class PublicAnswer(Struct, frozen=True):
    """What was done, and as what the answer is counted: as a plain answer, as a code, or as an
    answer to somebody who confirmed one. No text goes out if only a question goes on."""

    done: Sequence[Done]
    count: str = ""


def answer(s: Session, opened: ParsedEmail) -> tuple[str, str]:
    """Answer an email; return its status and why, in the operator's words."""
    email = opened.email
    inbox.update(s.tx, opened.id, message_id=email.message_id or None, dated_at=email.date)
    if email.sender is None or not is_mailbox(email.sender):
        return "junk", email.sender_defect or "from no mailbox that we could write to"
    if not opened.received.sender and opened.received.channel in ("lmtp", "pipe"):
        return "junk", "no envelope sender"
    if _is_again(s.tx, opened):
        return "duplicate", "came before"
    asked = _request_in(opened)
    who = _stranger(s, email, asked)
    asked = _with_code(who, opened, asked)
    is_astray = _is_astray(who, asked)
    if not asked.commands and (said := _declined(who, opened)):
        _pass_on_and_reply(who, opened, said)
        return "accepted", "declines an invitation"
    if asked.own and not asked.commands and not is_astray:
        told = _to_own_address(who)
        _reply(who, opened, told)
        return "refused", "is for a personal address" if told else "not answered"
    if not asked.commands and not is_astray:
        said = _sent_back(who, opened) or _welcome(who, opened)
        if said is None:
            return "junk", "asks nothing of the public address"
        if not _pass_on_and_reply(who, opened, said):
            return "refused", "not answered"
        return "refused", "holds nothing but words"
    said = _answer(who, asked)
    _reply(who, opened, said)
    is_refused = said is not None and of_no_match(said.done)[0] == "refusal"
    status = "refused" if is_astray or is_refused else "accepted"
    return status, "answered" if said else "not answered"


def _pass_on_and_reply(who: Stranger, opened: ParsedEmail, said: PublicAnswer) -> bool:
    """Pass on what is asked of the game master, and answer if there is anything to be told; return
    whether there was."""
    for question in filter(None, (one.question for one in said.done)):
        questions.pass_on_question(who, question)
    if not with_words(said.done):
        return False
    _reply(who, opened, said)
    return True


def _to_own_address(who: Stranger) -> PublicAnswer | None:
    """Return the answer, once a day, to a player who writes what his personal address takes; none
    to anybody else (club, 2)."""
    told = _tell_own_address(who)
    return PublicAnswer(told, _OWN) if told and _may_answer(who, who.address, _OWN, 1) else None


def _tell_own_address(who: Stranger) -> list[Done]:
    """Tell a player that nothing was done of what belongs to his personal address."""
    player, post = players.at(who.tx, who.address), who.context.post
    if player is None or player.confirmed_at is None or post is None:
        return []
    told = say(
        "Emails about several matches, and commands about offers, tournaments and ladders, go to "
        "your address for all your matches, {address}. Nothing was done about them here.",
        address=own_address(post, player),
    )
    return notes([told])


def tell_astray(s: Session, opened: ParsedEmail) -> None:
    """Tell a player that what he wrote for a seat came to an address that is no seat's.

    A stranger is told nothing.
    """
    email, asked = opened.email, _request_in(opened)
    if email.sender is None:
        return
    who = _stranger(s, email, asked)
    if _is_astray(who, asked):
        _reply(who, opened, _answer_unread(who, asked))


def _with_code(who: Stranger, opened: ParsedEmail, asked: PublicRequest) -> PublicRequest:
    """Add what is meant without its word: the code of somebody who was sent one, alone or quoted
    below a clear yes; or JOIN, of which nothing comes but a code."""
    codes_alone = opened.content.codes_alone
    if asked.commands or not (codes_alone or asked.prose):
        return asked
    waiting = codes.waiting_codes(who.tx, who.address, who.now)
    lengths = {*map(len, waiting)}
    told = next((one for one in codes_alone if len(one.argument) in lengths), None)
    told = told or (codes.accept_command(opened, waiting, "CONFIRM") if asked.prose else None)
    told = told or _join_in_words(who.tx, opened.content)
    return structs.replace(asked, commands=[told]) if told else asked


def _sent_back(who: Stranger, opened: ParsedEmail) -> PublicAnswer | None:
    """Return the answer to somebody who was sent a code and writes without it, or sends it back
    only in our own words; None if there is no code of his, or he was told so today.

    A program may have sent it, so the answer is seldom, and holds no code.
    """
    waiting = codes.waiting_codes(who.tx, who.address, who.now)
    if not waiting:
        return None
    quoted = codes.quoted_codes(opened, waiting)
    if not quoted and not opened.content.prose:
        return None
    may_answer = _may_answer(who, who.address, _SENT_BACK, 1)
    if said := _answer_invited(who, opened):
        told, asked = said
        shown = [Done(paragraph(one), "shown") for one in told] if may_answer else []
        return PublicAnswer([*shown, Done((), question=asked)], _SENT_BACK)
    if not may_answer:
        return None
    why = (
        say(
            "Nothing is confirmed yet: the code is only in the quoted part of your email. To "
            "confirm, reply with the line CONFIRM and your code above the quoted text."
        )
        if quoted
        else say(
            "Nothing is confirmed yet, because there is no code in your email. To confirm, reply "
            "with the line CONFIRM and the code that was sent to you."
        )
    )
    nothing = Done(paragraph(why), "refused", subject=subjects.nothing_confirmed())
    return PublicAnswer([nothing], _SENT_BACK)


def _answer_invited(
    who: Stranger, opened: ParsedEmail
) -> tuple[list[Message], Question | None] | None:
    """Return what somebody is told who was asked to confirm an address and writes neither its code
    nor a clear yes, and which words of his go to the game master; None if he was not asked.

    His words go on if the code is quoted below them: others could write in his name.
    """
    player, code = people.asked_to_confirm(who.tx, who.address)
    own = opened.content.prose
    if player is None or not code or not own or any(code_of(line) == code for line in own):
        return None  # where nothing marks our own words they must not go on as his
    passed, asked = None, None
    if codes.quoted_codes(opened, {code}):
        passed, asked = questions.question_of_person(who, player, own, ())
    how = (
        _THANKS
        if consent(own) == "no"
        else say(
            "Your address is not confirmed yet. To confirm it, write YES above the quoted email "
            "that asked you to, or send the line CONFIRM with its code."
        )
    )
    return [one for one in (how, passed, reach_game_master(who.context)) if one], asked


_THANKS = say("Thank you for your answer. Nothing else is sent to this address.")


def _declined(who: Stranger, opened: ParsedEmail) -> PublicAnswer | None:
    """Return the answer to DECLINE with the code of an invitation, which its button sends: the same
    as to a clear no in words. The game master reads the words of the button, and never the code.
    None if nobody was invited at this address with such a code."""
    player, code = people.asked_to_confirm(who.tx, who.address)
    no = next((one for one in opened.commands if one.word == "DECLINE"), None)
    if player is None or no is None or no.argument.upper() != code:
        return None
    said = [Line(no.line.number, who.words(codes.NO)), *opened.content.prose]
    passed, asked = questions.question_of_person(who, player, said, ())
    told = [one for one in (_THANKS, passed, reach_game_master(who.context)) if one]
    done = [Done((), question=asked)]
    if _may_answer(who, who.address, _SENT_BACK, 1):
        first, *others = told
        done += [Done(paragraph(first), "done", subject=subjects.offer_declined()), *notes(others)]
    return PublicAnswer(done, _SENT_BACK)


def _welcome(who: Stranger, opened: ParsedEmail) -> PublicAnswer | None:
    """Return the answer to a person's words, once a day: to a stranger who would like to play how
    that is done, to a player where his questions go; None to anybody else."""
    if any(map(code_of, opened.content.prose[:MOST_LINES])):
        return None  # our own words, sent back
    known = players.at(who.tx, who.address)
    is_player = known is not None and known.confirmed_at is not None
    if not (opened.content.prose if is_player else would_play(opened.content)):
        return None
    if not _may_answer(who, who.address, _WELCOME, 1):
        return None
    club = (
        say("Hello! This is the email address of {club}, a club that plays by email.",
            club=who.context.club)
        if who.context.club
        else say("Hello! This is the email address of a club that plays by email.")
    )  # fmt: skip
    told = (
        *paragraph(club),
        *_where_to_play(who, known if is_player else None),
        *paragraph(reach_game_master(who.context)),
    )
    return PublicAnswer([Done(told, "shown")], _WELCOME)


def _where_to_play(who: Stranger, player: Player | None) -> Paragraphs:
    """Tell a player where his questions go, and anybody who plays in no match how to play."""
    if player and matches.seats_of_player(who.tx, player.id):
        return paragraph(
            say(
                "You are already a player here. Orders and questions go to the address that your "
                "reports come with: reply to a report."
            )
        )
    plays_nowhere = None
    if player:
        assert who.context.post is not None
        plays_nowhere = say(
            "You play in no match here now. Your address for all your matches is {address}.",
            address=own_address(who.context.post, player),
        )
    how = say(
        "To play, reply with a line that begins with JOIN and names an open seat, as the list "
        "shows it. You are then sent a code, and with that code you take the seat."
    )
    return (
        *paragraph(plays_nowhere),
        *commands.games_to_join(who),
        *paragraph(how),
    )


def _is_again(tx: Tx, opened: ParsedEmail) -> bool:
    earlier = inbox.to_nobody(tx, opened.email.message_id or "")
    return any(opened.twins(one for one in earlier if one.id != opened.id))


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


def _is_astray(who: Stranger, asked: PublicRequest) -> bool:
    """Return whether a player wrote what only a seat's address takes."""
    return asked.of_seat and players.at(who.tx, who.address) is not None


def _stranger(s: Session, email: Email, asked: PublicRequest) -> Stranger:
    assert email.sender is not None
    known = players.at(s.tx, email.sender)
    address = known.address if known else email.sender
    language = _language(s, address, known, asked)
    return Stranger(s.tx, s.now, s.context, address=address, name=email.name, language=language)


def _language(s: Session, address: str, known: Player | None, asked: PublicRequest) -> str:
    """Return the language that the email wishes for; else the player's, that of his earlier
    request, or that of the words that he uses."""
    with suppress(Refusal):
        return people.language_of(asked.settings.get("LANGUAGE", ""))
    earlier = known or codes.seat_asked_for(s.tx, address, s.now)
    if earlier:
        return earlier.language
    lines = [*(command.line for command in asked.commands), *asked.prose[:MOST_LINES]]
    said = {word.strip(SIGNS) for line in lines for word in folded(line.text[:200]).split()}
    if {"bli", "hjelp", "spill", "bekreft", "jeg", "hei", "spille"} & said:
        return "nb"
    return "sv" if {"ga", "hjalp", "spel", "bekrafta", "jag", "hej", "spela"} & said else "en"


def _answer(who: Stranger, asked: PublicRequest) -> PublicAnswer | None:
    """Return the answer, None if there is to be none.

    It tells a player what of his email was not read, also one who has just become a player.
    """
    said = _answer_request(who, asked)
    if not _is_astray(who, asked) or (said and _has_unread(said)):
        return said
    if said is None:
        return _answer_unread(who, asked)
    return structs.replace(said, done=[*said.done, _unread(who)])


def _has_unread(said: PublicAnswer) -> bool:
    return any(one.status == "unread" for one in said.done)


def _answer_request(who: Stranger, asked: PublicRequest) -> PublicAnswer | None:
    """Return the answer to what may be asked here."""
    first = next(iter(asked.commands), None)
    if first and first.word == "CONFIRM":
        return _confirm(who, first.argument, asked.settings)
    if first and first.word == "JOIN":
        return _join(who, first)
    if first is None or not _may_answer(who, who.address):
        return None
    done = [commands.answer_anyone(who, one) for one in asked.commands]
    return PublicAnswer([*done, *(_tell_own_address(who) if asked.own else [])])


def _answer_unread(who: Stranger, asked: PublicRequest | None) -> PublicAnswer | None:
    """Return the answer to a player of whose email nothing was read."""
    if not _may_answer(who, who.address):
        return None
    elsewhere = _tell_own_address(who) if asked and asked.own else []
    return PublicAnswer([_unread(who), *elsewhere])


def _may_answer(s: Session, address: str, count: str = "", most: int = A_DAY) -> bool:
    given = outbox.since(s.tx, _prefix(address, count), s.now - timedelta(days=1))
    return given < most and not has_answered_enough(s.tx, s.now)


def has_answered_enough(tx: Tx, now: datetime) -> bool:
    """Return whether nobody is answered any more who asks for something, for a day is not over."""
    day = now - timedelta(days=1)
    confirmed = outbox.since(tx, f"public/{_CONFIRMED}", day)
    return outbox.since(tx, "public/", day) - confirmed >= A_DAY_IN_ALL


def key_of_answer(s: Session, address: str, letter_id: int) -> str | None:
    """Return the key of an answer to words, of which each address gets one a day; None if it is to
    get none."""
    if not _may_answer(s, address, _WELCOME, 1):
        return None
    return f"{_prefix(address, _WELCOME)}{letter_id}"


def _prefix(address: str, count: str = "") -> str:
    return f"public/{count}{sha256(folded_address(address).encode()).hexdigest()[:16]}/"


def _join(who: Stranger, command: Command) -> PublicAnswer | None:
    if not _may_answer(who, who.address, _CODE, CODES_A_DAY):
        return None
    try:
        joined = commands.answer_anyone(who, command)
    except Refusal:
        if not _may_answer(who, who.address):
            return None
        told = paragraph(say("There is no such open seat."))
        nothing = Done(told, "refused", subject=subjects.no_open_seat())
        return PublicAnswer([nothing, _open_seats(who)])
    settings = say(
        "Below that line you can add your language and time zone, such as LANGUAGE nb and ZONE "
        "Europe/Oslo, each on its own line."
    )
    beside = [] if players.at(who.tx, who.address) else notes([settings])
    return PublicAnswer([joined, *beside], _CODE)


def _open_seats(who: Stranger) -> Done:
    return Done(commands.open_seats(who))


def _confirm(who: Stranger, code: str, settings: Mapping[str, str]) -> PublicAnswer | None:
    """Try a code. If it is right, the answer is his first emails as a player.

    Somebody who was never asked for a code gets no answer, unless it is one of his seat's.
    """
    confirmed = subjects.address_confirmed()
    if player := people.confirm(who.tx, who.address, code, now=who.now):
        told = paragraph(say("Your address is confirmed."))
        unset = notes(_set_preferences(who, player, settings))
        return PublicAnswer([Done(told, "done", subject=confirmed), *unset], _CONFIRMED)
    if not codes.seat_asked_for(who.tx, who.address, who.now):
        known = players.at(who.tx, who.address)
        waits = known is not None and code.upper() in pending.codes_of_player(who.tx, known.id)
        return _answer_unread(who, None) if waits else None
    try:
        seated = codes.confirm_seat(who, who.address, code)
    except Refusal as refusal:
        why = each(refusal.messages)
        unset = notes(_set_preferences(who, players.at(who.tx, who.address), settings))
        taken = Done(why, "refused", subject=subjects.join_failure())
        return PublicAnswer([taken, _open_seats(who), *unset], _CONFIRMED)
    if seated is not None:
        unset = notes(_set_preferences(who, players.at(who.tx, who.address), settings))
        done = [Done((), "done", subject=confirmed), *unset]
        return PublicAnswer(done, _CONFIRMED) if unset else None
    if not _may_answer(who, who.address):
        return None
    wrong = paragraph(say("That is not the code that was sent to you."))
    return PublicAnswer([Done(wrong, "refused", subject=subjects.nothing_confirmed())])


def _set_preferences(
    who: Stranger, player: Player | None, settings: Mapping[str, str]
) -> Iterator[Message]:
    """Set language and zone of a player whose address has just been confirmed.

    Tell what cannot be set, without an echo.
    """
    assert player is not None
    if "LANGUAGE" in settings:
        try:
            players.update(who.tx, player.id, language=people.language_of(settings["LANGUAGE"]))
        except Refusal as refusal:
            yield from refusal.messages
    if "ZONE" in settings:
        try:
            players.update(who.tx, player.id, zone=parse_zone(settings["ZONE"]).key)
        except Refusal:
            told = say(
                "There is no such time zone, so times are shown in {zone}. To change that, reply "
                "to a report with a line such as ZONE Europe/Oslo.",
                zone=player.zone,
            )
            yield told


def _unread(who: Stranger) -> Done:
    told = say(
        "Your email contains orders or commands for a seat, and they were NOT read. Reply to "
        "a report instead: your mail program then uses the right address. If a mail server "
        "drops that address, add its last part (the 16 letters and digits before the @) to "
        "the first line of your orders:\n\nORDERS match seat key LETTERS"
    )
    return Done(paragraph(told), "unread", subject=subjects.wrong_recipient())


def _reply(who: Stranger, opened: ParsedEmail, said: PublicAnswer | None) -> None:
    """Queue the answer, if there is to be one."""
    if said is None:
        return
    kind, subject = of_no_match(said.done)
    post_to_address(
        who,
        f"{_prefix(who.address, said.count)}{opened.id}",
        kind,
        who.address,
        who.language,
        subject,
        paragraphs_of(said.done),
        answers=opened.email.message_id,
    )


# People who ask in their own words to play: they are answered with how that is done, and with a
# code if they name what is open.


# With which words somebody asks to play, folded.
_OF_PLAYING = (
    *("play", "join", "game", "match", "seat", "sign", "register", "participat", "interes"),
    *("spill", "spel", "delta", "parti", "plass", "plats", "regist", "anmal", "pamel", "intres"),
    *("espionage", "spionas", "spion", "spies", "rules", "regl", "how", "hvordan", "hur"),
)
_TO_TAKE_PART = ("take part", "bli med", "vaere med", "vara med", "ga med", "fa med")
# With which he asks for what he names.
_TO_JOIN = re.compile(
    r"\b(?:join|play|take part|sign (?:me )?up|register|enter|seat|bli med|vaere med"
    r"|vara med|ga med|delta|spille|spela|plass|plats|anmal|pamel)"
)
_FEW = 12  # words that are looked up
_MAY_I = re.compile(r"\b(?:can|could|may|kan|far|kunne|skulle) (?:i|we|jeg|vi|jag)\b")
_REFUSING = frozenset(
    ("not", "no", "never", "don't", "dont", "can't", "leave", "left", "ikke", "inte", "nei", "nej")
)
_LINKS = ("http:", "https:", "www.", "href")
MOST_LINES, _MOST_WORDS = 40, 120  # of a person who would like to play
SIGNS = ".,;:!?\"'()*_"


def would_play(content: EmailContent) -> bool:
    """Return whether an email is a person's short words about playing; advertisements have links
    and say much."""
    if len(content.prose) > MOST_LINES:
        return False
    said = [folded(line.text) for line in content.prose]
    words = [word.strip(SIGNS) for line in said for word in line.split()]
    if len(words) > _MOST_WORDS or any(link in line for line in said for link in _LINKS):
        return False
    return (
        bool(content.misspelt)
        or any(word.startswith(_OF_PLAYING) for word in words)
        or any(phrase in line for line in said for phrase in _TO_TAKE_PART)
    )


def _join_in_words(tx: Tx, content: EmailContent) -> Command | None:
    """Return the JOIN that somebody means who names in a sentence what is open."""
    if content.commands or not would_play(content):
        return None
    text = " ".join(folded(line.text) for line in content.prose)
    if not _TO_JOIN.search(text) or ("?" in text and not _MAY_I.search(text)):
        return None
    words = [word.strip(SIGNS) for word in text.split()]
    if _REFUSING & {*words}:
        return None
    if len(words) > _FEW:  # what is named stands near the word that asks
        near = [text[found.end() :].split()[:_FEW] for found in _TO_JOIN.finditer(text)]
        words = [word.strip(SIGNS) for some in near[:_FEW] for word in some[: _FEW // 2]]
    named = dict.fromkeys(
        word
        for before, word in pairwise(["", *words])
        if (len(word) > 1 or before.startswith("join")) and codes.is_open(tx, word)
    )
    return Command("JOIN", named.popitem()[0], content.prose[0]) if len(named) == 1 else None
