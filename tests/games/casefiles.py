"""Reads case files: rules as positions, orders and outcomes that a player can read.

    CASE 3.3 a sapper removes a mine          the rules it shows (3.3, R6, A19), and a sentence
    VARIANT fast                              sections: a word in capitals, what belongs to it,
    BEFORE                                    and indented lines below
      white d3 sapper
    END

A case that begins with EACH is played once for each line below that: `<1>` stands for the line in
all that follows, or `<1>` and `<2>` for its parts; ` / ` begins a new line.

    EACH
      a3-a5 / b3-b4 => 1: too far

What any other section means is told in `playing.py`, beside the folder of the cases. Everything
from a `#` that stands at the start of a line or after a blank is a comment.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

_RULE = r"(?:\d+\.\d+|[A-Z]\d+(?:\.\d+)?)"
_HEAD = re.compile(rf"CASE ((?:{_RULE}[ ,]+)+)(\S.*)")
_SECTION = re.compile(r"([A-Z]+)(?: (.+))?")
_COMMENT = re.compile(r"(?:^|\s)#.*")


class CaseFault(Exception):
    """A case file cannot be read, or a case does not hold."""


class Section(Struct, frozen=True):
    """One section of a case. `number` is its line in the file; `lines` are those below its head, by
    number."""

    number: int
    word: str
    said: str
    lines: tuple[tuple[int, str], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(text for _, text in self.lines)


class Case(Struct, frozen=True):
    file: str
    number: int
    rules: tuple[str, ...]
    title: str
    sections: tuple[Section, ...]

    def __str__(self) -> str:
        return f"{self.file}:{self.number} {', '.join(self.rules)} {self.title}"


def read_folder(folder: Path) -> tuple[Case, ...]:
    """Read all cases of all `.txt` files, by the name of the file."""
    return tuple(
        case
        for path in sorted(folder.glob("*.txt"))
        for case in read(path.read_text("utf-8"), path.name)
    )


def each(case: Case) -> Iterator[Case]:
    """Yield the case itself, or one case for each line of its EACH."""
    first, *rest = case.sections
    if first.word != "EACH":
        yield case
        return
    for text in first.texts:
        sections = [_filled(section, text.split(" => ")) for section in rest]
        yield replace(case, title=f"{case.title}: {text}", sections=tuple(sections))


def _filled(section: Section, parts: Sequence[str]) -> Section:
    said, lines = section.said, section.lines
    for number, part in enumerate(parts, start=1):
        mark = f"<{number}>"
        said = said.replace(mark, part)
        lines = tuple(
            (at, new)
            for at, line in lines
            for new in (line.replace(mark, part).split(" / ") if mark in line else [line])
        )
    return replace(section, said=said, lines=lines)


def read(text: str, file: str = "text") -> tuple[Case, ...]:
    """Read the cases of one file, in order. Raises CaseFault, which names file and line."""
    cases: list[Case] = []
    block: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        said = _COMMENT.sub("", line).rstrip()
        if said == "END":
            if not block:
                raise CaseFault(f"{file}:{number}: END without CASE")
            cases.append(_case(file, block))
            block = []
        elif said:
            if said.startswith("CASE ") and block:
                raise CaseFault(f"{file}:{block[0][0]}: this case has no END")
            block.append((number, said))
    if block:
        raise CaseFault(f"{file}:{block[0][0]}: this case has no END")
    return tuple(cases)


def _case(file: str, block: Sequence[tuple[int, str]]) -> Case:
    number, first = block[0]
    head = _HEAD.fullmatch(first)
    if head is None:
        raise CaseFault(f"{file}:{number}: a case begins 'CASE 3.3 title', not {first!r}")
    rules = tuple(re.findall(_RULE, head[1]))
    return Case(file, number, rules, head[2], tuple(_sections(file, block[1:])))


def _sections(file: str, block: Sequence[tuple[int, str]]) -> Iterator[Section]:
    current: Section | None = None
    lines: list[tuple[int, str]] = []
    for number, said in block:
        if said[0].isspace():
            if current is None:
                raise CaseFault(f"{file}:{number}: {said.strip()!r} belongs to no section")
            lines.append((number, said.strip()))
            continue
        head = _SECTION.fullmatch(said)
        if head is None:
            raise CaseFault(f"{file}:{number}: {said!r} is no section; indent what belongs to one")
        if current:
            yield Section(current.number, current.word, current.said, tuple(lines))
        current, lines = Section(number, head[1], head[2] or ""), []
    if current:
        yield Section(current.number, current.word, current.said, tuple(lines))
