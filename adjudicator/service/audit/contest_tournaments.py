"""Check the log of a tournament: all that lots and rules decide (T1), and the results of matches
whose own log is opened among the papers (T3).

The lines are computed again with the club's own rules (`competition/replay`). Of other matches the
head of the last ply is named, so that one of their players can compare it.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from adjudicator.core import public_chance
from adjudicator.core.beacon import NoLibrary
from adjudicator.core.contest_log import (
    ClosedLine,
    NumberLine,
    OpenedLine,
    ResultLine,
    RoundLine,
    StartedLine,
)
from adjudicator.core.message import count, say
from adjudicator.service.audit.contest_papers import (
    ContestKind,
    ContestPapers,
    departures,
    is_asleep,
    other_heads,
    own_result,
)
from adjudicator.service.audit.log import ReplayedMatch
from adjudicator.service.audit.papers import Document, of_paper
from adjudicator.service.audit.verdicts import AuditFinding, asks, contradicts, leaves_open, remark
from adjudicator.service.competition import replay


def _followed(its: ContestPapers) -> Iterator[AuditFinding]:
    name, paper, lines = its.name, its.paper, its.lines
    for fault in replay.follow(name, lines).faults:
        yield contradicts(of_paper(paper, fault))
    opening = lines[0]
    by_seed = isinstance(opening, OpenedLine) and opening.chance == public_chance.SEED
    if not by_seed:
        yield from _number(its)
    if not isinstance(lines[-1], ClosedLine):
        yield remark(say("not revealed here: the secret number of {name}", name=name))
    elif by_seed:
        yield remark(
            say(
                "the club drew the secret number of {name} before anybody entered, so it could "
                "foresee all draws",
                name=name,
            )
        )
    for line in lines:
        if isinstance(line, RoundLine) and line.apart:
            for numbers in line.apart:
                yield remark(
                    say(
                        "by the club numbers {numbers} share an address, so they did not meet in "
                        "round {n}",
                        numbers=", ".join(map(str, numbers)),
                        n=line.round,
                    )
                )


# The public number that decides with the seed.


def _number(its: ContestPapers) -> Iterator[AuditFinding]:
    """Say what nobody can see without a network or a library, and whether an email told the number
    that decides before anybody could know it."""
    started = next((one for one in its.lines if isinstance(one, StartedLine)), None)
    number = next((one for one in its.lines if isinstance(one, NumberLine)), None)
    if started is None or number is None:
        return
    source = say(
        "compare this number with its source: {which}: {value}",
        which=number.which,
        value=number.value,
    )
    try:
        public_chance.fault(number.which, number.value)
    except NoLibrary:
        yield leaves_open(source)
    if public_chance.draw_of(number.which) is not None:
        yield remark(source)
    due = public_chance.publication_time(number.which)
    emails = [paper for paper in its.papers if paper.heads is not None]
    if due is None or not emails:
        return
    told = (
        one.heads
        for one in emails
        if any(started.n <= n < number.n for each in one.contests for n, _ in each.heads)
    )
    times = [one.came or one.dated for one in told if one is not None]
    if not any(one and datetime.fromisoformat(one) < due for one in times):
        yield asks(
            say(
                "no email here names the public number before it was known: did you get one when "
                "{name} began?",
                name=its.name,
            )
        )


# Matches of which there are papers.


def _matches(its: ContestPapers) -> Iterator[AuditFinding]:
    name, paper, lines = its.name, its.paper, its.lines
    boards = {
        (line.round, one.board, line.again): one.numbers
        for line in lines
        if isinstance(line, RoundLine)
        for one in line.boards
        if one.kind == "match"
    }
    rounds = {str(round_) for round_, _, _ in boards}
    known = {f"{name}-{round_}-{board}{'b' * again}" for round_, board, again in boards}
    for match in its.of_matches:
        round_, _, board = match.removeprefix(f"{name}-").partition("-")
        is_its = match.startswith(f"{name}-") and board.removesuffix("b").isdecimal()
        if is_its and round_ in rounds and match not in known:
            what = say("the log of {name} has no match {match}", name=name, match=match)
            yield contradicts(of_paper(paper, what))
    for line in lines:
        if not isinstance(line, ResultLine) or not line.match:
            continue
        yield from other_heads(its, line)
        if line.match in its.played:
            numbers = boards.get((line.round, line.board, line.again), ())
            yield from _result(paper, line, numbers, its.played[line.match])


def _result(
    paper: Document, line: ResultLine, numbers: Sequence[int], match: ReplayedMatch
) -> Iterator[AuditFinding]:
    """Compare a result with what the match's own log gives."""
    number = dict(zip(map(str, match.setting.seats), numbers, strict=False))
    result = own_result(match)
    if result is None or len(number) != len(match.setting.seats):
        what = say("{match} has not ended by its own log", match=line.match)
        yield contradicts(of_paper(paper, what))
        return
    right = [{number[seat] for seat in group} for group in result.places]
    left = {(number[one.seat], one.how) for one in departures(match)}
    seen = {(n, how) for n, how in line.left if how != "asleep"}
    asleep = {number.get(seat) for seat in match.setting.seats if is_asleep(match, seat)}
    are_asleep = {n for n, how in line.left if how == "asleep"} <= asleep
    if right != [{*group} for group in line.places] or left != seen or not are_asleep:
        what = say("the result of {match} is another one by its own log", match=line.match)
        yield contradicts(of_paper(paper, what))


KIND = ContestKind(
    parse=replay.parse,
    heads="T2",
    rules=(("T1", _followed), ("T3", _matches)),
    without_log=lambda name: say(
        "the log of {name}, which is not among these files; the last email has it", name=name
    ),
    computed=lambda n: count(
        "{n} line of the log, computed again by rules and lots",
        "{n} lines of the log, computed again by rules and lots",
        n,
    ),
)
