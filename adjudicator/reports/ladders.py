"""The page of a ladder on a club's site (club, 8.1)."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from adjudicator.reports.club import public_page


class LadderResult(Struct, frozen=True):
    """How a challenge ended; `page` is the place of its match's replay, if there is one."""

    day: str
    told: str
    page: str | None = None


class LadderPage(Struct, frozen=True):
    """All that the page says: (place, player), the matches that are played, and the last results,
    the newest first. `people` are the places of players' pages by name."""

    name: str
    kind: str
    closed: bool
    places: Sequence[tuple[int, str]]
    going: Sequence[str]
    results: Sequence[LadderResult]
    people: Mapping[str, str]


def ladder(shown: LadderPage, language: str) -> str:
    """Return a ladder's page."""
    return public_page("shared/site/ladder.html.j2", "", language, ladder=shown)
