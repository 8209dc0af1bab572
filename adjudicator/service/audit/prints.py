"""Find whole reports in a paper, as they were printed: as text, HTML, page or JSON.

Each says in one line what it was made with (`core/report.MadeWith`); with that and the log it can
be made again. The HTML of an email and the page that is attached to it have no such line of their
own: they go with the text of their email.
"""

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import pairwise
from typing import Any, Literal

from msgspec import Struct, ValidationError, convert
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator.core.report import MadeWith, OwnPapers
from adjudicator.mail.read.html_page import read_tags
from adjudicator.service.audit.facts import epoch_in
from adjudicator.service.emails.value import VALUE_ID

Form = Literal["json", "text", "letter", "page", "aside"]  # `aside`: what is told once only

_MADE = re.compile(r'^[ \t]*(\{"made":\{[^\n]*\}\})[ \t]*$', re.M)
_HEADING = re.compile(r"^(\S[^\n]*)\n(={3,})[ \t]*$", re.M)
_PLY = re.compile(r"^Logg? \w+ [a-z][a-z0-9-]{0,23}, \w+ (\d{1,9}):?[ \t]*$", re.M)
_PROOF = re.compile(r"^[^\n|]*SHA-256[^\n|]*ADJUD[^\n]*(?:\n[^\n]*)?:\n *[0-9a-f]{64}\n", re.M)
_OWN_LINE = re.compile(r'^ *\{"own":[^\n]*\n', re.M)
_OF_ORDERS = re.compile(r"[^|]*SHA-256[^|]*ADJUD[12]\|")
_ALL_HEX = re.compile(r"[0-9a-f]{64}")
_HISTORY = re.compile(r'<section class="?history[" ]')
_PRESS = re.compile(r'<section class="?press"?>.*?</section>\s*', re.S)
# The lines about the club at the end of an email's HTML are no part of its report.
_FOOTER = re.compile(r'<p style="[^"]*;border-top:[^"]*">[^\n]*</p>\s*(?=</div>\s*</body>)')
_IS_PAGE = re.compile(r'<header class="?head"?')


class PrintedReport(Struct, frozen=True, kw_only=True):
    """A report as it was printed. `content` is its text or its HTML, `body` its JSON; `text` is the
    text of the email that has the HTML. They are kept packed: a season has thousands of them."""

    form: Form
    ply: int
    made: MadeWith
    epoch: str = ""
    own: OwnPapers | None = None
    packed_content: bytes = b""
    packed_text: bytes = b""
    body: Mapping[str, Any] = {}

    @property
    def content(self) -> str:
        return _unpacked(self.packed_content)

    @property
    def text(self) -> str:
        return _unpacked(self.packed_text)


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def _unpacked(packed: bytes) -> str:
    return zlib.decompress(packed).decode("utf-8", "surrogatepass") if packed else ""


def in_text(text: str) -> Iterator[PrintedReport]:
    """Yield the reports in a text whose lines end in LF: each begins with its heading and ends with
    the line that says what it was made with."""
    begun = [one.start() for one in _HEADING.finditer(text) if len(one[1].strip()) == len(one[2])]
    for start, end in pairwise([*begun, len(text)]):
        part = text[start:end]
        found, ply = _MADE.search(part), _PLY.search(part)
        made = _made(found[1]) if found else None
        if found and made and not ply and made.news is None and made.once:
            packed = _packed(part[: found.end()] + "\n")
            last = made.once[-1][1]
            yield PrintedReport(
                form="aside", ply=last, made=made, packed_content=packed, packed_text=packed
            )
        if found and ply and made:
            content = part[: found.end()] + "\n"
            yield PrintedReport(
                form="text",
                ply=int(ply[1]),
                made=made,
                epoch=epoch_in(content) or "",
                own=own_in(content),
                packed_content=_packed(content),
                packed_text=_packed(content),
            )


