"""The pages of a club that everybody may read: its matches, its standings, the rules."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from adjudicator.reports.render import environment
from adjudicator.reports.words import spoken


class Going(Struct, frozen=True):
    """A match that is not over, as an outsider may know it. `players` are (seat, name), the name
    empty where nobody sits yet; `told` says what it waits for, never who has sent."""

    name: str
    kind: str
    players: Sequence[tuple[str, str]]
    turn: str
    told: str
    deadline: str | None


class Over(Struct, frozen=True):
    """A match that has ended; `page` leads to its replay, where there is something to see."""

    name: str
    kind: str
    players: Sequence[tuple[str, str]]
    day: str
    result: str
    page: str | None


class Table(Struct, frozen=True):
    """The standings of one game: player, rating, its doubt, won, drawn, lost, played."""

    game: str
    rows: Sequence[tuple[str, int, int, int, int, int, int]]


class Club(Struct, frozen=True):
    """All that the first page says, and the time at which it does. `rules` are (page, game)."""

    as_of: str
    going: Sequence[Going]
    over: Sequence[Over]
    tables: Sequence[Table]
    rules: Sequence[tuple[str, str]]


def index(club: Club, language: str) -> str:
    """The club's first page."""
    return _page("shared/site/index.html.j2", "", language, club=club)


def seats_page(language: str) -> str:
    """What stands where the seats' folders are: nothing, so that no server lists them."""
    return _page("shared/site/seats.html.j2", "", language)


def rules(game: str, rows: Mapping[str, Any], language: str) -> str:
    """The rules of a game, from the rows that it makes for them."""
    return _page(f"{game}/rules.html.j2", game, language, page=rows)


def _page(template: str, game: str, language: str, **rows: Any) -> str:
    language = spoken(language)
    templates = environment(language, game)
    return templates.get_template(template).render(language=language, **rows)
