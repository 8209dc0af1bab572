"""Check the logs of tournaments and ladders: what papers tell of them, and all that is decided by
their lines.

The fingerprints that papers tell are compared with the lines. What else is compared, and by which
rule, says the row of the log's label in KINDS.

| rule | what is compared |
|---|---|
| T1 | what lots and rules decide in a tournament: numbers, pairings, seats, points and table |
| T2 | the fingerprints that papers tell, and other logs of the tournament |
| T3 | results of its matches, with those matches' own papers |
| T4 | all of that of a ladder: fingerprints, challenges, places, results |
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from adjudicator.core import contest_log, public_chance
from adjudicator.core.beacon import NoLibrary
from adjudicator.core.clock import DORMANT_AFTER
from adjudicator.core.contest_log import (
    ClosedLine,
    NumberLine,
    OpenedLine,
    RestoredLine,
    ResultLine,
    RoundLine,
    StartedLine,
)
from adjudicator.core.ladder import ending_of
from adjudicator.core.ladder_log import (
    ACCEPTED,
    AnsweredLine,
    ChallengedLine,
    ChallengeResultLine,
    LadderBegunLine,
)
from adjudicator.core.message import Message, count, say
from adjudicator.core.result import How, MatchResult, SeatDeparture, leavers, result_of
from adjudicator.service.audit.log import BY_DEFAULT, ReplayedMatch
from adjudicator.service.audit.papers import (
    Document,
    ToldOfContest,
    differ,
    disagreements,
    of_paper,
)
from adjudicator.service.audit.public_chance import message_for_source
from adjudicator.service.audit.verdicts import (
    AuditFinding,
    asks,
    by_rule,
    contradicting,
    contradicts,
    leaves_open,
    remark,
)
from adjudicator.service.competition import ladder_replay, replay


class ContestFound(Struct, frozen=True):
    """What was found of a tournament or a ladder: how many lines and heads were compared, and the
    findings."""

    lines: int
    heads: int
    findings: Sequence[AuditFinding]


class ContestPapers(Struct, frozen=True, kw_only=True):
    """All papers of a contest, with what they tell of its log; the paper that has the log, its
    lines as they stand and as they were read; the papers of matches by their names, and the matches
    that were played again."""

    name: str
    told: Sequence[tuple[Document, ToldOfContest]]
    paper: Document
    texts: Sequence[str]
    lines: Sequence[Any]
    of_matches: Mapping[str, Sequence[Document]]
    played: Mapping[str, ReplayedMatch]

    @property
    def epochs(self) -> list[str]:
        return [line.epoch for line in self.lines if isinstance(line, RestoredLine)]


class ContestKind(Struct, frozen=True, kw_only=True):
    """How the log of a kind of contest is judged: how its lines are read, by which rules they and
    their heads are compared, by whom the rest, and where its log is found."""

    parse: Callable[[Sequence[str]], Sequence[Any]]
    lines: str
    heads: str
    judges: Sequence[Callable[[ContestPapers], Iterator[AuditFinding]]]
    without_log: Callable[[str], Message]
    computed: Callable[[int], Message]


def compare(
    name: str,
    label: str,
    papers: Sequence[Document],
    of_matches: Mapping[str, Sequence[Document]],
    played: Mapping[str, ReplayedMatch],
) -> ContestFound:
    """Compare what all papers say of the tournament or the ladder of that name. `of_matches` are
    those of matches, by their names, `played` the matches that were played again."""
    kind = KINDS[label]
    told = [
        (paper, one)
        for paper in papers
        for one in paper.contests
        if (one.name, one.label) == (name, label)
    ]
    heads = [(paper, *head) for paper, one in told for head in one.heads]
    logs = [(paper, one.lines) for paper, one in told if one.lines]
    if not logs:
        alone = by_rule(kind.heads)(_without_log)(name, kind.without_log(name), heads)
        return ContestFound(0, len(heads), [*alone])
    paper, texts = max(logs, key=_newest)
    try:
        lines = kind.parse(texts)
    except ValueError as trouble:
        why = of_paper(paper, str(trouble))
        return ContestFound(len(texts), len(heads), [*contradicting(kind.lines, [why])])
    its = ContestPapers(
        name=name,
        told=told,
        paper=paper,
        texts=texts,
        lines=lines,
        of_matches=of_matches,
        played=played,
    )
    findings = [*by_rule(kind.heads)(_heads)(its, label)]
    for judge in kind.judges:
        findings += judge(its)
    return ContestFound(len(lines), len({digest for _, _, digest in heads}), findings)


def _newest(log: tuple[Document, Sequence[str]]) -> tuple[int, bool, int]:
    """Sort logs by what they say: the most has one that was restored the last, else the one that
    is closed, else the longest."""
    restored = sum(line.startswith('{"line":"restored"') for line in log[1])
    return restored, log[1][-1].startswith('{"line":"closed"'), len(log[1])


def _without_log(
    name: str, why: Message, told: Sequence[tuple[Document, int, str]]
) -> Iterator[AuditFinding]:
    """Compare heads among themselves; a restore may have undone lines, and only the log has it."""
    yield leaves_open(why)
    every = (
        (say("line {n} of the log of {name}", n=n, name=name), head, one) for one, n, head in told
    )
    yield from map(asks, disagreements(every))


def _heads(its: ContestPapers, label: str) -> Iterator[AuditFinding]:
    """Compare every head and every line that was told, and every other log, with the lines. What
    was told of a line that a restore has undone is of no line any more."""
    name, lines = its.name, its.lines
    right = dict(enumerate(contest_log.heads(name, its.texts, label), start=1))
    undone = min((one.n for one in lines if isinstance(one, RestoredLine)), default=len(lines) + 1)
    heads = [(paper, n, head == right.get(n)) for paper, one in its.told for n, head in one.heads]
    of_logs = [
        (paper, n, head == right.get(n))
        for paper, one in its.told
        for n, head in enumerate(contest_log.heads(name, one.lines, label) if one.lines else (), 1)
    ]
    single = [
        (paper, n, its.texts[n - 1 : n] == (line,))
        for paper, one in its.told
        for n, line in one.single
    ]
    is_closed = label == contest_log.LABEL and isinstance(lines[-1], ClosedLine)
    for other, n, is_right in (*heads, *of_logs, *single):
        if is_right or (n not in right and not is_closed and n < undone):
            continue
        if n >= undone:
            yield remark(
                "{paper} tells line {n} of the log of {name} as it was before the club was "
                "restored from a backup",
                paper=other.name,
                n=n,
                name=name,
            )
        else:
            what = say("line {n} of the log of {name}", n=n, name=name)
            yield contradicts(differ(what, other, its.paper))


# What the judges of both kinds share.


def _other_heads(its: ContestPapers, line: Any) -> Iterator[AuditFinding]:
    """Compare the last head of a match that a result names with what its own papers tell."""
    for other in its.of_matches.get(line.match, ()):
        if its.epochs and other.epoch != its.epochs[-1]:
            continue  # it may be of a match of that name which the restore has undone
        heads = [*other.listed, *([other.head] if other.head else [])]
        if any(ply == line.ply and digest != line.head for ply, digest in heads):
            yield contradicts(differ(say("the end of {match}", match=line.match), other, its.paper))


def _own_result(match: ReplayedMatch) -> MatchResult | None:
    """Return how a match ended by its own log; None if it has not, or was cancelled."""
    cause = match.plies[-1].entry.cause if match.plies else ""
    seats = match.setting.seats
    return result_of(match.game.rules, match.last, seats, [*_departures(match)], cause=cause)


def _is_asleep(match: ReplayedMatch, seat: str) -> bool:
    given = [one.by for ply in match.plies for one in ply.entry.orders if one.seat == seat]
    return given[-DORMANT_AFTER:] == [BY_DEFAULT] * DORMANT_AFTER


def _departures(match: ReplayedMatch) -> Iterator[SeatDeparture]:
    for one in match.plies:
        entry = one.entry
        if entry.cause not in ("resignation", "forfeit"):
            continue
        actions = [ruled.action for ruled in entry.rulings]
        forfeits = [action for action in actions if action in ("silence", "forfeit")]
        by_forfeit: How = "silence" if forfeits[-1:] == ["silence"] else "forfeited"
        how: How = "resigned" if entry.cause == "resignation" else by_forfeit
        for seat in leavers(match.game.rules, one.before, one.state, match.setting.seats):
            yield SeatDeparture(seat=seat, how=how, ply=entry.ply)


# Tournaments: all that lots and rules decide (T1), and the results of matches whose own log is
# opened among the papers (T3). Of other matches the head of the last ply is named, so that one of
# their players can compare it.


@by_rule("T1")
def _tournament_followed(its: ContestPapers) -> Iterator[AuditFinding]:
    name, paper, lines = its.name, its.paper, its.lines
    for fault in replay.follow(name, lines).faults:
        yield contradicts(of_paper(paper, fault))
    opening = lines[0]
    by_seed = isinstance(opening, OpenedLine) and opening.chance == public_chance.SEED
    if not by_seed:
        yield from _number(its)
    if not isinstance(lines[-1], ClosedLine):
        yield remark("not revealed here: the secret number of {name}", name=name)
    elif by_seed:
        yield remark(
            "the club drew the secret number of {name} before anybody entered, so it could "
            "foresee all draws",
            name=name,
        )
    for line in lines:
        if isinstance(line, RoundLine) and line.apart:
            for numbers in line.apart:
                yield remark(
                    "by the club numbers {numbers} share an address, so they did not meet in "
                    "round {n}",
                    numbers=", ".join(map(str, numbers)),
                    n=line.round,
                )


def _number(its: ContestPapers) -> Iterator[AuditFinding]:
    """Say what nobody can see without a network or a library, and whether an email told the number
    that decides before anybody could know it."""
    started = next((one for one in its.lines if isinstance(one, StartedLine)), None)
    number = next((one for one in its.lines if isinstance(one, NumberLine)), None)
    if started is None or number is None:
        return
    source = message_for_source(number.which, number.value)
    try:
        public_chance.fault(number.which, number.value)
    except NoLibrary:
        yield leaves_open(source)
    if public_chance.draw_of(number.which) is not None:
        yield remark(source)
    due = public_chance.publication_time(number.which)
    emails = [(paper.heads, one.heads) for paper, one in its.told if paper.heads is not None]
    if due is None or not emails:
        return
    told = (email for email, heads in emails if any(started.n <= n < number.n for n, _ in heads))
    times = [one.came or one.dated for one in told]
    if not any(one and datetime.fromisoformat(one) < due for one in times):
        yield asks(
            "no email here names the public number before it was known: did you get one when "
            "{name} began?",
            name=its.name,
        )


@by_rule("T3")
def _tournament_matches(its: ContestPapers) -> Iterator[AuditFinding]:
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
        yield from _other_heads(its, line)
        if line.match in its.played:
            numbers = boards.get((line.round, line.board, line.again), ())
            yield from _tournament_result(paper, line, numbers, its.played[line.match])


def _tournament_result(
    paper: Document, line: ResultLine, numbers: Sequence[int], match: ReplayedMatch
) -> Iterator[AuditFinding]:
    """Compare a result with what the match's own log gives."""
    number = dict(zip(map(str, match.setting.seats), numbers, strict=False))
    result = _own_result(match)
    if result is None or len(number) != len(match.setting.seats):
        what = say("{match} has not ended by its own log", match=line.match)
        yield contradicts(of_paper(paper, what))
        return
    right = [{number[seat] for seat in group} for group in result.places]
    left = {(number[one.seat], one.how) for one in _departures(match)}
    seen = {(n, how) for n, how in line.left if how != "asleep"}
    asleep = {number.get(seat) for seat in match.setting.seats if _is_asleep(match, seat)}
    are_asleep = {n for n, how in line.left if how == "asleep"} <= asleep
    if right != [{*group} for group in line.places] or left != seen or not are_asleep:
        what = say("the result of {match} is another one by its own log", match=line.match)
        yield contradicts(of_paper(paper, what))


