"""Read what a text or a page claims that can be checked: fingerprints, digests of confirmations,
commitments, an opened log. Its other words are read nowhere: only an email's value has them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from adjudicator.core import chain
from adjudicator.core.message import LANGUAGES, say
from adjudicator.mail.read.html_page import read_page
from adjudicator.reports.words import words
from adjudicator.service.audit.papers import (
    KEY,
    SEED,
    Document,
    OpenedLog,
    ReceiptPaper,
    Restore,
    SaidPaper,
    StatedCommitment,
)
from adjudicator.service.audit.public_facts import values_in

_HEX = "[0-9a-f]{64}"
_BY_PHONE = re.compile(r"\b(\d{1,9}),\s+((?:[0-9a-f]{4}-){4}[0-9a-f]{4})\b")
_DIGEST = re.compile(rf"^[ \t]*(\S[^\n]{{1,120}}?):?[ \t]*\n\s*({_HEX})[ \t]*$", re.M)
_HEAD = re.compile(r"Logg? \w+ ([a-z][a-z0-9-]{0,23}), \w+ (\d{1,9})")
_RECEIPT = re.compile(
    rf"(ADJUD[123])\|([a-z][a-z0-9-]{{0,23}})\|([a-z]+)\|(\d{{1,9}})\|(\d{{1,9}})\|(kept\|)?"
    rf"[^\n:]{{0,40}}"
    rf"(?:\n\|[^\n:]{{0,40}})?:[\s|]*({_HEX})"
)
_SAID = re.compile(
    rf"(ADJUD[23])\|([a-z][a-z0-9-]{{0,23}})\|([a-z]+)\|(\d{{1,9}})\|(RESIGN|DRAW|CLEAR)\|"
    rf"([0-9TZ:-]{{20}}):[\s|]*({_HEX})"
)
_IS_HASHED = re.compile(r"ADJUD[123]\|")
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


_PRESS = re.compile(r'<section class="?press"?>.*?</section>\s*', re.S)
_LIST = re.compile(
    r'<table class="heads" data-match="([a-z][a-z0-9-]{0,23})" data-epoch="([a-z]*)">(.*?)</table>',
    re.S,
)
_ROW = re.compile(
    r'<th scope="row"[^>]*>(\d{1,9})</th>[^\n]*?<code class="digest">([0-9a-f]{64})</code>'
)


def of_page(html: str, name: str) -> Iterator[Document]:
    """Yield what a page claims, without what players wrote to each other, which could say anything.
    What they wrote is escaped, so it cannot end its section. A page of a club's site lists the
    heads of a match."""
    if listed := _LIST.search(html):
        match, epoch, table = listed.groups()
        rows = sorted((int(ply), head) for ply, head in _ROW.findall(table))
        if rows:
            yield Document(name=name, match=match, epoch=epoch or None, listed=tuple(rows))
            return
    page = read_page(_PRESS.sub("", html))
    yield from of_text(page.text, name, json_object(page.setting))


def of_text(text: str, name: str, setting: Mapping[str, Any] = {}) -> Iterator[Document]:
    """Yield what a text claims, if it claims anything."""
    text = text.replace("\r\n", "\n")
    receipts = tuple(dict.fromkeys(_receipts(text)))
    head, key, promises, match = None, None, [], ""
    for found in _DIGEST.finditer(text):
        title, digest = found.group(1).strip(), found.group(2)
        if about := _HEAD.fullmatch(title):
            match, head = about.group(1), (int(about.group(2)), digest)
        elif title in _titles(KEY):
            key = digest
            promises.append(StatedCommitment(KEY, digest))
        elif not _IS_HASHED.search(title):
            promises.append(
                StatedCommitment(_in_english(title), digest, _opened(text[found.end() :]))
            )
    if head is None and (short := _BY_PHONE.search(text)):
        head = int(short[1]), short[2].replace("-", "")
    sheets = _SHEET.findall(text)
    said = tuple(dict.fromkeys(said_in(text)))
    named = [*(one.match for one in receipts), *(one.match for one in said)]
    if head is not None:
        named += [sheet[0] for sheet in sheets]
    match = match or next(iter(named), "")
    if not match:
        return  # it claims nothing
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
        log=OpenedLog(key, (first.group(1), *lines)) if key and first else None,
        setting=setting or None,
        epoch=epoch_in(text),
        restores=() if key else restores_in(text),
        values=tuple(dict.fromkeys(values_in(text))),
    )


def _receipts(text: str) -> Iterator[ReceiptPaper]:
    for found in _RECEIPT.finditer(text):
        label, match, seat, turn, revision, kept, digest = found.groups()
        yield ReceiptPaper(
            match,
            seat,
            int(turn),
            int(revision),
            digest,
            label,
            bool(kept),
            _is_claim(text[: found.start()]),
        )


def said_in(text: str) -> Iterator[SaidPaper]:
    """Yield the receipts of a RESIGN, a DRAW or its CLEAR in a text."""
    for found in _SAID.finditer(text):
        label, match, seat, turn, word, at, digest = found.groups()
        yield SaidPaper(match, int(turn), chain.DeclaredWord(seat, word, at), digest, label)


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


# In which epoch of its club a text was made, and of which restores it tells.


# The same in every language of ours: `Epoch kqxmd ends with ply 22, epoch wvtrn begins.`
_RESTORE = re.compile(r"\bepo\w+ ([a-z]{3,5}) \D{1,40}?(\d{1,9}), epo\w+ ([a-z]{3,5})\b", re.I)
_EPOCH = re.compile(r"^epo\w+: ([a-z]{3,5})$", re.I | re.M)
_SHEET_EPOCH = re.compile(r"^ORDR?ER?S? .*\bepo\w+ ([a-z]{3,5})\d{1,9}\s*$", re.I | re.M)
_ID = re.compile(r"<[a-z2-7]{16}\.([a-z0-9-]+)\.(?:([a-z]{3,5})\.)?[a-z2-7]{16}@.*>", re.I | re.S)


def restores_in(text: str) -> tuple[Restore, ...]:
    """Return the restores of which a text tells, however its lines are broken."""
    said = re.sub(r"[\s|]+", " ", text)
    found = (one.groups() for one in _RESTORE.finditer(said))
    return tuple(dict.fromkeys(Restore(int(ply), ended, begun) for ended, ply, begun in found))


def epoch_in(text: str) -> str | None:
    """Return the epoch that a report names; None if it names none."""
    found = _EPOCH.search(text) or _SHEET_EPOCH.search(text)
    return found[1].lower() if found else None


def of_letter(message_id: str) -> tuple[str, str] | None:
    """Return the match of an email and its epoch, which is empty before the club's first restore;
    None if it is none of ours to a seat."""
    found = _ID.fullmatch(message_id.strip())
    return (found[1].lower(), (found[2] or "").lower()) if found else None


# Tell what a report says of orders that it has used from the confirmation of them.


def _is_claim(before: str) -> bool:
    """Return whether a digest follows on the line by which a report says when orders came that it
    has used; a receipt follows on its orders or on a heading."""
    above = before.rstrip("\n").split("\n")[:-1]
    last = next((line for line in reversed(above) if line.strip()), "")
    return not last.startswith("  ") and last.split(" ")[0] in _words_of_claim()


@cache
def _words_of_claim() -> frozenset[str]:
    """Return the word with which that line begins, in each language."""
    line = say(
        "Received for turn {turn}, version {revision}: {moment}", turn=1, revision=1, moment=""
    )
    return frozenset(words(language, "")(line).split()[0] for language in LANGUAGES)
