"""Read what is JSON: the value of an email, and reports and receipts that were printed so. What
they claim with keys is read as the lines of a text are.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from adjudicator.core.acts import NumberKnown
from adjudicator.core.game import AnyGame, unflatten
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say, tell
from adjudicator.core.orders import shown
from adjudicator.core.report import AnyReport, Committed, MadeWith, OwnPapers
from adjudicator.core.worded_acts import acts_in
from adjudicator.games import GAMES
from adjudicator.mail.read.charset import decode
from adjudicator.reports.rows import message_for_commitment
from adjudicator.reports.words import words
from adjudicator.service.audit.claims import HEX, confirmations_in, json_object, of_text
from adjudicator.service.audit.papers import (
    KEY,
    Document,
    OpenedLog,
    StatedCommitment,
    ToldReport,
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
    for one in within(said):
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
        values=_numbers_in(within(said)),
        promises=(*paper.promises, *promises),
        answered=tuple(reports),
    )


def _numbers_in(told: Iterable[object]) -> tuple[str, ...]:
    """Return the public number, as it is told when the match opens with it."""
    acts = (act for one in told if isinstance(one, Message) for act in acts_in(one))
    return tuple({act.value: act for act in acts if isinstance(act, NumberKnown)})


def _lines_in(said: object) -> Iterator[str]:
    """Yield the lines of ours that claim something, in English: each digest of a receipt stands
    behind what is hashed."""
    for one in within(said):
        if isinstance(one, ReceiptProof):
            yield f" {one.hashed}:{one.digest}"
        elif isinstance(one, Lines | Proofs):
            yield from ("", *map(_in_english, one.lines))
        elif isinstance(one, ConfirmedOrders):
            yield from ("", *map(_in_english, one.proofs))


def _in_english(line: Told) -> str:
    return line if isinstance(line, str) else tell(line)


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
        values=_numbers_in(one.told for one in told.notices),
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
