"""Text to orders (rules section 5.2). Sees no match, so it only says "not understood"."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudicator.core.likeness import Likeness
from adjudicator.core.message import Message, say
from adjudicator.core.orders import (
    MOST_ORDERS,
    Line,
    Problem,
    Sheet,
    WrittenOrder,
    cleaned,
    folded,
    nearest,
    problem,
    shown,
    unstopped,
)
from adjudicator.games.spion.orders.values import (
    ANY,
    Ambush,
    Answer,
    At,
    Challenge,
    Fifth,
    Goal,
    Keep,
    Move,
    Order,
    Out,
    Pass,
    Phrase,
    Put,
    Refuse,
    Swap,
)
from adjudicator.games.spion.rules.variants import VARIANTS, standard

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

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
_USAGE: Mapping[str, Message] = {
    **dict.fromkeys(("move", "flytt", "flytta"), say("MOVE NOR IF CARD, e2, NEAR DAN")),
    **dict.fromkeys(("challenge", "utmana", "utfordr", "utfordre"), say("CHALLENGE red 3 ATOM")),
    **dict.fromkeys(("ambush", "smyg", "snik"), say("AMBUSH red 2 CHEMISTRY VIA f2")),
    **dict.fromkeys(("swap", "byt", "bytt"), say("SWAP green")),
    "pass": say("PASS"),
    **dict.fromkeys(("place", "plats", "plass"), say("PLACE 2")),
    **dict.fromkeys(("fifth", "femte"), say("FIFTH ATOM: OUT CHEMISTRY TO POR, DAN")),
    **dict.fromkeys(("answer", "svar", "svara"), say("ANSWER red: TAKE 3,1")),
    **dict.fromkeys(("keep", "behall", "behold"), say("KEEP ATOM: PLACE 4")),
    **dict.fromkeys(("phrase", "fras", "frase"), say("PHRASE my words")),
}
_SQUARE = re.compile(r"(?<![^\W_])[a-o]\d{1,2}(?![^\W_])")
_PHRASE = ("phrase", "frase", "fras")
LONGEST_LINE = 400  # characters; a list of all embassies fits into it
LONGEST_PHRASE = 200
_MOST_KEPT = 1024  # lines: those of a letter are asked for more than once


@cache
def likeness() -> Likeness:
    """Return the words by which a line is known that may be meant as an order."""
    codes = frozenset(_codes().values())
    return Likeness(
        code=_SQUARE,
        begins=frozenset(_USAGE),
        names=frozenset(COLOURS),
        capitals=codes | {*_TYPES.values(), "ATOM"},
        words=frozenset(("if", "card", "near", "path", "via", "out", "to", "take", "refuse")),
    )


def parse(lines: Sequence[Line]) -> Sheet[Order]:
    """Read the orders of a sheet's body, one a line; a list of values is read as so many lines. It
    never raises, whatever the text."""
    written: list[WrittenOrder[Order]] = []
    problems: list[Problem] = []
    for line, text in cleaned(lines):
        if len(written) + len(problems) > MOST_ORDERS:
            break  # what is more is not read, and the sheet refused
        orders = _orders(text) if len(text) <= LONGEST_LINE else _too_long(len(text))
        if isinstance(orders, Message):
            problems.append(problem(line, orders))
        else:
            written += (WrittenOrder(order, line) for order in orders)
    return Sheet(tuple(written), tuple(problems))


@lru_cache(_MOST_KEPT)
def _orders(text: str) -> Sequence[Order] | Message:
    """Return the orders of a cleaned line, or what is wrong with it."""
    first, _, rest = text.partition(" ")
    if folded(first).rstrip(":") in _PHRASE:
        phrase = _phrase(rest)
        return phrase if isinstance(phrase, Message) else (phrase,)
    from lark import LarkError

    try:
        tree = _grammar().parse(folded(unstopped(text)))
    except LarkError:
        return _complaint(text)
    (line,) = _node(tree).parts
    return _READERS[line.kind](line)


def _too_long(n: int) -> Message:
    return say("this line has {n} characters; write one order per line", n=n)


def _phrase(words: str) -> Phrase | Message:
    said = " ".join("".join(c if c.isprintable() else " " for c in words).split())
    if len(said) > LONGEST_PHRASE:
        return say(
            "this phrase has {n} characters; at most {most} are allowed",
            n=len(said),
            most=LONGEST_PHRASE,
        )
    if said and not said.strip(". …"):
        return say("replace the dots with some words of your own")
    return Phrase(said)


@cache
def _grammar() -> "Lark":
    from lark import Lark

    source = files("adjudicator.games.spion.orders").joinpath("orders.lark").read_text("utf-8")
    return Lark(source, parser="lalr")


def _complaint(text: str) -> Message:
    """Say how a line is written that begins with this word."""
    first = next(iter(folded(text).split()), "").rstrip(":")
    if first in _USAGE and ".." in text:
        return say(
            "'{seen}' is not filled in; write it like {usage}",
            seen=shown(text),
            usage=_USAGE[first],
        )
    if first in _USAGE:
        return say(
            "I do not understand '{seen}'; write it like {usage}",
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
        "PLACE, FIFTH, ANSWER or KEEP",
        seen=shown(text),
    )


class Node(Struct, frozen=True):
    """A rule of the grammar with what stands in it, or a word (`parts` is then empty)."""

    kind: str  # the rule's or the terminal's name
    text: str = ""
    parts: "tuple[Node, ...]" = ()

    def all(self, kind: str) -> "list[Node]":
        return [part for part in self.parts if part.kind == kind]

    @property
    def numbers(self) -> list[int]:
        return [int(part.text) for part in self.all("NUMBER")]

    @property
    def words(self) -> str:
        return " ".join(part.text for part in self.parts)


def _node(found: "Tree[Token] | Token") -> Node:
    """Turn Lark's tree into a value of ours: a Token is a str, a Tree is none."""
    if isinstance(found, str):
        return Node(found.type, str(found))
    return Node(str(found.data), parts=tuple(map(_node, found.children)))


