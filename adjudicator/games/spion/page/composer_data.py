"""Give the order composer in a page what it offers and reads: things that stand in the report
already, by allow-list, and the sentences that it says, in the reader's language. It writes no PATH:
the way to a goal matters for no rule (5.2)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct, to_builtins

from adjudicator.core.composing import SHARED, draft, told
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import Report
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_read, spelled
from adjudicator.games.spion.orders.parse import LONGEST_LINE, LONGEST_PHRASE
from adjudicator.games.spion.orders.values import ANY
from adjudicator.games.spion.page.drawing import bound, reached
from adjudicator.games.spion.page.names import embassy_names
from adjudicator.games.spion.page.plan import CELL, EDGE, inner
from adjudicator.games.spion.rules.board import SIGNS, Board
from adjudicator.games.spion.rules.board_file import square
from adjudicator.games.spion.rules.cards import PLACES
from adjudicator.games.spion.rules.state import Card, Place
from adjudicator.games.spion.sight.sightings import Seen
from adjudicator.games.spion.sight.view import View, board_in, doubled, in_the_way, seat_in

R = Report[View, Seen]
Choice = tuple[str, str]  # what is written, and what is read

SCRIPTS = ("shared/composing.js", "spion/composer.js")

_SETTLING: Mapping[str, tuple[str, ...]] = {  # lines that decide what the dice or the letter ask
    "setup": ("PHRASE",),
    "answer": ("ANSWER",),
    "turn": ("MOVE", "CHALLENGE", "AMBUSH", "SWAP", "PASS"),
}
_SIGNS: Mapping[str, str] = {**SIGNS, "start": "s", "home": "h"}
_KINDS: Mapping[str, Message] = {
    ".": say("{place}: a street"),
    "@": say("{place}: a well"),
    ":": say("{place}: forbidden area"),
    "#": say("{place}: barbed wire"),
    "s": say("{place}: a spy's start"),
    "h": say("{place}: a bodyguard's home"),
    " ": say("{place}: not part of the board"),
    "E": say("{place}, {name}: an embassy with a card"),
    "e": say("{place}, {name}: an embassy without a card"),
}
_SAID: Mapping[str, Message] = {
    "reach": say("you can reach it"),
    "goal": say("choice {n}"),
    "added": say("Choice {n}: {place}."),
    "near": say("{place} is out of reach: as choice {n}, your spy goes as near to it as it can."),
    "removed": say("{place} is no longer a choice."),
    "barred": say("{place}: spies cannot go there"),
    "long": say("that is as many choices as fit on a line"),
    "silent": say(
        "'{line}' is not filled in, so your standing orders and the default rules decide."
    ),
    "whole": say("Your orders: {lines}. Now send them."),
    "card": say("only if a card is there"),
    "nearest": say("as near as possible"),
    "up": say("Move up: {what}"),
    "remove": say("Remove: {what}"),
    "replaced": say("replaced by your new lines"),
}


def scripts(report: R) -> list[str]:
    """Name the scripts of the page; none if no orders are awaited."""
    return list(SCRIPTS) if report.template else []


def data(report: R, words: Words) -> Mapping[str, Any]:
    """Return what the scripts read, by the id of its element; nothing if no orders are awaited."""
    if not report.template:
        return {}
    return {"composer-data": _common(report, words) | _on_the_board(report.view, words)}


def _common(report: R, words: Words) -> dict[str, Any]:
    sentences = told({**SHARED, **_SAID}, words) | {"kinds": told(_KINDS, words)}
    view = report.view
    closed = _closed(view)
    return {
        "sheet": report.template,
        "draft": draft(report),
        "spelling": to_builtins(spelled(words)),
        "settling": _SETTLING[_awaited(view)],
        "needed": _awaited(view) != "turn",  # else the rules decide what is not ordered
        "longest": LONGEST_LINE,
        "first": words(_first(view)),
        "closed": words(closed) if closed else "",
        "words": sentences,
    }


def _awaited(view: View) -> str:
    if view.phase == "setup":
        return "setup"
    return "answer" if view.pending else "turn"


def _on_the_board(view: View, words: Words) -> dict[str, Any]:
    """Return what is needed to point at places; nobody moves in the set-up."""
    if view.phase == "setup":
        return {}
    board = board_in(view)
    rows = _places(board)
    cards = {entry.code for entry in view.board.embassies if entry.card}
    return {
        "rows": [" ".join(line) for line in rows],
        "kinds": ["".join(_sign(board, place, cards) for place in line) for line in rows],
        "cell": CELL,
        "margin": EDGE,
        "names": embassy_names(view, words),
        "cards": sorted(cards),
        "reach": reached(view),
        "pieces": [[place, words(what)] for place, what in _pieces(view)],
    }


@lru_cache(maxsize=16)
def _places(board: Board) -> tuple[tuple[str, ...], ...]:
    """Return the squares of the same size, as they are drawn; an embassy by its code."""
    rows, cols = inner(board)
    codes = {entry.cell: code for code, entry in board.embassies.items()}
    cells = ((square(row, col) for col in cols) for row in rows)
    return tuple(tuple(codes.get(cell, cell) for cell in line) for line in cells)


def _sign(board: Board, place: str, cards: set[str]) -> str:
    if place in board.embassies:
        return "E" if place in cards else "e"
    return _SIGNS[board.kinds[place]]


def _pieces(view: View) -> Iterator[tuple[str, Message]]:
    for entry in view.seats:
        seat = SEAT_TITLES[entry.seat]
        yield entry.spy, say("the spy of {seat}", seat=seat)
        yield entry.bodyguard, say("the bodyguard of {seat}", seat=seat)


def _closed(view: View) -> Message | None:
    """Say why the spy cannot be sent anywhere; None if it can."""
    if view.phase == "setup":
        return say("Nobody moves until the cards are dealt.")
    if view.pending:
        return say("You are asked for an answer; nobody moves until you give it.")
    if bound(view):
        return say("A double: you must challenge, and your spy does not move.")
    if not view.reach and view.mode == "turns":
        return say("Your spy cannot move now.")
    return None


def _first(view: View) -> Message:
    """Say what is to be decided."""
    if view.phase == "setup":
        return say("Write some words of your own.")
    if view.pending:
        return say("Choose below which place to take a card from.")
    if bound(view):
        return say("Choose below whom to challenge, which place and which type.")
    if _closed(view):
        return say("Choose below what your bodyguard does.")
    if doubled(view) and view.targets:
        return say(
            "Choose below whom to challenge. On the board, choose where your spy goes if nobody "
            "can be challenged then."
        )
    return say("Choose on the board where your spy goes. Choose more places as fallbacks.")


class Offers(Struct, frozen=True, kw_only=True):
    """The choices of each form, by what it writes. A form without choices is not shown, and
    `why_not` says the reason."""

    phrase: int
    why_not: Sequence[str]
    goals: bool = False
    challenge: Sequence[Choice] = ()
    ambush: Sequence[Choice] = ()
    spots: Sequence[tuple[Place, str]] = ()
    swap: Sequence[Choice] = ()
    free: Sequence[str] = ()
    put: Sequence[str] = ()
    types: Sequence[tuple[Card, str]] = ()
    cards: Sequence[Choice] = ()
    filled: Sequence[int] = ()
    asked: bool = False
    challengers: Sequence[Choice] = ()
    take: Sequence[int] = ()
    standing: Sequence[Choice] = ()


def offers(report: R, words: Words) -> Offers | None:
    """Return the choices of the forms; None if no orders are awaited."""
    view = report.view
    if not report.template:
        return None
    if view.phase == "setup":
        return Offers(phrase=LONGEST_PHRASE, why_not=[])
    own = seat_in(view, view.seat)
    turn = not view.pending
    own_words = spelled(words)
    free = [str(place) for place in PLACES if place not in own.filled]
    return Offers(
        phrase=0,
        goals=not _closed(view),
        challenge=_victims(view, view.targets, words) if turn and doubled(view) else [],
        ambush=_victims(view, view.ambushes, words) if turn else [],
        spots=[(spot, seat) for seat, spots in view.ambushes.items() for spot in spots],
        swap=_swaps(view, words) if turn else [],
        free=free,
        put=free if turn and len(free) > 1 else [],
        types=[(card, card_read(card, words)) for card in view.types],
        cards=[(ANY, words(say("any"))), *((card, card_read(card, words)) for card in view.types)],
        filled=own.filled,
        asked=not turn,
        challengers=list(_challengers(view, words)),
        take=_taken(view),
        standing=[(line, own_words(line)) for line in view.standing],
        why_not=[words(message) for message in _why_not(view)] if turn else [],
    )


def _victims(view: View, seats: Iterable[str], words: Words) -> list[Choice]:
    """List the filled places of each seat."""
    return [
        (f"{seat} {n}", words(say("{seat}, place {n}", seat=SEAT_TITLES[seat], n=n)))
        for seat in seats
        for n in seat_in(view, seat).filled
    ]


def _swaps(view: View, words: Words) -> list[Choice]:
    """List the swaps of bodyguards, which are for a spy that cannot move (R8.2)."""
    if view.reach or bound(view):
        return []
    swaps = [
        (
            f"SWAP {seat}",
            words(say("Your bodyguard replaces {seat}'s", seat=SEAT_TITLES[seat])),
        )
        for seat in in_the_way(view)
    ]
    return [*swaps, ("PASS", words(say("Nothing")))]


def _challengers(view: View, words: Words) -> Iterator[Choice]:
    if view.pending:
        seat = view.pending.challenger
        yield seat, words(SEAT_TITLES[seat])
        return
    yield ANY, words(say("anyone"))
    for entry in view.seats:
        if entry.seat != view.seat:
            yield entry.seat, words(SEAT_TITLES[entry.seat])


def _taken(view: View) -> Sequence[int]:
    """Return the places from which a card may be taken after a wrong guess."""
    if view.pending:
        return seat_in(view, view.pending.challenger).filled
    return PLACES


def _why_not(view: View) -> Iterator[Message]:
    """Say why a form is missing."""
    if closed := _closed(view):
        yield closed
    if not doubled(view):
        yield say("You need a double to challenge.")
    elif not view.targets:
        yield say("Nobody can be challenged now.")
    if any(entry.card for entry in view.board.embassies):
        yield say("You cannot ambush while an embassy has a card.")
    elif not view.ambushes:
        yield say("You cannot ambush from here with these dice.")
    if view.reach and not bound(view):
        yield say("You can swap bodyguards only when your spy cannot move.")
    if len(seat_in(view, view.seat).filled) == len(PLACES):
        yield say("Your holder is full: the next card you take is your fifth.")
