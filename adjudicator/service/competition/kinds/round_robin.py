"""A round robin: everybody meets everybody, by Berger's tables (club, 7.5.1)."""

from adjudicator.core.message import say
from adjudicator.core.pairing import fixed, table
from adjudicator.core.pairing.table import TableLine
from adjudicator.service.competition.kinds.kind import (
    EntryLimits,
    Kind,
    Tournament,
    is_due_at_once,
    of_two,
    pairs_of_schedule,
)
from adjudicator.store.tournaments import Format

_TITLE = say("round robin")


def _schedule(entries: int, form: Format) -> list[list[tuple[int, int]]]:
    return fixed.berger(entries, twice=form.twice)


def _table(tournament: Tournament, before: int | None) -> list[TableLine]:
    counted, uncounted = tournament.pairings_before(before), tournament.uncounted_numbers
    return table.round_robin(sorted(tournament.by_number), counted, uncounted)


KIND = Kind(
    slug="round-robin",
    title=_TITLE,
    spellings=frozenset({"roundrobin"}),
    takes=frozenset({"--twice", "--at-once"}),
    limits=lambda form: EntryLimits(3, 9 if form.twice else 16),
    seats=of_two(_TITLE),
    schedule=_schedule,
    rounds=lambda tournament: len(tournament.schedule),
    is_due=is_due_at_once,
    pairs=pairs_of_schedule,
    table=_table,
    compared=say("Head to head"),
    surely_meet=True,
    is_drawn_at_start=True,
)
