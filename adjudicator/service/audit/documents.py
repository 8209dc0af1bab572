"""Read the files, emails and pages that a player has kept, and say which cannot be used."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from adjudicator.core.email_kinds import ANSWERS
from adjudicator.core.message import Message, say
from adjudicator.mail.read.charset import decode, narrow
from adjudicator.mail.read.email import is_email, read_all, split_mbox
from adjudicator.mail.read.headers import Headers, references, subject
from adjudicator.mail.read.html_page import is_cut
from adjudicator.mail.read.html_text import is_heavy
from adjudicator.mail.read.whole import read_whole
from adjudicator.reports.email_html import text_parts_of as parts_of
from adjudicator.service.audit import claims, contest, emailed
from adjudicator.service.audit.claims import of_page, of_text
from adjudicator.service.audit.json_papers import answered, of_json
from adjudicator.service.audit.papers import (
    Document,
    EmailHeads,
    Restore,
    UnreadValue,
    Unused,
    ValuePaper,
)
from adjudicator.service.audit.public_facts import NumberTold, told_in
from adjudicator.service.emails.value import EmailValue, each_of, what_is_wrong
from adjudicator.service.emails.write import write

_NO_HEADERS = Headers((), broken=False)  # for files that are not emails
_TOPIC = re.compile(r"\[[a-z][a-z0-9-]{0,23}\] ([a-z]+)")
_ABOUT = re.compile(r"\[([a-z][a-z0-9-]{0,23})\] ")
_ANOTHERS = say("not from adjud")
_ENCRYPTED = say("encrypted")
_CUT = say("cut off")
_HEAVY = say("too much formatting")
_NOTHING = say("nothing to check in it")
_UNANSWERED = say("you sent it to the club, and no answer to it is among these files")

_VALUE = '{"adjud":'  # as the JSON of an email begins
_ADDRESS = re.compile(r"[^\s<>,;:\"()]+@[^\s<>,;:\"()]+")
_TIMES = 10  # a page of ours has more tags than an email that somebody writes


def read_file(path: Path) -> Iterator[Document | Message | Unused]:
    """Yield what a file or a Maildir holds, what is wrong with a report that cannot be read, and
    what could not be used."""
    if path.is_dir():
        for file in sorted(one for one in path.rglob("*") if one.is_file()):
            yield from read_file(file)
        return
    try:
        raw = path.read_bytes()
    except OSError as trouble:
        why = say("cannot be opened: {why}", why=trouble.strerror or str(trouble))
        yield Unused(str(path), why)
        return
    raw = narrow(raw)
    if raw.startswith(b"From "):
        for number, email in enumerate(split_mbox(raw), start=1):
            yield from _of_email(email, f"{path}, email {number}")
    elif emailed.is_value(raw):
        alone = emailed.of_json(raw)
        match = emailed.match_in(raw)
        if isinstance(alone, UnreadValue) and alone.version and match:
            yield Document(name=str(path), match=match, is_email=True, unread=alone)
        elif isinstance(alone, UnreadValue):
            yield say("{name}: {why}", name=str(path), why=alone.why)
        else:
            yield from _of_value(alone, str(path))
    elif path.suffix == ".json" or raw.lstrip()[:1] in (b"{", b"["):
        yield from _or_unused(of_json(raw, str(path)), str(path), _NOTHING)
    elif path.suffix in (".html", ".htm") or raw.lstrip()[:1] == b"<":
        told = emailed.of_page(decode(raw))
        if isinstance(told, tuple):
            yield from _of_value(told, str(path))
            return
        html = decode(raw)
        cause = _unread(html)
        found = () if cause else of_page(html, str(path))
        found = (replace(one, unread=told) for one in found)
        every = (*_of_contests([html], str(path)), *found)
        yield from _or_unused(every, str(path), cause or _NOTHING)
    elif is_email(raw):
        yield from _of_email(raw, str(path))
    else:
        text = decode(raw)
        said = (*_of_contests([text], str(path)), *of_text(text, str(path)))
        yield from _or_unused(said, str(path), _NOTHING)


def _unread(text: str) -> Message | None:
    """Return why a text is not read, if it is not."""
    if is_cut(text):
        return _CUT
    return _HEAVY if _is_html(text) and is_heavy(text, _TIMES) else None


def _is_html(text: str) -> bool:
    return text.lstrip()[:1] == "<"


def _or_unused(
    found: Iterable[Document | Message], name: str, why: Message
) -> Iterator[Document | Message | Unused]:
    """Yield what was found; if that is nothing, why."""
    one = None
    for one in found:
        yield one
    if one is None:
        yield Unused(name, why)


def _of_contests(texts: Iterable[str], name: str) -> Iterator[Document]:
    """Yield what texts say of the logs of tournaments, as a paper that is of no match."""
    told = tuple(one for text in texts for one in contest.told_in(text))
    if told:
        yield Document(name=name, match="", contests=told)


def _of_email(raw: bytes, where: str) -> Iterator[Document | Unused]:
    """Yield what an email says of its match, and of the log of a tournament."""
    found, email = [*_of_letter(raw, where)], read_all(raw)
    if email.headers.all("x-adjud"):
        for one in _of_contests(email.texts, f"{where} ({subject(email.headers)})"):
            yield replace(one, is_email=True, heads=_heads(email.headers, is_ours=True))
            found = [each for each in found if not _says_nothing(each)]
    yield from found


def _says_nothing(one: Document | Unused) -> bool:
    return isinstance(one, Unused) and one.why == _NOTHING


def _of_letter(raw: bytes, where: str) -> Iterator[Document | Unused]:
    """Yield what an email of a club says, and what of it cannot be used. Others, even those that
    quote one, prove nothing."""
    whole = [(one, emailed.of_email(one)) for one in read_whole(raw) if not one.is_cut]
    valued = [(one, told) for one, told in whole if isinstance(told, tuple)]
    is_used = False
    for one, told in valued:
        title = one.subject or one.headers.first("message-id")
        for paper in _of_value(told, f"{where} ({title})", one.headers):
            yield paper
            is_used = True
    if is_used:
        return
    bad = next((told for _, told in whole if isinstance(told, UnreadValue)), None)
    email = read_all(raw)
    title = subject(email.headers) or email.headers.first("message-id")
    name = f"{where} ({title})" if title else where
    is_ours = bool(email.headers.all("x-adjud"))
    unread = {text: why for text in email.texts if (why := _unread(text))} if is_ours else {}
    readable = [text for text in email.texts if text not in unread and not text.startswith(_VALUE)]
    found = [*_papers_in(email.headers, readable, name)] if is_ours else []
    about = claims.of_letter(email.headers.first("message-id"))
    is_whole = not (email.is_cut or unread or email.is_encrypted)
    if about and not found and (bad is not None or (is_ours and is_whole)):
        found = [Document(name=name, match=about[0], is_email=True, epoch=about[1])]
    heads = _heads(email.headers, is_ours=is_ours)
    for paper_number, paper in enumerate(found):
        yield replace(
            paper,
            heads=heads,
            kind=email.headers.first("x-adjud"),
            unread=None if paper_number else bad,
        )
    if email.is_cut or unread:
        yield Unused(name, next(iter(unread.values()), _CUT), heads)
    elif email.is_encrypted and not found:
        yield Unused(name, _ENCRYPTED, heads)
    elif not found:
        yield Unused(name, _NOTHING if is_ours else _ANOTHERS, heads)


def _of_value(
    valued: tuple[EmailValue, ValuePaper], name: str, headers: Headers = _NO_HEADERS
) -> Iterator[Document]:
    """Yield what the value of an email says, or each part of a daily one. What is no report is read
    from the text that follows from it."""
    whole, kept = valued
    compared = set[str]()  # the matches of which the whole email is compared
    for told in each_of(whole):
        bare = [Document(name=name, match=told.to.match, is_email=True)] if told.to.match else []
        try:
            found = [*_told_by(told, kept, name, headers)] or bare
        except Exception as trouble:  # whatever somebody may have made up
            unread = UnreadValue(what_is_wrong(trouble), false=True)
            found = [replace(one, unread=unread) for one in bare]
        for one in found:
            yield replace(
                one,
                seats=one.seats | ({str(told.to.seat)} if told.to.seat else set()),
                value=None if one.match in compared or one.unread else kept,
                is_part=one.match in compared,
                heads=_heads(headers, is_ours=True) if headers.fields else None,
                subject=subject(headers),
            )
            compared.add(one.match)


def _told_by(told: EmailValue, kept: ValuePaper, name: str, headers: Headers) -> Iterator[Document]:
    if told.report is not None:
        yield emailed.report_paper(told, kept, name)
    elif told.to.match:
        found = [*_papers_of_one(headers, [write(told).text], name, of_part=told.to.match)]
        found = found or [Document(name=name, match=told.to.match, is_email=True)]
        yield replace(found[0], answered=answered(told))
        yield from found[1:]
    else:
        yield from _papers_in(headers, [write(told).text], name)


def _heads(headers: Headers, *, is_ours: bool) -> EmailHeads:
    return EmailHeads(
        headers.first("message-id").strip(),
        references(headers),
        _addresses(headers, "to", "cc"),
        _addresses(headers, "from", "reply-to") if is_ours else frozenset(),
    )


def _addresses(headers: Headers, *names: str) -> frozenset[str]:
    every = (value for name in names for value in headers.all(name))
    return frozenset(one.lower() for value in every for one in _ADDRESS.findall(value))


def _papers_in(headers: Headers, texts: Sequence[str], name: str) -> Iterator[Document]:
    """Yield the papers in an email. A daily email, and an answer to an email about several
    matches, have some for each part, as an email of its own would have them."""
    kind, to_seat = headers.first("x-adjud"), claims.of_letter(headers.first("message-id"))
    parts = [one for text in texts if not _is_html(text) for one in parts_of(text)]
    if not (kind == "daily" or (kind in ANSWERS and to_seat is None and parts)):
        yield from _papers_of_one(headers, texts, name)
        return
    for number, part in enumerate(parts, start=1):
        yield from _papers_of_one(headers, [part], f"{name}, part {number}", among_others=True)


def _papers_of_one(
    headers: Headers,
    texts: Sequence[str],
    name: str,
    *,
    among_others: bool = False,
    of_part: str = "",
) -> Iterator[Document]:
    """Yield the papers in an email, or in a part of one, whose match its value names or its
    heading."""
    found: list[Document] = []
    restores: list[Restore] = []
    decides: NumberTold | None = None
    for text in texts:
        if _is_html(text):
            found += of_page(text, f"{name}, its page")
        else:
            found += of_text(text, name)
            restores += claims.restores_in(text)
            decides = decides or told_in(text, headers)
    to_seat = _TOPIC.fullmatch(headers.first("thread-topic"))
    match, epoch = claims.of_letter(headers.first("message-id")) or (of_part, None)
    if among_others:  # its heading is what its own subject would have been
        about = _ABOUT.match(texts[0])
        match = about[1] if about else ""
    # A notice claims nothing else.
    if match and not found and (restores or decides):
        found.append(Document(name=name, match=match, restores=tuple(restores), number=decides))
    for paper in found:
        yield replace(
            paper,
            is_email=True,
            seats=paper.seats | ({to_seat[1]} if to_seat else set()),
            epoch=epoch or paper.epoch or epoch,
            subject=subject(headers),
        )


def read(paths: Sequence[Path]) -> tuple[list[Document], list[Message], list[Unused]]:
    """Return the papers in these files, what is wrong with those that cannot be read, and what is
    none or cannot be used."""
    found = [one for path in paths for one in read_file(path)]
    papers = [one for one in found if isinstance(one, Document)]
    unread = [one for one in found if isinstance(one, Message)]
    unused = [one for one in found if isinstance(one, Unused)]
    return papers, unread, [*_unanswered(papers, unused)]


def _unanswered(papers: Sequence[Document], unused: Sequence[Unused]) -> Iterator[Unused]:
    """Yield what could not be used, and say of the player's own emails to the club that no answer
    to them is there. The club answers each email, but several at once on a day of many."""
    every = [*(one.heads for one in papers), *(one.heads for one in unused)]
    heads = [one for one in every if one is not None]
    homes = {home for one in heads for home in one.home}
    answered = {name for one in heads if one.home for name in one.answers}
    for one in unused:
        sent = one.heads
        is_mine = sent is not None and not sent.home and not homes.isdisjoint(sent.to)
        if sent is not None and is_mine and sent.message_id not in answered:
            yield replace(one, why=_UNANSWERED)
        else:
            yield one
