"""A round robin: everybody meets everybody, by Berger's tables (club, 7.5.1)."""

from collections.abc import Mapping, Sequence

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

_TITLE = say("round robin")


def _rounds(tournament: Tournament) -> list[list[tuple[int, int]]]:
    return fixed.berger(len(tournament.numbers), twice=tournament.row.format.twice)


def _pairs(tournament: Tournament, round_: int) -> Sequence[NewPairing]:
    return [NewPairing("match", pair) for pair in _rounds(tournament)[round_ - 1]]


def _table(tournament: Tournament, before: int | None) -> list[TableLine]:
    uncounted = {tournament.numbers[id_] for id_ in tournament.uncounted}
    counted = tournament.counted_before(before)
    return table.round_robin(sorted(tournament.by_number), counted, uncounted)


def _matches_each(tournament: Tournament) -> Mapping[int, int]:
    most = (len(tournament.numbers) - 1) * (2 if tournament.row.format.twice else 1)
    return dict.fromkeys(tournament.by_number, most)


KIND = Kind(
    slug="round-robin",
    title=_TITLE,
    spellings=frozenset({"roundrobin"}),
    takes=frozenset({"--twice", "--at-once"}),
    limits=lambda form: EntryLimits(3, 9 if form.twice else 16),
    seats=of_two(_TITLE),
    rounds=lambda tournament: len(_rounds(tournament)),
    is_due=is_due_at_once,
    pairs=_pairs,
    table=_table,
    compared=say("Head to head"),
    surely_meet=True,
    is_drawn_at_start=True,
    matches_each=_matches_each,
)
