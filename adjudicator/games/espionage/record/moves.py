"""The moves of a record: words in, each side's order of each turn out. Knows no position."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, shown
from adjudicator.core.record import Refused
from adjudicator.games.espionage.lexicon import SIDE_TITLES
from adjudicator.games.espionage.rules.board import BOARDS, Square
from adjudicator.games.espionage.rules.pieces import BLACK, WHITE
from adjudicator.games.espionage.rules.state import Step

_WORD = re.compile(r"[0-9]+\.|/|[^\s/]+")
_NUMBER = re.compile(r"([0-9]{1,6})\.")
_STEP = re.compile(r"([a-z][0-9]{1,3})-([a-z][0-9]{1,3})")

# Every step that any board knows, so that the usual word needs one look-up.
_STEPS: Mapping[str, Step] = {
    f"{start}-{target}": Step(start, target)
    for board in BOARDS.values()
    for start, targets in board.beside.items()
    for target in targets
}


class GivenOrder(Struct, frozen=True):
    """One side's order of one turn as it is written; `lines` has the line of each step."""

    turn: int
    side: Seat
    steps: Sequence[Step]
    lines: Sequence[int]

    def refusal(self, fault: Message, line: int = 0) -> Refused:
        """Say what is wrong with the order, on its first line unless another is named."""
        return _refused(line or self.lines[0], self.turn, self.side, fault)


def _refused(line: int, turn: int, side: Seat, fault: Message) -> Refused:
    told = say("turn {turn}, {side}: {fault}", turn=turn, side=SIDE_TITLES[side], fault=fault)
    return Refused(line, told)


def read_orders(body: Iterable[Line]) -> Iterator[GivenOrder | Refused]:
    """Read the orders as they were given. A turn may be wrapped over lines and a line hold several;
    the last turn may be White's alone. It ends at the first refusal."""
    reader = _Reader()
    for line in body:
        for word in _WORD.findall(line.text):
            found = reader.read(line.number, word)
            if found:
                yield found
            if isinstance(found, Refused):
                return
    if reader.side:
        yield reader.finish(reader.side)


class _Reader:
    """Takes words one by one; `side` is whose order is being read, None before turn 1."""

    def __init__(self) -> None:
        self.turn = 0
        self.side: Seat | None = None
        self.line = 0
        self.steps: list[Step] = []
        self.lines: list[int] = []

    def read(self, line: int, word: str) -> GivenOrder | Refused | None:
        """Return the order that ends with this word, if one does."""
        if step := _STEPS.get(word):
            return self._step(line, step)
        if word == "/":
            return self._slash(line)
        if number := _NUMBER.fullmatch(word):
            return self._number(line, int(number[1]))
        if distant := _STEP.fullmatch(word):
            return self._step(line, Step(Square(distant[1]), Square(distant[2])))
        return Refused(
            line, say("I do not understand '{seen}'; write a step like d3-d4", seen=shown(word))
        )

    def finish(self, side: Seat) -> GivenOrder | Refused:
        if not self.steps:
            return _refused(self.line, self.turn, side, say("the order has no steps"))
        return GivenOrder(self.turn, side, self.steps, self.lines)

    def _step(self, line: int, step: Step) -> Refused | None:
        if self.side is None:
            return Refused(line, say("{step} comes before any turn number", step=str(step)))
        self.steps.append(step)
        self.lines.append(line)
        return None

    def _slash(self, line: int) -> GivenOrder | Refused:
        if self.side != WHITE:
            return Refused(line, say("a slash may only come between White's order and Black's"))
        white = self.finish(WHITE)
        self._begin(line, BLACK)
        return white

    def _number(self, line: int, turn: int) -> GivenOrder | Refused | None:
        if turn != self.turn + 1:
            return Refused(
                line, say("expected turn {due} here, not turn {seen}", due=self.turn + 1, seen=turn)
            )
        if self.side == WHITE:
            return _refused(
                line, self.turn, BLACK, say("there is no order, but another turn follows")
            )
        black = self.finish(BLACK) if self.side else None
        self.turn = turn
        self._begin(line, WHITE)
        return black

    def _begin(self, line: int, side: Seat) -> None:
        self.line, self.side = line, side
        self.steps, self.lines = [], []
