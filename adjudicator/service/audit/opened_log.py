"""The log that a last report opened, its heads, and what was promised before it."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from adjudicator.core import chain
from adjudicator.core.chain import Entry
from adjudicator.core.message import Message, say
from adjudicator.service.audit.papers import SEED, Paper, all_promises, differ


class Log(Struct, frozen=True):
    """An opened log: the paper that opened it, its heads, and its entries from ply 1 on."""

    paper: Paper
    lines: Sequence[str]
    heads: Sequence[str]
    entries: Sequence[Entry]


def read(match: str, papers: Sequence[Paper]) -> tuple[Log | None, list[Message]]:
    """Return the opened log, if there is one that can be read."""
    opened = [(paper, paper.log) for paper in papers if paper.log is not None]
    if not opened:
        return None, []
    paper, first = opened[0]
    wrong = [differ(say("the opened log"), paper, other) for other, log in opened if log != first]
    try:
        entries = [chain.read(line) for line in first.lines[1:]]
    except ValueError:
        return None, [*wrong, say("{paper}: the opened log cannot be read", paper=paper.name)]
    if [one.ply for one in entries] != list(range(1, len(entries) + 1)):
        wrong.append(say("{paper}: a ply is missing in the opened log", paper=paper.name))
    heads = list(chain.heads(match, bytes.fromhex(first.key), first.lines))
    return Log(paper, first.lines, heads, entries), wrong


def heads(papers: Sequence[Paper], log: Log | None) -> Iterator[Message]:
    """Compare the heads of the same ply, and all of them with the opened log."""
    first: dict[int, tuple[Paper, str]] = {}
    for paper in papers:
        if paper.head is None:
            continue
        ply, head = paper.head
        told_by, told = first.setdefault(ply, (paper, head))
        if told != head:
            yield differ(say("the head of the log, ply {ply}", ply=ply), told_by, paper)
    if log is None:
        return
    for ply in sorted(first):
        paper, head = first[ply]
        if ply >= len(log.heads) or log.heads[ply] != head:
            what = say("the log up to ply {ply} is not the one whose head was told", ply=ply)
            yield differ(what, paper, log.paper)
            return


def first_head(match: str, papers: Sequence[Paper]) -> Iterator[Message]:
    """Compare the first head with the commitments beside it."""
    for paper in papers:
        if paper.report is not None and paper.head is not None and paper.head[0] == 0:
            made = [
                (one["what"], one["seat"], one["digest"]) for one in paper.report["commitments"]
            ]
            if chain.first_head(match, chain.promises(made)) != paper.head[1]:
                yield say("{paper}: the first head is not over its commitments", paper=paper.name)


def promised(papers: Sequence[Paper], log: Log) -> Iterator[Message]:
    """Compare the commitments with the log's first line, which repeats the first of them."""
    told = {one.digest: paper for paper in papers for one in paper.promises}
    for part in log.lines[0].split(","):
        what, _, digest = part.partition("=")
        if what == "seed" and digest not in told:
            for title, (paper, _) in all_promises(papers).items():
                if title == SEED:
                    yield differ(say("the commitment to the seed"), paper, log.paper)
