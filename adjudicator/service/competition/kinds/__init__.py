"""The kinds of tournaments. To add one: its file, and its row here."""

from adjudicator.service.competition.kinds import knockout, round_robin, scheveningen, swiss
from adjudicator.service.competition.kinds.kind import Kind

KINDS: dict[str, Kind] = {
    one.slug: one for one in (round_robin.KIND, swiss.KIND, knockout.KIND, scheveningen.KIND)
}
