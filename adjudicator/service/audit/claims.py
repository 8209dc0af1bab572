"""Read what a text or a page claims that can be checked: fingerprints, digests of confirmations,
commitments, an opened log. Its other words are read nowhere: only an email's value has them.
"""

import json
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from msgspec.structs import replace

from adjudicator.core import chain, contest_log
from adjudicator.core.contest_log import LABEL, LADDER
from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.mail.read.html_page import read_page
from adjudicator.reports.words import words
from adjudicator.service.audit.papers import (
    KEY,
    SEED,
    Document,
    NumberTold,
    OpenedLog,
    ReceiptPaper,
    Restore,
    SaidPaper,
    StatedCommitment,
    ToldOfContest,
)

HEX = "[0-9a-f]{64}"
_NAME = "[a-z][a-z0-9-]{0,23}"
_BY_PHONE = re.compile(r"\b(\d{1,9}),\s+((?:[0-9a-f]{4}-){4}[0-9a-f]{4})\b")
_DIGEST = re.compile(rf"^[ \t]*(\S[^\n]{{1,120}}?):?[ \t]*\n\s*({HEX})[ \t]*$", re.M)
_HEAD = re.compile(rf"Logg? \w+ ({_NAME}), \w+ (\d{{1,9}})")
# What is hashed for a confirmation, of orders or of a word, and its digest.
_CONFIRMED = re.compile(
    rf"(ADJUD[123])\|({_NAME})\|([a-z]+)\|(\d{{1,9}})\|"
    rf"(?:(\d{{1,9}})\|(kept\|)?[^\n:]{{0,40}}(?:\n\|[^\n:]{{0,40}})?"
    rf"|(RESIGN|DRAW|CLEAR)\|([0-9TZ:-]{{20}})):[\s|]*({HEX})"
)
_IS_HASHED = re.compile(r"ADJUD[123]\|")
_SHEET = re.compile(rf"^ORDERS ({_NAME}) ([a-z]+) turn (\d+)(?: epoch [a-z]+\d+)?\s*$", re.M)
_PIECE = re.compile(r"'((?:[^'\n]|'\\'')*)'")
_KEY = re.compile(rf"\s*\n +\w+: ({HEX})[ \t]*$", re.M)  # of a link, before the end
_OPENED = re.compile(r"\n[ \t]*\(?printf '%s' .{0,4000}?sha256sum", re.S)
_LINE = re.compile(r'^\{"ply":\d+,.*\}$', re.M)
_OPENING = re.compile(
    rf'^\s*(?:<[^>]*>)?(seed={HEX}(?:,[a-z ]+={HEX})*|\{{"adjud":.*\}})\s*$', re.M
)
_PRESS = re.compile(r'<section class="?press"?>(?:(?!<section).)*?</section>\s*', re.S)
_LIST = re.compile(
    rf'<table class="heads" data-match="({_NAME})" data-epoch="([a-z]*)">'
    r"((?:(?!<table).)*?)</table>",
    re.S,
)
_ROW = re.compile(
    rf'<th scope="row"[^>]*>(\d{{1,9}})</th>[^\n]*?<code class="digest">({HEX})</code>'
)
# The same in every language of ours: `Epoch kqxmd ends with ply 22, epoch wvtrn begins.`
_RESTORE = re.compile(r"\bepo\w+ ([a-z]{3,5}) \D{1,40}?(\d{1,9}), epo\w+ ([a-z]{3,5})\b", re.I)
_EPOCH = re.compile(r"^epo\w+: ([a-z]{3,5})$", re.I | re.M)
_SHEET_EPOCH = re.compile(r"^ORDR?ER?S? .*\bepo\w+ ([a-z]{3,5})\d{1,9}\s*$", re.I | re.M)
_ID = re.compile(r"<[a-z2-7]{16}\.([a-z0-9-]+)\.(?:([a-z]{3,5})\.)?[a-z2-7]{16}@.*>", re.I | re.S)
# The lines below "Proofs" in the email to all when the last seat was taken (matches/unopened).
_NUMBER = re.compile(
    rf"^Commitment: ({HEX})[ \t]*\nLast seat taken: ([0-9TZ:-]{{20}})[ \t]*\n"
    rf"(?:Seed: ({HEX})[ \t]*\n)?Public number: (.+?)(?:\n[ \t]*\n|\Z)",
    re.M | re.S,
)
_CONTEST_HEAD = re.compile(
    rf"\b({LABEL}|{LADDER})\|([a-z][a-z0-9-]{{0,15}})\|([1-9][0-9]{{0,5}}):?\s{{1,4}}([0-9a-f]{{64}})\b"
)
_CONTEST_LINE = re.compile(r'^(\{"line":"[a-z]+","n":([0-9]{1,6}),.*\})$', re.MULTILINE)
_TOPIC = re.compile(rf"\[({_NAME})\] ([a-z]*)")
_ADDRESS = re.compile(r"[^\s<>,;:\"()]+@[^\s<>,;:\"()]+")
_JOINED = re.compile(r"[\s|]+")


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object that a text is; empty if it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def of_page(html: str, name: str) -> Document | None:
    """Return what a page claims, without what players wrote to each other, which could say
    anything. What they wrote is escaped, so it cannot end its section. A page of a club's site
    lists the heads of a match."""
    if listed := _LIST.search(html):
        match, epoch, table = listed.groups()
        rows = sorted((int(ply), head) for ply, head in _ROW.findall(table))
        if rows:
            return Document(name=name, match=match, epoch=epoch or None, listed=tuple(rows))
    page = read_page(_PRESS.sub("", html))
    found = of_text(page.text, name)
    return found and replace(found, setting=json_object(page.setting) or None)


