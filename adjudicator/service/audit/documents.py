"""Read the files, emails and pages that a player has kept, and say which cannot be used."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from adjudicator.core.email_kinds import ANSWERS
from adjudicator.core.message import Message, say
from adjudicator.mail.read.charset import decode, narrow
from adjudicator.mail.read.html_page import is_cut
from adjudicator.mail.read.html_text import is_heavy
from adjudicator.mail.read.mime import Headers, arrival_time, date, references, subject
from adjudicator.mail.read.whole import is_email, read_all, read_whole, split_mbox
from adjudicator.reports.email_html import text_parts_of as parts_of
from adjudicator.service.audit import claims, emailed, json_papers
from adjudicator.service.audit.emailed import ReadValue
from adjudicator.service.audit.papers import Document, EmailHeads, UnreadValue, Unused, ValuePaper
from adjudicator.service.audit.same import TIMES
from adjudicator.service.emails.value import EmailValue, each_of, what_is_wrong
from adjudicator.service.emails.write import write

_ANOTHERS = say("not from adjud")
_ENCRYPTED = say("encrypted")
_CUT = say("cut off")
_HEAVY = say("too much formatting")
_NOTHING = say("nothing to check in it")
_UNANSWERED = say("you sent it to the club, and no answer to it is among these files")

_NO_HEADERS = Headers((), broken=False)  # for files that are not emails

_Found = Document | Message | Unused


def read(paths: Sequence[Path]) -> tuple[list[Document], list[Message], list[Unused]]:
    """Return the papers in these files, what is wrong with those that cannot be read, and what is
    none or cannot be used."""
    found = [one for path in paths for one in read_file(path)]
    papers = [one for one in found if isinstance(one, Document)]
    unread = [one for one in found if isinstance(one, Message)]
    unused = [one for one in found if isinstance(one, Unused)]
    return papers, unread, [*_unanswered(papers, unused)]


def read_file(path: Path) -> Iterator[_Found]:
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
        yield from _of_json_value(raw, str(path))
    elif raw.startswith(b'{"line":') and (printed := [*_of_contests([decode(raw)], str(path))]):
        yield from printed  # as `tournament log` and `ladder log` print it
    elif path.suffix == ".json" or raw.lstrip()[:1] in (b"{", b"["):
        yield from _or_unused(json_papers.of_json(raw, str(path)), str(path))
    elif path.suffix in (".html", ".htm") or raw.lstrip()[:1] == b"<":
        yield from _of_page(decode(raw), str(path))
    elif is_email(raw):
        yield from _of_email(raw, str(path))
    else:
        text = decode(raw)
        told = claims.of_text(text, str(path))
        yield from _or_unused([*_of_contests([text], str(path)), *_there(told)], str(path))


def _there(found: Document | None) -> Sequence[Document]:
    return [] if found is None else [found]


def _or_unused(found: Iterable[_Found], name: str, why: Message = _NOTHING) -> Sequence[_Found]:
    """Return what was found, or why it is nothing."""
    return [*found] or [Unused(name, why)]


def _of_json_value(raw: bytes, name: str) -> Iterator[_Found]:
    """Yield what a file says that is the value of an email."""
    told, match = emailed.of_json(raw), emailed.match_in(raw)
    if not isinstance(told, UnreadValue):
        yield from _of_value(told, name)
    elif told.version and match:
        yield Document(name=name, match=match, unread=told)
    else:
        yield say("{name}: {why}", name=name, why=told.why)


def _of_page(html: str, name: str) -> Iterator[_Found]:
    told = emailed.of_page(html)
    if told is not None and not isinstance(told, UnreadValue):
        yield from _of_value(told, name)
        return
    cause = _why_unread(html)
    found = None if cause else claims.of_page(html, name)
    contests = _of_contests([html], name)
    marked = (replace(one, unread=told) for one in _there(found))
    yield from _or_unused([*contests, *marked], name, cause or _NOTHING)


def _why_unread(text: str) -> Message | None:
    """Return why a text is not read, if it is not."""
    if is_cut(text):
        return _CUT
    return _HEAVY if _is_html(text) and is_heavy(text, TIMES) else None


def _is_html(text: str) -> bool:
    return text.lstrip()[:1] == "<"


def _of_contests(texts: Iterable[str], name: str) -> Iterator[Document]:
    """Yield what texts say of the logs of tournaments and ladders, as a paper of no match."""
    told = tuple(one for text in texts for one in claims.contests_in(text))
    if told:
        yield Document(name=name, match="", contests=told)


def _of_email(raw: bytes, where: str) -> Iterator[Document | Unused]:
    """Yield what an email says of its match, and of the log of a tournament."""
    found, email = [*_of_letter(raw, where)], read_all(raw)
    if email.headers.all("x-adjud"):
        for one in _of_contests(email.texts, f"{where} ({subject(email.headers)})"):
            yield replace(one, heads=_heads(email.headers, is_ours=True))
            found = [each for each in found if getattr(each, "why", None) != _NOTHING]
    yield from found


def _of_letter(raw: bytes, where: str) -> Iterator[Document | Unused]:
    """Yield what an email of a club says, and what of it cannot be used. Others, even those that
    quote one, prove nothing."""
    whole = [(one, emailed.of_email(one)) for one in read_whole(raw) if not one.is_cut]
    valued = [
        paper
        for one, told in whole
        if told is not None and not isinstance(told, UnreadValue)
        for paper in _of_value(
            told, f"{where} ({one.subject or one.headers.first('message-id')})", one.headers
        )
    ]
    if valued:
        yield from valued
        return
    bad = next((told for _, told in whole if isinstance(told, UnreadValue)), None)
    email = read_all(raw)
    title = subject(email.headers) or email.headers.first("message-id")
    name = f"{where} ({title})" if title else where
    is_ours = bool(email.headers.all("x-adjud"))
    unread = {text: why for text in email.texts if (why := _why_unread(text))} if is_ours else {}
    readable = [
        text for text in email.texts if text not in unread and not emailed.is_value(text.encode())
    ]
    found = [*_papers_in(email.headers, readable, name)] if is_ours else []
    about = claims.of_letter(email.headers.first("message-id"))
    is_whole = not (email.is_cut or unread or email.is_encrypted)
    if about and not found and (bad is not None or (is_ours and is_whole)):
        found = [Document(name=name, match=about[0], epoch=about[1])]
    heads = _heads(email.headers, is_ours=is_ours)
    for paper_number, paper in enumerate(found):
        yield replace(paper, heads=heads, unread=None if paper_number else bad)
    if email.is_cut or unread:
        yield Unused(name, next(iter(unread.values()), _CUT), heads)
    elif email.is_encrypted and not found:
        yield Unused(name, _ENCRYPTED, heads)
    elif not found:
        yield Unused(name, _NOTHING if is_ours else _ANOTHERS, heads)


def _of_value(valued: ReadValue, name: str, headers: Headers = _NO_HEADERS) -> Iterator[Document]:
    """Yield what the value of an email says, or each part of a daily one. What is no report is read
    from the text that follows from it."""
    whole, kept = valued
    compared = set[str]()  # the matches of which the whole email is compared
    heads = _heads(headers, is_ours=True) if headers.fields else None
    for told in each_of(whole):
        bare = [Document(name=name, match=told.to.match)] if told.to.match else []
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
                heads=heads,
                made=(told.to.epoch, told.at),
            )
            compared.add(one.match)


def _told_by(told: EmailValue, kept: ValuePaper, name: str, headers: Headers) -> Iterator[Document]:
    match = told.to.match
    if told.report is not None:
        yield json_papers.of_value(told, kept, name)
    elif match:
        found = [*_papers_of_one(headers, [write(told).text], name, match)]
        for one in found or [Document(name=name, match=match)]:
            yield replace(one, answered=json_papers.reports_in_answer(told))
    else:
        yield from _papers_in(headers, [write(told).text], name)


def _heads(headers: Headers, *, is_ours: bool) -> EmailHeads:
    return EmailHeads(
        message_id=headers.first("message-id").strip(),
        kind=headers.first("x-adjud"),
        answers=references(headers),
        to=_addresses(headers, "to", "cc"),
        home=_addresses(headers, "from", "reply-to") if is_ours else frozenset(),
        came=_instant(arrival_time(headers)),
        dated=_instant(date(headers)),
    )


def _addresses(headers: Headers, *names: str) -> frozenset[str]:
    every = (value for name in names for value in headers.all(name))
    return frozenset(one for value in every for one in claims.addresses_in(value))


def _instant(at: datetime | None) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds") if at else ""


def _papers_in(headers: Headers, texts: Sequence[str], name: str) -> Iterator[Document]:
    """Yield the papers in an email. A daily email, and an answer to an email about several
    matches, have some for each part, as an email of its own would have them."""
    kind, to_seat = headers.first("x-adjud"), claims.of_letter(headers.first("message-id"))
    parts = [one for text in texts if not _is_html(text) for one in parts_of(text)]
    if not (kind == "daily" or (kind in ANSWERS and to_seat is None and parts)):
        yield from _papers_of_one(headers, texts, name)
        return
    for number, part in enumerate(parts, start=1):
        of_part = claims.match_of_part(part)
        yield from _papers_of_one(headers, [part], f"{name}, part {number}", of_part)


def _papers_of_one(
    headers: Headers, texts: Sequence[str], name: str, of_part: str | None = None
) -> Iterator[Document]:
    """Yield the papers in an email, or in a part of one, whose match its value names or its
    heading."""
    seat = claims.seat_of_topic(headers.first("thread-topic"))
    match, epoch = claims.of_letter(headers.first("message-id")) or ("", None)
    match = match if of_part is None else of_part
    for text in texts:
        if _is_html(text):
            paper = claims.of_page(text, f"{name}, its page")
        else:
            paper = claims.of_text(text, name, match)
        if paper is not None:
            yield replace(
                paper,
                seats=paper.seats | ({seat} if seat else set()),
                epoch=epoch or paper.epoch or epoch,
            )


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
