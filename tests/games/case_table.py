"""A case while it is played, of games in which several seats order at once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame, fold
from adjudicator.core.match import Seat
from tests.games.casefiles import Case, CaseFault, Section

Take = Callable[[Any, Section], None]


class CaseTable:
    """Actions wait until something is expected of them. A game's own table has the words of its
    sections, and `opened`."""

    game: ClassVar[AnyGame]
    chance: ClassVar[Chance]
    told: ClassVar[Mapping[str, Take]]
    actions: ClassVar[Mapping[str, Take]]
    expected: ClassVar[Mapping[str, Take]]

    def __init__(self, case: Case) -> None:
        self.case = case
        self._state: Any = None
        self.sheets: dict[Seat, tuple[Any, ...]] = {}
        self.acted = False
        self.events: tuple[Any, ...] = ()
        self.checks = 0
        self.result_told = False

    @classmethod
    def play(cls, case: Case) -> None:
        """Play a case. Raises AssertionError if the case does not hold, CaseFault if it makes no
        sense."""
        table = cls(case)
        for section in case.sections:
            table.take(section)
        table.finish()

    def opened(self) -> Any:
        """Return the state in which the case begins."""
        raise NotImplementedError

    @property
    def state(self) -> Any:
        if self._state is None:
            self._state = self.opened()
        return self._state

    def take(self, section: Section) -> None:
        if section.word in self.told:
            self.told[section.word](self, section)
        elif section.word in self.actions:
            self.actions[section.word](self, section)
        elif section.word in self.expected:
            self.go_on()
            self.checks += 1
            self.expected[section.word](self, section)
        else:
            raise CaseFault(f"{self.case}: what is {section.word} in line {section.number}?")

    def finish(self) -> None:
        if not self.checks:
            raise CaseFault(f"{self.case}: this case expects nothing")
        if not self.result_told:
            assert self.state.outcome is None, f"{self.case}: ended: {self._result()}"

    # What happens.

    def leave(self, section: Section) -> None:
        reason = {"RESIGN": "resignation", "FORFEIT": "forfeit"}[section.word]
        seats = [Seat(word) for word in section.said.split()]
        self._happens(self.game.rules.leave(self.state, seats, reason))

    def agree(self, section: Section) -> None:
        self._happens(self.game.rules.close(self.state, "agreement"))

    def go_on(self) -> None:
        if self.acted:
            self._happens(self.game.rules.adjudicate(self.state, self.sheets, self.chance))
            self.sheets, self.acted = {}, False

    def _happens(self, events: Iterable[Any]) -> None:
        self.events = tuple(events)
        self._state = fold(self.game, self.state, self.events)

    # What must come of it.

    def result(self, section: Section) -> None:
        self.result_told = True
        same([section.said], [self._result()])

    def _result(self) -> str:
        outcome = self.state.outcome
        if outcome is None:
            return "*"
        assert outcome.winner == (outcome.winners[0] if len(outcome.winners) == 1 else None)
        return f"{','.join(outcome.winners) or 'none'} {outcome.reason}"


def same(expected: Sequence[str], seen: Sequence[str]) -> None:
    assert [*expected] == [*seen], "\n  ".join(["expected", *expected, "but seen", *seen])
