"""Split an email into its parts (RFC 2045, 2046), in one pass for each level, and read the head of
each in such a way that no header can raise.

`email.policy.default` raises on headers that are met in practice, so every field is split off and
read here from its raw value. The stdlib's parser looks for every open boundary at every line and
recurses with the depth: 2,000 nested parts cost it minutes, or its stack. Here the number of parts
and levels is bounded.
"""

import binascii
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.header import decode_header
from email.message import Message
from email.policy import compat32
from email.utils import collapse_rfc2231_value, parsedate_to_datetime
from functools import cached_property
from itertools import chain

from msgspec import Struct, structs

from adjudicator.mail.read.charset import decode, one_line

# The head of an email, or of one of its parts.


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


# The parts.


MOST_BOUNDARY = 200  # RFC 2046 allows 70
_DIGEST = "multipart/digest"  # holds other people's emails
_SMIME = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
UNTYPED = frozenset({"application/octet-stream", "application/x-unknown"})

_BASE64 = re.compile(rb"[A-Za-z0-9+/= \t\r]*")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")


class Part(Struct, frozen=True, kw_only=True):
    """One entity, with what its Content-Type says and the fields beside it (RFC 2045, 2183, 2231);
    `body` is still in its transfer encoding.

    `forms` tells for each multipart/alternative around it which one that is, and in which of its
    forms this part stands.
    """

    headers: Headers
    type: str
    params: Mapping[str, str]
    encoding: str
    attached: bool
    filename: str
    body: bytes
    forms: Mapping[int, int] = {}


def walk(top: Part, most_parts: int, most_depth: int) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """Return the leaves in their order, and what is wrong. A message/rfc822 is a leaf, for it is
    somebody else's email."""
    leaves: list[Part] = []
    defects: list[str] = []
    levels = [iter([top])]
    seen = 0
    while levels:
        part = next(levels[-1], None)
        if part is None:
            levels.pop()
            continue
        seen += 1
        if seen > most_parts:
            defects.append("too many parts")
            break
        is_multipart = part.type.startswith("multipart/") and part.type != _DIGEST
        if not (is_multipart or is_smime(part)):
            leaves.append(part)
        elif len(levels) >= most_depth:
            defects.append("too deep")
        elif (first := next(children := _within(part, seen, _children(part)), None)) is not None:
            levels.append(chain([first], children))
        else:
            defects += ["broken multipart"] if is_multipart else []
            leaves.append(part)
    return tuple(leaves), tuple(dict.fromkeys(defects))


def part(raw: bytes) -> Part:
    headers, body = split(raw)
    message = Message(policy=compat32)
    for name in ("content-type", "content-disposition"):
        if value := headers.first(name)[:MOST_PARAM_SIGNS]:
            message[name] = ";".join(value.split(";", MOST_PARAMS)[:MOST_PARAMS])
    params = _params(message, "content-type")
    named = _params(message, "content-disposition").get("filename", params.get("name", ""))
    encoding = headers.first("content-transfer-encoding")[:100].split(";")[0].strip().lower()
    return Part(
        headers=headers,
        type=_type(message),
        params={name: params[name] for name in _WANTED if name in params},
        encoding=encoding,
        attached=_disposition(message) == "attachment",
        filename=words(named, MOST_SUBJECT),
        body=body,
    )


def is_smime(leaf: Part) -> bool:
    """Return whether a part is an email in an envelope of S/MIME, signed or encrypted."""
    named = leaf.filename.lower().endswith(".p7m")
    return leaf.type in _SMIME or (named and leaf.type in UNTYPED)


def is_closed(top: Part) -> bool:
    """Return whether an email ends with its last boundary, if it has parts: else it was cut."""
    boundary = top.params.get("boundary", "").rstrip()
    if not (top.type.startswith("multipart/") and boundary):
        return True
    last = re.escape(boundary.encode("utf-8", "replace"))
    return re.search(rb"(?:\A|\n)--" + last + rb"--[ \t]*(?:\r?\n|\Z)", top.body) is not None