def in_page(html: str, text: str) -> Iterator[PrintedReport]:
    """Yield the report that a page is, if it says by itself what it was made with; `text` is what
    it says."""
    found, ply = _MADE.search(text), _PLY.search(text)
    made = _made(found[1]) if found else None
    if made and ply:
        yield PrintedReport(
            form="page",
            ply=int(ply[1]),
            made=made,
            epoch=epoch_in(text) or "",
            own=own_in(text),
            packed_content=_packed(html),
        )


def beside(text: PrintedReport, html: str) -> PrintedReport:
    """Return the HTML of an email, or the page that is attached to it, as the report of its
    text. What is told once only is text in the HTML of a daily email, too."""
    if text.form == "aside":
        found = _PREFORMATTED.search(html)
        told = next(in_text(unescape(found[1])), None) if found else None
        return replace(text, packed_content=told.packed_content if told else _packed(html))
    form: Form = "page" if _IS_PAGE.search(html) else "letter"
    return replace(text, form=form, packed_content=_packed(html))


def own_in(text: str) -> OwnPapers | None:
    """Return what a last report opens of its reader's own."""
    found = _OWN_LINE.search(text)
    try:
        return convert(decode(found[0])["own"], OwnPapers) if found else None
    except (ValidationError, ValueError, TypeError):
        return None


def in_json(said: Mapping[str, Any]) -> Iterator[PrintedReport]:
    """Yield a report that is JSON."""
    if "made" in said:
        try:
            made = convert(said["made"], MadeWith)
            own = convert(said["own"], OwnPapers) if "own" in said else None
        except ValidationError:
            return
        epoch = str(said.get("epoch") or "")
        yield PrintedReport(
            form="json", ply=int(said["ply"]), made=made, epoch=epoch, own=own, body=said
        )


def _made(line: str) -> MadeWith | None:
    try:
        return convert(decode(line)["made"], MadeWith)
    except (ValidationError, ValueError, TypeError):
        return None


# A text in sections, and HTML in pieces, so that what differs can be named.


class Section(Struct, frozen=True):
    """A part of a report below its heading, which is empty for what comes first."""

    title: str
    lines: tuple[str, ...]


_UNDERLINED = re.compile(r"-{3,}[ \t]*")
# A no-break hyphen and a no-break space keep words together; a zero-width space does not.
_PLAIN = str.maketrans({"\u2011": "-", "\u00a0": " ", "\u200b": None, "\u00ad": None})


def sections(text: str) -> list[Section]:
    """Return the sections of a report's text."""
    title, lines, found = "", list[str](), list[Section]()
    every = [line.rstrip() for line in text.translate(_PLAIN).split("\n")]
    for number, line in enumerate(every):
        after = every[number + 1] if number + 1 < len(every) else ""
        if line and _UNDERLINED.fullmatch(after) and len(line) == len(after.rstrip()):
            found.append(_section(title, lines))
            title, lines = line, []
        elif not (line and _UNDERLINED.fullmatch(line) and number and every[number - 1] == title):
            lines.append(line)
    found.append(_section(title, lines))
    return found


def _section(title: str, lines: Iterable[str]) -> Section:
    return Section(title, tuple(line for line in lines if line))


class Piece(Struct, frozen=True):
    """A piece of HTML below a heading: a tag with its attributes, some words, or a page's value."""

    title: str
    said: str


_OWN_SECTIONS = frozenset({"jotted", "private"})  # of a page: what is its reader's own
_OWN_PIECE = "<own>"  # stands for such a section, which is not compared below its heading
_NOT_READ = frozenset({"script", "style", "noscript"})
# What a heading stands in, but not what many of them stand in: a row that may be missing takes
# nothing else with it.
_OPENS = re.compile(r'<(?:section|details|summary)\b|<div\b(?! class="rest")')
# What leads elsewhere or is drawn by a script. The picture of a board goes by its Content-ID.
_CUT = frozenset({"href", "src", "download", "data-to"})


def without_press(html: str) -> str:
    """Return HTML without what players wrote to each other, which could say anything. What they
    wrote is escaped, so it cannot end the section."""
    return _PRESS.sub("", html)


