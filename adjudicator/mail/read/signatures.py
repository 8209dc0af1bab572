"""Take a text out of its signature: OpenPGP's armour (RFC 4880, section 7), S/MIME's opaque
envelope (RFC 8551, section 3.5.2).

Nothing is verified: the seat's address decides who may order.
"""

from collections.abc import Iterator

from msgspec import Struct

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
    letter's."""
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
    return _signed(octets) is not None


def signed_content(octets: bytes) -> bytes | None:
    """Return what is signed; None if that is not in the octets, or they are nothing signed."""
    signed = _signed(octets)
    fields = _children(octets, signed) if signed else iter(())
    tags = [(field, field.tag) for field in fields]
    if [tag for _, tag in tags[:3]] != [_INTEGER, _SET, _SEQUENCE]:
        return None
    inside = list(_children(octets, tags[2][0]))
    if [one.tag for one in inside] != [_OBJECT, _EXPLICIT]:
        return None
    text = next(_children(octets, inside[1]), None)
    if text is None or text.tag & ~_CONSTRUCTED != _OCTETS:
        return None
    return b"".join(octets[one.start : one.end] for one in _primitive(octets, text))


class _Element(Struct, frozen=True):
    """An element of ASN.1: its tag, where its content starts and ends, and what comes behind."""

    tag: int
    start: int
    end: int
    behind: int


def _signed(octets: bytes) -> _Element | None:
    """Return the SignedData in a ContentInfo (RFC 5652, sections 3 and 5.1)."""
    info = _element(octets, 0, len(octets))
    fields = list(_children(octets, info)) if info and info.tag == _SEQUENCE else []
    if [field.tag for field in fields[:2]] != [_OBJECT, _EXPLICIT]:
        return None
    if octets[fields[0].start : fields[0].end] != _SIGNED_DATA:
        return None
    signed = next(_children(octets, fields[1]), None)
    return signed if signed and signed.tag == _SEQUENCE else None


def _children(octets: bytes, parent: _Element) -> Iterator[_Element]:
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
            waiting.append(_children(octets, piece))


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
