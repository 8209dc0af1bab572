"""Write HTML anew with what counts in its tags, so that a parser is soon done with it.

Of a tag only the attributes count that hide, quote, keep line ends or choose a font. Comments,
scripts and the like are never shown. A parser compares all attributes of a tag, and of all tags of
the page or its body, with each other; it gets four of them at most.

And it mends what a writer left open: it opens an element that only formats, such as `<b>`, anew
with all its attributes wherever a block around it has ended before it did. Two thousand of them,
and two thousand paragraphs below, become four million elements out of 30 kB. Letters that people
write have few kinds of them; there they stay as they are, for where each ends decides what is
hidden. In others most of them become elements with names of their own, which are never opened anew.
Those that hide or strike out do change it. They stay what they are, but without other attributes,
for of those that are alike a parser opens no more than three anew.
"""

import re
from collections.abc import Iterator, Sequence
from html import unescape

from msgspec import Struct, structs

# Beyond this limit the parser's work grows with the square: 50,000 nested tags cost it seconds.
MOST_TAGS = 6_000

_HIDDEN = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|font-size:0(?![.\d]*[1-9])"
    r"|text-decoration(?:-line)?:[^;:]*line-through"
)
# Tags and their attributes as browsers read them (HTML, section 13.2.5). A quote that nobody closes
# goes to the end, and so does a comment.
_BLANK = r" \t\n\r\f"
_VALUE = rf"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^{_BLANK}>"'][^{_BLANK}>]*+)?+"""
_NAME = rf"(?:=[^{_BLANK}/>=]*+|[^{_BLANK}/>=]++)"
_GIVEN = rf"[{_BLANK}]*+=[{_BLANK}]*+"
_ATTRIBUTE = re.compile(rf"[{_BLANK}/]*+(?P<name>{_NAME})(?:{_GIVEN}(?P<value>{_VALUE}))?+")
_PIECE = re.compile(
    rf"<(?P<slash>/?)(?P<name>[a-zA-Z][^{_BLANK}/>]*+)"
    rf"(?P<attributes>(?:[{_BLANK}/]*+{_NAME}(?:{_GIVEN}{_VALUE})?+)*+)[{_BLANK}/]*+(?P<whole>>|\Z)"
    r"|<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|<(?:[!?]|/(?![a-zA-Z]))[^>]*+(?:>|\Z)",
    re.DOTALL,
)
_NOTHING = "<!---->"  # stands for what is never shown, so that the texts around it stay two
_COUNTS = frozenset({"class", "face", "hidden", "style"})
_SMALL_OR_NOT = re.IGNORECASE | re.ASCII  # a Kelvin sign is no k, nor a long s an s
_MAY_COUNT = re.compile("|".join(sorted(_COUNTS)), _SMALL_OR_NOT)
# In these there are no tags. But two of them show their text, a field with its entities read.
_RAW = {
    name: re.compile(rf"</{name}(?=[{_BLANK}/>])", _SMALL_OR_NOT)
    for name in ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")
}
# Within a comment a script may name another, and goes on behind the end of that (section 13.1.2.4).
_IN_SCRIPT = re.compile(
    rf"(?P<opens><!(?=--))|(?P<closes>-->)|<(?P<slash>/?)script(?=[{_BLANK}/>])", _SMALL_OR_NOT
)
_DRAWS = frozenset({"svg", "math"})  # only in these a tag with a slash behind has nothing inside
_STRIKES = frozenset({"s", "strike"})
# The others that only format (HTML, section 13.2.4.3).
_FORMATS = frozenset(
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "small", "strong", "tt", "u"]
)
_HIDES = "font"  # a name for all those of which some hide, where these have several names


class _Tag(Struct, frozen=True):
    """A tag; `attributes` has those that count."""

    name: str
    ends: bool
    closed: bool
    attributes: str

    def __str__(self) -> str:
        slash, closed = "/" * self.ends, " /" * self.closed
        return f"<{slash}{self.name}{self.attributes}{closed}>"


def plain_tags(html: str) -> tuple[str, bool]:
    """Return HTML that shows the same, and whether its end was cut off."""
    pieces, is_cut = _pieces(html.replace("\0", ""))
    if _is_light(pieces):
        told = (str(_unstruck(one) if isinstance(one, _Tag) else one) for one in pieces)
        return "".join(told), is_cut
    hiding = {
        one.name
        for one in pieces
        if isinstance(one, _Tag) and one.name in _FORMATS and _hides_by(one.attributes)
    }
    name = _HIDES if len(hiding) > 1 else "".join(hiding)
    told = (str(_cheap(one, hiding, name) if isinstance(one, _Tag) else one) for one in pieces)
    return "".join(told), is_cut


