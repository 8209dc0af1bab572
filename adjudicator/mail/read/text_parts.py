"""Find the texts among the parts of an email: what was written, and what was attached as text."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from msgspec import Struct, structs

from adjudicator.core.commands import code_of, is_command
from adjudicator.core.message import Message
from adjudicator.core.orders import lookup_form, split_lines
from adjudicator.core.sheets import begins, ends, read_sheets, sheets_in
from adjudicator.mail.read.charset import decode, stream_safe
from adjudicator.mail.read.html_text import to_lines
from adjudicator.mail.read.mime import (
    UNTYPED,
    Part,
    is_other_form,
    is_signed,
    is_smime,
    octets,
    unarmour,
)

# Undo format=flowed (RFC 3676): join soft line ends at the same depth of quoting.
#
# A soft line end is a blank, and people write blanks there, too. So nothing is joined to a line
# whose end no program made, because the next word would have had room there; nor to the head of a
# sheet, to END, or to a short remark, which would swallow it. A line that is refused is better than
# an order that vanishes.


_QUOTED = re.compile(r">*")
_COMMENT = re.compile(r"#|//")
_NARROW = 50  # characters; no program breaks a remark so early
_ROOM = 65  # characters; no program leaves so much of a line free


def unflow(text: str, delsp: bool) -> str:
    done: list[str] = []
    open_: list[str] = []  # the pieces of a line that goes on
    lines = [(*_level(raw), len(raw)) for raw in text.split("\n")]
    for (level, line, length), (below, next_line, _) in pairwise([*lines, (-1, "", 0)]):
        has_room = length + len(next_line.partition(" ")[0]) <= _ROOM
        soft = (
            _soft(line)
            and level == below  # RFC 3676, 4.5
            and next_line != "-- "  # 4.3
            and not (has_room or _short_comment([*open_[-1:], line]))
            and not any(begins(one) or ends(one) for one in (line, next_line))
        )
        open_.append(line[:-1] if soft and delsp else line)
        if not soft:
            done.append(_quoted(level, open_))
            open_ = []
    return "\n".join(done)


def _level(raw: str) -> tuple[int, str]:
    """Return the depth of quoting, and the line without its stuffed blank (RFC 3676, 4.4)."""
    level = len(_QUOTED.match(raw)[0])  # type: ignore[index]  # it matches everything
    return level, raw[level:].removeprefix(" ")


def _quoted(level: int, pieces: list[str]) -> str:
    line = "".join(pieces)
    return f"{'>' * level} {line}" if level else line


def _soft(line: str) -> bool:
    return line.endswith(" ") and line != "-- "


def _short_comment(pieces: list[str]) -> bool:
    """Return whether the line is a short remark, whose blank at the end was no program's."""
    return len(pieces[-1]) < _NARROW and any(_COMMENT.search(piece) for piece in pieces)


_TEXT_NAMES = (".txt", ".text", ".orders", ".json")
# What an email of ours says as JSON, which comes back with it; it is never read as orders.
_VALUE, _VALUE_NAME = re.compile(r'\s*\{"(?:acts|adjud)":'), (".adjud.json",)
_WORD = (".doc", ".docx")
_PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".heic", ".heif", ".webp", ".bmp", ".tif", ".tiff")
_SOUNDS = (".m4a", ".mp3", ".ogg", ".opus", ".wav", ".amr", ".aac")
_SMALL_PICTURE = 40_000  # octets in base64; a photograph has more
# Types of parts that programs add to emails: signatures, keys, calling cards, appointments.
_OF_PROGRAMS = ("pgp-", "pkcs7-", "x-pkcs7-", "pkix-", "x-x509-", "ics")
_TEXTS_OF_PROGRAMS = frozenset({"calendar", "vcard", "x-vcard", "directory", "rfc822-headers"})
# The file in which Outlook packs a whole email; other programs cannot open it.
_TNEF = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
_CALENDARS = frozenset({"text/calendar", "application/ics"})
_ENCRYPTED = "application/pgp-encrypted"
_PGP_MESSAGE = "-----BEGIN PGP MESSAGE-----"


class File(Struct, frozen=True):
    """A part of which nothing is read, by its file's name or else by its type.

    A small picture that was not attached may be no more than a drawing in a signature, and some
    files are added by programs alone.
    """

    name: str
    kind: Literal["Word", "picture", "sound", "Outlook", "calendar", "other"]
    is_small: bool = False
    is_programs: bool = False


