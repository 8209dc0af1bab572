"""Game records as text: tags in brackets, then the moves; many games in a file, as in chess's PGN.

This module holds what all games share. What the tags must say and how moves are written is up to
each game: it gets a `Transcript` and answers `Replayed` or `Refused`. The second part is alike in
all records of seeds and sheets, from which all else follows.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import groupby
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import Line, Sheet, shown

S = TypeVar("S")
O = TypeVar("O")  # noqa: E741
E = TypeVar("E")
T = TypeVar("T")


class Chronicle(Struct, frozen=True):
    """The parts of a game record that are not moves.

    They are the players' names by seat, the date as `YYYY.MM.DD`, and the seed in hex, which is
    made public when the match has ended. `committed`, `which` and `value` are what the seed was
    made from, if a public number decided (`core/public_chance.py`).
    """

    names: Mapping[Seat, str]
    date: str
    outcome: Outcome | None
    match: str = ""
    seed: str = ""
    committed: str = ""
    which: str = ""
    value: str = ""


class Refused(Struct, frozen=True):
    """The first fault in a game record, and the line of the file on which it stands."""

    line: int
    message: Message


class Replayed(Struct, frozen=True):
    """A game that could be played again from its record.

    `tags` holds all tags, also unknown ones; `data` is plain and ready for JSON; `summary` is one
    line for people.
    """

    line: int
    tags: Mapping[str, str]
    summary: Message
    data: Mapping[str, Any]


class Tag(Struct, frozen=True):
    line: int
    value: str


class Transcript(Struct, frozen=True):
    """One game as it is written, not yet understood. `line` is its first; `body` holds the
    lines after the tags that say something, without comments."""

    line: int
    tags: Mapping[str, Tag]
    body: Sequence[Line]

    @property
    def values(self) -> dict[str, str]:
        return {name: tag.value for name, tag in self.tags.items()}

    def refusal(self, tag: str, message: Message) -> Refused:
        """Make a refusal that points at a tag, or at the game's first line if the tag is
        missing."""
        return Refused(self.tags[tag].line if tag in self.tags else self.line, message)

    def missing(self, names: Iterable[str]) -> Iterator[Refused]:
        for name in names:
            if name not in self.tags:
                yield self.refusal(name, say("the tag {name} is missing", name=name))


_OUTER = " \t\r\n\f\v\xa0\ufeff"  # a byte-order mark may also stand where files were joined
_TAG = re.compile(r'\[\s*([^\s"\[\]]+)\s+"([^"\\]*(?:\\.[^"\\]*)*)"\s*\]\s*')
_ESCAPED = re.compile(r"\\(.)")
# A semicolon within a word is the game's own, as in a plan `GO PRA; DISCOVER N-4`.
_COMMENT = re.compile(r"\{[^{}]*\}|(?:^|(?<=[\s}]));.*")


def tag_line(name: str, value: str) -> str:
    """Write a tag: on one line whatever its value, with quotes escaped."""
    printable = "".join(c if c.isprintable() else " " for c in value)
    escaped = printable.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def record_text(tags: Mapping[str, str], lines: Iterable[str]) -> str:
    """Write a record: its tags, and the lines below them."""
    told = (tag_line(name, value) for name, value in tags.items())
    return "\n".join((*told, "", *lines)).rstrip() + "\n"


def transcripts(lines: Iterable[str]) -> Iterator[Transcript | Refused]:
    """Yield the games of a file one at a time, so that a long file needs no more memory than a
    short one.

    A game that cannot be read is refused once, and the next one is read all the same.
    """
    draft = _Draft(1)
    for number, line in enumerate(lines, start=1):
        text = line.strip(_OUTER)
        if not text:
            draft.gap = True
            continue
        if text[0] == "[":
            tags = _tags(text)
            if draft.is_before(tags):
                yield draft.finish()
                draft = _Draft(number)
            draft.add_tags(number, text, tags)
        else:
            draft.add_moves(number, text)
        draft.gap = False
    if draft.says_something:
        yield draft.finish()


def transcript_of(record: str) -> Transcript | None:
    """Return the one game of a record; None if it cannot be read."""
    found = next(transcripts(record.splitlines()), None)
    return found if isinstance(found, Transcript) else None


def _tags(text: str) -> list[tuple[str, str]] | None:
    """Return the names and values of the tags on a line; None if it holds anything else."""
    found = []
    end = 0
    while match := _TAG.match(text, end):
        found.append((match[1], _ESCAPED.sub(r"\1", match[2])))
        end = match.end()
    return None if _COMMENT.sub("", text[end:]).strip() else found


class _Draft:
    """The game that is being read; `gap` says that a blank line came last."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.tags: dict[str, Tag] = {}
        self.body: list[Line] = []
        self.trouble: Refused | None = None
        self.gap = False

    @property
    def says_something(self) -> bool:
        return bool(self.tags or self.body or self.trouble)

    def is_before(self, tags: Sequence[tuple[str, str]] | None) -> bool:
        """Return whether a line with these tags begins another game.

        After moves it always does. A game that ended in its set-up has no moves: then it does if a
        tag comes again after a blank line, or if the tag Game comes again.
        """
        if self.body:
            return True
        again = [name for name, _ in tags or () if name in self.tags]
        return bool(again) and (self.gap or "Game" in again)

    def add_tags(self, line: int, text: str, tags: Sequence[tuple[str, str]] | None) -> None:
        self._begin(line)
        if tags is None:
            self._refuse(
                line,
                say(
                    "I do not understand '{seen}'; write a tag as [Name \"value\"]",
                    seen=shown(text),
                ),
            )
        for name, value in tags or ():
            if name in self.tags:
                self._refuse(line, say("the tag {name} appears here twice", name=name))
            self.tags[name] = Tag(line, value)

    def add_moves(self, line: int, text: str) -> None:
        if "{" in text or ";" in text:
            text = _COMMENT.sub(" ", text).strip()
            if not text:
                return
        self._begin(line)
        if not self.tags:
            self._refuse(
                line, say("'{seen}' comes before the first tag of a game", seen=shown(text))
            )
        if not (self.body and self.trouble):  # what is refused need not be kept
            self.body.append(Line(line, text))

    def _begin(self, line: int) -> None:
        if not self.says_something:
            self.line = line

    def _refuse(self, line: int, message: Message) -> None:
        self.trouble = self.trouble or Refused(line, message)

    def finish(self) -> Transcript | Refused:
        return self.trouble or Transcript(self.line, self.tags, self.body)


