"""Read an incoming email: raw bytes to a value, with no clock, configuration or exception.

See emails, sections 2 to 5. What the email means is decided in `service`.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from adjudicator.core.message import Message
from adjudicator.core.own_words import NO_WORDS, OwnWords
from adjudicator.mail.read import headers as heads
from adjudicator.mail.read.authentication import (
    Authentication,
    authentication,
    automatic,
    display_name,
    is_aligned,
    sender,
)
from adjudicator.mail.read.bounces import Bounce, Signs, bounce, note, signs
from adjudicator.mail.read.mime import is_closed, part, walk
from adjudicator.mail.read.own_text import Texts, beside_page, find
from adjudicator.mail.read.text_parts import File, Room, is_encrypted, page_of, read_bodies, text_of


class Limits(Struct, frozen=True):
    """The limits beyond which an email is not read (emails, section 5.1)."""

    octets: int = 256 * 1024
    text: int = 64 * 1024  # characters of the body and its attachments together
    lines: int = 10_000  # of that text, without blank ones; each costs more than its characters
    depth: int = 10
    parts: int = 50


class Email(Struct, frozen=True):
    """An email as it was read. All strings are a stranger's words; only `subject` may be shown as
    it is."""

    sender: str | None  # the one mailbox of exactly one From, its domain in lower case
    sender_defect: str | None  # why there is none, in fixed words
    message_id: str | None  # with its angle brackets, as are `references`
    references: tuple[str, ...]  # what it answers, newest first
    date: datetime | None  # the sender's clock in UTC; a wrong one may still be in the future
    subject: str
    addressed: tuple[str, ...]  # the envelope's headers first, then To and Cc
    automatic: str | None  # why nobody wrote it: never answered
    note: str | None  # why a program must have written its words, if it has nothing else
    bounce: Bounce | None
    signs: Signs  # of a bounce, in an email that is none in form
    texts: Texts
    name: str  # what the sender calls himself; empty where he does not
    authentication: Authentication | None  # the topmost
    verdicts: tuple[str, ...]  # every Authentication-Results, whoever wrote it
    files: tuple[File, ...]  # of which nothing is read
    defects: tuple[str, ...]  # in fixed words; "truncated", "body too long" and the like refuse it
    unsound: Message | None = None  # what is wrong with orders that are JSON


DEFAULT = Limits()
_NO_TEXTS = ("image/", "audio/", "video/", "message/rfc822")


def read(
    raw: bytes, *, limits: Limits = DEFAULT, ours: str = "", known: OwnWords = NO_WORDS
) -> Email:
    """Read an email; by `ours`, the club's public address, and by the words that are `known`, a
    quoted email of ours is told from its sender's words."""
    top = part(raw[: limits.octets].lstrip(b"\r\n"))
    headers, type_ = top.headers, top.content.type
    leaves, broken = walk(top, limits.parts, limits.depth)
    bodies = read_bodies(leaves, Room(limits.text, limits.lines))
    told = bodies.attachments
    texts = find(bodies.body, told, html_only=bodies.html_only, ours=ours, known=known)
    if bodies.pages and not texts.is_whole:
        page = page_of(bodies.pages, Room(limits.text, limits.lines))
        texts = beside_page(texts, find(page, told, html_only=True, ours=ours, known=known))
    address, defect = sender(headers)
    defects = ["truncated"] if len(raw) > limits.octets else []
    defects += ["broken header"] if headers.broken else []
    return Email(
        sender=address,
        sender_defect=defect,
        message_id=heads.message_id(headers),
        references=heads.references(headers),
        date=heads.date(headers),
        subject=heads.subject(headers),
        addressed=heads.recipients(headers),
        automatic=automatic(headers, type_),
        note=note(headers, leaves, bodies.body, texts.bare),
        bounce=bounce(headers, type_, leaves),
        signs=signs(headers, type_, leaves, bodies.body),
        texts=texts,
        name=display_name(headers),
        authentication=authentication(headers),
        verdicts=headers.all("authentication-results"),
        files=bodies.files,
        defects=(*defects, *broken, *bodies.defects),
        unsound=bodies.unsound,
    )


class AllTexts(Struct, frozen=True):
    """All texts of an email in their order, pages among them, whatever servers on its way have made
    of their encodings."""

    headers: heads.Headers
    texts: Sequence[str]
    is_cut: bool
    is_encrypted: bool


def read_all(raw: bytes) -> AllTexts:
    """Read an email for all that it says. If its end is missing, its last text is no whole one and
    is left out."""
    top = part(raw)
    leaves, _ = walk(top, DEFAULT.parts, DEFAULT.depth)
    texts = [text_of(leaf) for leaf in leaves if not leaf.content.type.startswith(_NO_TEXTS)]
    cut = not is_closed(top)
    return AllTexts(
        headers=top.headers,
        texts=texts[:-1] if cut else texts,
        is_cut=cut,
        is_encrypted=is_encrypted(leaves),
    )


def split_mbox(raw: bytes) -> Iterator[bytes]:
    """Yield the emails of an mbox."""
    for email in re.split(rb"(?:\A|\r?\n\r?\n)From [^\n]*\n", raw):
        if email.strip():
            yield re.sub(rb"(?m)^>(>*From )", rb"\1", email)


def is_email(raw: bytes) -> bool:
    """Return whether a file begins as an email that was sent."""
    head = raw[:20_000].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return re.search(rb"(?mi)^(x-adjud|message-id|received):", head) is not None


def references_of(raw: bytes) -> tuple[str, ...]:
    """Return the Message-IDs that an email answers, newest first; only its head is read."""
    return heads.references(part(raw[: DEFAULT.octets].lstrip(b"\r\n")).headers)


def arrival_time(raw: bytes, *, limits: Limits = DEFAULT) -> datetime | None:
    """Return when the last server on the way took the email; None if it does not say."""
    return heads.arrival_time(part(raw[: limits.octets].lstrip(b"\r\n")).headers)


def body_of(raw: bytes) -> bytes:
    """Return all below the head.

    On the way servers add to the head; in the body they change nothing but line ends.
    """
    return heads.below(raw).replace(b"\r\n", b"\n").strip()


def passes(email: Email, authserv_id: str, hosts: str = "") -> bool:
    """Return whether our server vouches for the sender (emails, section 3, `token+auth`).

    If the server has no name (`authserv_id` is `none`), `hosts` is the domain in its own Received.
    """
    return email.sender is not None and is_aligned(
        email.authentication, email.sender, authserv_id, hosts
    )
