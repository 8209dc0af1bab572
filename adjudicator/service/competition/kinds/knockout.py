"""A knock-out: who wins goes on (club, 7.5.4)."""

from collections.abc import Sequence

from adjudicator.core.message import say
from adjudicator.core.pairing import fixed, table
from adjudicator.core.pairing.table import TableLine
from adjudicator.service.competition.kinds.kind import (
    EntryLimits,
    Kind,
    NewPairing,
    Tournament,
    of_two,
)

_TITLE = say("knock-out")


def _pairs(tournament: Tournament, round_: int) -> Sequence[NewPairing]:
    if round_ == 1:
        places = fixed.bracket(len(tournament.numbers))
    else:
        boards = max(row.board for row in tournament.of_round(round_ - 1))
        winners = {
            board: winner_of(tournament, round_ - 1, board) for board in range(1, boards + 1)
        }
        places = fixed.next_places(winners, boards)
    stay = [
        number if number and tournament.by_number[number].status != "withdrawn" else None
        for number in places
    ]
    return [
        NewPairing("match", fixed.in_seats(tournament.row.lot_seed, round_, meeting))
        if len(meeting) == 2
        else NewPairing("bye", meeting, [0] * len(meeting))
        for meeting in fixed.meetings(stay)
    ]


def winner_of(tournament: Tournament, round_: int, board: int) -> int | None:
    """Return the number of the entry that goes on from a board of a knock-out (club, 7.5.4); None
    if nobody does, or it is not done."""
    played = [one for one in tournament.history if (one.round, one.board) == (round_, board)]
    if not played or not played[-1].is_done:
        return None
    last = played[-1]
    if last.kind != "match":
        return last.entries[0] if last.entries else None
    assert last.points is not None
    if not any(last.points):
        return None
    if len(set(last.points)) == 1:  # drawn: the lower number goes on after the replay
        return min(last.entries) if last.again else None
    return last.entries[last.points.index(max(last.points))]


def _rounds_survived(tournament: Tournament, last: int) -> dict[int, int]:
    survived = dict.fromkeys(tournament.by_number, 0)
    for round_ in range(1, last + 1):
        for board in sorted({row.board for row in tournament.of_round(round_)}):
            winner = winner_of(tournament, round_, board)
            if winner is not None:
                survived[winner] = round_
    return survived


def _table(tournament: Tournament, before: int | None) -> list[TableLine]:
    last = tournament.whole_rounds if before is None else before - 1
    return table.knock_out(_rounds_survived(tournament, last), tournament.history)


KIND = Kind(
    slug="knockout",
    title=_TITLE,
    spellings=frozenset({"knock-out"}),
    takes=frozenset(),
    limits=lambda form: EntryLimits(3, 64),
    seats=of_two(_TITLE),
    rounds=lambda tournament: fixed.rounds_of_bracket(len(tournament.numbers)),
    is_due=lambda tournament, round_: tournament.is_done(round_ - 1),
    pairs=_pairs,
    table=_table,
    compared=say("Head to head"),
    surely_meet=True,
    knocks_out=True,
)
