"""Read the lines of an email that are no orders (emails, section 4): commands, messages for other
seats, and what a seat writes down for itself. No match is known here.
"""

import re
from collections import deque
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from adjudicator.core.command_table import TABLE
from adjudicator.core.message import Message, say
from adjudicator.core.orders import (
    Line,
    clean,
    folded,
    lookup_form,
    split_lines,
    without_decoration,
)

# Find the code that a line confirms in somebody's own words: `Yes, CONFIRM 7K3QXY.`
#
# No match is known here, nor which codes wait. What only looks like a code is none: a code in a
# sentence has a digit, or is written in capitals and as long as ours.


LENGTH = 6  # of the codes that we make
_MOST_WORDS, _LONGEST = 12, 240  # words and characters of a line in which somebody confirms
_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_APOSTROPHES = re.compile("[\u2018\u2019\u02bc\u00b4`\uff07]")  # as telephones write them
_CODE = re.compile(r"[A-Za-z0-9]{4,12}")
_CONFIRMS = frozenset(
    (
        *("confirm", "confirmed", "confirming", "bekreft", "bekrefter", "bekreftet"),
        *("bekrefte", "bekrafta", "bekraftar", "bekraftat", "bekraftas"),
    )
)
# Between that word and its code.
_BETWEEN = frozenset(("code", "the", "with", "kode", "koden", "med", "kod", "by", "my", "it", "is"))
# With these a line says that it confirms nothing, asks, or repeats what we wrote.
_DENIES = frozenset(
    (
        *("not", "no", "never", "none", "nothing", "don't", "dont", "didn't", "didnt"),
        *("cannot", "can't", "cant", "won't", "wont", "isn't", "isnt", "wasn't", "wasnt"),
        *("haven't", "refuse", "ikke", "ikkje", "aldri", "nei", "inte", "aldrig", "nej", "ej"),
        *("wrong", "false", "feil", "fel", "if", "hvis", "om", "unless", "should", "shall"),
        *("must", "skal", "ska", "who", "what", "why", "how", "when", "hvem", "hva", "hvorfor"),
        *("vem", "vad", "varfor", "before", "after", "until", "or", "eller", "instead"),
        *("without", "uten", "utan", "line", "linjen", "raden", "linje", "rad", "cancel"),
        *("stop", "ignore", "ignorer", "ignorera", "disregard", "forget", "glem", "glom", "undo"),
        *("withdraw", "mistake", "feiltakelse", "misstag", "avbryt", "ingen", "nobody", "nor"),
        *("wait", "vent", "vanta", "later", "senere", "senare"),
    )
)
# Around a code without that word.
_COURTEOUS = frozenset(
    (
        *("yes", "yep", "yeah", "ja", "jo", "jepp", "japp", "ok", "okay", "sure", "hi"),
        *("hello", "hey", "hei", "hej", "please", "the", "my", "min", "code", "kode", "koden"),
        *("kod", "is", "er", "ar", "it", "its", "it's", "here", "her", "har", "this", "thanks"),
        *("thank", "you", "takk", "tack", "that's", "that", "me", "dear", "club", "of"),
        *("course",),
    )
)


def confirmed_code(text: str) -> str:
    """Return the code that a line confirms by the word CONFIRM, in any of our languages; empty if
    there is none."""
    said = folded(text)
    if ("confirm" not in said and "bekr" not in said) or _is_anothers(text):
        return ""
    tokens = _tokens(text)
    plain = [folded(token) for token in tokens]
    at = next((i for i, word in enumerate(plain) if word in _CONFIRMS), None)
    if at is None or any(map(_denies, plain)) or _asks(text):
        return ""
    behind = (i for i in range(at + 1, len(tokens)) if plain[i] not in _BETWEEN)
    code = next((tokens[i].replace("-", "") for i in behind), "")
    return code.upper() if _is_code(code) or (len(code) == LENGTH and code.isupper()) else ""


def lone_code(text: str) -> str:
    """Return the code that stands in a line without the word CONFIRM, alone but for courtesies;
    empty if there is none."""
    if not any(map(str.isdigit, text[:_LONGEST])) or _is_anothers(text):
        return ""
    others = [token for token in _tokens(text) if folded(token) not in _COURTEOUS]
    if len(others) != 1 or _asks(text):
        return ""
    code = others[0].replace("-", "")
    return code.upper() if _is_code(code) else ""


def _denies(word: str) -> bool:
    return word in _DENIES or word.endswith("n't")


def _is_anothers(text: str) -> bool:
    """Return whether a line has the mark that our emails put before a message of another player,
    who could choose what a reader sends back."""
    return text.lstrip().startswith("|")


