"""What the pages of a club that are not about one match are made from, and what such a page is."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from adjudicator.core.text import one_line
from adjudicator.reports.club import Going, Introduction, Over
from adjudicator.service.club.publishing import SiteRow
from adjudicator.service.competition.kinds.kind import Tournament
from adjudicator.service.competition.ladders import LadderTable
from adjudicator.service.competition.standings import Ratings


class PublicPage(Struct, frozen=True):
    """A page that is not about one match: its place, all that it says, and what prints it."""

    path: str
    says: object
    printed: Callable[[], str]


class PagedPlayer(Struct, frozen=True):
    """A player with a page, its place, and the matches on it."""

    name: str
    path: str
    matches: Sequence[str]


class ClubView(Struct, frozen=True, kw_only=True):
    """All that a club's pages say beside its matches' own, in this language and time zone.

    `id` is a text that no other club has; `rows` are those of the matches, the oldest first;
    `rules` are the places of the rules by game; `rated` is by game and player, `reliable` by
    player.
    """

    id: str
    own: Introduction
    url: str
    language: str
    zone: str
    now: datetime
    rules: Sequence[tuple[str, str]]
    rows: Sequence[SiteRow]
    people: Sequence[PagedPlayer]
    rated: Ratings
    reliable: Mapping[str, str]
    tournaments: Sequence[Tournament]
    ladders: Sequence[LadderTable]

    @property
    def going(self) -> Sequence[Going]:
        return [row.going for row in self.rows if row.going]

    @property
    def ended(self) -> Sequence[Over]:
        """Return the matches that have ended, the newest first."""
        newest = sorted(self.rows, key=lambda row: row.ended_at, reverse=True)
        return [row.over for row in newest if row.over]

    @property
    def over(self) -> Mapping[str, Over]:
        """Return the matches that have ended by name, the newest first."""
        return {one.name: one for one in self.ended}

    @property
    def places(self) -> Mapping[str, str]:
        """Return the places of the players' pages by their names as pages have them."""
        return {one_line(one.name): one.path for one in self.people}
