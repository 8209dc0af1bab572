"""Decide which seats a new match has and who plays them, from texts `SEAT=PLAYER`."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.service.base.loaded_match import seat_of
from adjudicator.service.base.refusal import Refusal

OPEN = "open"


def seats_of(
    game: AnyGame, variant: str, board: str, texts: Sequence[str], *, leave_open: bool
) -> Mapping[str, str | None]:
    """Return the player of each seat; None for a seat that is left to be joined.

    Raises Refusal if nobody could play so; it names the seats that are right.
    """
    given = _given(game, texts)
    seating = game.seating(variant, board)
    if not seating:
        return _any_seats(game, given, leave_open)
    fitting = [taken for taken in seating.values() if set(taken) >= set(given)]
    if leave_open and fitting:
        return {seat: given.get(seat) for seat in max(fitting, key=len)}
    if given and set(seating.get(len(given), ())) == set(given):
        return given
    if len(given) in seating:
        raise Refusal(_not_these(game, seating[len(given)], given))
    if not fitting:
        numbers = ", ".join(map(str, seating))
        raise Refusal(say("this board is for {numbers} players", numbers=numbers), *_takes(seating))
    missing = [seat for seat in min(fitting, key=len) if seat not in given]
    raise Refusal(_who_plays(missing), *_takes(seating))


def _given(game: AnyGame, texts: Iterable[str]) -> dict[str, str | None]:
    seats: dict[str, str | None] = {}
    for text in texts:
        word, equals, player = text.partition("=")
        if not equals or not player.strip():
            raise Refusal(say("'{seen}': write a seat as SEAT=PLAYER", seen=shown(text)))
        seat = seat_of(game, word.strip())
        if seat in seats:
            raise Refusal(say("the seat {seat} is given twice", seat=seat))
        seats[seat] = None if player.strip().lower() == OPEN else player.strip()
    return seats


def _any_seats(
    game: AnyGame, given: Mapping[str, str | None], leave_open: bool
) -> Mapping[str, str | None]:
    """Return the seats for a game in which any may be taken, as many as can play."""
    missing = [seat for seat in game.seats if seat not in given]
    if leave_open:
        return {**given, **dict.fromkeys(missing)}
    if len(given) not in game.players:
        raise Refusal(_who_plays(missing))
    return given


def _who_plays(missing: Sequence[str]) -> Message:
    return say(
        "who plays {seats}? add --seat {first}=PLAYER (a name, or computer), or --open",
        seats=", ".join(missing),
        first=missing[0],
    )


def _not_these(game: AnyGame, right: Sequence[Seat], given: Collection[str]) -> Message:
    return say(
        "{n} players take the seats {right}, not {seen}",
        n=len(given),
        right=", ".join(right),
        seen=", ".join(seat for seat in game.seats if seat in given),
    )


def _takes(seating: Mapping[int, Sequence[Seat]]) -> Iterator[Message]:
    for n, seats in seating.items():
        yield say("{n} players take the seats {seats}", n=n, seats=", ".join(seats))
