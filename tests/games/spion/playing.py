"""Give the sections of a case file their meaning for Spion.

CASE R6.3, A19 a wrong guess                 rules of the book (R1 to R10, A1 to A50, 5.4)
BOARD quick                                  what stands at the beginning: BOARD, PLAYERS,
PLAYERS 3                                    OPTION, BEFORE, MOVES (whose turn it is), FIRST,
OPTION mode=rounds                           DICE, STANDING, LEFT
BEFORE
  blue  spy e5  guard home  holds ATOM - KEMI -
  vacant NOR POL                             the cards that nobody holds lie in the other
  lies UNG ATOM                              embassies in the board's order
DICE blue 3 3
ORDERS blue                                  ORDERS, RESIGN, FORFEIT, AGREE; a seat that is
  CHALLENGE red 3 ATOM                       awaited and has no ORDERS sends nothing
EVENTS                                       what came of it: everything that happened
AFTER                                        some lines, as in BEFORE
NEXT green to answer                         or `blue to move`, `all to order`
RESULT blue set
END
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.orders import Line
from adjudicator.games.spion import SPION
from adjudicator.games.spion.orders.parse import parse
from adjudicator.games.spion.rules import turns
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.board_file import COPIES
from adjudicator.games.spion.rules.ply_in_progress import position
from adjudicator.games.spion.rules.position import vacant
from adjudicator.games.spion.rules.state import (
    AnswerAwaited,
    Blocked,
    Challenged,
    Drew,
    Ended,
    Event,
    GuardSwapped,
    GuessedRight,
    Kept,
    Left,
    Moved,
    Refused,
    Roll,
    Shown,
    State,
    Swapped,
    TakenInAnswer,
    Took,
    TurnOpened,
    Unfollowed,
)
from adjudicator.games.spion.rules.variants import board_of
from tests.games.case_table import CaseTable, same
from tests.games.casefiles import Case, CaseFault, Section
from tests.games.spion.matches import chance_of, setting


class Table(CaseTable):
    game, chance = SPION, chance_of(bytes(range(32)))

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.players, self.variant, self.options = 4, "original", dict[str, str]()

    def opened(self) -> State:
        agreed = setting(self.variant, self.players, **self.options)
        start = turns.set_up(agreed, self.chance)
        return replace(
            start,
            phrases=dict.fromkeys(start.seats, ""),
            first=start.seats[0],
            to_move=start.seats[0] if start.settings.mode == "turns" else None,
            turn=1,
            round=1,
            links={"1": 1, "2": 1, "3": 1, "4": 1},
            embassies=rest(start, {}, ()),
        )

    # Sections that tell the beginning.

    def board(self, section: Section) -> None:
        self.variant, self.players = section.said, 2

    def number(self, section: Section) -> None:
        self.players = int(section.said)

    def option(self, section: Section) -> None:
        key, value = section.said.split("=")
        self.options[key] = value

    def before(self, section: Section) -> None:
        """Set pieces and holders first; then the cards that are left go to the embassies."""
        state, barred, laid = self.state, list[str](), dict[str, str]()
        for words in (text.split() for text in section.texts):
            if words[0] == "vacant":
                barred += words[1:]
            elif words[0] == "lies":
                laid[words[1]] = words[2]
            else:
                state = _seated(state, Seat(words[0]), words[1:])
        self._state = replace(state, embassies=rest(state, laid, tuple(barred)))

    def moves(self, section: Section) -> None:
        self._state = replace(self.state, to_move=Seat(section.said))

    def opening(self, section: Section) -> None:
        self._state = replace(self.state, first=Seat(section.said))

    def dice(self, section: Section) -> None:
        seat, first, second = section.said.split()
        roll = Roll(2, (int(first), int(second)), "a key")
        self._state = replace(self.state, rolls={**self.state.rolls, Seat(seat): roll})

    def standing(self, section: Section) -> None:
        told = tuple(self._read(section))
        before = self.state.standing
        self._state = replace(self.state, standing={**before, Seat(section.said): told})

    def missing(self, section: Section) -> None:
        gone = {Seat(word): "resignation" for word in section.said.split()}
        self._state = replace(self.state, left=gone)

    def _read(self, section: Section) -> Sequence[Any]:
        sheet = parse([Line(n, text) for n, text in section.lines])
        if sheet.problems:
            raise CaseFault(f"{self.case}: {sheet.problems[0].message}")
        return sheet.orders

    # Sections that do something.

    def order(self, section: Section) -> None:
        self.sheets[Seat(section.said)] = tuple(self._read(section))
        self.acted = True

    # Sections that tell the outcome.

    def happened(self, section: Section) -> None:
        told = [line for line in map(event_line, self.events) if line]
        same(section.texts, told)

    def after(self, section: Section) -> None:
        for text in section.texts:
            seat, *words = text.split()
            if seat == "vacant":
                assert set(words) <= set(vacant(position(self.state))), text
            elif seat == "lies":
                same([text], [f"lies {words[0]} {self.state.embassies.get(words[0])}"])
            else:
                same([" ".join(text.split())], [self._seat_line(Seat(seat), words)])

    def _seat_line(self, seat: Seat, words: Sequence[str]) -> str:
        state = self.state
        told = {
            "spy": state.spies[seat],
            "guard": _guard(state, seat),
            "holds": " ".join(card or "-" for card in state.holders[seat]),
        }
        return " ".join([seat, *(f"{w} {told[w]}" for w in words if w in told)])

    def next(self, section: Section) -> None:
        state = self.state
        waiting = "all to order"
        if state.pending:
            waiting = f"{state.pending.defender} to answer"
        elif state.to_move:
            waiting = f"{state.to_move} to move"
        same([section.said], [waiting])


Table.told = {
    "BOARD": Table.board,
    "PLAYERS": Table.number,
    "OPTION": Table.option,
    "BEFORE": Table.before,
    "MOVES": Table.moves,
    "FIRST": Table.opening,
    "DICE": Table.dice,
    "STANDING": Table.standing,
    "LEFT": Table.missing,
}
Table.actions = {
    "ORDERS": Table.order,
    "RESIGN": Table.leave,
    "FORFEIT": Table.leave,
    "AGREE": Table.agree,
}
Table.expected = {
    "EVENTS": Table.happened,
    "AFTER": Table.after,
    "NEXT": Table.next,
    "RESULT": Table.result,
}


def _seated(state: State, seat: Seat, words: Sequence[str]) -> State:
    told: list[str] = list(words)
    board = board_of(state.settings)
    while told:
        what = told.pop(0)
        if what == "spy":
            spy = told.pop(0)
            spy = board.starts[seat] if spy == "start" else spy
            state = replace(state, spies={**state.spies, seat: spy})
        elif what == "guard":
            guard = told.pop(0)
            guard = board.homes[seat] if guard == "home" else guard
            state = replace(state, bodyguards={**state.bodyguards, seat: guard})
        elif what == "holds":
            cards = [None if card == "-" else card for card in told[:4]]
            del told[:4]
            holder = (cards[0], cards[1], cards[2], cards[3])
            state = replace(state, holders={**state.holders, seat: holder})
        else:
            raise CaseFault(f"what is {what!r} of {seat}?")
    return state


def rest(state: State, laid: Mapping[str, str], barred: Sequence[str]) -> dict[str, str]:
    """Return all cards that nobody holds: first those `laid`, then the others in order."""
    board: Board = board_of(state.settings)
    cards = [card for card in state.types for _ in range(COPIES)]
    held = [card for holder in state.holders.values() for card in holder if card]
    for card in (*held, *laid.values()):
        if card not in cards:
            raise CaseFault(f"there are only four cards of {card}")
        cards.remove(card)
    free = [code for code in board.embassies if code not in laid and code not in barred]
    if len(cards) > len(free):
        raise CaseFault(f"{len(cards)} cards and only {len(free)} embassies")
    lies = {**laid, **dict(zip(free, cards, strict=False))}
    return {code: lies[code] for code in board.embassies if code in lies}


def _guard(state: State, seat: Seat) -> str:
    at = state.bodyguards[seat]
    return "home" if at == board_of(state.settings).homes[seat] else at


def _into(place: int | None) -> str:
    return "?" if place is None else str(place)


def event_line(event: Event) -> str | None:
    """Return an event as the cases write it; None for one that they do not tell."""
    match event:
        case TurnOpened(seat, _, roll):
            return f"{seat} " + (f"{roll.dice[0]}+{roll.dice[1]}" if roll else "does not roll")
        case Moved(seat, start, goal, path):
            return f"{seat} {start}-{goal} in {len(path)}"
        case Took(seat, embassy, card, place):
            return f"{seat} takes {card} from {embassy} to {_into(place)}"
        case Swapped(seat, place, embassy, given, kept):
            return f"{seat} puts {kept} on {place}, {given} out to {embassy}"
        case Refused(seat, embassy, card, known):
            return f"{seat} refuses {card} to {embassy}" + " openly" * known
        case Kept(seat, place, card):
            return f"{seat} keeps {card} on {place}"
        case Challenged(seat, target, place, guess):
            return (
                f"{seat} challenges {target} {place} {guess}: guard {event.guard_from}-"
                f"{event.guard_to}, spy {event.spy_from}-{event.spy_to}"
            )
        case GuessedRight(seat, target, place, card, into):
            return f"right: {seat} takes {card} from {target} {place} to {_into(into)}"
        case Shown(seat, place, card):
            return f"wrong: {seat} {place} is {card}"
        case TakenInAnswer(seat, challenger, place, card):
            return f"{seat} takes {card} from {challenger} {place}"
        case Blocked(seat, by):
            return f"{seat} is blocked" + (f" by {' '.join(by)}" if by else "")
        case GuardSwapped(seat, replaced, square, start, home):
            return f"{seat} guard {start}-{square}, {replaced} guard {square}-{home}"
        case Drew(use=use):
            return f"X is drawn: {use}"
        case Unfollowed(seat, line, why):
            return f"{seat} cannot follow {line}: {why}"
        case AnswerAwaited(defender=defender):
            return f"{defender} is asked"
        case Left(seat, reason):
            return f"{seat} leaves: {reason}"
        case Ended():
            return "the match ends"
        case _:
            return None
