"""The board as drawn in a report, with signs and with shapes; the reader's side lies below.

A piece's shape says whose it is, never its colour alone: the reader's are squares, the enemy's
are discs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import cos, pi, sin

from msgspec import Struct, UnsetType

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.games.espionage.page.news import whose
from adjudicator.games.espionage.rules.board import BOARDS, FILES
from adjudicator.games.espionage.rules.pieces import BLACK, ENEMY, LETTERS, SIDES, WHITE
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import SeenPiece, SeenStep, View

CELL = 48
MARGIN = 26
_DROP = 7  # from the middle of a piece to the foot of its letter
_ASIDE = 9  # from the middle of a piece to that of the letter beside what is drawn for its rank
_SMALL_DROP = 4  # the same of a coordinate
_TAG = 6  # characters of a mark that a square has room for

Point = tuple[float, float]
Places = Mapping[str, tuple[int, int]]
Drawn = tuple[int, int, str, bool, bool]  # place, letter, ring, dash
Written = tuple[str, str, str]  # signs, with the places of each across and down


class Shapes(Struct, frozen=True, kw_only=True):
    """The board as rows for the SVG template: places in its units, classes, letters.

    `pieces` are by side: its class, its shape, and its pieces; `letters` are by side those that say
    a rank, and those that say that it is unknown. A ring marks a rank that the other
    side knows, a dash a piece that has moved. `arrows` show the last order of each side, `fights`
    are the points of stars, `barred` signs for steps that may not be made, `tags` the reader's own
    marks.
    """

    cell: int
    margin: int
    side: int
    extent: int
    dark: str
    coordinates: Sequence[Written]
    home: tuple[int, int] | None
    volcanoes: Sequence[tuple[int, int]]
    pieces: Sequence[tuple[Seat, str, Sequence[Drawn]]]
    letters: Mapping[Seat, tuple[Written, Written]]
    arrows: Sequence[tuple[str, str, float, float, float, float]]
    fights: Sequence[str]
    barred: Sequence[Point]
    tags: Sequence[tuple[int, int, str]] = ()


def below(view: View) -> Seat:
    """Return the side at the bottom: the reader's, White for a spectator."""
    return BLACK if view.seat == BLACK else WHITE


def marked_pieces(view: View) -> list[SeenPiece]:
    """Return the pieces that the reader has marked, and whose ranks he was not told."""
    return [piece for piece in view.pieces if piece.mark and not piece.rank]


def cut(mark: str | UnsetType | None, most: int) -> str:
    """Return as much of a mark as there is room for."""
    text = mark or ""
    return text if len(text) <= most else text[: most - 1] + "…"


def letter(piece: SeenPiece) -> str:
    return LETTERS[piece.rank] if piece.rank else "?"


def lines(view: View) -> list[str]:
    """Draw the board in three columns a square: ` S ` own, `(S)` or `(?)` the enemy's."""
    own, size = below(view), view.board.size
    signs: dict[str, str] = dict.fromkeys(view.board.volcanoes, " ^ ")
    for piece in view.pieces:
        sign = letter(piece)
        signs[piece.square] = f" {sign} " if piece.side == own else f"({sign})"
    ranks = range(size, 0, -1) if own == "white" else range(1, size + 1)
    files = FILES[:size] if own == "white" else FILES[:size][::-1]
    head = "    " + "".join(f" {file} " for file in files)
    drawn = [
        f"{rank:>3} " + "".join(signs.get(f"{file}{rank}", " . ") for file in files) + f" {rank}"
        for rank in ranks
    ]
    return [head.rstrip(), *drawn, head.rstrip()]


def shapes(view: View, news: Sequence[SeenStep]) -> Shapes:
    size, own = view.board.size, below(view)
    place = _places(size, own)
    steps = latest(news)
    pieces = _pieces(view, place)
    fought = dict.fromkeys(step.target for step in steps if step.outcome != "moved")
    return Shapes(
        cell=CELL,
        margin=MARGIN,
        side=CELL * size,
        extent=CELL * size + 2 * MARGIN,
        dark=_dark(size, own),
        coordinates=_coordinates(size, own),
        home=_home(view, place) if view.phase == "setup" else None,
        volcanoes=[place[square] for square in view.board.volcanoes],
        pieces=pieces,
        letters={side: _letters(drawn) for side, _, drawn in pieces},
        arrows=[
            (
                "mine" if step.side == own else "theirs",
                "lost" if step.outcome == "lost" else "made",
                *place[step.start],
                *_towards(place[step.start], place[step.target], CELL - 21),
            )
            for step in steps
        ],
        fights=[_star(place[square]) for square in fought],
        barred=list(_barred(view, place)),
        tags=[(*place[piece.square], cut(piece.mark, _TAG)) for piece in marked_pieces(view)],
    )


