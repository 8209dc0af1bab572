"""Read reports and receipts that were printed as JSON: they say with keys what others say in
lines of text.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from adjudicator.core.game import AnyGame, unflatten
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say, tell
from adjudicator.core.orders import shown
from adjudicator.core.report import AnyReport, Committed, MadeWith, OwnPapers, flat_in_words
from adjudicator.games import GAMES
from adjudicator.mail.read.charset import decode
from adjudicator.reports.rows import message_for_commitment
from adjudicator.service.audit.claims import HEX, confirmations_in, json_object
from adjudicator.service.audit.papers import (
    KEY,
    Document,
    OpenedLog,
    StatedCommitment,
    ToldReport,
    ValuePaper,
)
from adjudicator.service.emails.links import EmailReader
from adjudicator.service.emails.paragraphs import NewsAlone, ReceiptProof, WholeReport
from adjudicator.service.emails.value import EmailValue, report_value
from adjudicator.service.emails.wording import as_line, in_words


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
            printed = _printed(said)
            as_of = printed.made.as_of if printed.made else None
            made = (report.epoch, as_of) if report.epoch and as_of else None
            yield replace(_report(report, name), report=printed, made=made)
        else:
            why = GAMES.why_missing(report.game) or say(
                "its game '{game}' is not installed", game=shown(report.game)
            )
            yield say("{name} cannot be read: {why}", name=name, why=why)
    elif said.get("match") and ("digest" in said or "declared" in said):
        told = convert(said, _Receipt)
        paper = confirmations_in("\n".join(_hashed(told)), name)
        if not paper.match:
            raise ValueError("it confirms nothing")
        yield paper


def _hashed(told: "_Receipt") -> Iterator[str]:
    """Yield what a receipt tells, as a text does. Those of before 0.2.22 do not say what is
    hashed."""
    revision = told.withdrawn or told.revision or 0
    older = f"ADJUD1|{told.match}|{told.seat}|{told.turn or 0}|{revision}|"
    if told.digest:
        yield f" {told.hashed or older}:{told.digest}"
    yield from (f" {one.hashed}:{one.digest}" for one in told.declared)


_Number = Annotated[int, Meta(ge=0, lt=10**9)]


class _Log(Struct, frozen=True):
    head: str
    key: Annotated[str, Meta(pattern=f"^{HEX}$")] | None = None
    lines: tuple[str, ...] | None = None
    board: str | None = None


class _Used(Struct, frozen=True):
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


def _printed(said: Mapping[str, Any]) -> ToldReport:
    """Return a report that `adjud report` has printed, in the words of its reader."""
    made = convert(said["made"], MadeWith) if "made" in said else None
    own = convert(said["own"], OwnPapers) if "own" in said else None
    return ToldReport(body=said, made=made, own=own, in_words=True)


def of_value(told: EmailValue, kept: ValuePaper, name: str) -> Document:
    """Return what the report in an email's value says. Commitments are called as in the texts of
    its reader."""
    reader = EmailReader(told.language, told.zone, told.slug)
    receipts = [
        line
        for one in told.receipts
        for line in (*in_words(one.says, reader), *(as_line(line, reader) for line in one.proofs))
    ]
    report, is_once = told.told, told.kind == "aside"
    words = reader.words
    body = convert(flat_in_words(report, words, told.game.record.key), _Report)
    if is_once:  # a report of its own tells the rest
        body = replace(body, log=None, commitments=(), notices=(), used=())
    return replace(
        _report(body, name, words, receipts),
        report=told_report(report, told.language, told.zone, once=is_once),
        value=kept,
    )


def reports_in_answer(told: EmailValue) -> tuple[ToldReport, ...]:
    """Return the reports in an answer, and the news that it tells alone."""
    found = []
    for one in within(told):
        if isinstance(one, WholeReport):
            report = unflatten(GAMES[str(one.report["game"])], one.report)
            found.append(told_report(report, one.language, one.zone))
        elif isinstance(one, NewsAlone):
            found.append(ToldReport(body=one.report, made=None, alone=True))
    return tuple(found)


def within(value: object) -> Iterator[object]:
    """Yield all structs in a value, at whatever depth."""
    if isinstance(value, Struct):
        yield value
        for name in value.__struct_fields__:
            yield from within(getattr(value, name))
    elif isinstance(value, tuple | list):
        for one in value:
            yield from within(one)


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
    told: _Report, name: str, words: Words = tell, receipts: Sequence[str] = ()
) -> Document:
    game, log = GAMES[told.game], told.log
    opened = OpenedLog(log.key, log.lines) if log and log.key and log.lines else None
    key = [StatedCommitment(KEY, opened.key)] if opened else []
    used = (f" {one.hashed}:{one.digest}" for one in told.used if one.digest)
    texts = [*receipts, "", *used, *(one.text for one in told.notices)]
    paper = confirmations_in("\n".join(texts), name)
    agreed = {
        "game": told.game,
        "variant": told.variant,
        "options": told.options,
        "seats": list(told.players),
        "board": (log.board if log else "") or "",
    }
    return replace(
        paper,
        match=told.match,
        seats=frozenset({told.seat}),
        head=(told.ply, log.head) if log else None,
        promises=(*(_promise(game, told.match, one, words) for one in told.commitments), *key),
        log=opened,
        setting=agreed if opened else None,
        epoch=told.epoch,
    )


def _promise(game: AnyGame, match: str, made: Committed, words: Words) -> StatedCommitment:
    titles = {str(seat): words(game.seat_titles[Seat(seat)]) for seat in game.seats}
    opened = _bytes(game, match, made) if made.opened is not None else None
    called = message_for_commitment(made, titles, game.proof)
    title = tell(called) if made.what == "seed" else words(called)
    return StatedCommitment(title, made.digest, opened)


def _bytes(game: AnyGame, match: str, made: Committed) -> bytes:
    text = made.opened or ""
    try:
        link = bytes.fromhex(text)
    except ValueError:
        return text.encode()
    return f"{game.proof.label}|{match}|".encode() + link if made.what == "seed" else link
