"""Say how a command is written, for a line that only begins like one, is misspelt, or is another
word for it.

A suggestion never carries anything out.
"""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core import commands
from adjudicator.core.command_table import TABLE
from adjudicator.core.commands import code_of
from adjudicator.core.likeness import shortenings
from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, Problem, clean, folded, lookup_form, problem, shown

MOST_WORDS = 8  # a longer line is not taken for a slip in a command
_MOST_MEANT = 3  # words of one in small letters that is surely meant as a command
_LONGEST, _LONGEST_LINE = 16, 160  # letters of such a word, and characters of a line with a slip
_SHORTEST, _LONG = 4, 6  # letters of a word that may be misspelt, and of one that is no name
_ECHO = say(
    "this is part of a quoted email and confirms nothing; write the line again, above the quoted "
    "text"
)


# Other words for the commands, folded.
_OTHER = {
    folded(phrase): row.name
    for row in TABLE.values()
    if row.others
    for phrase in row.others.split(", ")
}
# What people write behind such a word.
_BEHIND = frozenset(
    (
        *("my", "the", "last", "orders", "order", "move", "moves", "turn", "please", "that"),
        *("it", "all", "match", "game", "me", "again", "mine", "min", "mitt", "siste", "ordre"),
        *("ordrer", "trekk", "takk", "senaste", "drag", "tack", "partiet", "kampen", "draw"),
        *("a", "board", "report", "map", "rules", "status", "brettet", "rapport", "rapporten"),
        *("bradet",),
    )
)


def slip_of(line: Line) -> Problem | None:
    """Explain how a command is written, for a line that starts like one; None for any other line.

    An ordinary sentence may start so, too. Explaining it for a short one is needless but harmless.
    A code that was not read as one is quoted from an email of ours.
    """
    if len(line.text) > _LONGEST_LINE:
        return None
    words = [one.strip(":,;") for one in lookup_form(line.text).split()[: MOST_WORDS + 1]]
    if not words or len(words) > MOST_WORDS:
        return None
    known = commands.PHRASES.get(words[0], ())
    if known and code_of(line):
        return problem(line, _ECHO)
    for phrase, word in known:
        if words[: len(phrase)] == phrase:
            return problem(line, _form(word))
    if meant := _question_whether_meant(line, words):
        return problem(line, meant)
    return None


def command_meant(line: Line) -> str | None:
    """Return the command that a line means which begins like one or is misspelt; None for any other
    line, and for one that a sentence may begin so, too."""
    if len(line.text) > _LONGEST_LINE or not is_meant(line) or commands.is_command(line):
        return None
    words = [one.strip(":,;") for one in lookup_form(line.text).split()[: MOST_WORDS + 1]]
    if not words or len(words) > MOST_WORDS:
        return None
    for phrase, word in commands.PHRASES.get(words[0], ()):
        if words[: len(phrase)] == phrase:
            return word
    written = clean(line.text).strip(" .!?").split()
    bare = [word.strip(".!?") for word in words]
    return next((word for word, _ in _misspelt(bare, written)), None) if written else None


def _form(word: str) -> Message:
    row = TABLE[word]
    first, *others = row.forms
    if others:
        return say("to use {word}, write {word} or {form}", word=first, form=others[0])
    return say("to use {word}, write: {form}", word=row.word, form=first)


def is_meant(line: Line) -> bool:
    """Return whether a line with a slip in a command is meant as one, and does not only begin like
    it, as a sentence may."""
    words = clean(line.text).split()
    is_short = len(words) <= _MOST_MEANT or (bool(words) and words[0].isupper())
    return is_short or any(map(str.isdigit, line.text))


def _question_whether_meant(line: Line, words: list[str]) -> Message | None:
    """Return the question whether another command was meant."""
    written = clean(line.text).strip(" .!?").split()
    if not written:
        return None
    bare = [word.strip(".!?") for word in words]
    for length in (3, 2, 1):
        word = _OTHER.get(" ".join(bare[:length]))
        if word and _is_all(word, bare[length:], written, length):
            return _question(word, written, length)
    for word, length in _misspelt(bare, written):
        return _question(word, written, length)
    return None


def _is_all(word: str, rest: list[str], written: list[str], length: int) -> bool:
    """Return whether nothing stands behind another word for a command but what belongs to it."""
    if not rest or set(rest) <= _BEHIND or written[0].isupper():
        return True
    argument = " ".join(written[length:])
    return bool(commands.argument_of(word, argument)) or any(map(str.isdigit, argument))


def _misspelt(bare: list[str], written: list[str]) -> Iterator[tuple[str, int]]:
    """Yield the commands that a line may mean whose first word is misspelt, each with how many
    words it takes.

    A short word with a capital is a name more often than a slip, unless its letters are those of a
    command in another order.
    """
    first, argument = bare[0], " ".join(written[1:])
    if not _SHORTEST <= len(first) <= _LONGEST or not first.isalpha():
        return
    free = written[0].isupper() or written[0].islower() or bool(argument)
    nearly = {one for cut in shortenings(first) for one in _NEARLY.get(cut, ())}
    for right, word in sorted(nearly):
        swapped = first[0] == right[0] and sorted(first) == sorted(right)
        if first == right or not (swapped or free or len(right) >= _LONG):
            continue
        if not argument or written[0].isupper() or commands.argument_of(word, argument):
            yield word, 1


def _index() -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return the words for commands, and the commands, by these words without one of their
    letters, so that a slip is found without a look at each."""
    alone = ((phrase, word) for phrases in commands.PHRASES.values() for phrase, word in phrases)
    known = {**{phrase[0]: word for phrase, word in alone if len(phrase) == 1}, **_OTHER}
    found: dict[str, list[tuple[str, str]]] = {}
    for right, word in known.items():
        for cut in shortenings(right) if len(right) >= _SHORTEST and right.isalpha() else ():
            found.setdefault(cut, []).append((right, word))
    return found


_NEARLY = _index()


def _question(word: str, written: list[str], length: int) -> Message:
    seen = shown(" ".join(written[:length]))
    if word == "PRESS TO":
        return say(
            "'{seen}'? to write to another player, put {form} above your message and ENDPRESS "
            "below it",
            seen=seen,
            form=TABLE[word].form,
        )
    argument = commands.argument_of(word, " ".join(written[length:]))
    row = TABLE[word]
    whole = say("{word} {argument}", word=row.word, argument=argument) if argument else None
    return say("'{seen}': did you mean {meant}?", seen=seen, meant=whole or row.form)
