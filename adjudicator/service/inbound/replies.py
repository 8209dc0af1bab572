"""The one answer to an email. It goes to the address on file, whoever wrote the email."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, field, structs
from msgspec.json import decode, encode

from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words
from adjudicator.core.own_words import Rows
from adjudicator.core.sheets import Reading
from adjudicator.core.text import Spelling
from adjudicator.mail.read.email import Email as Came
from adjudicator.mail.write import subjects
from adjudicator.mail.write.subjects import Outcome
from adjudicator.reports.words import words
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import Loaded, MatchSession
from adjudicator.service.base.session import Session
from adjudicator.service.matches import sheet_storing
from adjudicator.service.matches.receipts import Receipt
from adjudicator.service.matches.sheet_parsing import Source
from adjudicator.service.outbox.layout import paragraphs
from adjudicator.service.outbox.post import own_address, post, post_again
from adjudicator.store import outbox, players
from adjudicator.store.matches import Holder
from adjudicator.store.outbox import OutgoingEmail

# The value `Conversation`: one email of one seat, while it is answered.


class WordsTold(Struct, frozen=True):
    """The words of our emails to a seat: `rows` of them in its reports, and whole `lines`."""

    rows: Rows
    lines: frozenset[tuple[str, ...]]


class Conversation(Session, frozen=True, kw_only=True):
    """One email of one seat, while it is answered.

    `session` has the time when the email came, which decides whether it was in time; `now` is when
    it is read.
    `confirmed` says that a code confirmed what is carried out, which has waited since the email
    `parked`, when the ply `parked_ply` was awaited. With `dry` nothing is changed, only told.
    `told` holds what our emails told the seat, once somebody has looked that up for this email.
    `on_file` says that the email is from the seat's address on file, `may_confirm` that a code in
    it counts. `references` are the emails that it answers. `notes` are told first.
    """

    session: MatchSession
    seat: Seat
    letter_id: int
    confirmed: bool = False
    dry: bool = False
    parked: int | None = None
    parked_ply: int | None = None
    on_file: bool = True
    may_confirm: bool = True
    references: tuple[str, ...] = ()
    notes: tuple[Message, ...] = ()
    told: list[WordsTold] = field(default_factory=list)

    @property
    def loaded(self) -> Loaded:
        return self.session.loaded

    @property
    def given(self) -> Source:
        return Source(
            self.loaded.match.name,
            self.seat,
            "mail, confirmed" if self.confirmed else "mail",
            may_resign=self.confirmed,
            letter_id=self.letter_id,
        )

    @property
    def holder(self) -> Holder:
        return self.loaded.holders[self.seat]

    @property
    def words(self) -> Words:
        return words(self.holder.language, self.loaded.match.game, self.holder.zone)

    @property
    def spelled(self) -> Spelling:
        return spelling_of(self.loaded.game, self.words)

    @property
    def player_id(self) -> int:
        player_id = self.holder.player_id
        assert player_id is not None
        return player_id

    @property
    def wishes(self) -> Holder:
        """Return what the reader has chosen."""
        return self.holder

    @property
    def game(self) -> str:
        return self.loaded.match.game

    @property
    def address(self) -> str:
        """Return the address on file; nothing of the match goes anywhere else."""
        return players.one(self.tx, self.player_id).address

    @property
    def own_address(self) -> str:
        """Return the holder's address for all matches."""
        assert self.context.post is not None
        return own_address(self.context.post, players.one(self.tx, self.player_id))

    def refused(self, refusal: Refusal) -> str:
        """Return a refusal as the holder reads it."""
        return "\n".join(self.words(message) for message in refusal.messages)

    def submit(self, taken: Reading, given: Source | None = None) -> list[Receipt]:
        """Hand in sheets, as a file would; a dry run is judged by the time of reading."""
        given = given or self.given
        if self.dry:
            return sheet_storing.check_in(
                MatchSession(self.tx, self.loaded, self.now), taken, given
            )
        return sheet_storing.submit_in(self.session, taken, given)


_ENTERED = "entered"  # in the key of a receipt that answers no email


class CommandAnswer(Struct, frozen=True):
    """What the sender of a command is told, and what came of it. A `subject` of its own is that of
    an answer that brings nothing else; else the command's `word` may have one."""

    text: str
    outcome: Outcome
    subject: Message | None = None
    word: str = ""


class Question(Struct, frozen=True):
    """The words of a player for the game master, and who he is; `seat` is its title. Both it and
    `match` are empty if they are of no match."""

    match: str
    seat: str
    name: str
    address: str
    lines: tuple[str, ...]


class Reply(Struct, frozen=True):
    """An answer. `kind` is receipt, refusal or confirm.

    Behind its text stand a `sheet` to be filled in and, last, `standing`: what is in force. Both
    are made anew when the answer goes out, and left out if the turn has been adjudicated by then;
    `standing_by` names the function that makes the last. With `is_own_sheet` the sheet is the
    player's own, to be mended, and stays as it is. `revision` was in force when the email had been
    read, and the orders of the revisions `told` are in the text. `proofs` are the digests of what
    was stored, which come last. `asked` is passed on to the game master. A report that tells what
    came of the orders may say `in_report`, whose lines are not broken yet, in place of all this.
    """

    kind: str
    subject: Message
    text: str
    sheet: str = ""
    standing: str = ""
    standing_by: str = "standing"
    is_own_sheet: bool = False
    revision: int | None = None
    told: tuple[int, ...] = ()
    proofs: tuple[str, ...] = ()
    asked: Question | None = None
    in_report: str = ""


