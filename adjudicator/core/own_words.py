"""Know words that adjud wrote when an email sends them back, however they are marked or broken.

A mail program breaks lines where it likes and puts signs before them, or none. So words are
compared, one after the other, whatever stands between them: a few words in a row that stand in a
text of ours are ours, if they are more than people have in common by chance.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

ROW = 5  # words in a row that are looked up together
SURELY = 8  # words in a row that nobody writes by chance
Rows: TypeAlias = frozenset[int]  # what `rows_of` returns

_WORD = re.compile(r"[^\W_]+")
_INITIALS = re.compile(r"\s*\w{1,4}>")  # with which some programs mark a quoted line


def _nothing(_: str) -> bool:
    return False


class OwnWords(Struct, frozen=True):
    """What adjud writes. `rows` are those of its sentences, which take a moment to read; `lines`
    are forms of whole lines that are too short for that, and nobody else writes. A line that `asks`
    for something is a command or an order: adjud shows them so that people write them."""

    rows: Callable[[], Rows] = frozenset
    lines: Sequence[re.Pattern[str]] = ()
    asks: Callable[[str], bool] = _nothing


NO_WORDS = OwnWords()


def words_of(line: str) -> list[str]:
    """Return the words of a line, without what a mail program may have put before them."""
    if ">" in line and (found := _INITIALS.match(line)):
        line = line[found.end() :]
    return _WORD.findall(line.casefold())


def rows_of(texts: Iterable[str]) -> frozenset[int]:
    """Return all rows of words of these texts, of each by itself."""
    return frozenset(row for text in texts for row in _rows(_WORD.findall(text.casefold())))


def ours(lines: Sequence[str], known: Rows, least: int, least_twice: int = 0) -> frozenset[int]:
    """Return the indexes of the lines with words of at least `least` in a row that are known, or of
    at least `least_twice` in two places. A row may begin in one line and end in another."""
    words: list[str] = []
    places: list[int] = []
    for i, line in enumerate(lines):
        told = words_of(line)
        words += told
        places += [i] * len(told)
    found = [places[begins:end] for begins, end in _runs(words, known)]
    if not any(len(one) >= least for one in found):
        twice = [one for one in found if least_twice and len(one) >= least_twice]
        return frozenset(i for one in twice for i in one) if len(twice) > 1 else frozenset()
    return frozenset(i for one in found if len(one) >= least for i in one)


def _runs(words: Sequence[str], known: Rows) -> Iterator[tuple[int, int]]:
    """Yield where words that are known begin and end; of the last, the index behind it."""
    begins: int | None = None
    for at, row in enumerate([*_rows(words), None]):
        if row is not None and row in known:
            begins = at if begins is None else begins
        elif begins is not None:
            yield begins, at - 1 + ROW
            begins = None


def first_of_ours(lines: Sequence[str], known: OwnWords) -> int | None:
    """Return the index of the first line that only adjud writes; None if there is none."""
    short = (i for i, line in enumerate(lines) if _is_title(lines, i) or is_form(line, known))
    found = [*_lines_of_ours(lines, known), *[i for i in [next(short, None)] if i is not None]]
    if not found:
        return None
    first = min(found)
    for i in range(first - 1, -1, -1):  # short lines right above are ours, too
        if words_of(lines[i]) and (not is_short(lines[i], known) or known.asks(lines[i])):
            break
        first = i if words_of(lines[i]) else first
    return first


def _lines_of_ours(lines: Sequence[str], known: OwnWords) -> frozenset[int]:
    """Return the indexes of the lines that tell something in words of ours. A command or an order
    by itself does not show that an email of ours is quoted, however long an example it repeats."""
    found = ours(lines, known.rows(), SURELY)
    asked = {i for i in found if known.asks(lines[i])}
    if not asked:
        return found
    return ours(["" if i in asked else line for i, line in enumerate(lines)], known.rows(), SURELY)


def is_short(line: str, known: OwnWords) -> bool:
    """Return whether a line is hardly more than a few words in a row of ours."""
    return len(words_of(line)) <= ROW + 2 and bool(ours([line], known.rows(), ROW))


def goes_on(above: str, line: str, known: OwnWords) -> bool:
    """Return whether a sentence of ours begins in the line above and goes on in this one."""
    before, here = words_of(above)[1 - ROW :], words_of(line)[: ROW - 1]
    return bool(before and here) and not known.rows().isdisjoint(_rows([*before, *here]))


_UNDERLINE = re.compile(r"={6,}\Z")
_TITLE = re.compile(r"\W*\w+ [a-z][a-z0-9-]{0,23}, \w.*")  # game, match and turn
_LONGEST = 200  # of a line that is compared with a form


def is_form(line: str, known: OwnWords) -> bool:
    """Return whether a line has a form in which only adjud writes."""
    return len(line) <= _LONGEST and any(form.fullmatch(line.strip()) for form in known.lines)


def _is_title(lines: Sequence[str], i: int) -> bool:
    """Return whether a line is underlined over its whole length, as the title of a report is; a
    program may have put the same sign before both."""
    if i + 1 >= len(lines):
        return False
    title, below = lines[i].rstrip(), lines[i + 1].rstrip()
    underline = _UNDERLINE.search(below) if len(below) == len(title) <= _LONGEST else None
    if underline is None or title[: underline.start()] != below[: underline.start()]:
        return False
    return _TITLE.fullmatch(title[underline.start() :]) is not None


def _rows(words: Sequence[str]) -> list[int]:
    return [hash(tuple(words[at : at + ROW])) for at in range(len(words) - ROW + 1)]
