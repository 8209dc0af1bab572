"""Turn HTML into lines.

Hidden text is dropped, and so is what its writer has struck out; quoted text gets the `> ` that
plain text would have.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# Beyond these limits the parser's work grows with the square: 50,000 nested tags cost it seconds,
# and so do 50,000 attributes of one tag.
MOST_TAGS = 6_000
MOST_ATTRIBUTES = 200
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
_HIDDEN = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|font-size:0(?![.\d]*[1-9])"
    r"|text-decoration(?:-line)?:[^;]*line-through"
)
_STRUCK = frozenset({"s", "del"})
_KEPT = re.compile(
    r"(?:^|;)white-space(?:-collapse)?:(?!inherit|unset|revert)(?:(pre|break-spaces)|[a-z])"
)
_BLANKS = re.compile(r"[ \t\n\r\f]+")


def to_lines(html: str) -> tuple[str, bool]:
    """Return the text as its reader sees it, and whether the end was cut off."""
    from selectolax.lexbor import LexborHTMLParser

    whole = _cheap(html)
    short = _cut(whole)
    root = LexborHTMLParser(short).root
    writer = _Writer()
    if root is not None:
        _write(root, writer)
    return writer.text(), len(short) < len(whole)


# HTML, section 13.2.4.3, but for `<a>`, of which one at most is open.
_FORMAT = re.compile(
    r"<(/?)(?:b|big|code|em|font|i|nobr|small|strong|tt|u)(?=[\s/>])", re.ASCII | re.IGNORECASE
)
_STRIKE = re.compile(r"<(/?)(?:s|strike)(?=[\s/>])[^>]*", re.ASCII | re.IGNORECASE)
_PAGE, _BODY = (
    re.compile(rf"<({name})(?=[\s/>])[^>]*", re.ASCII | re.IGNORECASE) for name in ("html", "body")
)


def _cheap(html: str) -> str:
    """Return HTML that says the same, without what a parser is slow to mend.

    It opens an element that only formats anew wherever a block around it has ended before it did:
    two thousand of them, and two thousand paragraphs below, become four million elements out of
    30 kB. So they become spans. Of those that strike out, which count, it keeps three that are
    alike, and without attributes all are. And it compares all attributes of all `<html>` tags with
    each other, and those of all `<body>` tags; only the first body keeps its own.
    """
    plain = _STRIKE.sub(r"<\1s", _FORMAT.sub(r"<\1span", html.replace("\0", "")))
    plain = _PAGE.sub(r"<\1", plain)
    first = _BODY.search(plain)
    start = first.end() if first else 0
    return plain[:start] + _BODY.sub(r"<\1", plain[start:])


# A tag with not too many attributes, read as browsers do (HTML, section 13.2.5); or one that is
# never closed, of which nothing is shown.
_VALUE = r"""\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+"""
_ATTRIBUTE = rf"[\s/]*+(?:=[^\s/>=]*+|[^\s/>=]++)(?:{_VALUE})?+"
_TAG_BEGINS = re.compile("</?[a-zA-Z]")
_TAG = re.compile(
    rf"</?+[a-zA-Z][^\s/>]*+(?:{_ATTRIBUTE}){{0,{MOST_ATTRIBUTES}}}+(?:[\s/]*+>|[^>]*+\Z)"
)


def _cut(html: str) -> str:
    at = 0
    for _ in range(MOST_TAGS):
        at = html.find("<", at)
        if at < 0:
            return html
        tag = _TAG.match(html, at)
        if tag is None and _TAG_BEGINS.match(html, at):
            break
        at = tag.end() if tag else at + 1
    return html[:at]


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
            writer.add(node.text_content or "", kept=place.kept)
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
    *_, styled = [None, *_KEPT.finditer(_style(node))]  # the last one counts
    return _Place(
        blockquotes=place.blockquotes + (tag == "blockquote"),
        contained=place.contained or quotes,
        kept=bool(styled[1]) if styled else place.kept or tag in {"pre", "textarea"},
    )


def _backwards(node: "LexborNode") -> "Iterator[LexborNode]":
    child = node.last_child
    while child is not None:
        yield child
        child = child.prev


def _hidden(node: "LexborNode") -> bool:
    return "hidden" in node.attributes or bool(_HIDDEN.search(_style(node)))


def _style(node: "LexborNode") -> str:
    return "".join((node.attributes.get("style") or "").lower().split())
