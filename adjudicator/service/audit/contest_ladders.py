"""Check the log of a ladder (T4): who may be challenged, who moves where and who leaves, computed
again with the club's own rules (`competition/ladder_replay`); and the results of matches whose own
log is opened among the papers.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from adjudicator.core.ladder import ending_of
from adjudicator.core.ladder_log import (
    ACCEPTED,
    AnsweredLine,
    ChallengedLine,
    ChallengeResultLine,
    LadderBegunLine,
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
from adjudicator.service.audit.papers import of_paper
from adjudicator.service.audit.verdicts import AuditFinding, asks, contradicts
from adjudicator.service.competition import ladder_replay

_TIME_TO_COUNT = timedelta(days=2)  # a tick counts a match that has ended; it may be down


def _followed(its: ContestPapers) -> Iterator[AuditFinding]:
    for fault in ladder_replay.follow(its.lines).faults:
        yield contradicts(of_paper(its.paper, fault))


def _matches(its: ContestPapers) -> Iterator[AuditFinding]:
    """Compare results with the matches' own papers, and ask for one that is not there."""
    begun = {one.match: one for one in its.lines if isinstance(one, AnsweredLine) and one.match}
    made = {one.challenge: one for one in its.lines if isinstance(one, ChallengedLine)}
    old = {
        one.number: one
        for line in its.lines
        if isinstance(line, LadderBegunLine)
        for one in line.going
    }
    ended = set()
    for line in its.lines:
        if not isinstance(line, ChallengeResultLine):
            continue
        ended.add(line.match)
        yield from other_heads(its, line)
        if line.match in its.played:
            before = old.get(line.challenge)
            answer = begun.get(line.match)
            two = made.get(line.challenge) or before
            seat = answer.seat if answer else before.seat if before else ""
            if two is not None:
                yield from _result(its, line, seat, two.by, two.asked)
    for match, answer in begun.items():
        if answer.answer == ACCEPTED and match in its.played and match not in ended:
            yield from _uncounted(its, match, its.played[match])


def _result(
    its: ContestPapers, line: ChallengeResultLine, seat: str, by: int, asked: int
) -> Iterator[AuditFinding]:
    match = its.played[line.match]
    silent = {one.seat for one in departures(match) if one.how == "silence"}
    silent |= {one for one in match.setting.seats if is_asleep(match, one)}
    may_be = {by if one == seat else asked for one in silent}
    if ending_of(own_result(match), seat) != line.ending or not {*line.silent} <= may_be:
        what = say("the result of {match} is another one by its own log", match=line.match)
        yield contradicts(of_paper(its.paper, what))


def _uncounted(its: ContestPapers, match: str, played: ReplayedMatch) -> Iterator[AuditFinding]:
    if own_result(played) is None or not played.plies:
        return
    at = datetime.fromisoformat(played.plies[-1].entry.at) + _TIME_TO_COUNT
    if any(datetime.fromisoformat(line.at) > at for line in its.lines):
        what = say("the log has no result of {match}, which has ended: ask why", match=match)
        yield asks(of_paper(its.paper, what))


KIND = ContestKind(
    parse=ladder_replay.parse,
    heads="T4",
    rules=(("T4", _followed), ("T4", _matches)),
    without_log=lambda name: say(
        "the log of {name}, which is not among these files; `adjud ladder log {name}` prints it",
        name=name,
    ),
    computed=lambda n: count(
        "{n} line of the log, computed again by the rules",
        "{n} lines of the log, computed again by the rules",
        n,
    ),
)
