"""Write an email to one person, as bytes that are the same each time they are made.

RFC 5322 rules the header; 2045-2047 and 2231 MIME, 2387 multipart/related, 2392 cid, 2919 List-Id,
3834 Auto-Submitted. The stdlib folds a long Message-ID into encoded words, which no program can
answer; so all of it is written here.
"""

import re
from binascii import b2a_base64, b2a_qp
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from email.header import Header
from email.utils import format_datetime
from functools import lru_cache
from hashlib import sha256
from itertools import count
from urllib.parse import quote

from msgspec import Struct

from adjudicator.core.email_kinds import KINDS
from adjudicator.mail.address import MailDomain, bounce_address, is_mailbox
from adjudicator.resources import PACKAGE

# Make a link that opens the reader's mail program with an email begun (RFC 6068).


MOST = 2000  # characters; longer links are cut off or refused by mail programs and shells
_IN_ADDRESS = "@!$'*+,:._~-"  # what may stand in an address unescaped (RFC 6068, section 2)


def mailto(address: str, subject: str, lines: Sequence[str]) -> str:
    """Return the link with `lines` as the email's text, or without them if it would be too
    long."""
    begun = f"mailto:{quote(address, safe=_IN_ADDRESS)}?subject={quote(subject, safe='')}"
    body = quote("\r\n".join([*lines, ""]), safe="")
    whole = f"{begun}&body={body}"
    return whole if len(whole) <= MOST else begun


_WIDTH = 76  # columns of an encoded line (RFC 2045, section 6.7), or with encoded words (RFC 2047)
_WORD = 60  # columns of an encoded word, so that the first fits beside the header's name
_QUOTED = b"Content-Transfer-Encoding: quoted-printable\r\n\r\n"
_MOST_HTML = 100_000  # Gmail shows no more than 102 KB; the text and the page say all of it
_THREAD = 20  # references; programs need the first and the last ones

# Control characters, line separators, and marks that turn or hide the text around them.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
_UNSEEN = re.compile(f"[{_CONTROLS}\ud800-\udfff]")
_COMMON = bytes((0x09, 0x0A, *range(0x20, 0x7F)))
_ID = re.compile(r"<[!-;=?-~]{1,250}>")
_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class Outgoing(Struct, frozen=True, kw_only=True):
    """An email before it is bytes.

    It knows no key of the outbox: a digest of a key that counts emails could be guessed, so
    boundaries come from the Message-ID, which is keyed. `sender` and `sender_name` are From. `html`
    shows `png`, if there is one, by its `picture_id`, and small `boards` by theirs, which count
    from 1; `page` is attached, under the name `page_name`, for a browser. `references` are the
    thread's Message-IDs, oldest first; Outlook joins it by `thread_topic` and `thread_index`.
    `value` is what the email says as JSON, attached as `value_name`.
    `unsubscribe` is a link with which somebody who does not play refuses all further emails.
    """

    kind: str
    sender: str
    to: str
    subject: str
    text: str
    date: datetime
    message_id: str
    sender_name: str = "adjud"
    to_name: str = ""
    reply_to: str | None = None
    in_reply_to: str | None = None
    references: Sequence[str] = ()
    list_id: str | None = None
    unsubscribe: str | None = None
    thread_topic: str = ""
    thread_index: str = ""
    html: str | None = None
    png: bytes | None = None
    boards: Sequence[bytes] = ()
    page: str | None = None
    page_name: str = "report.html"
    value: str | None = None
    value_name: str = "adjud.json"


def envelope_from(post: MailDomain, kind: str, outbox_key: str, epoch: str | None = None) -> str:
    """Return the envelope sender: the address to which a bounce shall come.

    It is empty for a reply of ours, for nobody answers that, not even to say that it was
    undeliverable (RFC 3834, section 3.3; RFC 5321, section 4.5.5).
    """
    return "" if KINDS[kind].is_auto_reply else bounce_address(post, outbox_key, epoch)


def compose(email: Outgoing) -> bytes:
    """Return the email in ASCII with CRLF.

    Raises ValueError if an address is no plain mailbox or the date has no zone: both are our own
    data and were checked long before.
    """
    head = "".join(_line(name, value) for name, value in _head(email) if value)
    return head.encode("ascii") + _body(email)