def _within(parent: Part, number: int, parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the parts of one that has this number, each with the forms in which it stands."""
    alternative = parent.type == "multipart/alternative"
    for form, one in enumerate(parts):
        forms = {**parent.forms, number: form} if alternative else parent.forms
        yield structs.replace(one, forms=forms)


def is_other_form(one: Part, other: Part) -> bool:
    """Return whether two parts are different forms of the same words."""
    return any(other.forms.get(number, form) != form for number, form in one.forms.items())


def _children(parent: Part) -> Iterator[Part]:
    """Yield the parts one by one, because of very many parts most are never looked at.

    A signature that is around all of an email has that inside.
    """
    if is_smime(parent):
        inside = signed_content(octets(parent))
        yield from [] if inside is None else [part(inside)]
    boundary = parent.params.get("boundary", "").rstrip()
    if boundary and len(boundary) <= MOST_BOUNDARY:
        yield from map(part, _pieces(parent.body, boundary))


def _pieces(body: bytes, boundary: str) -> Iterator[bytes]:
    """Yield the texts between the boundary lines; if the last boundary is missing, the body ends
    there."""
    mark = re.escape(boundary.encode("utf-8", "replace"))
    line = re.compile(rb"(?:\A|\r?\n)--" + mark + rb"(--)?[ \t]*(?=\r?\n|\Z)")
    start = None
    for found in line.finditer(body):
        if start is not None:
            yield body[start : found.start()]
        if found[1]:
            return
        start = _after_line(body, found.end())
    if start is not None:
        yield body[start:]


def _after_line(body: bytes, end: int) -> int:
    return end + 2 if body.startswith(b"\r\n", end) else min(end + 1, len(body))


def octets(leaf: Part) -> bytes:
    """Undo the transfer encoding of a body as far as possible; never raise."""
    if leaf.encoding == "quoted-printable":
        # Blanks at the end of a line were added on the way (RFC 2045, section 6.7).
        return binascii.a2b_qp(b"\n".join(line.rstrip() for line in leaf.body.split(b"\n")))
    if leaf.encoding == "base64":
        return _base64(leaf.body)
    return leaf.body


def _base64(body: bytes) -> bytes:
    """Decode up to the first line that is not base64, such as a mailing list's footer."""
    good = []
    for line in body.strip().split(b"\n"):
        if not _BASE64.fullmatch(line) or b" " in line.strip():
            break
        good.append(line)
    letters = _NOT_BASE64.sub(b"", b"".join(good).partition(b"=")[0])
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    try:
        return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))
    except (binascii.Error, ValueError):
        return b""


# Take a text out of its signature: OpenPGP's armour (RFC 4880, section 7), S/MIME's opaque
# envelope (RFC 8551, section 3.5.2).
#
# Nothing is verified: the seat's address decides who may order.


_ARMOURED = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE = "-----BEGIN PGP SIGNATURE-----"
_END_OF_SIGNATURE = "-----END PGP SIGNATURE-----"

# Tags of ASN.1 (X.690), and the names of two kinds of content (RFC 5652).
_SEQUENCE, _SET, _OCTETS, _OBJECT, _INTEGER, _EXPLICIT = 0x30, 0x31, 0x04, 0x06, 0x02, 0xA0
_CONSTRUCTED = 0x20
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_MOST_LENGTH = 4  # octets of a length


def unarmour(text: str) -> str:
    """Blank out the armour. Every line stays where it was, so that a receipt's line numbers are the
    email's."""
    if _ARMOURED not in text or _SIGNATURE not in text:
        return text
    place = "outside"
    return "\n".join(line for place, line in _armour(text.split("\n"), place))


def _armour(lines: list[str], place: str) -> list[tuple[str, str]]:
    done = []
    for line in lines:
        mark = line.rstrip()
        if place == "outside" and mark == _ARMOURED:
            place, line = "head", ""
        elif place == "head":  # Hash: SHA256, then an empty line
            place, line = ("head", "") if mark else ("text", "")
        elif place == "text" and mark == _SIGNATURE:
            place, line = "signature", ""
        elif place == "text":
            line = line.removeprefix("- ")  # dash-escaped, 7.1
        elif place == "signature":
            place, line = ("outside", "") if mark == _END_OF_SIGNATURE else ("signature", "")
        done.append((place, line))
    return done


