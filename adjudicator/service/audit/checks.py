"""Compare all that the papers of a match promise each other.

Each check yields what does not agree, with the two papers that disagree. What is not among the
papers is missing, and that is no disagreement; what is not opened yet cannot be checked.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core import chain
from adjudicator.core.message import Message, Words, count, say, tell
from adjudicator.service.audit import (
    contest,
    emailed,
    public_chance,
    receipts,
    replay,
    restores,
    sequence,
    shown,
    told_times,
    versions,
)
from adjudicator.service.audit.inputs import THINKING, Thinking
from adjudicator.service.audit.log import BY_DEFAULT, ParsedLog, ReplayedMatch, read_log
from adjudicator.service.audit.papers import (
    KEY,
    SEED,
    Document,
    Unused,
    all_promises,
    by_key,
    differ,
    disagreements,
    first_names,
)
from adjudicator.service.audit.replay import ReplayResult
from adjudicator.service.audit.verdicts import (
    AuditFinding,
    AuditVerdict,
    asks,
    contradicting,
    lacks,
    remark,
)
from adjudicator.service.audit.versions import ASKING, OtherVersions


class Audit(Struct, frozen=True):
    """Hold what was found in the papers of one match, tournament or ladder.

    `wrong` is what contradicts, and `asks` what only the player knows. `uncompared` is what could
    not be compared, with the reason. `renumbered` says that a restore gave the match another public
    number.
    """

    match: str
    checked: Sequence[Message]
    wrong: Sequence[Message]
    asks: Sequence[Message]
    uncompared: Sequence[Message]
    missing: Sequence[Message]
    notes: Sequence[Message]
    restored: Sequence[Message] = ()
    renumbered: bool = False

    @property
    def exit_code(self) -> int:
        """Return 1 if something contradicts, 3 if only something is asked, else 0."""
        return 1 if self.wrong else 3 if self.asks else 0


def _audit_of(
    match: str, checked: Sequence[Message], findings: Iterable[AuditFinding], off: Container[str]
) -> Audit:
    """Return what rules that are not `off` have found, and what no rule judges: each sentence
    once."""
    told: dict[AuditVerdict, dict[str, Message]] = {one: {} for one in AuditVerdict}
    for one in findings:
        if not one.judged_by or one.judged_by not in off:
            told[one.verdict][tell(one.with_rule)] = one.with_rule
    wrong, asked, uncompared, missing, notes = ([*told[one].values()] for one in AuditVerdict)
    return Audit(match, checked, wrong, asked, uncompared, missing, notes)


def audit(
    papers: Iterable[Document],
    thinking: Thinking = THINKING,
    others: OtherVersions = ASKING,
    off: Container[str] = (),
) -> list[Audit]:
    """Return what was found, match by match. `thinking` says whether the orders of computers are
    computed again, which takes long, and `others` what becomes of emails of other versions.
    Rules that are `off` judge nothing."""
    papers = [*papers]
    found = by_key(
        (paper.match, paper) for paper in papers if not (paper.contests or paper.is_personal)
    )
    of_contests = by_key(
        ((told.name, told.label), paper) for paper in papers for told in paper.contests
    )
    done = {
        match: _audit(match, found[match], papers, thinking, others, off) for match in sorted(found)
    }
    played = {match: again for match, (_, again) in done.items() if again is not None}
    contests = [
        _of_contest(*whose, of_contests[whose], found, played, off) for whose in sorted(of_contests)
    ]
    matches = [audited for audited, _ in done.values()]
    return [*matches, *contests, *_personal([one for one in papers if one.is_personal], off)]


def _personal(papers: Sequence[Document], off: Container[str]) -> Iterator[Audit]:
    """Yield what was found of the emails to no seat, if that is anything."""
    read = count("{n} document was read", "{n} documents were read", len(papers))
    found = _audit_of("adjud", [read], emailed.personal(papers), off)
    if found.wrong or found.asks or found.missing or found.notes:
        yield found


def _of_contest(
    name: str,
    label: str,
    papers: Sequence[Document],
    found: Mapping[str, Sequence[Document]],
    played: Mapping[str, ReplayedMatch],
    off: Container[str],
) -> Audit:
    """Return what was found of a tournament or a ladder."""
    its = [*{id(one): one for one in papers}.values()]
    compared = contest.compare(name, label, its, found, played)
    checked = [
        count("{n} document was read", "{n} documents were read", len(its)),
        count("{n} log fingerprint", "{n} log fingerprints", compared.heads),
    ]
    if compared.lines:
        checked.append(contest.KINDS[label].computed(compared.lines))
    return _audit_of(name, checked, compared.findings, off)


def _audit(
    match: str,
    every: Sequence[Document],
    of_club: Sequence[Document],
    thinking: Thinking,
    others: OtherVersions,
    off: Container[str],
) -> tuple[Audit, ReplayedMatch | None]:
    """Audit the papers of a match; those `of_club` are of all matches of the reader's."""
    labels = {label for paper in every for label in paper.labels}
    if labels and labels.isdisjoint(chain.LABELS):
        number_read = count("{n} document was read", "{n} documents were read", len(every))
        return _audit_of(match, [number_read], [asks(chain.OLDER)], off), None
    parted = restores.divide(every)
    papers = parted.counting
    log, spoiled = read_log(match, papers)
    numbers = [*public_chance.several(every, log)]
    again, played, reports_before = None, None, None
    if log is not None:
        of_seat = public_chance.of_seat_drawn(papers, log)
        again = replay.replay(match, of_seat, log, thinking)
        played = again.played
        if played is not None:
            reports_before = shown.RemadeReports(played, of_seat).reports_before
    checked = [*_compared(every, papers)]
    findings = [
        *_notes(papers, log),
        *contradicting("O6", spoiled),
        *contradicting("O6", _committed(parted, every, log)),
        *contradicting("O2", receipts.compare_receipts(every)),
        *numbers,
        *public_chance.compare(match, papers, log),
        *emailed.findings(every, log, parted.restores, reports_before),
        *emailed.compare_pictures(every),
        *versions.emails(every, others),
    ]
    if log is not None and again is not None:
        papers = of_seat
        if played is not None:
            findings += told_times.compare_tables(played, of_club)
        findings += [
            *versions.judge_named(log),
            *sequence.findings(log, of_club),
            *contradicting("O6", restores.promised_heads(papers, log)),
            *contradicting("O6", restores.wrong_backups(log)),
            *contradicting("O2", receipts.compare_with_log(papers, log)),
            *contradicting("O2", receipts.compare_undone(parted.all_undone, log)),
            *map(lacks, receipts.missing(papers, log)),
            *again.findings,
        ]
        if played is not None:
            findings += public_chance.compare_lots(papers, played)
            findings += public_chance.compare_numbers(match, parted.counting, of_club, log)
        checked += _replayed(papers, log, again)
    found = replace(
        _audit_of(match, checked, findings, off),
        restored=[*restores.summary_of_restores(parted)],
        renumbered=any(one.verdict is AuditVerdict.ASKS for one in numbers),
    )
    return found, played


