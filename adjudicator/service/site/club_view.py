"""What the pages of a club that are not about one match are made from, what such a page is, and the
pictures beside matches: never what a seat sees.

A match that onlookers may watch has a picture of what they see, and one that has ended of its end.
Every other has that of its variant as it begins, one for all of them. It is made of no match, so
nothing of any match can be in it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat, Setting
from adjudicator.core.report import AnyReport
from adjudicator.core.seat_report import MatchFacts, public_report
from adjudicator.core.text import one_line
from adjudicator.games import GAMES
from adjudicator.reports.club import Going, Introduction, Over
from adjudicator.reports.render import render
from adjudicator.service.competition.kinds.kind import Tournament
from adjudicator.service.competition.ladder_tables import LadderTable
from adjudicator.service.competition.standings import Ratings
from adjudicator.service.site.publish import SiteRow


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


_ONLOOKER = Seat("")
_SEED = bytes(32)  # everybody may know where its volcanoes are


def board_place(game: str, variant: str) -> str | None:
    """Return the place of the picture of a variant; None for a game of another program."""
    known = game in GAMES and variant in GAMES[game].variants
    return f"games/{game}-{variant}.svg" if known else None


def board_of_match(match: str) -> str:
    return f"boards/{match}.svg"


def pictures(language: str) -> Iterator[tuple[str, str]]:
    """Yield the place and the picture of every variant."""
    for game in GAMES.values():
        for variant in game.variants:
            yield f"games/{game.slug}-{variant}.svg", board_of_variant(game, variant, language)


def board_of_variant(game: AnyGame, variant: str, language: str) -> str:
    """Return the picture of a variant as it begins."""
    return render(game, _beginning(game, variant), "svg", language)


def _beginning(game: AnyGame, variant: str) -> AnyReport:
    """Return how a match of the variant begins, for somebody who has no seat in it."""
    seating = game.seating(variant, "")
    seats = seating[max(seating)] if seating else game.seats
    setting = Setting.of(game.options, variant, {}, seats)
    chance = Chance(_SEED, "m", label=game.proof.label)
    state = game.rules.set_up(setting, chance)
    facts = MatchFacts(
        game=game,
        match="m",
        variant=variant,
        options=setting.options,
        players=dict.fromkeys(seats, ""),
        epoch="",
        chance=chance,
        state=state,
        ply=0,
        adjudicated=None,
        opened="",
        deadline=None,
        bank=None,
        draw_offers=(),
        log=(),
        secrets=(),
        head=None,
    )
    view = game.sight.observe(state, _ONLOOKER)
    return public_report(facts, _ONLOOKER, view)
