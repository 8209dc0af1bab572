"""Split an email about several matches into what it says of each (club, 4.1).

A line `MATCH m1` makes all below it, up to the next such line, what an email to the seat in m1
would say. A sheet names its match itself (`ORDERS m1 ... END`) and belongs to that one wherever it
stands. Lines of other matches are left empty in a part, so its lines keep the numbers that they
have in the email. Below a line that is meant as a MATCH and cannot be read nobody knows of which
match the lines are, so they are left out. Nothing here knows which matches there are.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from adjudicator.core.commands import read_commands, read_press
from adjudicator.core.orders import Line, Problem, split_lines
from adjudicator.core.sheets import RawSheet, read_lines
from adjudicator.core.slips import command_meant, slip_of

MOST_PARTS = 50  # matches of one email, beside that to whose seat it came
MOST_SLIPS = 10  # lines meant as a MATCH that are told one by one
_NOBODYS = "?"  # no name of a match


class MatchPart(Struct, frozen=True):
    """What a letter says of one match; `match` is its name in small letters."""

    match: str
    text: str


class SplitText(Struct, frozen=True):
    """The `own` lines of an email, which are of no match, and a part for each match, in the order
    in which the email first names them. `slips` are the lines that are meant as a MATCH.
    `has_more` says that it names more matches than are read, `has_more_slips` that there are more
    of such lines."""

    own: str
    parts: Sequence[MatchPart]
    slips: Sequence[Problem] = ()
    has_more: bool = False
    has_more_slips: bool = False


def split(text: str, match: str = "") -> SplitText:
    """Split a text. What stands above the first MATCH, outside of sheets, is of that `match`; by
    default it is the writer's own. A CHECK there is of the whole email."""
    lines = split_lines(text)
    _, rest = read_press(text)  # a message for others may hold anything
    bare = split_lines(rest)
    commands = read_commands(bare)[0]
    heads = {one.line.number: one.argument.lower() for one in commands if one.word == "MATCH"}
    unclear = [line for line in bare if command_meant(line) == "MATCH"]
    heads |= {line.number: _NOBODYS for line in unclear}
    owners = [*_owners(len(lines), heads, match)]
    for sheet in _sheets(bare, heads):
        if sheet.head and sheet.head.match:
            for number in _lines_of(sheet):
                if number <= len(lines) and number not in heads:
                    owners[number - 1] = sheet.head.match.lower()
    tried = [
        one.line for one in commands if one.word == "CHECK" and owners[one.line.number - 1] == match
    ]
    ours = ("", match, _NOBODYS)
    others = [name for name in dict.fromkeys(owners) if name not in ours]
    read = {"", match, *others[:MOST_PARTS]}
    said: dict[str, list[Line]] = {}
    for line, owner in zip(lines, owners, strict=True):
        if owner in read:
            said.setdefault(owner, [])
            if line.number not in heads:
                said[owner].append(line)
    texts = {name: _in_place([*tried, *own]) for name, own in said.items()}
    parts = (MatchPart(name, one) for name, one in texts.items() if name)
    slips = (slip for line in unclear if (slip := slip_of(line)))
    return SplitText(
        texts.get("", ""),
        tuple(parts),
        tuple(islice(slips, MOST_SLIPS)),
        has_more=len(others) > MOST_PARTS,
        has_more_slips=len(unclear) > MOST_SLIPS,
    )


def _owners(count: int, heads: Mapping[int, str], match: str) -> Iterator[str]:
    """Yield the match to which each line belongs by the MATCH above it; empty for the writer's
    own."""
    owner = match
    for number in range(1, count + 1):
        owner = heads.get(number, owner)
        yield owner


def _sheets(bare: Sequence[Line], heads: Mapping[int, str]) -> Iterator[RawSheet]:
    """Yield the sheets of a text; none reaches over a MATCH."""
    ends = [*sorted(heads), len(bare) + 1]
    for first, end in zip([0, *ends], ends, strict=False):
        yield from read_lines(bare[first : end - 1]).sheets


def _lines_of(sheet: RawSheet) -> range:
    """Return the numbers of a sheet's lines, with the one behind its body, which says END."""
    first = sheet.line.number
    return range(first, first + len(sheet.body) + len(sheet.commands) + 2)


def _in_place(lines: Sequence[Line]) -> str:
    """Return a text that has these lines in their places, and no others."""
    told = {line.number: line.text for line in lines}
    return "\n".join(told.get(n, "") for n in range(1, max(told, default=0) + 1)).rstrip("\n")
