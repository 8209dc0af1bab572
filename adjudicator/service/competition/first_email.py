"""What the first email of a match says of its tournament (club, 7.7)."""

from collections.abc import Sequence

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, count, say
from adjudicator.core.pairing.points import shown_points
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.competition.ending import rulings_told
from adjudicator.service.competition.kinds.kind import Tournament
from adjudicator.service.competition.tournament import find, table_of
from adjudicator.store import tournaments
from adjudicator.store.database import Tx


def of_match(tx: Tx, match: Seated, seat: str) -> Sequence[Message]:
    """Return the round and the board, the seat's place after the rounds before, and what the game
    master has decided since; nothing of a match that is in no tournament."""
    here = tournaments.of_match(tx, match.match.id)
    if here is None:
        return []
    tournament = find(tx, here.tournament)
    told = say(
        "Tournament {name}: round {round}, board {board}.",
        name=here.tournament,
        round=here.round,
        board=here.board,
    )
    decided = rulings_told(tx, tournament, here.round - 1)
    pairing = next(
        row for row in tournament.pairings if row.key == (here.round, here.board, here.again)
    )
    number = tournament.numbers[pairing.entries[list(match.seats).index(Seat(seat))]]
    return [told, *_place(tournament, here.round, number), *decided]


def _place(tournament: Tournament, round_: int, number: int) -> Sequence[Message]:
    """Say what the rounds before gave; nothing where they are not all over."""
    if round_ == 1 or tournament.kind.knocks_out or not tournament.is_done(round_ - 1):
        return []
    line = next(one for one in table_of(tournament, before=round_) if one.number == number)
    return [
        count(
            "After {n} round you are number {place} of {entrants}; points: {points}.",
            "After {n} rounds you are number {place} of {entrants}; points: {points}.",
            round_ - 1,
            place=line.place,
            entrants=len(tournament.entries),
            points=shown_points(line.points),
        )
    ]
