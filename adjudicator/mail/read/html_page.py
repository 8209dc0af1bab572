"""Read a page of ours that somebody has kept or been sent: nothing in it is hidden from whoever
compares what it says.

Tags and texts are met in the order in which a browser's tree has them, so what is read is what a
browser shows, also of HTML that is not well formed.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

_LINES = frozenset(
    ("p", "h1", "h2", "h3", "pre", "div", "li", "tr", "section", "details", "summary")
) | {"blockquote", "br", "textarea"}
_SKIPPED = frozenset({"script", "style"})
_BEGINS = re.compile(r"\s*<(?:!doctype html|html)\b", re.IGNORECASE)


class ParsedPage(Struct, frozen=True):
    """What a page says.

    `lists` are its headings, each with the text of the subheadings and lists right below it;
    `setting` is what its element with `data-setting` holds.
    """

    text: str  # each block in lines of its own
    lists: Sequence[tuple[str, str]]
    setting: str


def read_page(html: str) -> ParsedPage:
    reader = _Reader()
    read_tags(html, reader)
    reader.lists.close()
    text = re.sub(r"\n\s*\n", "\n", "".join(reader.text))
    return ParsedPage(text, reader.lists.found, reader.setting)


def is_cut(text: str) -> bool:
    """Return whether a text is a page whose end is missing: what it tells may be cut, too."""
    return _BEGINS.match(text) is not None and "</html" not in text.lower()


class _Reader:
    def __init__(self) -> None:
        self.text: list[str] = []
        self.lists = _Lists()
        self.setting = ""
        self._skipped = ""

    def begin(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        if tag in _SKIPPED:
            self._skipped = tag
        if tag in _LINES:
            self.text.append("\n")
        self.lists.begin(tag)
        self.setting = attributes.get("data-setting") or self.setting

    def end(self, tag: str) -> None:
        if tag == self._skipped:
            self._skipped = ""
        if tag in _LINES:
            self.text.append("\n")
        self.lists.end(tag)

    def add(self, text: str) -> None:
        if not self._skipped:
            self.text.append(text)
        self.lists.add(text)


class _Lists:
    """Keep the text of the subheadings and lists that stand right below each heading."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []
        self._made: list[str] = []  # what is read of a title, and then of what stands below it
        self._title: str | None = None
        self._is_over = False  # a list has ended: only a subheading goes on
        self._reads = False  # inside a heading or an item

    def begin(self, tag: str) -> None:
        if tag == "h2":
            self.close()
            self._reads = True
        elif self._title is None:
            return
        elif tag == "h3" or (tag in ("ul", "li") and not self._is_over):
            self._is_over, self._reads = False, tag != "ul"
            self._made.append("\n")
        elif not self._reads:
            self.close()

    def end(self, tag: str) -> None:
        if tag == "h2":
            self._title, self._made, self._reads = "".join(self._made), [], False
        elif self._title is not None and tag in ("h3", "li", "ul"):
            self._reads = False
            self._is_over = tag == "ul"

    def add(self, text: str) -> None:
        if self._reads:
            self._made.append(text)

    def close(self) -> None:
        if self._title is not None:
            self.found.append((self._title, "".join(self._made)))
        self._title, self._made, self._is_over, self._reads = None, [], False, False


if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


class TagReader(Protocol):
    """What reads HTML. An element without an end tag, such as `<br>`, ends where it begins."""

    def begin(self, tag: str, attributes: Mapping[str, str | None]) -> None: ...

    def end(self, tag: str) -> None: ...

    def add(self, text: str) -> None: ...


def read_tags(html: str, reader: TagReader) -> None:
    """Let a reader meet all tags and texts. HTML of others is first asked whether it is heavy
    (`html_text.is_heavy`): a parser might work too long on it."""
    from selectolax.lexbor import LexborHTMLParser

    root = LexborHTMLParser(html).root
    if root is None:
        return
    waiting: list[tuple[LexborNode, bool]] = [(root, False)]
    while waiting:
        node, ends = waiting.pop()
        tag = node.tag or ""
        if ends:
            reader.end(tag)
        elif tag == "-text":
            reader.add(node.text_content or "")
        elif not tag.startswith(("-", "!")):  # a comment, or the document's type
            reader.begin(tag, node.attributes)
            waiting.append((node, True))
            child = node.last_child
            while child is not None:
                waiting.append((child, False))
                child = child.prev
