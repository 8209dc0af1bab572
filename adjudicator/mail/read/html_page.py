"""Read a page of ours that somebody has kept or been sent: nothing in it is hidden from whoever
compares what it says.

Tags and texts are met in the order in which a browser's tree has them, so what is read is what a
browser shows, also of HTML that is not well formed.
"""

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LINES = frozenset(
    ("p", "h1", "h2", "h3", "pre", "div", "li", "tr", "section", "details", "summary")
) | {"blockquote", "br", "textarea"}
_SKIPPED = frozenset({"script", "style"})
_BEGINS = re.compile(r"\s*<(?:!doctype html|html)\b", re.IGNORECASE)


class ParsedPage(Struct, frozen=True):
    """What a page says; `setting` is what its element with `data-setting` holds."""

    text: str  # each block in lines of its own
    setting: str


def read_page(html: str) -> ParsedPage:
    """Read a page. HTML of others is first asked whether it is heavy (`html_text.is_heavy`): a
    parser might work too long on it."""
    from selectolax.lexbor import LexborHTMLParser

    said, setting = list[str](), ""
    root = LexborHTMLParser(html).root
    waiting: list[tuple[LexborNode, bool]] = [(root, False)] if root is not None else []
    while waiting:
        node, ends = waiting.pop()
        tag = node.tag or ""
        if tag in _LINES:
            said.append("\n")
        if ends:
            continue
        if tag == "-text":
            said.append(node.text_content or "")
        elif tag not in _SKIPPED and not tag.startswith(("-", "!")):  # a comment, or the type
            setting = node.attributes.get("data-setting") or setting
            waiting.append((node, True))
            child = node.last_child
            while child is not None:
                waiting.append((child, False))
                child = child.prev
    return ParsedPage(re.sub(r"\n\s*\n", "\n", "".join(said)), setting)


def is_cut(text: str) -> bool:
    """Return whether a text is a page whose end is missing: what it tells may be cut, too."""
    return _BEGINS.match(text) is not None and "</html" not in text.lower()
