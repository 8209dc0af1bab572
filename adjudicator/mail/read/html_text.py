"""Turn HTML into lines.

Hidden text is dropped, and so is what its writer has struck out; quoted text gets the `> ` that
plain text would have.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudicator.mail.read.html_tags import hides, plain_tags

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

DEEPEST_QUOTE = 20  # a line that is quoted more often is shown so

_SKIPPED = frozenset({"head", "script", "style", "title", "template", "noscript", "object", "svg"})
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    ]
)
_CELLS = frozenset({"td", "th"})
_QUOTES = re.compile(r"gmail_quote|yahoo_quoted|moz-cite-prefix|protonmail_quote")
_STRUCK = frozenset({"s", "strike", "del"})
_KEPT = re.compile(
    r"(?:^|;)white-space(?:-collapse)?:(?!inherit|unset|revert)(?:(pre|break-spaces)|[a-z])"
)
_BLANKS = re.compile(r"[ \t\n\r\f]+")
# A font in which letters are signs: what it shows is written as Unicode's area for private use has
# it, and `core.orders` knows the signs.
_FONT = re.compile(r"(?:^|;)font(?:-family)?:(?P<families>[^;]*)")
_SYMBOLS = re.compile(r"(?:.*[\"'\d%]|.*p[tx])?(?:wingdings\d?|webdings|symbol)[\"']?(?:,|$)")
_SIGNS = {sign: 0xF000 + sign for sign in range(0x21, 0x100) if sign != 0xA0}


def to_lines(html: str) -> tuple[str, bool]:
    """Return the text as its reader sees it, and whether the end was cut off."""
    from selectolax.lexbor import LexborHTMLParser

    plain, is_cut = plain_tags(html)
    root = LexborHTMLParser(plain).root
    writer = _Writer()
    if root is not None:
        _write(root, writer)
    return writer.text(), is_cut


class _Writer:
    """Collect lines; a line has the depth of quoting at which it began."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, str]] = []
        self._parts: list[str] = []
        self._depth = 0

    def add(self, text: str, *, kept: bool) -> None:
        if not kept:
            text = _BLANKS.sub(" ", text)
            if text == " " and (not self._parts or self._parts[-1].endswith(" ")):
                return
            self._parts.append(text)
            return
        first, *rest = text.split("\n")
        self._parts.append(first)
        for line in rest:
            self.end(forced=True)
            self._parts.append(line)

    def end(self, *, forced: bool = False) -> None:
        line = "".join(self._parts).strip(" ")
        if line or forced:
            self._lines.append((self._depth, line))
        self._parts.clear()

    def set_depth(self, depth: int) -> None:
        depth = min(depth, DEEPEST_QUOTE)
        if depth != self._depth:
            self.end()
            self._depth = depth

    def text(self) -> str:
        self.end()
        return "\n".join(f"{'>' * depth} {line}" if depth else line for depth, line in self._lines)


class _Place(Struct, frozen=True):
    """The position of a node among quotes.

    A container of quotes is one level and each blockquote another, but a blockquote directly inside
    a container is the same level.
    """

    blockquotes: int = 0
    contained: bool = False
    kept: bool = False  # blanks and line ends count, as in <pre>
    symbols: bool = False  # its font has signs in place of letters

    @property
    def depth(self) -> int:
        return max(self.blockquotes, int(self.contained))


def _write(root: "LexborNode", writer: _Writer) -> None:
    """Write every node, without recursion; an element with children is met again when it ends."""
    waiting: list[tuple[LexborNode, _Place, bool]] = [(root, _Place(), False)]
    while waiting:
        node, place, leaving = waiting.pop()
        tag = node.tag or ""
        if tag == "-text":
            text = node.text_content or ""
            writer.add(text.translate(_SIGNS) if place.symbols else text, kept=place.kept)
            continue
        _break(tag, writer, leaving)
        if leaving:
            writer.set_depth(place.depth)
        elif not (tag in _SKIPPED or tag in _STRUCK or tag.startswith(("-", "!")) or _hidden(node)):
            inner = _inside(node, tag, place)
            writer.set_depth(inner.depth)
            waiting.append((node, place, True))
            waiting.extend((child, inner, False) for child in _backwards(node))


def _break(tag: str, writer: _Writer, leaving: bool) -> None:
    if tag in _BLOCKS:
        writer.end()
    elif tag == "br" and not leaving:
        writer.end(forced=True)
    elif tag in _CELLS and not leaving:
        writer.add(" ", kept=False)


def _inside(node: "LexborNode", tag: str, place: _Place) -> _Place:
    quotes = bool(_QUOTES.search(node.attributes.get("class") or ""))
    style = _style(node)
    *_, styled = [None, *_KEPT.finditer(style)]  # the last one counts
    *_, font = [node.attributes.get("face"), *(one["families"] for one in _FONT.finditer(style))]
    return _Place(
        blockquotes=place.blockquotes + (tag == "blockquote"),
        contained=place.contained or quotes,
        kept=bool(styled[1]) if styled else place.kept or tag in {"pre", "textarea"},
        symbols=place.symbols if font is None else bool(_SYMBOLS.match(font.lower())),
    )


def _backwards(node: "LexborNode") -> "Iterator[LexborNode]":
    child = node.last_child
    while child is not None:
        yield child
        child = child.prev


def _hidden(node: "LexborNode") -> bool:
    """Return whether a node is hidden, or is the bullet or the number of Outlook's lists."""
    style = _style(node)
    return "hidden" in node.attributes or hides(style) or "mso-list:ignore" in style


def _style(node: "LexborNode") -> str:
    return "".join((node.attributes.get("style") or "").lower().split())