def _unstruck(tag: _Tag) -> _Tag:
    return structs.replace(tag, attributes="") if tag.name in _STRIKES else tag


def _is_light(pieces: Sequence[str | _Tag]) -> bool:
    """Return whether a parser opens few elements anew even if nobody ends any that formats: of
    those that are alike it opens three, once for each tag."""
    tags = [one for one in pieces if isinstance(one, _Tag)]
    kinds = {(one.name, one.attributes) for one in tags if one.name in _FORMATS and not one.ends}
    longest = max((len(attributes) for _, attributes in kinds), default=0)
    opened = 3 * len(kinds) * len(tags)
    return opened <= 2 * MOST_TAGS and opened * longest <= 1_000_000


def hides(style: str) -> bool:
    """Return whether a style without blanks, in small letters, hides or strikes out."""
    return bool(_HIDDEN.search(style))


def _pieces(html: str) -> tuple[Sequence[str | _Tag], bool]:
    pieces: list[str | _Tag] = []
    endless: set[str] = set()  # elements of raw text that nobody ends from here on
    at = drawings = 0
    for _ in range(MOST_TAGS):
        found = _PIECE.search(html, at)
        if found is None:
            return [*pieces, html[at:]], False
        pieces.append(html[at : found.start()])
        at = found.end()
        if found["name"] is None:
            is_doctype = found[0][:9].lower() == "<!doctype"
            pieces.append(found[0] if is_doctype else _NOTHING)
            continue
        if not found["whole"]:
            return pieces, False  # of a tag that is never closed nothing is shown
        tag = _tag(found)
        pieces.append(tag)
        if tag.name in _DRAWS:
            drawings = max(0, drawings + (-1 if tag.ends else not tag.closed))
        is_empty = tag.closed and drawings > 0
        if tag.ends or is_empty or tag.name not in _RAW or tag.name in endless:
            continue
        end = _end_of_script(html, at) if tag.name == "script" else _RAW[tag.name].search(html, at)
        if end is None:
            endless.add(tag.name)
        else:
            pieces.append(_shown(tag.name, html[at : end.start()]))
            at = end.start()
    return pieces, at < len(html)


def _end_of_script(html: str, at: int) -> re.Match[str] | None:
    is_comment = is_within = False  # within a script that the comment names
    for found in _IN_SCRIPT.finditer(html, at):
        if found["opens"]:
            is_comment = True
        elif found["closes"]:
            is_comment = is_within = False
        elif not found["slash"]:
            is_within = is_comment
        elif is_within:
            is_within = False
        else:
            return found
    return None


def _shown(name: str, inside: str) -> str:
    """Return what a parser is to read of the inside of an element without tags."""
    if name == "textarea":
        return inside.replace("<", "&lt;")
    return inside if name == "xmp" else ""


def _tag(found: re.Match[str]) -> _Tag:
    attributes = found["attributes"]
    return _Tag(
        name=_in_small(found["name"]),
        ends=bool(found["slash"]),
        closed=found[0].endswith("/>"),
        attributes="".join(_counting(attributes)) if _MAY_COUNT.search(attributes) else "",
    )


def _in_small(name: str) -> str:
    return name.lower() if name.isascii() else name  # which is none of those that count


def _counting(attributes: str) -> Iterator[str]:
    """Yield the attributes that count; of several with the same name the first does."""
    seen = set()
    for found in _ATTRIBUTE.finditer(attributes):
        name = _in_small(found["name"])
        if name in _COUNTS and name not in seen:
            seen.add(name)
            yield f" {name}={found['value']}" if found["value"] else f" {name}"


def _hides_by(attributes: str) -> bool:
    for found in _ATTRIBUTE.finditer(attributes):
        if found["name"] == "hidden":
            return True
        if found["name"] == "style":
            style = unescape((found["value"] or "").strip("\"'"))
            if hides("".join(style.lower().split())):
                return True
    return False


def _cheap(tag: _Tag, hiding: set[str], hiding_name: str) -> _Tag:
    if tag.name in _STRIKES:
        return structs.replace(tag, attributes="")
    if tag.name in hiding:
        hidden = " hidden" if _hides_by(tag.attributes) else ""
        return structs.replace(tag, name=hiding_name, attributes=hidden)
    if tag.name in _FORMATS:
        return structs.replace(tag, name=f"{tag.name}-")
    return tag
