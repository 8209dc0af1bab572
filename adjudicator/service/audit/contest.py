"""Check the log of a tournament: what papers tell of it, and all that lots and rules decide.

The fingerprints that papers tell are compared with the lines, and the lines are computed again
with the club's own rules (`competition/replay`). The result of a match whose own log is opened
among the papers is compared with that log; of others the head of the last ply is named, so that one
of their players can compare it.

| rule | what is compared |
|---|---|
| T1 | what lots and rules decide: numbers, pairings, byes, seats, points and the table |
| T2 | the fingerprints that papers tell, and other logs of the tournament |
| T3 | results of matches, with those matches' own papers |
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core import contest_log
from adjudicator.core.clock import DORMANT_AFTER
from adjudicator.core.contest_log import ClosedLine, LogLine, RestoredLine, ResultLine, RoundLine
from adjudicator.core.message import say
from adjudicator.core.result import How, SeatDeparture, leavers, result_of
from adjudicator.service.audit.log import BY_DEFAULT, ReplayedMatch
from adjudicator.service.audit.papers import Document, ToldOfContest, differ, of_paper
from adjudicator.service.audit.verdicts import (
    AuditFinding,
    asks,
    by_rule,
    contradicting,
    contradicts,
    leaves_open,
    remark,
)
from adjudicator.service.competition import replay


class ContestFound(Struct, frozen=True):
    """What was found of a tournament: how many lines and heads were compared, and the findings."""

    lines: int
    heads: int
    findings: Sequence[AuditFinding]


def compare(
    name: str,
    papers: Sequence[Document],
    of_matches: Mapping[str, Sequence[Document]],
    played: Mapping[str, ReplayedMatch],
) -> ContestFound:
    """Compare what all papers say of a tournament. `of_matches` are those of matches, by their
    names, `played` the matches that were played again."""
    told = [
        (paper, n, digest)
        for paper in papers
        for one in _of(paper, name)
        for n, digest in one.heads
    ]
    found = _newest(name, papers)
    if found is None:
        return ContestFound(0, len(told), [*by_rule("T2", _without_log(name, told))])
    paper, texts = found
    try:
        lines = replay.parse(texts)
    except ValueError as trouble:
        why = of_paper(paper, str(trouble))
        return ContestFound(len(texts), len(told), [*contradicting("T1", [why])])
    findings = [
        *by_rule("T2", _heads(name, told, _all_lines(name, papers), paper, lines, texts)),
        *by_rule("T1", _followed(name, paper, lines)),
        *by_rule("T3", _matches(name, paper, lines, of_matches, played)),
    ]
    return ContestFound(len(lines), len({digest for _, _, digest in told}), findings)


def _of(paper: Document, name: str) -> Iterator[ToldOfContest]:
    return (one for one in paper.contests if one.tournament == name)


def _all_lines(name: str, papers: Iterable[Document]) -> list[tuple[Document, tuple[str, ...]]]:
    return [(paper, one.lines) for paper in papers for one in _of(paper, name) if one.lines]


def _newest(name: str, papers: Sequence[Document]) -> tuple[Document, tuple[str, ...]] | None:
    """Return the log that says most: of one that was restored the last, else the one that is
    closed, else the longest."""

    def worth(one: tuple[Document, tuple[str, ...]]) -> tuple[int, bool, int]:
        restored = sum(line.startswith('{"line":"restored"') for line in one[1])
        return restored, one[1][-1].startswith('{"line":"closed"'), len(one[1])

    return max(_all_lines(name, papers), key=worth, default=None)


def _without_log(name: str, told: Sequence[tuple[Document, int, str]]) -> Iterator[AuditFinding]:
    """Compare heads among themselves; a restore may have undone lines, and only the log has it."""
    yield leaves_open(
        say("the log of {name}, which is not among these files; the last email has it", name=name)
    )
    first: dict[int, tuple[Document, str]] = {}
    for paper, n, digest in told:
        other, before = first.setdefault(n, (paper, digest))
        if before != digest:
            what = say("line {n} of the log of {name}", n=n, name=name)
            yield asks(differ(what, other, paper))


def _heads(
    name: str,
    told: Sequence[tuple[Document, int, str]],
    logs: Sequence[tuple[Document, tuple[str, ...]]],
    paper: Document,
    lines: Sequence[LogLine],
    texts: Sequence[str],
) -> Iterator[AuditFinding]:
    """Compare every head that was told, and every other log, with the lines. What was told of a
    line that a restore has undone is of no line any more."""
    heads = dict(enumerate(contest_log.heads(name, texts), start=1))
    undone = min((one.n for one in lines if isinstance(one, RestoredLine)), default=len(lines) + 1)
    of_logs = (
        (other, n, digest)
        for other, older in logs
        for n, digest in enumerate(contest_log.heads(name, older), start=1)
    )
    is_closed = isinstance(lines[-1], ClosedLine)
    for other, n, digest in (*told, *of_logs):
        if heads.get(n) == digest or (n not in heads and not is_closed and n < undone):
            continue
        what = say("line {n} of the log of {name}", n=n, name=name)
        if n >= undone:
            restored = say(
                "{paper} tells line {n} of the log of {name} as it was before the club was "
                "restored from a backup",
                paper=other.name,
                n=n,
                name=name,
            )
            yield remark(restored)
        else:
            yield contradicts(differ(what, other, paper))


def _followed(name: str, paper: Document, lines: Sequence[LogLine]) -> Iterator[AuditFinding]:
    for fault in replay.follow(name, lines).faults:
        yield contradicts(of_paper(paper, fault))
    if isinstance(lines[-1], ClosedLine):
        yield remark(
            say(
                "the club drew the secret number of {name} before anybody entered, so it could "
                "foresee all draws",
                name=name,
            )
        )
    else:
        yield remark(say("not revealed here: the secret number of {name}", name=name))
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


# Matches of which there are papers.


def _matches(
    name: str,
    paper: Document,
    lines: Sequence[LogLine],
    of_matches: Mapping[str, Sequence[Document]],
    played: Mapping[str, ReplayedMatch],
) -> Iterator[AuditFinding]:
    boards = {
        (line.round, one.board, line.again): one.numbers
        for line in lines
        if isinstance(line, RoundLine)
        for one in line.boards
        if one.kind == "match"
    }
    rounds = {str(round_) for round_, _, _ in boards}
    epochs = [line.epoch for line in lines if isinstance(line, RestoredLine)]
    known = {f"{name}-{round_}-{board}{'b' * again}" for round_, board, again in boards}
    for match in of_matches:
        round_, _, board = match.removeprefix(f"{name}-").partition("-")
        is_its = match.startswith(f"{name}-") and board.removesuffix("b").isdecimal()
        if is_its and round_ in rounds and match not in known:
            what = say("the log of {name} has no match {match}", name=name, match=match)
            yield contradicts(of_paper(paper, what))
    for line in lines:
        if not isinstance(line, ResultLine) or not line.match:
            continue
        for other in of_matches.get(line.match, ()):
            if epochs and other.epoch != epochs[-1]:
                continue  # it may be of a match of that name which the restore has undone
            heads = [*other.listed, *([other.head] if other.head else [])]
            if any(ply == line.ply and digest != line.head for ply, digest in heads):
                what = say("the end of {match}", match=line.match)
                yield contradicts(differ(what, other, paper))
        if line.match in played:
            numbers = boards.get((line.round, line.board, line.again), ())
            yield from _result(paper, line, numbers, played[line.match])


def _result(
    paper: Document, line: ResultLine, numbers: Sequence[int], match: ReplayedMatch
) -> Iterator[AuditFinding]:
    """Compare a result with what the match's own log gives."""
    number = dict(zip(map(str, match.setting.seats), numbers, strict=False))
    departures = [*_departures(match)]
    cause = match.plies[-1].entry.cause if match.plies else ""
    rules = match.game.rules
    result = result_of(rules, match.last, match.setting.seats, departures, cause=cause)
    if result is None or len(number) != len(match.setting.seats):
        what = say("{match} has not ended by its own log", match=line.match)
        yield contradicts(of_paper(paper, what))
        return
    right = [{number[seat] for seat in group} for group in result.places]
    left = {(number[one.seat], one.how) for one in departures}
    seen = {(n, how) for n, how in line.left if how != "asleep"}
    asleep = {number.get(seat) for seat in match.setting.seats if _is_asleep(match, seat)}
    is_asleep = {n for n, how in line.left if how == "asleep"} <= asleep
    if right != [{*group} for group in line.places] or left != seen or not is_asleep:
        what = say("the result of {match} is another one by its own log", match=line.match)
        yield contradicts(of_paper(paper, what))


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
