"""The public address: what anybody may ask, answered shortly, seldom and without an echo."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from msgspec import Struct

from adjudicator.core.commands import Command, read_commands
from adjudicator.core.mailbox import folded_address
from adjudicator.core.message import Message, Words, say
from adjudicator.core.orders import Line, folded, split_lines
from adjudicator.mail import subjects
from adjudicator.mail.letter import Letter, body_of, sender_name
from adjudicator.mail.recipient import is_mailbox
from adjudicator.reports.words import words
from adjudicator.service import intake, people
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
_ASTRAY = "ORDERS"


class Said(Struct, frozen=True):
    """An answer; `kind` is receipt, confirm where a code is in it, or refusal of orders."""

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
    asked = _asked(tx, letter)
    if not asked:
        return "junk", "asks nothing of the public address"
    who = _stranger(tx, received, letter, asked)
    said = _answer(tx, who, asked, now=now, means=means)
    status = "refused" if any(one.word == _ASTRAY for one in asked) else "accepted"
    if said is None:
        return status, "not answered"
    _reply(tx, received, letter, who, said, now=now, means=means)
    return status, "answered"


def _is_again(tx: Tx, received: Received, letter: Letter) -> bool:
    earlier = inbox.seen_before(tx, None, None, letter.message_id or "")
    content = body_of(received.raw)
    return any(one.id != received.id and body_of(one.raw) == content for one in earlier)


def _asked(tx: Tx, letter: Letter) -> Sequence[Command]:
    """What a letter asks, each thing once; JOIN and CONFIRM stand alone. A player's orders ask
    for the word that they were lost."""
    commands, _ = read_commands(split_lines(letter.texts.bare))
    found = {command.word: command for command in commands if command.word in _ASKED}
    for alone in ("CONFIRM", "JOIN"):
        if alone in found:
            return [found[alone]]
    if letter.sender and players.at(tx, letter.sender) and _holds_orders(letter):
        found[_ASTRAY] = Command(_ASTRAY, "", Line(0, ""))
    return list(found.values())


def _holds_orders(letter: Letter) -> bool:
    bare = split_lines(letter.texts.bare)
    return letter.texts.sheet is not None or any(intake.would_read_as_orders(bare))


def _stranger(tx: Tx, received: Received, letter: Letter, asked: Sequence[Command]) -> Stranger:
    """Who is known by the address is answered in his language, others in that of their words."""
    assert letter.sender is not None
    known = players.at(tx, letter.sender)
    language = known.language if known else _language(asked)
    address = known.address if known else letter.sender
    return Stranger(address, sender_name(received.raw), words(language, ""), language)


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
    kind = "refusal" if any(one.word == _ASTRAY for one in asked) else "receipt"
    return Said(paragraphs([_TOLD[command.word](tx, who) for command in asked]), kind)


def _may_answer(tx: Tx, address: str, now: datetime) -> bool:
    day = now - timedelta(days=1)
    return (
        outbox.since(tx, _prefix(address), day) < A_DAY
        and outbox.since(tx, "public/", day) < A_DAY_IN_ALL
    )


def _prefix(address: str) -> str:
    return f"public/{sha256(folded_address(address).encode()).hexdigest()[:16]}/"


def _join(tx: Tx, who: Stranger, argument: str, *, now: datetime, means: Means) -> Said:
    newcomer = joining.newcomer(who.address, who.name, who.language)
    try:
        code = joining.ask(tx, newcomer, argument, now=now, means=means)
    except Refusal:
        # Not why: that would repeat words of a letter that anybody may have written.
        nothing = who.words(say("There is no such open seat."))
        return Said(paragraphs([nothing, joining.games(tx, who.language)]))
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
    return joining.games(tx, who.language)


def _astray(tx: Tx, who: Stranger) -> str:
    return who.words(
        say(
            "There are orders in your letter, and they were NOT read: orders go to the address "
            "that your reports come with. Answer a report, and your mail program writes there. "
            "Where a mail server loses that address, add its last part, the 16 letters and digits "
            "before the @, to the head of the sheet:\n\nORDERS match seat key LETTERS"
        )
    )


_TOLD = {"HELP": _help, "PING": _ping, "GAMES": _games, _ASTRAY: _astray}
_SUBJECTS = {
    "confirm": subjects.confirm(),
    "receipt": subjects.public(),
    "refusal": subjects.misdirected(),
}


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
            "language": who.language,
            "subject": _SUBJECTS[said.kind],
            "text": said.text,
            "answers": letter.message_id,
        },
    )
    outbox.put(tx, [made], now, way_out=means.way_out)
