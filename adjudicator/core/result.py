"""How a match ended, as its row keeps it: the winners, the places and who left before the end
(club, 7.6 and 15)."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.json import decode, encode

from adjudicator.core.game import Rules
from adjudicator.core.match import Outcome, Seat

How = Literal["resigned", "silence", "forfeited"]

# Reasons of the program's own; all others are the outcome's, as `core/game.Rules` says.
CANCELLED = "cancelled"  # by the game master, also before the match opened
UNREAD = "unread"  # by the game master, from its rows alone: the match could not be read
SILENCE = "silence"  # nobody was left: all who still played were silent
VOID = frozenset({CANCELLED, UNREAD, SILENCE})


class SeatDeparture(Struct, frozen=True, kw_only=True):
    """A seat that left before the end."""

    seat: str
    """The seat."""
    how: How
    """`resigned`, `silence` (forfeited, because no orders came) or `forfeited` (by the game
    master)."""
    ply: int
    """In which ply."""
    bounced: bool = False
    """Whether the last report to it had come back by then."""


class MatchResult(Struct, frozen=True, kw_only=True):
    """The end of a match, as `match.result` has it."""

    winners: tuple[str, ...] = ()
    """The seats that won; empty in a draw and without a result."""
    places: tuple[tuple[str, ...], ...]
    """Groups of equal seats, the best first; each seat is in one of them. Those that left stand
    below all that stayed."""
    reason: str
    """The reason as in a report, or `cancelled`, `unread`, `silence`."""
    departures: tuple[SeatDeparture, ...] = ()
    """One for each seat that left."""
    dormant: tuple[str, ...] = ()
    """Seats for which the game gave orders at the end, because their players had missed three
    deadlines in a row."""
    in_set_up: bool = False
    """Whether the match ended before its first turn."""

    @property
    def is_void(self) -> bool:
        """Return whether the match has ended without anything that could be counted."""
        return self.reason in VOID

    def departure(self, seat: str) -> SeatDeparture | None:
        return next((one for one in self.departures if one.seat == seat), None)


def write(result: MatchResult) -> str:
    """Return the result as it is stored."""
    return encode(result).decode()


def read(text: str) -> MatchResult:
    """Read what `write` wrote. Raises ValueError for anything else."""
    return decode(text, type=MatchResult)


def result_of(
    rules: Rules[Any, Any, Any],
    state: Any,
    seats: Sequence[str],
    departures: Sequence[SeatDeparture],
    *,
    cause: str,
    dormant: Collection[str] = (),
) -> MatchResult | None:
    """Return how a match with these seats ended; None if `state` has no outcome. `cause` is that of
    its last ply, `departures` are all that it had."""
    outcome = rules.outcome(state)
    if outcome is None:
        return None
    left = {one.seat for one in departures}
    is_silence = outcome.reason == CANCELLED and cause == "forfeit"
    return MatchResult(
        winners=outcome.winners,
        places=places(_rank_seats(rules, state, outcome, seats), departures),
        reason=SILENCE if is_silence else outcome.reason,
        departures=tuple(departures),
        dormant=tuple(seat for seat in seats if seat in dormant and seat not in left),
        in_set_up=rules.turn(state) == 0,
    )


def without_state(seats: Sequence[str], reason: str, *, in_set_up: bool) -> MatchResult:
    """Return how a match ended of whose state nothing is known."""
    return MatchResult(places=(tuple(seats),), reason=reason, in_set_up=in_set_up)


def _rank_seats(
    rules: Rules[Any, Any, Any], state: Any, outcome: Outcome, seats: Sequence[str]
) -> list[list[str]]:
    """Return the seats as the game ranks them; without such an order the winners come first and all
    others are equal."""
    ranked = [list(map(str, group)) for group in rules.places(state)]
    if ranked:
        return ranked
    others = [seat for seat in seats if seat not in outcome.winners]
    return [[seat for seat in seats if seat in outcome.winners], others]


def places(
    ranked: Iterable[Iterable[str]], departures: Iterable[SeatDeparture]
) -> tuple[tuple[str, ...], ...]:
    """Return groups of equal seats, the best first: those that stayed as they are `ranked`, then
    those that left, the later the better, and equal if they left in one ply."""
    plies = {one.seat: one.ply for one in departures}
    stayed = [[seat for seat in group if seat not in plies] for group in ranked]
    left = [
        [seat for seat, ply in plies.items() if ply == last]
        for last in sorted(set(plies.values()), reverse=True)
    ]
    return tuple(tuple(group) for group in [*stayed, *left] if group)


def leavers(
    rules: Rules[Any, Any, Any], before: Any, after: Any, seats: Sequence[str]
) -> tuple[Seat, ...]:
    """Return the seats that left in a ply in which seats left, by the states around it.

    In a game of two nobody is `gone` when the match ends with that: then it is whoever has not
    won.
    """
    was, now = rules.gone(before), rules.gone(after)
    outcome = rules.outcome(after)
    left = [seat for seat in seats if seat in now and seat not in was]
    if not left and outcome is not None:
        left = [seat for seat in seats if seat not in outcome.winners and seat not in was]
    return tuple(map(Seat, left))
