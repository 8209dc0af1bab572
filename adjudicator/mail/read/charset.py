"""Decode bytes to text without ever failing: as declared, then as UTF-8, then as cp1252 (emails,
section 4). Files are read here, too, whoever asks."""

import codecs
import re
import unicodedata
from collections.abc import Iterator
from io import BytesIO, StringIO
from itertools import chain
from typing import BinaryIO

# The email declares the name, and the codec registry imports modules by name.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,39}")
# Python's text codecs that are no charsets of mail; their escapes would hide what a reader sees.
_DENIED = frozenset(
    {"utf-7", "idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"}
)
# The charsets that senders mean by older names (WHATWG Encoding, 4.2).
_MEANT = {"iso8859-1": "cp1252", "ascii": "utf-8", "gb2312": "gb18030", "ks_c_5601-1987": "cp949"}
# Escapes of ISO 2022 in seven bits (RFC 1468, 1554, 1557), and the codecs that know them: their
# letters are signs of ASCII, whatever a letter declares.
_ESCAPES = re.compile(rb"\x1b(?:\$[@AB]|\$\([CD@]|\([JI]|\$\)C)")
_ISO_2022 = ("iso2022_jp_ext", "iso2022_jp_2", "iso2022_jp_3")
_KOREAN = b"\x1b$)C"
_MOST_MARKS = 30
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEAD = 4096  # octets of a file that show how it is encoded
_WIDTHS = {"utf-16": 2, "utf-32": 4}  # octets


def decode(raw: bytes, declared: str | None = None) -> str:
    """Return the text with LF line ends; a NUL becomes U+FFFD, so that it cannot hide part of an
    order."""
    text = decode_text(raw, declared)
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")


def decode_text(raw: bytes, declared: str | None = None) -> str:
    """Return the text with its own line ends and with NULs, if there are any."""
    return _decoded(raw, declared).removeprefix("\ufeff")


def lines(file: BinaryIO) -> Iterator[str]:
    """Yield the lines of a text that may be long; only one that Windows wrote in two octets an
    email is held as a whole."""
    head = file.read(_HEAD)
    if _is_wide(head):
        yield from StringIO(decode_text(head + file.read()), newline=None)
        return
    for line in chain(BytesIO(head + file.readline()), file):
        yield from StringIO(decode_text(line), newline=None)


def narrow(raw: bytes) -> bytes:
    """Return a text without its byte-order mark, in one octet for each letter of ASCII."""
    return decode_text(raw).encode() if _is_wide(raw) else raw.removeprefix(codecs.BOM_UTF8)


def one_line(text: str, limit: int) -> str:
    """Make a text fit for a header of ours: no line break, control, format (bidi) or surrogate
    character."""
    blanks = "".join(" " if c.isspace() else c for c in text[: 20 * limit])
    kept = "".join(c for c in blanks if c.isprintable())
    return " ".join(kept.split())[:limit].rstrip()


def stream_safe(text: str) -> str:
    """Keep at most 30 combining marks in a row (UAX 15, section 13).

    Every normal form sorts them, which costs the square of their number.
    """
    if text.isascii() or not any(map(unicodedata.combining, set(text))):
        return text
    kept, run = [], 0
    for char in text:
        run = run + 1 if unicodedata.combining(char) else 0
        if run <= _MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def _decoded(raw: bytes, declared: str | None) -> str:
    if (encoding := _encoding_of_mark(raw) or _wide(raw)) is not None:
        width = _WIDTHS.get(encoding[:6], 1)  # of an email that was cut nothing is left
        return raw[: len(raw) // width * width].decode(encoding, errors="replace")
    known = _codec_name(declared)
    escaped: tuple[str, ...] = _ISO_2022 if raw.isascii() and _ESCAPES.search(raw) else ()
    if _KOREAN in raw and escaped:
        escaped = ("iso2022_kr",)
    if escaped and not (known or "").startswith("iso2022"):
        known = None
    for encoding in (known, *escaped, "utf-8"):
        if encoding is not None:
            try:
                return raw.decode(encoding)
            except (UnicodeError, LookupError, ValueError):
                continue
    return raw.decode("cp1252", errors="replace")


def _is_wide(raw: bytes) -> bool:
    """Return whether a text has more than one octet for a letter of ASCII, as Windows writes it."""
    return (_encoding_of_mark(raw) or _wide(raw) or "utf-8") != "utf-8"


def _encoding_of_mark(raw: bytes) -> str | None:
    """Return the encoding that a byte-order mark names; it counts more than the label."""
    return next((encoding for mark, encoding in _MARKS if raw.startswith(mark)), None)


def _wide(raw: bytes) -> str | None:
    """Recognise UTF-16 without a mark under another label: in plain text every other octet is
    NUL."""
    sample = raw[:2000]
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        half = sample[start::2]
        if len(half) > 3 and half.count(0) > 0.7 * len(half):
            return encoding
    return None


def _codec_name(declared: str | None) -> str | None:
    if declared is None or not _NAME.fullmatch(declared):
        return None
    try:
        name = codecs.lookup(declared).name
    except (LookupError, ValueError):
        return None
    return None if name in _DENIED else _MEANT.get(name, name)
