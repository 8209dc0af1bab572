"""Find out whether HTML with the right words may look otherwise than ours: by a style, an attribute
or an element that is not ours.

What is missing of ours is allowed, because many programs take styles off. A few properties are
allowed to anybody, as long as they hide nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from adjudicator.mail.read.html_shown import Element, Rule, ShownHtml, declarations, rules

_HARMLESS = frozenset({"span", "div", "p", "a", "html", "head", "body", "tbody", "meta", "font"})
# Elements of ours that only format may be missing; the others hold cells and lines in their places.
_BOLD = frozenset({"b", "strong", "em", "i", "u", "small", "code", "sub", "sup"})
_MAY_BE_MISSING = _HARMLESS | _BOLD
_NAMES = frozenset({"class", "id", "lang"})
_OF_LINKS = frozenset({"target", "rel", "title"})
_SETS = re.compile(r"(?:font|margin|padding)(?:-[a-z]+)?|line-height")
_NUMBER = re.compile(r"(-?[\d.]+)([a-z%]*)")
# Of fonts and lines: the smallest and the largest of each unit.
_SIZES = {
    "px": (8, 60),
    "pt": (6, 45),
    "em": (0.6, 4),
    "rem": (0.6, 4),
    "%": (60, 400),
    "": (0.9, 900),
}
_MOST_APART = {"px": 60.0, "pt": 45.0, "em": 4.0, "rem": 4.0, "": 60.0}  # of margins and paddings
_SIGNS = re.compile(r"dings|dingbats|symbol|marlett", re.IGNORECASE)
_DRAWN = re.compile(r"url|image|[\"'\\]", re.IGNORECASE)
_SEES_THROUGH = re.compile(r"transparent|rgba|hsla|#\w{8}\b|#\w{4}\b|var\(", re.IGNORECASE)
# What moves an element to where others stand.
_MOVING = (
    "position transform translate float inset top left right bottom z-index content clip-path mask "
    "filter backdrop-filter mix-blend-mode zoom scale rotate grid-area order"
)
_MOVES = frozenset(_MOVING.split())
# Elements that show what are no words of theirs.
_ELSEWHERE = (
    "link base frame frameset object embed iframe svg canvas video audio input button select "
    "textarea meter progress"
)
_FROM_ELSEWHERE = frozenset(_ELSEWHERE.split())
_MOST_RULES, _LONGEST = 100, 500


class Result(Enum):
    """How alike a form of an email is to ours.

    FRAMED: other words stand before or behind ours. RESPACED: the same signs have other blanks or
    lines. RESTYLED: the same words may look otherwise. ABSENT: it is not there. DIFFERS: anything
    else.
    """

    SAME = "same"
    FRAMED = "framed"
    RESPACED = "respaced"
    RESTYLED = "restyled"
    ABSENT = "absent"
    DIFFERS = "differs"


def compare_looks(
    came: ShownHtml, ours: ShownHtml, start: int
) -> Iterator[tuple[Result, str, str]]:
    """Yield the first element that says something else in an attribute that it has from us, with
    ours, and the first thing that is not ours and may change how our words look; they begin with
    the word `start` of those that came."""
    found = _paired(came, ours, start)
    names = _Names(ours)
    judged = [
        (names.judge(name, came.elements[number], known), came.elements[number], known)
        for number, known in found.pairs.items()
        for name in came.elements[number].attributes
    ]
    for look, element, known in judged:
        if look is Result.DIFFERS and known is not None:
            yield look, _tag(element), _tag(known)
            break
    restyled = (_tag(element) for look, element, _ in judged if look is Result.RESTYLED)
    for what in (*found.missing, *restyled, *_foreign(came, ours, found.pairs)):
        yield Result.RESTYLED, what, ""
        break


def _foreign(
    came: ShownHtml, ours: ShownHtml, pairs: Mapping[int, Element | None]
) -> Iterator[str]:
    """Yield the elements and style rules that are not ours and may change how our words look."""
    for number, element in enumerate(came.elements):
        known, is_about = pairs.get(number), number in pairs
        moves = not is_about and any(map(_moves, declarations(element.attributes.get("style", ""))))
        is_foreign = is_about and known is None and element.tag not in _HARMLESS
        runs = any(
            map(_runs, element.attributes.items() - (known.attributes if known else {}).items())
        )
        if moves or is_foreign or runs or (element.tag in _FROM_ELSEWHERE and known is None):
            yield _tag(element)
    yield from (said for said in came.hidden if said not in ours.hidden)
    yield from _sheets(came, ours, frozenset(pairs))


class _Names:
    """What our classes, style sheets and elements name: servers add attributes and take them off,
    and change none of ours but addresses."""

    def __init__(self, ours: ShownHtml) -> None:
        self.classes = {name for one in ours.elements for name in _words(one, "class")}
        self.styled = {name for sheet in ours.sheets for name in _NAME.findall(sheet)}
        self.asked = {name for one in ours.elements for name in one.attributes}

    def judge(self, name: str, element: Element, known: Element | None) -> Result:
        """Return what an attribute does to an element that is `known` as ours, or is not ours."""
        value, right = element.attributes[name], known.attributes.get(name) if known else None
        if value == right:
            return Result.SAME
        if name in _NAMES:
            added = _words(element, name) - (_words(known, name) if known else set())
            if name == "class" and known and added & self.classes:
                return Result.DIFFERS
            return Result.RESTYLED if added & self.styled else Result.SAME
        is_ours = right is not None and element.tag not in _OF_ALL
        if name == "style":
            changed = _changed(value, right or "", link=element.tag == "a")
            if is_ours and changed & {kind for kind, _ in declarations(right or "")}:
                return Result.DIFFERS
            return Result.RESTYLED if changed else Result.SAME
        if is_ours and name not in _WRITTEN_ANEW and value.split() != (right or "").split():
            return Result.DIFFERS
        return Result.SAME if self._is_fine(name, element, right) else Result.RESTYLED

    def _is_fine(self, name: str, element: Element, right: str | None) -> bool:
        value, is_link = element.attributes[name], element.tag == "a"
        if name == "href" and is_link:
            is_web = _is_web(value) and (not right or _is_web(right))
            return is_web or (right is not None and unquote(value) == unquote(right))
        if name.startswith(("data-", "aria-")) or (is_link and name in _OF_LINKS):
            return name not in self.asked
        if element.tag in ("html", "head", "meta"):
            return name not in ("dir", "hidden", "http-equiv")
        return element.tag == "img" and name == "src"  # a word of its own


def _words(element: Element, name: str) -> set[str]:
    return {*element.attributes.get(name, "").split()}


def _changed(style: str, right: str, *, link: bool) -> set[str]:
    """Return the properties that a style sets otherwise than ours, and that do harm."""
    own = {kind: _plain_style(one) for kind, one in declarations(right)}
    return {
        kind
        for kind, one in declarations(style)
        if own.get(kind) != _plain_style(one) and not _is_harmless((kind, one), link=link)
    }


# Attributes that servers and programs write anew: addresses, and what stands beside them.
_WRITTEN_ANEW = _OF_LINKS | {"href", "src"}
_OF_ALL = frozenset({"html", "head", "meta", "body"})
_RGB = re.compile(r"rgb\((\d{1,3}),(\d{1,3}),(\d{1,3})\)")
_SHORT_COLOUR = re.compile(r"#([0-9a-f])([0-9a-f])([0-9a-f])\b")


def _plain_style(value: str) -> str:
    """Return the value of a style in one spelling: a colour has several."""
    value = "".join(value.lower().split())
    value = _RGB.sub(lambda found: "#" + "".join(f"{int(n):02x}" for n in found.groups()), value)
    return _SHORT_COLOUR.sub(r"#\1\1\2\2\3\3", value)


_NAME = re.compile(r"[.#]([\w-]+)")


class _Pairs(NamedTuple):
    """The elements that came and stand around or between our words, each with ours, or None; and
    those of ours that are missing."""

    pairs: Mapping[int, Element | None]
    missing: Sequence[str]


def _paired(came: ShownHtml, ours: ShownHtml, start: int) -> _Pairs:
    end = start + len(ours.words)
    own: dict[int, list[Element]] = {}
    for one in ours.elements:
        own.setdefault(one.first, []).append(one)
    waiting = {first: list(those) for first, those in own.items()}
    pairs: dict[int, Element | None] = {}
    missing: list[str] = []
    for number, element in enumerate(came.elements):
        if not (element.first <= end and element.last >= start):
            continue
        first, last = max(element.first - start, 0), min(element.last, end) - start
        here = waiting.get(first, [])
        alike = [n for n, one in enumerate(here) if one.tag == element.tag and one.last == last]
        # One that only formats may be missing before one that is just as ours.
        same = (n for n in alike if here[n].attributes == element.attributes)
        at = next(same, alike[0]) if alike else None
        if at is not None and any(one.tag not in _MAY_BE_MISSING for one in here[alike[0] : at]):
            at = alike[0]
        if at is not None:
            missing += [f"</{one.tag}>" for one in here[:at] if one.tag not in _MAY_BE_MISSING]
            pairs[number] = here[at]
            del here[: at + 1]
        elif element.first < end and element.last > start:
            pairs[number] = None
    missing += [
        f"</{one.tag}>"
        for here in waiting.values()
        for one in here
        if one.tag not in _MAY_BE_MISSING
    ]
    return _Pairs(pairs, missing)


def _tag(element: Element) -> str:
    said = "".join(f' {name}="{value}"' for name, value in element.attributes.items())
    return f"<{element.tag}{said}>"


def _is_web(address: str) -> bool:
    return address.lower().startswith(("http://", "https://"))


def _sheets(came: ShownHtml, ours: ShownHtml, about: frozenset[int]) -> Iterator[str]:
    """Yield the rules of style sheets that are not ours, touch one of our elements or move
    another, and set more than is harmless."""
    own = {rule for sheet in ours.sheets for rule in rules(sheet)}
    others = (rule for sheet in came.sheets for rule in rules(sheet) if rule not in own)
    foreign = [*islice(others, _MOST_RULES + 1)]
    if len(foreign) > _MOST_RULES:
        yield "<style>"
        return
    for rule in foreign:
        if not rule.declared:
            is_known = rule.selector.lower().startswith("@charset")
            if (rule.selector[:1] == "@" or "{" in rule.selector) and not is_known:
                yield rule.selector
            continue
        touched = came.matching(rule.elements) if len(rule.elements) <= _LONGEST else None
        if touched is None:
            yield _rule_text(rule)
            continue
        of_ours = [number for number in touched if number in about]
        only_links = all(came.elements[number].tag == "a" for number in touched)
        harms = not all(_is_harmless(one, link=only_links) for one in rule.declared)
        if (of_ours and harms) or (touched and any(map(_moves, rule.declared))):
            yield _rule_text(rule)


def _rule_text(rule: Rule) -> str:
    return f"{rule.selector} {{ {'; '.join(': '.join(one) for one in sorted(rule.declared))} }}"


def _moves(declared: tuple[str, str]) -> bool:
    """Return whether a declaration moves an element over others, or shows what are no words."""
    name, value = declared
    is_drawn = not name.startswith("font") and _DRAWN.search(value)
    return bool(name in _MOVES or is_drawn or (name.startswith("margin") and "-" in value))


def _runs(attribute: tuple[str, str]) -> bool:
    """Return whether an attribute runs or loads something."""
    name, value = attribute
    is_page = name == "http-equiv" and value.lower() in ("refresh", "content-security-policy")
    return is_page or name.startswith("on") or name in ("background", "srcset", "poster")


def _is_harmless(declared: tuple[str, str], *, link: bool) -> bool:
    """Return whether a declaration may be set by anybody: it changes fonts and distances, and hides
    nothing."""
    name, value = declared
    value = value.lower().removesuffix("!important").strip()
    if name == "color" and link:
        return not _SEES_THROUGH.search(value)
    if not _SETS.fullmatch(name) or "(" in value or _SIGNS.search(value):
        return False
    numbers = [(float(number), unit) for number, unit in _NUMBER.findall(_sized(value))]
    if name.startswith(("margin", "padding")):
        return all(0 <= number <= _MOST_APART.get(unit, 0) for number, unit in numbers)
    if name in ("font-size", "font", "line-height"):
        sizes = ((number, *_SIZES.get(unit, (1, 0))) for number, unit in numbers)
        return all(least <= number <= most for number, least, most in sizes)
    return name in ("font-family", "font-weight", "font-style", "font-variant")


def _sized(value: str) -> str:
    """Return a value without the names of fonts, in which numbers are none."""
    return re.sub(r"\"[^\"]*\"|'[^']*'", "", value)
