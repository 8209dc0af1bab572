"""What a page shows: both seas, and what its script needs for taps."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import asdict

from adjud_battleships.orders import SHIP_TITLES
from adjud_battleships.rules import (
    BLUE,
    COLUMNS,
    HIT,
    LINES,
    MISS,
    OTHER,
    RED,
    ROWS,
    SEATS,
    SHIPS,
    Order,
    Salvo,
    State,
)
from adjud_battleships.sight import News, View
from adjudicator.core.composing import SHARED, draft, told
from adjudicator.core.game import Game
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, both, listed, say
from adjudicator.core.report import Report
from adjudicator.core.simple.board import text
from adjudicator.core.simple.page import CELL, MARGIN, SimpleRows
from adjudicator.core.text import Spelling
from adjudicator.core.visible import Square, Squares, Thing

TITLES: Mapping[Seat, Message] = {BLUE: say("Blue"), RED: say("Red")}
_SHIP = "ship"  # what is known of a square beside a hit and a miss
_SIGNS = {_SHIP: "#", HIT: "X", MISS: "o"}
_TOLD: Mapping[str, Message] = {_SHIP: say("ship"), HIT: say("hit"), MISS: say("miss")}
_WORDS: Mapping[str, Message] = {
    "aim": say("Tap the squares of your salvo."),
    "salvo": say("Your salvo: {squares}. Now send it."),
    "place": say("Tap where your ship of {n} squares is to lie: {ship}."),
    "placed": say("Tap a ship to turn it. Is your fleet as you want it? Now send it."),
    "shuffle": say("Shuffle"),
    "clear": say("Clear"),
}


class Hull(Struct, frozen=True):
    """A ship in the drawing: its upper left corner and its size."""

    x: int
    y: int
    width: int
    height: int


class Mark(Struct, frozen=True):
    """A shot in the drawing: the middle of its square; `kind` is "hit" or "miss"."""

    x: int
    y: int
    kind: str


class Sea(Struct, frozen=True):
    """One player's sea as a table for emails and as a drawing for the page."""

    title: str
    told: str  # all that is known of it, for those who hear the page
    afloat: str
    squares: Squares
    hulls: Sequence[Hull]
    marks: Sequence[Mark]


class BattleRows(SimpleRows, frozen=True, kw_only=True):
    """The sea to shoot at stands first; before the fleets are placed there is only one's own."""

    seas: Sequence[Sea]


def with_both_seas(
    game: Game[State, Order, Any, View, News],
) -> Game[State, Order, Any, View, News]:
    """Return the game with both seas on its page, and with taps instead of buttons."""

    def rows(report: Report[View, News], words: Words) -> BattleRows:
        simple, seas = game.page.rows(report, words), _seas(report.view, words)
        own = {
            "how": simple.how[-1:] if report.view.turn else simple.how[:-1],
            "lines": _as_text(seas),
            "scripts": ("shared/bar.js", "battleships/taps.js") if report.template else (),
            "data": _composer(report, simple.spelling, words) if report.template else {},
        }
        return BattleRows(**{**asdict(simple), **own}, seas=seas)

    return replace(game, page=replace(game.page, rows=rows))


def board(view: View, words: Words) -> Squares:
    """Return the sea that stands first."""
    return _squares(view, _owners(view)[0], words)


def news(told: News) -> Message:
    """Say who fired, and what was called out."""
    return reduce(both, (_called(seat, salvo) for seat, salvo in told.salvos.items()))


def _called(seat: Seat, salvo: Salvo) -> Message:
    hits = [_hit(square, called) for square, called in salvo.shots.items() if called != MISS]
    misses = ", ".join(square for square, called in salvo.shots.items() if called == MISS)
    who = TITLES[seat]
    if not hits:
        said = say("{seat} misses {misses}.", seat=who, misses=misses)
    elif not misses:
        said = say("{seat} hits {hits}.", seat=who, hits=listed(hits))
    else:
        said = say(
            "{seat} hits {hits}, and misses {misses}.", seat=who, hits=listed(hits), misses=misses
        )
    if not salvo.sunk:
        return said
    return both(said, say("Sunk: {ships}.", ships=listed(SHIP_TITLES[ship] for ship in salvo.sunk)))