_TOURNAMENT = ContestKind(
    parse=replay.parse,
    lines="T1",
    heads="T2",
    judges=(_tournament_followed, _tournament_matches),
    without_log=lambda name: say(
        "the log of {name}, which is not among these files; the last email has it", name=name
    ),
    computed=lambda n: count(
        "{n} line of the log, computed again by rules and lots",
        "{n} lines of the log, computed again by rules and lots",
        n,
    ),
)


# Ladders: who may be challenged, who moves where and who leaves, and the results of matches whose
# own log is opened among the papers (T4).

_TIME_TO_COUNT = timedelta(days=2)  # a tick counts a match that has ended; it may be down


@by_rule("T4")
def _ladder_followed(its: ContestPapers) -> Iterator[AuditFinding]:
    for fault in ladder_replay.follow(its.lines).faults:
        yield contradicts(of_paper(its.paper, fault))


@by_rule("T4")
def _ladder_matches(its: ContestPapers) -> Iterator[AuditFinding]:
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
        yield from _other_heads(its, line)
        if line.match in its.played:
            before = old.get(line.challenge)
            answer = begun.get(line.match)
            two = made.get(line.challenge) or before
            seat = answer.seat if answer else before.seat if before else ""
            if two is not None:
                yield from _ladder_result(its, line, seat, two.by, two.asked)
    for match, answer in begun.items():
        if answer.answer == ACCEPTED and match in its.played and match not in ended:
            yield from _uncounted(its, match, its.played[match])


