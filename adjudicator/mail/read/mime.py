"""Split a letter into its parts (RFC 2045, 2046), in one pass for each level.

The stdlib's parser looks for every open boundary at every line and recurses with the depth: 2,000
nested parts cost it minutes, or its stack. Here the number of parts and levels is bounded.
"""

import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from msgspec import Struct, structs

from adjudicator.mail.read.headers import Content, Headers, content, split
from adjudicator.mail.read.signatures import signed_content

MOST_BOUNDARY = 200  # RFC 2046 allows 70
_DIGEST = "multipart/digest"  # holds other people's letters
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
    content: Content
    body: bytes
    forms: Mapping[int, int] = {}


class Walk(Struct, frozen=True):
    """The leaves in their order. A message/rfc822 is a leaf, for it is somebody else's letter."""

    leaves: tuple[Part, ...]
    defects: tuple[str, ...]


def walk(top: Part, most_parts: int, most_depth: int) -> Walk:
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
    return Walk(tuple(leaves), tuple(dict.fromkeys(defects)))


def part(raw: bytes) -> Part:
    headers, body = split(raw)
    return Part(headers, content(headers), body)


def is_smime(leaf: Part) -> bool:
    """Return whether a part is a letter in an envelope of S/MIME, signed or encrypted."""
    named = leaf.content.filename.lower().endswith(".p7m")
    return leaf.content.type in _SMIME or (named and leaf.content.type in UNTYPED)


def is_closed(top: Part) -> bool:
    """Return whether a letter ends with its last boundary, if it has parts: else it was cut."""
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

    A signature that is around all of a letter has that inside.
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
