"""Check the seats of a match that were drawn by lot (`core/seat_lots.py`): what the first line
of its log has of them follows from the seed, and the number that each first email told is there.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from adjudicator.core.message import say, sentences
from adjudicator.core.seat_lots import draw
from adjudicator.service.audit.emailed import read_values
from adjudicator.service.audit.log import ParsedLog, ReplayedMatch, number_of
from adjudicator.service.audit.papers import Document, of_paper
from adjudicator.service.audit.verdicts import AuditFinding, contradicts
from adjudicator.service.base.lots_of_match import message_for_seat
from adjudicator.service.emails.value import each_of

_NUMBER = message_for_seat(0).text


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
        for told_by in each_of(whole):
            for message in told_by.beside.told:
                for one in sentences(message):
                    seat = str(told_by.to.seat)
                    if one.text == _NUMBER and one.values["n"] != number.get(seat):
                        other = say("it tells another number in the draw than the log has")
                        yield contradicts(of_paper(paper, other))
