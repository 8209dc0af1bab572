"""Split a text into order sheets: frames `ORDERS ... END` with orders and commands (interface,
section 2).

Sheets that come as JSON, from programs that write orders (club, 12.3), become such a text before
anything else is read, so all rules of sheets hold for them, and their receipts are the same.

Nothing here knows a match or a game.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from json import JSONDecodeError, JSONDecoder
from typing import Any

from msgspec import Struct, structs

from adjudicator.core.command_table import TABLE
from adjudicator.core.message import Message, say
from adjudicator.core.orders import (
    Line,
    Problem,
    clean,
    folded,
    lookup_form,
    nearest,
    problem,
    shown,
    split_lines,
)
from adjudicator.core.text import as_latin, told_strange

# Folded keywords (English, Norwegian, Swedish) and what they mean.
_ORDERS = frozenset({"orders", "ordre", "order"})
_ORDERS_BEGIN = tuple(_ORDERS)
_END = frozenset({"end", "slutt", "slut"})
_FIELDS = {
    "turn": ("turn", "runde", "omgång"),
    "rev": ("rev", "revision", "revisjon"),
    "key": ("key", "nøkkel", "nyckel"),
    "epoch": ("epoch", "epoke", "epok"),
}
_NUMBERED = {folded(word): field for field in ("turn", "rev") for word in _FIELDS[field]}
_KEY = frozenset(map(folded, _FIELDS["key"]))
_EPOCH = frozenset(map(folded, _FIELDS["epoch"]))
COMMANDS = {
    phrase: row.name for row in TABLE.values() if row.does == "acts" for phrase in row.phrases
}
KEYWORDS = frozenset(
    {
        *_ORDERS,
        *_END,
        *_NUMBERED,
        *_KEY,
        *_EPOCH,
        *(word for phrase in COMMANDS for word in phrase.split()),
    }
)
MOST_SHEETS = 100  # in one text; if there are more, none is taken
_MOST_STRANGE = 5  # words of a head that are answered one by one
_NAME = re.compile(r"[a-z][a-z0-9-]{0,23}")
_PREFIX = re.compile(r"[ \t]*[>|:][>|: \t]*")
# Signs before the first word of a line; a quoted or struck-out line begins otherwise.
_FIRST = re.compile(r"[^\w>|~?]*(?P<word>[^\W_]+)")
# Signs between the words of a head that say nothing, as those around END; a name has dashes.
_SIGNS = re.compile(r"[^\w\s?~-]+|_+|(?<![^\W_])-+|-+(?![^\W_])")
_LABEL = re.compile(r"(?<![\w-])(?:match|parti|seat|plass|plats)\s*[:=]+")
# A sign for "number" in a head; anywhere else `#` begins a remark.
_HASH = re.compile(
    r"(?P<word>[^\W\d_]+)(?P<no>[\W_]{1,3}(?:no|nr)?[.:]? ?)[#\uff03]\s?(?=\d)", re.IGNORECASE
)
_NUMBER = re.compile(r"(?:no|nr|num|number|nummer)?(?P<digits>\d{1,9})")
_GLUED = re.compile(rf"(?P<word>{'|'.join(_NUMBERED)})-?(?P<digits>\d{{1,9}})")
_NUMBER_WORDS = frozenset({"no", "nr", "num", "number", "nummer"})
_ORIGIN = re.compile(r"([a-z]{3,5})([0-9]{0,9})", re.ASCII)


_WHICH_MATCH = say("which match? write ORDERS, its name, your seat and the turn")


class Origin(Struct, frozen=True):
    """The report with which a sheet was made: its epoch, and its ply, if that is known.

    In a head it is one word, `kqxmd22`.
    """

    epoch: str
    ply: int | None = None

    def __str__(self) -> str:
        return f"{self.epoch}{'' if self.ply is None else self.ply}"

    @classmethod
    def of(cls, epoch: str, ply: int) -> "Origin | None":
        """Return the origin of a sheet that is made now; None if its report knows no epoch."""
        return cls(epoch, ply) if epoch else None


class Head(Struct, frozen=True):
    """The first line of a sheet: `ORDERS match [seat] [turn N] [rev N] [epoch E] [key K]`. The seat
    is a word that is not looked up yet."""

    match: str
    seat: str | None = None
    turn: int | None = None
    rev: int | None = None
    key: str | None = None
    origin: Origin | None = None


def sheet_head(match: str, seat: str, turn: int | None, origin: Origin | None) -> str:
    """Return the first line of a sheet that is to be filled in."""
    said = {"turn": turn, "epoch": origin}
    words = (f" {word} {value}" for word, value in said.items() if value is not None)
    return f"ORDERS {match} {seat}{''.join(words)}"


def origin_of(word: str) -> Origin | None:
    """Return what the word behind `epoch` means; None if it is none."""
    found = _ORIGIN.fullmatch(word)
    return Origin(found[1], int(found[2]) if found[2] else None) if found else None


class SheetCommand(Struct, frozen=True):
    """A line of a sheet that is no order of the game; `word` is in `command_table.ACTING`."""

    word: str
    line: Line


class RawSheet(Struct, frozen=True):
    """One sheet whose orders are not read yet.

    `head` is None for lines without a frame; their match and seat are then given in another way.
    `ended` says that the lines go up to an END.
    """

    line: Line
    head: Head | None
    body: tuple[Line, ...]
    commands: tuple[SheetCommand, ...]
    problems: tuple[Problem, ...]
    ended: bool = False

    @property
    def indexes(self) -> range:
        """Return where its lines stand among those of its text, with its head and its END."""
        start = self.line.number - 1
        return range(start, start + 1 + len(self.body) + len(self.commands) + self.ended)

    def of_match(self, name: str) -> "RawSheet":
        """Return the sheet as one of that match, if it says nothing but ORDERS in its head: it
        came to an address that is of one match alone."""
        if self.head != Head(""):
            return self
        problems = tuple(one for one in self.problems if one.message != _WHICH_MATCH)
        return structs.replace(self, head=Head(name), problems=problems)


class Reading(Struct, frozen=True):
    """The sheets of a text, the lines outside them that say something, and warnings about these."""

    sheets: tuple[RawSheet, ...]
    ignored: tuple[Line, ...]
    warnings: tuple[Problem, ...] = ()


def read_sheets(text: str) -> Reading:
    """Return the sheets of a text. It never raises."""
    return read_lines(split_lines(text))


def read_lines(lines: Sequence[Line]) -> Reading:
    """Return the sheets of a text whose lines are numbered already. It never raises."""
    sheets: list[RawSheet] = []
    ignored: list[Line] = []
    for part in _parts(lines):
        if isinstance(part, Line):
            ignored.append(part)
            continue
        head, *body = part
        ended = bool(body) and ends(body[-1].text)
        if not ended and _is_prose(head, body):
            ignored.extend(line for line in part if clean(line.text))
        else:
            # Problems of a head are reported only for as many sheets as will be read.
            told = len(sheets) < MOST_SHEETS
            sheets.append(_raw(head, body[:-1] if ended else body, ended=ended, told=told))
    return Reading(tuple(sheets), tuple(ignored))


def _parts(lines: Sequence[Line]) -> Iterator[Line | list[Line]]:
    """Yield the lines of each frame, its head first and its END, if it has one, last; and the lines
    between that say something."""
    frame: list[Line] = []
    for line in lines:
        words = _words_of_line(line.text) if line.text else ""
        if not words:
            if frame:
                frame.append(line)
        elif _is_head(line, words) or (not frame and _is_misspelt(line, words)):
            if frame:
                yield frame
            frame = [line]
        elif not frame:
            yield line
        else:
            frame.append(line)
            if words in _END:
                yield frame
                frame = []
    if frame:
        yield frame


def without_prefixes(text: str) -> str:
    """Take a prefix such as `> ` away from each sheet in which every line has it.

    Such prefixes come from quoting, or from a shell that waits for more.
    """
    lines = [line.text for line in split_lines(text)]
    for start, line in enumerate(lines):
        found = _PREFIX.match(line)
        if found and begins(line[found.end() :]):
            end = _end_behind(lines, start, found[0])
            for at in range(start, end):
                lines[at] = lines[at][len(found[0]) :]
    return "\n".join(lines)


def _end_behind(lines: Sequence[str], start: int, prefix: str) -> int:
    """Return the index after the END of a sheet whose every line has the prefix; `start` if it has
    no END."""
    for at in range(start + 1, len(lines)):
        said = lines[at].removeprefix(prefix)
        if (said == lines[at] and said.rstrip() != prefix.rstrip()) or begins(said):
            return start
        if ends(said):
            return at + 1
    return start


def begins(text: str) -> bool:
    """Return whether a line is the head of a sheet."""
    return _is_head(Line(0, text), _words_of_line(text))


def ends(text: str) -> bool:
    """Return whether a line says END."""
    return _words_of_line(text) in _END


def _words_of_line(text: str) -> str:
    """Return what a line says. In one like a head or END the signs that telephones and people put
    around its words are left out."""
    words = lookup_form(as_latin(text))
    first = _FIRST.match(words)
    if first is None or first.end() == len(words):
        return first["word"] if first and _is_keyword(first["word"]) else lookup_form(text)
    if not _is_keyword(first["word"]):
        return lookup_form(text)
    if "#" in text or "\uff03" in text:
        words = lookup_form(as_latin(_HASH.sub(_drop_hash, text)))
    return " ".join(_SIGNS.sub(" ", _LABEL.sub(" ", words)).split())


def _is_keyword(word: str) -> bool:
    return word in _ORDERS or word in _END or _keyword_meant(word) is not None


def _drop_hash(found: re.Match[str]) -> str:
    return f"{found['word']}{found['no']}" if folded(found["word"]) in _NUMBERED else found[0]


def bare_sheet(reading: Reading) -> RawSheet:
    """Make one sheet of the lines of a text that has no frame."""
    first = reading.ignored[0] if reading.ignored else Line(1, "")
    orders, commands = _split(reading.ignored)
    return RawSheet(first, None, orders, commands, ())


def _raw(head: Line, body: Sequence[Line], *, ended: bool, told: bool) -> RawSheet:
    words = _words_of_line(head.text).split()
    orders, commands = _split(body)
    unfinished = say("these orders have no END; add a line that says END")
    return RawSheet(
        line=head,
        head=_head(words),
        body=orders,
        commands=commands,
        problems=(
            *(() if ended else (problem(head, unfinished),)),
            *(_head_problems(head, words) if told else ()),
        ),
        ended=ended,
    )


def _split(body: Sequence[Line]) -> tuple[tuple[Line, ...], tuple[SheetCommand, ...]]:
    orders: list[Line] = []
    commands: list[SheetCommand] = []
    for line in body:
        word = COMMANDS.get(lookup_form(line.text).rstrip(".!,; "))
        if word:
            commands.append(SheetCommand(word, line))
        else:
            orders.append(line)
    return tuple(orders), tuple(commands)


def _is_head(line: Line, words: str) -> bool:
    """Return whether a line that begins like a head is one; prose may begin with "order" too.

    It is a head if all of it reads as one, or if its keyword is in capitals and so was meant. The
    keyword alone, with a sign behind it, is a heading: `ORDERS:`.
    """
    if not words.startswith(_ORDERS_BEGIN):
        return False
    parts = words.split()
    if parts[0] not in _ORDERS or (len(parts) == 1 and not _is_plain(line, words)):
        return False
    if _first(line).isupper():
        return True
    return len(parts) > 1 and bool(_NAME.fullmatch(parts[1])) and not any(_strange(parts))


def _is_plain(line: Line, words: str) -> bool:
    """Return whether a line has no more signs than its words need."""
    return lookup_form(line.text) == words


def _first(line: Line) -> str:
    """Return the first word of a head as it was written."""
    found = _FIRST.match(clean(line.text))
    return found["word"] if found else ""


def _is_misspelt(line: Line, words: str) -> bool:
    """Return whether the line would be a head but for one wrong letter in its first word (`ORDRS m
    white`)."""
    first, *rest = words.split() or [""]
    meant = _keyword_meant(first)
    return meant is not None and _is_head(line, " ".join((meant, *rest)))


def _keyword_meant(word: str) -> str | None:
    """Return the keyword that differs from the word by one letter too many, too few, wrong or
    misplaced."""
    if not _SHORTEST <= len(word) <= _LONGEST or len(word.strip(_LETTERS)) > 1:
        return None
    if not word.isalpha():
        return None
    return next((_NEARLY[cut] for cut in _shortened(word) if cut in _NEARLY), None)


def _shortened(word: str) -> Iterator[str]:
    """Yield the word, and then the word without each of its letters."""
    yield word
    yield from (word[:at] + word[at + 1 :] for at in range(len(word)))


_NEARLY = {cut: word for word in sorted(_ORDERS) for cut in _shortened(word)}
_SHORTEST, _LONGEST = min(map(len, _NEARLY)), max(map(len, _ORDERS)) + 1
_LETTERS = "".join({*"".join(_ORDERS)})  # a word with two others is no slip of a keyword


def _is_prose(head: Line, body: Sequence[Line]) -> bool:
    """Return whether a head without END is a sentence such as `Orders follow`.

    It is one if its first word is not in capitals, and if either it has at most two words or other
    signs than a head has, or its first word is only like a keyword. And so is a line with other
    signs below which nothing stands: `ORDERS: see below`.
    """
    words = _words_of_line(head.text)
    parts, is_plain = words.split(), _is_plain(head, words)
    if _first(head).isupper():
        return not is_plain and not any(clean(line.text) for line in body)
    return len(parts) <= 2 or parts[0] not in _ORDERS or not is_plain


def _fields(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the parts of a head after the match's name as (field, value); field "" is not
    understood."""
    rest = iter(words[2:])
    seen: dict[str, str] = {}
    for word in rest:
        if word in _KEY:
            field, value = "key", next(rest, "")
        elif glued := _GLUED.fullmatch(word):
            field, word, value = _NUMBERED[glued["word"]], glued["word"], glued["digits"]
        elif word in _NUMBERED:
            field, value = _NUMBERED[word], next(rest, "")
            if value in _NUMBER_WORDS:
                value = next(rest, value)
            number = _NUMBER.fullmatch(value)
            field, value = (field, number["digits"]) if number and value.isascii() else ("", value)
        elif word in _EPOCH:
            value = next(rest, "")
            field = "epoch" if origin_of(value) else ""
        else:
            field, value = "seat" if word.isalpha() and "seat" not in seen else "", word
        # A head that says two things of one kind says neither.
        if not field or seen.setdefault(field, value) != value:
            told = value if field in ("key", "seat") or value == word else f"{word} {value}"
            field, value = "", told.strip()
        yield field, value


