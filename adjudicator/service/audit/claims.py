"""Read what papers claim that can be checked: fingerprints, digests of confirmations, commitments,
an opened log. Of a text or a page no other words are read: only an email's value has them. What is
JSON, the value of an email or a report or receipt that was printed so, claims with keys what a
text claims with lines.
"""

import json
import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from adjudicator.core import chain, contest_log
from adjudicator.core.acts import NumberKnown
from adjudicator.core.contest_log import LABEL, LADDER
from adjudicator.core.game import AnyGame, unflatten
from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES, Message, Words, say, tell
from adjudicator.core.orders import shown
from adjudicator.core.report import AnyReport, Committed, MadeWith, OwnPapers
from adjudicator.core.worded_acts import acts_in
from adjudicator.games import GAMES
from adjudicator.mail.read.charset import decode
from adjudicator.mail.read.html_page import read_page
from adjudicator.reports.rows import message_for_commitment
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
    ToldReport,
    within,
)
from adjudicator.service.emails.paragraphs import (
    EmailContents,
    Lines,
    NewsAlone,
    Proofs,
    ReceiptProof,
    Told,
    WholeReport,
)
from adjudicator.service.emails.value import ConfirmedOrders, EmailValue, report_value

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
_RESTORE = re.compile(r"\bepo\w+ ([a-z]{3,5}) \D{1,40}?(-?\d{1,9}), epo\w+ ([a-z]{3,5})\b", re.I)
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
    # Of single lines each is that of the log whose head is the last above it.
    below: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for at, n, line in numbered:
        if above := bisect(places, (at, ("", ""))):
            below.setdefault(places[above - 1][1], []).append((n, line))
    for whose, told in heads.items():
        label, name = whose
        last = told.get(len(lines))
        is_its = len(heads) == 1 or (
            last and lines and last == [*contest_log.heads(name, lines, label)][-1]
        )
        single = () if lines else tuple(below.get(whose, ()))
        yield ToldOfContest(name, tuple(told.items()), lines if is_its else (), label, single)


# What is JSON.


def of_json(raw: bytes, name: str) -> Iterator[Document | Message]:
    """Yield what reports and receipts say that were printed as JSON."""
    text = decode(raw)
    whole = json_object(text)
    objects = [whole] if whole else [json_object(line) for line in text.split("\n")]
    for said in objects:
        try:
            yield from _said(said, name)
        except (ValidationError, ValueError, TypeError, LookupError, AttributeError):
            yield say(
                "{name} cannot be read: not a complete report or confirmation from adjud", name=name
            )


def _said(said: Mapping[str, Any], name: str) -> Iterator[Document | Message]:
    if "commitments" in said and convert(said.get("game", ""), str):
        report = convert(said, _Report)
        if report.game in GAMES:
            made = convert(said["made"], MadeWith) if "made" in said else None
            own = convert(said["own"], OwnPapers) if "own" in said else None
            as_of = made.as_of if made else None
            yield replace(
                _report(report, name),
                report=ToldReport(body=said, made=made, own=own, in_words=True),
                made=(report.epoch, as_of) if report.epoch and as_of else None,
            )
        else:
            why = GAMES.why_missing(report.game) or say(
                "its game '{game}' is not installed", game=shown(report.game)
            )
            yield say("{name} cannot be read: {why}", name=name, why=why)
    elif said.get("match") and ("digest" in said or "declared" in said):
        paper = confirmations_in("\n".join(_hashed(said)), name)
        if not paper.match:
            raise ValueError("it confirms nothing")
        yield paper


