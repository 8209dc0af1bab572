"""What became of a sheet, and how that is told to who sent it."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.orders import Line, Problem, shown


class Receipt(Struct, frozen=True, kw_only=True):
    """One sheet. `orders` are as understood, in canonical form; `in_force` is the revision of
    the sheet that now stands, None when there is none. `done` tells what else was done."""

    match: str | None
    seat: str | None
    turn: int | None
    accepted: bool
    stored: bool
    revision: int | None
    orders: Sequence[str]
    problems: Sequence[Problem]
    warnings: Sequence[Problem]
    ignored: Sequence[Line]
    in_force: int | None
    done: Sequence[Message] = ()


def as_json(receipt: Receipt, words: Words) -> dict[str, Any]:
    """As `submit --format json` prints it (interface, section 2)."""
    return {
        "match": receipt.match,
        "seat": receipt.seat,
        "turn": receipt.turn,
        "accepted": receipt.accepted,
        "revision": receipt.revision,
        "orders": list(receipt.orders),
        "problems": [_problem(problem, words) for problem in receipt.problems],
        "warnings": [_problem(problem, words) for problem in receipt.warnings],
        "ignored": [line.number for line in receipt.ignored],
        "in_force": receipt.in_force,
    }


def _problem(problem: Problem, words: Words) -> dict[str, Any]:
    return {"line": problem.line, "text": problem.text, "message": words(problem.message)}


def as_text(receipt: Receipt, words: Words) -> str:
    """The receipt as a player reads it."""
    return "\n".join(_lines(receipt, words))


def headline(receipt: Receipt, words: Words) -> str:
    """Whose sheet it was and whether it counts."""
    return f"{_heading(receipt, words)}: {words(_verdict(receipt))}"


def _lines(receipt: Receipt, words: Words) -> Iterator[str]:
    yield headline(receipt, words)
    yield from (f"  {line}" for line in receipt.orders if receipt.accepted)
    for problem in receipt.problems:
        yield "  " + _located(problem, words)
    for message in receipt.done:
        yield "  " + words(message)
    yield from (f"  {line}" for line in _around(receipt.warnings, receipt.ignored, words))
    if receipt.turn is not None:  # of a sheet that is nobody's nothing can be in force
        yield "  " + words(_in_force(receipt))


def surroundings(warnings: Sequence[Problem], ignored: Sequence[Line], words: Words) -> str:
    """What stood outside of any sheet: each line that should perhaps have stood in one, and the
    numbers of all."""
    return "\n".join(_around(warnings, ignored, words))


def _around(warnings: Sequence[Problem], ignored: Sequence[Line], words: Words) -> Iterator[str]:
    for problem in warnings:
        yield words(say("note: {text}", text=_located(problem, words)))
    if ignored:
        numbers = ", ".join(str(line.number) for line in ignored[:20])
        yield words(
            count(
                "ignored line: {numbers}",
                "ignored lines: {numbers}",
                len(ignored),
                numbers=numbers + (", …" if len(ignored) > 20 else ""),
            )
        )


def _heading(receipt: Receipt, words: Words) -> str:
    """`espionage-1, white, turn 0`, as far as it is known whose sheet it is."""
    if not receipt.match:
        return words(say("a sheet for no match"))
    parts = [shown(receipt.match), shown(receipt.seat) if receipt.seat else None]
    turn = None if receipt.turn is None else words(say("turn {turn}", turn=receipt.turn))
    return ", ".join(part for part in (*parts, turn) if part)


def _located(problem: Problem, words: Words) -> str:
    message = words(problem.message)
    if not problem.line:
        return message
    where = words(say("line {line}", line=problem.line))
    text = shown(problem.text)
    return f"{where}: {text}: {message}" if text else f"{where}: {message}"


def _verdict(receipt: Receipt) -> Message:
    if not receipt.accepted:
        return say("NOT accepted; nothing of this sheet was stored")
    if not receipt.stored:
        return say("would be accepted; nothing was stored")
    if receipt.revision is not None:
        return say("accepted, revision {revision}", revision=receipt.revision)
    return say("accepted")


def _in_force(receipt: Receipt) -> Message:
    if receipt.in_force is None:
        return say("no orders are in force")
    return say("in force: revision {revision}", revision=receipt.in_force)
