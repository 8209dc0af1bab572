"""Turn HTML into lines.

Hidden text is dropped, and so is what its writer has struck out; quoted text gets the `> ` that
plain text would have.

A parser mends what a writer left open: it opens an element that only formats, such as `<b>`, anew
with all its attributes wherever a block around it has ended before it did. Two thousand of them,
and two thousand paragraphs below, become four million elements out of 30 kB. And it compares all
attributes of a tag with each other. So HTML on which it may work too long is not read at all.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MOST_TAGS = 6_000
MOST_ATTRIBUTES = 20_000
MOST_REOPENED = 50_000  # elements that may be opened anew; a hundred characters count as one
DEEPEST_QUOTE = 20  # a line that is quoted more often is shown so

_SKIPPED = frozenset({"head", "script", "style", "title", "template", "noscript", "object", "svg"})
_FRAMES = frozenset({"iframe", "noembed", "noframes"})
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
_NOT_SHOWN = _SKIPPED | _FRAMES | _STRUCK
_KEPT = re.compile(
    r"(?:^|;)white-space(?:-collapse)?:(?!inherit|unset|revert)(?:(pre|break-spaces)|[a-z])"
)
_HIDDEN = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|font-size:0(?![.\d]*[1-9])"
    r"|text-decoration(?:-line)?:[^;:]*line-through"
)
_BLANKS = re.compile(r"[ \t\n\r\f]+")
# A font in which letters are signs: what it shows is written as Unicode's area for private use has
# it, and `core.orders` knows the signs.
_FONT = re.compile(r"(?:^|;)font(?:-family)?:(?P<families>[^;]*)")
_SYMBOLS = re.compile(r"(?:.*[\"'\d%]|.*p[tx])?(?:wingdings\d?|webdings|symbol)[\"']?(?:,|$)")
_SIGNS = {sign: 0xF000 + sign for sign in range(0x21, 0x100) if sign != 0xA0}


# The elements that only format (HTML, section 13.2.4.3), and others that end nothing.
_FORMATS = "a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
_FORMAT_NAMES = frozenset(_FORMATS.split("|"))
_VALUE = r"""(?:"[^<>"]*+"|'[^<>']*+'|[^\s<>"'`]++)"""
_TAG = re.compile(
    # Every parser sees the end of such a tag at the same place.
    rf"""<(?:(?P<slash>/?)(?P<name>{_FORMATS}|span|br|img)
    (?:(?:[\s/]++|(?<=["']))[^\s<>"'/=`]++(?:\s*+=\s*+{_VALUE})?)*[\s/]*+>
    |(?P<other>{_FORMATS})(?=[\s/>])|[a-z/!?])""",
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)
_OUTSIDE = re.compile(r">[^<>\"']*")  # a text, or a part of a value that no attribute follows
_BLANK_OR_SLASH = re.compile(r"(?<!<)[\s/]+")  # stands before an attribute, or else a quote does


def to_lines(html: str) -> str | None:
    """Return the text as its reader sees it; None if a parser might work too long on it."""
    from selectolax.lexbor import LexborHTMLParser

    if is_heavy(html):
        return None
    root = LexborHTMLParser(html).root
    writer = _Writer()
    if root is not None:
        _write(root, writer)
    return writer.text()


def is_heavy(html: str, times: int = 1) -> bool:
    """Return whether HTML is beyond one of the limits, or might be: all is counted that may look
    like a tag to some parser. `times` so many tags and attributes are allowed."""
    bare = _OUTSIDE.sub(">", html)
    begun = len(_BLANK_OR_SLASH.findall(bare)) + (bare.count('"') + bare.count("'")) // 2
    return begun > MOST_ATTRIBUTES * times or _reopens_many(html, MOST_TAGS * times)


def _reopens_many(html: str, most_tags: int) -> bool:
    """Return whether there are too many tags, or a parser may open too many elements anew.

    An end tag counts only if nothing but such tags stands between it and its begin: behind any
    other it may be a part of a comment or a value, or beyond the end of a table. Of elements that
    are alike a parser opens no more than three anew.
    """
    closable: list[tuple[str, str]] = []  # name and tag
    left: Counter[str] = Counter()  # tags that nobody may have closed
    work = weight = 0
    for tags, tag in enumerate(_TAG.finditer(html), start=1):
        name = (tag["name"] or "").lower()
        if not name:
            for _, begin in closable:
                left[begin] += 1
                weight += _weight(begin) if left[begin] <= 3 else 0
            closable.clear()
            weight += _weight(html) if tag["other"] else 0  # it may be as long
        elif tag["slash"] or name == "a":  # an anchor ends the one before it
            for ended in [one for one in closable if one[0] == name][-1:]:
                closable.remove(ended)
        if name in _FORMAT_NAMES and not tag["slash"]:
            closable.append((name, tag[0]))
        work += weight + sum(_weight(begin) for _, begin in closable)
        if tags > most_tags or work > MOST_REOPENED:
            return True
    return False


def _weight(tag: str) -> int:
    return 1 + len(tag) // 100


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
        elif not (tag in _NOT_SHOWN or tag.startswith(("-", "!")) or _is_hidden(node)):
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


def _is_hidden(node: "LexborNode") -> bool:
    """Return whether a node is hidden, or is the bullet or the number of Outlook's lists."""
    style = _style(node)
    hides = _HIDDEN.search(style) or "mso-list:ignore" in style
    return bool(hides) or "hidden" in node.attributes


def _style(node: "LexborNode") -> str:
    return "".join((node.attributes.get("style") or "").lower().split())