def looks_back(html: str) -> bool:
    """Return whether a page looks back on earlier turns."""
    return _HISTORY.search(html) is not None


class ParsedHtml(Struct, frozen=True):
    """An email's HTML or a page in pieces, and the values from which its scripts draw the board, by
    their elements."""

    pieces: Sequence[Piece]
    values: Mapping[str, Any]


def parsed(html: str, *, back: bool = False) -> ParsedHtml:
    """Return what HTML says, without scripts, styles, what leads elsewhere and what looks back.
    `back` leaves out, too, what a page that looks back tells of old turns elsewhere."""
    reader = _Pieces(("history", "told") if back else ("history",))
    read_tags(_FOOTER.sub("", html), reader)
    return ParsedHtml(reader.found, reader.values)


def without_rows(found: Sequence[Piece], title: str, tag: str) -> list[Piece]:
    """Return the pieces of an email without those below a title that are in such a tag: what comes
    behind them may have no heading of its own."""
    kept: list[Piece] = []
    before, inside = "", False
    for piece in found:
        if piece.title != title:
            before, inside = piece.title, False
            kept.append(piece)
            continue
        if piece.said.startswith("<h2"):
            inside = True
        elif inside and piece.said.startswith("<"):
            inside = piece.said.startswith(tag)
        if not inside:
            kept.append(Piece(before, piece.said))
    return kept


def without_sheet(found: Sequence[Piece], heading: str) -> list[Piece]:
    """Return the pieces of a page without the lines below the heading of the reader's current
    orders: they are a piece of their own."""
    kept: list[Piece] = []
    below = False
    for piece in found:
        if below and (piece.said.startswith("<pre") or not piece.said.startswith("<")):
            continue
        below = piece.said == heading
        kept.append(piece)
    return kept


# What the game master said when a match was over is in no log: a report that was printed then may
# have more notices than are known, but none fewer and no other.


def json_without_later(shown: Mapping[str, Any], known: Mapping[str, Any]) -> Mapping[str, Any]:
    told, right = shown.get("notices") or [], known.get("notices") or []
    return {**shown, "notices": right} if _has_all(told, right) else shown


def sections_without_later(
    shown: Sequence[Section], known: Sequence[Section], title: str
) -> list[Section]:
    right = [one for one in known if one.title == title]
    lines = [line for one in right for line in one.lines]
    return [
        part
        for one in shown
        for part in (right if one.title == title and _has_all(one.lines, lines) else [one])
    ]


def pieces_without_later(
    shown: Sequence[Piece], known: Sequence[Piece], title: str
) -> Sequence[Piece]:
    told, right = ([one for one in each if one.title == title] for each in (shown, known))
    if not told or not _has_all(told, right):
        return shown
    at = shown.index(told[0])
    return [*shown[:at], *right, *(one for one in shown[at:] if one.title != title)]


def _has_all(told: Iterable[Any], known: Iterable[Any]) -> bool:
    """Return whether all that is known was told, in that order."""
    rest = iter(told)
    return all(one in rest for one in known)


def without_digests(text: str) -> str:
    """Return a text without the digests of orders and what it opens of its reader's own, which are
    compared by themselves."""
    return _OWN_LINE.sub("", _PROOF.sub("", text))


