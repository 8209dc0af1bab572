"""Plays Espionage's case files.

Before the first action a case tells how things stand:

    VARIANT fast                  always
    OPTION fights=both            as often as needed
    TURN 5 white to move          1 white to move where it is left out
    VOLCANO c5 c6
    QUIET 3                       full turns without a fight up to now
    BARRED white d4-d3            steps that rule 2.4 forbids in that side's next turn
    BEFORE                        the pieces; a case without them begins with the set-ups
      white d3 spy moved known    known: in that turn; `known 2`: since turn 2

Then actions and what must come of them, in any number. Unless the case says RESULT, the match
must be going on when it ends. NEWS and EVENTS belong to the turn played last; FOUGHT, MAYBE and
REMOVED to all turns that the case plays, for what was before BEFORE nobody has seen.

    ORDERS white                  a sheet; lines count from 1 below this head
    RESIGN white | FORFEIT white black | AGREE | CANCEL
    ADVANCE white                 a sheet for that seat's next turn, with conditions or not
    JUDGE white                   what becomes of it as things stand now

    REFUSED                       `2: sentence` by line, 0 for the sheet as a whole
    UNDERSTOOD                    the orders of the last sheet as we write them
    EVENTS                        every step as it was, ranks included
    AFTER                         every piece; `AFTER same`, `AFTER among others`
    SEES white                    every piece and volcano as that seat sees it; ? is a hidden
                                  rank, `noticed` an own piece that the enemy knows
    NEWS white                    every step as that seat learns of it
    WARNED                        `2: sentence` by line, for the last sheet in advance
    TAKEN 2                       the line that gives the order, and the order below it
    DROPPED                       `2: sentence` by line
    NEXT turn 5 black to move
    BARRED white d4-d3            as that seat is shown them; `BARRED white nothing`
    FOUGHT white                  `d5 attacker captain 5, defender colonel 6`: each enemy piece of
                                  unknown rank that beat some of that seat's own, and in which turn
    MAYBE white                   `d5 general mine`: what each enemy piece of unknown rank can be,
                                  `untold` if the match has it so; `MAYBE white among others`
    REMOVED white general spy     told ranks of enemy pieces that were removed; `REMOVED white
                                  nothing`
    LOST white 1 black 0
    COUNT white 30 black 30       pieces on the board
    LEFT 2                        full turns until the draw of rule 6.3
    SETUPS hidden | shown
    SEALED white                  the rows to which the adjudicator commits
    RESULT white headquarters | draw agreement | none cancelled
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import UNSET

from adjudicator.core import conditions
from adjudicator.core.conditions import Plan, Verdict
from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.game import fold
from adjudicator.core.match import Seat
from adjudicator.core.orders import Line, Problem
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.rules.board import Square, in_order
from adjudicator.games.espionage.rules.pieces import SIDES, Piece, Rank
from adjudicator.games.espionage.rules.state import Event, Settings, SetUp, State, Step, Stepped
from adjudicator.games.espionage.rules.turns import secrets
from adjudicator.games.espionage.sight.memory import remember
from adjudicator.games.espionage.sight.observe import SeenPiece, SeenStep, View, observe, witness
from tests.games.casefiles import Case, CaseFault, Section
from tests.games.one_turn import play_turn

CHANCE = Chance(bytes(32), "case", label=LABEL)
ACTIONS = {"ORDERS", "RESIGN", "FORFEIT", "AGREE", "CANCEL", "ADVANCE", "JUDGE"}


def play(case: Case) -> None:
    """Play a case from its first line to its last. Raises AssertionError if it does not hold."""
    table = Table(case)
    for section in case.sections:
        try:
            table.take(section)
        except AssertionError as failed:
            where = f"{case.file}:{section.number}: {section.word} {section.said}"
            raise AssertionError(f"{where}\n{failed}") from None
    table.finish()


class Table:
    """A case while it is played."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.settings: dict[str, Any] = {}
        self.options: dict[str, str] = {}
        self.with_words: dict[str, Any] = {"turn": 1, "to_move": "white", "barred": {}}
        self.volcanoes: tuple[Square, ...] = ()
        self._state: State | None = None
        self.started = False
        self.before: Mapping[Square, Piece] = {}
        self.sheets: dict[Seat, tuple[Any, ...]] = {}
        self.understood: Sequence[str] = ()
        self.kept = Plan((), ())
        self.verdict = Verdict(None, ())
        self.warned: Sequence[Problem] = ()
        self.refused: Sequence[Problem] = ()
        self.answered = True
        self.events: tuple[Event, ...] = ()
        self.log: tuple[Event, ...] = ()
        self.result_told = False
        self.checks = 0

    @property
    def state(self) -> State:
        if self._state is None:  # no BEFORE: the armies are still to be placed
            self._state = State(self._settings(), self.volcanoes)
        return self._state

    def _settings(self) -> Settings:
        if "variant" not in self.settings:
            raise CaseFault(f"{self.case}: say which VARIANT is played")
        return Settings(**self.settings)

    def take(self, section: Section) -> None:
        if section.word in ACTIONS:
            self.started = True
            self._act(section)
        elif not self.started and section.word in _TOLD:
            _TOLD[section.word](self, section)
        elif section.word in _EXPECTED:
            self.checks += 1
            _EXPECTED[section.word](self, section)
        else:
            raise CaseFault(f"{self.case}: what is {section.word} in line {section.number}?")

    def finish(self) -> None:
        assert self.answered, f"{self.case}: refused: {_problem_lines(self.refused)}"
        if not self.checks:
            raise CaseFault(f"{self.case}: this case expects nothing")
        if not self.result_told:
            assert self.state.outcome is None, f"{self.case}: ended: {_result(self.state)}"

    # Sections that tell the beginning.

    def variant(self, section: Section) -> None:
        self.settings["variant"] = section.said

    def option(self, section: Section) -> None:
        key, value = section.said.split("=")
        if key == "aids":  # it decides what is told, not how things stand
            self.options[key] = value
            return
        read: Mapping[str, Callable[[str], Any]] = {
            "no_progress": int,
            "unmask_notice": lambda word: {"true": True, "false": False}[word],
        }
        self.settings[key] = read.get(key, str)(value)

    def turn(self, section: Section) -> None:
        number, side, *_ = section.said.split()
        self.with_words |= {"turn": int(number), "to_move": side}

    def volcano(self, section: Section) -> None:
        self.volcanoes = in_order(Square(word) for word in section.said.split())

    def quiet(self, section: Section) -> None:
        self.with_words["quiet"] = int(section.said)

    def bar(self, section: Section) -> None:
        side, *steps = section.said.split()
        self.with_words["barred"] = {**self.with_words["barred"], side: tuple(map(_step, steps))}

    def place(self, section: Section) -> None:
        pieces = dict(self._piece(text) for text in section.texts)
        self._state = State(
            self._settings(),
            self.volcanoes,
            pieces=pieces,
            lost=dict.fromkeys(SIDES, 0),
            **self.with_words,
        )
        self.before = pieces

    def _piece(self, text: str) -> tuple[Square, Piece]:
        side, square, rank, *marks = text.split()
        known = self.with_words["turn"] if "known" in marks else None
        if known and marks[-1].isdigit():
            known = int(marks[-1])
        return Square(square), Piece(Seat(side), Rank(rank), "moved" in marks, known)

    # Sections that do something.

    def _act(self, section: Section) -> None:
        assert self.answered, f"refused: {_problem_lines(self.refused)}"
        seats = [Seat(word) for word in section.said.split()]
        match section.word:
            case "ORDERS":
                self._order(seats[0], section)
            case "RESIGN":
                self._go_on(ESPIONAGE.rules.leave(self.state, seats, "resignation"))
            case "FORFEIT":
                self._go_on(ESPIONAGE.rules.leave(self.state, seats, "forfeit"))
            case "AGREE":
                self._go_on(ESPIONAGE.rules.close(self.state, "agreement"))
            case "CANCEL":
                self._go_on(ESPIONAGE.rules.close(self.state, "cancelled"))
            case "ADVANCE":
                self._keep(seats[0], section)
            case "JUDGE":
                self._judge(seats[0])

    def _order(self, seat: Seat, section: Section) -> None:
        if seat not in ESPIONAGE.rules.awaiting(self.state):
            raise CaseFault(f"{self.case}: {seat} is not awaited in line {section.number}")
        lines = [Line(n, text) for n, text in enumerate(section.texts, start=1)]
        sheet = ESPIONAGE.orders.parse(lines)
        problems = (*sheet.problems, *ESPIONAGE.orders.check(observe(self.state, seat), sheet))
        if problems:
            self.refused, self.answered = problems, False
            return
        self.understood = [
            line for order in sheet.orders for line in ESPIONAGE.orders.canonical(order).split("\n")
        ]
        self.sheets[seat] = sheet.orders
        if self.sheets.keys() == ESPIONAGE.rules.awaiting(self.state):
            events, state = play_turn(ESPIONAGE, self.state, self.sheets, CHANCE)
            self.events, self._state, self.sheets = events, state, {}
            self.log += self.events

    def _keep(self, seat: Seat, section: Section) -> None:
        """Take a sheet for a later turn, judged on what no position allows."""
        lines = [Line(n, text) for n, text in enumerate(section.texts, start=1)]
        view = observe(self.state, seat)
        plan = conditions.read_plan(ESPIONAGE, lines)
        problems = [*plan.problems, *conditions.impossible(ESPIONAGE, plan, view)]
        if problems:
            self.refused, self.answered = problems, False
            return
        self.kept, self.understood = plan, conditions.canonical(ESPIONAGE, plan)
        self.warned = list(conditions.doubtful(ESPIONAGE, plan, view))

    def _judge(self, seat: Seat) -> None:
        """Judge it on the seat's own view, and on what it saw of the turn played last."""
        seen = [sight for event in self.events if (sight := witness(event, seat))]
        self.verdict = conditions.judge(ESPIONAGE, self.kept, observe(self.state, seat), seen)

    def _go_on(self, events: Iterable[Event]) -> None:
        self.events = tuple(events)
        self._state = fold(ESPIONAGE, self.state, self.events)
        self.log += self.events

    # Sections that tell the outcome.

    def refusal(self, section: Section) -> None:
        self.answered = True
        seen = _problem_lines(self.refused)
        if section.said == "among others":
            assert set(section.texts) <= set(seen), "\n".join(seen)
        else:
            _same(section.texts, seen)

    def echo(self, section: Section) -> None:
        _same(section.texts, self.understood)

    def warning(self, section: Section) -> None:
        _same(section.texts, _problem_lines(self.warned))

    def taken(self, section: Section) -> None:
        branch = self.verdict.taken
        assert branch is not None, _problem_lines(self.verdict.fallen)
        _same([section.said], [str(branch.line.number)])
        _same(section.texts, conditions.orders_of(ESPIONAGE, branch))

    def dropped(self, section: Section) -> None:
        assert self.verdict.taken is None, self.verdict.taken
        _same(section.texts, _problem_lines(self.verdict.fallen))

    def happened(self, section: Section) -> None:
        told = (_event_line(event) for event in self.events)
        _same(section.texts, [line for line in told if line])

    def after(self, section: Section) -> None:
        if section.said == "same":
            assert self.state.pieces == self.before
            return
        expected = dict(self._piece(text) for text in section.texts)
        pieces = self.state.pieces
        if section.said == "among others":
            pieces = {square: pieces[square] for square in pieces if square in expected}
        _same(_piece_lines(expected), _piece_lines(pieces))

    def sees(self, section: Section) -> None:
        seat, *more = section.said.split()
        seen = _seen_lines(observe(self.state, Seat(seat)))
        if " ".join(more) == "among others":
            assert set(section.texts) <= set(seen), "\n".join(seen)
        else:
            _same(sorted(section.texts), sorted(seen))

    def news(self, section: Section) -> None:
        learned = (witness(event, Seat(section.said)) for event in self.events)
        _same(section.texts, [_news_line(step) for step in learned if step])

    def _remembered(self, seat: str) -> View:
        learned = (witness(event, Seat(seat)) for event in self.log)
        view = observe(self.state, Seat(seat))
        return remember(view, [step for step in learned if step], self.options)

    def fought(self, section: Section) -> None:
        lines = []
        for piece in self._remembered(section.said).pieces:
            if piece.fights:
                fights = (f"{fight.role} {fight.beat} {fight.turn}" for fight in piece.fights)
                lines.append(f"{piece.square} {', '.join(fights)}")
        _same(section.texts, lines)

    def maybe(self, section: Section) -> None:
        seat, *more = section.said.split()
        seen = [
            f"{piece.square} {' '.join(piece.could_be) if piece.could_be else 'untold'}"
            for piece in self._remembered(seat).pieces
            if piece.could_be is not UNSET
        ]
        if " ".join(more) == "among others":
            assert set(section.texts) <= set(seen), "\n".join(seen)
        else:
            _same(section.texts, seen)

    def removed(self, section: Section) -> None:
        seat, *ranks = section.said.split()
        _same([] if ranks == ["nothing"] else ranks, self._remembered(seat).lost_known or ())

    def next(self, section: Section) -> None:
        _same([section.said], [f"turn {self.state.turn} {self.state.to_move} to move"])

    def barred(self, section: Section) -> None:
        seat, *steps = section.said.split()
        seen = [str(step) for step in observe(self.state, Seat(seat)).barred]
        _same([] if steps == ["nothing"] else steps, seen)

    def lost(self, section: Section) -> None:
        seen = observe(self.state, SIDES[0]).lost
        _same([section.said], [" ".join(f"{side} {seen[side]}" for side in SIDES)])

    def count(self, section: Section) -> None:
        held = dict.fromkeys(SIDES, 0)
        for piece in self.state.pieces.values():
            held[piece.side] += 1
        _same([section.said], [" ".join(f"{side} {held[side]}" for side in SIDES)])

    def left(self, section: Section) -> None:
        for seat in SIDES:
            _same([section.said], [str(observe(self.state, seat).no_progress_left)])

    def setups(self, section: Section) -> None:
        for seat in SIDES:
            shown = observe(self.state, seat).setups is not None
            assert shown == (section.said == "shown"), f"{seat} sees the set-ups: {shown}"

    def sealed(self, section: Section) -> None:
        _same(section.texts, [secrets(self.state)[Seat(section.said)]])

    def result(self, section: Section) -> None:
        self.result_told = True
        _same([section.said], [_result(self.state)])


