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
from adjudicator.games.spion.page.drawing import bound, reachable_places
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

SCRIPTS = ("shared/bar.js", "spion/bar.js")

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
    "barred": say("{place}: spies cannot go there"),
    "tooLong": say("that is as many choices as fit on a line"),
    "goes": say("Your spy goes {places}."),
    "there": say("to {place}"),
    "forCard": say("to {place} for the card"),
    "ifCard": say("to {place} if a card is there"),
    "near": say("as near to {place} as it can"),
    "or": say("; else "),
    "whole": say("Your orders: {lines}."),
    "silent": say("No move: your standing orders and the default rules decide."),
    "guess": say("{whom}: which type do you guess?"),
    "chip": say("{place} · card"),
    "place": say("Place {n}"),
    "fifth": say("Your places are full. What happens with a fifth card? You may leave it open."),
    "out": say("Give up {n}"),
    "refuse": say("Refuse it"),
    "onlyCard": say("{place}: only for a card"),
    "remove": say("Remove: {what}"),
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
        "sheet": _sheet(report),
        "draft": draft(report),
        "sent": _sent(report, words),
        "spelling": to_builtins(spelled(words)),
        "settling": _SETTLING[_awaited(view)],
        "longest": LONGEST_LINE,
        "rounds": view.mode == "rounds",
        "asked": view.pending is not None,  # else the rules decide what is not ordered
        "free": _free(view),
        "swaps": [] if view.pending else _swaps(view, words),
        "first": words(_first(view, words)),
        "idle": words(_idle(view)),
        "closed": words(closed) if closed else "",
        "words": sentences,
    }


def _sheet(report: R) -> Sequence[str]:
    """Return the sheet to be filled in. It has no line for a phrase, because none is needed."""
    lines = report.template
    return [lines[0], lines[-1]] if report.view.phase == "setup" else lines


def _awaited(view: View) -> str:
    if view.phase == "setup":
        return "setup"
    return "answer" if view.pending else "turn"


def _on_the_board(view: View, words: Words) -> dict[str, Any]:
    """Return what is needed to point at places."""
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
        "reach": reachable_places(view),
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


def _sent(report: R, words: Words) -> Mapping[str, Any] | None:
    """Return the orders in force as the script composes them, and a sentence about them; None if
    there are none. It is apart from the rest because an audit does not know them."""
    if not report.orders:
        return None
    lines = list(report.orders.lines)
    asked = report.template[1].partition("...")[0] if report.view.pending else None
    moves = [line for line in lines if line.startswith("MOVE ") and " PATH " not in line]
    puts = [line for line in lines if line.startswith("PLACE ")]
    takes = [line for line in lines if asked and line.startswith(asked)]
    put = int(puts[0].removeprefix("PLACE ")) if puts else next(iter(_free(report.view)), None)
    return {
        "to": [goal for line in moves for goal in line.removeprefix("MOVE ").split(", ")],
        "lines": [line for line in lines if line not in (*moves, *puts, *takes)],
        "takes": [n for line in takes for n in line.removeprefix(asked or "").split(",")],
        "put": put,
        "told": words(
            say("Your orders are in: {lines}.", lines="; ".join(map(spelled(words), lines)))
        ),
    }


def _first(view: View, words: Words) -> Message:
    """Say what is to be decided."""
    if view.phase == "setup":
        return say("You can add some words of your own for the dice, in Other orders.")
    if pending := view.pending:
        return say(
            "{seat} guessed wrong. From which of their places do you take a card?",
            seat=SEAT_TITLES[pending.challenger],
        )
    if bound(view):
        return say("A double: you must challenge. Which card do you guess?")
    if not view.reach:
        return say("Your spy cannot move. What does your bodyguard do?")
    if doubled(view) and view.targets:
        return say("A double: choose a card to guess, and where your spy goes if you cannot.")
    return _cards_in_reach(view, words)


def _cards_in_reach(view: View, words: Words) -> Message:
    names = embassy_names(view, words)
    cards = {entry.code for entry in view.board.embassies if entry.card}
    found = [names[place] for place in reachable_places(view) if place in cards]
    if not found:
        return say("Choose a marked place. No card is in reach.")
    return say("Choose a marked place. In reach is a card in {places}.", places=", ".join(found))


def _idle(view: View) -> Message:
    """Say on the button what is missing."""
    if view.pending:
        return say("Choose a place")
    if bound(view):
        return say("Choose a card")
    return say("Choose a place") if view.reach else say("Choose what to do")


class Offers(Struct, frozen=True, kw_only=True):
    """The choices of each form, by what it writes. A form without choices is not shown, and
    `why_not` says the reason."""

    phrase: int
    why_not: Sequence[str]
    goals: bool = False
    challenge: Sequence[Choice] = ()
    ambush: Sequence[Choice] = ()
    spots: Sequence[tuple[Place, str]] = ()
    free: Sequence[int] = ()
    types: Sequence[tuple[Card, str]] = ()
    cards: Sequence[Choice] = ()
    filled: Sequence[int] = ()
    asked: bool = False
    challengers: Sequence[Choice] = ()
    take: Sequence[int] = ()


def offers(report: R, words: Words) -> Offers | None:
    """Return the choices of the forms; None if no orders are awaited."""
    view = report.view
    if not report.template:
        return None
    if view.phase == "setup":
        return Offers(phrase=LONGEST_PHRASE, why_not=[])
    own = seat_in(view, view.seat)
    turn = not view.pending
    return Offers(
        phrase=0,
        goals=not _closed(view),
        challenge=_victims(view, view.targets, words) if turn and doubled(view) else [],
        ambush=_victims(view, view.ambushes, words) if turn else [],
        spots=[(spot, seat) for seat, spots in view.ambushes.items() for spot in spots],
        free=_free(view),
        types=[(card, card_read(card, words)) for card in view.types],
        cards=[(ANY, words(say("any"))), *((card, card_read(card, words)) for card in view.types)],
        filled=own.filled,
        asked=not turn,
        challengers=list(_challengers(view, words)),
        take=_taken(view),
        why_not=[words(message) for message in _why_not(view)] if turn else [],
    )


def _free(view: View) -> Sequence[int]:
    """Return the reader's places on which no card lies."""
    filled = seat_in(view, view.seat).filled
    return [place for place in PLACES if place not in filled]


def _victims(view: View, seats: Iterable[str], words: Words) -> list[Choice]:
    """List the filled places of each seat."""
    return [
        (f"{seat} {n}", words(say("{seat}, place {n}", seat=SEAT_TITLES[seat], n=n)))
        for seat in seats
        for n in seat_in(view, seat).filled
    ]


def _swaps(view: View, words: Words) -> list[Choice]:
    """List the swaps of bodyguards, which are for a spy that cannot move (R8.2)."""
    if view.phase == "setup" or view.reach or bound(view):
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
