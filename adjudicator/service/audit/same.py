"""Compare an email as it came with the forms that its value gives.

Servers on the way change how an email is written, and put words before and behind it. They change
no words inside it. So what stands between the first and the last of our words must be ours alone.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from msgspec import Struct

from adjudicator.mail.read.html_shown import ShownHtml, hosts, plain
from adjudicator.mail.read.html_text import is_heavy
from adjudicator.service.audit.looks import Result, compare_looks
from adjudicator.service.emails.write import Forms

_AROUND, _MOST = 3, 12  # words of a difference that are shown, and around it
_QUOTED = 200  # characters of what is quoted
# Words times pairs of the same words; beyond, the place of a difference is looked for more quickly.
_EXACT = 300_000_000
_EARLIER = frozenset({"history", "told"})  # classes of what a page tells of earlier turns
TIMES = 10  # a page has more tags than an email that somebody writes


class Compared(Struct, frozen=True):
    """What was found of a form. `shown` is how it came, `known` how our value words it; where a
    form is framed, `shown` are the words that are not ours, and where it is restyled, the style or
    the element that is not."""

    form: str
    result: Result
    shown: str = ""
    known: str = ""


class Came(Struct, frozen=True):
    """An email as it came, decoded: None for a form that is not there. `others` are its pictures,
    and what it has beside its forms."""

    subject: str | None
    text: str | None
    html: str | None
    page: str | None
    others: tuple[str, ...] = ()


def compare(came: Came, ours: Forms) -> list[Compared]:
    """Return what was found of each form that our value gives: one or more results each."""
    found = []
    for name, shown, known, how in (
        ("Subject", came.subject, ours.subject, _subject),
        ("text", came.text, ours.text, _text),
        ("HTML", came.html, ours.html, _html),
        ("page", came.page, ours.page, _page),
    ):
        if known is None:
            # What nobody sent for us is all of it by somebody else.
            found += [Compared(name, Result.DIFFERS, shown)] if shown else []
        elif shown is None:
            found.append(Compared(name, Result.ABSENT))
        else:
            results = [*how(shown, known)]
            found += [Compared(name, *one) for one in results] or [Compared(name, Result.SAME)]
    beside = [
        one
        for n, one in enumerate(came.others)
        if one in came.others[:n] or one not in (ours.html or "")
    ]
    return [
        *found,
        *([Compared("list of parts", Result.FRAMED, ", ".join(beside))] if beside else []),
    ]


def foreign_hosts(came: Came, ours: Forms) -> list[str]:
    """Return the computers to which addresses lead that are not ours: servers rewrite them."""
    shown = hosts(came.text or "") | hosts(came.html or "")
    known = hosts(ours.text) | hosts(ours.html or "")
    return sorted(shown - known)


def looks_back(page: str) -> bool:
    """Return whether a page looks back on earlier turns."""
    return '<section class="history' in page or "<section class=history" in page


_Found = tuple[Result, str, str]


def short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]} …"


def _subject(shown: str, known: str) -> Iterator[_Found]:
    yield from _words(plain(shown).split(), plain(known).split())[0]


def _text(shown: str, known: str) -> Iterator[_Found]:
    lines, right = _lines(shown), _lines(known)
    if lines == right:
        return
    words = [word for line in lines for word in line.split()]
    expected = [word for line in right for word in line.split()]
    found, start = _words(words, expected)
    yield from found
    if start is not None:
        within = _cut_lines(lines, start, start + len(expected))
        if why := _broken(within, right):
            yield Result.RESPACED, *why


def _lines(text: str) -> list[str]:
    """Return the lines of a text that are not blank."""
    every = plain(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    return [line.rstrip() for line in every if line.strip()]


def _words(words: Sequence[str], expected: Sequence[str]) -> tuple[list[_Found], int | None]:
    """Compare words in their order; return, too, where ours begin, if they are there whole."""
    start = _place(words, expected)
    if start is not None:
        before, behind = words[:start], words[start + len(expected) :]
        added = " … ".join(" ".join(part) for part in (before, behind) if part)
        return [(Result.FRAMED, added, "")] if added else [], start
    signs, right = "".join(words), "".join(expected)
    seen, known = _difference(words, expected)
    if right in signs:
        return [(Result.RESPACED, seen, known)], None
    return [(Result.DIFFERS, seen, known)], None


def _place(words: Sequence[str], expected: Sequence[str]) -> int | None:
    """Return the number of the word with which all of ours begin, unbroken."""
    if not expected:
        return 0
    text, right = f" {' '.join(words)} ", f" {' '.join(expected)} "
    at = text.find(right)
    return None if at < 0 else text[:at].count(" ")


def _difference(words: Sequence[str], expected: Sequence[str]) -> tuple[str, str]:
    """Return the first words that differ, on both sides, with those around them."""
    seen = Counter(words)
    alike = sum(seen[word] for word in expected)
    if len(words) * alike > _EXACT:
        least = min(len(words), len(expected))
        at = next((n for n in range(least) if words[n] != expected[n]), least)
        return _around(words, at, at + 1), _around(expected, at, at + 1)
    changes = SequenceMatcher(None, words, expected, autojunk=False).get_opcodes()
    different = [one for one in changes if one[0] != "equal"]
    # Words before our first or behind our last one may be a frame.
    inside = [one for one in different if one[3] < one[4] or 0 < one[3] < len(expected)]
    _, first, last, begin, end = (inside or different)[0]
    return _around(words, first, last), _around(expected, begin, end)


def _around(words: Sequence[str], first: int, last: int) -> str:
    return " ".join(words[max(0, first - _AROUND) : min(last, first + _MOST) + _AROUND])


def _cut_lines(lines: Sequence[str], start: int, end: int) -> list[str]:
    """Return the lines between two words, without what of the first and last is not ours."""
    found, at = list[str](), 0
    for line in lines:
        words = line.split()
        first, last = max(start - at, 0), min(end - at, len(words))
        if first < last:
            is_whole = (first, last) == (0, len(words))
            found.append(line if is_whole else " ".join(words[first:last]))
        at += len(words)
    return found


def _broken(lines: Sequence[str], right: Sequence[str]) -> tuple[str, str] | None:
    """Return the first line that is not as ours, and ours; None if lines were only broken where
    they had become too long. Lines with columns must stand as they were."""
    longest = max(map(len, lines), default=0)
    rest = iter(lines)
    for known in right:
        shown = next(rest, "")
        first = shown
        while shown != known:
            more = next(rest, None)
            whole = f"{shown} {more}"
            is_long = more is not None and len(first) + 1 + len(more.split()[0]) > longest
            if not is_long or "  " in known or not known.startswith(whole):
                return first, known
            shown, first = whole, str(more)
    return None


def _html(shown: str, known: str, without: frozenset[str] = frozenset()) -> Iterator[_Found]:
    if is_heavy(shown, TIMES):
        yield Result.RESTYLED, "too much formatting", ""
        return
    came, ours = ShownHtml(shown, without), ShownHtml(known, without)
    found, start = _words(came.words, ours.words)
    # Blanks in HTML part cells and lines, so other ones are other words.
    for result, told, right in found:
        yield Result.DIFFERS if result is Result.RESPACED else result, told, right
    if start is not None:
        yield from compare_looks(came, ours, start)


def compare_present(shown: str, known: str) -> list[Compared]:
    """Compare a page without what it tells of earlier turns, and what of that elsewhere."""
    return [Compared("page", *one) for one in _page(shown, known, _EARLIER)]


def _page(shown: str, known: str, without: frozenset[str] = frozenset()) -> Iterator[_Found]:
    """Compare a page. One that is the same but for line ends is not read."""
    shown, known = (text.replace("\r\n", "\n").rstrip("\n") for text in (shown, known))
    if shown == known:
        return
    found = [*_html(shown, known, without)]
    yield from found
    if is_heavy(shown, TIMES):
        return
    came, ours = ShownHtml(shown, without), ShownHtml(known, without)
    if other := [one for one in came.titles if one not in ours.titles]:
        yield Result.DIFFERS, other[0], ", ".join(ours.titles)
    yield from _values(came.values, ours.values)
    if foreign := [one for one in came.scripts if one not in ours.scripts]:
        yield Result.RESTYLED, f"<script> {foreign[0]}", ""
    elif came.scripts and came.scripts != ours.scripts[: len(came.scripts)]:
        yield Result.RESTYLED, "<script>", ""
    elif not found and came.sheets != ours.sheets and came.sheets:
        yield Result.RESTYLED, "<style>", ""


def _values(shown: Mapping[str, str], known: Mapping[str, str]) -> Iterator[_Found]:
    """Compare the data from which a page's scripts draw it; it may have lost all of it."""
    for name in (*known, *(one for one in shown if one not in known)):
        told, right = shown.get(name), known.get(name)
        if (told is None and not shown) or told == right:
            continue
        place, seen, must = first_difference(name, _json(told), _json(right))
        yield Result.DIFFERS, _at_place(place, seen), _at_place(place, must)
        return


def _json(text: str | None) -> Any:
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return text


def first_difference(at: str, told: Any, right: Any) -> tuple[str, Any, Any]:
    """Return the innermost place where two values differ first, with what stands there in both."""
    while True:
        pairs: Iterable[tuple[Any, Any, Any]] = ()
        if isinstance(told, dict) and isinstance(right, dict):
            pairs = ((key, told.get(key), right.get(key)) for key in {**right, **told})
        elif isinstance(told, list) and isinstance(right, list) and len(told) == len(right):
            pairs = ((key, *both) for key, both in enumerate(zip(told, right, strict=True)))
        found = next((one for one in pairs if one[1] != one[2]), None)
        if found is None:
            return at, told, right
        key, told, right = found
        at = f"{at}.{key}"


def _at_place(at: str, value: Any) -> str:
    return f"{at}: {json.dumps(value, ensure_ascii=False)}"
