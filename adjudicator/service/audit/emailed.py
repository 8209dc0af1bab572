"""Read emails, files and pages that have the value of an email: what they say is taken from that
alone, and how they look is compared with what it gives.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import TypeAlias

from msgspec import MsgspecError, Struct
from msgspec.json import decode

from adjudicator import __version__
from adjudicator.core import chain
from adjudicator.core.message import Message, count, say
from adjudicator.mail.read.html_shown import ShownHtml
from adjudicator.mail.read.html_text import is_heavy
from adjudicator.mail.read.whole import WholeEmail
from adjudicator.mail.write.compose import png
from adjudicator.reports.render import render
from adjudicator.service.audit.log import ParsedLog
from adjudicator.service.audit.looks import Result
from adjudicator.service.audit.papers import (
    Document,
    Restore,
    UnreadValue,
    ValuePaper,
    by_key,
    differ,
    first_names,
    message_for_orders,
    read_values,
    within,
)
from adjudicator.service.audit.same import (
    TIMES,
    Came,
    Compared,
    compare,
    compare_present,
    foreign_hosts,
    looks_back,
    short,
)
from adjudicator.service.audit.verdicts import (
    AuditFinding,
    asks,
    by_rule,
    contradicts,
    leaves_open,
    remark,
)
from adjudicator.service.emails import value as values
from adjudicator.service.emails.paragraphs import Receipt
from adjudicator.service.emails.value import EmailValue, UnreadableValue, each_of
from adjudicator.service.emails.write import Forms, looking_back, write

ValuedPaper: TypeAlias = tuple[Document, EmailValue]
# On which reports the page of an email looks back, by the log, given what other emails there are.
ReportsBefore: TypeAlias = Callable[[EmailValue, Sequence[EmailValue]], Iterable[EmailValue]]
_BEGINS = (b'{"acts":', b'{"adjud":')  # a value of ours; one of 0.3.0 begins with its version
VALUED_SINCE = (0, 3, 0)  # the version from which on all emails of a match have a value
_LEAST, _SHARE = 5, 0.75  # emails, and how many of all, that have the same frame if it is harmless


def is_value(raw: bytes) -> bool:
    """Return whether octets are, or begin as, the value of an email."""
    text = raw.lstrip()
    if f'"label":"{values.LABEL}"'.encode() not in text:
        return False
    return text.startswith(_BEGINS) or values.is_labelled(text)


def of_email(whole: WholeEmail) -> ValuePaper | UnreadValue | None:
    """Return the value of an email with how it came; why it cannot be read, or None without one."""
    found = [raw for raw in whole.values if is_value(raw)]
    if not found:
        return None
    others = (*whole.others, *("application/json" for _ in whole.values[1:]))
    return _read(found[0], Came(whole.subject, whole.text, whole.html, whole.page, others))


def of_json(raw: bytes) -> ValuePaper | UnreadValue:
    """Return the value that a file is."""
    return _read(raw, None)


def match_in(raw: bytes) -> str:
    """Return the match that the value of an email is of, whatever version wrote it; empty if it
    does not say so."""
    try:
        match = decode(raw)["to"]["match"]
    except (MsgspecError, UnicodeDecodeError, RecursionError, LookupError, TypeError):
        return ""
    return match if isinstance(match, str) else ""


def of_page(html: str) -> ValuePaper | UnreadValue | None:
    """Return the value that a page has, if there is one, with the page as it came."""
    if f'"label":"{values.LABEL}"' not in html or is_heavy(html, TIMES):
        return None
    told = [text.encode() for text in ShownHtml(html).values.values()]
    found = [text for text in told if is_value(text)]
    return _read(found[0], Came(None, None, None, html)) if found else None


def _read(raw: bytes, came: Came | None) -> ValuePaper | UnreadValue:
    text = raw.replace(b"\r\n", b"\n").strip() + b"\n"
    try:
        return ValuePaper(values.read(text), came)
    except UnreadableValue as trouble:
        said = text.decode(errors="replace")
        return UnreadValue(trouble.why, trouble.false, trouble.version, said, came)


class EmailLook(Struct, frozen=True):
    """What was found of an email that came whole. What its page tells of `earlier` turns could not
    be made again from the emails that are here."""

    found: Sequence[Compared] = ()
    hosts: Sequence[str] = ()
    earlier: bool = False
    trouble: str | None = None  # why nothing can be written from its value


def findings(
    papers: Sequence[Document],
    log: ParsedLog | None,
    restores: Sequence[Restore] = (),
    reports_before: ReportsBefore | None = None,
) -> Iterator[AuditFinding]:
    """Compare each email that has its value with what that gives, and the numbers of the emails;
    `restores` are those of the log."""
    valued = read_values(papers)
    looks = _looks(valued, reports_before)
    for paper, value in valued:
        yield from _confirmed(paper, value)
    yield from _compared(looks, _LEAST)
    if backs := [paper.name for paper, look in looks if look.earlier]:
        yield leaves_open(
            "what the page tells of earlier turns, which the emails that are here and the log do "
            "not tell so: {names}",
            names=first_names(backs),
        )
    every = [one for _, look in looks for one in look.found]
    for form, n in Counter(one.form for one in every if one.result is Result.ABSENT).items():
        yield remark(
            count(
                "same/absent: {n} email has lost its {form}",
                "same/absent: {n} emails have lost their {form}",
                n,
                form=form,
            )
        )
    if led := sorted({host for _, look in looks for host in look.hosts}):
        yield remark("links of your emails lead through {hosts}", hosts=", ".join(led))
    yield from numbers(valued)
    yield from unknown_epochs(papers, valued, restores)
    yield from _without_values(papers, log)


def _compared(looks: Sequence[tuple[Document, EmailLook]], least: int) -> Iterator[AuditFinding]:
    """Yield what emails say otherwise than their values. Words that frame that many, and most of
    all, are put there by a server."""
    for paper, look in looks:
        if look.trouble is not None:
            yield _unwritten(paper, look.trouble)
    n = sum(1 for paper, _ in looks if paper.value and paper.value.came)
    every = ((paper, one) for paper, look in looks for one in look.found)
    yield from look_findings(every, usual=max(least, _SHARE * n))


@by_rule("O2")
def _confirmed(paper: Document, told: EmailValue) -> Iterator[AuditFinding]:
    """Compare what each confirmation says that was stored with the digest that it tells of that."""
    for one in within(told, Receipt):
        if (one.stored or one.proof) and not _has_digest(one):
            what = message_for_orders(one.seat or "", one.turn or 0, one.revision or 0)
            yield contradicts(differ(what, paper, paper))


def _has_digest(one: Receipt) -> bool:
    """Return whether a confirmation tells the digest of what it says that was stored."""
    if one.proof is None:
        return one.revision is None and not one.orders
    label, lines = one.proof.hashed.partition("|")[0], one.orders
    sheet = (label, one.match or "", one.seat or "", one.turn or 0)
    heads = [chain.receipt_head(*sheet, one.revision or 0, kept=one.kept)]
    if one.withdrawn:
        lines = chain.WITHDRAWN
        heads = [chain.receipt_head(*sheet, one.withdrawn, kept=kept) for kept in (False, True)]
    right = chain.sheet_digest(one.proof.hashed, lines)
    return one.proof.hashed in heads and right == one.proof.digest


def _unwritten(paper: Document, why: Message | str) -> AuditFinding:
    return contradicts(
        "same/differs: {paper}: no email follows from its JSON: {why}", paper=paper.name, why=why
    )


def number_compared(papers: Sequence[Document]) -> int:
    """Return how many emails came whole and were compared with their values."""
    return sum(1 for paper in papers if paper.value and paper.value.came)


def _looks(
    valued: Sequence[ValuedPaper], reports_before: ReportsBefore | None = None
) -> list[tuple[Document, EmailLook]]:
    every = [one for _, other in valued for one in each_of(other) if one.report is not None]
    return [(paper, _looked(paper, told, every, reports_before)) for paper, told in valued]


def _looked(
    paper: Document,
    told: EmailValue,
    earlier: Sequence[EmailValue],
    reports_before: ReportsBefore | None,
) -> EmailLook:
    came = paper.value.came if paper.value else None
    if came is None:
        return EmailLook()
    try:
        if told.report is None:
            return look_at(came, write(told))
        look = look_at(came, write(told, looking_back(told, earlier)))
        if look.earlier and reports_before is not None:
            by_log = [*reports_before(told, earlier)]
            look = look_at(came, write(told, looking_back(told, by_log)))
    except Exception as trouble:  # whatever somebody may have made up
        return EmailLook(trouble=values.what_is_wrong(trouble))
    return look


def look_at(came: Came, ours: Forms) -> EmailLook:
    """Compare an email as it came with what its value gives. What its page tells of earlier turns
    depends on the emails that are here."""
    is_page_alone = came.subject is None
    found = [
        one
        for one in compare(came, ours)
        if one.result is not Result.SAME and not (is_page_alone and one.result is Result.ABSENT)
    ]
    of_page = [one for one in found if one.form == "page"]
    is_other = any(one.result is Result.DIFFERS for one in of_page)
    back = [looks_back(page) for page in (came.page, ours.page) if page]
    if not (is_other and came.page and ours.page and any(back)):
        return EmailLook(found, foreign_hosts(came, ours))
    present = compare_present(came.page, ours.page)
    if not all(back):  # which needs other styles and scripts
        present = [one for one in present if one.result is Result.DIFFERS]
    others = [one for one in found if one.form != "page"]
    return EmailLook([*others, *present], foreign_hosts(came, ours), earlier=True)


def look_findings(
    every: Iterable[tuple[Document, Compared]], usual: float = inf
) -> Iterator[AuditFinding]:
    """Say how emails differ from what their values give: once of those that differ in the same way.
    Frames of as many as are `usual` are no question."""
    alike = by_key((_kind_of(paper, one), (paper, one)) for paper, one in every)
    for (result, form, _, left_so), those in alike.items():
        if result is Result.DIFFERS:
            for paper, one in those:
                yield contradicts(
                    "same/differs: {paper}: its {form} says '{shown}'; by its own JSON it must say "
                    "'{known}'",
                    paper=paper.name,
                    form=form,
                    shown=short(one.shown),
                    known=short(one.known),
                )
        elif result is not Result.ABSENT:
            papers, shown = [paper.name for paper, _ in those], short(those[0][1].shown)
            named = {"paper": first_names(papers), "form": form, "shown": shown}
            told = _different(result, len(those), named)
            if left_so:
                told = say(
                    "{told}. It left the club's server like this: the club's signature has its "
                    "hash",
                    told=told,
                )
            is_usual = result is Result.FRAMED and len(those) >= usual
            yield remark(told) if is_usual else asks(told)


def _different(result: Result, n: int, named: Mapping[str, str]) -> Message:
    if result is Result.FRAMED:
        return count(
            "same/framed: {paper}: its {form} has '{shown}', which is not from adjud: your mail "
            "server put it there, or a list, or the club",
            "same/framed: {paper}: their {form} has '{shown}', which is not from adjud: your mail "
            "server put it there, or a list, or the club",
            n,
            **named,
        )
    if result is Result.RESPACED:
        return count(
            "same/respaced: {paper}: blanks or lines of its {form} are not as adjud wrote them, at "
            "'{shown}': look at the HTML or the page",
            "same/respaced: {paper}: blanks or lines of their {form} are not as adjud wrote them, "
            "in the first at '{shown}': look at the HTML or the pages",
            n,
            **named,
        )
    return count(
        "same/restyled: {paper}: its {form} may look different from what it says, by '{shown}': "
        "read the text",
        "same/restyled: {paper}: their {form} may look different from what it says, by '{shown}': "
        "read the texts",
        n,
        **named,
    )


def _kind_of(paper: Document, one: Compared) -> tuple[Result, str, str, bool]:
    """Return in what way an email differs. Blanks of each differ at other words, and digits of what
    was added may be a date. The last tells that the club's signature has the hash of the email."""
    left_so = bool(paper.heads and paper.heads.left_so)
    if one.result is Result.RESPACED:
        return one.result, one.form, "", False
    framed = "".join(sign for sign in one.shown if not sign.isdigit())
    shown = framed if one.result is Result.FRAMED else one.shown
    return one.result, one.form, shown, left_so