def _head(email: Outgoing) -> Iterator[tuple[str, str]]:
    yield "From", _mailbox(email.sender_name, email.sender)
    yield "To", _mailbox(email.to_name, email.to)
    if email.reply_to:
        yield "Reply-To", _mailbox("", email.reply_to)
    yield "Subject", _encoded(email.subject)
    yield "Date", _date(email.date)
    yield "Message-ID", _one_id(email.message_id)
    yield "In-Reply-To", _ids([email.in_reply_to or ""])
    yield "References", _ids(email.references)
    yield "Auto-Submitted", "auto-replied" if KINDS[email.kind].is_auto_reply else "auto-generated"
    yield "X-Auto-Response-Suppress", "All"
    yield "X-Adjud", email.kind
    yield "List-Id", f"<{_words(email.list_id)}>" if email.list_id else ""
    if email.reply_to and email.list_id:
        yield "List-Help", f"<{mailto(email.reply_to, 'HELP', ['HELP'])}>"
        quiet = mailto(email.reply_to, "PREFS", ["PREFS REMINDERS OFF"])
        yield "List-Unsubscribe", f"<{quiet}>"
    elif email.unsubscribe:
        yield "List-Unsubscribe", f"<{email.unsubscribe}>"
    yield "Thread-Topic", _encoded(email.thread_topic)
    yield "Thread-Index", email.thread_index


_FILETIME = datetime(1601, 1, 1, tzinfo=UTC)  # its ticks are tenths of a microsecond


def thread_index(first: str, began: datetime) -> str:
    """Return what Outlook joins emails by: a time and 16 bytes (MS-OXOMSG, section 2.2.1.3).
    `first` is the Message-ID of the first email of the thread."""
    ticks = (began - _FILETIME) // timedelta(microseconds=1) * 10
    which = sha256(f"{first} thread".encode()).digest()[:16]
    return b2a_base64(ticks.to_bytes(8)[:6] + which, newline=False).decode()


def _line(name: str, value: str) -> str:
    """Return a header line, folded between words only.

    An id or an address is never cut, nor put on a line by itself, where simple programs would miss
    it (RFC 5322, section 2.2.3: 998 octets are the limit).
    """
    first, *words = value.split(" ")
    lines = [f"{name}: {first}"]
    for word in words:
        if len(lines[-1]) + len(word) < _WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(f" {word}")
    return "\r\n".join(lines) + "\r\n"


def _mailbox(name: str, address: str) -> str:
    if not is_mailbox(address):
        raise ValueError(f"{address!r} is not the address of one mailbox")
    name = _words(name)
    if not name:
        return address
    if _encoded(name) == name:  # a quoted-string; inside it nothing is special but these two
        name = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{_encoded(name)} <{address}>"


def _encoded(text: str) -> str:
    """Return encoded words (RFC 2047) if ASCII will not do, or if the ASCII looks like encoded
    words."""
    text = _words(text)
    if text.isascii() and "=?" not in text:
        return text
    return Header(text, "utf-8", maxlinelen=_WORD).encode(linesep="")


def _words(text: str) -> str:
    """Put free text on one line; a line break in a name would add a header of the sender's
    choice."""
    return " ".join(_UNSEEN.sub(" ", text).split())


def _date(date: datetime) -> str:
    if date.tzinfo is None:
        raise ValueError("the date of an email has a zone")
    return format_datetime(date.astimezone(UTC))


def _one_id(message_id: str) -> str:
    if not _ID.fullmatch(message_id):
        raise ValueError(f"{message_id!r} is no Message-ID")
    return message_id


def _ids(ids: Sequence[str]) -> str:
    """Keep the references that are real ids: a player's own may be anything, and then it threads
    nothing."""
    kept = [one for one in ids if _ID.fullmatch(one)]
    return " ".join(kept if len(kept) <= _THREAD else [kept[0], *kept[1 - _THREAD :]])


def picture_id(message_id: str, number: int = 0) -> str:
    """Return the Content-ID of an email's picture, or of a small board in it (RFC 2392)."""
    return f"{_digest(message_id, f'board {number}' if number else 'board')}@board"


def _body(email: Outgoing) -> bytes:
    """Return the headers of the MIME entity and its parts.

    They are written by hand, because the stdlib's generator costs more than all the rest of an
    email.
    """
    made = _quoted("text/plain", email.text)
    boundaries = (f"=_{_digest(email.message_id, str(number))}" for number in count())
    attached = [
        *([] if email.page is None else [_page(email.page, email.page_name)]),
        *([] if email.value is None else [_value(email.value, email.value_name)]),
    ]
    outer = next(boundaries) if attached else ""
    if email.html is not None:
        made = _with_html(made, email, email.html, boundaries)
    if attached:
        made = _multipart("mixed", outer, made, *attached)
    return b"MIME-Version: 1.0\r\n" + made


