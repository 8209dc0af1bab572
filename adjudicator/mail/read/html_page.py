"""Read a page of ours that somebody has kept or been sent: nothing in it is hidden from whoever
compares what it says.

Its tags are met one after the other, and no tree is made: a page of any depth costs its length.
"""

import re
from collections.abc import Sequence
from html.parser import HTMLParser

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
    reader.feed(html.replace("\r\n", "\n"))
    reader.close()
    text = re.sub(r"\n\s*\n", "\n", "".join(reader.text))
    return ParsedPage(text, reader.lists.found, reader.setting)


def is_cut(text: str) -> bool:
    """Return whether a text is a page whose end is missing: what it tells may be cut, too."""
    return _BEGINS.match(text) is not None and "</html" not in text.lower()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.lists = _Lists()
        self.setting = ""
        self._skipped = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipped = tag
        if tag in _LINES:
            self.text.append("\n")
        self.lists.begin(tag)
        self.setting = dict(attrs).get("data-setting") or self.setting

    def handle_endtag(self, tag: str) -> None:
        if tag == self._skipped:
            self._skipped = ""
        if tag in _LINES:
            self.text.append("\n")
        self.lists.end(tag)

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.text.append(data)
        self.lists.say(data)

    def close(self) -> None:
        super().close()
        self.lists.close()


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

    def say(self, data: str) -> None:
        if self._reads:
            self._made.append(data)

    def close(self) -> None:
        if self._title is not None:
            self.found.append((self._title, "".join(self._made)))
        self._title, self._made, self._is_over, self._reads = None, [], False, False
