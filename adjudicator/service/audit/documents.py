"""Read letters, pages and reports for what they promise: heads, commitments, receipts, the log.

Whatever form a paper has, it becomes lines of text, in which all of this stands alike. A report as
JSON says it with keys.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from adjudicator.core import chain
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES, Message, say, tell
from adjudicator.core.report import Committed
from adjudicator.games import GAMES
from adjudicator.mail.read.charset import decode, narrow
from adjudicator.mail.read.headers import subject
from adjudicator.mail.read.html_page import ParsedPage, is_cut, read_page
from adjudicator.mail.read.letter import AllTexts, is_letter, read_all, split_mbox
from adjudicator.reports.frame import committed
from adjudicator.reports.words import words
from adjudicator.resources import year_of_set_up
from adjudicator.service.audit import facts, prints
from adjudicator.service.audit.facts import News, Restore
from adjudicator.service.audit.listed import in_page as listed_in_page
from adjudicator.service.audit.prints import PrintedReport
from adjudicator.service.audit.public_facts import NumberTold, told_in, values_in
from adjudicator.service.matches.receipts import ReceiptProof

KEY, SEED = "Key of the log", "Seed of the match"  # as English letters say it

_HEX = "[0-9a-f]{64}"
_DIGEST = re.compile(rf"^[ \t]*(\S[^\n]{{1,120}}?):?[ \t]*\n\s*({_HEX})[ \t]*$", re.M)
_HEAD = re.compile(r"Logg? \w+ ([a-z][a-z0-9-]{0,23}), \w+ (\d{1,9})")
_RECEIPT = re.compile(
    rf"(ADJUD[12])\|([a-z][a-z0-9-]{{0,23}})\|([a-z]+)\|(\d{{1,9}})\|(\d{{1,9}})\|(kept\|)?"
    rf"[^\n:]{{0,40}}"
    rf"(?:\n\|[^\n:]{{0,40}})?:[\s|]*({_HEX})"
)
_SAID = re.compile(
    rf"ADJUD2\|([a-z][a-z0-9-]{{0,23}})\|([a-z]+)\|(\d{{1,9}})\|(RESIGN|DRAW|CLEAR)\|"
    rf"([0-9TZ:-]{{20}}):[\s|]*({_HEX})"
)
_SHEET = re.compile(
    r"^ORDERS ([a-z][a-z0-9-]{0,23}) ([a-z]+) turn (\d+)(?: epoch [a-z]+\d+)?\s*$", re.M
)
_TOPIC = re.compile(r"\[[a-z][a-z0-9-]{0,23}\] ([a-z]+)")
_PIECE = re.compile(r"'((?:[^'\n]|'\\'')*)'")
_KEY = re.compile(rf"\s*\n +\w+: ({_HEX})[ \t]*$", re.M)  # of a link, before the end
_OPENED = re.compile(r"\n[ \t]*\(?printf '%s' .*?sha256sum", re.S)
_LINE = re.compile(r'^\{"ply":\d+,.*\}$', re.M)
_OPENING = re.compile(
    rf'^\s*(?:<[^>]*>)?(seed={_HEX}(?:,[a-z ]+={_HEX})*|\{{"adjud":.*\}})\s*$', re.M
)


class StatedCommitment(Struct, frozen=True):
    """A digest under its title; `opened` are the bytes that should give it."""

    title: str
    digest: str
    opened: bytes | None = None


class ReceiptPaper(Struct, frozen=True):
    """The receipt of a sheet; with `kept`, of one for a later turn. One that is `claimed` is what a
    report says of orders that had been used already."""

    match: str
    seat: str
    turn: int
    revision: int
    digest: str
    label: str = chain.OLD_LABEL
    kept: bool = False
    claimed: bool = False

    def digest_of(self, lines: Sequence[str]) -> str:
        """Return the digest that it would have if its orders were these."""
        head = chain.receipt_head(
            self.label, self.match, self.seat, self.turn, self.revision, kept=self.kept
        )
        return chain.sheet_digest(head, lines)


class SaidPaper(Struct, frozen=True):
    """The receipt of a RESIGN, a DRAW or the CLEAR of a DRAW."""

    match: str
    turn: int
    said: chain.DeclaredWord
    digest: str


class ReceiptLines(Struct, frozen=True):
    """The lines between the first of a receipt and its digest: the orders as they were taken, and
    what is said of them."""

    receipt: ReceiptPaper
    lines: tuple[str, ...]


class OpenedLog(Struct, frozen=True):
    """The log as it was opened."""

    key: str
    lines: tuple[str, ...]


class Document(Struct, frozen=True, kw_only=True):
    """A letter, page or report: where it lies, and what it says.

    `epoch` is that of its club, empty in letters before the first restore, None if none is named.
    """

    name: str
    match: str
    is_letter: bool = False
    seats: frozenset[str] = frozenset()
    head: tuple[int, str] | None = None
    listed: tuple[tuple[int, str], ...] = ()  # heads, on a page of the club's site
    promises: tuple[StatedCommitment, ...] = ()
    receipts: tuple[ReceiptPaper, ...] = ()
    kept: tuple[ReceiptPaper, ...] = ()  # of sheets in advance
    said: tuple[SaidPaper, ...] = ()
    shown: tuple[ReceiptLines, ...] = ()
    news: tuple[News, ...] = ()
    log: OpenedLog | None = None
    report: Mapping[str, Any] | None = None
    setting: Mapping[str, Any] | None = None  # what was agreed, of an opened match
    epoch: str | None = None
    restores: tuple[Restore, ...] = ()  # of which it tells
    prints: tuple[PrintedReport, ...] = ()  # whole reports that can be made again
    number: NumberTold | None = None  # the public number, before it was known
    values: tuple[str, ...] = ()  # the same, once it was


class Unused(Struct, frozen=True):
    """A file or a letter of which nothing, or not all, could be used, and why: a few words."""

    name: str
    why: Message


_ANOTHERS = say("not from adjud")
_ENCRYPTED = say("encrypted")
_CUT = say("cut off")
_NOTHING = say("nothing to check in it")


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
        for number, letter in enumerate(split_mbox(raw), start=1):
            yield from _of_letter(letter, f"{path}, letter {number}")
    elif path.suffix == ".json" or raw.lstrip()[:1] in (b"{", b"["):
        yield from _or_unused(_json(raw, str(path)), str(path), _NOTHING)
    elif path.suffix in (".html", ".htm") or raw.lstrip()[:1] == b"<":
        html = decode(raw)
        found = () if is_cut(html) else of_page(html, read_page(html), str(path))
        yield from _or_unused(found, str(path), _CUT if is_cut(html) else _NOTHING)
    elif is_letter(raw):
        yield from _of_letter(raw, str(path))
    else:
        yield from _or_unused(of_text(decode(raw), str(path)), str(path), _NOTHING)


def _or_unused(
    found: Iterable[Document | Message], name: str, why: Message
) -> Iterator[Document | Message | Unused]:
    """Yield what was found; if that is nothing, why."""
    one = None
    for one in found:
        yield one
    if one is None:
        yield Unused(name, why)


def _of_letter(raw: bytes, where: str) -> Iterator[Document | Unused]:
    """Yield what a letter of a club says, and what of it cannot be used. Others, even those that
    quote one, prove nothing.

    What happened is told in its text, in its HTML and in its page; of which ply that is stands in
    the text alone.
    """
    letter = read_all(raw)
    title = subject(letter.headers) or letter.headers.first("message-id")
    name = f"{where} ({title})" if title else where
    is_ours = bool(letter.headers.all("x-adjud"))
    found = [*_papers_in(letter, name)] if is_ours else []
    yield from found
    if letter.is_cut or (is_ours and any(map(is_cut, letter.texts))):
        yield Unused(name, _CUT)
    elif letter.is_encrypted and not found:
        yield Unused(name, _ENCRYPTED)
    elif not found:
        yield Unused(name, _NOTHING if is_ours else _ANOTHERS)


def _papers_in(letter: AllTexts, name: str) -> Iterator[Document]:
    found: list[Document] = []
    news: list[News] = []
    pages: list[str] = []
    printed: list[PrintedReport] = []
    restores: list[Restore] = []
    decides: NumberTold | None = None
    for text in letter.texts:
        if is_cut(text):
            continue
        if text.lstrip()[:1] == "<":
            page = read_page(text)
            found += of_page(text, page, f"{name}, its page")
            news += facts.in_page(page)
            pages.append(text)
        else:
            found += of_text(text, name)
            news += _dated(text)
            restores += facts.restores_in(text)
            printed += prints.in_text(text.replace("\r\n", "\n"))
            decides = decides or told_in(text, letter.headers)
    to_seat = _TOPIC.fullmatch(letter.headers.first("thread-topic"))
    match, epoch = facts.of_letter(letter.headers.first("message-id")) or ("", None)
    # A notice promises nothing else, and neither does an email of what is told once only.
    if match and not found and (restores or decides or printed):
        found.append(Document(name=name, match=match, restores=tuple(restores), number=decides))
    if printed:  # the HTML and the page of an email say no other report than its text
        printed += [prints.beside(printed[0], html) for html in pages]
    for number, paper in enumerate(found):
        yield replace(
            paper,
            is_letter=True,
            seats=paper.seats | ({to_seat[1]} if to_seat else set()),
            epoch=epoch or paper.epoch or epoch,
            news=() if number else tuple(dict.fromkeys(news)),
            prints=paper.prints if number else tuple(printed),
        )


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def of_page(html: str, page: ParsedPage, name: str) -> Iterator[Document]:
    """Yield what a page promises, and what it tells, if it promises anything."""
    if listed := listed_in_page(html):
        yield Document(name=name, match=listed.match, epoch=listed.epoch, listed=listed.heads)
        return
    setting = _object(page.setting)
    for paper in of_text(page.text, name):
        yield replace(
            paper,
            setting=setting or None,
            news=tuple(facts.in_page(page)),
            prints=tuple(prints.in_page(html, page.text)),
        )


def of_text(text: str, name: str) -> Iterator[Document]:
    """Yield what a text promises, and what it tells, if it promises anything."""
    text = text.replace("\r\n", "\n")
    shown = tuple(_receipts(text))
    receipts = tuple(dict.fromkeys(one.receipt for one in shown))
    head, key, promises, match = None, None, [], ""
    for found in _DIGEST.finditer(text):
        title, digest = found.group(1).strip(), found.group(2)
        if about := _HEAD.fullmatch(title):
            match, head = about.group(1), (int(about.group(2)), digest)
        elif title in _titles(KEY):
            key = digest
            promises.append(StatedCommitment(KEY, digest))
        elif "ADJUD1|" not in title and "ADJUD2|" not in title:
            promises.append(
                StatedCommitment(_in_english(title), digest, _opened(text[found.end() :]))
            )
    sheets = _SHEET.findall(text)
    said = tuple(dict.fromkeys(_said_in(text)))
    match = match or next(
        (told for told in (*(one.match for one in receipts), *(one.match for one in said))), ""
    )
    if not match:
        return  # it promises nothing
    lines = tuple(dict.fromkeys(_LINE.findall(text)))
    first = _OPENING.search(text)
    yield Document(
        name=name,
        match=match,
        seats=frozenset(
            {one.seat for one in receipts}
            | {one.said.seat for one in said}
            | {one[1] for one in sheets}
        ),
        head=head,
        promises=tuple(dict.fromkeys(promises)),
        receipts=tuple(one for one in receipts if not one.kept),
        kept=tuple(one for one in receipts if one.kept),
        said=said,
        shown=shown,
        news=tuple(_dated(text)),
        log=OpenedLog(key, (first.group(1), *lines)) if key and first else None,
        epoch=facts.epoch_in(text),
        restores=() if key else facts.restores_in(text),
        prints=tuple(prints.in_text(text)),
        values=tuple(dict.fromkeys(values_in(text))),
    )


def _dated(text: str) -> Iterator[News]:
    """Yield the news of a text, each with the ply of the report in which it stands: the head of the
    log comes below them."""
    heads = [
        (found.start(), int(about[2]))
        for found in _DIGEST.finditer(text)
        if (about := _HEAD.fullmatch(found[1].strip()))
    ]
    at = 0
    for start, news in facts.in_text(text):
        while at < len(heads) and heads[at][0] < start:
            at += 1
        yield news if news.of_orders or at == len(heads) else replace(news, ply=heads[at][1])


def _receipts(text: str) -> Iterator[ReceiptLines]:
    """Yield the receipts in a text. The lines of each are set in below the one that names its
    sheet, where older letters have the digest, too; those in a report's section on sheets in
    advance have no such lines."""
    after = 0
    for found in _RECEIPT.finditer(text):
        label, match, seat, turn, revision, kept, digest = found.groups()
        above = reversed(text[after : found.start()].split("\n")[:-1])
        after = found.end()
        lines = [*takewhile(_is_set_in, above)][::-1] or _confirmed(text, match, turn, revision)
        told = ReceiptPaper(
            match,
            seat,
            int(turn),
            int(revision),
            digest,
            label,
            bool(kept),
            facts.is_claim(text[: found.start()]),
        )
        yield ReceiptLines(told, tuple(lines))


def _said_in(text: str) -> Iterator[SaidPaper]:
    for found in _SAID.finditer(text):
        match, seat, turn, word, at, digest = found.groups()
        yield SaidPaper(match, int(turn), chain.DeclaredWord(seat, word, at), digest)


def _is_set_in(line: str) -> bool:
    return line.startswith("  ")


def _confirmed(text: str, match: str, turn: str, revision: str) -> list[str]:
    """Return the lines below `m, white, turn 1: accepted, version 1`, in any language, or below
    `m, italy, 1933: …` where turns are called by their years."""
    years = [str(first + int(turn)) for game in GAMES if (first := year_of_set_up(game))]
    called = "|".join((rf"\w+ {turn}", *years))
    head = rf"^{match}, [^,\n]+, (?:{called}): [^\n]*\b{revision}$"
    found = re.search(head, text, re.M)
    return [*takewhile(_is_set_in, text[found.end() + 1 :].split("\n"))] if found else []


def _opened(rest: str) -> bytes | None:
    """Return what the command behind a digest hashes, or the key that is there in its place; None
    if it is not opened yet."""
    if key := _KEY.match(rest):
        return bytes.fromhex(key[1])
    end = _DIGEST.search(rest)
    found = _OPENED.search(rest[: end.start()] if end else rest[:4000])
    if found is None:
        return None
    command = found.group()
    pieces = [one.replace("'\\''", "'") for one in _PIECE.findall(command) if one != "%s"]
    if "xxd" not in command:
        return "".join(pieces).encode()
    before = pieces.pop(0) if command.lstrip().startswith("(") else ""
    try:
        return before.encode() + bytes.fromhex("".join(pieces))
    except ValueError:
        return "".join(pieces).encode()  # which gives another digest


def _titles(text: str) -> set[str]:
    return {words(language, "")(say(text)) for language in LANGUAGES}


def _in_english(title: str) -> str:
    """Return the title of a commitment that all matches have, as English letters say it."""
    return SEED if title in _titles(SEED) else title


def _json(raw: bytes, name: str) -> Iterator[Document | Message]:
    """Yield what reports and receipts say that were printed as JSON."""
    text = decode(raw)
    whole = _object(text)
    objects = [whole] if whole else [_object(line) for line in text.split("\n")]
    for said in objects:
        try:
            yield from _said(said, name)
        except (ValidationError, ValueError, TypeError, LookupError, AttributeError):
            yield say(
                "{name} cannot be read: not a complete report or confirmation from adjud", name=name
            )


def _said(said: Mapping[str, Any], name: str) -> Iterator[Document]:
    if "commitments" in said and said.get("game") in GAMES:
        yield _report(convert(said, _Report), said, name)
    elif said.get("match") and ("digest" in said or "declared" in said):
        told = convert(said, _Receipt)
        sheets = [_sheet_of(told)] if told.digest else []
        yield Document(
            name=name,
            match=told.match,
            seats=frozenset({told.seat}),
            receipts=tuple(one for one in sheets if not one.kept),
            kept=tuple(one for one in sheets if one.kept),
            said=tuple(_said_in("".join(f"{one.hashed}:{one.digest}\n" for one in told.declared))),
        )


def _sheet_of(told: "_Receipt") -> ReceiptPaper:
    revision, label = told.withdrawn or told.revision or 0, told.hashed.partition("|")[0]
    return ReceiptPaper(
        told.match,
        told.seat,
        told.turn or 0,
        revision,
        told.digest,
        label or chain.OLD_LABEL,
        told.hashed.endswith("|kept|"),
    )


_Number = Annotated[int, Meta(ge=0, lt=10**9)]


class _Log(Struct, frozen=True):
    head: str
    label: str = chain.OLD_LABEL
    key: Annotated[str, Meta(pattern=f"^{_HEX}$")] | None = None
    lines: tuple[str, ...] | None = None
    board: str | None = None


class _Used(Struct, frozen=True):
    turn: _Number = 0
    revision: _Number = 0
    digest: str = ""
    hashed: str = ""


class _Notice(Struct, frozen=True):
    text: str = ""


class _Report(Struct, frozen=True):
    """The parts of a report as JSON that are compared; older programs told fewer."""

    match: str
    game: str
    variant: str
    seat: str
    ply: _Number
    turn: _Number
    news: tuple[dict[str, Any], ...]
    commitments: tuple[Committed, ...]
    adjudicated: str | None = None
    log: _Log | None = None
    epoch: str | None = None
    notices: tuple[_Notice, ...] = ()
    used: tuple[_Used, ...] = ()
    options: dict[str, str] = {}
    players: dict[str, Any] = {}


class _Receipt(Struct, frozen=True):
    """The parts of a receipt as JSON that are compared."""

    match: str
    seat: str
    digest: str = ""
    hashed: str = ""
    declared: tuple[ReceiptProof, ...] = ()
    turn: _Number | None = None
    revision: _Number | None = None
    withdrawn: _Number | None = None


def _report(told: _Report, said: Mapping[str, Any], name: str) -> Document:
    game, log = GAMES[told.game], told.log
    opened = OpenedLog(log.key, log.lines) if log and log.key and log.lines else None
    key = [StatedCommitment(KEY, opened.key)] if opened else []
    return Document(
        name=name,
        match=told.match,
        seats=frozenset({told.seat}),
        head=(told.ply, log.head) if log else None,
        promises=(*(_promise(game, told.match, one) for one in told.commitments), *key),
        receipts=tuple(
            ReceiptPaper(
                told.match,
                told.seat,
                one.turn,
                one.revision,
                one.digest,
                one.hashed.partition("|")[0] or chain.OLD_LABEL,
            )
            for one in told.used
            if one.digest
        ),
        log=opened,
        report=said,
        setting=_setting(told) if opened else None,
        epoch=told.epoch,
        restores=facts.restores_in(" ".join(one.text for one in told.notices)),
        prints=tuple(prints.in_json(said)),
        values=tuple(value for one in told.notices for value in values_in(one.text)),
    )


def _setting(told: _Report) -> Mapping[str, Any]:
    """Return what was agreed, as a report says it."""
    return {
        "game": told.game,
        "variant": told.variant,
        "options": told.options,
        "seats": list(told.players),
        "board": (told.log.board if told.log else "") or "",
    }


def _promise(game: AnyGame, match: str, made: Committed) -> StatedCommitment:
    titles = {str(seat): tell(game.seat_titles[Seat(seat)]) for seat in game.seats}
    opened = _bytes(game, match, made) if made.opened is not None else None
    return StatedCommitment(tell(committed(made, titles, game.proof)), made.digest, opened)


def _bytes(game: AnyGame, match: str, made: Committed) -> bytes:
    text = made.opened or ""
    try:
        link = bytes.fromhex(text)
    except ValueError:
        return text.encode()
    return f"{game.proof.label}|{match}|".encode() + link if made.what == "seed" else link


def read(paths: Sequence[Path]) -> tuple[list[Document], list[Message], list[Unused]]:
    """Return the papers in these files, what is wrong with those that cannot be read, and what is
    none or cannot be used."""
    found = [one for path in paths for one in read_file(path)]
    papers = [one for one in found if isinstance(one, Document)]
    unread = [one for one in found if isinstance(one, Message)]
    return papers, unread, [one for one in found if isinstance(one, Unused)]


def differ(what: Message | str, one: Document, other: Document) -> Message:
    """Say that two papers do not agree about something."""
    return say("{what}: {one} and {other} do not agree", what=what, one=one.name, other=other.name)


def all_promises(papers: Sequence[Document]) -> Mapping[str, tuple[Document, StatedCommitment]]:
    """Return each commitment by its title, with the first paper that tells it."""
    first: dict[str, tuple[Document, StatedCommitment]] = {}
    for paper in papers:
        for promise in paper.promises:
            first.setdefault(promise.title, (paper, promise))
    return first
