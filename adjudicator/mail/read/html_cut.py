"""Cut HTML off where a parser would work too long on it.

A browser mends what a writer left open, and so must the parser. Each element that only formats,
such as `<b>`, is opened anew wherever a block around it has ended before it did: two thousand of
them, and two thousand paragraphs below, become four million elements out of 30 kB. So their number
is reckoned before, on the safe side: an end counts only where nothing can make a parser deaf to it.
"""

import re

# Beyond these limits the parser's work grows with the square: 50,000 nested tags cost it seconds,
# and so do 50,000 attributes of one tag.
MOST_TAGS = 6_000
MOST_ATTRIBUTES = 200
# In three elements around all tags of a letter as long as that none is opened anew; yet they count.
MOST_REOPENED = 3 * MOST_TAGS

# A tag with not too many attributes, read as browsers do (HTML, section 13.2.5); or one that is
# never closed, of which nothing is shown.
_VALUE = r"""\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+"""
_ATTRIBUTE = rf"[\s/]*+(?:=[^\s/>=]*+|[^\s/>=]++)(?:{_VALUE})?+"
_TAG = re.compile(
    rf"<(?P<end>/?+)(?P<name>[a-zA-Z][^\s/>]*+)"
    rf"(?:{_ATTRIBUTE}){{0,{MOST_ATTRIBUTES}}}+(?:[\s/]*+>|[^>]*+\Z)"
)

# HTML, section 13.2.4.3.
_FORMATS = frozenset(
    [
        *("a", "b", "big", "code", "em", "font", "i"),
        *("nobr", "s", "small", "strike", "strong", "tt", "u"),
    ]
)
_FORMAT = re.compile(rf"<(?:{'|'.join(sorted(_FORMATS))})(?=[\s/>])", re.IGNORECASE)
_VOID = frozenset(
    [
        *("area", "base", "br", "col", "embed", "hr", "img", "input"),
        *("link", "meta", "param", "source", "track", "wbr"),
    ]
)
_CELLS = frozenset({"caption", "td", "th"})
_TABLES = frozenset({"table", "tbody", "tfoot", "thead", "tr"})
_ONCE = frozenset({"a", "nobr"})  # ends one before it
_COMPARED = 100  # cost as much as one that is opened anew
_ALIKE = 3  # with the same attributes; of more the parser forgets the first
# An end tag within one of these does not end what was begun outside of it.
_WALLS = frozenset(
    [
        *("applet", "html", "iframe", "marquee", "math", "noembed", "noframes", "noscript"),
        *("object", "plaintext", "script", "select", "style", "svg", "table", "template"),
        *("textarea", "title", "xmp"),
        *_CELLS,
    ]
)


def cut(html: str) -> str:
    """Return the HTML up to the tag with which a limit is passed."""
    at = reopened = deaf = 0
    elements = _Elements()
    for _ in range(MOST_TAGS):
        at = html.find("<", at)
        if at < 0:
            return html
        tag = _TAG.match(html, at)
        if tag is None:
            if html[at + 1 : at + 3].strip("/")[:1].isalpha():
                break
            if at >= deaf:
                deaf = _comment_end(html, at)
            at += 1
            continue
        if not tag["end"]:
            elements.begin(tag["name"].lower(), tag[0])
            # A parser that takes no attributes here finds what stands in their values.
            elements.formats += len(_FORMAT.findall(html, at + 1, tag.end()))
        elif at >= deaf:
            elements.end(tag["name"].lower())
        reopened += elements.reopened
        if reopened > MOST_REOPENED:
            break
        at = tag.end()
    return html[:at]


def _comment_end(html: str, at: int) -> int:
    """Return the index up to which a comment may go that begins here, 0 if none does."""
    if html.startswith("<!--", at):
        end = html.find("-->", at + 4)
    elif html.startswith(("<!", "<?", "</"), at):
        end = html.find(">", at)
    else:
        return 0
    return end if end >= 0 else len(html)


class _Elements:
    """The elements that are open; `formats` of them, at most, would be opened anew, and `reopened`
    are by the tag that came last."""

    def __init__(self) -> None:
        self.formats = 0
        self.reopened = 0
        self._names: list[str] = []  # empty for one that has ended while others go on
        self._tags: list[str] = []  # as they were written
        self._alike: dict[str, int] = {}
        self._places: dict[str, list[int]] = {}
        self._walls: list[int] = []

    def begin(self, name: str, tag: str) -> None:
        # A new one that formats is only compared with the others, and so is an option.
        self.reopened = self.formats // _COMPARED if name in _FORMATS else self.formats
        if name == "option":
            self.reopened += len(self._places.get(name, ())) // _COMPARED
        if name in _VOID:
            return
        if name in _ONCE and self._places.get(name):
            self.end(name)
        if name in _FORMATS:
            self._count(tag, 1)
        self._places.setdefault(name, []).append(len(self._names))
        if name in _WALLS:
            self._walls.append(len(self._names))
        self._names.append(name)
        self._tags.append(tag)

    def end(self, name: str) -> None:
        self.reopened = self.formats
        places = self._places.get(name)
        if not places or self._is_walled(name, places[-1]):
            return
        at = places[-1]
        if name not in _FORMATS:
            self._close(at)
            return
        self._count(self._tags[at], -1)
        if at == len(self._names) - 1:
            self.reopened = 0
        self._names[at] = ""
        places.pop()
        while self._names and not self._names[-1]:
            self._names.pop()
            self._tags.pop()

    def _count(self, tag: str, more: int) -> None:
        before = self._alike.get(tag, 0)
        self._alike[tag] = before + more
        self.formats += min(before + more, _ALIKE) - min(before, _ALIKE)

    def _is_walled(self, name: str, at: int) -> bool:
        """Return whether the end is not seen, for a wall stands between; a table ends its cells."""
        between = [self._names[wall] for wall in self._walls[-2:] if wall > at]
        return any(name not in _TABLES or wall not in _CELLS for wall in between)

    def _close(self, at: int) -> None:
        while len(self._names) > at:
            self._tags.pop()
            if name := self._names.pop():
                self._places[name].pop()
        while self._walls and self._walls[-1] >= at:
            self._walls.pop()