_Numbered: TypeAlias = tuple[Document, EmailValue, str]  # with its fingerprint


def _numbered(valued: Iterable[ValuedPaper]) -> Iterator[_Numbered]:
    """Yield the values to a seat, and the parts of daily ones to seats of a match, that have a
    number, each with its fingerprint."""
    for paper, told in valued:
        for one in each_of(told):
            if one.n is not None and one.to.match == paper.match:
                yield paper, one, values.digest_of(one)


def numbers(valued: Iterable[ValuedPaper]) -> Iterator[AuditFinding]:
    """Compare the numbers of emails to one tenure, and the fingerprints that they tell of the
    ones before them."""
    for paper, told in valued:
        is_email = paper.value is not None and paper.value.came is not None  # not a printed report
        if is_email and any(one.n is None and one.to.match == paper.match for one in each_of(told)):
            yield contradicts("n/before: {paper} has no number", paper=paper.name)
    tenures = by_key(((one[1].to.seat, one[1].to.tenure), one) for one in _numbered(valued))
    for (seat, _), those in sorted(tenures.items()):
        yield from _in_order(those)
        if gone := _missing(those):
            yield remark(
                "n/missing: of the emails to {seat} these are not among your files: {numbers}",
                seat=seat,
                numbers=gone,
            )


