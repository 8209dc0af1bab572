"""A match that was played again from an opened log: values that all checks of it read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core import chain
from adjudicator.core.chain import Opening, PlyText
from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Setting
from adjudicator.service.audit.public_chance import chance_of
from adjudicator.service.audit.receipts import ParsedLog

# What rules and readers raise that are given what no club of ours has written.
UNREPLAYABLE = (ValueError, LookupError, TypeError, AttributeError, AssertionError)

BY_COMPUTER, BY_DEFAULT = "computer", "default"  # who gave orders, as the log says


class Happened(Struct, frozen=True):
    """An event of a match and its ply. `number` counts from 1 those that came between that ply and
    the next."""

    ply: int
    event: Any
    number: int = 0


class ReplayedPly(Struct, frozen=True, kw_only=True):
    """A ply that was played again. `since` are the states from the ply before on: after it, and
    after each of the events `between` the two. The last of them is the one that was ordered in."""

    entry: PlyText
    since: Sequence[Any]
    between: Sequence[Any]
    events: Sequence[Any]
    state: Any

    @property
    def before(self) -> Any:
        return self.since[-1]


class ReplayedMatch(Struct, frozen=True, kw_only=True):
    """A match that was played again: its opening position, its plies, its events, and its states
    after each ply and after each event that came between that and the next."""

    game: AnyGame
    match: str
    seed: bytes
    setting: Setting
    number: chain.PublicChance | None
    opening: Any
    plies: Sequence[ReplayedPly]

    @property
    def last(self) -> Any:
        return self.plies[-1].state if self.plies else self.opening

    def happened(self) -> Iterator[Happened]:
        for one in self.plies:
            ply = one.entry.ply
            for number, event in enumerate(one.between, start=1):
                yield Happened(ply - 1, event, number)
            for event in one.events:
                yield Happened(ply, event)

    def states(self) -> Mapping[int, Sequence[Any]]:
        found: dict[int, Sequence[Any]] = {0: [self.opening]}
        for one in self.plies:
            found[one.entry.ply - 1] = one.since
            found[one.entry.ply] = [one.state]
        return found

    def chance(self, state: Any) -> Chance:
        phrases = self.game.proof.phrases(state)
        return chance_of(self.game, self.match, self.seed, self.number, phrases)


class PlyToJudge(Struct, frozen=True, kw_only=True):
    """A ply whose orders are judged. `since` are the states from the ply before on, as in
    ReplayedPly, and `between` the events between them."""

    entry: PlyText
    since: Sequence[Any]
    between: Sequence[Any]

    @property
    def before(self) -> Any:
        return self.since[-1]


def possible_plies(played: ReplayedMatch, ply: PlyToJudge) -> Iterator[PlyToJudge]:
    """Yield the plies, the last first, for which its orders can have been given.

    Where a player left and nothing was ordered, the orders of the others are carried on.
    """
    yield ply
    for one in reversed(played.plies):
        if one.entry.cause == "orders":
            return
        yield PlyToJudge(entry=one.entry, since=one.since, between=one.between)


def setting_of(opening: Opening, game: AnyGame, board: str = "") -> Setting:
    """Return what was agreed, as a game takes it."""
    held = {one.seat for one in opening.holders}
    seats = tuple(seat for seat in game.seats if seat in held)
    return Setting.of(game.options, opening.variant, opening.options, seats, board)


def holders_before(log: ParsedLog, ply: int) -> dict[str, str]:
    """Return who held the seats when a ply was adjudicated, persons and computers."""
    held = {one.seat: one.kind for one in log.opening.holders}
    for entry in log.entries[:ply]:
        held |= {one.seat: one.kind for one in entry.holders}
    return held


def taken_back(entry: PlyText) -> bool:
    return any(ruled.action == "undo" for ruled in entry.rulings)
