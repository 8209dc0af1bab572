"""Say what reports show otherwise than the log, what they leave out, and which of them another
version of adjud has to make again (`service/audit/remade.py` says how that is done)."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET

from adjudicator import __version__
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.core.report import MadeWith, Span
from adjudicator.releases import is_later
from adjudicator.service.audit.log import ParsedLog, ReplayedMatch, last_ordered_ply
from adjudicator.service.audit.papers import Document, ToldReport
from adjudicator.service.audit.remade import RemadeReports
from adjudicator.service.audit.verdicts import AuditFinding, asks, by_rule, contradicts


def findings(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield what the reports show otherwise than the log, what of them cannot be made again here,
    and what they leave out."""
    yield from by_rule("version", _versions(papers, log))
    match = RemadeReports(played, papers, log)
    yield from by_rule("O4", _differing(match, papers, log))
    yield from by_rule("O5", _skipped(match, papers, log))
    yield from by_rule("O5", _never_told(match, papers, log))


def _differing(
    match: RemadeReports, papers: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Compare reports, and the news that are told alone, with what follows from the log."""
    alone = [(paper, told) for paper in papers for told in paper.answered if told.alone]
    for paper, told in (*comparable(papers, log), *alone):
        if (found := match.difference(told)) is not None:
            yield contradicts(
                say(
                    "{paper}: under '{section}' it says '{shown}'; by the log ({log}) it must say "
                    "'{known}'",
                    paper=paper.name,
                    section=found.place,
                    shown=found.shown,
                    log=log.paper.name,
                    known=found.known,
                )
            )


def comparable(papers: Sequence[Document], log: ParsedLog) -> Iterator[tuple[Document, ToldReport]]:
    """Yield the reports among the papers that can be made again here: those that this version of
    adjud has made, of the plies that the log has. Of another the fingerprint says so."""
    for paper in papers:
        for told in (*([paper.report] if paper.report else ()), *paper.answered):
            is_mine = told.made and _versions_of(told.made) == {__version__}
            if is_mine and 0 <= told.ply < len(log.heads):
                yield paper, told


def _versions_of(made: MadeWith) -> set[str]:
    return {made.adjud} if made.stored is UNSET else {made.adjud, made.stored}


def _versions(papers: Sequence[Document], log: ParsedLog) -> Iterator[AuditFinding]:
    """Say which reports another version of adjud has made: only that can make them again. It must
    be one that the log names, or any lie could call itself one of another version. No line
    names a later one to which the club has changed since the last ply."""
    lines = [log.opening.version, *(one.version for one in log.entries)]
    known, named = [version for version in lines if version], set[str]()
    for paper in papers:
        if paper.report is None:
            continue
        made = paper.report.made
        if made is None and paper.head is not None:
            told = say("{paper}: it does not say what it was made with", paper=paper.name)
            yield contradicts(told)
        for version in sorted(_versions_of(made) if made else ()):
            if version not in known and not is_later(version, known[-1] if known else ""):
                told = say(
                    "{paper} says that adjud {version} made it, but the log names {known}",
                    paper=paper.name,
                    version=shown(version),
                    known=", ".join(sorted({*known})),
                )
                yield contradicts(told)
            elif version != __version__ and version not in named:
                named.add(version)
                told = say(
                    "{paper} was made by adjud {version}, and others may have been, too. This is "
                    "adjud {own}: run `adjud audit` of that version on them",
                    paper=paper.name,
                    version=version,
                    own=__version__,
                )
                yield asks(told)


def _skipped(
    match: RemadeReports, papers: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield the plies of whose news no report tells, though the reports before and after them are
    here; and the reports whose news begin after the last orders of their seat."""
    reports: dict[tuple[str, Any], list[tuple[Document, int, list[Span]]]] = {}
    for paper, told in comparable(papers, log):
        made = told.made
        # An email of what is told once tells of no plies but those in which there was some.
        if made and not told.once and made.again is not True:
            spans: list[Span] = [*(made.once or ()), *([made.news] if made.news else [])]
            reports.setdefault((told.seat, made.tenure), []).append((paper, told.ply, spans))
    for (name, _), those in reports.items():
        seat = Seat(name)
        those.sort(key=lambda one: one[1])
        until: int | None = None
        for paper, ply, spans in those:
            first = min((since for since, _ in spans), default=ply + 1)
            if match.retells(seat, ply):
                ordered = last_ordered_ply(log, seat, ply)
                if first > ordered:
                    yield contradicts(_begins_late(paper, first, ordered))
            elif until is not None and first > until + 1:
                yield asks(_gap(paper, until + 1, first - 1))
            until = max(until or 0, *(end for _, end in spans), 0)


def _never_told(
    match: RemadeReports, papers: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Ask for the emails that tell once only what their reader saw in a ply: reports of before and
    after it show that he held the seat, and none tells it."""
    tenures: dict[tuple[str, Any], list[ToldReport]] = {}
    for _, told in comparable(papers, log):
        if told.made:
            tenures.setdefault((told.seat, told.made.tenure), []).append(told)
    for (name, _), those in tenures.items():
        spans = [span for one in those if one.made for span in one.made.once or ()]
        forms = [one for one in those if not one.in_words]
        plies = [one.ply for one in those]
        for ply in range(min(plies) + 1, max(plies) + 1) if forms else ():
            is_told = any(since <= ply <= until for since, until in spans)
            if not is_told and match.is_forgotten(forms[0], ply):
                yield asks(
                    say(
                        "what {seat} saw in ply {ply} comes once only, in an email of its own, "
                        "and that is not among your files. Did you get it?",
                        seat=match.game.seat_titles[Seat(name)],
                        ply=ply,
                    )
                )


def _begins_late(paper: Document, first: int, ordered: int) -> Message:
    return say(
        "{paper}: its news begin with ply {first}, and they must begin with that of the last "
        "orders, ply {ordered}",
        paper=paper.name,
        first=first,
        ordered=ordered,
    )


def _gap(paper: Document, first: int, last: int) -> Message:
    return say(
        "{paper}: no report here tells what happened in the plies from {first} to {last}. Did you "
        "get one?",
        paper=paper.name,
        first=first,
        last=last,
    )