def _tokens(text: str) -> Sequence[str]:
    if len(text) > _LONGEST:
        return ()
    tokens = _TOKEN.findall(_APOSTROPHES.sub("'", without_decoration(text)))
    return tokens if len(tokens) <= _MOST_WORDS else ()


def _asks(text: str) -> bool:
    return text.rstrip(" \"'*_).").endswith("?")


def _is_code(word: str) -> bool:
    """Return whether a word can only be a code: letters and digits."""
    if not _CODE.fullmatch(word):
        return False
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


class Command(Struct, frozen=True):
    """A line that holds a command and nothing else; `argument` is what stands after its word."""

    word: str
    argument: str
    line: Line


class Press(Struct, frozen=True):
    """A message for other seats: `PRESS TO seats`, then lines kept as they were written, then
    `ENDPRESS`.

    `to` holds the words that name the seats, not yet looked up. Without an ENDPRESS (`ended` is
    false) the message takes in the rest of the email, for nobody could say where it ends.
    """

    to: tuple[str, ...]
    lines: tuple[str, ...]
    line: Line
    ended: bool


# The commands by how they are written, folded; those with an argument must have one.
_ALONE = {phrase: row.name for row in TABLE.values() if row.alone for phrase in row.phrases}
_WITH = {phrase: row.name for row in TABLE.values() if row.argument for phrase in row.phrases}
# The phrases, sorted by their first word: all words of the phrase, and the command that it means.
PHRASES: dict[str, list[tuple[list[str], str]]] = {}
for _phrase, _word in (*_ALONE.items(), *_WITH.items()):
    PHRASES.setdefault(_phrase.split()[0], []).append((_phrase.split(), _word))

# Those with an argument by their first word: how they begin, and the command that is meant.
_BEGINNINGS: dict[str, list[tuple[str, str]]] = {}
for _phrase, _word in _WITH.items():
    _BEGINNINGS.setdefault(_phrase.split()[0], []).append((f"{_phrase} ", _word))

_ANY_WORDS = frozenset({"INVITE"})  # whose arguments may be any words of people
_ARGUMENT = {row.name: re.compile(row.argument) for row in TABLE.values() if row.argument}
_PRESS_BEGINS = tuple(TABLE["PRESS TO"].phrases)
_PRESS = re.compile(
    rf"(?:{'|'.join(_PRESS_BEGINS)}):? +(?P<to>[a-z0-9]+(?:(?: *, *| +)[a-z0-9]+)*) *[:.,;!]*"
)
_END_PRESS = frozenset(
    {"endpress", "end press", "slutt melding", "sluttmelding", "slut meddelande", "slutmeddelande"}
)

WITH_CODES = frozenset({"CONFIRM", "ACCEPT", "DECLINE"})
_MOST_ALONE = 10  # codes without CONFIRM
# An email's lines are asked for commands several times.
_MOST_KEPT, _LONGEST_KEPT = 16_384, 500
_SIGNS = ".:,;!-_=/()[] "  # around ENDPRESS they say nothing, as around END


# How our emails end before a code, folded; those of 0.2.28 and later are still answered.
_BEFORE_CODES = (
    *("with the line", "med linjen", "med raden"),
    *("waiting for your confirmation:", "waiting for you to confirm:"),
    *("venter pa at du bekrefter:", "venter pa bekreftelse:", "vantar pa bekraftelse:"),
)
_LAST_BEFORE_CODES = frozenset(words.split()[-1] for words in _BEFORE_CODES)


def read_commands(lines: Sequence[Line]) -> tuple[tuple[Command, ...], tuple[Line, ...]]:
    """Split the lines into commands and the lines that are none.

    A code below our own words is none: a program that answers by itself, and one that marks no
    quotes, sends back what we wrote, and nobody has confirmed anything.
    """
    found = [(line, _command(line)) for line in lines]
    echoed: set[int] = set()
    if any(command and command.word in WITH_CODES for _, command in found):
        echoed = {line.number for _, line in echoes(lines)}
    commands: list[Command] = []
    others: list[Line] = []
    for line, command in found:
        if command and line.number not in echoed:
            commands.append(command)
        else:
            others.append(line)
    return tuple(commands), tuple(others)


def codes_alone(lines: Sequence[Line]) -> tuple[Command, ...]:
    """Return what the lines confirm that hold a code without the word CONFIRM. It counts only for
    somebody who was sent a code as long as that, and of many only the first are looked at."""
    found = [(line, code) for line in lines if (code := lone_code(line.text))]
    told = {line.number for _, line in echoes(lines)} if found else set()
    return tuple(
        Command("CONFIRM", code, line)
        for line, code in found[:_MOST_ALONE]
        if line.number not in told
    )