_TOLD: Mapping[str, Callable[[Table, Section], None]] = {
    "VARIANT": Table.variant,
    "OPTION": Table.option,
    "TURN": Table.turn,
    "VOLCANO": Table.volcano,
    "QUIET": Table.quiet,
    "BARRED": Table.bar,
    "BEFORE": Table.place,
}
_EXPECTED: Mapping[str, Callable[[Table, Section], None]] = {
    "REFUSED": Table.refusal,
    "UNDERSTOOD": Table.echo,
    "WARNED": Table.warning,
    "TAKEN": Table.taken,
    "DROPPED": Table.dropped,
    "EVENTS": Table.happened,
    "AFTER": Table.after,
    "SEES": Table.sees,
    "NEWS": Table.news,
    "FOUGHT": Table.fought,
    "MAYBE": Table.maybe,
    "REMOVED": Table.removed,
    "NEXT": Table.next,
    "BARRED": Table.barred,
    "LOST": Table.lost,
    "COUNT": Table.count,
    "LEFT": Table.left,
    "SETUPS": Table.setups,
    "SEALED": Table.sealed,
    "RESULT": Table.result,
}


def _same(expected: Sequence[str], seen: Sequence[str]) -> None:
    if list(expected) != list(seen):
        said = "\n  ".join(("expected", *expected)) + "\n" + "\n  ".join(("but seen", *seen))
        raise AssertionError(said)


