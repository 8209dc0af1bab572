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

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from adjudicator.core import contest_log
from adjudicator.core.contest_log import ClosedLine, RestoredLine
from adjudicator.core.message import Message, say
from adjudicator.service.audit import contest_ladders, contest_tournaments
from adjudicator.service.audit.contest_papers import ContestKind, ContestPapers
from adjudicator.service.audit.log import ReplayedMatch
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

KINDS: Mapping[str, ContestKind] = {
    contest_log.LABEL: contest_tournaments.KIND,
    contest_log.LADDER: contest_ladders.KIND,
}


class ContestFound(Struct, frozen=True):
    """What was found of a tournament or a ladder: how many lines and heads were compared, and the
    findings."""

    lines: int
    heads: int
    findings: Sequence[AuditFinding]


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
    papers_ = [
        structs.replace(paper, contests=tuple(one for one in paper.contests if one.label == label))
        for paper in papers
    ]
    told = [
        (paper, n, digest)
        for paper in papers_
        for one in _of(paper, name)
        for n, digest in one.heads
    ]
    found = _newest(name, papers_)
    if found is None:
        alone = _without_log(name, kind.without_log(name), told)
        return ContestFound(0, len(told), [*by_rule(kind.heads, alone)])
    paper, texts = found
    try:
        lines = kind.parse(texts)
    except ValueError as trouble:
        why = of_paper(paper, str(trouble))
        return ContestFound(len(texts), len(told), [*contradicting(kind.rules[0][0], [why])])
    its = ContestPapers(name, papers_, paper, lines, of_matches, played)
    findings = [*by_rule(kind.heads, _heads(its, label, papers_, told, texts))]
    for rule, judge in kind.rules:
        findings += by_rule(rule, judge(its))
    return ContestFound(len(lines), len({digest for _, _, digest in told}), findings)


def _of(paper: Document, name: str) -> Iterator[ToldOfContest]:
    return (one for one in paper.contests if one.name == name)


def _all_lines(name: str, papers: Iterable[Document]) -> list[tuple[Document, tuple[str, ...]]]:
    return [(paper, one.lines) for paper in papers for one in _of(paper, name) if one.lines]


def _newest(name: str, papers: Sequence[Document]) -> tuple[Document, tuple[str, ...]] | None:
    """Return the log that says most: of one that was restored the last, else the one that is
    closed, else the longest."""

    def worth(one: tuple[Document, tuple[str, ...]]) -> tuple[int, bool, int]:
        restored = sum(line.startswith('{"line":"restored"') for line in one[1])
        return restored, one[1][-1].startswith('{"line":"closed"'), len(one[1])

    return max(_all_lines(name, papers), key=worth, default=None)


def _without_log(
    name: str, why: Message, told: Sequence[tuple[Document, int, str]]
) -> Iterator[AuditFinding]:
    """Compare heads among themselves; a restore may have undone lines, and only the log has it."""
    yield leaves_open(why)
    first: dict[int, tuple[Document, str]] = {}
    for paper, n, digest in told:
        other, before = first.setdefault(n, (paper, digest))
        if before != digest:
            what = say("line {n} of the log of {name}", n=n, name=name)
            yield asks(differ(what, other, paper))


def _heads(
    its: ContestPapers,
    label: str,
    papers: Sequence[Document],
    told: Sequence[tuple[Document, int, str]],
    texts: Sequence[str],
) -> Iterator[AuditFinding]:
    """Compare every head and every line that was told, and every other log, with the lines. What
    was told of a line that a restore has undone is of no line any more."""
    name, lines = its.name, its.lines
    heads = dict(enumerate(contest_log.heads(name, texts, label), start=1))
    undone = min((one.n for one in lines if isinstance(one, RestoredLine)), default=len(lines) + 1)
    of_logs = (
        (other, n, digest == heads.get(n))
        for other, older in _all_lines(name, papers)
        for n, digest in enumerate(contest_log.heads(name, older, label), start=1)
    )
    single = (
        (paper, n, texts[n - 1 : n] == (line,))
        for paper in papers
        for one in _of(paper, name)
        for n, line in one.single
    )
    of_heads = ((paper, n, heads.get(n) == digest) for paper, n, digest in told)
    is_closed = label == contest_log.LABEL and isinstance(lines[-1], ClosedLine)
    for other, n, is_right in (*of_heads, *of_logs, *single):
        if is_right or (n not in heads and not is_closed and n < undone):
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
            yield contradicts(differ(what, other, its.paper))
