"""Measure how far every square is from what is worth going to, for one kind of piece."""

from collections.abc import Iterable, Mapping

from adjudicator.games.espionage.rules.board import Square

FAR = 40


def distances(
    goals: Mapping[Square, int],
    tolls: Mapping[Square, int],
    beside: Mapping[Square, tuple[Square, ...]],
) -> Mapping[Square, int]:
    """Count the steps from each square to the best goal, at most FAR.

    `goals` says from which number each goal counts, less for a better one. A step onto a square
    costs 1, or what `tolls` asks; a toll of FAR closes the square.
    """
    reached: dict[Square, int] = {}
    waiting: list[list[Square]] = [[] for _ in range(FAR)]
    _enter(waiting, goals.items())
    for here, squares in enumerate(waiting):
        for square in squares:
            if square in reached:
                continue
            reached[square] = here
            onward = here + (1 if square in goals else tolls.get(square, 1))
            if onward < FAR:
                waiting[onward] += [near for near in beside[square] if near not in reached]
    return reached


def _enter(waiting: list[list[Square]], goals: Iterable[tuple[Square, int]]) -> None:
    for square, start in goals:
        waiting[min(start, FAR - 1)].append(square)