def _hit(square: str, called: str) -> Message:
    if called == HIT:
        return Message(square)
    return say("{square} ({ship})", square=square, ship=SHIP_TITLES[called])


def _owners(view: View) -> Sequence[Seat]:
    if view.seat not in SEATS:
        return SEATS
    own = Seat(view.seat)
    return (OTHER[own], own) if view.fleets else (own,)


def _known(view: View, owner: Seat) -> Mapping[str, str]:
    """Return what the reader knows of each square of a sea, as a key of `_SIGNS`."""
    fleet = view.fleets.get(owner, {}).values()
    shots = view.shots.get(OTHER[owner], {})
    return {
        **{square: _SHIP for squares in fleet for square in squares},
        **{square: MISS if called == MISS else HIT for square, called in shots.items()},
    }


def _squares(view: View, owner: Seat, words: Words) -> Squares:
    known = _known(view, owner)
    return Squares(
        columns=tuple(COLUMNS),
        rows=[
            (str(line), [_square(known.get(square), words) for square in row])
            for line, row in zip(LINES, ROWS, strict=True)
        ],
    )


def _square(what: str | None, words: Words) -> Square:
    things = (Thing(_SIGNS[what], what, words(_TOLD[what])),) if what else ()
    return Square("water", things)


def _seas(view: View, words: Words) -> list[Sea]:
    return [_sea(view, owner, words) for owner in _owners(view)]


def _sea(view: View, owner: Seat, words: Words) -> Sea:
    known = _known(view, owner)
    afloat = [ship for ship in SHIPS if ship not in view.sunk.get(owner, ())]
    return Sea(
        title=words(say("The sea of {seat}", seat=TITLES[owner])),
        told=", ".join(f"{square} {words(_TOLD[what])}" for square, what in known.items()),
        afloat=words(_afloat(afloat)),
        squares=_squares(view, owner, words),
        hulls=[_hull(squares) for squares in view.fleets.get(owner, {}).values()],
        marks=[
            Mark(*_middle(square), MISS if called == MISS else HIT)
            for square, called in view.shots.get(OTHER[owner], {}).items()
        ],
    )


def _afloat(ships: Sequence[str]) -> Message:
    if not ships:
        return say("All ships are sunk.")
    return say("Afloat: {ships}.", ships=listed(SHIP_TITLES[ship] for ship in ships))


def _middle(square: str) -> tuple[int, int]:
    column, line = COLUMNS.index(square[0]), int(square[1:]) - 1
    return MARGIN + CELL * column + CELL // 2, MARGIN + CELL * line + CELL // 2


def _hull(squares: Sequence[str]) -> Hull:
    (x, y), (right, below) = _middle(squares[0]), _middle(squares[-1])
    half = CELL // 2 - 4
    return Hull(x - half, y - half, right - x + 2 * half, below - y + 2 * half)


def _as_text(seas: Sequence[Sea]) -> list[str]:
    """Draw the seas one above the other; a text that wraps would tear two beside each other."""
    return [
        line for sea in seas for line in (sea.title, "", *text(sea.squares), "", sea.afloat, "")
    ]


def _composer(report: Report[View, News], spelled: Spelling, words: Words) -> Mapping[str, Any]:
    """Return what `taps.js` reads, by the id of its element."""
    view = report.view
    composing = {
        "sheet": report.template,
        "draft": draft(report),
        "words": told({**SHARED, **_WORDS}, words),
        "spelling": to_builtins(spelled),
        "cell": CELL,
        "margin": MARGIN,
        "rows": [" ".join(row) for row in ROWS],
        "sent": report.orders.lines if report.orders else (),
        "most": view.salvo,
        "fired": list(view.shots.get(Seat(view.seat), {})),
        "ships": []
        if view.turn
        else [(ship, size, words(SHIP_TITLES[ship])) for ship, size in SHIPS.items()],
    }
    return {"composer-data": composing}
