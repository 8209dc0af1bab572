"""The orders, `PLACE carrier a1 a5` and `SHOOT b3 c4 d5`, between text and values."""

import re
from collections.abc import Iterator, Mapping, Sequence

from adjud_battleships.rules import SHIPS, SQUARES, Order, Place, Shoot, between
from adjud_battleships.sight import View
from adjudicator.core.likeness import Likeness
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import (
    Line,
    Problem,
    Sheet,
    WrittenOrder,
    cleaned,
    folded,
    problem,
    shown,
    unstopped,
)
from adjudicator.core.simple import SimpleOrders
from adjudicator.core.text import Lexicon

RANDOM = "random"
SHIP_TITLES: Mapping[str, Message] = {
    "carrier": say("carrier"),
    "battleship": say("battleship"),
    "cruiser": say("cruiser"),
    "submarine": say("submarine"),
    "destroyer": say("destroyer"),
}
LEXICON = Lexicon(
    {"PLACE": say("PLACE"), "SHOOT": say("SHOOT"), RANDOM: say("random"), **SHIP_TITLES}
)
# Norwegian and Swedish words, folded, by the English one.
_ALSO: Mapping[str, Sequence[str]] = {
    "place": ("plasser", "placera"),
    "shoot": ("skyt", "skjut", "fire"),
    RANDOM: ("tilfeldig", "slump"),
    "carrier": ("hangarskip", "hangarfartyg"),
    "battleship": ("slagskip", "slagskepp"),
    "cruiser": ("krysser", "kryssare"),
    "submarine": ("ubåt", "ubat"),
    "destroyer": ("jager", "jagare"),
}
_ENGLISH = {word: english for english, words in _ALSO.items() for word in (english, *words)}


def canonical(order: Order) -> str:
    if isinstance(order, Shoot):
        return " ".join(("SHOOT", *order.squares))
    return " ".join(filter(None, ("PLACE", order.ship, order.bow, order.stern)))


def _read(text: str) -> Order | Message:
    """Return the order of a cleaned line, or what is wrong with it."""
    first, *rest = folded(unstopped(text)).replace(",", " ").split() or [""]
    words = [_ENGLISH.get(word, word) for word in rest]
    match _ENGLISH.get(first), words:
        case "place", ["random"]:
            return Place(RANDOM)
        case "place", [ship, bow, stern] if ship in SHIPS:
            return _unknown(bow, stern) or Place(ship, bow, stern)
        case "shoot", [_, *_]:
            return _unknown(*words) or Shoot(tuple(words))
    return say(
        "I do not understand '{seen}'; write PLACE carrier a1 a5, or SHOOT b3 c4 d5",
        seen=shown(text),
    )


def _unknown(*squares: str) -> Message | None:
    for square in squares:
        if square not in SQUARES:
            return say("'{seen}' is not a square; squares are a1 to j10", seen=shown(square))
    return None


def parse(lines: Sequence[Line]) -> Sheet[Order]:
    written, problems = [], []
    for line, text in cleaned(lines):
        order = _read(text)
        if isinstance(order, Message):
            problems.append(problem(line, order))
        else:
            written.append(WrittenOrder(order, line))
    return Sheet(tuple(written), tuple(problems))


def check(view: View, sheet: Sheet[Order]) -> Sequence[Problem]:
    wanted, faults = (Shoot, _salvo_faults) if view.turn else (Place, _fleet_faults)
    told = (
        say("the fleets are placed; write SHOOT and squares")
        if view.turn
        else say("place your fleet first, as in PLACE carrier a1 a5")
    )
    wrong = [problem(one.line, told) for one in sheet.written if not isinstance(one.order, wanted)]
    return wrong or list(faults(view, sheet))


def _fleet_faults(view: View, sheet: Sheet[Order]) -> Iterator[Problem]:
    taken: dict[str, str] = {}
    named: set[str] = set()
    for entry in sheet.written:
        order = entry.order
        assert isinstance(order, Place)
        if order.ship in named:
            yield problem(entry.line, say("{ship} is placed twice", ship=_title(order.ship)))
        named.add(order.ship)
        squares = between(order.bow, order.stern)
        if order.bow and len(squares) != SHIPS[order.ship]:  # 1.2, 1.3
            yield problem(
                entry.line,
                say(
                    "{ship} covers {n} squares in a row or a column",
                    ship=_title(order.ship),
                    n=SHIPS[order.ship],
                ),
            )
            continue
        for square in squares:
            if square in taken:
                other = _title(taken[square])
                told = say("{square} is taken by: {ship}", square=square, ship=other)
                yield problem(entry.line, told)
                break
        taken |= dict.fromkeys(squares, order.ship)
    missing = [ship for ship in SHIPS if ship not in named]
    if RANDOM not in named and missing and not sheet.problems:
        told = say(
            "{ship} is not placed; write PLACE random for all ships that you do not name",
            ship=_title(missing[0]),
        )
        yield Problem(0, "", told)


def _salvo_faults(view: View, sheet: Sheet[Order]) -> Iterator[Problem]:
    if not sheet.written and not sheet.problems:
        yield Problem(0, "", say("your orders are empty; write SHOOT and squares"))
    for entry in sheet.written[1:]:
        yield problem(entry.line, say("write all shots on one line"))
    for entry in sheet.written[:1]:
        assert isinstance(entry.order, Shoot)
        squares, fired = entry.order.squares, view.shots.get(view.seat, {})
        if len(squares) != view.salvo:  # 2.2
            told = count(
                "your salvo has {n} shot, not {seen}",
                "your salvo has {n} shots, not {seen}",
                view.salvo,
                seen=len(squares),
            )
            yield problem(entry.line, told)
        for square in dict.fromkeys(squares):
            if square in fired:  # 2.3
                told = say("you have shot at {square} before", square=square)
                yield problem(entry.line, told)
            elif squares.count(square) > 1:
                yield problem(entry.line, say("{square} appears here twice", square=square))


def _title(ship: str) -> Message:
    return LEXICON.words[ship]


def template(view: View) -> Sequence[str]:
    if view.turn:
        return (" ".join(("SHOOT", *(".." for _ in range(view.salvo)))),)
    return tuple(f"PLACE {ship} .. .." for ship in SHIPS)


def example(view: View) -> Sequence[str]:
    """Return a salvo at the first squares that are left, or a fleet placed by chance: one that
    stood here would be known to everybody."""
    if not view.turn:
        return (canonical(Place(RANDOM)),)
    left = [square for square in SQUARES if square not in view.shots.get(view.seat, {})]
    return (canonical(Shoot(tuple(left[: view.salvo]))),)


LIKENESS = Likeness(
    code=re.compile(r"\b[a-j](?:10|[1-9])\b"),
    begins=frozenset(("place", "shoot", *_ALSO["place"], *_ALSO["shoot"])),
    words=frozenset(_ENGLISH),
)


class BattleOrders(SimpleOrders[Order, View]):
    """The orders in place of the simple ones, whose lines have as many words as a value fields."""

    def canonical(self, order: Order) -> str:
        return canonical(order)

    def parse(self, lines: Sequence[Line]) -> Sheet[Order]:
        return parse(lines)

    def check(self, view: View, sheet: Sheet[Order]) -> Sequence[Problem]:
        return check(view, sheet)

    def template(self, view: View) -> Sequence[str]:
        return template(view)

    def example(self, view: View) -> Sequence[str]:
        return example(view)

    def lexicon(self) -> Lexicon:
        return LEXICON

    def likeness(self) -> Likeness:
        return LIKENESS
