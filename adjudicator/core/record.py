"""Game records as text: tags in brackets, then the moves; many games in a file, as in chess's PGN.

This module holds what all games share. What the tags must say and how moves are written is up to
each game: it gets a `Transcript` and answers `Replayed` or `Refused`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, shown


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

    def refused(self, tag: str, message: Message) -> Refused:
        """Make a refusal that points at a tag, or at the game's first line if the tag is
        missing."""
        return Refused(self.tags[tag].line if tag in self.tags else self.line, message)

    def missing(self, names: Iterable[str]) -> Iterator[Refused]:
        for name in names:
            if name not in self.tags:
                yield self.refused(name, say("the tag {name} is missing", name=name))


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
                yield draft.finished()
                draft = _Draft(number)
            draft.add_tags(number, text, tags)
        else:
            draft.add_moves(number, text)
        draft.gap = False
    if draft.says_something:
        yield draft.finished()


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

    def finished(self) -> Transcript | Refused:
        return self.trouble or Transcript(self.line, self.tags, self.body)
