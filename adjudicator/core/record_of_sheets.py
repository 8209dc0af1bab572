"""Read and write what is alike in all records of seeds and sheets, from which all else follows."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from adjudicator.core.match import Outcome
from adjudicator.core.orders import Line
from adjudicator.core.record import Refused

BETWEEN = " | "  # two lines of a sheet

_Read = TypeVar("_Read")


def result(outcome: Outcome | None) -> str:
    """Write who won and why; a shared win names all, nobody's is `none`."""
    if outcome is None:
        return "*"
    return f"{','.join(outcome.winners) or 'none'} {outcome.reason}"


def sheets(
    body: Sequence[Line], begun: re.Pattern[str], read: Callable[[Line], _Read | Refused]
) -> list[_Read] | Refused:
    """Read all lines, each of which begins as `begun` says; return the first that is not
    understood, if there is one."""
    found: list[_Read] = []
    for line in unbroken(body, begun):
        sheet = read(line)
        if isinstance(sheet, Refused):
            return sheet
        found.append(sheet)
    return found


def unbroken(body: Sequence[Line], begun: re.Pattern[str]) -> Sequence[Line]:
    """Return the lines as they were before a report broke the long ones."""
    whole: list[Line] = []
    for line in body:
        if whole and not begun.match(line.text):
            first = whole.pop()
            line = replace(first, text=f"{first.text} {line.text}")
        whole.append(line)
    return whole