def _strange(words: Sequence[str]) -> Iterator[str]:
    return (value for field, value in _fields(words) if not field)


def _head(words: Sequence[str]) -> Head:
    fields = dict(_fields(words))
    return Head(
        match=words[1] if len(words) > 1 else "",
        seat=fields.get("seat"),
        turn=int(fields["turn"]) if "turn" in fields else None,
        rev=int(fields["rev"]) if "rev" in fields else None,
        key=fields.get("key"),
        origin=origin_of(fields["epoch"]) if "epoch" in fields else None,
    )


def _head_problems(head: Line, words: Sequence[str]) -> Iterator[Problem]:
    if strange := told_strange(head.text):
        yield problem(head, strange)
        return
    if words[0] not in _ORDERS and (keyword := _keyword_meant(words[0])):
        seen = shown(_first(head))
        yield problem(
            head, say("'{seen}': did you mean {meant}?", seen=seen, meant=keyword.upper())
        )
    if len(words) < 2:
        yield problem(head, _WHICH_MATCH)
    for value in islice(_strange(words), _MOST_STRANGE):
        meant = nearest(value.split()[0], [word for words in _FIELDS.values() for word in words])
        if meant and folded(meant) != value.split()[0]:
            yield problem(
                head, say("'{seen}': did you mean {meant}?", seen=shown(value), meant=meant)
            )
        else:
            yield problem(
                head,
                say(
                    "I do not understand '{seen}' here; write ORDERS match seat turn 7",
                    seen=shown(value),
                ),
            )