def without_orders(found: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of a page without the digests of orders, each of two lines of code, and
    without what it opens of its reader's own."""
    kept: list[Piece] = []
    follows = False
    for piece in found:
        said = piece.said
        is_head = _OF_ORDERS.match(said) is not None
        if is_head or (follows and _ALL_HEX.fullmatch(said)) or said.startswith('{"own":'):
            del kept[-2:]  # the paragraph and its code
            follows = is_head
        else:
            kept.append(piece)
    return kept


def without_lines(text: str, title: str) -> str:
    """Return a text without the lines below a title, up to the next blank one."""
    heading = rf"^{re.escape(title)}\n-{{3,}}\n(?:[^\n]+\n)*"
    return re.sub(heading, "", text, flags=re.M)


class _Pieces:
    def __init__(self, cut: Sequence[str]) -> None:
        self._cut = cut  # classes of elements that look back
        self.found: list[Piece] = []
        self.values: dict[str, Any] = {}
        self._title, self._reads_title, self._heading = "", False, 0
        self._skipped, self._depth = "", 0
        self._own: str | None = None  # the heading of a skipped section of the reader's own
        self._reads_own = False
        self._value = ""

    def begin(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        if self._skipped:
            self._depth += tag == self._skipped
            self._reads_own = tag == "h2"
            return
        if tag == "section" and _OWN_SECTIONS.intersection((attributes.get("class") or "").split()):
            self._own = ""
        if tag in _NOT_READ or self._own is not None or self._is_cut(tag, attributes):
            self._skipped, self._depth = tag, 1
            is_value = attributes.get("type") == "application/json"
            self._value = (attributes.get("id") or "") if is_value else ""
            if self._value == VALUE_ID:  # what the email says once more
                self._value = ""
            return
        if tag in ("meta", "link", "a"):
            return
        if tag in ("h1", "h2"):
            self._title, self._reads_title, self._heading = "", True, len(self.found)
            while self._heading and _OPENS.match(self.found[self._heading - 1].said):
                self._heading -= 1
        kept = (
            f'{name}="{value}"' for name, value in sorted(attributes.items()) if name not in _CUT
        )
        self.found.append(Piece(self._title, f"<{' '.join((tag, *kept))}>"))

    def _is_cut(self, tag: str, attributes: Mapping[str, str | None]) -> bool:
        classes = (attributes.get("class") or "").split()
        return tag in ("section", "details") and any(one in classes for one in self._cut)

    def end(self, tag: str) -> None:
        if self._skipped:
            self._depth -= tag == self._skipped
            self._reads_own = False
            if not self._depth:
                self._skipped = ""
                if self._own is not None:
                    self.found.append(Piece(self._own, _OWN_PIECE))
                    self._own = None
            return
        if tag in ("h1", "h2") and self._reads_title:
            self._reads_title = False
            for at in range(self._heading, len(self.found)):  # it belongs to what is below it
                self.found[at] = Piece(self._title, self.found[at].said)

    def add(self, text: str) -> None:
        if self._skipped:
            if self._skipped == "script" and self._value:
                self.values[self._value] = _value(text)
            if self._reads_own and self._own is not None:
                self._own = f"{self._own} {' '.join(text.split())}".strip()
            return
        said = " ".join(text.translate(_PLAIN).split())
        if not said:
            return
        if self._reads_title:
            self._title = f"{self._title} {said}".strip()
        if self.found and not self.found[-1].said.startswith("<"):  # a link stood between them
            said = f"{self.found.pop().said} {said}"
        self.found.append(Piece(self._title, said))


def _value(text: str) -> Any:
    try:
        return decode(text)
    except (ValidationError, ValueError):
        return text


# Names of players stand in no log: they are read from the paper itself.


def names_in_text(content: str, titles: Sequence[str]) -> list[str]:
    """Return the names below a text report's heading, one for each title."""
    lines = content.translate(_PLAIN).split("\n")[2:]
    names = []
    for title in titles:
        line = lines.pop(0).strip() if lines else ""
        names.append(line.removeprefix(f"{title}:").strip() if line.startswith(title) else "")
    return names


_PREFORMATTED = re.compile(r'<div style="white-space:pre-wrap[^"]*">(.*?)</div>', re.S)
_PLAYERS = re.compile(r'<ul class="players">(.*?)</ul>', re.S)
_NAMED = re.compile(r"<b>(.*?)</b>([^<]*)", re.S)


def names_in_page(html: str) -> list[str]:
    """Return the names at the head of a page, in its order, and behind one that it is its
    reader's."""
    part = _PLAYERS.search(html)
    return [unescape("".join(told)) for told in _NAMED.findall(part[1])] if part else []