def subject_of(told: Sequence[CommandAnswer], match: str | None = None) -> Message:
    """Return the subject of an answer to commands."""
    other = [one for one in told if one.outcome != "shown"]
    if not other:
        shown = (subjects.of_shown(one.word, match) for one in told)
        own = next(filter(None, shown), None)
    elif {one.outcome for one in other} == {"done"} and {one.word for one in other} <= _SETTINGS:
        own = subjects.of_shown("PREFS", match)
    else:
        own = other[0].subject if len(other) == 1 else None
    return own or subjects.of_commands([one.outcome for one in told], match)


_SETTINGS = frozenset({"PREFS", "LANGUAGE", "ZONE"})


class Tally(Struct, frozen=True):
    """The emails over the limit of a day; `refusal` is what was said to the last that was
    refused."""

    letters: int = 0
    accepted: int = 0
    refused: int = 0
    refusal: str = ""


def queue(
    s: Session,
    loaded: Loaded,
    seat: str,
    reply: Reply,
    letter_id: int,
    email: Came | None,
    *,
    mark: str = "",
) -> None:
    """Queue the answer to that email; its key makes sure that there is only one.

    If another answer may follow, the key ends with `mark`.
    """
    if loaded.holders[seat].player_id is None:
        return
    key = f"{loaded.match.name}/{loaded.match.ply}/{seat}/{reply.kind}/{letter_id}{mark}"
    made = _email(loaded, seat, key, reply.kind, _body(reply, email))
    post(s, made)


def queue_entered(conversation: Conversation, reply: Reply) -> None:
    """Queue the receipt of a sheet that answers no email; it is numbered by seat and ply."""
    match = conversation.loaded.match
    prefix = f"{match.name}/{match.ply}/{conversation.seat}/{reply.kind}/{_ENTERED}/"
    key = f"{prefix}{outbox.count(conversation.tx, prefix) + 1}"
    made = _email(conversation.loaded, conversation.seat, key, reply.kind, _body(reply, None))
    post(conversation, made)


def is_of_entered(key: str) -> bool:
    """Return whether the email with that key is the receipt of a sheet that the game master
    entered."""
    return key.split("/")[4:5] == [_ENTERED]


def queue_for_all(
    conversation: Conversation, reply: Reply, write: Callable[[Tally], Reply], not_before: datetime
) -> None:
    """Queue the one answer to all emails over the limit of a day, or add this email to it.

    It is in the queue before its first email is done with, so it cannot be lost. `reply` is what
    this email alone would be answered; `write` makes the answer to so many.
    """
    match = conversation.loaded.match
    prefix = f"{match.name}/{match.ply}/{conversation.seat}/receipt/all/"
    unsent = outbox.unsent(conversation.tx, prefix)
    tally = _count_reply(decode(unsent[1], type=Tally) if unsent else Tally(), reply)
    body = {**_body(write(tally), None), **structs.asdict(tally)}
    if unsent:
        outbox.update(conversation.tx, unsent[0], body=encode(body).decode())
        return
    made = _email(
        conversation.loaded, conversation.seat, f"{prefix}{conversation.letter_id}", "receipt", body
    )
    made = structs.replace(made, not_before=not_before)
    post(conversation, made)


def queue_again(s: Session, loaded: Loaded, letter_id: int) -> None:
    """Queue the answer to an email that came again, but never a third one.

    While the first waits, it is the one answer to both.
    """
    first = outbox.answer_to(s.tx, loaded.match.id, letter_id)
    waits = ("waiting", "unconfirmed", "kept")
    if first is None or outbox.goes_out_as(s.tx, first) in waits:
        return
    body = {**decode(first.body), "read_at": first.created_at.isoformat()}
    post_again(s, first.id, f"{first.key}/again", body)


def _count_reply(tally: Tally, reply: Reply) -> Tally:
    refused = reply.kind == "refusal"
    return Tally(
        letters=tally.letters + 1,
        accepted=tally.accepted + (reply.kind == "receipt"),
        refused=tally.refused + refused,
        refusal=reply.text if refused else tally.refusal,
    )


def _email(
    loaded: Loaded, seat: str, key: str, kind: str, body: Mapping[str, Any]
) -> OutgoingEmail:
    holder = loaded.holders[seat]
    return OutgoingEmail(
        key=key,
        kind=kind,
        match_id=loaded.match.id,
        ply=loaded.match.ply,
        seat=seat,
        tenure=holder.tenure,
        player_id=holder.player_id,
        confirmed=holder.confirmed,
        body=body,
    )


def body_of_part(reply: Reply) -> Mapping[str, Any]:
    """Return what is kept of the answer to a part of an email, until the email is answered."""
    return _body(reply, None)


def _body(reply: Reply, email: Came | None) -> Mapping[str, Any]:
    return {
        "subject": reply.subject,
        "text": paragraphs([reply.text]),
        "sheet": reply.sheet,
        "standing": reply.standing,
        "standing_by": reply.standing_by,
        **({"is_own_sheet": True} if reply.is_own_sheet else {}),
        "revision": reply.revision,
        "told": reply.told,
        "proofs": reply.proofs,
        **({"in_report": reply.in_report} if reply.in_report else {}),
        "answers": email.message_id if email else None,
    }