MOST_LINES = 200  # of one sheet
MOST_DEEP = 4
_MOST_TURN = 999_999_999
_KEYS = ("match", "seat", "turn", "orders")
_BEGINS = re.compile(r"\s*[{\[]")
_NAME_OF_MATCH = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,23}")
_SEAT = re.compile(r"[^\W\d_]{1,24}")
_BREAKS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]")


class JsonSheets(Struct, frozen=True):
    """The text of the sheets, and what stands behind the JSON."""

    text: str
    rest: str


class _Fault(Exception):
    def __init__(self, path: str, why: Message) -> None:
        self.message = say("{path}: {why}", path=path, why=why) if path else why
        super().__init__(str(self.message))


def sheets_in(text: str) -> JsonSheets | Message | None:
    """Return the sheets with which a text begins if it begins with JSON, or what is wrong with
    them and where; None if it does not."""
    if not _BEGINS.match(text):
        return None
    bare = text.lstrip()
    try:
        value, end = JSONDecoder().raw_decode(bare)
    except JSONDecodeError as trouble:
        if '"orders"' not in text:
            return None  # words in brackets
        return say(
            "this is not JSON: line {line}, column {column}: {why}",
            line=trouble.lineno,
            column=trouble.colno,
            why=trouble.msg,
        )
    except RecursionError:
        return say("the JSON is nested too deeply")
    except ValueError:  # a number of thousands of digits
        return say("this is not JSON: a number is too long")
    if not (isinstance(value, dict) or '"orders"' in text or not bare[end:].strip()):
        return None  # words behind a number in brackets
    try:
        _check_depth(value, "", 1)
        return JsonSheets("\n".join(_sheets(value)), bare[end:])
    except _Fault as fault:
        return fault.message