def _hashed(receipt: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a receipt tells, as a text does. Those of before 0.2.22 do not say what is
    hashed: it began with another label."""
    older = f"ADJUD1|{receipt['match']}|{receipt.get('seat')}|{receipt.get('turn') or 0}|0|"
    for one in convert([receipt, *receipt.get("declared", ())], list[_Hashed]):
        if one.digest:
            yield f" {one.hashed or older}:{one.digest}"


_Number = Annotated[int, Meta(ge=0, lt=10**9)]


class _Log(Struct, frozen=True):
    head: str
    key: Annotated[str, Meta(pattern=f"^{HEX}$")] | None = None
    lines: tuple[str, ...] | None = None
    board: str | None = None


class _Hashed(Struct, frozen=True):
    digest: str = ""
    hashed: str = ""


class _Notice(Struct, frozen=True):
    text: str = ""  # in a report that was printed
    told: Message | None = None


class _Report(Struct, frozen=True):
    """The parts of a report as JSON that are compared; older programs told fewer."""

    match: str
    game: str
    variant: str
    seat: str
    ply: _Number
    turn: _Number
    news: tuple[dict[str, Any], ...] = ()
    commitments: tuple[Committed, ...] = ()
    adjudicated: str | None = None
    log: _Log | None = None
    epoch: str | None = None
    notices: tuple[_Notice, ...] = ()
    used: tuple[_Hashed, ...] = ()
    options: dict[str, str] = {}
    players: dict[str, Any] = {}


def of_value(told: EmailValue, name: str) -> list[Document]:
    """Return what the value of an email to a seat says, of an answer for each match; commitments
    are called as in the texts of its reader."""
    if told.report is not None:
        return [_of_value_of_report(told, name)]
    contents = told.said.contents if told.said else EmailContents()
    says = [(told.to.match, replace(contents, parts=()))]
    says += [(part.match, part.says) for part in contents.parts]
    found = [_of_contents(told, match, said, name) for match, said in says]
    return [one for one in found if one is not None]


def _of_value_of_report(told: EmailValue, name: str) -> Document:
    body, is_once = convert(told.report, _Report), told.kind == "aside"
    if is_once:  # a report of its own tells the rest
        body = replace(body, log=None, commitments=(), notices=(), used=())
    language, zone = told.language, told.zone
    lines = [*_lines_in(told.receipts)]
    paper = _report(body, name, words(language, told.slug, zone), lines)
    return replace(paper, report=told_report(told.told, language, zone, once=is_once))


def _of_contents(told: EmailValue, match: str, said: EmailContents, name: str) -> Document | None:
    """Return what an email without a report says of a match; None if that is nothing, and the email
    is not to a seat of it."""
    paper = of_text("\n".join(_lines_in(said)), name, match)
    reports, heads, promises = list[ToldReport](), list[tuple[int, str]](), list[StatedCommitment]()
    for one in within(said, Struct):
        if isinstance(one, WholeReport):
            report = unflatten(GAMES[str(one.report["game"])], one.report)
            reports.append(told_report(report, one.language, one.zone))
            shown = _report(convert(one.report, _Report), name, words(one.language, report.game))
            heads += [shown.head] if shown.head else []
            promises += shown.promises
        elif isinstance(one, NewsAlone):
            reports.append(ToldReport(body=one.report, made=None, alone=True))
    if paper is None and not (reports or (match and match == told.to.match)):
        return None
    paper = paper or Document(name=name, match=match)
    return replace(
        paper,
        head=paper.head or next(iter(heads), None),
        values=_numbers_in(within(said, Message)),
        promises=(*paper.promises, *promises),
        answered=tuple(reports),
    )


def _numbers_in(told: Iterable[Message]) -> tuple[str, ...]:
    """Return the public number, as it is told when the match opens with it."""
    acts = (act for one in told for act in acts_in(one))
    return tuple({act.value: act for act in acts if isinstance(act, NumberKnown)})


def _lines_in(said: object) -> Iterator[str]:
    """Yield the lines of ours that claim something, in English: each digest of a receipt stands
    behind what is hashed."""
    for one in within(said, Struct):
        if isinstance(one, ReceiptProof):
            yield f" {one.hashed}:{one.digest}"
        elif isinstance(one, Lines | Proofs):
            yield from ("", *map(_in_english, one.lines))
        elif isinstance(one, ConfirmedOrders):
            yield from ("", *map(_in_english, one.proofs))


def _in_english(line: Told) -> str:
    return line if isinstance(line, str) else tell(line)


def told_report(report: AnyReport, language: str, zone: str, *, once: bool = False) -> ToldReport:
    """Return a report of an email as an audit makes it again. What it was made with is partly said
    beside that."""
    made = report.made
    if made is not UNSET:
        made = replace(
            made,
            tenure=report.tenure,
            as_of=report.as_of,
            language=language,
            zone=zone,
            deadline=report.deadline or UNSET,
            until=report.reserve_until,
        )
        report = replace(report, made=made)
    return ToldReport(
        body=report_value(report), made=made or None, own=report.own or None, once=once
    )


def _report(
    told: _Report, name: str, titles: Words = tell, receipts: Iterable[str] = ()
) -> Document:
    game, log = GAMES[told.game], told.log
    opened = OpenedLog(log.key, log.lines) if log and log.key and log.lines else None
    key = [StatedCommitment(KEY, opened.key)] if opened else []
    used = (f" {one.hashed}:{one.digest}" for one in told.used if one.digest)
    notices = (tell(one.told) if one.told else one.text for one in told.notices)
    paper = confirmations_in("\n".join([*receipts, "", *used, *notices]), name)
    agreed = {
        "game": told.game,
        "variant": told.variant,
        "options": told.options,
        "seats": [seat for seat in game.seats if seat in told.players],
        "board": (log.board if log else "") or "",
    }
    return replace(
        paper,
        match=told.match,
        seats=frozenset({told.seat}),
        head=(told.ply, log.head) if log else None,
        promises=(*(_promise(game, told.match, one, titles) for one in told.commitments), *key),
        log=opened,
        setting=agreed if opened else None,
        epoch=told.epoch,
        values=_numbers_in(one.told for one in told.notices if one.told),
    )


def _promise(game: AnyGame, match: str, made: Committed, titles_in: Words) -> StatedCommitment:
    titles = {str(seat): titles_in(game.seat_titles[Seat(seat)]) for seat in game.seats}
    opened = _bytes(game, match, made) if made.opened is not None else None
    called = message_for_commitment(made, titles, game.proof)
    title = tell(called) if made.what == "seed" else titles_in(called)
    return StatedCommitment(title, made.digest, opened)


def _bytes(game: AnyGame, match: str, made: Committed) -> bytes:
    text = made.opened or ""
    try:
        link = bytes.fromhex(text)
    except ValueError:
        return text.encode()
    return f"{game.proof.label}|{match}|".encode() + link if made.what == "seed" else link