def is_signed(octets: bytes) -> bool:
    """Return whether these octets are signed data, and so not encrypted."""
    return _signed_data(octets) is not None


def signed_content(octets: bytes) -> bytes | None:
    """Return what is signed; None if that is not in the octets, or they are nothing signed."""
    signed = _signed_data(octets)
    fields = _children_of(octets, signed) if signed else iter(())
    tags = [(field, field.tag) for field in fields]
    if [tag for _, tag in tags[:3]] != [_INTEGER, _SET, _SEQUENCE]:
        return None
    inside = list(_children_of(octets, tags[2][0]))
    if [one.tag for one in inside] != [_OBJECT, _EXPLICIT]:
        return None
    text = next(_children_of(octets, inside[1]), None)
    if text is None or text.tag & ~_CONSTRUCTED != _OCTETS:
        return None
    return b"".join(octets[one.start : one.end] for one in _primitive(octets, text))


class _Element(Struct, frozen=True):
    """An element of ASN.1: its tag, where its content starts and ends, and what comes behind."""

    tag: int
    start: int
    end: int
    behind: int


def _signed_data(octets: bytes) -> _Element | None:
    """Return the SignedData in a ContentInfo (RFC 5652, sections 3 and 5.1)."""
    info = _element(octets, 0, len(octets))
    fields = list(_children_of(octets, info)) if info and info.tag == _SEQUENCE else []
    if [field.tag for field in fields[:2]] != [_OBJECT, _EXPLICIT]:
        return None
    if octets[fields[0].start : fields[0].end] != _SIGNED_DATA:
        return None
    signed = next(_children_of(octets, fields[1]), None)
    return signed if signed and signed.tag == _SEQUENCE else None


def _children_of(octets: bytes, parent: _Element) -> Iterator[_Element]:
    at = parent.start
    while at < parent.end and (child := _element(octets, at, parent.end)):
        yield child
        at = child.behind


def _primitive(octets: bytes, text: _Element) -> Iterator[_Element]:
    """Yield the pieces of a text, which BER may cut into several, also pieces of pieces."""
    waiting = [iter((text,))]
    while waiting:
        piece = next(waiting[-1], None)
        if piece is None:
            waiting.pop()
        elif piece.tag == _OCTETS:
            yield piece
        elif piece.tag == _OCTETS | _CONSTRUCTED and len(waiting) < _MOST_LENGTH:
            waiting.append(_children_of(octets, piece))


def _element(octets: bytes, at: int, end: int) -> _Element | None:
    """Return the element that begins at an octet; None if it does not end before `end`."""
    head = _head(octets, at, end)
    if head is None:
        return None
    tag, start, length = head
    if length is not None:
        return _Element(tag, start, start + length, start + length)
    # Of an indefinite length: it goes on to the end mark of its own (X.690, section 8.1.3.6).
    depth, at = 1, start
    while depth and (inner := _head(octets, at, end)):
        inner_tag, content, length = inner
        if inner_tag == 0 and length == 0:
            depth -= 1
        elif length is None:
            depth += 1
        at = content + (length or 0)
    return None if depth else _Element(tag, start, at - 2, at)


def _head(octets: bytes, at: int, end: int) -> tuple[int, int, int | None] | None:
    """Return an element's tag, where its content starts, and how long that is, None if that is
    not told."""
    if at + 2 > end or octets[at] & 0x1F == 0x1F:  # no tag here needs more than an octet
        return None
    first, start = octets[at + 1], at + 2
    if first == 0x80:
        return octets[at], start, None
    if first < 0x80:
        length = first
    elif first - 0x80 <= _MOST_LENGTH:
        length = int.from_bytes(octets[start : start + first - 0x80], "big")
        start += first - 0x80
    else:
        return None
    return (octets[at], start, length) if start + length <= end else None
