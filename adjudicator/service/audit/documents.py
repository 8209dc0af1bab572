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
from adjudicator.mail.read.mime import Headers, arrival_time, date, references
from adjudicator.mail.read.whole import WholeEmail, is_email, read_whole, split_mbox
from adjudicator.reports.email_html import text_parts_of
from adjudicator.service.audit import claims, emailed
from adjudicator.service.audit.papers import Document, EmailHeads, UnreadValue, Unused, ValuePaper
from adjudicator.service.audit.same import TIMES
from adjudicator.service.emails.value import each_of, what_is_wrong

_ANOTHERS = say("not from adjud")
_ENCRYPTED = say("encrypted")
_CUT = say("cut off")
_HEAVY = say("too much formatting")
_NOTHING = say("nothing to check in it")
_OUTLOOK = say(
    "an Outlook file (.msg), which cannot be read: forward the email as an attachment to yourself, "
    "or save its attachments"
)
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")  # how such a file begins
_UNANSWERED = say("you sent it to the club, and no answer to it is among these files")

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
    if raw.startswith(_OLE):
        yield Unused(str(path), _OUTLOOK)
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
        yield from _or_unused(claims.of_json(raw, str(path)), str(path))
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
    if isinstance(told, ValuePaper):
        yield from _of_value(told, name)
    elif told.version and match:
        yield Document(name=name, match=match, unread=told)
    else:
        yield say("{name}: {why}", name=name, why=told.why)


def _of_page(html: str, name: str) -> Iterator[_Found]:
    told = emailed.of_page(html)
    if isinstance(told, ValuePaper):
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


def _of_email(raw: bytes, where: str) -> Sequence[Document | Unused]:
    """Return what an email says, and those that are attached to it; or why that is nothing."""
    found = [one for email in read_whole(raw) for one in _of_one(email, where)]
    used = [one for one in found if isinstance(one, Document) or one.why in (_CUT, _HEAVY)]
    return used or found[:1]


def _of_one(email: WholeEmail, where: str) -> Iterator[Document | Unused]:
    """Yield what an email of a club says, from its value if it has one, and what of it cannot be
    used. Others, even those that quote one, prove nothing."""
    title = email.subject or email.headers.first("message-id")
    name = f"{where} ({title})" if title else where
    is_ours = bool(email.headers.all("x-adjud"))
    told = None if email.is_cut else emailed.of_email(email)
    bad = told if isinstance(told, UnreadValue) else None
    every = [one for one in (email.text, email.html, email.page) if one] if is_ours else []
    whole = every[:-1] if email.is_cut else every
    unread = [why for text in whole if (why := _why_unread(text))]
    texts = [text for text in whole if not _why_unread(text)]
    if isinstance(told, ValuePaper):
        picture = email.pictures.get(told.told.beside.picture or "")
        found = [replace(one, picture=picture) for one in _of_value(told, name)]
        unread = []
    else:
        found = [*_papers_in(email.headers, texts, name)]
    is_whole = is_ours and not (email.is_cut or unread or email.is_encrypted)
    about = claims.of_letter(email.headers.first("message-id"))
    if about and not found and (bad or is_whole):
        found = [Document(name=name, match=about[0], epoch=about[1])]
    if bad and found:
        found[0] = replace(found[0], unread=bad)
    heads = _heads(email, is_ours=is_ours)
    found += _of_contests(texts, name)
    yield from (replace(one, heads=heads) for one in found)
    if email.is_cut or unread:
        yield Unused(name, next(iter(unread), _CUT), heads)
    elif not found:
        why = _ENCRYPTED if email.is_encrypted else _NOTHING if is_ours else _ANOTHERS
        yield Unused(name, why, heads)


def _of_value(value: ValuePaper, name: str) -> Iterator[Document]:
    """Yield what the value of an email says, or each part of a daily one."""
    compared = set[str]()  # the matches of which the whole email is compared
    for told in each_of(value.told):
        try:
            found, unread = claims.of_value(told, name), None
        except Exception as trouble:  # whatever somebody may have made up
            found = [Document(name=name, match=told.to.match)] if told.to.match else []
            unread = UnreadValue(what_is_wrong(trouble), false=True)
        for one in found:
            yield replace(
                one,
                seats=one.seats | ({str(told.to.seat)} if told.to.seat else set()),
                epoch=told.to.epoch,
                value=None if one.match in compared or unread else value,
                is_part=one.match in compared,
                unread=unread,
                made=(told.to.epoch, told.at),
            )
            compared.add(one.match)
    whole = value.told
    if whole.to.player is not None and not whole.to.match:
        # How it looks is compared once: with the papers of its matches, if it has some.
        place = replace(value, came=None) if compared else value
        made = (whole.to.epoch, whole.at)
        yield Document(name=name, match="", value=place, is_personal=True, made=made)


def _heads(email: WholeEmail, *, is_ours: bool) -> EmailHeads:
    headers, senders = email.headers, _addresses(email.headers, "from")
    signers = [ending for one in email.signed for ending in (f"@{one}", f".{one}") if one]
    return EmailHeads(
        message_id=headers.first("message-id").strip(),
        kind=headers.first("x-adjud"),
        answers=references(headers),
        to=_addresses(headers, "to", "cc"),
        home=_addresses(headers, "from", "reply-to") if is_ours else frozenset(),
        came=_instant(arrival_time(headers)),
        dated=_instant(date(headers)),
        left_so=any(one.endswith(tuple(signers)) for one in senders),
    )


def _addresses(headers: Headers, *names: str) -> frozenset[str]:
    every = (value for name in names for value in headers.all(name))
    return frozenset(one for value in every for one in claims.addresses_in(value))


def _instant(at: datetime | None) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds") if at else ""


def _papers_in(headers: Headers, texts: Sequence[str], name: str) -> Iterator[Document]:
    """Yield the papers in an email without a value. A daily email, and an answer to an email about
    several matches, have some for each part, as an email of its own would have them."""
    kind, about = headers.first("x-adjud"), claims.of_letter(headers.first("message-id"))
    seat, (match, epoch) = claims.seat_of_topic(headers.first("thread-topic")), about or ("", None)
    is_several = about is None and kind in ("daily", *ANSWERS)
    parts = [one for text in texts if is_several for one in text_parts_of(text)]
    for number, text in enumerate(parts or texts, start=1):
        if parts:
            paper = claims.of_text(text, f"{name}, part {number}", claims.match_of_part(text))
        elif _is_html(text):
            paper = claims.of_page(text, f"{name}, its page")
        else:
            paper = claims.of_text(text, name, match)
        if paper is not None:
            seats = paper.seats | ({seat} if seat else set())
            yield replace(paper, seats=seats, epoch=epoch or paper.epoch or epoch)


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
