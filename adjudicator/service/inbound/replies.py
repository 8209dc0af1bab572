"""The one answer to an email. It goes to the address on file, whoever wrote the email."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct, structs
from msgspec.json import decode, encode

from adjudicator.core.message import Message
from adjudicator.mail.read.email import Email as Came
from adjudicator.service.base.context import Session
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.emails.paragraphs import Paragraphs, paragraphs_in
from adjudicator.service.inbound.conversation import Conversation, Question
from adjudicator.service.outbox.post import post, post_again
from adjudicator.store import outbox
from adjudicator.store.outbox import OutgoingEmail

_ENTERED = "entered"  # in the key of a receipt that answers no email


class Reply(Struct, frozen=True):
    """An answer. `kind` is receipt, refusal or confirm, and it `says` what came of an email.

    Behind that stand a `sheet` to be filled in and, last, `standing`: what is in force. Both
    are made anew when the answer goes out, and left out if the turn has been adjudicated by then;
    `standing_by` names the function that makes the last. With `is_own_sheet` the sheet is the
    player's own, to be mended, and stays as it is. `revision` was in force when the email had been
    read, and the orders of the revisions `told` are in what it says. `proofs` are the digests of
    what was stored, which come last. `asked` is passed on to the game master. A report that tells
    what came of the orders may say the same in its place, if it is `in_report`.
    """

    kind: str
    subject: Message
    says: Paragraphs
    sheet: Paragraphs = ()
    standing: Paragraphs = ()
    standing_by: str = "standing"
    is_own_sheet: bool = False
    revision: int | None = None
    told: tuple[int, ...] = ()
    proofs: Paragraphs = ()
    asked: Question | None = None
    in_report: bool = False


class ReplyCounts(Struct, frozen=True):
    """The emails over the limit of a day; `refusal` is what was said to the last that was
    refused."""

    letters: int = 0
    accepted: int = 0
    refused: int = 0
    refusal: Paragraphs = ()


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
    conversation: Conversation,
    reply: Reply,
    write: Callable[[ReplyCounts], Reply],
    not_before: datetime,
) -> None:
    """Queue the one answer to all emails over the limit of a day, or add this email to it.

    It is in the queue before its first email is done with, so it cannot be lost. `reply` is what
    this email alone would be answered; `write` makes the answer to so many.
    """
    match = conversation.loaded.match
    prefix = f"{match.name}/{match.ply}/{conversation.seat}/receipt/all/"
    unsent = outbox.first_to_render(conversation.tx, prefix)
    counts = _count_reply(_counts_in(decode(unsent[1])) if unsent else ReplyCounts(), reply)
    body = {**_body(write(counts), None), **structs.asdict(counts)}
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


def _counts_in(body: Mapping[str, Any]) -> ReplyCounts:
    """Return the counts in a row; one of before 0.3.0 has its refusal as a text."""
    refusal = paragraphs_in(body, "refusal")
    return ReplyCounts(body["letters"], body["accepted"], body["refused"], refusal)


def _count_reply(counts: ReplyCounts, reply: Reply) -> ReplyCounts:
    refused = reply.kind == "refusal"
    return ReplyCounts(
        letters=counts.letters + 1,
        accepted=counts.accepted + (reply.kind == "receipt"),
        refused=counts.refused + refused,
        refusal=reply.says if refused else counts.refusal,
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
        "says": reply.says,
        "sheet": reply.sheet,
        "standing": reply.standing,
        "standing_by": reply.standing_by,
        **({"is_own_sheet": True} if reply.is_own_sheet else {}),
        "revision": reply.revision,
        "told": reply.told,
        "proofs": reply.proofs,
        **({"in_report": True} if reply.in_report else {}),
        "answers": email.message_id if email else None,
    }