def _in_order(those: Sequence[_Numbered]) -> Iterator[AuditFinding]:
    """Compare the emails to one reader with those of the same numbers and of the numbers before."""
    named = {(one.to.epoch, one.n or 0): (paper, digest) for paper, one, digest in those}
    for paper, one, digest in those:
        other, right = named[one.to.epoch, one.n or 0]
        if right != digest:
            yield contradicts(
                "n/twice: {one} and {other} are two emails with the number {n}",
                one=paper.name,
                other=other.name,
                n=one.n or 0,
            )
        last = _before(one)
        earlier = named.get((one.to.epoch, last))
        if earlier is not None and one.before != earlier[1]:
            yield contradicts(
                "n/before: {paper} has another fingerprint of email {n} than that has: {other}",
                paper=paper.name,
                n=last,
                other=earlier[0].name,
            )


def _before(one: EmailValue) -> int:
    """Return the number of the email of which another one has the fingerprint; 0 if there is
    none."""
    skipped = {*one.skipped}
    return next((n for n in range((one.n or 0) - 1, 0, -1) if n not in skipped), 0)


def _missing(those: Sequence[_Numbered]) -> str:
    """Return the numbers of the emails that are not here."""
    known = {n for _, one, _ in those for n in (one.n or 0, *one.skipped)}
    return ", ".join(str(n) for n in range(1, max(known) + 1) if n not in known)


