"""A match that has ended, told from its record with all cards open (rules 5.5)."""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.match import Seat
from adjudicator.core.message import Words, say
from adjudicator.core.record import Transcript, transcripts
from adjudicator.games.spion.page.news import grouped, sentences
from adjudicator.games.spion.page.replay_steps import Moment, Stand, position
from adjudicator.games.spion.page.turning_points import Three, Weight, turning_points
from adjudicator.games.spion.record.replay import retell
from adjudicator.games.spion.rules.state import Event, Instructed, Ordered, State, TurnOpened
from adjudicator.games.spion.sight.sightings import SawPhrased, Seen
from adjudicator.games.spion.sight.view import View
from adjudicator.games.spion.sight.witness import unveiled

Facts = Sequence[tuple[Event, State]]


def retold(view: View, record: str, words: Words, ending: str) -> Iterator[Moment]:
    """Yield the deal, every turn and answer, and the end; nothing of a match that ended in its
    set-up."""
    found = next(transcripts(record.splitlines()), None)
    if not isinstance(found, Transcript):
        return
    last: State | None = None
    threes: set[Three] = set()
    turn = 0
    for facts in (turn for ply in retell(found) for turn in _turns(ply)):
        last = facts[-1][1]
        points = [(weight, words(told)) for weight, told in turning_points(facts, threes)]
        turn = next((event.turn for event, _ in facts if isinstance(event, TurnOpened)), turn)
        yield _moment(view, turn, facts, points, words)
    if last:
        stands = _stands(view, last, ())
        points = [(Weight.END, ending)]
        yield Moment("end", words(say("The end")), *stands, [("", "moved", ending)], points)


def _turns(ply: Facts) -> Iterator[Facts]:
    """Divide the facts of a ply, seat by seat."""
    turn: list[tuple[Event, State]] = []
    for event, state in ply:
        begun = any(not isinstance(other, Ordered | Instructed) for other, _ in turn)
        if begun and isinstance(event, TurnOpened):
            yield turn
            turn = []
        turn.append((event, state))
    yield turn


def _moment(
    view: View, turn: int, facts: Facts, points: Sequence[tuple[int, str]], words: Words
) -> Moment:
    news = [entry for event, state in facts if (entry := _known(event, state))]
    told = " ".join(sentences(news, view, words))
    stands = _stands(view, facts[-1][1], news)
    label = words(grouped(news)[0][0])
    return Moment(f"turn-{turn}", label, *stands, [("", "moved", told)], points)


def _known(event: Event, state: State) -> Seen | None:
    """Return an event with all cards open. Phrases are left out; they stand in the record."""
    seen = unveiled(event, state.seats)
    return None if isinstance(seen, SawPhrased) else seen


def _stands(view: View, state: State, news: Sequence[Seen]) -> tuple[Mapping[str, str], list[str]]:
    seats: dict[Seat, Stand] = {
        seat: (state.spies[seat], state.bodyguards[seat], ",".join(c or "" for c in holder))
        for seat, holder in state.holders.items()
    }
    return position(view, seats, state.embassies, news)