def of_text(text: str, name: str, match: str = "") -> Document | None:
    """Return what a text claims; None if that is nothing. A notice that claims nothing else is of
    the `match` that its email names."""
    text = text.replace("\r\n", "\n")
    paper = confirmations_in(text, name)
    head, key, promises, of_head = None, None, list[StatedCommitment](), ""
    for found in _DIGEST.finditer(text):
        title, digest = found.group(1).strip(), found.group(2)
        if about := _HEAD.fullmatch(title):
            of_head, head = about.group(1), (int(about.group(2)), digest)
        elif title in _titles(KEY):
            key = digest
            promises.append(StatedCommitment(KEY, digest))
        elif not _IS_HASHED.search(title):
            title = SEED if title in _titles(SEED) else title  # as English emails say it
            promises.append(StatedCommitment(title, digest, _opened(text[found.end() :])))
    if paper.number is not None:
        promises.append(StatedCommitment(SEED, paper.number.commitment))
    if head is None and (short := _BY_PHONE.search(text)):
        head = int(short[1]), short[2].replace("-", "")
    sheets = _SHEET.findall(text)
    named = [of_head, paper.match, *(sheet[0] for sheet in sheets if head is not None)]
    if not any(named) and not (match and (paper.restores or paper.number)):
        return None
    first = _OPENING.search(text)
    lines = dict.fromkeys(_LINE.findall(text))
    return replace(
        paper,
        match=next(filter(None, [*named, match]), ""),
        seats=paper.seats | {one[1] for one in sheets},
        head=head,
        promises=tuple(dict.fromkeys(promises)),
        log=OpenedLog(key, (first.group(1), *lines)) if key and first else None,
        epoch=_epoch_in(text),
        restores=() if key else paper.restores,
    )


def confirmations_in(text: str, name: str) -> Document:
    """Return what a text says of orders and words that were confirmed, of restores and of a public
    number. It is of the match of the first confirmation."""
    receipts, said = dict[ReceiptPaper, None](), dict[SaidPaper, None]()
    for found in _CONFIRMED.finditer(text):
        label, match, seat, turn, revision, kept, word, at, digest = found.groups()
        if word:
            declared = chain.DeclaredWord(seat, word, at)
            said[SaidPaper(match, int(turn), declared, digest, label)] = None
            continue
        receipt = ReceiptPaper(
            match,
            seat,
            int(turn),
            int(revision),
            digest,
            label,
            kept=bool(kept),
            claimed=_is_claim(text[max(found.start() - 1000, 0) : found.start()]),
        )
        receipts[receipt] = None
    named = [*(one.match for one in receipts), *(one.match for one in said)]
    return Document(
        name=name,
        match=next(iter(named), ""),
        seats=frozenset([*(one.seat for one in receipts), *(one.said.seat for one in said)]),
        receipts=tuple(one for one in receipts if not one.kept),
        kept=tuple(one for one in receipts if one.kept),
        said=tuple(said),
        restores=restores_in(text),
        number=_number_in(text),
    )


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