def _compared(every: Sequence[Document], papers: Sequence[Document]) -> Iterator[Message]:
    """Yield what was compared, whether or not a log is opened."""
    told = {paper.head for paper in papers if paper.head}
    told |= {head for paper in papers for head in paper.listed}
    confirmed = {one for p in papers for one in p.receipts}
    yield count("{n} document was read", "{n} documents were read", len(every))
    yield count("{n} proof", "{n} proofs", len(all_promises(papers)))
    yield count("{n} log fingerprint", "{n} log fingerprints", len(told))
    yield count("{n} confirmation", "{n} confirmations", len(confirmed))
    if whole := emailed.number_compared(every):
        yield count("{n} email, all that it says", "{n} emails, all that they say", whole)


def _replayed(papers: Sequence[Document], log: ParsedLog, again: ReplayResult) -> Iterator[Message]:
    """Yield what was compared in an opened log."""
    if again.played is None:
        yield say("the log of {n} plies", n=len(log.entries))
        return
    yield say("the log of {n} plies, replayed by the rules", n=len(log.entries))
    given = [one for ply in again.played.plies for one in ply.entry.orders]
    yield count(
        "{n} order sheet, judged by the rules",
        "{n} order sheets, judged by the rules",
        sum(1 for one in given if one.by != BY_DEFAULT),
    )
    if remade := len([*shown.comparable(papers, log)]):
        yield count("{n} form of a report, made again", "{n} forms of reports, made again", remade)
    if again.computed:
        yield count(
            "{n} order sheet of a computer, computed again",
            "{n} order sheets of computers, computed again",
            again.computed,
        )


