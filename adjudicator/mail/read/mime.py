"""Split an email into its parts (RFC 2045, 2046), in one pass for each level.

The stdlib's parser looks for every open boundary at every line and recurses with the depth: 2,000
nested parts cost it minutes, or its stack. Here the number of parts and levels is bounded.
"""

import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from msgspec import Struct, structs

from adjudicator.mail.read.headers import ContentType, Headers, content, split

# Take a text out of its signature: OpenPGP's armour (RFC 4880, section 7), S/MIME's opaque
# envelope (RFC 8551, section 3.5.2).
#
# Nothing is verified: the seat's address decides who may order.


_BEGIN = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE = "-----BEGIN PGP SIGNATURE-----"
_END = "-----END PGP SIGNATURE-----"

# Tags of ASN.1 (X.690), and the names of two kinds of content (RFC 5652).
_SEQUENCE, _SET, _OCTETS, _OBJECT, _INTEGER, _EXPLICIT = 0x30, 0x31, 0x04, 0x06, 0x02, 0xA0
_CONSTRUCTED = 0x20
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_MOST_LENGTH = 4  # octets of a length


def unarmour(text: str) -> str:
    """Blank out the armour. Every line stays where it was, so that a receipt's line numbers are the
    email's."""
    if _BEGIN not in text or _SIGNATURE not in text:
        return text
    place = "outside"
    return "\n".join(line for place, line in _lines(text.split("\n"), place))


def _lines(lines: list[str], place: str) -> list[tuple[str, str]]:
    done = []
    for line in lines:
        mark = line.rstrip()
        if place == "outside" and mark == _BEGIN:
            place, line = "head", ""
        elif place == "head":  # Hash: SHA256, then an empty line
            place, line = ("head", "") if mark else ("text", "")
        elif place == "text" and mark == _SIGNATURE:
            place, line = "signature", ""
        elif place == "text":
            line = line.removeprefix("- ")  # dash-escaped, 7.1
        elif place == "signature":
            place, line = ("outside", "") if mark == _END else ("signature", "")
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


MOST_BOUNDARY = 200  # RFC 2046 allows 70
_DIGEST = "multipart/digest"  # holds other people's emails
_SMIME = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
UNTYPED = frozenset({"application/octet-stream", "application/x-unknown"})

_BASE64 = re.compile(rb"[A-Za-z0-9+/= \t\r]*")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")


class Part(Struct, frozen=True):
    """One entity; `body` is still in its transfer encoding.

    `forms` tells for each multipart/alternative around it which one that is, and in which of its
    forms this part stands.
    """

    headers: Headers
    content: ContentType
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
        is_multipart = part.content.type.startswith("multipart/") and part.content.type != _DIGEST
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
    return Part(headers, content(headers), body)


def is_smime(leaf: Part) -> bool:
    """Return whether a part is an email in an envelope of S/MIME, signed or encrypted."""
    named = leaf.content.filename.lower().endswith(".p7m")
    return leaf.content.type in _SMIME or (named and leaf.content.type in UNTYPED)


def is_closed(top: Part) -> bool:
    """Return whether an email ends with its last boundary, if it has parts: else it was cut."""
    boundary = top.content.params.get("boundary", "").rstrip()
    if not (top.content.type.startswith("multipart/") and boundary):
        return True
    last = re.escape(boundary.encode("utf-8", "replace"))
    return re.search(rb"(?:\A|\n)--" + last + rb"--[ \t]*(?:\r?\n|\Z)", top.body) is not None


def _within(parent: Part, number: int, parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the parts of one that has this number, each with the forms in which it stands."""
    alternative = parent.content.type == "multipart/alternative"
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
    boundary = parent.content.params.get("boundary", "").rstrip()
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
    if leaf.content.encoding == "quoted-printable":
        # Blanks at the end of a line were added on the way (RFC 2045, section 6.7).
        return binascii.a2b_qp(b"\n".join(line.rstrip() for line in leaf.body.split(b"\n")))
    if leaf.content.encoding == "base64":
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
