"""Read HTML for what it shows: its words in their order, and the elements, styles and scripts that
decide how they look.

Elements that only format are part of the line in which they stand; all others end a word.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_FORMATS = (
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark nobr q s samp small span "
    "strike strong sub sup time tt u var wbr"
)
_INLINE = frozenset(_FORMATS.split())
_NOT_SHOWN = frozenset({"style", "script", "title"})
# Blanks that keep words together are blanks, and signs that nobody sees are none; marks that turn
# the direction of a text stay.
_BLANKS = str.maketrans(
    dict.fromkeys("\t\xa0\u2007\u202f", " ")
    | dict.fromkeys("\u200b\u00ad\ufeff\u2060\u200c\u200d")
    | {"\u2011": "-"}
)
_WEB = re.compile(r"https?://[^\s<>\"']*[^\s<>\"'.,;:!?)\]]", re.IGNORECASE)
_LONGEST_SOURCE = 100  # characters of a picture's address that are compared
_HOSTS = re.compile(r"https?://([^\s/<>\"'?#]+)", re.IGNORECASE)


def plain(text: str) -> str:
    """Return a text without what servers on its way change: forms of letters, blanks that are not
    seen, and addresses of the web, which they lead through their own."""
    return _WEB.sub("<url>", unicodedata.normalize("NFC", text).translate(_BLANKS))


def hosts(text: str) -> set[str]:
    """Return the computers to which the addresses in a text lead."""
    return {found.lower() for found in _HOSTS.findall(text)}


class Element(Struct, frozen=True):
    """An element: how many words begin before it does, and before it ends."""

    tag: str
    attributes: Mapping[str, str]
    first: int
    last: int


class ShownHtml:
    """What HTML shows. `sheets` are its style sheets, `values` the JSON for its scripts by the name
    of their element, `scripts` all others, `titles` what the windows of a browser are called, and
    `hidden` the comments that Outlook shows, and what styles run. Sections and details are left out
    that have one of the classes `without`."""

    def __init__(self, html: str, without: frozenset[str] = frozenset()) -> None:
        from selectolax.lexbor import LexborHTMLParser

        self.words: list[str] = []
        self.elements: list[Element] = []
        self.sheets: list[str] = []
        self.scripts: list[str] = []
        self.values: dict[str, str] = {}
        self.hidden: list[str] = []
        self.titles: list[str] = []
        self._word, self._without = "", without
        self._numbers: dict[int, int] = {}  # of elements, by their place in memory
        self._tree: LexborHTMLParser = LexborHTMLParser(html)
        if self._tree.root is not None:
            self._read(self._tree.root)

    def matching(self, selector: str) -> Sequence[int] | None:
        """Return the numbers of the elements that a style's selector names; None if nobody can
        tell, or not soon."""
        from selectolax.lexbor import SelectolaxError

        steps = max(len(_STEP.findall(one.strip())) for one in selector.split(","))
        if len(self.elements) ** (steps + 1) > _MOST_STEPS:
            return None
        try:
            found = self._tree.css(selector)
        except SelectolaxError:
            return None
        return [self._numbers[one.mem_id] for one in found if one.mem_id in self._numbers]

    def _read(self, root: "LexborNode") -> None:
        begun: list[tuple[LexborNode, int | None]] = [(root, None)]
        while begun:
            node, number = begun.pop()
            tag = node.tag or ""
            if number is not None:
                self._end(tag, number)
            elif tag == "-text":
                self._add(node.text_content or "")
            elif tag == "-comment":
                self.hidden += [said for said in [node.html or ""] if "[if" in said.lower()]
            elif tag in _NOT_SHOWN:
                self._keep(node, tag)
            elif not (tag.startswith(("-", "!")) or self._is_left_out(node, tag)):
                begun.append((node, self._begin(node, tag)))
                begun.extend((child, None) for child in _backwards(node))
        self._flush()

    def _is_left_out(self, node: "LexborNode", tag: str) -> bool:
        if not self._without or tag not in ("section", "details"):
            return False
        return not self._without.isdisjoint((node.attributes.get("class") or "").split())

    def _keep(self, node: "LexborNode", tag: str) -> None:
        text = "".join(child.text_content or "" for child in node.iter(include_text=True))
        kind = (node.attributes.get("type") or "").lower()
        if tag == "title":
            self.titles.append(" ".join(plain(text).split()))
        elif tag == "style":
            self.sheets.append(text)
            self.hidden += [f"<style {name}>" for name in node.attributes if name[:2] == "on"]
        elif tag == "script" and kind == "application/json":
            name = node.attributes.get("id") or ""
            is_new = name and name not in self.values
            self.values[name if is_new else f"{name}{len(self.values)}"] = text
        elif tag == "script":
            self.scripts.append(f"{node.attributes.get('src') or ''} {text}".strip())

    def _begin(self, node: "LexborNode", tag: str) -> int:
        if tag not in _INLINE:
            self._flush()
        attributes = {name.lower(): value or "" for name, value in node.attributes.items()}
        self._numbers[node.mem_id] = len(self.elements)
        self.elements.append(Element(tag, attributes, len(self.words), len(self.words)))
        if tag == "img":
            self.words.append(f"picture:{plain(attributes.get('src', ''))[:_LONGEST_SOURCE]}")
        return len(self.elements) - 1

    def _end(self, tag: str, number: int) -> None:
        if tag not in _INLINE:
            self._flush()
        begun = self.elements[number]
        last = len(self.words) + bool(self._word)
        self.elements[number] = Element(tag, begun.attributes, begun.first, last)

    def _add(self, text: str) -> None:
        first, *others = _SPACES.split(plain(text))
        self._word += first
        for part in others:
            self._flush()
            self._word = part

    def _flush(self) -> None:
        if self._word:
            self.words.append(self._word)
        self._word = ""


_SPACES = re.compile(r"\s+")
_STEP = re.compile(r"[\s>+~]+|\(")  # from one element to another, which a selector takes
_MOST_STEPS = 10**9


def _backwards(node: "LexborNode") -> Iterator["LexborNode"]:
    child = node.last_child
    while child is not None:
        yield child
        child = child.prev


# Style sheets.

# A comment, or what may look like one, or like the end of a rule, and is none.
_QUOTED = re.compile(
    r"""(/\*.*?(?:\*/|\Z))|\\.|"(?:[^"\\\n\r\f]|\\.)*"|'(?:[^'\\\n\r\f]|\\.)*'"""
    r"""|\burl\(\s*[^\s"')][^)]*\)""",
    re.DOTALL | re.IGNORECASE,
)
_PLAIN_FONT = re.compile(r"""["'][\w ,-]*["']""")
_BRACES = re.compile(r"[{};]")
_PSEUDO = (
    r"(?:::[\w-]+(?:\([^)]*\))?"
    r"|:(?:before|after|first-line|first-letter|hover|focus(?:-\w+)?|active|visited|link|any-link"
    r"|target|checked)(?![\w-]))+"
)
_OF_NOTHING = re.compile(rf"(^|[\s>+~,(]){_PSEUDO}", re.IGNORECASE)  # without an element before it
_OF_ELEMENT = re.compile(_PSEUDO, re.IGNORECASE)
_WITHIN = re.compile(rf"\([^)]*{_PSEUDO}", re.IGNORECASE)
_GROUPS = ("@media", "@supports", "@layer", "@container")