def _in_each_language(told: Message) -> list[str]:
    return [words(language, "")(told) for language in LANGUAGES]


@cache
def _titles(text: str) -> frozenset[str]:
    return frozenset(_in_each_language(say(text)))


@cache
def _claims_begin() -> frozenset[str]:
    line = say(
        "Received for turn {turn}, version {revision}: {moment}", turn=1, revision=1, moment=""
    )
    return frozenset(said.split(" ")[0] for said in _in_each_language(line))


def _is_claim(before: str) -> bool:
    """Return whether a digest follows on the line by which a report says when orders came that it
    has used; a receipt follows on its orders or on a heading."""
    above = before.rstrip("\n").split("\n")[:-1]
    last = next((line for line in reversed(above) if line.strip()), "")
    return not last.startswith("  ") and last.split(" ")[0] in _claims_begin()


# In which epoch of its club a text was made, and of which restores and public number it tells.


def restores_in(text: str) -> tuple[Restore, ...]:
    """Return the restores of which a text tells, however its lines are broken."""
    found = (one.groups() for one in _RESTORE.finditer(_JOINED.sub(" ", text)))
    return tuple(dict.fromkeys(Restore(int(ply), ended, begun) for ended, ply, begun in found))


def _epoch_in(text: str) -> str | None:
    """Return the epoch that a report names; None if it names none."""
    found = _EPOCH.search(text) or _SHEET_EPOCH.search(text)
    return found[1].lower() if found else None


def of_letter(message_id: str) -> tuple[str, str] | None:
    """Return the match of an email and its epoch, which is empty before the club's first restore;
    None if it is none of ours to a seat."""
    found = _ID.fullmatch(message_id.strip())
    return (found[1].lower(), (found[2] or "").lower()) if found else None


def seat_of_topic(topic: str) -> str:
    """Return the seat that the heading of emails to it names behind its match; empty if none."""
    found = _TOPIC.fullmatch(topic)
    return found[2] if found else ""


def addresses_in(header: str) -> list[str]:
    return [one.lower() for one in _ADDRESS.findall(header)]


def match_of_part(text: str) -> str:
    """Return the match that a part names first, where its own email would have its Subject."""
    found = _TOPIC.match(text)
    return found[1] if found else ""


def _number_in(text: str) -> NumberTold | None:
    """Return what a text tells of the public number before that was known."""
    found = _NUMBER.search(text)
    if found is None:
        return None
    commitment, full, seed, which = found.groups()
    return NumberTold(commitment, full, " ".join(which.split()), seed or "")


def contests_in(text: str) -> Iterator[ToldOfContest]:
    """Yield what a text says of the logs of tournaments and ladders: newest heads, the lines of a
    whole log, and single lines below a head."""
    text = text.replace("\r\n", "\n")
    heads: dict[tuple[str, str], dict[int, str]] = {}
    places: list[tuple[int, tuple[str, str]]] = []  # in their order
    for found in _CONTEST_HEAD.finditer(text):
        label, name, n, digest = found.groups()
        heads.setdefault((label, name), {})[int(n)] = digest
        places.append((found.start(), (label, name)))
    numbered = [(one.start(), int(one[2]), one[1]) for one in _CONTEST_LINE.finditer(text)]
    lines = tuple(line for _, _, line in numbered)
    if [n for _, n, _ in numbered] != [*range(1, len(lines) + 1)]:
        lines = ()  # broken into parts on their way, or not all are here
    below: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for at, n, line in numbered:
        if above := bisect(places, (at, ("", ""))):
            below.setdefault(places[above - 1][1], []).append((n, line))
    for whose, told in heads.items():
        # Lines that another log's heads follow from are that one's; of false ones nobody knows.
        label, name = whose
        last = told.get(len(lines))
        is_its = len(heads) == 1 or (last and last == _last_head(name, lines, label))
        single = () if lines else tuple(below.get(whose, ()))
        yield ToldOfContest(name, tuple(told.items()), lines if is_its else (), label, single)


def _last_head(name: str, lines: Sequence[str], label: str) -> str:
    return [*contest_log.heads(name, lines, label)][-1] if lines else ""