def echoes(lines: Sequence[Line]) -> Sequence[tuple[Sequence[Line], Line]]:
    """Return the codes that an email of ours told, each with the lines above it, over two of which
    a program may have broken our words.

    It tells each code of a list once, so one that stands there again was written below it.
    """
    found: list[tuple[Sequence[Line], Line]] = []
    told: set[str] = set()  # the codes of the list so far
    above: tuple[Line, ...] = ()
    ends: tuple[bool, ...] = ()  # whether each of those may be the end of our words
    for line in lines:
        words = lookup_form(line.text)
        if not words:
            continue
        if above and (code := code_of(line)):
            goes_on = bool(found) and found[-1][1] is above[-1]
            # They end on the line right above, or, with a remark behind them, on the other.
            both = " ".join(one.text for one in above) if any(ends) else ""
            if both and lookup_form(both).endswith(_BEFORE_CODES):
                told = {code}
                found.append((above, line))
            elif goes_on and code not in told:
                told.add(code)
                found.append((above[-1:], line))
        above = (*above[-1:], line)
        ends = (*ends[-1:], words.rpartition(" ")[2].rstrip("*") in _LAST_BEFORE_CODES)
    return found


def code_of(line: Line) -> str:
    """Return the code that a line confirms, accepts or declines, in capitals; empty if it has
    none."""
    command = _command(line)
    if command is None:
        return lone_code(line.text)
    return command.argument.upper() if command.word in WITH_CODES else ""


def read_press(text: str) -> tuple[tuple[Press, ...], str]:
    """Return the press messages in a text, and the text without them, with its line numbers kept.

    They are taken out before anything else is read, because what they say is passed on, never
    obeyed.
    """
    lines = split_lines(text)
    words = [lookup_form(line.text) if line.text else "" for line in lines]
    heads = [
        (at, head)
        for at, told in enumerate(words)
        if told.startswith(_PRESS_BEGINS) and (head := _PRESS.fullmatch(told))
    ]
    if not heads:
        return (), "\n".join(line.text for line in lines)
    ends = deque(at for at, told in enumerate(words) if _ends_press(told))
    found: list[Press] = []
    kept = [line.text for line in lines]
    behind = 0  # the last press
    for at, head in heads:
        while ends and ends[0] < at:
            ends.popleft()
        end = ends[0] if ends else None
        # An ordinary sentence may begin so, too. It counts as press if an ENDPRESS follows or if
        # its first word is in capitals.
        if at < behind or (end is None and not clean(kept[at]).split()[0].isupper()):
            continue
        behind = len(lines) if end is None else end + 1
        inside = tuple(kept[at + 1 : end])
        to = tuple(head["to"].replace(",", " ").split())
        found.append(Press(to, inside, lines[at], ended=end is not None))
        kept[at:behind] = [""] * (behind - at)
    return tuple(found), "\n".join(kept)


def ends_press(text: str) -> bool:
    """Return whether a line ends a message for other seats."""
    return _ends_press(lookup_form(text))


def _ends_press(words: str) -> bool:
    return words.strip(_SIGNS) in _END_PRESS


def is_command(line: Line) -> bool:
    """Return whether a line by itself is a command."""
    return _command(line) is not None


def is_with_code(line: Line) -> bool:
    """Return whether a line confirms, accepts or declines something by its code."""
    command = _command(line)
    return command is not None and command.word in WITH_CODES


def is_press(line: Line) -> bool:
    """Return whether a message for other seats begins with that line."""
    return _PRESS.fullmatch(lookup_form(line.text)) is not None


def argument_of(word: str, text: str) -> str:
    """Return the argument of a command as we write it; empty if the text is none for it."""
    form = _ARGUMENT.get(word)
    found = form.fullmatch(text) if form else None
    return found.groupdict().get("it", text) if found else ""


def absence_of(command: Command) -> tuple[str, str]:
    """Return the two dates of `ABSENCE from TO to`, as they were written."""
    found = _ARGUMENT["ABSENCE"].fullmatch(command.argument)
    assert found
    return found["first"], found["last"]


def _command(line: Line) -> Command | None:
    is_short = len(line.text) <= _LONGEST_KEPT
    found = _kept_command(line.text) if is_short else _command_in(line.text)
    return Command(*found, line) if found else None


