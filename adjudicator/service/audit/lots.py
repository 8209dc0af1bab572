"""Check the seats of a match that were drawn by lot (`core/seat_lots.py`): what the first line
of its log has of them follows from the seed, and the numbers that its emails told are there.

Before a draw a player is told his number, and after it that of his seat: they must be the same. The
answer to the last ACCEPT names its match; those before it do not, so nobody can compare them.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from adjudicator.core.message import Message, say, sentences
from adjudicator.core.seat_lots import draw
from adjudicator.service.audit.emailed import read_values
from adjudicator.service.audit.json_papers import within
from adjudicator.service.audit.log import ParsedLog, ReplayedMatch, number_of
from adjudicator.service.audit.papers import Document, of_paper
from adjudicator.service.audit.verdicts import AuditFinding, contradicts
from adjudicator.service.base.lots_of_match import (
    message_for_number,
    message_for_seat,
    message_for_taking,
)
from adjudicator.service.emails.value import EmailValue, each_of

_NUMBER, _OF_PLAYER = message_for_seat(0).text, message_for_number(0).text
_TAKES = message_for_taking("").text
_NEVER = "~"  # it is later than any time


def of_seat_drawn(papers: Sequence[Document], log: ParsedLog) -> Sequence[Document]:
    """Return the papers of the seat that a player has drawn. Where a public number decided, what
    came before went to the seat of his number, which may be another's now."""
    if not log.opening.lots or number_of(log.opening) is None:
        return papers
    at = datetime.fromisoformat(log.opening.at)
    return [one for one in papers if one.head or one.report or not _is_before(one, at)]


def _is_before(paper: Document, at: datetime) -> bool:
    made = paper.made[1] if paper.made else paper.heads.dated if paper.heads else ""
    return bool(made) and datetime.fromisoformat(made) < at


def compare(
    papers: Sequence[Document], played: ReplayedMatch, log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield what the seats contradict."""
    lots, seats = log.opening.lots, [one.seat for one in log.opening.holders]
    right = draw(played.chance(played.last).seed, seats)
    if lots and lots != right:
        told = say(
            "the seats went to the numbers {seen}, and by the draw they must go to {right}",
            seen=" ".join(f"{one.seat}={one.number}" for one in lots),
            right=" ".join(f"{one.seat}={one.number}" for one in right),
        )
        yield contradicts(of_paper(log.paper, told))
    number = {one.seat: one.number for one in lots}
    for paper, whole in read_values(papers):
        for told_by in (one for one in each_of(whole) if one.to.match == paper.match):
            for message in told_by.beside.told:
                for one in sentences(message):
                    seat = str(told_by.to.seat)
                    if one.text == _NUMBER and one.values["n"] != number.get(seat):
                        other = say("it tells another number in the draw than the log has")
                        yield contradicts(of_paper(paper, other))


def compare_numbers(
    match: str, papers: Sequence[Document], of_club: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield that a player was told other numbers before the draw than his seats were drawn for.
    Who had left and takes a seat over has none of its number; and in another epoch of the club
    players may have accepted in another order."""
    number = {one.seat: one.number for one in log.opening.lots}
    changed: dict[str, str] = {}
    for change in (one for entry in log.entries for one in entry.holders):
        changed.setdefault(change.seat, change.at)
    told: dict[str, dict[int, Document]] = {}
    drawn: dict[str, set[int]] = {}
    personal = [one for one in of_club if one.is_personal]
    for paper, whole in read_values([*papers, *personal]):
        for value in each_of(whole):
            to = value.to
            for n in _told_before(value, match, is_personal=paper.is_personal):
                told.setdefault(to.epoch, {}).setdefault(n, paper)
            is_first = value.at < changed.get(to.seat, _NEVER)
            if value.report is not None and to.match == match and is_first and to.seat in number:
                drawn.setdefault(to.epoch, set()).add(number[to.seat])
    for epoch, seen in drawn.items():
        before = told.get(epoch, {})
        if before and seen.isdisjoint(before):
            n, paper = next(iter(before.items()))
            other = say(
                "it says that your number in the draw is {seen}, and your seat was drawn for "
                "number {right}",
                seen=n,
                right=min(seen),
            )
            yield contradicts(of_paper(paper, other))


def _told_before(value: EmailValue, match: str, *, is_personal: bool) -> Iterator[int]:
    """Yield the numbers that an email tells a player before the draw of a match."""
    for message in (one for one in within(value) if isinstance(one, Message)):
        said = {one.text: one.values for one in sentences(message)}
        names = said.get(_TAKES, {}).get("match") if is_personal else value.to.match
        n = said.get(_OF_PLAYER, {}).get("n")
        if names == match and isinstance(n, int):
            yield n
