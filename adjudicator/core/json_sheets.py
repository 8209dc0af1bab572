"""Order sheets as JSON, for programs that write orders (club, 12.3).

They become the text of sheets before anything else is read, so all rules of sheets hold for them,
and their receipts are the same.
"""

import re
from collections.abc import Iterator, Mapping
from json import JSONDecodeError, JSONDecoder
from typing import Any

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.orders import folded, shown
from adjudicator.core.sheets import KEYWORDS, begins, ends, sheet_head

MOST_LINES = 200  # of one sheet
MOST_DEEP = 4
_MOST_TURN = 999_999_999
_KEYS = ("match", "seat", "turn", "orders")
_BEGINS = re.compile(r"\s*[{\[]")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,23}")
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
    if not isinstance(match, str) or not _NAME.fullmatch(match):
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
