"""The public address: what anybody may ask, answered shortly, seldom and without an echo."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from msgspec import Struct

from adjudicator.core.commands import Command, read_commands
from adjudicator.core.message import Message, Words, say
from adjudicator.core.orders import folded, split_lines
from adjudicator.mail import subjects
from adjudicator.mail.compose import is_mailbox
from adjudicator.mail.letter import Letter, body_of, sender_name
from adjudicator.reports.words import words
from adjudicator.service import people
from adjudicator.service.dialog import joining
from adjudicator.service.dialog.replies import paragraphs
from adjudicator.service.means import Means
from adjudicator.service.refusal import Refusal
from adjudicator.store import inbox, outbox, players
from adjudicator.store.database import Tx
from adjudicator.store.inbox import Received

A_DAY = 3  # answers to one address
A_DAY_IN_ALL = 100
_ASKED = ("HELP", "PING", "GAMES", "JOIN", "CONFIRM")


class Said(Struct, frozen=True):
    """An answer; `kind` is receipt, or confirm where a code is in it."""

    text: str
    kind: str = "receipt"


class Stranger(Struct, frozen=True):
    """Who wrote, by his own account, which is all that there is."""

    address: str
    name: str
    words: Words
    language: str


def answer(
    tx: Tx, received: Received, letter: Letter, *, now: datetime, means: Means
) -> tuple[str, str]:
    """Status of the letter and why, in the operator's words."""
    inbox.update(tx, received.id, message_id=letter.message_id or None, dated_at=letter.date)
    if letter.sender is None or not is_mailbox(letter.sender):
        return "junk", letter.sender_defect or "from no mailbox that we could write to"
    if not received.sender and received.channel in ("lmtp", "pipe"):
        return "junk", "no envelope sender"
    if _is_again(tx, received, letter):
        return "duplicate", "came before"
    asked = _asked(letter)
    if not asked:
        return "junk", "asks nothing of the public address"
    who = _stranger(tx, received, letter, asked)
    said = _answer(tx, who, asked, now=now, means=means)
    if said is None:
        return "accepted", "not answered"
    _reply(tx, received, letter, who, said, now=now, means=means)
    return "accepted", "answered"


def _is_again(tx: Tx, received: Received, letter: Letter) -> bool:
    earlier = inbox.seen_before(tx, None, None, letter.message_id or "")
    content = body_of(received.raw)
    return any(id_ != received.id and body_of(raw) == content for id_, raw in earlier)


def _asked(letter: Letter) -> Sequence[Command]:
    """What a letter asks, each thing once; JOIN and CONFIRM stand alone."""
    commands, _ = read_commands(split_lines(letter.texts.bare))
    found = {command.word: command for command in commands if command.word in _ASKED}
    for alone in ("CONFIRM", "JOIN"):
        if alone in found:
            return [found[alone]]
    return list(found.values())


def _stranger(tx: Tx, received: Received, letter: Letter, asked: Sequence[Command]) -> Stranger:
    """Who is known by the address is answered in his language, others in that of their words."""
    assert letter.sender is not None
    known = players.at(tx, letter.sender)
    language = known.language if known else _language(asked)
    return Stranger(letter.sender, sender_name(received.raw), words(language, ""), language)


def _language(asked: Sequence[Command]) -> str:
    said = folded(" ".join(command.line.text for command in asked)).split()
    if {"bli", "hjelp", "spill", "bekreft"} & set(said):
        return "nb"
    return "sv" if {"ga", "hjalp", "spel", "bekrafta"} & set(said) else "en"


def _answer(
    tx: Tx, who: Stranger, asked: Sequence[Command], *, now: datetime, means: Means
) -> Said | None:
    """None for silence."""
    first = asked[0]
    if not _may_answer(tx, who.address, now) and first.word != "CONFIRM":
        return None
    if first.word == "CONFIRM":
        return _confirm(tx, who, first.argument, now=now, means=means)
    if first.word == "JOIN":
        return _join(tx, who, first.argument, now=now, means=means)
    return Said(paragraphs([_TOLD[command.word](tx, who) for command in asked]))


def _may_answer(tx: Tx, address: str, now: datetime) -> bool:
    day = now - timedelta(days=1)
    return (
        outbox.since(tx, _prefix(address), day) < A_DAY
        and outbox.since(tx, "public/", day) < A_DAY_IN_ALL
    )


def _prefix(address: str) -> str:
    return f"public/{sha256(address.casefold().encode()).hexdigest()[:16]}/"


def _join(tx: Tx, who: Stranger, argument: str, *, now: datetime, means: Means) -> Said:
    newcomer = joining.newcomer(who.address, who.name, who.language)
    try:
        code = joining.ask(tx, newcomer, argument, now=now, means=means)
    except Refusal:
        # Not why: that would repeat words of a letter that anybody may have written.
        nothing = who.words(say("There is no such open seat."))
        return Said(paragraphs([nothing, joining.games(tx, who.words)]))
    told = say(
        "Somebody asked for a seat with this address. If it was you, answer this letter with "
        "the line\n\nCONFIRM {code}\n\nIf not, do nothing.",
        code=code,
    )
    return Said(paragraphs([who.words(told)]), "confirm")


def _confirm(tx: Tx, who: Stranger, code: str, *, now: datetime, means: Means) -> Said | None:
    """What he gets when it is right are his first letters as a player. Who was never asked for
    a code is answered by silence."""
    if people.confirm(tx, who.address, code, now=now):
        if not _may_answer(tx, who.address, now):
            return None
        return Said(paragraphs([who.words(say("Your address is confirmed."))]))
    if not joining.is_asked(tx, who.address, now):
        return None
    try:
        seated = joining.confirm(tx, who.address, code, now=now, means=means)
    except Refusal as refusal:
        told: Sequence[Message] = refusal.messages
    else:
        if seated is not None:
            return None
        told = [say("That is not the code that was sent to you.")]
    if not _may_answer(tx, who.address, now):
        return None
    return Said(paragraphs([who.words(message) for message in told]))


def _help(tx: Tx, who: Stranger) -> str:
    return who.words(
        say(
            "This address belongs to a club that plays by mail. It understands these lines:\n\n"
            "  GAMES         lists the seats to be had\n"
            "  JOIN match    takes one of them\n"
            "  PING          answers\n\n"
            "Orders go to the address that your reports come with."
        )
    )


def _ping(tx: Tx, who: Stranger) -> str:
    return who.words(say("Your letter has arrived."))


def _games(tx: Tx, who: Stranger) -> str:
    return joining.games(tx, who.words)


_TOLD = {"HELP": _help, "PING": _ping, "GAMES": _games}


def _reply(
    tx: Tx,
    received: Received,
    letter: Letter,
    who: Stranger,
    said: Said,
    *,
    now: datetime,
    means: Means,
) -> None:
    made = outbox.Letter(
        key=f"{_prefix(who.address)}{received.id}",
        kind=said.kind,
        body={
            "to": who.address,
            "subject": subjects.confirm() if said.kind == "confirm" else subjects.public(),
            "text": said.text,
            "answers": letter.message_id,
        },
    )
    outbox.put(tx, [made], now, way_out=means.way_out)
