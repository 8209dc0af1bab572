"""The rows of what a report's reader wrote to other seats and got from them (club, section 10)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from adjudicator.core.message import Clock, Message, Words, say
from adjudicator.core.press import PressThread, ShownPress

Seats: TypeAlias = Mapping[str, str]
# The title of a thread, and for each message what stands above it, and its lines.
ThreadRows: TypeAlias = tuple[str, Sequence[tuple[str, Sequence[str]]]]

PRESS = say("Messages")  # the heading of them, also for `adjud audit`
_HINT = say(
    "MUTE and a seat stops messages from it. COMPLAIN and a number sends a message to the game "
    "master."
)


def rows(
    threads: Iterable[PressThread], me: str, seats: Seats, words: Words, clock: Clock
) -> list[ThreadRows]:
    return [(words(_title(one, seats)), _messages(one, me, seats, words, clock)) for one in threads]


def hint(threads: Iterable[PressThread], words: Words) -> str | None:
    """Return what can be done about messages that came; None if none did."""
    came = any(one.number is not None for thread in threads for one in thread.messages)
    return words(_HINT) if came else None


def _title(thread: PressThread, seats: Seats) -> Message:
    if thread.master:
        return say("To the game master")
    if not thread.others:
        return say("Unsigned")
    return say("With {seats}", seats=_titles(thread.others, seats))


def _messages(
    thread: PressThread, me: str, seats: Seats, words: Words, clock: Clock
) -> Sequence[tuple[str, Sequence[str]]]:
    return [(words(_head(one, me, seats, clock)), one.lines) for one in thread.messages]


def _head(one: ShownPress, me: str, seats: Seats, clock: Clock) -> Message:
    at, to = clock(one.at), _titles(one.to, seats)
    if one.number is not None and one.by is None:
        return say("{n}. {when}, unsigned, to {seats}:", n=one.number, when=at, seats=to)
    if one.number is not None:
        by = seats[str(one.by)]
        return say("{n}. {when}, {seat} to {seats}:", n=one.number, when=at, seat=by, seats=to)
    if not one.to:
        return say("{when}, you to the game master:", when=at)
    to = _titles([seat for seat in one.to if seat != me], seats)
    if one.unsigned:
        return say("{when}, you, unsigned, to {seats}:", when=at, seats=to)
    return say("{when}, you to {seats}:", when=at, seats=to)


def _titles(found: Iterable[str], seats: Seats) -> str:
    return ", ".join(seats[seat] for seat in found)
