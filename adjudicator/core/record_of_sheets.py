"""Read and write what is alike in all records of seeds and sheets, from which all else follows."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.game import Chronicle
from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import say
from adjudicator.core.orders import Line, Sheet, shown
from adjudicator.core.record import Refused, Transcript, tag_line

# By the name of a tag: the option that it tells, and what it may say.
OptionTags: TypeAlias = Mapping[str, tuple[str, str]]

_BETWEEN = re.compile(r"\s*\|\s*")  # two lines of a sheet
_SHEET = re.compile(r"(?P<ply>[0-9]{1,6})\. (?P<seat>[a-z]+):(?:\s+(?P<orders>.*))?")
_LEFT = re.compile(r"left (?P<seats>[a-z]+(?:, ?[a-z]+)*): (?P<reason>resignation|forfeit)")

O = TypeVar("O")  # noqa: E741


class RecordEntry(Struct, Generic[O], frozen=True):
    """A line below the tags: a seat's sheet for a ply or, without one, seats that left (`reason`)
    or what else a game writes down between two plies."""

    line: Line
    seats: tuple[Seat, ...]
    ply: int | None = None
    sheet: Sheet[O] = Sheet((), ())
    reason: str = ""


def seed_lines(chronicle: Chronicle) -> Iterator[str]:
    """Yield the tag of the seed, from which a record is played again, and those of what it was made
    from, if a public number decided with it."""
    yield tag_line("Seed", chronicle.seed)
    if chronicle.which:
        yield tag_line("SeedCommitted", chronicle.committed)
        yield tag_line("PublicNumber", chronicle.which)
        yield tag_line("PublicValue", chronicle.value)


def tag_faults(
    transcript: Transcript, needed: Sequence[str], options: OptionTags
) -> Iterator[Refused]:
    """Yield what is wrong with the tags of every such record, and with those of the options.

    An older record need not tell all options.
    """
    yield from transcript.missing((*needed, "Seed", "Result"))
    values = transcript.values
    if not re.fullmatch("[0-9a-f]{64}", values["Seed"]):
        yield transcript.refused("Seed", say("a seed must be 64 hex digits"))
    for name, (_, pattern) in options.items():
        if name in values and not re.fullmatch(pattern, values[name]):
            yield transcript.refused(
                name, say("{tag} cannot be '{seen}'", tag=name, seen=shown(values[name]))
            )


def options_told(values: Mapping[str, str], options: OptionTags) -> dict[str, str]:
    return {option: values[name] for name, (option, _) in options.items() if name in values}


def option_lines(settings: Struct, options: OptionTags) -> Iterator[str]:
    for name, (option, _) in options.items():
        yield tag_line(name, str(getattr(settings, option)).lower())


def entries(
    body: Sequence[Line],
    begun: re.Pattern[str],
    parse: Callable[[Sequence[Line]], Sheet[O]],
    other: Callable[[Line], RecordEntry[O] | None] = lambda line: None,
) -> list[RecordEntry[O]] | Refused:
    """Read all lines, each of which begins as `begun` says; return the first that is not
    understood, if there is one. `other` reads what only this game writes."""
    found: list[RecordEntry[O]] = []
    for line in unbroken(body, begun):
        entry = other(line) or _read(line, parse)
        if isinstance(entry, Refused):
            return entry
        found.append(entry)
    return found


def _read(line: Line, parse: Callable[[Sequence[Line]], Sheet[O]]) -> RecordEntry[O] | Refused:
    if found := _LEFT.fullmatch(line.text):
        seats = tuple(Seat(word.strip()) for word in found["seats"].split(","))
        return RecordEntry(line, seats, reason=found["reason"])
    found = _SHEET.fullmatch(line.text)
    if not found:
        return Refused(line.number, say("I do not understand '{seen}'", seen=shown(line.text)))
    sheet = parse([Line(line.number, text) for text in _BETWEEN.split(found["orders"] or "")])
    if sheet.problems:
        return Refused(line.number, sheet.problems[0].message)
    return RecordEntry(line, (Seat(found["seat"]),), int(found["ply"]), sheet)


def unbroken(body: Sequence[Line], begun: re.Pattern[str]) -> Sequence[Line]:
    """Return the lines as they were before a report broke the long ones."""
    whole: list[Line] = []
    for line in body:
        if whole and not begun.match(line.text):
            first = whole.pop()
            line = replace(first, text=f"{first.text} {line.text}")
        whole.append(line)
    return whole


def plies(found: Iterable[RecordEntry[O]]) -> Iterator[list[RecordEntry[O]]]:
    """Yield the sheets of each ply, and each entry that stands between two plies by itself."""
    for _, alike in groupby(found, lambda entry: entry if entry.ply is None else entry.ply):
        yield list(alike)


def closed_by(transcript: Transcript, outcome: Outcome | None) -> str | None:
    """Return why a match was closed that the rules have not ended. Agreements and cancellations are
    the record's word; all else follows from the rules."""
    winners, _, reason = transcript.values["Result"].partition(" ")
    closed = outcome is None and winners == "none" and reason in ("agreement", "cancelled")
    return reason if closed else None


def result_fault(transcript: Transcript, outcome: Outcome | None) -> Refused | None:
    """Compare the end with the Result."""
    told, found = transcript.values["Result"], result(outcome)
    if told == found:
        return None
    message = say("Result says {seen}, but it was {found}", seen=shown(told), found=found)
    return transcript.refused("Result", message)


def result(outcome: Outcome | None) -> str:
    """Write who won and why; a shared win names all, nobody's is `none`."""
    if outcome is None:
        return "*"
    return f"{','.join(outcome.winners) or 'none'} {outcome.reason}"


def written(
    events: Iterable[Any], left: type[Any], line: Callable[[Any], str | None]
) -> Iterator[str]:
    """Yield the lines below the tags: those that `line` makes of events, and one for the seats that
    left at one time, each by an event of the type `left`. Turns that a leaving set off stand
    between two leavings, so these are told apart."""
    for reason, alike in groupby(events, lambda one: one.reason if isinstance(one, left) else ""):
        if reason:
            yield f"left {', '.join(event.seat for event in alike)}: {reason}"
        else:
            yield from filter(None, map(line, alike))


def sheet_line(ply: int, seat: Seat, lines: Iterable[str]) -> str:
    return f"{ply}. {seat}: {' | '.join(lines)}".rstrip()
