"""Name embassies, boards and seats as their reader does."""

from collections.abc import Mapping, Sequence

from adjudicator.core.message import Message, Words, listed, name_in, say
from adjudicator.core.text import one_line
from adjudicator.games.spion.lexicon import SEAT_TITLES
from adjudicator.games.spion.rules.state import Place
from adjudicator.games.spion.sight.view import View

Names = Mapping[Place, str]


def name_in_language(names: Mapping[str, str], words: Words) -> str:
    """Return a name from a board's file in the reader's language, else in English."""
    return one_line(name_in(names, words))


def embassy_names(view: View, words: Words) -> Names:
    return {e.code: name_in_language(e.name, words) for e in view.board.embassies}


def where(place: Place, names: Names) -> Message | str:
    """Name a place, an embassy with its name."""
    if place not in names:
        return place
    return say("{code} ({name})", code=place, name=names[place])


def seats(named: Sequence[str]) -> Message:
    """Name seats after one another."""
    return listed(SEAT_TITLES[seat] for seat in named)