class Rule(Struct, frozen=True):
    """A rule of a style sheet, with the conditions around it. One that begins with `@` and has no
    elements has no `declared`."""

    around: str
    selector: str
    declared: frozenset[tuple[str, str]]

    @property
    def elements(self) -> str:
        """Return the selector without what is not an element of its own; none that can be read for
        one that has that within brackets."""
        if _WITHIN.search(self.selector):
            return "("
        return _OF_ELEMENT.sub("", _OF_NOTHING.sub(r"\1*", self.selector))


def rules(sheet: str) -> Iterator[Rule]:
    """Yield the rules of a style sheet."""
    text, around, at = _unquoted(sheet), list[str](), 0
    for found in _BRACES.finditer(text):
        said = " ".join(text[at : found.start()].split())
        if found.start() < at:
            continue
        at = found.end()
        if found[0] == ";":
            if said:
                yield Rule(" ".join(around), said, frozenset())
        elif found[0] == "}":
            if around:
                around.pop()
        elif said.lower().startswith(_GROUPS):
            around.append(said)
        else:
            at = _closing(text, found.end())
            body = text[found.end() : at - 1]
            is_plain = not said.startswith("@") and "{" not in body
            if is_plain:
                yield Rule(" ".join(around), said, frozenset(declarations(body)))
            else:
                yield Rule(" ".join(around), f"{said} {{{' '.join(body.split())}}}", frozenset())


def _unquoted(sheet: str) -> str:
    """Return a style sheet without comments; what is quoted is only kept if it is plain words."""

    def kept(found: re.Match[str]) -> str:
        if found[1]:
            return " "
        return found[0] if _PLAIN_FONT.fullmatch(found[0]) else '"url("'

    return _QUOTED.sub(kept, sheet)


def _closing(text: str, start: int) -> int:
    """Return where the braces that are open there end."""
    depth = 1
    for found in _BRACES.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if not depth:
            return found.end()
    return len(text) + 1


def declarations(said: str) -> Iterator[tuple[str, str]]:
    """Yield what a style declares: names and values."""
    for one in _unquoted(said).split(";"):
        name, colon, value = one.partition(":")
        if colon:
            yield name.strip().lower(), " ".join(value.split())
