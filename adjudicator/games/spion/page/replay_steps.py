"""A match as a page steps through it: a moment after each turn."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, TypeAlias

from msgspec import Struct

from adjudicator.core.lookback import Step
from adjudicator.games.spion.page.drawing import LETTERS, Piece, below_ground, board_in, pieces
from adjudicator.games.spion.page.plan import Plan
from adjudicator.games.spion.rules.state import SEATS, Place

Position: TypeAlias = Mapping[str, str]  # what stands where, by what it is
Stand = tuple[Place, Place, str]  # of a seat: spy, bodyguard, what the holder shows
Corner = tuple[float, float]


class Moment(Struct, frozen=True):
    """What stood after a turn, and what came before it. `points` are the sentences for which a
    reader may want to come here, each with its weight."""

    label: str
    position: Position
    ways: Sequence[str]
    steps: Sequence[Step]
    points: Sequence[tuple[int, str]] = ()


def changes(before: Position, after: Position, ways: Sequence[str]) -> str:
    """What differs, as the page's script reads it, and the ways of the pieces that went."""
    new = [f"{what}={where}" for what, where in after.items() if before.get(what) != where]
    gone = [f"{what}=" for what in before if what not in after]
    return ";".join((*new, *gone, *ways))


def position(
    report: Mapping[str, Any],
    seats: Mapping[str, Stand],
    lying: Mapping[Place, str],
    news: Sequence[Mapping[str, Any]],
) -> tuple[Position, list[str]]:
    """A position and the ways that led to it, in units of the drawing: `B` is Blue's spy, `b` his
    bodyguard, `#B` his holder, `@NOR` an embassy's card, each with its place or what it shows."""
    board = board_in(report)
    plan = Plan(board)
    drawn = pieces(_sketch(report, seats, lying), board, plan)
    placed = {
        **{letter: _spot(piece) for piece in drawn["spies"] for letter in [piece[1]]},
        **{piece[1].lower(): _spot(piece) for piece in drawn["guards"]},
        **{f"#{LETTERS[seat]}": holder for seat, (_, _, holder) in seats.items()},
        **{f"@{code}": card for code, card in lying.items()},
    }
    return placed, [way for step in news for way in _ways(step, report, plan)]


def _sketch(
    report: Mapping[str, Any], seats: Mapping[str, Stand], lying: Mapping[Place, str]
) -> dict[str, Any]:
    """As much of a report as the pieces are drawn from."""
    homes = {entry["seat"]: entry["home"] for entry in report["seats"]}
    return {
        "seat": report["seat"],
        "board": {
            "embassies": [
                {"code": entry["code"], "card": entry["code"] in lying}
                for entry in report["board"]["embassies"]
            ]
        },
        "seats": [
            {"seat": seat, "spy": spy, "bodyguard": bodyguard, "home": homes[seat]}
            for seat, (spy, bodyguard, _) in seats.items()
        ],
    }


def _spot(piece: Piece) -> str:
    _, _, (x, y), scale, _ = piece
    return f"{x:g},{y:g}" + (f",{scale:.2g}" if scale != 1 else "")


def _ways(step: Mapping[str, Any], report: Mapping[str, Any], plan: Plan) -> Iterator[str]:
    """`+B` on foot, `~B` through a tunnel, `:B` put somewhere: corner by corner."""
    mover = LETTERS[step["seat"]]
    match step["event"]:
        case "moved":
            yield from _walk(mover, (step["start"], *step["path"]), report, plan)
        case "challenged":
            yield _line(":", mover, [plan.at(step["guard_from"]), plan.at(step["guard_to"])])
            target = LETTERS[step["target"]]
            yield _line(":", target, [plan.at(step["spy_from"]), plan.at(step["spy_to"])])
        case "guard-swapped":
            yield _line(":", mover, [plan.at(step["guard_from"]), plan.at(step["guard_to"])])
            target = LETTERS[step["target"]]
            yield _line(":", target, [plan.at(step["guard_to"]), plan.at(step["goal"])])


def _walk(mover: str, way: Sequence[Place], report: Mapping[str, Any], plan: Plan) -> Iterator[str]:
    aside = 4 * [LETTERS[seat] for seat in SEATS].index(mover) - 6  # as the board draws ways
    points = [(x + aside, y + aside) for x, y in map(plan.at, way)]
    steps = zip(pairwise(points), below_ground(board_in(report), way), strict=True)
    for below, part in groupby(steps, key=lambda step: step[1]):
        legs = [leg for leg, _ in part]
        yield _line("~" if below else "+", mover, [legs[0][0], *(end for _, end in legs)])


def _line(kind: str, letter: str, points: Sequence[Corner]) -> str:
    return f"{kind}{letter}=" + " ".join(f"{x:g},{y:g}" for x, y in _corners(points))


def _corners(points: Sequence[Corner]) -> Iterator[Corner]:
    """Without the points between two steps in one direction."""
    yield points[0]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        if (here[0] - before[0], here[1] - before[1]) != (after[0] - here[0], after[1] - here[1]):
            yield here
    yield points[-1]
