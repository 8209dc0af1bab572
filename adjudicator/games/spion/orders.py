"""Text to orders and back (rules section 5.2). Sees no match, so it only says "not understood"."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.orders import (
    Line,
    Problem,
    Sheet,
    Written,
    cleaned,
    folded,
    nearest,
    problem,
    shown,
)

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

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
    """`MOVE NOR IF CARD, e2, NEAR HOL`."""

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


class Out(Struct, frozen=True, tag=True):
    """`OUT KEMI TO POR, DAN`: give up the card of a place number or a type (R5.3)."""

    what: int | str
    to: tuple[str, ...] = ()


class Refuse(Struct, frozen=True, tag=True):
    """`REFUSE TO DAN` (R5.3, R6.3)."""

    to: tuple[str, ...] = ()


class At(Struct, frozen=True, tag=True):
    """`PLACE 4`: keep the card there (R6.3)."""

    place: int


class Fifth(Struct, frozen=True, tag=True):
    """`FIFTH ATOM: …`; `card` is a type or `*`. A standing order."""

    card: str
    act: Out | Refuse


class Answer(Struct, frozen=True, tag=True):
    """`ANSWER red FINAL: TAKE 3,1`; `challenger` is a seat or `*`. A standing order."""

    challenger: str
    take: tuple[int, ...]
    final: bool = False


class Keep(Struct, frozen=True, tag=True):
    """`KEEP ATOM: PLACE 4`; `card` is a type or `*`. A standing order."""

    card: str
    act: At | Out | Refuse


Order: TypeAlias = Phrase | Move | Challenge | Ambush | Swap | Pass | Put | Fifth | Answer | Keep

# Folded words to a seat of the rule book: English, Swedish, Norwegian.
COLOURS: Mapping[str, str] = {
    **dict.fromkeys(("blue", "bla"), "blue"),
    **dict.fromkeys(("green", "gron", "gronn"), "green"),
    **dict.fromkeys(("yellow", "gul"), "yellow"),
    **dict.fromkeys(("red", "rod"), "red"),
}
# Types that the shipped boards have, as players may call them; others are written as they are.
_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("physics", "fysikk"), "FYSIK"),
    **dict.fromkeys(("chemistry", "kjemi"), "KEMI"),
    **dict.fromkeys(("space", "romfart", "rymden"), "RYMD"),
}
# The first word of each kind of line, folded, and the line as it should be.
_USAGE: Mapping[str, str] = {
    **dict.fromkeys(("move", "flytt", "flytta"), "MOVE NOR IF CARD, e2, NEAR HOL"),
    **dict.fromkeys(("challenge", "utmana", "utfordr", "utfordre"), "CHALLENGE red 3 ATOM"),
    **dict.fromkeys(("ambush", "smyg", "snik"), "AMBUSH red 2 KEMI VIA f2"),
    **dict.fromkeys(("swap", "byt", "bytt"), "SWAP green"),
    "pass": "PASS",
    **dict.fromkeys(("place", "plats", "plass"), "PLACE 2"),
    **dict.fromkeys(("fifth", "femte"), "FIFTH ATOM: OUT KEMI TO POR, DAN"),
    **dict.fromkeys(("answer", "svar", "svara"), "ANSWER red: TAKE 3,1"),
    **dict.fromkeys(("keep", "behall", "behold"), "KEEP ATOM: PLACE 4"),
    **dict.fromkeys(("phrase", "fras", "frase"), "PHRASE my words"),
}
_PHRASE = ("phrase", "frase", "fras")
LONGEST_LINE = 400  # characters; a list of all embassies fits into it
LONGEST_PHRASE = 200


def parse(lines: Sequence[Line]) -> Sheet[Order]:
    """The orders of a sheet's body, one a line; a list of values is read as so many lines.
    Never raises, whatever the text."""
    written: list[Written[Order]] = []
    problems: list[Problem] = []
    for line, text in cleaned(lines):
        orders = _orders(text)
        if isinstance(orders, Message):
            problems.append(problem(line, orders))
        else:
            written += (Written(order, line) for order in orders)
    return Sheet(tuple(written), tuple(problems))


def canonical(order: Order) -> str:
    """The one way in which we write an order: English words, codes and types in capitals."""
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


def _orders(text: str) -> Sequence[Order] | Message:
    """The orders of a cleaned line, or what is wrong with it."""
    if len(text) > LONGEST_LINE:
        return say("this line has {n} characters; write one order a line", n=len(text))
    first, _, rest = text.partition(" ")
    if folded(first).rstrip(":") in _PHRASE:
        phrase = _phrase(rest)
        return phrase if isinstance(phrase, Message) else (phrase,)
    from lark import LarkError

    try:
        tree = _grammar().parse(folded(text))
    except LarkError:
        return _complaint(text)
    (line,) = tree.children
    return _READERS[line.data](line.children)  # type: ignore[union-attr]  # a line is a rule


def _phrase(words: str) -> Phrase | Message:
    said = " ".join("".join(c if c.isprintable() else " " for c in words).split())
    if len(said) > LONGEST_PHRASE:
        return say(
            "this phrase has {n} characters; {most} are enough", n=len(said), most=LONGEST_PHRASE
        )
    if said and not said.strip(". …"):
        return say("write some words of your own in place of the dots")
    return Phrase(said)


@cache
def _grammar() -> "Lark":
    from lark import Lark

    source = files("adjudicator.games.spion").joinpath("orders.lark").read_text("utf-8")
    return Lark(source, parser="lalr")


def _complaint(text: str) -> Message:
    """By the line's first word: how such a line is written."""
    first = next(iter(folded(text).split()), "").rstrip(":")
    if first in _USAGE:
        return say(
            "I do not understand '{seen}'; write it as {usage}",
            seen=shown(text),
            usage=_USAGE[first],
        )
    if meant := nearest(first, _USAGE):
        return say(
            "I do not understand '{seen}'; did you mean {usage}?",
            seen=shown(text),
            usage=_USAGE[meant],
        )
    return say(
        "I do not understand '{seen}'; a line begins with MOVE, CHALLENGE, AMBUSH, SWAP, PASS, "
        "PLACE, FIFTH, ANSWER, KEEP or PHRASE",
        seen=shown(text),
    )


