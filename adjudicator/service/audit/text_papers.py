"""Read texts and pages for what they promise. Whatever form a paper has, it becomes lines of text,
in which all of this stands alike.
"""

import json
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from msgspec.structs import replace

from adjudicator.core import chain
from adjudicator.core.message import LANGUAGES, say
from adjudicator.games import GAMES
from adjudicator.mail.read.html_page import ParsedPage
from adjudicator.reports.words import words
from adjudicator.resources import year_of_set_up
from adjudicator.service.audit import facts, prints
from adjudicator.service.audit.facts import News
from adjudicator.service.audit.listed import in_page as listed_in_page
from adjudicator.service.audit.papers import (
    KEY,
    SEED,
    Document,
    OpenedLog,
    ReceiptLines,
    ReceiptPaper,
    SaidPaper,
    StatedCommitment,
)
from adjudicator.service.audit.public_facts import values_in

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
_PIECE = re.compile(r"'((?:[^'\n]|'\\'')*)'")
_KEY = re.compile(rf"\s*\n +\w+: ({_HEX})[ \t]*$", re.M)  # of a link, before the end
_OPENED = re.compile(r"\n[ \t]*\(?printf '%s' .*?sha256sum", re.S)
_LINE = re.compile(r'^\{"ply":\d+,.*\}$', re.M)
_OPENING = re.compile(
    rf'^\s*(?:<[^>]*>)?(seed={_HEX}(?:,[a-z ]+={_HEX})*|\{{"adjud":.*\}})\s*$', re.M
)


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object that a text is; empty if it is none."""
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
    setting = json_object(page.setting)
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
    said = tuple(dict.fromkeys(said_in(text)))
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
        news=tuple(dated_news(text)),
        log=OpenedLog(key, (first.group(1), *lines)) if key and first else None,
        epoch=facts.epoch_in(text),
        restores=() if key else facts.restores_in(text),
        prints=tuple(prints.in_text(text)),
        values=tuple(dict.fromkeys(values_in(text))),
    )


def dated_news(text: str) -> Iterator[News]:
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
    sheet, where older emails have the digest, too; those in a report's section on sheets in
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


def said_in(text: str) -> Iterator[SaidPaper]:
    """Yield the receipts of a RESIGN, a DRAW or its CLEAR in a text."""
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
    """Return the title of a commitment that all matches have, as English emails say it."""
    return SEED if title in _titles(SEED) else title
