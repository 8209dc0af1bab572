"""A Scheveningen: two teams, each of one plays each of the other (club, 7.5.5)."""

from collections import Counter
from collections.abc import Sequence

from adjudicator.core.message import say
from adjudicator.core.pairing import fixed, table
from adjudicator.core.pairing.table import TableLine
from adjudicator.service.competition.kinds.kind import (
    EntryLimits,
    Kind,
    NewPairing,
    Tournament,
    is_due_at_once,
    of_two,
)

_TITLE = say("Scheveningen")


def _rounds(tournament: Tournament) -> list[list[tuple[int, int]]]:
    return fixed.scheveningen(len(tournament.numbers), twice=tournament.row.format.twice)


def _pairs(tournament: Tournament, round_: int) -> Sequence[NewPairing]:
    return [NewPairing("match", pair) for pair in _rounds(tournament)[round_ - 1]]


def _matches_each(tournament: Tournament) -> Counter[int]:
    return Counter(n for pairs in _rounds(tournament) for pair in pairs for n in pair)


def _table(tournament: Tournament, before: int | None) -> list[TableLine]:
    uncounted = {tournament.numbers[id_] for id_ in tournament.uncounted}
    counted = tournament.counted_before(before)
    return table.scheveningen(tournament.team_of, counted, uncounted)


KIND = Kind(
    slug="scheveningen",
    title=_TITLE,
    takes=frozenset({"--twice", "--at-once"}),
    limits=lambda form: EntryLimits(4, 16 if form.twice else 32),
    seats=of_two(_TITLE),
    rounds=lambda tournament: len(_rounds(tournament)),
    is_due=is_due_at_once,
    pairs=_pairs,
    table=_table,
    compared=say("Team"),
    surely_meet=True,
    is_drawn_at_start=True,
    matches_each=_matches_each,
    teams=2,
)