def _committed(
    parted: restores.Divided, every: Sequence[Document], log: ParsedLog | None
) -> Iterator[Message]:
    """Compare what was committed to: seeds, proofs, heads, and that restores are in the log."""
    # No restore changes the commitments to the seed.
    promised = ((paper, one) for paper in every for one in paper.promises if one.title == SEED)
    yield from disagreements((SEED, one.digest, paper) for paper, one in promised)
    for undone in parted.undone.values():
        yield from _promises(undone)
        yield from restores.heads_of(undone, None)
    yield from _promises(parted.counting)
    yield from restores.heads_of(parted.counting, log)
    yield from restores.heads_of(parted.of_plies_that_count, log)
    yield from restores.unlogged_restores(parted, log is not None)


def _promises(papers: Sequence[Document]) -> Iterator[Message]:
    """Compare each commitment with the same of other papers, and with what was opened for it."""
    every = [(paper, one) for paper in papers for one in paper.promises]
    yield from disagreements((one.title, one.digest, paper) for paper, one in every)
    first = all_promises(papers)
    for paper, one in every:
        told_by, told = first[one.title]
        if one.opened is not None and sha256(one.opened).hexdigest() != told.digest:
            what = say("{title}: what was revealed has another fingerprint", title=one.title)
            yield differ(what, told_by, paper)


def _notes(papers: Sequence[Document], log: ParsedLog | None) -> Iterator[AuditFinding]:
    if not any(paper.head for paper in papers):
        yield remark(
            "no log fingerprint: the match began before logs were chained, or there is no "
            "report here"
        )
    elif log is None:
        yield remark("not revealed here: the full log. The last report has it")
    else:
        for before, entry in pairwise(log.entries):
            if entry.at < before.at:
                yield remark("the club's clock was set back before ply {ply}", ply=entry.ply)
    opened = {one.title for paper in papers for one in paper.promises if one.opened is not None}
    if closed := len({*all_promises(papers)} - opened - {KEY}):
        told = count("not revealed here: {n} secret", "not revealed here: {n} secrets", closed)
        yield remark(told)


def not_used(unused: Iterable[Unused]) -> Iterator[str]:
    """Yield a line for each reason why something could not be used, with the first names."""
    for why, those in by_key((tell(one.why), one.name) for one in unused).items():
        told = count(
            "{n} email or file was not used ({why}): {names}",
            "{n} emails or files were not used ({why}): {names}",
            len(those),
            why=why,
            names=first_names(those),
        )
        yield tell(told)


def summary(found: Audit, tell: Words = tell) -> Iterator[str]:
    """Yield the lines that are printed of a match: the verdict, what was compared, what contradicts
    or is asked, what could not be compared, and where it stands what nobody can find."""
    told = _verdict(found)
    if found.renumbered:
        told = say("{verdict}; after a restore another public number decided", verdict=told)
    yield tell(told)
    for message in found.restored:
        yield f"  {tell(message)}"
    yield "  " + tell(say("checked: {what}", what=", ".join(map(tell, found.checked))))
    for message in (*found.wrong, *found.asks, *found.missing, *found.notes):
        yield f"  {tell(message)}"
    for message in found.uncompared:
        yield "  " + tell(say("not compared: {what}", what=message))
    if not found.wrong:
        yield "  " + tell(
            say(
                "what nobody can detect: hidden things that the operator saw, orders in another's "
                "name, emails without a confirmation (docs/checking.md has the whole table)"
            )
        )


def _verdict(found: Audit) -> Message:
    match = found.match
    if found.wrong:
        return count(
            "{match}: {n} disagreement", "{match}: {n} disagreements", len(found.wrong), match=match
        )
    if found.asks:
        return count(
            "{match}: nothing contradicts, and {n} question for you",
            "{match}: nothing contradicts, and {n} questions for you",
            len(found.asks),
            match=match,
        )
    return say("{match}: everything that can be compared agrees", match=match)
