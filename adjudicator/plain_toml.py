"""Read one text of a TOML file whose lines are all plain.

A mail server's pipe starts a program for every letter, and Python's own reader of TOML takes longer
to import than the letter to store. So this one imports nothing. It knows the lines of which nearly
all configurations consist, and raises Doubt where there is another.
"""

TYPE_CHECKING = False  # as in typing, which is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_DIGITS = frozenset("0123456789")


class Doubt(Exception):
    """A line is not plain, or it sets again what one above has set."""


def text(toml: bytes, table: str, key: str) -> str:
    """Return the text of a key in a table, empty if it is not there. Raises Doubt if any line of
    the file is not plain, and UnicodeDecodeError."""
    found = here = ""
    seen: set[tuple[str, str, str]] = set()
    lines = toml.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    if '"""' in lines or any(sign < " " or sign == "\x7f" for sign in {*lines} - {"\t", "\n"}):
        raise Doubt
    for line in lines.split("\n"):
        words = line.strip(" \t")
        if not words or words.startswith("#"):
            continue
        name, equals, value = (part.strip(" \t") for part in words.partition("="))
        if not equals:
            here = name = _table(words)
            if ("", "=", name) in seen:
                raise Doubt
        told = _value(value) if equals else ""
        if not name or set(name) - _BARE or (here, equals, name) in seen:
            raise Doubt
        seen.add((here, equals, name))
        if equals and (here, name) == (table, key):
            found = told
    return found


def _table(words: str) -> str:
    head, bracket, rest = words.partition("]")
    if not head.startswith("[") or not bracket or not _ends(rest):
        raise Doubt
    return head[1:].strip(" \t")


def _value(value: str) -> str:
    """Return a text; an empty one for a number, a truth value and a list of texts in one line."""
    quote = value[:1]
    if quote in ('"', "'"):
        told, end, rest = value[1:].partition(quote)
        if end and _ends(rest) and not (quote == '"' and "\\" in told):
            return told
    elif quote == "[":
        if not set(value) & set("\\'#") and value.endswith("]") and _is_list(value[1:-1]):
            return ""
    else:
        word = value.partition("#")[0].strip(" \t")
        if word in ("true", "false", "0") or (word and set(word) <= _DIGITS and word[0] != "0"):
            return ""
    raise Doubt


def _is_list(inside: str) -> bool:
    parts: Sequence[str] = inside.split('"')
    before, *between = (part.strip(" \t") for part in parts[::2])
    ends = not between or between.pop() in ("", ",")
    return len(parts) % 2 == 1 and not before and ends and set(between) <= {","}


def _ends(rest: str) -> bool:
    """Return whether nothing follows but a remark."""
    return rest.strip(" \t")[:1] in ("", "#")
