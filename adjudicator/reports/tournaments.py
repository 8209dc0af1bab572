"""The page of a tournament on a club's site: its table and its rounds."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from adjudicator.reports.club import public_page


class BoardLine(Struct, frozen=True):
    """What is said of a board, and its match, if there is one; `page` is the match's replay."""

    told: str
    match: str | None
    page: str | None


class TournamentPage(Struct, frozen=True):
    """All that the page says. `heads` are those of the table's columns, place and player first;
    `notes` are below the table; `rounds` are (title, boards), the newest first; `people` are the
    places of players' pages."""

    name: str
    told: str
    state: str
    starts: str
    heads: Sequence[str]
    lines: Sequence[Sequence[str]]
    notes: Sequence[str]
    entrants: Sequence[str]
    rounds: Sequence[tuple[str, Sequence[BoardLine]]]
    seed: Sequence[str]
    people: Mapping[str, str]


def tournament(shown: TournamentPage, language: str) -> str:
    """Return a tournament's page."""
    return public_page("shared/site/tournament.html.j2", "", language, cup=shown)
