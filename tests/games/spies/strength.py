"""How well the built-in players of Spies play: `python -m tests.games.spies.strength [MATCHES]`.

The first table is of matches between five equal players: discoveries a year, chits and money that a
power has left at the end, where the points come from, and how many spies stay idle in a year though
they could gain something. The second is of matches in which half the seats play better than the
other half, or not: each deal is played twice, the second time with the halves exchanged.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from random import Random
from time import process_time

from msgspec import Struct, field

from adjudicator.core.dice import Stream
from adjudicator.core.match import Seat
from adjudicator.games.spies.computers import COMPUTERS
from adjudicator.games.spies.orders.values import Order
from adjudicator.games.spies.rules import events as e
from adjudicator.games.spies.rules.atlas import (
    FIRST_YEAR,
    LAST_YEAR,
    POWERS,
    SEATS,
    Code,
    atlas,
    owner_of,
)
from adjudicator.games.spies.rules.control import is_original, points_value
from adjudicator.games.spies.rules.discovery import may
from adjudicator.games.spies.rules.state import Entry, State
from adjudicator.games.spies.sight.view import View
from tests.games.spies.matches import Ply, random_match, setting

YEARS = range(FIRST_YEAR, LAST_YEAR + 1)
KINDS = ("computer:random", "computer:cautious", "computer")  # the weakest first
COST = 10  # of a discovery


class Figures(Struct):
    """What is counted over many matches of equal players."""

    matches: int = 0
    hands: int = 0
    discoveries: Counter[int] = field(default_factory=Counter)
    moves: Counter[int] = field(default_factory=Counter)
    idle: Counter[int] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    points: Counter[str] = field(default_factory=Counter)

    @property
    def a_year(self) -> list[float]:
        """Return the discoveries of each year, in the mean of all matches."""
        return [self.discoveries[year] / self.matches for year in YEARS]

    @property
    def unspent(self) -> float:
        """Return the chits that a power has left at the end."""
        chits = (number for kind, number in self.left.items() if kind != "money")
        return sum(chits) / self.hands

    @property
    def won(self) -> float:
        """Return which part of all points was cashed or caught."""
        return 1 - self.points["kept"] / self.points.total()


def figures(kind: str, matches: int, players: int = 5) -> Figures:
    found = Figures()
    for number in range(matches):
        _count(found, _match(number, dict.fromkeys(SEATS, kind), players))
    return found


def _match(number: int, kinds: Mapping[Seat, str], players: int) -> Iterator[Ply]:
    def player(view: View, chance: Stream) -> tuple[Order, ...]:
        return COMPUTERS[kinds[view.seat]](view, chance)

    mode = "turns" if players == 2 else "years"
    return random_match(Random(f"strength {number}"), setting(players, mode), player, leaving=0)


def _count(found: Figures, plies: Iterable[Ply]) -> None:
    last = None
    for ply in plies:
        last = ply.after
        if not ply.before.placed:
            continue
        year = ply.before.year
        found.discoveries[year] += sum(isinstance(event, e.Discover) for event in ply.events)
        active = {event.spy for event in ply.events if isinstance(event, e.Go | e.Discover)}
        found.moves[year] += len(active)
        found.idle[year] += sum(
            _could_gain(last, spy) for spy in last.spies if spy not in active and year < LAST_YEAR
        )
    assert last, "a match has plies"
    found.matches += 1
    found.hands += len(last.hands)
    for power, hand in last.hands.items():
        found.left += Counter(hand.chits) + Counter(money=hand.money)
        for entry in last.record[power]:
            found.points[_source(entry, power)] += _points(last, entry)


def _could_gain(state: State, code: Code) -> bool:
    """Return whether a spy could have brought something home, or looked at a secret that nobody
    guards and that lies away from its home, where it may be bait."""
    spy, power = state.spies[code], owner_of(code)
    if power is None or spy.city is None:
        return False
    if spy.carries:
        return spy.city != atlas().powers[power].capital
    hand = state.hands[power]
    if not hand.chits.get("discovery") or hand.money < COST:
        return False
    return any(
        may(state, power, code, secret)
        for secret, lying in state.secrets.items()
        if lying.city and not lying.spy and atlas().owner(lying.city) is None
    )


def _source(entry: Entry, power: str) -> str:
    if entry.kind == "spy":
        return "caught"
    return "kept" if is_original(entry.code, power) else "cashed"


def _points(state: State, entry: Entry) -> int:
    spy = entry.kind == "spy"
    worth = state.spies[entry.code].strength if spy else points_value(state, entry.code)
    return worth * atlas().factors[entry.year]


def share(kind: str, other: str, matches: int, players: int) -> float:
    """Return how many of the victories a seat of one kind has, if both have as many seats."""
    wins: Counter[str] = Counter()
    held: Counter[str] = Counter()
    seats = list(atlas().seating[players])
    for number in range(matches):
        chosen = set(Random(f"half {number // 2}").sample(seats, len(seats) // 2))
        half = chosen if number % 2 else set(seats) - chosen
        kinds = {seat: kind if seat in half else other for seat in seats}
        *_, last = _match(number // 2, kinds, players)
        outcome = last.after.outcome
        assert outcome, "matches end"
        held.update(kinds.values())
        for seat in outcome.winners:
            wins[kinds[seat]] += 1 / len(outcome.winners)  # type: ignore[assignment]
    mine, theirs = wins[kind] / held[kind], wins[other] / held[other]
    return mine / (mine + theirs)


def main(matches: int) -> None:
    print(f"{matches} matches of five, by year {FIRST_YEAR} to {LAST_YEAR}")
    for kind in KINDS:
        start = process_time()
        found = figures(kind, matches)
        seconds = (process_time() - start) / matches / len(POWERS) / len(YEARS)
        print(f"{kind}: {1000 * seconds:.0f} ms a turn")
        print("  discoveries  ", *(f"{number:5.1f}" for number in found.a_year))
        print("  spies at work", *(f"{found.moves[y] / matches:5.1f}" for y in YEARS))
        print("  idle in vain ", *(f"{found.idle[y] / matches:5.1f}" for y in YEARS))
        all_ = found.points.total()
        came = (f"{what} {found.points[what] / all_:.0%}" for what in ("cashed", "caught", "kept"))
        print("  points:", ", ".join(came))
        money = found.left["money"] / found.hands
        print(f"  left to a power: {found.unspent:.1f} chits, {money:.0f} £")
    print(f"{matches} matches each: share of victories, 5, 3, 2 players")
    for other, kind in pairwise(KINDS):
        shares = (f"{share(kind, other, matches, players):.0%}" for players in (5, 3, 2))
        print(f"  {kind} against {other}:", *shares)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
