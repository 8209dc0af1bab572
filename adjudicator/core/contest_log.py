"""Chain the log of a tournament, so that its entrants can check who met whom, and what it gave.

Theory of operation. Whatever changes a tournament is a line: a struct, written as one line of JSON.
A line depends on all lines before it by its head:

    head(n) = SHA256("TOURNAMENT|name|n|" head(n-1) "|" line(n))        head(0) is empty

A ladder has such a log, too, with LADDER in place of TOURNAMENT and lines of its own
(`core/ladder_log`).

Numbers are decimals, heads 64 hex digits. Emails and tables tell the newest head, so no line can
be changed once somebody has read a later head. Nothing in a line is hidden but the seed of the
lots: the first line has its SHA-256, the last one the seed itself. So there are no salts, and where
names are hidden the log is shown at the end only. All that is decided by lots and rules (numbers,
pairings, byes, points, places) can be computed again from the other lines
(`service/competition/replay`).

No line has a name. An entry has a number from 1, in the order in which they came, that is never
given again: `entry`. From the start on the lines name it by the number that pairings go by (club,
7.4), and the line of the start says which is which. Reasons of the game master are in no line: they
may name people, and what is hashed is never changed.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from adjudicator.core.chain import ascii_line

LABEL = "TOURNAMENT"
LADDER = "LADDER"


class ContestLine(
    Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="line",
    tag=lambda name: name.removesuffix("Line").lower(),
):
    """A line of the log: its number from 1, and when it was written, RFC 3339 in UTC."""

    n: int = 0
    at: str = ""


class OpenedLine(ContestLine, frozen=True, kw_only=True):
    """What was agreed. `format` is as the tournament's row has it, `commitment` the SHA-256 of the
    seed; `chance` says whether that alone decides, or which public number with it."""

    kind: str
    game: str
    variant: str
    options: Mapping[str, str]
    format: Mapping[str, int | bool]
    commitment: str
    chance: str = "seed"


class EnteredLine(ContestLine, frozen=True, kw_only=True):
    entry: int


class WithdrawnLine(ContestLine, frozen=True, kw_only=True):
    """An entry is gone: by its player, by silence (the second time), or as the game master
    decided."""

    entry: int
    why: str


class StartedLine(ContestLine, frozen=True, kw_only=True):
    """The entries with their ratings, None without one, and the entries in the order of the numbers
    that they have from now on; or which public number draws these."""

    ratings: tuple[tuple[int, int | None], ...]
    numbers: tuple[int, ...] = ()
    which: str = ""


class NumberLine(ContestLine, frozen=True, kw_only=True):
    """The public number is known, and with it the entries in the order of their numbers."""

    which: str
    value: str
    numbers: tuple[int, ...]


class LoggedBoard(Struct, frozen=True, array_like=True):
    """A pairing: match, bye or left_out, the numbers in the order of seats, and the 24ths that one
    without a match gives."""

    board: int
    kind: str
    numbers: tuple[int, ...]
    points: tuple[int, ...] = ()


class RoundLine(ContestLine, frozen=True, kw_only=True):
    """A round was paired; with `again` the drawn matches of a knock-out, with seats changed.
    `apart` are numbers that have one address, if without that others would meet."""

    round: int
    again: int = 0
    boards: tuple[LoggedBoard, ...]
    apart: tuple[tuple[int, ...], ...] = ()


class ResultLine(ContestLine, frozen=True, kw_only=True):
    """What a match gave: its last ply and the head of that in its own log, places as groups of
    numbers, who left and how (as in `core/result`, or asleep), 24ths in the order of seats. One
    that was never begun has no match, and no places."""

    round: int
    board: int
    again: int = 0
    match: str = ""
    ply: int = -1
    head: str = ""
    places: tuple[tuple[int, ...], ...] = ()
    left: tuple[tuple[int, str], ...] = ()
    ending: str
    points: tuple[int, ...] = ()


class DecidedLine(ContestLine, frozen=True, kw_only=True):
    """What the game master decided: `result`, with the number that wins, or `draw` or `void`;
    `replace`, where another player plays for an entry; or `chance`, where he named another draw
    before the start."""

    act: str
    entry: int = 0
    round: int = 0
    board: int = 0
    again: int = 0
    ruling: int | str = ""
    points: tuple[int, ...] = ()


class RestoredLine(ContestLine, frozen=True, kw_only=True):
    """The club was restored from a backup: lines after the one before are undone. `epoch` is the
    club's from then on."""

    epoch: str


class LoggedPlace(Struct, frozen=True, array_like=True):
    """A line of the table, with the 24ths of `points` and `compared` (a fraction as a text)."""

    place: int
    number: int
    points: int
    compared: str
    won: int
    played: int
    round: int


class ClosedLine(ContestLine, frozen=True, kw_only=True):
    """The end: `over` with the table, or `cancelled`; and the seed in hex digits."""

    why: str
    seed: str
    table: tuple[LoggedPlace, ...] = ()


LogLine: TypeAlias = (
    OpenedLine
    | EnteredLine
    | WithdrawnLine
    | StartedLine
    | NumberLine
    | RoundLine
    | ResultLine
    | DecidedLine
    | RestoredLine
    | ClosedLine
)


def write(line: ContestLine) -> str:
    """Return a line as it is hashed and shown."""
    return ascii_line(msgspec.to_builtins(line))


def read(text: str) -> LogLine:
    """Read a line of a tournament that `write` wrote. Raises ValueError if it is anything else."""
    line: LogLine = read_as(LogLine, text)
    return line


def read_as(lines: Any, text: str) -> Any:
    """Read a line that `write` wrote, of one of these types. Raises ValueError if it is anything
    else."""
    try:
        line = msgspec.convert(json.loads(text), lines)
    except (ValueError, RecursionError) as wrong:
        raise ValueError(f"this is not a line of such a log: {wrong}") from None
    if write(line) != text:
        raise ValueError("this is not a line of such a log: it is not as adjud writes it")
    return line


def head(name: str, n: int, before: str, text: str, label: str = LABEL) -> str:
    return sha256(f"{head_label(name, n, label)}|{before}|{text}".encode()).hexdigest()


def heads(name: str, texts: Iterable[str], label: str = LABEL) -> Iterator[str]:
    """Yield the heads of a log, from its first line on."""
    before = ""
    for n, text in enumerate(texts, start=1):
        before = head(name, n, before, text, label)
        yield before


def head_label(name: str, n: int, label: str = LABEL) -> str:
    """Return what stands before a head that is told, in every language."""
    return f"{label}|{name}|{n}"
