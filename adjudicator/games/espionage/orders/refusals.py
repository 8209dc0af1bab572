"""Why an order cannot be made, as sentences with holes: the checker fills them here, the composer
in the page, so that both say the same."""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from adjudicator.core.message import Message, Value, count, say
from adjudicator.core.orders import shown

# Of steps (rules 2.2-2.6).
STEPS: Mapping[str, Message] = {
    "two-pieces": say("{square}: two different pieces must move"),
    "no-piece": say("you have no piece on {square}"),
    "not-yours": say("the piece on {square} is not yours"),
    "immobile": say("your {rank} on {square} cannot move"),
    "nowhere": say("{square} to itself is not a step"),
    "crooked": say("{start} to {target} is not straight; a piece steps north, south, east or west"),
    "too-far": say("{start} to {target} is too far; a piece steps one square"),
    "volcano": say("{square} is a volcano"),
    "barred": say("a piece may not go straight back: {start} to {target} is not allowed this turn"),
    "taken": say("your first step already goes to {square}"),
    "own-piece": say("your own piece is on {square}"),
}
UNFILLED = say("step {n} is not filled in")
# Of set-ups (rules 1.2, 1.3).
NOT_THE_ARMY = say("{title}: {seen} placed, the army has {n}")
NOT_AT_HOME = say("{square} is not in your home rows, which are a{low} to {last}{high}")


def unfilled_squares(number: int, row: str) -> Message:
    """Explain that a row of letters still has dots of the template."""
    if not row.strip("."):
        return say("row {row} is not filled in", row=number)
    return count(
        "row {row}: {n} square is not filled in",
        "row {row}: {n} squares are not filled in",
        row.count("."),
        row=number,
    )


def strange_signs(number: int, signs: Collection[str]) -> Message:
    """Say that `signs` in a row of letters stand for no piece."""
    return count(
        "row {row}: '{signs}' is not a piece; the letters are 1 2 3 4 5 S P M H",
        "row {row}: '{signs}' are not pieces; the letters are 1 2 3 4 5 S P M H",
        len(signs),
        row=number,
        signs=shown(" ".join(signs)),
    )


def because(reason: Message, **values: Value) -> Message:
    """Fill the holes of a sentence."""
    return replace(reason, values=values)