# Records of seeds and sheets.


# By the name of a tag: the option that it tells, and what it may say.
OptionTags: TypeAlias = Mapping[str, tuple[str, str]]

_BETWEEN = re.compile(r"\s*\|\s*")  # two lines of a sheet
_SHEET = re.compile(r"(?P<ply>[0-9]{1,6})\. (?P<seat>[a-z]+):(?:\s+(?P<orders>.*))?")
_LEFT = re.compile(r"left (?P<seats>[a-z]+(?:, ?[a-z]+)*): (?P<reason>resignation|forfeit)")


class RecordEntry(Struct, Generic[O], frozen=True):
    """A line below the tags: a seat's sheet for a ply or, without one, seats that left (`reason`)
    or what else a game writes down between two plies."""

    line: Line
    seats: tuple[Seat, ...]
    ply: int | None = None
    sheet: Sheet[O] = Sheet((), ())
    reason: str = ""


def record_of_sheets(
    game: str,
    chronicle: Chronicle,
    seats: Iterable[Seat],
    lines: Iterable[str],
    *,
    about: Mapping[str, str],
    more: Mapping[str, str] = {},
) -> str:
    """Write a record from which a match is played again: its tags, and the lines below them.

    `about` are the game's own tags before those of the players, `more` those behind them. If a
    public number decided with the seed, what that was made from is told, too.
    """
    tags = {
        "Game": game,
        "Match": chronicle.match,
        **about,
        **{seat.capitalize(): chronicle.names.get(seat, "?") for seat in seats},
        **more,
        "Date": chronicle.date,
        "Seed": chronicle.seed,
    }
    if chronicle.which:
        tags["SeedCommitted"] = chronicle.committed
        tags["PublicNumber"] = chronicle.which
        tags["PublicValue"] = chronicle.value
    return record_text({**tags, "Result": result(chronicle.outcome)}, lines)


def tag_faults(
    transcript: Transcript, needed: Sequence[str], options: OptionTags
) -> Iterator[Refused]:
    """Yield what is wrong with the tags of every such record, and with those of the options.

    An older record need not tell all options.
    """
    yield from transcript.missing((*needed, "Seed", "Result"))
    values = transcript.values
    if not re.fullmatch("[0-9a-f]{64}", values["Seed"]):
        yield transcript.refusal("Seed", say("a seed must be 64 hex digits"))
    for name, (_, pattern) in options.items():
        if name in values and not re.fullmatch(pattern, values[name]):
            yield transcript.refusal(
                name, say("{tag} cannot be '{seen}'", tag=name, seen=shown(values[name]))
            )


