"""The board as drawn in a report, with signs and with shapes; it lies the same way for everybody.

Whose a piece is and what it is can be told without colours: by a letter, and by a hat or none.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import hypot
from typing import Any

from adjudicator.games.spion.page.plan import Plan, Point, column
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.position import Position
from adjudicator.games.spion.rules.state import SEATS, Place
from adjudicator.games.spion.sight.view import board_seen

LETTERS: Mapping[str, str] = {"blue": "B", "green": "G", "yellow": "Y", "red": "R"}

_WIDTH = 78
_SIGNS = {"street": ".", "well": "@", "forbidden": ":", "wire": "#"}
_DOORS = {"N": "v", "E": "<", "S": "^", "W": ">"}  # the way in, against the arrow
_TURNED = {"N": 180, "E": 270, "S": 0, "W": 90}  # of a tip that points up, to show the way in
_OUT: Mapping[str, tuple[int, int]] = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}

Piece = tuple[str, str, Point, float, bool]  # seat, letter, place, scale, whether the reader's


def board_in(report: Mapping[str, Any]) -> Board:
    """The tables of the board that a report names."""
    return board_seen(report["variant"], report["board"]["own"])


def position_in(report: Mapping[str, Any]) -> Position:
    """What everybody sees, from a report."""
    entries = report["seats"]
    return Position(
        board=board_in(report),
        seats=tuple(entry["seat"] for entry in entries),
        types=tuple(report["types"]),
        spies={entry["seat"]: entry["spy"] for entry in entries},
        bodyguards={entry["seat"]: entry["bodyguard"] for entry in entries},
        out=tuple(entry["code"] for entry in report["board"]["embassies"] if entry["card"]),
        filled={entry["seat"]: tuple(entry["filled"]) for entry in entries},
        open_doors=report["open_doors"],
    )


def reached(report: Mapping[str, Any]) -> Sequence[Place]:
    """Where the reader's spy may go. A double that must be a challenge goes nowhere (R2)."""
    return () if bound(report) or report["phase"] != "play" else tuple(report["reach"])


def bound(report: Mapping[str, Any]) -> bool:
    """Whether the reader's dice can only be a challenge: a double, and nobody moves before."""
    return report["mode"] == "turns" and doubled(report) and bool(report["targets"])


def doubled(report: Mapping[str, Any]) -> bool:
    """Whether the reader has rolled a double."""
    own = (roll["dice"] for roll in report["dice"] if roll["seat"] == report["seat"])
    return any(first == second for first, second in own)


def lines(report: Mapping[str, Any]) -> list[str]:
    """The board in signs: `<B>` a spy, `[B]` a bodyguard, `NOR` an embassy with a card, `nor`
    one without."""
    board = board_in(report)
    wide, signs = _sign_width(board), _signs(report, board)
    columns = [column(col) for col in range(board.cols)]
    head = "   " + " ".join(f"{letter:^{wide}}" for letter in columns)
    drawn = []
    for row in range(1, board.rows + 1):
        cells = " ".join(f"{signs.get(f'{letter}{row}', ''):^{wide}}" for letter in columns)
        drawn.append(f"{row:>2} {cells} {row}")
    return [head.rstrip(), *drawn, head.rstrip()]


def letters_for_codes(board: Board) -> Mapping[str, Place]:
    """The embassies by the letters that stand for codes which a board in signs has no room for."""
    if max(map(len, board.embassies)) <= _sign_width(board):
        return {}
    return {embassy.letter: code for code, embassy in board.embassies.items()}


