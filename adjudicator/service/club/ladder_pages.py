"""A page for each ladder on the club's site (club, 8.1): what TABLE says.

Nothing is said there of a match that goes on but that it is played.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from adjudicator.core.message import Message
from adjudicator.core.text import one_line
from adjudicator.games import GAMES
from adjudicator.reports.club import LadderPage, LadderResult, Over, ladder
from adjudicator.reports.words import words
from adjudicator.service.club.club_view import ClubView, PublicPage
from adjudicator.service.competition.ladders import (
    LadderTable,
    all_readable,
    day_of,
    message_for_going,
    message_for_result,
)
from adjudicator.store.database import Tx

FOLDER = "ladders"


def place(name: str) -> str:
    return f"{FOLDER}/{name}.html"


def tables(tx: Tx) -> list[LadderTable]:
    """Return the ladders of the club, the oldest first."""
    found, _ = all_readable(tx)
    return found


def places(shown: Sequence[LadderTable]) -> Mapping[str, str]:
    """Return the places of the pages by the names of their ladders."""
    return {one.row.name: place(one.row.name) for one in shown}


def pages(view: ClubView) -> Iterator[PublicPage]:
    """Yield the page of each ladder."""
    over, places = view.over, view.places
    for one in view.ladders:
        made = _page(one, places, over, view.language)
        yield PublicPage(place(one.row.name), made, partial(ladder, made, view.language))


def _page(
    shown: LadderTable, named: Mapping[str, str], over: Mapping[str, Over], language: str
) -> LadderPage:
    row = shown.row
    tell, title = words(language, row.game), GAMES.title(row.game)
    titles = GAMES[row.game].variant_titles if row.game in GAMES else {}
    variant = titles.get(row.variant, Message(row.variant))
    return LadderPage(
        name=row.name,
        kind=f"{tell(title)}, {tell(variant)}",
        closed=row.status == "closed",
        places=[(one.place, one_line(one.player)) for one in shown.rungs],
        going=[tell(message_for_going(one)) for one in shown.going],
        results=[
            LadderResult(
                day_of(one),
                tell(message_for_result(one)),
                over[one.match].page if one.match and one.match in over else None,
            )
            for one in shown.results
        ],
        people={one.player: named[one.player] for one in shown.rungs if one.player in named},
    )