def _with_html(text: bytes, email: Outgoing, html: str, boundaries: Iterator[str]) -> bytes:
    if len(html.encode()) > _MOST_HTML:
        return text
    outer, part = next(boundaries), _quoted("text/html", html)
    shown = [
        _picture(png, picture_id(email.message_id, number))
        for number, png in enumerate([email.png, *email.boards])
        if png
    ]
    if shown:
        kind = 'related; type="text/html"'  # RFC 2387, section 3.1
        part = _multipart(kind, next(boundaries), part, *shown)
    return _multipart("alternative", outer, text, part)


def _quoted(kind: str, text: str) -> bytes:
    head = f'Content-Type: {kind}; charset="utf-8"\r\n'
    return head.encode() + _QUOTED + _printable(text)


def _page(page: str, page_name: str) -> bytes:
    """Attach the page for a browser, which knows it by its name.

    Apple's Mail shows text/html as if it were a part of the email, whatever its disposition says
    (the description of Mail Attachments Iconizer, versiontracker.com/product/25945), and mutt
    quotes its source in every answer. What is application/octet-stream is offered as a file (RFC
    2046, section 4.5.1). It opens by its name: iOS finds the type of a file by its ending (Apple,
    Uniform Type Identifiers), and Gmail goes by the ending, too, in what it refuses, which is not
    .html (support.google.com/mail/answer/6590). Previews run no scripts; the page says so there.
    """
    name = _FILE_NAME.sub("-", page_name).strip("-.") or "report.html"
    head = (
        "Content-Type: application/octet-stream\r\n"
        f'Content-Disposition: attachment; filename="{name}"\r\n'
    )
    return head.encode() + _QUOTED + _printable(page)


def _value(value: str, value_name: str) -> bytes:
    """Attach what the email says as JSON, which is ASCII (RFC 8259, section 8.1)."""
    head = (
        "Content-Type: application/json\r\n"
        f'Content-Disposition: attachment; filename="{_FILE_NAME.sub("-", value_name)}"\r\n'
    )
    return head.encode() + _QUOTED + _printable(value)


def weight(text: str) -> int:
    """Return how many bytes a text has in an email."""
    return len(_printable(text))


@lru_cache(maxsize=4)  # the parts of an email are weighed before they are put into it
def _printable(text: str) -> bytes:
    """Return a text quoted-printable (RFC 2045, section 6.7), its lines ended by CRLF.

    What is mostly ASCII grows by much less than in base64.
    """
    plain = _text(text).rstrip("\n") + "\n"
    return b2a_qp(plain.encode(), istext=True).replace(b"\n", b"\r\n")


def _picture(png: bytes, picture: str) -> bytes:
    head = (
        "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n"
        'Content-Disposition: inline; filename="board.png"\r\n'
        f"Content-ID: <{picture}>\r\n\r\n"
    )
    lines = (b2a_base64(png[at : at + 57], newline=False) for at in range(0, len(png), 57))
    return head.encode() + b"\r\n".join(lines) + b"\r\n"


def _multipart(kind: str, boundary: str, *parts: bytes) -> bytes:
    """Join parts. "=_" can be in no encoded line, so no boundary can (RFC 2045, section 6.7)."""
    line = f"--{boundary}\r\n".encode()
    head = f'Content-Type: multipart/{kind};\r\n boundary="{boundary}"\r\n\r\n'.encode()
    return head + b"".join(line + part + b"\r\n" for part in parts) + f"--{boundary}--\r\n".encode()


def _text(text: str) -> str:
    """Keep what may be in a body: no control character but line ends and tabs."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub("", text) if _UNSEEN.search(_unusual(text)) else text


def _unusual(text: str) -> str:
    """Return what is left of a text without the commonest signs: mostly little or nothing."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _COMMON)
    return rest.decode("utf-8", "surrogatepass")


def _digest(message_id: str, what: str) -> str:
    return sha256(f"{message_id} {what}".encode()).hexdigest()[:32]


# Draw a board as PNG, because mail programs drop SVG. The pixels are the same on every machine.


WIDTH = 880  # for fine screens; emails carry a drawing at its own size, which is much lighter
PAPER = "#faf7f0"  # opaque, or a dark mail program would show through


def png(svg: str, width: int | None = None) -> bytes | None:
    """Return the picture, by default at the drawing's own size; None if the extra `png` is not
    installed.

    Pass our own drawings only: resvg opens the files that an image element names.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        return None
    if "<image" in svg:
        raise ValueError("a drawing with an image element is not ours")
    return svg_to_bytes(
        svg_string=svg,
        width=width,
        background=PAPER,
        skip_system_fonts=True,
        font_files=[str(PACKAGE / "mail" / "write" / "fonts" / "board.ttf")],
        font_family="DejaVu Sans",
        sans_serif_family="DejaVu Sans",
    )
