"""Undo format=flowed (RFC 3676): join soft line ends at the same depth of quoting."""

import re

_QUOTED = re.compile(r">*")
_COMMENT = re.compile(r"#|//")
_NARROW = 50  # columns; no program breaks a line so early


def unflow(text: str, delsp: bool) -> str:
    done: list[str] = []
    depth = 0
    open_: list[str] = []  # the pieces of a line that goes on
    for raw in text.split("\n"):
        level, line = _level(raw)
        if open_ and (level != depth or line == "-- "):  # RFC 3676, 4.3 and 4.5
            done.append(_quoted(depth, open_))
            open_ = []
        depth = level
        soft = _soft(line) and not _short_comment([*open_[-1:], line])
        open_.append(line[:-1] if soft and delsp else line)
        if not soft:
            done.append(_quoted(depth, open_))
            open_ = []
    if open_:
        done.append(_quoted(depth, open_))
    return "\n".join(done)


def _level(raw: str) -> tuple[int, str]:
    """Return the depth of quoting, and the line without its stuffed blank (RFC 3676, 4.4)."""
    level = len(_QUOTED.match(raw)[0])  # type: ignore[index]  # it matches everything
    return level, raw[level:].removeprefix(" ")


def _quoted(level: int, pieces: list[str]) -> str:
    line = "".join(pieces)
    return f"{'>' * level} {line}" if level else line


def _soft(line: str) -> bool:
    return line.endswith(" ") and line != "-- "


def _short_comment(pieces: list[str]) -> bool:
    """Return whether the line is a short comment, to which nothing may be joined.

    A comment swallows what is joined to it, and in a short line the blank at the end was no
    program's. A line that is refused is better than an order that vanishes.
    """
    return len(pieces[-1]) < _NARROW and any(_COMMENT.search(piece) for piece in pieces)
