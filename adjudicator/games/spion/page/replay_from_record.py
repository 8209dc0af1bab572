"""A match that has ended, told from its record with all cards open (rules 5.5)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adjudicator.core.message import Words, say
from adjudicator.core.record import Transcript, transcripts
from adjudicator.games.spion.page.news import grouped, sentences
from adjudicator.games.spion.page.replay_steps import Moment, Stand, position
from adjudicator.games.spion.page.turning_points import Three, Weight, turning_points
from adjudicator.games.spion.record.replay import retell
from adjudicator.games.spion.rules.state import Event, Instructed, Ordered, State, TurnOpened
from adjudicator.games.spion.sight.witness import unveiled

Facts = Sequence[tuple[Event, State]]


def retold(report: Mapping[str, Any], words: Words, ending: str) -> Iterator[Moment]:
    """The deal, every turn and answer, the end; nothing of a match that ended in its set-up."""
    found = next(transcripts(report["record"].splitlines()), None)
    if not isinstance(found, Transcript):
        return
    last: State | None = None
    threes: set[Three] = set()
    for facts in (turn for ply in retell(found) for turn in _turns(ply)):
        last = facts[-1][1]
        points = [(weight, words(told)) for weight, told in turning_points(facts, threes)]
        yield _moment(report, facts, points, words)
    if last:
        stands = _stands(report, last, ())
        points = [(Weight.END, ending)]
        yield Moment(words(say("The end")), *stands, [("", "moved", ending)], points)


def _turns(ply: Facts) -> Iterator[Facts]:
    """The facts of a ply, seat by seat."""
    turn: list[tuple[Event, State]] = []
    for event, state in ply:
        begun = any(not isinstance(other, Ordered | Instructed) for other, _ in turn)
        if begun and isinstance(event, TurnOpened):
            yield turn
            turn = []
        turn.append((event, state))
    yield turn


def _moment(
    report: Mapping[str, Any], facts: Facts, points: Sequence[tuple[int, str]], words: Words
) -> Moment:
    news = [entry for event, state in facts if (entry := _known(event, state))]
    told = " ".join(sentences(news, report, words))
    stands = _stands(report, facts[-1][1], news)
    return Moment(words(grouped(news)[0][0]), *stands, [("", "moved", told)], points)


def _known(event: Event, state: State) -> dict[str, Any] | None:
    """Everything but the phrases; these stand in the record."""
    told = unveiled(event, state.seats)
    return None if told is None or told["event"] == "phrased" else told


def _stands(
    report: Mapping[str, Any], state: State, news: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, str], list[str]]:
    seats: dict[str, Stand] = {
        seat: (state.spies[seat], state.bodyguards[seat], ",".join(c or "" for c in holder))
        for seat, holder in state.holders.items()
    }
    return position(report, seats, state.embassies, news)