Parts: TypeAlias = "Sequence[Tree[Token] | Token]"


def _parts(parts: Parts, kind: str) -> "list[list[Token]]":
    """The children of every part of that kind."""
    return [part.children for part in parts if getattr(part, "data", "") == kind]  # type: ignore[misc,union-attr]


def _move(parts: Parts) -> Sequence[Move]:
    return (Move(tuple(_goal(part.children) for part in parts)),)  # type: ignore[union-attr]


def _goal(parts: Parts) -> Goal:
    (place,) = _parts(parts, "place")
    steps = [step for path in _parts(parts, "path") for (step,) in _parts(path, "step")]
    return Goal(
        place=_place(place),
        if_card=bool(_parts(parts, "if_card")),
        near=bool(_parts(parts, "near")),
        path=tuple(_place([step]) for step in steps),
    )


def _challenge(parts: Parts) -> Sequence[Challenge]:
    target, number, guess = _named(parts)
    return (Challenge(_seat(target), int(number), _type(guess)),)


def _ambush(parts: Parts) -> Sequence[Ambush]:
    target, number, guess = _named(parts)
    vias = [_place(place) for via in _parts(parts, "via") for place in _parts(via, "place")]
    return [Ambush(_seat(target), int(number), _type(guess), via) for via in vias or (None,)]


def _named(parts: Parts) -> tuple[str, str, str]:
    (target,), (guess,) = _parts(parts, "name")
    number = next(str(part) for part in parts if not hasattr(part, "data"))
    return str(target), number, str(guess)


def _swap(parts: Parts) -> Sequence[Swap]:
    return [Swap(_seat(target)) for (target,) in _parts(parts, "name")]


def _pass(parts: Parts) -> Sequence[Pass]:
    return (Pass(),)


def _put(parts: Parts) -> Sequence[Put]:
    return [Put(int(str(number))) for number in parts]


def _fifth(parts: Parts) -> Sequence[Fifth]:
    card = _which(parts[0], _type)
    return [Fifth(card, act) for act in _acts(parts[1]) if not isinstance(act, At)]


def _answer(parts: Parts) -> Sequence[Answer]:
    words = [part for part in parts[1:] if not hasattr(part, "data")]
    numbers = tuple(int(str(word)) for word in words if word.type == "NUMBER")
    return (Answer(_which(parts[0], _seat), numbers, final=len(numbers) < len(words)),)


def _keep(parts: Parts) -> Sequence[Keep]:
    card = _which(parts[0], _type)
    return [Keep(card, act) for act in _acts(parts[1])]


def _which(part: "Tree[Token] | Token", name: Callable[[str], str]) -> str:
    word = str(part.children[0])  # type: ignore[union-attr]
    return ANY if word == ANY else name(word)


def _acts(part: "Tree[Token] | Token") -> Sequence[At | Out | Refuse]:
    parts = part.children  # type: ignore[union-attr]
    to = tuple(_place(place) for listed in _parts(parts, "to") for place in _parts(listed, "place"))
    match part.data:  # type: ignore[union-attr]
        case "at":
            return [At(int(str(number))) for number in parts]
        case "refuse":
            return (Refuse(to),)
    names = _parts(parts, "name")
    return (Out(_type(str(names[0][0])) if names else int(str(parts[0])), to),)


_READERS: Mapping[str, Callable[[Parts], Sequence[Order]]] = {
    "move": _move,
    "challenge": _challenge,
    "ambush": _ambush,
    "swap": _swap,
    "pass": _pass,
    "put": _put,
    "fifth": _fifth,
    "answer": _answer,
    "keep": _keep,
}


def _seat(word: str) -> str:
    """A word that is no colour stays, and is answered when it is compared with the match."""
    return COLOURS.get(word, word)


def _type(word: str) -> str:
    return _TYPES.get(word, word.upper())


def _place(words: "Sequence[Token]") -> str:
    """A square as it is, an embassy by its code."""
    text = " ".join(words)
    if re.fullmatch(r"[a-z]\d{1,2}", text):
        return f"{text[0]}{int(text[1:])}"
    return _codes().get(text, text.upper())


@cache
def _codes() -> Mapping[str, str]:
    """The embassies of the boards that come with the game, by folded name and code."""
    from adjudicator.games.spion.board import VARIANTS, standard

    return {
        folded(word): entry.code
        for variant in VARIANTS
        for entry in standard(variant).embassies.values()
        for word in (entry.code, *entry.name.values())
    }
