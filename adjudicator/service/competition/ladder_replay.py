"""Follow the log of a ladder line by line, and compute again all that its rules decide: who may be
challenged, who moves where, and who leaves (club, 8).

The club asks it whether its own log is right, an audit whether the log of a club is. What it
believes are the inputs: who entered and left, answers to challenges, and results of matches.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct, structs

from adjudicator.core import contest_log
from adjudicator.core import ladder as rules
from adjudicator.core.ladder import Ladder
from adjudicator.core.ladder_log import (
    ChallengedLine,
    LadderBegunLine,
    LadderClosedLine,
    LadderLine,
    LeftLine,
    MovedLine,
    read,
)
from adjudicator.core.message import Message, say
from adjudicator.core.result import SILENCE
from adjudicator.store import ladders
from adjudicator.store.database import Tx
from adjudicator.store.ladders import LadderRow


class FollowedLadder(Struct, frozen=True):
    """What in the lines of a ladder cannot be, and the ladder after them; None if a line makes no
    sense, with which it stops."""

    faults: Sequence[Message]
    end: Ladder | None


def parse(texts: Sequence[str]) -> list[LadderLine]:
    """Read the lines of a log. Raises ValueError for one that is none."""
    return [read(text) for text in texts]


def follow(lines: Sequence[LadderLine]) -> FollowedLadder:
    faults: list[Message] = []
    ladder, due = Ladder(), list[LadderLine]()
    for n, line in enumerate(lines, start=1):
        try:
            if line.n != n or (n == 1) != isinstance(line, LadderBegunLine):
                raise ValueError(n)
            faults += (say("line {n} of the log: {what}", n=n, what=one)
                       for one in _faults(ladder, line, due))  # fmt: skip
            is_due = bool(due) and _bare(due[0]) == _bare(line)
            due = due[1:] if is_due else [*rules.follows(ladder, line)]
            ladder = rules.after(ladder, line)
        except (ValueError, LookupError, TypeError):
            return FollowedLadder([*faults, say("line {n} of the log makes no sense", n=n)], None)
    if due:
        faults.append(_must_follow(len(lines) + 1, due[0]))
    return FollowedLadder(faults, ladder)


def _bare(line: LadderLine) -> LadderLine:
    return structs.replace(line, n=0)


def _must_follow(n: int, line: LadderLine) -> Message:
    text = contest_log.write(structs.replace(line, n=n))
    return say("line {n} of the log must be {right}", n=n, right=text)


def _faults(ladder: Ladder, line: LadderLine, due: Sequence[LadderLine]) -> Iterator[Message]:
    """Yield what is wrong with a line that is not what the lines before it ask for."""
    if due and _bare(due[0]) == _bare(line):
        return
    if due:
        right = contest_log.write(structs.replace(due[0], n=line.n))
        yield say("by the lines before it, it must be {right}", right=right)
    elif isinstance(line, MovedLine) or (isinstance(line, LeftLine) and line.why == SILENCE):
        yield say("it does not follow from the lines before it")
    if isinstance(line, ChallengedLine):
        at = datetime.fromisoformat(line.at)
        if rules.refusal(ladder, line.by, line.asked, at):
            yield say("the rules do not allow this challenge")
    if isinstance(line, LadderClosedLine) and line.order != ladder.order:
        yield say("the ladder was in another order before it closed")


def verify(tx: Tx, row: LadderRow) -> list[Message]:
    """Return what is wrong with the log of a ladder of this club: its heads, what its lines say,
    and rows of which they say something else."""
    logged = ladders.log(tx, row.id)
    if not logged:
        return []
    try:
        lines = parse([one.line for one in logged])
    except ValueError as trouble:
        return [say("{name}: {why}", name=row.name, why=str(trouble))]
    heads = contest_log.heads(row.name, [one.line for one in logged], contest_log.LADDER)
    wrong = [
        say("line {n} of the log has another fingerprint than is stored", n=one.n)
        for one, head in zip(logged, heads, strict=True)
        if one.head != head
    ]
    found = follow(lines)
    if found.end is not None and not _is_as_stored(tx, row, found.end):
        wrong.append(say("the log says other places or challenges than are stored"))
    return [*wrong, *found.faults]


def _is_as_stored(tx: Tx, row: LadderRow, end: Ladder) -> bool:
    order = tuple(one.entry for one in ladders.rungs(tx, row.id))
    going = [(one.number, one.match or "") for one in ladders.going(tx, row.id)]
    return order == end.order and going == [(one.number, one.match) for one in end.going]