def _move(line: Node) -> Sequence[Move]:
    return (Move(tuple(_goal(part) for part in line.parts)),)


def _goal(goal: Node) -> Goal:
    (place,) = goal.all("place")
    steps = [step for path in goal.all("path") for step in path.all("step")]
    return Goal(
        place=_place(place),
        if_card=bool(goal.all("if_card")),
        near=bool(goal.all("near")),
        path=tuple(_place(step) for step in steps),
    )


def _challenge(line: Node) -> Sequence[Challenge]:
    target, guess = line.all("name")
    (number,) = line.numbers
    return (Challenge(_seat(target.words), number, _type(guess.words)),)


def _ambush(line: Node) -> Sequence[Ambush]:
    target, guess = line.all("name")
    vias = [_place(place) for via in line.all("via") for place in via.all("place")]
    (number,) = line.numbers
    return [Ambush(_seat(target.words), number, _type(guess.words), via) for via in vias or (None,)]


def _fifth(line: Node) -> Sequence[Fifth]:
    which, act = line.parts
    return [Fifth(_which(which, _type), done) for done in _acts(act) if not isinstance(done, At)]


def _answer(line: Node) -> Sequence[Answer]:
    challenger = _which(line.parts[0], _seat)
    return (Answer(challenger, tuple(line.numbers), final=bool(line.all("FINAL"))),)


def _keep(line: Node) -> Sequence[Keep]:
    which, act = line.parts
    return [Keep(_which(which, _type), done) for done in _acts(act)]


def _which(which: Node, name: Callable[[str], str]) -> str:
    return ANY if which.words == ANY else name(which.words)


def _acts(act: Node) -> Sequence[At | Out | Refuse]:
    to = tuple(_place(place) for listed in act.all("to") for place in listed.all("place"))
    if act.kind == "at":
        return [At(number) for number in act.numbers]
    if act.kind == "refuse":
        return (Refuse(to),)
    names = act.all("name")
    return (Out(_type(names[0].words) if names else act.numbers[0], to),)


_READERS: Mapping[str, Callable[[Node], Sequence[Order]]] = {
    "move": _move,
    "challenge": _challenge,
    "ambush": _ambush,
    "swap": lambda line: [Swap(_seat(target.words)) for target in line.all("name")],
    "pass": lambda line: (Pass(),),
    "put": lambda line: [Put(number) for number in line.numbers],
    "fifth": _fifth,
    "answer": _answer,
    "keep": _keep,
}


def _seat(word: str) -> str:
    """Return the colour that a word means. A word that is no colour stays, and is answered when it
    is compared with the match."""
    return COLOURS.get(word, word)


def _type(word: str) -> str:
    return _TYPES.get(word, word.upper())


def _place(place: Node) -> str:
    """Return a square as it is, an embassy by its code."""
    text = place.words
    if re.fullmatch(r"[a-z]\d{1,2}", text):
        return f"{text[0]}{int(text[1:])}"
    return _codes().get(text, text.upper())


@cache
def _codes() -> Mapping[str, str]:
    """Return the embassies of the boards that come with the game, by folded name and code."""
    return {
        folded(word): entry.code
        for variant in VARIANTS
        for entry in standard(variant).embassies.values()
        for word in (entry.code, *entry.name.values())
    }