# The empty board is the same in every report.
@cache
def _places(size: int, below: str) -> Places:
    """Find the centre of each square in the drawing."""
    across = range(MARGIN + CELL // 2, MARGIN + CELL * size, CELL)
    columns, rows = (across, across[::-1]) if below == "white" else (across[::-1], across)
    return {f"{FILES[i]}{j + 1}": (columns[i], rows[j]) for i in range(size) for j in range(size)}


@cache
def _dark(size: int, below: str) -> str:
    """Draw a line through each row, from its first dark square on; dashes are squares."""
    place = _places(size, below)
    lines = ((rank, (rank - (below == "white")) % 2) for rank in range(1, size + 1))
    return "".join(
        f"M{MARGIN + CELL * first} {place[f'a{rank}'][1]}h{CELL * (size - first)}"
        for rank, first in lines
    )


@cache
def _coordinates(size: int, below: str) -> Sequence[Written]:
    """Return the files and ranks on all four edges. The second sign of 10 follows its first."""
    place = _places(size, below)
    near = MARGIN // 2
    edges = (near, 2 * MARGIN + CELL * size - near)
    ranks = range(1, size + 1)
    across = _list(place[f"{file}1"][0] for file in FILES[:size])
    down = _list(place[f"a{rank}"][1] + _SMALL_DROP for rank in ranks)
    return (
        *((across, str(edge + _SMALL_DROP), FILES[:size]) for edge in edges),
        *((_list([edge] * size), down, "".join(map(str, ranks))) for edge in edges),
    )


def _list(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _home(view: View, place: Places) -> tuple[int, int]:
    """Return the top left corner of the reader's home rows, which lie below (rule 1.3)."""
    size, side = view.board.size, below(view)
    front = BOARDS[size].home_rows(side)[0]
    left, top = place[f"{FILES[0] if side == 'white' else FILES[size - 1]}{front}"]
    return left - CELL // 2, top - CELL // 2


def _pieces(view: View, place: Places) -> list[tuple[Seat, str, list[Drawn]]]:
    own = below(view)
    hidden = not VARIANTS[view.variant].open_ranks
    return [
        (
            side,
            "own" if side == own else "enemy",
            [
                (*place[piece.square], letter(piece), hidden and known(piece), piece.moved)
                for piece in view.pieces
                if piece.side == side
            ],
        )
        for side in SIDES
    ]


def _letters(drawn: Sequence[Drawn]) -> tuple[Written, Written]:
    return (
        _written([piece for piece in drawn if piece[2] != "?"], _ASIDE),
        _written([piece for piece in drawn if piece[2] == "?"], 0),
    )


def _written(drawn: Sequence[Drawn], aside: int) -> Written:
    return (
        _list(x + aside for x, *_ in drawn),
        _list(y + _DROP for _, y, *_ in drawn),
        "".join(letter for _, _, letter, *_ in drawn),
    )


def known(piece: SeenPiece) -> bool:
    """Return whether the other side knows its rank."""
    return piece.known_since is not None or piece.known_to_enemy is True


def _barred(view: View, place: Places) -> Iterator[Point]:
    """Mark the square that may not be entered; if somebody stands there now, the mark is before
    it."""
    taken = {piece.square for piece in view.pieces}
    for step in view.barred:
        far = CELL / 2 if step.target in taken else CELL
        yield _towards(place[step.start], place[step.target], far)


def latest(news: Sequence[SeenStep]) -> list[SeenStep]:
    """Return the steps of each side's last order among the news, as they were made."""
    last = {step.side: step.turn for step in news}
    return [step for step in news if step.turn == last[step.side]]


def _towards(start: Point, goal: Point, far: float) -> Point:
    """Return the point `far` from `start` on the way to `goal`, one square on."""
    return (
        start[0] + (goal[0] - start[0]) * far / CELL,
        start[1] + (goal[1] - start[1]) * far / CELL,
    )


def _star(centre: Point) -> str:
    """Return the points of a star around a piece."""
    corners = [(25 if i % 2 else 18.5, pi * i / 10) for i in range(20)]
    return " ".join(
        f"{centre[0] + far * sin(turn):.1f},{centre[1] + far * cos(turn):.1f}"
        for far, turn in corners
    )


def legend(drawn: Shapes, own: Seat, seat: Seat) -> Iterator[tuple[str, str, Message]]:
    """Yield the signs that stand in the drawing, no others: sign, how it looks, what it says."""
    other = ENEMY[own]
    enemy = f"enemy {other}"
    pieces = [(shape, *row) for _, shape, rows in drawn.pieces for row in rows]
    if not pieces:
        return
    yield "1", f"own {own}", say("your piece") if seat else whose(own, None)
    if any(letter == "?" for _, _, _, letter, _, _ in pieces):
        yield "?", enemy, say("an unknown enemy piece")
    else:
        yield "1", enemy, say("the enemy's piece") if seat else whose(other, None)
    known = {shape for shape, _, _, _, ring, _ in pieces if ring}
    if "enemy" in known:
        yield "1", f"{enemy} ring", say("its rank is known to you")
    if "own" in known:
        yield "1", f"own {own} ring", say("its rank is known to the enemy")
    if any(dash for *_, dash in pieces):
        yield "1", f"own {own} dash", say("has moved")
    ordered = {arrow[0] for arrow in drawn.arrows}
    if "mine" in ordered:
        yield "→", "step mine", say("your last order")
    if "theirs" in ordered:
        yield "⇢", "step theirs", say("the enemy's last order")
    if drawn.fights:
        yield "✸", "fight", say("a fight")
    if drawn.barred:
        yield "⊖", "barred", say("not allowed in your next order")