def _sign_width(board: Board) -> int:
    """Columns of a square: as many as the longest code has, where the page is wide enough."""
    return max(3, min(max(map(len, board.embassies)), (_WIDTH - 6) // board.cols - 1))


def _signs(report: Mapping[str, Any], board: Board) -> dict[Place, str]:
    signs = {cell: _SIGNS.get(kind, "") for cell, kind in board.kinds.items()}
    for place in reached(report):
        if place in signs:
            signs[place] = "+" if signs[place] == "." else f"+{signs[place]}"
    short = letters_for_codes(board)
    for entry in report["board"]["embassies"]:
        embassy = board.embassies[entry["code"]]
        sign = embassy.letter if short else embassy.code
        signs[embassy.cell] = sign if entry["card"] else sign.lower()
        signs[embassy.door] = _DOORS[embassy.arrow]
    for seat in report["seats"]:
        signs[seat["start"]] = LETTERS[seat["seat"]].lower()
    return {**signs, **dict(_piece_signs(report, signs))}


def _piece_signs(
    report: Mapping[str, Any], signs: Mapping[Place, str]
) -> Iterator[tuple[Place, str]]:
    """A spy in an embassy has no square of its own; the table says where it is."""
    for seat in report["seats"]:
        letter = LETTERS[seat["seat"]]
        yield seat["bodyguard"], f"[{letter}]"
        if seat["spy"] in signs:
            yield seat["spy"], f"<{letter}>"


def shapes(report: Mapping[str, Any]) -> dict[str, Any]:
    """The board as rows for the SVG template: places in its units, classes, letters."""
    board = board_in(report)
    plan = Plan(board)
    return {
        "width": plan.width,
        "height": plan.height,
        "home": plan.home,
        "tiles": {kind: _tiles(board, plan, kind) for kind in _SIGNS},
        "starts": [
            (seat["seat"], plan.at(seat["start"]), plan.at(seat["home"]))
            for seat in report["seats"]
        ],
        "labels": list(plan.labels()),
        "embassies": [_embassy(report, entry, plan) for entry in report["board"]["embassies"]],
        "goals": [
            (plan.at(place), 20 if place in board.wells else 7)
            for place in reached(report)
            if place in board.kinds
        ],
        "ways": list(_ways(report, board, plan)),
        "sent": list(_sent(report, plan)),
        **pieces(report, board, plan),
    }


def pieces(report: Mapping[str, Any], board: Board, plan: Plan) -> dict[str, list[Piece]]:
    """Where bodyguards and spies stand in the drawing."""
    return {
        "guards": [_guard(report, seat, plan) for seat in report["seats"]],
        "spies": list(_spies(report, board, plan)),
    }


def _tiles(board: Board, plan: Plan, kind: str) -> list[tuple[Place, int, int]]:
    return [(cell, *plan.at(cell)) for cell, found in board.kinds.items() if found == kind]


def _embassy(report: Mapping[str, Any], entry: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
    """Its square, the tip at its door, and where in it a card lies."""
    x, y = plan.at(entry["code"])
    right, down = _OUT[entry["arrow"]]
    return {
        "code": entry["code"],
        "x": x,
        "y": y,
        "door": (x + 21 * right, y + 21 * down, _TURNED[entry["arrow"]]),
        "size": {3: 15, 4: 12}.get(len(entry["code"]), 15 if len(entry["code"]) < 3 else 10),
        "card": _slots(report, entry, plan)[0] if entry["card"] else None,
        "type": entry["type"] if len(entry["type"] or "") <= 5 else None,
        "goal": entry["code"] in reached(report),
    }


def _slots(report: Mapping[str, Any], entry: Mapping[str, Any], plan: Plan) -> list[Point]:
    """Places in a row for the card of an embassy and for the spies in it."""
    x, y = plan.at(entry["code"])
    many = entry["card"] + sum(seat["spy"] == entry["code"] for seat in report["seats"])
    step = min(19, 38 / max(many, 1))
    return [(round(x + step * (i - (many - 1) / 2), 1), y + 9) for i in range(many)]


def _spies(report: Mapping[str, Any], board: Board, plan: Plan) -> Iterator[Piece]:
    used = {entry["code"]: _slots(report, entry, plan) for entry in report["board"]["embassies"]}
    free = {code: iter(slots[::-1]) for code, slots in used.items()}  # a card lies leftmost
    for seat in report["seats"]:
        inside = seat["spy"] in board.embassies
        place = next(free[seat["spy"]]) if inside else plan.at(seat["spy"])
        own = seat["seat"] == report["seat"]
        scale = 1.0 if not inside else 0.68 if len(used[seat["spy"]]) < 3 else 0.5
        yield seat["seat"], LETTERS[seat["seat"]], place, scale, own


def _guard(report: Mapping[str, Any], seat: Mapping[str, Any], plan: Plan) -> Piece:
    scale = plan.home / 34 if seat["bodyguard"] == seat["home"] else 1
    own = seat["seat"] == report["seat"]
    return seat["seat"], LETTERS[seat["seat"]], plan.at(seat["bodyguard"]), min(scale, 1), own


def _ways(
    report: Mapping[str, Any], board: Board, plan: Plan
) -> Iterator[tuple[str, str, str, str]]:
    """Of each move in the news: seat, its way on foot, below ground, and the tip of its arrow."""
    for step in report["news"]:
        if step["event"] != "moved":
            continue
        far = 22 if step["goal"] in board.embassies else 17
        aside = 4 * SEATS.index(step["seat"]) - 6  # so that ways along one street stay apart
        points = [_beside(plan.at(place), aside) for place in (step["start"], *step["path"])]
        points[0] = _short_of(points[1], points[0], 20 if step["start"] in board.embassies else 0)
        points[-1] = _short_of(points[-2], points[-1], far)
        pairs = list(pairwise(points))
        below = below_ground(board, (step["start"], *step["path"]))
        foot = [pair for pair, tunnel in zip(pairs, below, strict=True) if not tunnel]
        tunnels = [pair for pair, tunnel in zip(pairs, below, strict=True) if tunnel]
        yield step["seat"], _drawn(foot), _drawn(tunnels), _tip(*pairs[-1])


def below_ground(board: Board, path: Sequence[Place]) -> list[bool]:
    """Of each step, whether it is one through a tunnel."""
    return [
        there in board.tunnels.get(here, ()) and there not in board.walk[here]
        for here, there in pairwise(path)
    ]


def _sent(report: Mapping[str, Any], plan: Plan) -> Iterator[tuple[str, Point, Point]]:
    """Pieces that were put elsewhere: by whom they are, from and to."""
    for step in report["news"]:
        if step["event"] == "challenged":
            yield step["seat"], plan.at(step["guard_from"]), plan.at(step["guard_to"])
            yield step["target"], plan.at(step["spy_from"]), plan.at(step["spy_to"])
        elif step["event"] == "guard-swapped":
            yield step["seat"], plan.at(step["guard_from"]), plan.at(step["guard_to"])
            yield step["target"], plan.at(step["guard_to"]), plan.at(step["goal"])


def _beside(point: Point, aside: float) -> Point:
    return point[0] + aside, point[1] + aside


def _short_of(start: Point, goal: Point, far: float) -> Point:
    """The point `far` before the goal on the way from `start`."""
    right, down = _direction(start, goal)
    return goal[0] - far * right, goal[1] - far * down


def _direction(start: Point, goal: Point) -> Point:
    right, down = goal[0] - start[0], goal[1] - start[1]
    length = hypot(right, down) or 1
    return right / length, down / length


def _drawn(pairs: Sequence[tuple[Point, Point]]) -> str:
    """Path data of lines, joined where one goes on from another."""
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
