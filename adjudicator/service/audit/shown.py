"""Say what reports show otherwise than the log, what they leave out, and which of them another
version of adjud has to make again (`service/audit/remade.py` says how that is done)."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET, Struct

from adjudicator import __version__
from adjudicator.core import chain
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.service.audit.differences import Difference
from adjudicator.service.audit.papers import Document, differ
from adjudicator.service.audit.prints import PrintedReport
from adjudicator.service.audit.receipts import ParsedLog
from adjudicator.service.audit.remade import RemadeReports
from adjudicator.service.audit.replayed import ReplayedMatch
from adjudicator.service.audit.verdicts import AuditFinding, asks, contradicts


class ShownAgain(Struct, frozen=True):
    """What was found in a report that was made again: nothing if it came out alike."""

    paper: Document
    printed: PrintedReport
    difference: Difference | None


def findings(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield what the reports show otherwise than the log, what of them cannot be made again here,
    and what they leave out."""
    yield from _versions(papers, log)
    for found in compare_shown(played, papers, log):
        if found.difference is not None:
            yield contradicts(_differs(found, found.difference, log))
    match = RemadeReports(played, papers, log)
    yield from _skipped(match, papers, log)
    yield from _opened(match, papers)


def compare_shown(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[ShownAgain]:
    """Make again each report among the papers that this version of adjud has made."""
    match = RemadeReports(played, papers, log)
    for paper, printed in comparable(papers, log):
        yield ShownAgain(paper, printed, match.difference(paper, printed))


def comparable(
    papers: Sequence[Document], log: ParsedLog
) -> Iterator[tuple[Document, PrintedReport]]:
    """Yield the reports among the papers, in all their forms, that can be made again here."""
    for paper in papers:
        for printed in paper.prints:
            if _versions_of(printed) == {__version__} and _is_in(log, printed):
                yield paper, printed


def _is_in(log: ParsedLog, printed: PrintedReport) -> bool:
    """Return whether the log has the ply of a report; if not, its fingerprint says so."""
    return 0 <= printed.ply < len(log.heads)


def _versions_of(printed: PrintedReport) -> set[str]:
    made = printed.made
    return {made.adjud} if made.stored is UNSET else {made.adjud, made.stored}


def _differs(found: ShownAgain, difference: Difference, log: ParsedLog) -> Message:
    return say(
        "{paper}: under '{section}' it says '{shown}'; by the log ({log}) it must say '{known}'",
        paper=found.paper.name,
        section=difference.section,
        shown=difference.shown,
        log=log.paper.name,
        known=difference.known,
    )


def _versions(papers: Sequence[Document], log: ParsedLog) -> Iterator[AuditFinding]:
    """Say which reports another version of adjud has made: only that can make them again. It must
    be one that the log names, or any lie could call itself one of another version."""
    lines = [log.opening.version, *(one.version for one in log.entries)]
    known, named = {version for version in lines if version}, set[str]()
    for paper in papers:
        if paper.head is not None and not paper.prints:
            told = say(
                "{paper}: the line for adjud audit is missing below its log fingerprint",
                paper=paper.name,
            )
            yield contradicts(told)
        for version in sorted({one for each in paper.prints for one in _versions_of(each)}):
            if version not in known:
                told = say(
                    "{paper} says that adjud {version} made it, but the log names {known}",
                    paper=paper.name,
                    version=shown(version),
                    known=", ".join(sorted(known)),
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
    reports: dict[tuple[str, Any], list[tuple[Document, PrintedReport]]] = {}
    for paper in papers:
        for printed in paper.prints:
            seat = match.seat(paper, printed)
            # An email of what is told once tells of no plies but those in which there was some.
            is_report = printed.form != "aside" and printed.made.again is not True
            if seat is not None and is_report and _is_in(log, printed):
                key = (seat, printed.made.tenure)
                reports.setdefault(key, []).append((paper, printed))
    for (name, _), told in reports.items():
        seat = Seat(name)
        told.sort(key=lambda one: one[1].ply)
        until: int | None = None
        for paper, printed in told:
            spans = [
                *(printed.made.once or ()),
                *([printed.made.news] if printed.made.news else []),
            ]
            first = min((since for since, _ in spans), default=printed.ply + 1)
            if match.retells(seat, printed.ply):
                ordered = match.ordered(seat, printed.ply)
                if first > ordered:
                    yield contradicts(_begins_late(paper, first, ordered))
            elif until is not None and first > until + 1:
                yield asks(_gap(paper, until + 1, first - 1))
            until = max(until or 0, *(end for _, end in spans), 0)


def _opened(match: RemadeReports, papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Compare the orders that a last report opens with the digests that their confirmations
    told."""
    told = [(paper, receipt) for paper in papers for receipt in (*paper.receipts, *paper.kept)]
    for paper in papers:
        for printed in paper.prints:
            seat = match.seat(paper, printed) if printed.own else None
            for sheet in printed.own.sheets if printed.own and seat else ():
                key = (seat, sheet.turn, sheet.revision, sheet.kept)
                for other, one in told:
                    if (one.seat, one.turn, one.revision, one.kept) == key and one.digest not in (
                        one.digest_of(sheet.lines),
                        one.digest_of(chain.WITHDRAWN),
                    ):
                        what = say(
                            "the orders shown for {seat}, turn {turn}, version {revision}",
                            seat=one.seat,
                            turn=one.turn,
                            revision=one.revision,
                        )
                        yield contradicts(differ(what, other, paper))


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
