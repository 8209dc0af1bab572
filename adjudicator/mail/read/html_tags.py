"""Meet the tags and texts of HTML in the order in which a browser's tree has them.

So what is read is what a browser shows, also of HTML that is not well formed.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

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