class Bodies(Struct, frozen=True):
    """The texts of an email; `pages` are HTML that should be another form of the body."""

    body: str
    html_only: bool = False
    pages: tuple[Part, ...] = ()
    attachments: tuple[str, ...] = ()
    files: tuple[File, ...] = ()
    defects: tuple[str, ...] = ()
    unsound: Message | None = None  # what is wrong with orders that are JSON


class Room(Struct):
    """An email may be read so much further: characters, and lines that are not blank."""

    characters: int
    lines: int
    short: bool = False  # something had no room

    def take(self, text: str) -> str:
        """Return as much of a text as there is room for."""
        kept = text[: self.characters]
        lines = kept.split("\n")
        filled = [n for n, line in enumerate(lines) if line and not line.isspace()]
        if len(filled) > self.lines:
            kept = "\n".join(lines[: filled[self.lines]])
        self.short = self.short or len(kept) < len(text)
        self.characters -= len(kept)
        self.lines -= min(len(filled), self.lines)
        return kept


def read_bodies(leaves: Sequence[Part], room: Room) -> Bodies:
    """Return what was written, the attachments that say something, and what is wrong with both."""
    written = _written([leaf for leaf in leaves if not _is_attachment(leaf)], room)
    files = [_plain(leaf, room) for leaf in leaves if _attached_text(leaf) and not _is_value(leaf)]
    (body, _), *attachments = found = [_from_json(text) for text in (written.body, *files)]
    defects = {
        "body too long": room.short,
        **dict.fromkeys(written.defects, True),
        "signed": any(_is_signed(leaf) for leaf in leaves if is_smime(leaf)),
        "encrypted": is_encrypted(leaves) or _PGP_MESSAGE in written.body,
    }
    return structs.replace(
        written,
        body=_ready(body),
        attachments=tuple(_ready(text) for text, _ in attachments if text.strip()),
        files=tuple(map(_file, filter(_is_unread, leaves))),
        defects=tuple(defect for defect, there in defects.items() if there),
        unsound=next((wrong for _, wrong in found if wrong), None),
    )


def _from_json(text: str) -> tuple[str, Message | None]:
    """Return a text with its sheets as text, if it begins with JSON (club, 12.3), and what is wrong
    with that."""
    found = sheets_in(text)
    if found is None:
        return text, None
    if isinstance(found, Message):
        return text, found
    return f"{found.text}{found.rest}", None


def is_encrypted(leaves: Sequence[Part]) -> bool:
    """Return whether an email has a part of a kind that only its reader can open."""
    sealed = [leaf for leaf in leaves if is_smime(leaf) and not _is_signed(leaf)]
    return bool(sealed) or any(leaf.type == _ENCRYPTED for leaf in leaves)


def _is_unread(leaf: Part) -> bool:
    """Return whether a part says what nobody reads here. Keys, signatures and calling cards are
    left out."""
    kind, _, form = leaf.type.partition("/")
    if _attached_text(leaf) or kind == "multipart" or is_smime(leaf):
        return False
    if kind == "message":
        return form == "rfc822"  # an email that was forwarded as a file
    if is_calendar(leaf):
        return True
    if kind == "text":
        return _is_attachment(leaf) and form not in _TEXTS_OF_PROGRAMS
    return not form.startswith(_OF_PROGRAMS)


def _file(leaf: Part) -> File:
    kind = _kind(leaf)
    return File(
        name=leaf.filename or leaf.type,
        kind=kind,
        is_small=kind == "picture" and not leaf.attached and len(leaf.body) < _SMALL_PICTURE,
        is_programs=kind in ("Outlook", "calendar") or leaf.type.startswith(("text/", "message/")),
    )


def _kind(leaf: Part) -> Literal["Word", "picture", "sound", "Outlook", "calendar", "other"]:
    if leaf.type in _TNEF or _has_ending(leaf, ("winmail.dat",)):
        return "Outlook"
    if leaf.type.startswith("image/") or _has_ending(leaf, _PICTURES):
        return "picture"
    if leaf.type.startswith("audio/") or _has_ending(leaf, _SOUNDS):
        return "sound"
    if is_calendar(leaf):
        return "calendar"
    return "Word" if _has_ending(leaf, _WORD) else "other"


def is_calendar(leaf: Part) -> bool:
    """Return whether a part holds appointments (RFC 5545)."""
    return leaf.type in _CALENDARS or _has_ending(leaf, (".ics",))