def _command_in(text: str) -> tuple[str, str] | None:
    """Return the command in a line, and its argument."""
    words = lookup_form(text).rstrip(".!? ")
    if words in _ALONE:
        return _ALONE[words], ""
    for begins, word in _BEGINNINGS.get(words.partition(" ")[0], ()):
        if words.startswith(begins):
            written = clean(text).strip().rstrip(".!? ")
            if word in _ANY_WORDS and "  " in written:
                continue  # a line of HELP, sent back
            argument = " ".join(written.split()[begins.count(" ") :])
            if told := argument_of(word, argument):
                return word, told
    code = confirmed_code(text)
    return ("CONFIRM", code) if code else None


_kept_command = lru_cache(_MOST_KEPT)(_command_in)


def names_match(commands: Sequence[Command], match: str) -> bool:
    """Return whether one of the commands is a MATCH that names another match."""
    return any(one.word == "MATCH" and one.argument.lower() != match for one in commands)


# What a seat writes down for itself alone: marks on pieces, and notes (Espionage rule 9.1).
#
# A mark is `MARK e7 5?`, and `MARK e7` takes it away. `NOTE text` adds a line to the seat's
# notebook, `NOTES CLEAR` empties it. What they say is kept as it was written: `#` and `//` begin no
# remark here. Nothing is judged.


MOST_MARK = 12  # characters of a mark
MOST_NOTES = 2000  # characters of a notebook
MOST_JOTTINGS = 200  # marks and notes that are read in one sheet

JottingKind = Literal["mark", "note", "clear"]


class Jotting(Struct, frozen=True):
    """A line with which a seat writes something down for itself.

    `place` is the word for the place of a mark, as it was written. Without a `text` a mark is taken
    away, and a note says nothing.
    """

    kind: JottingKind
    place: str
    text: str
    line: Line


# Folded words in English, Norwegian and Swedish.
_BEGIN_JOTTINGS: Mapping[str, JottingKind] = {
    **dict.fromkeys(("mark", "merk"), "mark"),
    **dict.fromkeys(("note", "notat", "anteckna"), "note"),
}
_CLEAR = frozenset(
    {"notes clear", "notater slett", "anteckningar rensa"}
    | {"clear notes", "slett notater", "rensa anteckningar"}
)
_CLEAR_BEGINS = frozenset(phrase.split()[0] for phrase in _CLEAR)
# What may stand before the word: blanks, bold, a bullet, a list number.
_BEFORE = "".join(
    sign for sign in map(chr, range(128)) if sign.isspace() or sign in "*-.)0123456789"
)
_FIRST_LETTERS = frozenset(word[:2] for word in (*_BEGIN_JOTTINGS, *_CLEAR_BEGINS))
_LINE = re.compile(r"(?P<word>[^\W\d_]{4,12})(?P<colon> ?:)?(?: +(?P<rest>.*))?")
# The words as a reader writes them, in his own language.
JOTTING_WORDS: Mapping[str, Message] = {
    "MARK": say("MARK"),
    "NOTE": say("NOTE"),
    "NOTES CLEAR": say("NOTES CLEAR"),
}


def split_jottings(
    lines: Sequence[Line], *, outside: bool = False
) -> tuple[tuple[Jotting, ...], tuple[Line, ...]]:
    """Split lines into jottings and the others. `outside` of a sheet they count in capitals only,
    and without a colon: there a line may be prose."""
    found: list[Jotting] = []
    others: list[Line] = []
    for line in lines:
        jotting = jotting_of(line, outside=outside)
        if jotting is None:
            others.append(line)
        else:
            found.append(jotting)
    return tuple(found), tuple(others)


def jotting_of(line: Line, *, outside: bool = False) -> Jotting | None:
    """Read a line as a jotting; None if it is none."""
    text = line.text
    # An email may have tens of thousands of lines that are empty, or begin otherwise.
    if not text or (text.isascii() and text.lstrip(_BEFORE)[:2].lower() not in _FIRST_LETTERS):
        return None
    said = without_decoration(text)
    read = _LINE.fullmatch(said)
    if read is None:
        return None
    word, rest = read["word"], (read["rest"] or "").strip()
    if outside and (read["colon"] or not word.isupper()):
        return None
    first = folded(word)
    if first in _CLEAR_BEGINS:
        words = " ".join(folded(said).rstrip(".!").split())
        is_clear = words in _CLEAR and (said.isupper() or not outside)
        return Jotting("clear", "", "", line) if is_clear else None
    kind = _BEGIN_JOTTINGS.get(first)
    if kind == "mark":
        place, _, text = rest.partition(" ")
        return Jotting(kind, place.rstrip(":,"), text.strip(), line)
    return None if kind is None else Jotting(kind, "", rest, line)
