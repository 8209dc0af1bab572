"""Know again what we wrote ourselves: reports, answers and cards that a letter sends back."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.json import decode

from adjudicator.core.orders import Line
from adjudicator.service.letters_in import turn_answered
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.report import printed_report
from adjudicator.service.report.history import first_tenure
from adjudicator.service.report.printed_report import Mailed
from adjudicator.store import outbox, turns
from adjudicator.store.turns import StoredReport

_MOST_ANSWERS = 20  # the newest to the seat
_FEWEST_OF_CARD = 5  # lines: its examples are orders that anybody may write
_MOST_REPORTS = 12  # that are printed for one letter: the newest, and those that it answers


def not_ours(talk: Talk, lines: Sequence[Line], beside: Sequence[Line]) -> list[Line]:
    """Return the lines that stand in no letter of ours to the seat's holder. `beside` are the other
    lines that are sent back: by these it is known whether they are those of a card."""
    left = list(lines)
    for told in _told(talk, beside):
        left = [line for line in left if line.text.strip() not in told]
        if not left:
            break
    return left


def _told(talk: Talk, beside: Sequence[Line]) -> Iterator[frozenset[str]]:
    """Yield the lines of our letters, those first that cost least."""
    if not talk.loaded.holders[talk.seat].player_id:
        return
    match, tenure = talk.loaded.match, talk.holder.tenure
    bodies = outbox.answers(talk.tx, match.id, talk.seat, tenure, _MOST_ANSWERS)
    yield _lines(text for body in bodies for text in _texts(decode(body)))
    card = _lines([_card(talk)])
    if sum(line.text.strip() in card for line in beside) >= _FEWEST_OF_CARD:
        yield card
    for stored in _reports(talk):
        report = printed_report.remembered(talk.loaded, stored)
        first = Mailed(first=True)
        yield _lines(printed_report.as_pages(report, talk.holder, "text", letter=first))


def _texts(body: Any) -> Iterator[str]:
    yield from (value for value in body.values() if isinstance(value, str))


def _card(talk: Talk) -> str:
    from adjudicator.reports.cards import card

    return card(talk.loaded.match.game, talk.holder.language, talk.spelled)


def _reports(talk: Talk) -> Iterator[StoredReport]:
    """Yield the seat's reports that its holder may read: the newest, the one that the letter
    answers, and then those before."""
    match = talk.loaded.match
    answered = turn_answered.ply_of(talk)
    wanted = (match.ply, answered, *range(match.ply - 1, -1, -1))
    plies = [ply for ply in dict.fromkeys(wanted) if ply is not None and 0 <= ply <= match.ply]
    for ply in plies[:_MOST_REPORTS]:
        stored = turns.report_of(talk.tx, match.id, ply, talk.seat)
        if stored is not None and stored.tenure >= first_tenure(talk.loaded, talk.seat):
            yield stored


def _lines(texts: Any) -> frozenset[str]:
    return frozenset(line.strip() for text in texts for line in text.splitlines())
