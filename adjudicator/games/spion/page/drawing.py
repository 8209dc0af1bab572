"""The board as drawn in a report, with signs and with shapes; it lies the same way for everybody.

Whose a piece is and what it is can be told without colours: by a letter, and by a hat or none.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import hypot

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say
from adjudicator.games.spion.page.plan import Label, Plan, Point
from adjudicator.games.spion.rules.board import SIGNS, Board
from adjudicator.games.spion.rules.board_file import COLUMNS
from adjudicator.games.spion.rules.state import SEATS, Card, Place
from adjudicator.games.spion.sight.sightings import SawChallenged, SawGuardSwapped, SawMoved, Seen
from adjudicator.games.spion.sight.view import SeenEmbassy, SeenSeat, View, board_in, doubled

LETTERS: Mapping[str, str] = {"blue": "B", "green": "G", "yellow": "Y", "red": "R"}

_WIDTH = 70
_AROUND, _LEAST = 110, 270  # units beside a way that is shown by itself, and of its whole side
_SHOWN = 24  # units from the edge: phones hide less than that of the edge, and a home is wider
_DOORS = {"N": "v", "E": "<", "S": "^", "W": ">"}  # the way in, against the arrow
_TURNED = {"N": 180, "E": 270, "S": 0, "W": 90}  # of a tip that points up, to show the way in
_OUT: Mapping[str, tuple[int, int]] = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}

Piece = tuple[Seat, str, Point, float, bool]  # seat, letter, place, scale, whether the reader's


class DrawnEmbassy(Struct, frozen=True, kw_only=True):
    """Its square, the tip at its door, and where in it a card lies."""

    code: Place
    x: int
    y: int
    door: tuple[int, int, int]
    size: int
    card: Point | None
    type: Card | None


class Ground(Struct, frozen=True, kw_only=True):
    """Hold what is the same whenever a board is drawn: the middles of the squares of each kind, and
    the letters and numbers around them."""

    width: int
    height: int
    home: int
    street: tuple[tuple[int, int], ...]
    well: tuple[tuple[int, int], ...]
    forbidden: tuple[tuple[int, int], ...]
    wire: tuple[tuple[int, int], ...]
    labels: tuple[Label, ...]


class Shapes(Struct, frozen=True, kw_only=True):
    """The board as rows for the SVG template: places in its units, classes, letters.

    `cards` are goals where a card lies, `goals` all others. `ways` are of each move in the news:
    seat, its way on foot, below ground, and the tip of its arrow; `crops` the part of the board
    around each; `sent` are pieces that were put elsewhere.
    """

    ground: Ground
    starts: Sequence[tuple[Seat, Point, Point]]
    embassies: Sequence[DrawnEmbassy]
    goals: Sequence[Point]
    cards: Sequence[Point]
    ways: Sequence[tuple[Seat, str, str, str]]
    crops: Sequence[str]
    sent: Sequence[tuple[Seat, Point, Point]]
    guards: Sequence[Piece]
    spies: Sequence[Piece]


def reachable_places(view: View) -> Sequence[Place]:
    """Return where the reader's spy may go. A double that must be a challenge goes nowhere (R2)."""
    return () if bound(view) or view.phase != "play" else view.reach


def bound(view: View) -> bool:
    """Return whether the reader's dice can only be a challenge: a double, and nobody moves
    before."""
    return view.mode == "turns" and doubled(view) and bool(view.targets)


def lines(view: View) -> list[str]:
    """Draw the board in signs: `<B>` a spy, `[B]` a bodyguard, `NOR` an embassy with a card, `nor`
    one without."""
    board = board_in(view)
    wide, signs = _sign_width(board), _signs(view, board)
    columns = COLUMNS[: board.cols]
    head = "   " + " ".join(f"{letter:^{wide}}" for letter in columns)
    drawn = []
    for row in range(1, board.rows + 1):
        cells = " ".join(f"{signs.get(f'{letter}{row}', ''):^{wide}}" for letter in columns)
        drawn.append(f"{row:>2} {cells} {row}")
    return [head.rstrip(), *drawn, head.rstrip()]


