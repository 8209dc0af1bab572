"""A Scheveningen: two teams, each of one plays each of the other (club, 7.5.5)."""

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

_TITLE = say("Scheveningen")


def _schedule(entries: int, form: Format) -> list[list[tuple[int, int]]]:
    return fixed.scheveningen(entries, twice=form.twice)


def _table(tournament: Tournament, before: int | None) -> list[TableLine]:
    counted, uncounted = tournament.pairings_before(before), tournament.uncounted_numbers
    return table.scheveningen(tournament.team_of, counted, uncounted)


KIND = Kind(
    slug="scheveningen",
    title=_TITLE,
    takes=frozenset({"--twice", "--at-once"}),
    limits=lambda form: EntryLimits(4, 16 if form.twice else 32),
    seats=of_two(_TITLE),
    schedule=_schedule,
    rounds=lambda tournament: len(tournament.schedule),
    is_due=is_due_at_once,
    pairs=pairs_of_schedule,
    table=_table,
    compared=say("Team"),
    surely_meet=True,
    is_drawn_at_start=True,
    teams=2,
)
