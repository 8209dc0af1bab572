"""Read the head of an email, or of one of its parts, in such a way that no header can raise.

`email.policy.default` raises on headers that are met in practice, so every field is split off and
read here from its raw value.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.header import decode_header
from email.message import Message
from email.policy import compat32
from email.utils import collapse_rfc2231_value, parsedate_to_datetime
from functools import cached_property

from msgspec import Struct

from adjudicator.mail.read.charset import decode, one_line

MOST_VALUE = 4_000  # characters of a value that is parsed; the stdlib's parsers are quadratic
MOST_PARAMS, MOST_PARAM_SIGNS = 60, 2_000  # of Content-Type and Content-Disposition
MOST_IDS = 50
MOST_ADDRESSES = 50
MOST_SUBJECT = 200
OLDEST = datetime(2000, 1, 1, tzinfo=UTC)  # before it a clock was never set
CLOCKS_DIFFER = timedelta(days=1)

_END = re.compile(rb"(?:\A|\n)\r{0,2}\n")
_FIELD = re.compile(rb"[!-9;-~]+:|[ \t]")
_MBOX = re.compile(rb">?From (?! *:)")
_FOLD = re.compile(r"[\r\n]+[ \t]*")
_ID = re.compile(r"<([!-;=?-~]{1,500})>")
_BARE_ID = re.compile(r"\s*([!-;=?-~]{1,250}@[!-;=?-~]{1,250})\s*")
_DISPLAY = re.compile(r'"[^"]*"(?=\s*<)')
# A match may not begin inside its own first part, or it would be tried anew at each sign.
_ADDRESS = re.compile(
    r'(?<![^\s"(),:;<>@\[\]\\])[^\s"(),:;<>@\[\]\\]{1,200}"?@[^\s"\'(),:;<>@\[\]\\]{1,255}'
)


class Headers(Struct, frozen=True, dict=True):
    """The fields in their order: names in lower case, values unfolded and otherwise unchanged."""

    fields: tuple[tuple[str, str], ...]
    broken: bool  # a line of the head is neither a field nor the continuation of one

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, value in self.fields:
            found.setdefault(name, []).append(value)
        return found

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(self._by_name.get(name, ()))

    def first(self, name: str) -> str:
        return next(iter(self._by_name.get(name, ())), "")


def split(raw: bytes) -> tuple[Headers, bytes]:
    """Split an entity into head and body (RFC 5322, 2.1)."""
    head, body = _halves(raw)
    return read_head(head), body


def below(raw: bytes) -> bytes:
    """Return the body alone, without reading the head."""
    return _halves(raw)[1]


def _halves(raw: bytes) -> tuple[bytes, bytes]:
    end = _END.search(raw)
    return (raw[: end.start()], raw[end.end() :]) if end else (raw, b"")


def read_head(head: bytes) -> Headers:
    """Read a head. A line that is no field is dropped and does not end the head."""
    lines = [line for line in _lines(head) if line.strip()]
    if lines and _MBOX.match(lines[0]):
        del lines[0]
    good = [line for line in lines if _FIELD.match(line)]
    return Headers(tuple(_fields(good)), broken=len(good) < len(lines))


def _fields(lines: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """Yield each field together with its continuation lines."""
    name, values = "", [""]
    for line in (line.decode("ascii", "surrogateescape") for line in lines):
        if line[0] in " \t":
            values.append(line)
            continue
        if name:
            yield name.lower(), _value("\n".join(values))
        name, _, value = line.partition(":")
        values = [value]
    if name:
        yield name.lower(), _value("\n".join(values))


def _lines(head: bytes) -> list[bytes]:
    """Split a head into lines. A bare CR ends no line (RFC 5322, 2.3), or it could begin a second
    From."""
    return head.replace(b"\r\n", b"\n").replace(b"\r", b" ").split(b"\n")


def _value(raw: str) -> str:
    """Return a value unfolded; octets beyond ASCII are decoded, since RFC 6532 allows UTF-8."""
    text = _FOLD.sub(" ", raw) if "\n" in raw else raw
    if not text.isascii():
        text = decode(text.encode("utf-8", "surrogateescape"))
    return text.strip()


def words(value: str, limit: int) -> str:
    """Return a value with its encoded words (RFC 2047) decoded, as one line for people."""
    short = value[:MOST_VALUE]
    try:
        # Encoded words are ASCII; the stdlib leaves any other value alone.
        parts = decode_header(short)
        text = "".join(
            part if isinstance(part, str) else decode(part, charset) for part, charset in parts
        )
    except Exception:
        text = short
    return one_line(text, limit)


def subject(headers: Headers) -> str:
    return words(headers.first("subject"), MOST_SUBJECT)


def message_id(headers: Headers) -> str | None:
    """Return the Message-ID with its angle brackets, as another email refers to it."""
    return next(iter(_ids(headers.first("message-id"))), None)


def references(headers: Headers) -> tuple[str, ...]:
    answered = [one for value in headers.all("in-reply-to") for one in _ids(value)]
    older = [one for value in headers.all("references") for one in _ids(value)]
    return tuple(dict.fromkeys([*answered[:MOST_IDS], *reversed(older)]))[:MOST_IDS]


def _ids(value: str) -> list[str]:
    found = _ID.findall(value)
    if not found and (bare := _BARE_ID.fullmatch(value[:MOST_VALUE])):
        found = [bare[1]]
    return [f"<{one}>" for one in found]


def date(headers: Headers) -> datetime | None:
    """Return the sender's time; None if his clock was plainly not set.

    That is before 2000, or more than a day ahead of the newest Received.
    """
    written = _instant(headers.first("date"))
    received = arrival_time(headers)
    if written is None or written < OLDEST:
        return None
    if received is not None and written > received + CLOCKS_DIFFER:
        return None
    return written


def arrival_time(headers: Headers) -> datetime | None:
    """Return when the server that wrote the topmost Received took the email; None if none did."""
    return _instant(headers.first("received")[-MOST_VALUE:].rpartition(";")[2])


def _instant(value: str) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(value[:200])
        zoned = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)  # "-0000", RFC 5322, 3.3
        return zoned.astimezone(UTC)
    except Exception:
        return None


def recipients(headers: Headers) -> tuple[str, ...]:
    """Return every address it was sent to, the envelope's first.

    Mangled addresses are mended, and none is judged.
    """
    names = ("delivered-to", "x-original-to", "envelope-to", "to", "cc")
    found = (
        address
        for name in names
        for value in headers.all(name)
        for address in _addresses(value[:MOST_VALUE])
    )
    return tuple(dict.fromkeys(found))[:MOST_ADDRESSES]


def _addresses(value: str) -> Iterator[str]:
    for match in _ADDRESS.finditer(_DISPLAY.sub("", value)):
        local, _, domain = match[0].rpartition("@")
        # Some programs wrap an address in quotes and escape the delimiter.
        plain = local.strip("\"'").replace("%2B", "+").replace("%2b", "+").replace("=2B", "+")
        if (plain + domain).isprintable():
            yield f"{plain}@{domain.rstrip('.').lower()}"


class ContentType(Struct, frozen=True):
    """The Content-Type of a part, with the fields beside it (RFC 2045, 2183, 2231)."""

    type: str
    params: Mapping[str, str]
    encoding: str
    attached: bool
    filename: str


def content(headers: Headers) -> ContentType:
    message = Message(policy=compat32)
    for name in ("content-type", "content-disposition"):
        if value := headers.first(name)[:MOST_PARAM_SIGNS]:
            message[name] = ";".join(value.split(";", MOST_PARAMS)[:MOST_PARAMS])
    params = _params(message, "content-type")
    named = _params(message, "content-disposition").get("filename", params.get("name", ""))
    encoding = headers.first("content-transfer-encoding")[:100].split(";")[0].strip().lower()
    return ContentType(
        type=_type(message),
        params={name: params[name] for name in _WANTED if name in params},
        encoding=encoding,
        attached=_disposition(message) == "attachment",
        filename=words(named, MOST_SUBJECT),
    )


_WANTED = ("charset", "boundary", "format", "delsp", "report-type", "smime-type")


def _type(message: Message) -> str:
    try:
        return message.get_content_type()
    except Exception:
        return "text/plain"


def _params(message: Message, header: str) -> dict[str, str]:
    """Return the parameters of a field. Each is read by itself: a bad one must not hide the
    others."""
    try:
        pairs = message.get_params([], header)
    except Exception:
        return {}
    found: dict[str, str] = {}
    for name, value in reversed(pairs):  # if two have one name, the first counts
        try:
            found[name.lower()] = collapse_rfc2231_value(value).strip()
        except Exception:
            found.pop(name.lower(), None)
    return found


def _disposition(message: Message) -> str:
    try:
        return message.get_content_disposition() or ""
    except Exception:
        return ""