def personal(papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Compare the emails to no seat with what their values give, and their numbers: those to one
    player are counted, daily ones included."""
    valued = read_values(papers)
    # Where there are few, all may have the same frame.
    yield from _compared(_looks(valued), min(number_compared(papers), _LEAST))
    players = by_key(
        (told.to.player, (paper, told, values.digest_of(told)))
        for paper, told in valued
        if told.n is not None and told.to.player is not None
    )
    for those in players.values():
        yield from _in_order(those)
        yield from _of_other_epochs(those)
        if gone := _missing(those):
            yield remark(
                "n/missing: of the emails to you that are of no seat, these are not among your "
                "files: {numbers}",
                numbers=gone,
            )


def _of_other_epochs(those: Sequence[_Numbered]) -> Iterator[AuditFinding]:
    """Ask about an email whose predecessor is here, of other epochs alone, and is not the one of
    which it has the fingerprint. Who plays no match is told of no restore; and after one the first
    email has the fingerprint of the last one of before the backup."""
    for paper, one, _ in those:
        last = _before(one)
        before = [other for other in those if other[1].n == last]
        fits = any(
            told.to.epoch == one.to.epoch or digest == one.before for _, told, digest in before
        )
        if before and not fits:
            yield asks(
                "n/epoch: {paper} is of epoch {epoch} and has another fingerprint of email {n} "
                "than {other} has, which is of another one: was the club restored?",
                paper=paper.name,
                epoch=one.to.epoch,
                n=last,
                other=before[0][0].name,
            )


def unknown_epochs(
    papers: Sequence[Document], valued: Iterable[ValuedPaper], restores: Sequence[Restore] = ()
) -> Iterator[AuditFinding]:
    """Ask about emails of an epoch of which no restore tells: their numbers are compared with none
    of another. Without a restore the emails to a holder of a seat have one epoch, that of most of
    them. A match that waits for its number tells of none, and nobody is told of a restore before
    he got the seat: so emails to one holder that are all of one epoch are not asked about."""
    every = [*restores, *(one for paper in papers for one in paper.restores)]
    told = {epoch for one in every for epoch in (one.ended, one.begun)}
    tenures = by_key(
        ((one.to.seat, one.to.tenure), (paper, one.to.epoch))
        for paper, one, _ in _numbered(valued)
        if paper.number is None
    )
    for of in tenures.values():
        (usual, n), *_ = Counter(epoch for _, epoch in of).most_common(1)
        known = told if told and n < len(of) else {usual}
        for paper, epoch in of:
            if epoch not in known:
                yield asks(
                    "n/epoch: {paper} is of epoch {epoch}, and none of your emails says that "
                    "the club was restored: did you get a notice of that?",
                    paper=paper.name,
                    epoch=epoch,
                )


def _without_values(papers: Sequence[Document], log: ParsedLog | None) -> Iterator[AuditFinding]:
    """Say of which papers no words were compared, because they have no JSON. Emails that must have
    it are asked for, once for all of them."""
    plies = [paper.head[0] for paper in papers if paper.value and paper.head]
    is_new = log is not None and _version(log.opening.version) >= VALUED_SINCE
    bare = [
        one
        for one in papers
        if not (one.value or one.is_part or one.report or one.listed or one.unread)
    ]
    lacking = [
        paper
        for paper in bare
        if paper.heads and paper.heads.kind
        # A match that waited for its number may have begun in a club of before.
        if (is_new and paper.number is None)
        or (plies and paper.head and paper.head[0] >= min(plies))
    ]
    if lacking:
        yield asks(
            count(
                "same/no value: {n} email has come without its JSON, so its words were not "
                "compared: {names}",
                "same/no value: {n} emails have come without their JSON, so their words were not "
                "compared: {names}",
                len(lacking),
                names=first_names([paper.name for paper in lacking]),
            )
        )
    if others := len(bare) - len(lacking):
        told = count(
            "the words of {n} document without JSON: only its fingerprints, confirmations and "
            "proofs are read",
            "the words of {n} documents without JSON: only their fingerprints, confirmations and "
            "proofs are read",
            others,
        )
        older = log.opening.version if log is not None and not is_new else __version__
        if older != __version__ and not plies:
            told = say("{told}; for the rest use adjud {version}", told=told, version=older)
        yield leaves_open(told)
    if alone := [one.name for one in papers if one.value and one.value.came is None]:
        yield leaves_open(
            count(
                "how {n} email looked, because only its JSON is here: {names}",
                "how {n} emails looked, because only their JSON is here: {names}",
                len(alone),
                names=first_names(alone),
            )
        )
    for paper in papers:
        if paper.unread and paper.unread.false:
            yield _unwritten(paper, paper.unread.why)
        elif paper.unread and not paper.unread.version:  # else `versions` says it
            yield asks("same/no value: {paper}: {why}", paper=paper.name, why=paper.unread.why)


def _version(told: str) -> tuple[int, ...]:
    return tuple(int(part) for part in told.split(".") if part.isdigit())


# Pictures of the boards: the extra `png` draws them again.


def compare_pictures(papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Ask about pictures that are others than their reports give, and say how many could not be
    drawn here."""
    drawn = [(one, _drawn(one.value.told)) for one in papers if one.picture and one.value]
    others = [paper.name for paper, right in drawn if right not in (None, paper.picture)]
    if others:
        yield asks(
            count(
                "same/picture: {n} picture of the board is not the one that its report gives here: "
                "{names}. Another version of resvg draws otherwise, too: compare it with the board "
                "in the text or on the page",
                "same/picture: {n} pictures of the board are not those that their reports give "
                "here: {names}. Another version of resvg draws otherwise, too: compare them with "
                "the boards in the texts or on the pages",
                len(others),
                names=first_names(others),
            )
        )
    if not_drawn := sum(right is None for _, right in drawn):
        yield leaves_open(
            count(
                "{n} picture of the board: the extra `png` draws it again (pip install '.[png]')",
                "{n} pictures of the board: the extra `png` draws them again (pip install "
                "'.[png]')",
                not_drawn,
            )
        )


def _drawn(told: EmailValue) -> bytes | None:
    """Return the picture that a report gives; None if nothing draws it here."""
    try:
        return png(render(told.game, told.told, "svg", told.language, told.zone))
    except Exception:  # whatever somebody may have made up; what is written of it says so
        return None
