"""Take out of styles and pages what browsers do not need: comments, indents, needless blanks and
quotes, rules that fit nothing, tags that follow from others.

Letters carry a page each, so every byte goes out with every report. Nothing is packed: filters take
packed pages for smuggling.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from string import ascii_letters, digits

from msgspec import Struct

from adjudicator.reports import line_ends

_SECTION = re.compile(r"(?<=</section>)")
# Elements whose text is kept as it is. In the others a quote stands around a value or is escaped.
_KEPT = re.compile(r"<(script|style|textarea|pre)\b[^>]*>")
_QUOTED = re.compile(r"(=)\"([^\s\"'=<>`]*[^\s\"'=<>`/])\"(?=[\s/>])")
_SHUTS_ITSELF = re.compile(r"(=[^\s\"'=<>`]+)/>")  # the stroke would belong to the value
_RULE = re.compile(r"(?<=[{}>])([^@{}>][^{}]*?)(\{[^{}]*\})")
# Elements of one or two letters are in every page, or their names are also words that come and go;
# but for those of tables, which many pages do without.
_NAMED = re.compile(r"(?<=[.#])[A-Za-z][\w-]*|\b(?:[a-z]{3,}|t[dhr])\b")
_BESIDE_NAMES = re.compile(r"\[[^\]]*\]|::?[\w-]+")  # attributes, states and parts of elements
_UNWRITTEN = frozenset(("tbody",))  # an element that is there without its tag
_EMPTY = re.compile(r"@media[^{}]*\{\}")
_IN_WORDS = f"{ascii_letters}{digits}_-".encode()
_APART = bytes(sign if sign in _IN_WORDS else ord(" ") for sign in range(256))
# An element that ends where its next sibling begins, or its parent ends (HTML, 13.1.2.4).
_FOLLOWS = re.compile(
    r"</(?:li>(?=\s*<(?:li\b|/[ou]l>))|option>(?=\s*<(?:option\b|/select>))"
    r"|t[dh]>(?=\s*<(?:t[dh]\b|/tr>))|tr>(?=\s*<(?:tr\b|/t(?:head|body)>))"
    r"|p>(?=\s*<(?:p|ul|ol|h2|h3|table|div|section|details|pre)\b))"
)


def style(text: str) -> str:
    """Return a style sheet that says the same with fewer bytes."""
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    plain = re.sub(r"\s+", " ", plain)
    plain = re.sub(r" ?([{};,]) ?", r"\1", plain)
    plain = re.sub(r"(?<=[\w)-]): (?=[^{}]*[;}])", ":", plain)
    return plain.replace(";}", "}").strip() + "\n"


class _Rule(Struct, frozen=True):
    """A rule of a style sheet, after what stands before it: each selector with the elements,
    classes and ids in it."""

    before: str
    selectors: Sequence[tuple[str, Sequence[str]]]
    body: str


class _Style(Struct, frozen=True):
    """A style sheet: its rules, what comes after them, and all elements, classes and ids in it."""

    rules: Sequence[_Rule]
    rest: str
    names: frozenset[str]


def page(text: str) -> str:
    """Return an HTML page that is the same with fewer bytes."""
    pieces = [*_pieces(text)]
    others = [piece for piece in pieces if not piece.startswith("<style")]
    return "".join(
        _without_idle_rules(piece, others) if piece.startswith("<style") else _light(piece)
        for piece in pieces
    )


def _pieces(text: str) -> Iterator[str]:
    """Yield the elements whose text is kept, and what is between them, section by section."""
    at = 0
    while found := _KEPT.search(text, at):
        last = f"</{found[1]}>"
        end = text.find(last, found.end())
        if end < 0:
            break
        yield from _SECTION.split(text[at : found.start()])
        at = end + len(last)
        yield text[found.start() : at]
    yield from _SECTION.split(text[at:])


# The page of a letter is made more than once, and most of its sections are the same each time.
@lru_cache(maxsize=256)
def _light(piece: str) -> str:
    """Lighten a piece of a page; of an element whose text is kept, only its head."""
    kept = _KEPT.match(piece)
    if kept is None:
        return _lightened(piece)
    head = kept[0]
    return _lightened(head) + piece[len(head) :] if '"' in head else piece


def _without_idle_rules(element: str, others: Iterable[str]) -> str:
    """Leave out the rules of a style sheet that fit nothing in the page: an element, a class or an
    id stands neither in its markup nor in its scripts."""
    names = _style(element).names
    met = frozenset[str]().union(*(_met(names, other) for other in others))
    return _with_rules(element, met)


@lru_cache(maxsize=512)
def _with_rules(element: str, met: frozenset[str]) -> str:
    """Return a style sheet with the rules that fit what was met; many pages met the same."""
    style = _style(element)
    text = "".join(_written(rule, met) for rule in style.rules) + style.rest
    return line_ends.style(_EMPTY.sub("", _EMPTY.sub("", text)))  # one may hold another


@cache
def _style(element: str) -> _Style:
    """Take a style sheet apart; of these we have few.

    A selector with brackets stays whole and without names, for a comma in them parts no selectors.
    """
    *pieces, rest = _RULE.split(element)
    rules = [
        _Rule(before, [(whole, ())] if "(" in whole else [*_selectors(whole)], body)
        for before, whole, body in zip(*[iter(pieces)] * 3, strict=True)
    ]
    names = {name for rule in rules for _, named in rule.selectors for name in named}
    return _Style(rules, rest, frozenset(names))


def _selectors(whole: str) -> Iterator[tuple[str, Sequence[str]]]:
    for one in whole.split(","):
        named = _NAMED.findall(_BESIDE_NAMES.sub("", one))
        yield one, [name for name in named if name not in _UNWRITTEN]


@lru_cache(maxsize=256)
def _met(names: frozenset[str], text: str) -> frozenset[str]:
    """Return those of the names that stand in a piece of a page."""
    return names.intersection(text.encode("ascii", "replace").translate(_APART).decode().split())


def _written(rule: _Rule, met: Container[str]) -> str:
    """Write a rule for those of its selectors whose names were all met."""
    selectors = [one for one, named in rule.selectors if all(name in met for name in named)]
    return rule.before + (",".join(selectors) + rule.body if selectors else "")


def _lightened(markup: str) -> str:
    plain = "".join(_QUOTED.split(markup)).replace('=""', "")
    return _FOLLOWS.sub("", _SHUTS_ITSELF.sub(r"\1 />", plain)).replace("&gt;", ">")