def _ladder_result(
    its: ContestPapers, line: ChallengeResultLine, seat: str, by: int, asked: int
) -> Iterator[AuditFinding]:
    match = its.played[line.match]
    silent = {one.seat for one in _departures(match) if one.how == "silence"}
    silent |= {one for one in match.setting.seats if _is_asleep(match, one)}
    may_be = {by if one == seat else asked for one in silent}
    if ending_of(_own_result(match), seat) != line.ending or not {*line.silent} <= may_be:
        what = say("the result of {match} is another one by its own log", match=line.match)
        yield contradicts(of_paper(its.paper, what))


def _uncounted(its: ContestPapers, match: str, played: ReplayedMatch) -> Iterator[AuditFinding]:
    if _own_result(played) is None or not played.plies:
        return
    at = datetime.fromisoformat(played.plies[-1].entry.at) + _TIME_TO_COUNT
    if any(datetime.fromisoformat(line.at) > at for line in its.lines):
        what = say("the log has no result of {match}, which has ended: ask why", match=match)
        yield asks(of_paper(its.paper, what))


_LADDER = ContestKind(
    parse=ladder_replay.parse,
    lines="T4",
    heads="T4",
    judges=(_ladder_followed, _ladder_matches),
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


KINDS: Mapping[str, ContestKind] = {contest_log.LABEL: _TOURNAMENT, contest_log.LADDER: _LADDER}
