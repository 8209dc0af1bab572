"""Orders as values, and the one way in which we write them (rules section 5.2)."""

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from adjudicator.core.match import StoredValue

ANY = "*"


class Phrase(Struct, frozen=True, tag=True):
    """`PHRASE my words` (6.2)."""

    text: str


class Goal(Struct, frozen=True):
    """One wish of a MOVE line. `path` forces the places to enter."""

    place: str
    if_card: bool = False
    near: bool = False
    path: tuple[str, ...] = ()


class Move(Struct, frozen=True, tag=True):
    """`MOVE NOR IF CARD, e2, NEAR DAN`."""

    goals: tuple[Goal, ...]


class Challenge(Struct, frozen=True, tag=True):
    """`CHALLENGE red 3 ATOM` (R6)."""

    target: str
    place: int
    guess: str


class Ambush(Struct, frozen=True, tag=True):
    """`AMBUSH red 2 KEMI VIA f2` (R7); `via` is the square to stand on."""

    target: str
    place: int
    guess: str
    via: str | None = None


class Swap(Struct, frozen=True, tag=True):
    """`SWAP green` (R8.2)."""

    target: str


class Pass(Struct, frozen=True, tag=True):
    """`PASS`: a blocked spy lets its chance to swap go (R8.2)."""


class Put(Struct, frozen=True, tag=True):
    """`PLACE 2`: where a card that is taken goes (R5.2)."""

    place: int


class Out(StoredValue, frozen=True, tag=True):
    """`OUT KEMI TO POR, DAN`: give up the card of a place number or a type (R5.3)."""

    what: int | str
    to: tuple[str, ...] = ()


class Refuse(StoredValue, frozen=True, tag=True):
    """`REFUSE TO DAN` (R5.3, R6.3)."""

    to: tuple[str, ...] = ()


class At(StoredValue, frozen=True, tag=True):
    """`PLACE 4`: keep the card there (R6.3)."""

    place: int


class Fifth(StoredValue, frozen=True, tag=True):
    """`FIFTH ATOM: …`; `card` is a type or `*`. A standing order."""

    card: str
    act: Out | Refuse


class Answer(StoredValue, frozen=True, tag=True):
    """`ANSWER red FINAL: TAKE 3,1`; `challenger` is a seat or `*`. A standing order."""

    challenger: str
    take: tuple[int, ...]
    final: bool = False


class Keep(StoredValue, frozen=True, tag=True):
    """`KEEP ATOM: PLACE 4`; `card` is a type or `*`. A standing order."""

    card: str
    act: At | Out | Refuse


Order: TypeAlias = Phrase | Move | Challenge | Ambush | Swap | Pass | Put | Fifth | Answer | Keep


def canonical(order: Order) -> str:
    """Write an order in the one way in which we write it: English words, codes and types in
    capitals."""
    match order:
        case Phrase(text):
            return f"PHRASE {text}".strip()
        case Move(goals):
            return "MOVE " + ", ".join(_goal_text(goal) for goal in goals)
        case Challenge(target, place, guess):
            return f"CHALLENGE {target} {place} {guess}"
        case Ambush(target, place, guess, via):
            return f"AMBUSH {target} {place} {guess}" + (f" VIA {via}" if via else "")
        case Swap(target):
            return f"SWAP {target}"
        case Pass():
            return "PASS"
        case Put(place):
            return f"PLACE {place}"
        case Fifth(card, act):
            return f"FIFTH {card}: {_act_text(act)}"
        case Answer(challenger, take, final):
            places = ",".join(map(str, take))
            return f"ANSWER {challenger}{' FINAL' if final else ''}: TAKE {places}"
        case Keep(card, act):
            return f"KEEP {card}: {_act_text(act)}"


def _goal_text(goal: Goal) -> str:
    parts = (
        "NEAR" if goal.near else "",
        goal.place,
        "IF CARD" if goal.if_card else "",
        " ".join(("PATH", *goal.path)) if goal.path else "",
    )
    return " ".join(part for part in parts if part)


def _act_text(act: At | Out | Refuse) -> str:
    match act:
        case At(place):
            return f"PLACE {place}"
        case Out(what, to):
            return f"OUT {what}" + _to_text(to)
        case Refuse(to):
            return "REFUSE" + _to_text(to)


def _to_text(to: Sequence[str]) -> str:
    return f" TO {', '.join(to)}" if to else ""
