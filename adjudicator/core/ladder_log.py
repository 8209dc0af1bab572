"""The lines of a ladder's log (club, 8.5), chained as those of a tournament (`core/contest_log`).

Nothing of a ladder is a secret, so there is nothing to open at its end. No line has a name: a
player has a number, the entry, from 1 in the order in which they came, and keeps it when they leave
and come back.
"""

from typing import TypeAlias

from msgspec import Struct

from adjudicator.core import contest_log
from adjudicator.core.contest_log import ContestLine, EnteredLine, RestoredLine

DECLINED, EXPIRED, VOID, ACCEPTED = "declined", "expired", "void", "accepted"


class LoggedChallenge(Struct, frozen=True, array_like=True):
    """A challenge that had not ended when the log began: its number, who made it, who was asked,
    and its match with the seat of the one who made it, if it was accepted."""

    number: int
    by: int
    asked: int
    match: str = ""
    seat: str = ""


class LadderBegunLine(ContestLine, frozen=True, kw_only=True, tag="opened"):
    """What was agreed, and how the ladder was if it began before it had a log: so many `entries`
    were given, and `order` has those on it from the first place down. `met` are pairs with the time
    at which they met last, `silent` entries with the time of a forfeit by silence."""

    game: str
    variant: str
    options: tuple[str, ...] = ()
    entries: int = 0
    order: tuple[int, ...] = ()
    going: tuple[LoggedChallenge, ...] = ()
    met: tuple[tuple[int, int, str], ...] = ()
    silent: tuple[tuple[int, str], ...] = ()


class LeftLine(ContestLine, frozen=True, kw_only=True):
    """A player is gone: by their own wish, by silence (the second time), or as the game master
    decided."""

    entry: int
    why: str


class ChallengedLine(ContestLine, frozen=True, kw_only=True):
    challenge: int
    by: int
    asked: int


class AnsweredLine(ContestLine, frozen=True, kw_only=True):
    """A challenge was accepted, with its match and the seat of the one who made it; or it was
    declined, has expired or became void."""

    challenge: int
    answer: str
    match: str = ""
    seat: str = ""


class ChallengeResultLine(ContestLine, frozen=True, kw_only=True, tag="result"):
    """What the match of a challenge gave the one who made it: won, lost, drawn or void; its last
    ply and the head of that in its own log, and which of the two forfeited by silence."""

    challenge: int
    match: str
    ply: int = -1
    head: str = ""
    ending: str
    silent: tuple[int, ...] = ()


class MovedLine(ContestLine, frozen=True, kw_only=True):
    """An entry came to a place; those between that and its old one moved by one."""

    entry: int
    place: int


class LadderClosedLine(ContestLine, frozen=True, kw_only=True, tag="closed"):
    """Nobody can be challenged any more; the entries from the first place down."""

    order: tuple[int, ...]


LadderLine: TypeAlias = (
    LadderBegunLine
    | EnteredLine
    | LeftLine
    | ChallengedLine
    | AnsweredLine
    | ChallengeResultLine
    | MovedLine
    | RestoredLine
    | LadderClosedLine
)


def read(text: str) -> LadderLine:
    """Read a line. Raises ValueError if it is none."""
    line: LadderLine = contest_log.read_as(LadderLine, text)
    return line
