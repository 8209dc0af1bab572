"""Compute again what the built-in players ordered: they see their own view and have their own
chance.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core import chain
from adjudicator.core.chain import AdjudicatedSheet
from adjudicator.core.match import Seat
from adjudicator.core.message import count, say
from adjudicator.core.orders import shown
from adjudicator.releases import plays_alike
from adjudicator.service.audit.log import (
    BY_COMPUTER,
    BY_DEFAULT,
    ParsedLog,
    PlyToJudge,
    ReplayedMatch,
    holders_before,
    possible_plies,
    taken_back,
)
from adjudicator.service.audit.verdicts import AuditFinding, asks, contradicts, leaves_open


class Thinking(Struct, frozen=True):
    """Whether the orders of computers are computed again, and who is told after each of them how
    many that were."""

    wanted: bool = True
    told: Callable[[int], object] = lambda number: None


THINKING = Thinking()


class Computers:
    """Compute the orders of the built-in players again, ply by ply."""

    def __init__(self, played: ReplayedMatch, log: ParsedLog, thinking: Thinking) -> None:
        self._played, self._log, self._thinking = played, log, thinking
        self._seen: dict[str, tuple[int, list[Any]]] = {}
        self.found = self._skipped = 0

    def judge(self, ply: PlyToJudge, one: AdjudicatedSheet) -> Iterator[AuditFinding]:
        """Say what is wrong with who gave orders, and with those of a computer."""
        if one.by not in ("", BY_COMPUTER, BY_DEFAULT):
            yield contradicts(say("orders were given by '{by}'", by=shown(one.by)))
        kind = holders_before(self._log, ply.entry.ply).get(one.seat, "")
        is_computer = kind not in (chain.PERSON, chain.OPEN)
        title = self._played.game.seat_titles[Seat(one.seat)]
        if one.by != BY_DEFAULT and is_computer != (one.by == BY_COMPUTER):
            what = (
                say("{seat} is a computer, and a person gave its orders", seat=title)
                if is_computer
                else say("a computer gave orders for {seat}, which a person plays", seat=title)
            )
            yield contradicts(what)
        elif one.by == BY_COMPUTER and not self._thinking.wanted:
            self._skipped += 1
        elif one.by == BY_COMPUTER:
            yield from self._computed(ply, one, kind)

    def _computed(
        self, ply: PlyToJudge, one: AdjudicatedSheet, kind: str
    ) -> Iterator[AuditFinding]:
        title = self._played.game.seat_titles[Seat(one.seat)]
        version = self._version(ply.entry.ply)
        if any(lines == one.lines for lines in self._possible(ply, Seat(one.seat), kind)):
            self.found += 1
            self._thinking.told(self.found)
        elif not plays_alike(version, self._played.game.slug):
            yield asks(
                say(
                    "this adjud lets the computer that plays {seat} give other orders. The club "
                    "had adjud {version}: audit the match with that version, too",
                    seat=title,
                    version=shown(version),
                )
            )
        elif taken_back(ply.entry):
            yield leaves_open(
                say(
                    "the orders of the computer that plays {seat}, for a ply was taken back",
                    seat=title,
                )
            )
        else:
            what = say("the computer that plays {seat} gives other orders on its view", seat=title)
            yield contradicts(what)

    def _possible(self, ply: PlyToJudge, seat: Seat, kind: str) -> Iterator[tuple[str, ...]]:
        played, game = self._played, self._played.game
        if kind not in game.computers:
            return
        for possible in possible_plies(played, ply):
            use = f"computer {possible.entry.ply}"
            for number, state in reversed([*enumerate(possible.since)]):
                chance = played.chance(state).private(seat, use)
                view = self._view(state, seat, possible, number)
                yield tuple(game.orders.lines(game.computers[kind](view, chance)))

    def _view(self, state: Any, seat: Seat, ply: PlyToJudge, number: int) -> Any:
        """Return what a seat sees and remembers before a ply, after so many events between."""
        game = self._played.game
        view = game.sight.observe(state, seat)
        if game.sight.remember is None:
            return view
        between = self._sights(seat, ply.between[:number])
        seen = [*self._seen_before(seat, ply.entry.ply), *between]
        return game.sight.remember(view, seen, self._played.setting.options)

    def _sights(self, seat: Seat, events: Sequence[Any]) -> Iterator[Any]:
        for event in events:
            if (sight := self._played.game.sight.witness(event, seat)) is not None:
                yield sight

    def _seen_before(self, seat: Seat, ply: int) -> Sequence[Any]:
        """Return what a seat had seen up to the ply before."""
        known, seen = self._seen.get(seat, (0, []))
        if ply - 1 < known:  # orders that were carried on; they are few
            known, seen = 0, []
        for one in self._played.plies[known : ply - 1]:
            seen += self._sights(seat, [*one.between, *one.events])
        self._seen[seat] = ply - 1, seen
        return seen

    def _version(self, ply: int) -> str:
        named = [one.version for one in self._log.entries[:ply] if one.version]
        return named[-1] if named else self._log.opening.version

    def sheets_left_out(self) -> Iterator[AuditFinding]:
        """Say what was not computed again, and why."""
        if not self._skipped:
            return
        told = count(
            "{n} order sheet of a computer was not computed again: {why}",
            "{n} order sheets of computers were not computed again: {why}",
            self._skipped,
            why=say("--no-computers was given"),
        )
        yield leaves_open(told)