def _step(text: str) -> Step:
    start, target = text.split("-")
    return Step(Square(start), Square(target))


def _problem_lines(problems: Iterable[Problem]) -> list[str]:
    return [f"{p.line}: {p.message}" for p in sorted(problems, key=lambda p: p.line)]


def _piece_lines(pieces: Mapping[Square, Piece]) -> list[str]:
    return [
        f"{piece.side} {square} {piece.rank}"
        + " moved" * piece.moved
        + (f" known {piece.known_since}" if piece.known_since is not None else "")
        for square, piece in ((square, pieces[square]) for square in in_order(pieces))
    ]


def _seen_lines(view: View) -> list[str]:
    return [
        *(_seen_line(piece) for piece in view.pieces),
        *(f"volcano {square}" for square in view.board.volcanoes),
    ]


def _seen_line(piece: SeenPiece) -> str:
    return (
        f"{piece.side} {piece.square} {piece.rank or '?'}"
        + " moved" * piece.moved
        + (f" known {piece.known_since}" if piece.known_since is not None else "")
        + (" noticed" if piece.known_to_enemy is not UNSET and piece.known_to_enemy else "")
    )


def _event_line(event: Event) -> str | None:
    if isinstance(event, SetUp):
        return f"{event.side} places {event.rows}" + " by lot" * event.drawn
    if not isinstance(event, Stepped):
        return None
    known = ", ".join(f"{r.side} {r.square} {r.rank}" for r in event.revealed)
    line = _fight(event.side, event.start, event.target, event.outcome, event.rank, event.met)
    return line + (f"; now known: {known}" if known else "")


def _news_line(step: SeenStep) -> str:
    line = _fight(
        step.side, step.start, step.target, step.outcome, step.attacker or "?", step.defender or "?"
    )
    return line + (f"; learned: {', '.join(step.revealed)}" if step.revealed else "")


def _fight(side: str, start: str, target: str, outcome: str, rank: str, met: str | None) -> str:
    how = {"moved": "", "won": f", {rank} takes {met}", "lost": f", {rank} falls to {met}"}
    return f"{side} {start}-{target} {outcome}{how[outcome]}"


def _result(state: State) -> str:
    """Return the result as a record's Result tag has it."""
    outcome = state.outcome
    if outcome is None:
        return "*"
    draw = "none" if outcome.reason == "cancelled" else "draw"
    return f"{outcome.winner or draw} {outcome.reason}"
