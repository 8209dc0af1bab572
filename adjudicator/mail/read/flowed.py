"""Undo format=flowed (RFC 3676): join soft line ends at the same depth of quoting.

A soft line end is a blank, and people write blanks there, too. So nothing is joined to a line whose
end no program made, because the next word would have had room there; nor to the head of a sheet, to
END, or to a short remark, which would swallow it. A line that is refused is better than an order
that vanishes.
"""

import re
from itertools import pairwise

from adjudicator.core.sheets import begins, ends

_QUOTED = re.compile(r">*")
_COMMENT = re.compile(r"#|//")
_NARROW = 50  # characters; no program breaks a remark so early
_ROOM = 65  # characters; no program leaves so much of a line free


def unflow(text: str, delsp: bool) -> str:
    done: list[str] = []
    open_: list[str] = []  # the pieces of a line that goes on
    lines = [(*_level(raw), len(raw)) for raw in text.split("\n")]
    for (level, line, length), (below, next_line, _) in pairwise([*lines, (-1, "", 0)]):
        has_room = length + len(next_line.partition(" ")[0]) <= _ROOM
        soft = (
            _soft(line)
            and level == below  # RFC 3676, 4.5
            and next_line != "-- "  # 4.3
            and not (has_room or _short_comment([*open_[-1:], line]))
            and not any(begins(one) or ends(one) for one in (line, next_line))
        )
        open_.append(line[:-1] if soft and delsp else line)
        if not soft:
            done.append(_quoted(level, open_))
            open_ = []
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
    """Return whether the line is a short remark, whose blank at the end was no program's."""
    return len(pieces[-1]) < _NARROW and any(_COMMENT.search(piece) for piece in pieces)
