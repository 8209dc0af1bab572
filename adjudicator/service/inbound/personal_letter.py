"""A letter to a player's personal address: whether it may speak for him, and its answer
(club, 2)."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct, structs
from msgspec.json import decode, encode

from adjudicator.core.command_table import TABLE, WORDS
from adjudicator.core.message import Message, count, listed, say
from adjudicator.core.text import folded_address
from adjudicator.mail.read.letter import Letter, body_of
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import Context
from adjudicator.service.inbound import own_commands, remarks
from adjudicator.service.inbound.own_commands import Person
from adjudicator.service.inbound.parsed_letter import (
    MOST_ASKED,
    LetterContent,
    ParsedLetter,
    content_of,
)
from adjudicator.service.inbound.questions import reach_game_master
from adjudicator.service.inbound.seat_letter import A_DAY, GATHERING, MANY_A_DAY
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.layout import paragraphs
from adjudicator.store import inbox, outbox, parked_letters, players
from adjudicator.store.database import Tx
from adjudicator.store.inbox import IncomingLetter
from adjudicator.store.players import Player

MOST_WAITING = 5  # letters of one player that wait for a code
TRIES = 5  # wrong codes, then what waits is void
_STATUSES = {"receipt": "accepted", "refusal": "refused", "confirm": "parked"}  # by kind of answer
_SUBJECTS = {
    "receipt": subjects.public(),
    "refusal": subjects.nothing_done(),
    "confirm": subjects.to_confirm(),
}
_OTHER_SENDER = "from an address that is not on file"


class PersonalReply(Struct, frozen=True):
    """An answer; `kind` is receipt, refusal or confirm."""

    kind: str
    parts: Sequence[str]


def read_for_person(
    tx: Tx,
    received: IncomingLetter,
    opened: ParsedLetter,
    player: Player,
    *,
    now: datetime,
    context: Context,
) -> tuple[str, Message]:
    """Do what a letter to a personal address asks, and queue its answer; return its status, and
    what the operator is told.

    It counts in the limits of a day as a letter of one more seat, and one that came twice is
    answered once more (letters, 4 and 5.1).
    """
    players.hold(tx, [player.id])
    letter, a_day_ago = opened.letter, now - timedelta(days=1)
    earlier = inbox.earlier_of_player(
        tx, received.id, player.id, letter.message_id or "", moment=a_day_ago
    )
    reason = _fails(player, letter)
    noted = {
        "player_id": player.id,
        "message_id": letter.message_id or None,
        "dated_at": letter.date,
    }
    told = say("an email to a player's own address was read")
    for one in earlier.same_id:
        if body_of(one.raw) == opened.body and (reason is not None or one.reason is None):
            inbox.update(tx, received.id, status="duplicate", reason="came twice", **noted)
            _answer_again(tx, player, one.id, now=now, context=context)
            return "duplicate", told
    person = Person(tx=tx, player_id=player.id, letter_id=received.id, now=now, context=context)
    reply = _answer(person, received, opened, on_file=reason is None)
    status = _STATUSES[reply.kind]
    inbox.update(tx, received.id, status=status, reason=reason, **noted)
    today = earlier.heard if reason is None else earlier.unheard
    today += received.received_at > a_day_ago
    _queue(person, letter, reply, today)
    return status, told


def _fails(player: Player, letter: Letter) -> str | None:
    """Return why a letter may not speak for the player; None if it may (the level
    `token+from`)."""
    if letter.sender is None:
        return letter.sender_defect or _OTHER_SENDER
    same = folded_address(player.address) == folded_address(letter.sender)
    return None if same else _OTHER_SENDER


def _answer(
    person: Person, received: IncomingLetter, opened: ParsedLetter, *, on_file: bool
) -> PersonalReply:
    if told := remarks.over_limits(opened.letter, cut=received.length > len(received.raw)):
        return PersonalReply("refusal", [person.words(told)])
    lengths = {*map(len, parked_letters.codes(person.tx, person.player_id))}
    content = opened.content.confirming(lengths)
    if not on_file:
        return _park(person, opened, content)
    return _carry_out(person, opened, content)


def _carry_out(person: Person, opened: ParsedLetter, content: LetterContent) -> PersonalReply:
    """Do what a known letter asks, a code first and then from top to bottom."""
    if content.dry:
        person = structs.replace(person, dry=True)
    parts: list[str] = []
    done = False
    if content.code:
        code = _confirm(person, content.code)
        done = code.kind == "receipt"
        parts += code.parts
    obeyed = _obey(person, content)
    done = done or obeyed.kind == "receipt"
    parts += obeyed.parts
    if opened.holds_orders or content.presses or content.jottings:
        told = say(
            "Orders and messages to other players are NOT read at this address. Reply to the "
            "latest report of the match."
        )
        parts.append(person.words(told))
    if not parts:
        parts = _nothing_understood(person, content)
    return PersonalReply("receipt" if done else "refusal", parts)


def _obey(person: Person, content: LetterContent) -> PersonalReply:
    parts: list[str] = []
    done = False
    for one in content.commands:
        if TABLE[one.word].where == "seat" and one.word != "CHECK":
            told = say(
                "{word} is about one match. Reply to the latest report of that match.",
                word=WORDS[one.word],
            )
            parts.append(person.words(told))
        elif one.word not in ("CONFIRM", "CHECK"):
            parts.append(own_commands.obey(person, one))
            done = True
    parts += [person.words(slip.message) for slip in content.slips]
    if content.has_more:
        told = say("Only the first {most} commands in your email were read.", most=MOST_ASKED)
        parts.append(person.words(told))
    return PersonalReply("receipt" if done else "refusal", parts)


def _nothing_understood(person: Person, content: LetterContent) -> list[str]:
    told = say(
        "Your email contains no line that this address understands. HELP brings a list of them. "
        "To send orders, reply to the latest report of the match."
    )
    reach = reach_game_master(person.context)
    codes = parked_letters.codes(person.tx, person.player_id)
    waits = "\n".join(f"{person.words(WORDS['CONFIRM'])} {code}" for code in codes)
    listed_codes = [person.words(say("Waiting for your confirmation:")), waits] if codes else []
    return [person.words(told), *([person.words(reach)] if reach else []), *listed_codes]


# What came from another address than the one on file waits for a code, which goes to that one.


def _park(person: Person, opened: ParsedLetter, content: LetterContent) -> PersonalReply:
    """Keep a letter until it is confirmed. A code alone is tried: it proves itself."""
    asked = [one for one in content.commands if TABLE[one.word].where != "seat"]
    changes = [one for one in asked if one.word != "CONFIRM"]
    if content.code and not changes:
        return _confirm(person, content.code)
    if not changes:
        return PersonalReply("refusal", _nothing_understood(person, content))
    code = person.context.coder()
    parked_letters.insert(
        person.tx,
        person.player_id,
        letter_id=person.letter_id,
        code=code,
        text=opened.content.text,
        now=person.now,
    )
    fell = parked_letters.drop_older(person.tx, person.player_id, MOST_WAITING)
    told = [
        say(
            "An email to your address for all your matches came from an address that is not on "
            "file for you. This is what it asks for: {words}.",
            words=listed(WORDS[word] for word in dict.fromkeys(one.word for one in changes)),
        ),
        say(
            "If you sent this, reply to this email with the line\n\nCONFIRM {code}\n\nUntil then "
            "it has no effect.",
            code=code,
        ),
    ]
    if fell:
        told.append(
            say(
                "At most {most} of your emails can wait for confirmation, so the oldest was "
                "dropped.",
                most=MOST_WAITING,
            )
        )
    return PersonalReply("confirm", list(map(person.words, told)))


def _confirm(person: Person, code: str) -> PersonalReply:
    """Do what was parked under a code."""
    if person.dry:
        return PersonalReply(
            "receipt", [person.words(say("understood: {words}", words=WORDS["CONFIRM"]))]
        )
    parked = parked_letters.claim(person.tx, person.player_id, code)
    if parked is not None:
        content = content_of(parked.text)
        without = [one for one in content.commands if one.word != "CONFIRM"]
        person = structs.replace(person, confirmed=True)
        return _obey(person, structs.replace(content, commands=tuple(without), slips=()))
    told = [say("There is nothing to confirm with the code {code}.", code=code)]
    used = parked_letters.was_used(person.tx, person.player_id, code)
    if not used and parked_letters.count_wrong_code(person.tx, person.player_id, TRIES):
        told.append(
            say(
                "Too many wrong codes came, so nothing is waiting for confirmation any more. If "
                "you still had something to confirm, send it again."
            )
        )
    return PersonalReply("refusal", list(map(person.words, told)))


# The one answer to a letter; those beyond the limit of a day share one.


class LateLetters(Struct, frozen=True):
    """The letters of a day over the limit, which share an answer."""

    letters: int = 1


def _queue(person: Person, letter: Letter, reply: PersonalReply, today: int) -> None:
    tx, now, context = person.tx, person.now, person.context
    player = person.wishes
    if today <= A_DAY:
        queue.queue_from_personal_address(
            tx,
            player,
            _about(reply.kind, person.letter_id),
            _SUBJECTS[reply.kind],
            paragraphs(reply.parts),
            kind=reply.kind,
            answers=letter.message_id,
            now=now,
            context=context,
        )
        return
    prefix = f"{outbox.OF_PERSONS}{player.id}/all/"
    unsent = outbox.unsent(tx, prefix)
    before = decode(unsent[1], type=LateLetters).letters if unsent else 0
    told = count(
        "{n} more of your emails was read. You have sent so many today that this one reply covers "
        "them all.",
        "{n} more of your emails were read. You have sent so many today that this one reply "
        "covers them all.",
        before + 1,
    )
    text = paragraphs([person.words(told)])
    if unsent:
        body = {**decode(unsent[1]), "text": text, "letters": before + 1}
        outbox.update(tx, unsent[0], body=encode(body).decode())
        return
    queue.queue_from_personal_address(
        tx,
        player,
        f"all/{person.letter_id}",
        _SUBJECTS["receipt"],
        text,
        kind="receipt",
        not_before=now + GATHERING if today > MANY_A_DAY else now,
        now=now,
        context=context,
    )


def _about(kind: str, letter_id: int) -> str:
    return f"answer/{kind}/{letter_id}"


def _answer_again(
    tx: Tx, player: Player, letter_id: int, *, now: datetime, context: Context
) -> None:
    """Queue the answer to a letter that came again, but never a third one."""
    for kind in outbox.ANSWERS:
        key = f"{outbox.OF_PERSONS}{player.id}/{_about(kind, letter_id)}"
        if (there := outbox.standing(tx, key)) and there[1] not in ("waiting", "unconfirmed"):
            body = decode(outbox.body(tx, there[0]))
            outbox.repeat(tx, there[0], f"{key}/again", body, now, sends_mail=context.sends_mail)
