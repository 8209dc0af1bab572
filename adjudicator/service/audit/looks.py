"""Find out whether HTML with the right words may look otherwise than ours: by a style, an attribute
or an element that is not ours.

What is missing of ours is allowed, because many programs take styles off. A few properties are
allowed to anybody, as long as they hide nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
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
_SMALLEST = {"px": 8.0, "pt": 6.0, "em": 0.6, "rem": 0.6, "%": 60.0, "": 0.9}
_MOST_APART = 60.0  # of margins and paddings
_SIGNS = re.compile(r"wingdings|webdings|symbol", re.IGNORECASE)
_SEES_THROUGH = re.compile(r"transparent|rgba|hsla|#\w{8}\b|#\w{4}\b|var\(", re.IGNORECASE)
# What moves an element to where others stand.
_MOVING = (
    "position transform translate float inset top left right bottom z-index content clip-path mask "
    "filter backdrop-filter mix-blend-mode zoom scale rotate grid-area order"
)
_MOVES = frozenset(_MOVING.split())
_FROM_ELSEWHERE = frozenset({"link", "base", "frame", "frameset", "object", "embed", "iframe"})
_MOST_RULES, _LONGEST = 500, 500


def find_changes(came: ShownHtml, ours: ShownHtml, start: int) -> Iterator[str]:
    """Yield what is not ours and may change how our words look; they begin with the word `start` of
    those that came."""
    found = _paired(came, ours, start)
    yield from found.missing
    named = frozenset(name for sheet in ours.sheets for name in _NAME.findall(sheet))
    asked = frozenset(name for one in ours.elements for name in one.attributes)
    for number, known in found.pairs.items():
        element = came.elements[number]
        if known is None and element.tag not in _HARMLESS:
            yield _tag(element)
        yield from _attributes(element, known, named, asked)
    for number, element in enumerate(came.elements):
        style = element.attributes.get("style", "")
        if number not in found.pairs and any(map(_moves, declarations(style))):
            yield _tag(element)
        if element.tag in _FROM_ELSEWHERE and found.pairs.get(number) is None:
            yield _tag(element)
    yield from (said for said in came.hidden if said not in ours.hidden)
    yield from _sheets(came, ours, frozenset(found.pairs))


def find_contradiction(came: ShownHtml, ours: ShownHtml, start: int) -> tuple[str, str] | None:
    """Return the first element that says something else in an attribute that it has from us, and
    ours: another of our classes, a style of ours with another value, other words. Servers add
    attributes and take them off, and change none but addresses."""
    classes = {name for one in ours.elements for name in _classes(one)}
    for number, known in _paired(came, ours, start).pairs.items():
        if known is None:
            continue
        element = came.elements[number]
        if any(_is_retold(name, element, known, classes) for name in element.attributes):
            return _tag(element), _tag(known)
    return None


def _classes(element: Element) -> set[str]:
    return {*element.attributes.get("class", "").split()}


# Attributes that servers and programs write anew: addresses, and what stands beside them.
_WRITTEN_ANEW = _OF_LINKS | {"href", "src", "id", "lang"}


def _is_retold(name: str, element: Element, known: Element, classes: set[str]) -> bool:
    value, right = element.attributes[name], known.attributes.get(name)
    if name == "class":
        return not _classes(element).isdisjoint(classes - _classes(known))
    if right is None or value == right or name in _WRITTEN_ANEW or element.tag in _OF_ALL:
        return False
    if name != "style":
        return value.split() != right.split()
    own = {kind: _plain_style(one) for kind, one in declarations(right)}
    return any(
        kind in own and own[kind] != _plain_style(one)
        for kind, one in declarations(value)
        if not _is_harmless((kind, one), link=element.tag == "a")
    )


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


def _attributes(
    element: Element, known: Element | None, named: frozenset[str], asked: frozenset[str]
) -> Iterator[str]:
    """Yield the element if an attribute is not ours and not harmless. A name counts that one of our
    style sheets uses."""
    own = known.attributes if known else {}
    for name, value in element.attributes.items():
        right = own.get(name)
        if value == right:
            continue
        is_link = element.tag == "a"
        if name == "style":
            before = {*declarations(right or "")}
            foreign = [one for one in declarations(value) if one not in before]
            is_fine = all(_is_harmless(one, link=is_link) for one in foreign)
        elif name in _NAMES:
            is_fine = not {*value.split()}.difference((right or "").split()) & named
        elif name == "href" and is_link:
            is_fine = _is_web(value) and (right is None or _is_web(right) or right == "")
            is_fine = is_fine or (right is not None and unquote(value) == unquote(right))
        elif name.startswith(("data-", "aria-")) or (is_link and name in _OF_LINKS):
            is_fine = name not in asked
        elif element.tag in ("html", "head", "meta"):
            is_fine = name not in ("dir", "hidden", "http-equiv")
        else:
            is_fine = element.tag == "img" and name == "src"  # a word of its own
        if not is_fine:
            yield _tag(element)
            return


def _is_web(address: str) -> bool:
    return address.lower().startswith(("http://", "https://"))


def _sheets(came: ShownHtml, ours: ShownHtml, about: frozenset[int]) -> Iterator[str]:
    """Yield the rules of style sheets that are not ours, touch one of our elements or move
    another, and set more than is harmless."""
    own = {rule for sheet in ours.sheets for rule in rules(sheet)}
    foreign = [rule for sheet in came.sheets for rule in rules(sheet) if rule not in own]
    if len(foreign) > _MOST_RULES:
        yield "<style>"
        return
    for rule in foreign:
        if not rule.declared:
            if rule.selector.startswith("@") and not rule.selector.lower().startswith("@charset"):
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
    """Return whether a declaration moves an element over others."""
    name, value = declared
    return name in _MOVES or (name.startswith("margin") and "-" in value)


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
        return all(0 <= number <= _MOST_APART for number, _ in numbers)
    if name in ("font-size", "font", "line-height"):
        return all(number >= _SMALLEST.get(unit, 1.0) for number, unit in numbers)
    return name in ("font-family", "font-weight", "font-style", "font-variant")


def _sized(value: str) -> str:
    """Return a value without the names of fonts, in which numbers are none."""
    return re.sub(r"\"[^\"]*\"|'[^']*'", "", value)