def _is_signed(envelope: Part) -> bool:
    told = envelope.params.get("smime-type", "").lower()
    return told == "signed-data" or is_signed(octets(envelope))


def page_of(pages: Sequence[Part], room: Room) -> str:
    """Return the text of such pages; nothing if there is no room for all of it."""
    text = room.take(to_lines(_join_around_pictures([text_of(leaf) for leaf in pages])) or "")
    return "" if room.short else _ready(text)


def _written(inline: Sequence[Part], room: Room) -> Bodies:
    """Return the plain text, or the HTML if there is none, as the body of an email.

    HTML that is no other form of the plain text is read with it, in the order in which they stand,
    if it comes first or has a sheet or a code of its own; all of that then counts as HTML.
    """
    texts = [(leaf, _plain(leaf, room)) for leaf in inline if leaf.type == "text/plain"]
    plain = [(leaf, text) for leaf, text in texts if text.strip()]
    pages = [leaf for leaf in inline if _is_html(leaf) and _is_alone(leaf, plain)]
    body = _join_around_pictures([text for _, text in plain])
    plain_body = Bodies(body, pages=tuple(filter(_is_html, inline)))
    if not pages:
        return plain_body
    page = to_lines(_join_around_pictures([text_of(leaf) for leaf in pages]))
    if page is None:
        return Bodies(body, html_only=True, defects=("too much formatting",))
    start = inline.index(pages[0])
    above = [text for leaf, text in plain if inline.index(leaf) < start]
    if body and not _says_more(page, body, first=not above):
        return plain_body
    below = [text for _, text in plain[len(above) :]]
    return Bodies(_join_around_pictures([*above, room.take(page), *below]), html_only=True)


def _is_html(leaf: Part) -> bool:
    return leaf.type == "text/html"


def _is_alone(page: Part, plain: Sequence[tuple[Part, str]]) -> bool:
    """Return whether a page of HTML says what no plain text says. Such a text beside it is no other
    form of it: mail servers append their footers so."""
    return not any(is_other_form(page, leaf) for leaf, _ in plain)


def _says_more(page: str, body: str, *, first: bool) -> bool:
    """Return whether a page says something and comes first, or has a sheet or a code, beside a
    plain text. If both have a sheet, they are two, and whoever answers says so.

    A page with the same sheets as the text is that once more: some programs send both forms of an
    email so, one below the other.
    """
    sheets = _sheets(page)
    if sheets and sheets == _sheets(body):
        return False
    # A code by itself may as well be a step.
    confirms = any(is_command(line) and code_of(line) for line in split_lines(page))
    return bool(sheets) or (first and bool(page.strip())) or confirms


def _sheets(text: str) -> list[list[str]]:
    """Return what is said in each sheet of a text."""
    sheets = read_sheets(text).sheets
    lines = ([one.line, *one.body, *(command.line for command in one.commands)] for one in sheets)
    return [[words for line in sheet if (words := lookup_form(line.text))] for sheet in lines]


def _ready(text: str) -> str:
    return unarmour(stream_safe(text))


def _join_around_pictures(texts: Sequence[str]) -> str:
    """Join the texts into which Apple's programs cut an email around a picture."""
    return "\n".join(text.removesuffix("\n") for text in texts)


def text_of(leaf: Part) -> str:
    return decode(octets(leaf), leaf.params.get("charset"))


def _plain(leaf: Part, room: Room) -> str:
    text = room.take(text_of(leaf))
    params = leaf.params
    if params.get("format", "").lower() != "flowed":
        return text
    return unflow(text, delsp=params.get("delsp", "").lower() == "yes")


def _is_attachment(leaf: Part) -> bool:
    """Return whether a part is an attachment.

    mutt and Apple Mail attach a text inline, with a name.
    """
    return leaf.attached or bool(leaf.filename)


def _attached_text(leaf: Part) -> bool:
    if not _is_attachment(leaf):
        return False
    untyped = leaf.type in UNTYPED and _has_ending(leaf, _TEXT_NAMES)
    return leaf.type in ("text/plain", "application/json") or untyped


def _is_value(leaf: Part) -> bool:
    return _has_ending(leaf, _VALUE_NAME) or _VALUE.match(text_of(leaf)) is not None


def _has_ending(leaf: Part, endings: tuple[str, ...]) -> bool:
    return leaf.filename.lower().endswith(endings)