def chance_of(values: Mapping[str, str], label: str) -> Chance:
    """Return the chance of a match whose tags are sound."""
    return Chance(bytes.fromhex(values["Seed"]), values["Match"], label=label)


def options_of_tags(values: Mapping[str, str], options: OptionTags) -> dict[str, str]:
    return {option: values[name] for name, (option, _) in options.items() if name in values}


def option_tags(settings: Struct, options: OptionTags) -> dict[str, str]:
    return {name: str(getattr(settings, option)).lower() for name, (option, _) in options.items()}


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


class PlyReplayed(Struct, Generic[S, E], frozen=True):
    """A ply that was played again: its events, each with the state that it leaves. `number` is None
    for what came between two plies."""

    number: int | None
    before: S
    facts: Sequence[tuple[E, S]]

    @property
    def events(self) -> tuple[E, ...]:
        return tuple(event for event, _ in self.facts)

    @property
    def after(self) -> S:
        return self.facts[-1][1] if self.facts else self.before


def replayed_plies(
    found: Iterable[RecordEntry[O]] | Refused,
    state: S,
    played: Callable[[S, Sequence[RecordEntry[O]]], Iterable[E] | Refused],
    apply: Callable[[S, E], S],
) -> Iterator[PlyReplayed[S, E] | Refused]:
    """Play the entries of a record from a state on, ply by ply, up to the first thing that the
    rules do not allow. `played` returns the events of the entries of one ply."""
    if isinstance(found, Refused):
        yield found
        return
    for together in plies(found):
        events = played(state, together)
        if isinstance(events, Refused):
            yield events
            return
        ply = PlyReplayed(together[0].ply, state, tuple(with_states(state, events, apply)))
        yield ply
        state = ply.after


def with_states(state: S, events: Iterable[E], apply: Callable[[S, E], S]) -> Iterator[tuple[E, S]]:
    """Yield each event with the state that it leaves."""
    for event in events:
        state = apply(state, event)
        yield event, state


def all_sound(found: Iterable[T | Refused]) -> list[T] | Refused:
    """Return all that was found, or the first fault."""
    sound: list[T] = []
    for one in found:
        if isinstance(one, Refused):
            return one
        sound.append(one)
    return sound


def ply_fault(
    together: Sequence[RecordEntry[O]],
    *,
    outcome: Outcome | None,
    last: int,
    seats: Collection[Seat],
    awaited: Collection[Seat],
) -> Refused | None:
    """Say why the entries of a ply cannot stand where they do: behind the ply with the number
    `last`, while these seats play and those are awaited."""
    first = together[0]
    if outcome:
        return Refused(first.line.number, say("the match is over before this line"))
    for entry in together:
        for seat in entry.seats:
            if seat not in seats:
                return Refused(entry.line.number, say("nobody plays {seat}", seat=seat))
    if first.ply is None:
        return None
    if first.ply != last + 1:
        told = say("expected ply {n} here, not {seen}", n=last + 1, seen=first.ply)
        return Refused(first.line.number, told)
    if sorted(seat for entry in together for seat in entry.seats) != sorted(awaited):
        told = say("these are not the seats that were due to order")
        return Refused(first.line.number, told)
    return None


def final_state(
    transcript: Transcript,
    state: S,
    outcome: Callable[[S], Outcome | None],
    close: Callable[[S, str], Iterable[E]],
    apply: Callable[[S, E], S],
) -> S | Refused:
    """Return the last state of a match, in which the result is what the record says.

    Agreements and cancellations are the record's word; all else follows from the rules.
    """
    told = transcript.values["Result"]
    winners, _, reason = told.partition(" ")
    if outcome(state) is None and winners == "none" and reason in ("agreement", "cancelled"):
        state = reduce(apply, close(state, reason), state)
    found = result(outcome(state))
    if told == found:
        return state
    message = say("Result says {seen}, but it was {found}", seen=shown(told), found=found)
    return transcript.refusal("Result", message)


def plies_played(transcript: Transcript, number: int) -> Message:
    """Return the summary of a match of so many plies."""
    values = transcript.values
    return count(
        "{match}: {n} ply, {result}",
        "{match}: {n} plies, {result}",
        number,
        match=values["Match"],
        result=values["Result"],
    )


def result(outcome: Outcome | None) -> str:
    """Write who won and why; a shared win names all, nobody's is `none`."""
    if outcome is None:
        return "*"
    return f"{','.join(outcome.winners) or 'none'} {outcome.reason}"


def record_lines(
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
