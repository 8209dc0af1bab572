"""The table of the seats: where their pieces stand, and what they hold."""

from collections.abc import Sequence

from msgspec import Struct

from adjudicator.core.match import Seat, holder_read
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import Report
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_read
from adjudicator.games.spion.page.drawing import LETTERS
from adjudicator.games.spion.rules.cards import PLACES
from adjudicator.games.spion.rules.state import Place
from adjudicator.games.spion.sight.sightings import Seen
from adjudicator.games.spion.sight.view import SeenSeat, View

_EMPTY, _FACE_DOWN = "-", "?"


class Player(Struct, frozen=True, kw_only=True):
    """A seat in the table: who plays it, its pieces, its filled places, at the end its cards.

    `name`
    is its title where names are hidden; `marks` are its places as signs, `places` the filled ones
    to be read aloud."""

    seat: Seat
    letter: str
    title: str
    name: str
    own: bool
    spy: Place
    bodyguard: Place
    start: Place
    home: Place
    filled: str
    dots: str
    marks: str
    places: str
    cards: Sequence[str]


def players(report: Report[View, Seen], words: Words) -> list[Player]:
    view = report.view
    over = view.phase == "over"
    return [
        Player(
            seat=entry.seat,
            letter=LETTERS[entry.seat],
            title=words(SEAT_TITLES[entry.seat]),
            name=_name(report, entry.seat, words),
            own=entry.seat == view.seat,
            spy=entry.spy,
            bodyguard=entry.bodyguard,
            start=entry.start,
            home=entry.home,
            filled="".join(_places(entry, ".")),
            dots=" ".join(_places(entry, "\N{MIDDLE DOT}")),
            marks="".join(
                "\N{BLACK CIRCLE}" if n in entry.filled else "\N{WHITE CIRCLE}" for n in PLACES
            ),
            places=words(_told_places(entry)),
            cards=[_on(entry, place, words) for place in PLACES] if over else [],
        )
        for entry in view.seats
    ]


def _name(report: Report[View, Seen], seat: Seat, words: Words) -> str:
    """Name who plays a seat, as its reader may know it (club, 6.4)."""
    hidden = report.options.get("names") == "hidden" and report.phase != "over"
    name = "" if hidden else holder_read(report.players.get(seat, ""), words)
    return name or words(SEAT_TITLES[seat])


def _places(entry: SeenSeat, empty: str) -> list[str]:
    """Return the number of each place that has a card."""
    return [str(n) if n in entry.filled else empty for n in PLACES]


def _told_places(entry: SeenSeat) -> Message:
    """Say which places have a card, to be read aloud."""
    if not entry.filled:
        return say("no card")
    return say("cards on places {places}", places=", ".join(map(str, entry.filled)))


def _entry(view: View) -> SeenSeat | None:
    return next((entry for entry in view.seats if entry.seat == view.seat), None)


def holder(view: View, words: Words) -> list[tuple[int, str]]:
    """Return the reader's places 1 to 4: a type, `?` if an old report forgets it, `-` if there is
    no card."""
    own = _entry(view)
    return [(place, _on(own, place, words)) for place in PLACES] if own else []


def _on(entry: SeenSeat, place: int, words: Words) -> str:
    if place not in entry.filled:
        return _EMPTY
    if not entry.cards:
        return _FACE_DOWN
    card = entry.cards[place - 1]
    return card_read(card, words) if card else _EMPTY