def letters_for_codes(board: Board) -> Mapping[str, Place]:
    """Return the embassies by the letters that stand for codes for which a board in signs has no
    room."""
    if max(map(len, board.embassies)) <= _sign_width(board):
        return {}
    return {embassy.letter: code for code, embassy in board.embassies.items()}


def _sign_width(board: Board) -> int:
    """Return how many columns a square has: as many as the longest code, if the page is wide
    enough."""
    return max(3, min(max(map(len, board.embassies)), (_WIDTH - 6) // board.cols - 1))


def _signs(view: View, board: Board) -> dict[Place, str]:
    signs = {cell: SIGNS.get(kind, "") for cell, kind in board.kinds.items()}
    for place in reachable_places(view):
        if place in signs:
            signs[place] = "+" if signs[place] == "." else f"+{signs[place]}"
    short = letters_for_codes(board)
    for entry in view.board.embassies:
        embassy = board.embassies[entry.code]
        sign = embassy.letter if short else embassy.code
        signs[embassy.cell] = sign if entry.card else sign.lower()
        signs[embassy.door] = _DOORS[embassy.arrow]
    for seat in view.seats:
        signs[seat.start] = LETTERS[seat.seat].lower()
    return {**signs, **dict(_piece_signs(view, signs))}


def _piece_signs(view: View, signs: Mapping[Place, str]) -> Iterator[tuple[Place, str]]:
    """Put the signs of pieces on the board. A spy in an embassy has no square of its own; the table
    says where it is."""
    for seat in view.seats:
        letter = LETTERS[seat.seat]
        yield seat.bodyguard, f"[{letter}]"
        if seat.spy in signs:
            yield seat.spy, f"<{letter}>"


def shapes(view: View, news: Sequence[Seen]) -> Shapes:
    board = board_in(view)
    plan = Plan(board)
    goals = reachable_places(view)
    cards = {entry.code for entry in view.board.embassies if entry.card}
    return Shapes(
        ground=_ground(board),
        starts=[(seat.seat, plan.at(seat.start), plan.at(seat.home)) for seat in view.seats],
        embassies=[_embassy(view, entry, plan) for entry in view.board.embassies],
        goals=[plan.at(place) for place in goals if place not in cards],
        cards=[plan.at(place) for place in goals if place in cards],
        ways=list(_ways(news, board, plan)),
        crops=[_crop(step, plan) for step in news if isinstance(step, SawMoved)],
        sent=list(_sent(news, plan)),
        guards=guards(view, plan),
        spies=spies(view, board, plan),
    )


@lru_cache(maxsize=16)
def _ground(board: Board) -> Ground:
    plan = Plan(board)
    return Ground(
        width=plan.width,
        height=plan.height,
        home=plan.home,
        street=_tiles(board, plan, "street"),
        well=_tiles(board, plan, "well"),
        forbidden=_tiles(board, plan, "forbidden"),
        wire=_tiles(board, plan, "wire"),
        labels=tuple(plan.labels()),
    )


def guards(view: View, plan: Plan) -> list[Piece]:
    """Return where bodyguards stand in the drawing."""
    return [_guard(seat, seat.seat == view.seat, plan) for seat in view.seats]


def _tiles(board: Board, plan: Plan, kind: str) -> tuple[tuple[int, int], ...]:
    return tuple(plan.at(cell) for cell, found in board.kinds.items() if found == kind)


def _embassy(view: View, entry: SeenEmbassy, plan: Plan) -> DrawnEmbassy:
    x, y = plan.at(entry.code)
    right, down = _OUT[entry.arrow]
    return DrawnEmbassy(
        code=entry.code,
        x=x,
        y=y,
        door=(x + 21 * right, y + 21 * down, _TURNED[entry.arrow]),
        size={3: 15, 4: 12}.get(len(entry.code), 15 if len(entry.code) < 3 else 10),
        card=_slots(view, entry, plan)[0] if entry.card else None,
        type=entry.type if len(entry.type or "") <= 5 else None,
    )


def _slots(view: View, entry: SeenEmbassy, plan: Plan) -> list[Point]:
    """Return places in a row for the card of an embassy and for the spies in it."""
    x, y = plan.at(entry.code)
    many = entry.card + sum(seat.spy == entry.code for seat in view.seats)
    step = min(19, 38 / max(many, 1))
    return [(round(x + step * (i - (many - 1) / 2), 1), y + 9) for i in range(many)]


def spies(view: View, board: Board, plan: Plan) -> list[Piece]:
    """Return where spies stand in the drawing."""
    used = {entry.code: _slots(view, entry, plan) for entry in view.board.embassies}
    free = {code: iter(slots[::-1]) for code, slots in used.items()}  # a card lies leftmost
    drawn: list[Piece] = []
    for seat in view.seats:
        inside = seat.spy in board.embassies
        place = next(free[seat.spy]) if inside else plan.at(seat.spy)
        scale = 1.0 if not inside else 0.68 if len(used[seat.spy]) < 3 else 0.5
        drawn.append((seat.seat, LETTERS[seat.seat], place, scale, seat.seat == view.seat))
    return drawn


def _guard(seat: SeenSeat, own: bool, plan: Plan) -> Piece:
    scale = plan.home / 34 if seat.bodyguard == seat.home else 1
    return seat.seat, LETTERS[seat.seat], plan.at(seat.bodyguard), min(scale, 1), own


def _ways(news: Sequence[Seen], board: Board, plan: Plan) -> Iterator[tuple[Seat, str, str, str]]:
    for step in news:
        if not isinstance(step, SawMoved):
            continue
        far = 22 if step.goal in board.embassies else 17
        points = [beside(plan.at(place), step.seat) for place in (step.start, *step.path)]
        points[0] = _short_of(points[1], points[0], 20 if step.start in board.embassies else 0)
        points[-1] = _short_of(points[-2], points[-1], far)
        pairs = list(pairwise(points))
        below = below_ground(board, (step.start, *step.path))
        foot = [pair for pair, tunnel in zip(pairs, below, strict=True) if not tunnel]
        tunnels = [pair for pair, tunnel in zip(pairs, below, strict=True) if tunnel]
        yield step.seat, _drawn(foot), _drawn(tunnels), _tip(*pairs[-1])


def _crop(step: SawMoved, plan: Plan) -> str:
    """Return the part of the drawing that shows a way, as a square with some squares around it."""
    across, down = zip(*(plan.at(place) for place in (step.start, *step.path)), strict=True)
    side = max(max(across) - min(across), max(down) - min(down)) + _AROUND
    side = min(max(side, _LEAST), plan.width)
    corner = [
        max(0, min(round((min(along) + max(along) - side) / 2), wide - side))
        for along, wide in ((across, plan.width), (down, plan.height))
    ]
    return f"{corner[0]} {corner[1]} {side} {side}"


def below_ground(board: Board, path: Sequence[Place]) -> list[bool]:
    """Return for each step whether it is one through a tunnel."""
    return [
        there in board.tunnels.get(here, ()) and there not in board.walk[here]
        for here, there in pairwise(path)
    ]


def _sent(news: Sequence[Seen], plan: Plan) -> Iterator[tuple[Seat, Point, Point]]:
    for step in news:
        for seat, start, goal in movements(step):
            yield seat, _inside(plan.at(start), plan), _inside(plan.at(goal), plan)


def _inside(point: Point, plan: Plan) -> Point:
    """Return the point, or for a home's the corner of it that phones show, too."""
    return (
        min(max(point[0], _SHOWN), plan.width - _SHOWN),
        min(max(point[1], _SHOWN), plan.height - _SHOWN),
    )


def movements(step: Seen) -> Sequence[tuple[Seat, Place, Place]]:
    """Return the pieces that an event put elsewhere: whose they are, from where and to where."""
    match step:
        case SawChallenged():
            return (
                (step.seat, step.guard_from, step.guard_to),
                (step.target, step.spy_from, step.spy_to),
            )
        case SawGuardSwapped():
            return (
                (step.seat, step.guard_from, step.guard_to),
                (step.target, step.guard_to, step.goal),
            )
        case _:
            return ()


def beside(point: Point, seat: Seat) -> Point:
    """Return a point of a seat's way: ways along one street are to stay apart."""
    aside = 4 * SEATS.index(seat) - 6
    return point[0] + aside, point[1] + aside


def _short_of(start: Point, goal: Point, far: float) -> Point:
    """Return the point `far` before the goal on the way from `start`."""
    right, down = _direction(start, goal)
    return goal[0] - far * right, goal[1] - far * down


def _direction(start: Point, goal: Point) -> Point:
    right, down = goal[0] - start[0], goal[1] - start[1]
    length = hypot(right, down) or 1
    return right / length, down / length


def _drawn(pairs: Sequence[tuple[Point, Point]]) -> str:
    """Write the path data of lines, joined where one goes on from another."""
    data, at = "", None
    for start, goal in pairs:
        data += "" if start == at else f"M{_point(start)}"
        data += f"L{_point(goal)}"
        at = goal
    return data


def _tip(start: Point, goal: Point) -> str:
    right, down = _direction(start, goal)
    back = goal[0] - 5 * right, goal[1] - 5 * down
    tip = goal[0] + 5 * right, goal[1] + 5 * down
    left = back[0] + 5.5 * down, back[1] - 5.5 * right
    other = back[0] - 5.5 * down, back[1] + 5.5 * right
    return f"M{_point(tip)}L{_point(left)}L{_point(other)}z"


def _point(point: Point) -> str:
    return f"{point[0]:.4g} {point[1]:.4g}"


# The legend: the signs that stand in the drawing, no others, and what they say.

Row = tuple[str, str, str]  # a sign, how it looks, what it says


def legend(shapes: Shapes, reader: str | None, words: Words) -> list[Row]:
    """Explain the signs of a drawing. `shapes` are its rows; without a `reader` nothing in it is
    his."""
    seat = reader or str(shapes.spies[0][0])
    return [(sign, style, words(told)) for sign, style, told in _legend_signs(shapes, reader, seat)]


def _legend_signs(
    shapes: Shapes, reader: str | None, seat: str
) -> Iterator[tuple[str, str, Message]]:
    yield LETTERS[seat], f"spy {seat}", say("a spy")
    yield LETTERS[seat], f"guard {seat}", say("a bodyguard")
    if reader:
        yield LETTERS[seat], f"spy own {seat}", say("with a ring: yours")
    cards = {bool(embassy.card) for embassy in shapes.embassies}
    if True in cards:
        yield "=", "card", say("dark: an embassy with a card")
    if False in cards:
        yield "", "bare", say("an embassy without a card")
    yield "\N{BLACK UP-POINTING TRIANGLE}", "door", say("the door of an embassy")
    yield from _ground_signs(shapes)
    yield from _line_signs(shapes)


def _ground_signs(shapes: Shapes) -> Iterator[tuple[str, str, Message]]:
    ground = shapes.ground
    for kind, tiles, told in (
        ("well", ground.well, say("a well")),
        ("forbidden", ground.forbidden, say("forbidden area")),
        ("wire", ground.wire, say("barbed wire")),
    ):
        if tiles:
            yield "\N{MULTIPLICATION X}" if kind == "wire" else "", kind, told
    if shapes.goals or shapes.cards:
        yield "", "goal", say("you can reach it")


def _line_signs(shapes: Shapes) -> Iterator[tuple[str, str, Message]]:
    """Lines have the colours of those whose pieces went."""
    if shapes.ways:
        yield "\N{RIGHTWARDS ARROW}", "line", say("where a spy went")
    if any(tunnel for _, _, tunnel, _ in shapes.ways):
        yield "\N{RIGHTWARDS DASHED ARROW}", "line", say("through a tunnel")
    if shapes.sent:
        yield "\N{MIDLINE HORIZONTAL ELLIPSIS}", "line", say("sent home, or put there")