def _check_depth(value: Any, path: str, depth: int) -> None:
    if not isinstance(value, dict | list):
        return
    if depth > MOST_DEEP:
        raise _Fault(path, say("the JSON is nested too deeply"))
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inside:
        _check_depth(one, _join(path, key), depth + 1)


def _join(path: str, key: object) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{shown(str(key))}" if path else shown(str(key))


def _sheets(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield _sheet(value, "")
        return
    if not value:
        raise _Fault("", say("the list of order sheets is empty"))
    for number, one in enumerate(value):
        if not isinstance(one, dict):
            raise _Fault(f"[{number}]", say("an order sheet must be an object"))
        yield _sheet(one, f"[{number}]")


def _sheet(value: Mapping[str, Any], path: str) -> str:
    for key in value:
        if key not in _KEYS:
            keys = ", ".join(_KEYS)
            raise _Fault(
                _join(path, key), say("this key is unknown; the keys are {keys}", keys=keys)
            )
    match, seat, turn = (value.get(key) for key in ("match", "seat", "turn"))
    if not isinstance(match, str) or not _NAME_OF_MATCH.fullmatch(match):
        raise _Fault(_join(path, "match"), say("this must be the name of a match"))
    if "seat" in value and not (isinstance(seat, str) and _is_seat(seat)):
        raise _Fault(_join(path, "seat"), say("this must be a seat, in one word"))
    if "turn" in value and not (type(turn) is int and 0 <= turn <= _MOST_TURN):
        raise _Fault(_join(path, "turn"), say("this must be the number of a turn"))
    lines = _lines(value.get("orders"), _join(path, "orders"))
    head = " ".join(sheet_head(match, seat or "", turn, None).split())
    return "\n".join((head, *lines, "END"))


def _is_seat(word: str) -> bool:
    return _SEAT.fullmatch(word) is not None and folded(word) not in KEYWORDS


def _lines(value: Any, path: str) -> list[str]:
    if not isinstance(value, list):
        raise _Fault(path, say("this must be a list of lines"))
    if len(value) > MOST_LINES:
        raise _Fault(path, say("there may be at most {n} lines", n=MOST_LINES))
    for number, line in enumerate(value):
        if not isinstance(line, str):
            raise _Fault(f"{path}[{number}]", say("a line must be a text"))
        if _BREAKS.search(line) or begins(line) or ends(line):
            raise _Fault(
                f"{path}[{number}]", say("a line may not break, or begin or end an order sheet")
            )
    return value
