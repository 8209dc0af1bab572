"""A round robin: everybody meets everybody, by Berger's tables (club, 7.5.1)."""

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

_TITLE = say("round robin")


def _rounds(tournament: Tournament) -> list[list[tuple[int, int]]]:
    return fixed.berger(len(tournament.numbers), twice=tournament.row.format.twice)


def _is_due(tournament: Tournament, round_: int) -> bool:
    at_once = tournament.row.format.at_once
    return not at_once or tournament.is_done(round_ - at_once)


def _pairs(tournament: Tournament, round_: int) -> Sequence[NewPairing]:
    return [NewPairing("match", pair) for pair in _rounds(tournament)[round_ - 1]]


def _table(tournament: Tournament, before: int | None) -> list[TableLine]:
    counted = [one for one in tournament.counted.values() if before is None or one.round < before]
    uncounted = {tournament.numbers[id_] for id_ in tournament.uncounted}
    return table.round_robin(sorted(tournament.by_number), counted, uncounted)


KIND = Kind(
    slug="round-robin",
    title=_TITLE,
    spellings=frozenset({"roundrobin"}),
    takes=frozenset({"--twice", "--at-once"}),
    limits=lambda form: EntryLimits(3, 9 if form.twice else 16),
    seats=of_two(_TITLE),
    rounds=lambda tournament: len(_rounds(tournament)),
    is_due=_is_due,
    pairs=_pairs,
    table=_table,
    compared=say("Head to head"),
    surely_meet=True,
    is_drawn_at_start=True,
    counts_at_once=True,
)
