"""The rules of a ladder (club, 8): what each line of its log does, and what follows from it.

The club asks here what may be done and what follows, and writes it as lines. An audit asks the same
of the lines, so nobody can be moved by another rule (`service/competition/ladder_replay`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, structs

from adjudicator.core.contest_log import ContestLine, EnteredLine, RestoredLine
from adjudicator.core.ladder_log import (
    ACCEPTED,
    DECLINED,
    EXPIRED,
    VOID,
    AnsweredLine,
    ChallengedLine,
    ChallengeResultLine,
    LadderBegunLine,
    LadderClosedLine,
    LadderLine,
    LeftLine,
    LoggedChallenge,
    MovedLine,
)
from adjudicator.core.result import SILENCE, MatchResult

HIGHEST = 3  # places above the challenger that may be challenged
PAUSE = timedelta(days=14)  # before the same two meet again
WATCHED = timedelta(days=90)  # in which a player may be silent once
ENDINGS = ("won", "lost", "drawn", VOID)


class Ladder(Struct, frozen=True, kw_only=True):
    """A ladder as its lines give it: how many entries and challenges there were, the entries from
    the first place down, the challenges that go on, pairs with when they met last, and entries with
    when they were silent."""

    entries: int = 0
    challenges: int = 0
    order: tuple[int, ...] = ()
    going: tuple[LoggedChallenge, ...] = ()
    met: tuple[tuple[frozenset[int], datetime], ...] = ()
    silent: tuple[tuple[int, datetime], ...] = ()
    is_closed: bool = False

    def place(self, entry: int) -> int:
        """Return the place of an entry. Raises ValueError if it is not on the ladder."""
        return self.order.index(entry) + 1

    def challenge(self, number: int) -> LoggedChallenge:
        """Return a challenge that goes on. Raises ValueError."""
        for one in self.going:
            if one.number == number:
                return one
        raise ValueError(number)


# What may be done.


def last_meeting(ladder: Ladder, one: int, other: int) -> datetime | None:
    """Return when the last match of two ended, or a challenge between them was declined."""
    both = frozenset((one, other))
    return max((at for pair, at in ladder.met if pair == both), default=None)


def refusal(ladder: Ladder, by: int, asked: int, at: datetime) -> str:
    """Return why a challenge cannot be: closed, absent, far, made, received or soon; empty if it
    can."""
    if ladder.is_closed:
        return "closed"
    if not {by, asked} <= {*ladder.order}:
        return "absent"
    if not 1 <= ladder.place(by) - ladder.place(asked) <= HIGHEST:
        return "far"
    if any(one.by == by for one in ladder.going):
        return "made"
    if any(one.asked == asked for one in ladder.going):
        return "received"
    again = last_meeting(ladder, by, asked)
    # A later time is of a clock that was wrong then.
    return "soon" if again is not None and again <= at < again + PAUSE else ""


def ending_of(result: MatchResult | None, seat: str) -> str:
    """Return what a match gave the challenger, who had that seat."""
    if result is None or (result.is_void and result.reason != SILENCE):
        return VOID
    if not result.winners or len(result.winners) > 1:
        return "drawn"
    return "won" if result.winners[0] == seat else "lost"


# What lines do.


def after(ladder: Ladder, line: ContestLine) -> Ladder:
    """Return a ladder after a line. Raises ValueError or LookupError if it cannot be."""
    return _STEPS[type(line)](ladder, line)


def _opened(ladder: Ladder, line: LadderBegunLine) -> Ladder:
    return Ladder(
        entries=line.entries,
        challenges=max((one.number for one in line.going), default=0),
        order=line.order,
        going=line.going,
        met=tuple((frozenset(pair), datetime.fromisoformat(at)) for *pair, at in line.met),
        silent=tuple((entry, datetime.fromisoformat(at)) for entry, at in line.silent),
    )


def _entered(ladder: Ladder, line: EnteredLine) -> Ladder:
    if ladder.is_closed or line.entry in ladder.order or not 0 < line.entry <= ladder.entries + 1:
        raise ValueError(line.entry)
    entries = max(ladder.entries, line.entry)
    return structs.replace(ladder, entries=entries, order=(*ladder.order, line.entry))


def _left(ladder: Ladder, line: LeftLine) -> Ladder:
    ladder.place(line.entry)
    order = tuple(one for one in ladder.order if one != line.entry)
    return structs.replace(ladder, order=order)


def _challenged(ladder: Ladder, line: ChallengedLine) -> Ladder:
    if line.challenge != ladder.challenges + 1:
        raise ValueError(line.challenge)
    made = LoggedChallenge(line.challenge, line.by, line.asked)
    return structs.replace(ladder, challenges=line.challenge, going=(*ladder.going, made))


def _answered(ladder: Ladder, line: AnsweredLine) -> Ladder:
    one = ladder.challenge(line.challenge)
    if one.match or bool(line.match) != (line.answer == ACCEPTED):
        raise ValueError(line.answer)
    if line.answer == ACCEPTED:
        begun = structs.replace(one, match=line.match, seat=line.seat)
        going = tuple(begun if each is one else each for each in ladder.going)
        return structs.replace(ladder, going=going)
    if line.answer not in (DECLINED, EXPIRED, VOID):
        raise ValueError(line.answer)
    return _ended(ladder, one, datetime.fromisoformat(line.at) if line.answer == DECLINED else None)


def _result(ladder: Ladder, line: ChallengeResultLine) -> Ladder:
    one = ladder.challenge(line.challenge)
    if not one.match or line.match != one.match or line.ending not in ENDINGS:
        raise ValueError(line.match)
    if not {*line.silent} <= {one.by, one.asked}:
        raise ValueError(line.silent)
    at = datetime.fromisoformat(line.at)
    ended = _ended(ladder, one, at)
    found = tuple((entry, at) for entry in line.silent)
    return structs.replace(ended, silent=(*ended.silent, *found))


def _ended(ladder: Ladder, one: LoggedChallenge, met: datetime | None) -> Ladder:
    going = tuple(each for each in ladder.going if each is not one)
    pair = frozenset((one.by, one.asked))
    found = () if met is None else ((pair, met),)
    return structs.replace(ladder, going=going, met=(*ladder.met, *found))


def _moved(ladder: Ladder, line: MovedLine) -> Ladder:
    ladder.place(line.entry)
    if not 1 <= line.place <= len(ladder.order):
        raise ValueError(line.place)
    order = [one for one in ladder.order if one != line.entry]
    order.insert(line.place - 1, line.entry)
    return structs.replace(ladder, order=tuple(order))


def _restored(ladder: Ladder, line: RestoredLine) -> Ladder:
    return ladder


def _closed(ladder: Ladder, line: LadderClosedLine) -> Ladder:
    if ladder.is_closed:
        raise ValueError(line.n)
    return structs.replace(ladder, is_closed=True)


_STEPS: Mapping[type[ContestLine], Callable[[Ladder, Any], Ladder]] = {
    LadderBegunLine: _opened,
    EnteredLine: _entered,
    LeftLine: _left,
    ChallengedLine: _challenged,
    AnsweredLine: _answered,
    ChallengeResultLine: _result,
    MovedLine: _moved,
    RestoredLine: _restored,
    LadderClosedLine: _closed,
}


# What follows from them.


def follows(ladder: Ladder, line: LadderLine) -> Sequence[LadderLine]:
    """Return the lines that follow from a line at once, in their order: who moves, who leaves, and
    which challenges end with that (club, 8.3). They have its time."""
    found: list[LadderLine] = []
    now = after(ladder, line)
    for make in _FOLLOWS.get(type(line), ()):
        for made in make(ladder, now, line):
            timed = structs.replace(made, at=line.at)
            more = follows(now, timed)
            for one in (timed, *more):
                now = after(now, one)
                found.append(one)
    return found


def _of_left(before: Ladder, now: Ladder, line: LeftLine) -> Iterator[LadderLine]:
    """A challenge that is not answered yet ends when one of the two leaves."""
    for one in now.going:
        if not one.match and line.entry in (one.by, one.asked):
            yield AnsweredLine(challenge=one.number, answer=VOID)


def _of_closed(before: Ladder, now: Ladder, line: LadderClosedLine) -> Iterator[LadderLine]:
    for one in now.going:
        if not one.match:
            yield AnsweredLine(challenge=one.number, answer=VOID)


def _of_answer(before: Ladder, now: Ladder, line: AnsweredLine) -> Iterator[LadderLine]:
    if line.answer in (DECLINED, EXPIRED):
        yield from _overtake(now, before.challenge(line.challenge))


def _of_win(before: Ladder, now: Ladder, line: ChallengeResultLine) -> Iterator[LadderLine]:
    if line.ending == "won":
        yield from _overtake(now, before.challenge(line.challenge))


def _overtake(now: Ladder, one: LoggedChallenge) -> Iterator[LadderLine]:
    """The challenger takes the place that the other has now. Nothing moves if he is above by now,
    or one of them has left."""
    if now.is_closed or not {one.by, one.asked} <= {*now.order}:
        return
    if now.place(one.by) > (place := now.place(one.asked)):
        yield MovedLine(entry=one.by, place=place)


def _of_silent_challenger(
    before: Ladder, now: Ladder, line: ChallengeResultLine
) -> Iterator[LadderLine]:
    entry, last = before.challenge(line.challenge).by, len(now.order)
    if now.is_closed or entry not in line.silent or entry not in now.order:
        return
    if now.place(entry) != last:
        yield MovedLine(entry=entry, place=last)


def _of_silence(before: Ladder, now: Ladder, line: ChallengeResultLine) -> Iterator[LadderLine]:
    """Who was forfeited by silence twice in ninety days leaves the ladder."""
    if now.is_closed:
        return
    until = datetime.fromisoformat(line.at)
    one = before.challenge(line.challenge)
    for entry in (one.by, one.asked):
        times = [
            at for silent, at in now.silent if silent == entry and until - WATCHED < at <= until
        ]
        if entry in line.silent and len(times) > 1 and entry in now.order:
            yield LeftLine(entry=entry, why=SILENCE)


# Each makes its lines from the ladder before the line, the one with all that followed so far, and
# the line.
_FOLLOWS: Mapping[
    type[ContestLine], Sequence[Callable[[Ladder, Ladder, Any], Iterator[LadderLine]]]
] = {
    LeftLine: (_of_left,),
    LadderClosedLine: (_of_closed,),
    AnsweredLine: (_of_answer,),
    ChallengeResultLine: (_of_win, _of_silent_challenger, _of_silence),
}
