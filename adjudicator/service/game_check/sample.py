"""The random matches of a game that all its checks look at."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from random import Random
from traceback import extract_tb
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.service.game_check.findings import ContractFault, Place
from adjudicator.service.game_check.playouts import PlayedPly, playout

LONGEST = 2000  # plies of a random match
ONLOOKER = Seat("")


class RandomMatch(Struct, frozen=True):
    """A random match; `fault` is what a function of the game raised, and ended it with."""

    name: str
    variant: str
    plies: tuple[PlayedPly, ...]
    fault: str = ""


class Sample:
    """A game with some random matches of each of its variants, all following from `seed`.

    `word` is how another process finds the game, empty if none can. `place` is where the check that
    runs is looking at the moment, `note` what it says if all is well.
    """

    def __init__(self, game: AnyGame, seed: str, matches: int, word: str, most: int = LONGEST):
        self.game, self.seed, self.matches, self.word, self.most = game, seed, matches, word, most
        self.place, self.note = Place(), ""

    @cached_property
    def played(self) -> tuple[RandomMatch, ...]:
        return tuple(
            self._play(variant, number)
            for variant in self.game.variants
            for number in range(1, self.matches + 1)
        )

    def random(self, *use: object) -> Random:
        return Random("|".join(map(str, (self.seed, *use))))

    def _play(self, variant: str, number: int) -> RandomMatch:
        plies, rng = [], self.random(variant, number)
        fault = ""
        try:
            for ply in playout(self.game, rng, self.most, variant, rubbish=0.2):
                plies.append(ply)
                if self.game.rules.outcome(ply.after):
                    break
        except Exception as trouble:
            fault = describe_fault(trouble)
        return RandomMatch(f"{variant}-{number}", variant, tuple(plies), fault)

    def plies(self, most: int) -> Iterator[PlayedPly]:
        """Yield plies of each match, at most so many, spread evenly, the first and the last among
        them."""
        for match in self.played:
            for number in spread(len(match.plies), most):
                ply = match.plies[number]
                self.place = Place(match=match.name, ply=number, orders=self.lines(ply))
                yield ply

    def states(self, most: int) -> Iterator[tuple[PlayedPly, Any]]:
        """Yield the states before and after each of these plies."""
        for ply in self.plies(most):
            yield ply, ply.before
            yield ply, ply.after

    def seats(self, ply: PlayedPly) -> Iterator[Seat]:
        """Yield the seats in play."""
        for seat in ply.setting.seats:
            self.place = replace(self.place, seat=seat)
            yield seat

    def lines(self, ply: PlayedPly) -> tuple[str, ...]:
        """Return a ply's orders, for somebody who looks for the fault."""
        return tuple(
            f"{seat}: {' / '.join(map(self._line, orders))}" for seat, orders in ply.orders.items()
        )

    def _line(self, order: Any) -> str:
        try:
            return self.game.orders.canonical(order)
        except Exception:  # a check of its own says so
            return repr(order)

    def fault(self, sentence: str) -> ContractFault:
        return ContractFault(sentence, self.place)


def spread(length: int, most: int) -> Sequence[int]:
    """Return at most so many numbers below `length`, the first and the last among them."""
    if length <= most:
        return range(length)
    return sorted({round(at * (length - 1) / (most - 1)) for at in range(most)})


def describe_fault(fault: Exception) -> str:
    """Return what was raised, and in which line of which file."""
    at = extract_tb(fault.__traceback__)[-1]
    return f"{type(fault).__name__}: {fault} ({at.filename}, line {at.lineno})"
