"""Tables by type: what standing orders say for a case (5.2, 5.3)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.games.spion.orders.values import ANY, Answer, At, Fifth, Keep, Order, Out, Refuse
from adjudicator.games.spion.rules.cards import filled_places, first_place, free
from adjudicator.games.spion.rules.state import Card, Holder, Place, Standing, Why

A = TypeVar("A", Answer, Fifth, Keep)
T = TypeVar("T")


class Stays(Struct, frozen=True):
    """The new card goes to a free place."""

    place: int


class GivesUp(Struct, frozen=True):
    """The card of a place goes out, the new one comes in. `to` None: any vacant embassy."""

    place: int
    to: Place | None = None


class SendsBack(Struct, frozen=True):
    """The new card goes out. `to` None: any that is permitted."""

    to: Place | None = None


class Cannot(Struct, frozen=True):
    """The line cannot be followed."""

    why: Why


Act: TypeAlias = Stays | GivesUp | SendsBack
Failed: TypeAlias = tuple[tuple[Order, Why], ...]  # lines that cannot be followed, and why
# What the first line comes to that can be followed, None where none can, and those before it.
Choice: TypeAlias = tuple[T | None, Failed]


class Case(Struct, frozen=True):
    """A choice that is to be made: the card on "?", the holder, the vacant embassies, and the one
    from which the card came, to which it cannot be refused (R5.3)."""

    card: Card
    holder: Holder
    vacant: tuple[Place, ...]
    origin: Place | None = None

    @property
    def permitted(self) -> tuple[Place, ...]:
        """Return the embassies to which the new card may be refused."""
        return tuple(code for code in self.vacant if code != self.origin)


def merge(standing: Sequence[Standing], sheet: Sequence[Order]) -> tuple[Standing, ...]:
    """Return the tables after a sheet: its lines replace all for the same type or challenger."""
    new = tuple(order for order in sheet if isinstance(order, Standing))
    keys = {_key(order) for order in new}
    return (*(order for order in standing if _key(order) not in keys), *new)


def _key(order: Standing) -> tuple[type, str]:
    return type(order), order.challenger if isinstance(order, Answer) else order.card


def lines(kind: type[A], key: str, *tables: Sequence[Order]) -> Iterator[A]:
    """Yield the lines for a case: table by table, those that name it before those for any."""
    for table in tables:
        for wanted in (key, ANY):
            yield from (o for o in table if isinstance(o, kind) and _key(o) == (kind, wanted))


def has_final(challenger: Seat, standing: Sequence[Standing]) -> bool:
    """Return whether the seat waives the second letter for this challenger (5.3)."""
    first = next(lines(Answer, challenger, standing), None)
    return first is not None and first.final


def place_to_take(challenger: Seat, places: Sequence[int], *tables: Sequence[Order]) -> Choice[int]:
    """Return the place of the challenger that an ANSWER line names first among the filled ones."""
    return _first((line, _named(line.take, places)) for line in lines(Answer, challenger, *tables))


def _named(take: Sequence[int], places: Sequence[int]) -> int | Cannot:
    return next((place for place in take if place in places), Cannot("empty"))


def fifth(case: Case, *tables: Sequence[Order]) -> Choice[Act]:
    """Return what the FIFTH lines say to a full holder (R5.3)."""
    return _first((line, _act(line.act, case)) for line in lines(Fifth, case.card, *tables))


def keep_choice(case: Case, *tables: Sequence[Order]) -> Choice[Act]:
    """Return what the KEEP lines say to a card that was taken after a wrong guess (R6.3)."""
    return _first((line, _act(line.act, case)) for line in lines(Keep, case.card, *tables))


def _first(found: Iterable[tuple[Order, T | Cannot]]) -> Choice[T]:
    failed: list[tuple[Order, Why]] = []
    for line, act in found:
        if not isinstance(act, Cannot):
            return act, tuple(failed)
        if (line, act.why) not in failed:  # an answer's own lines stand among the standing ones too
            failed.append((line, act.why))
    return None, tuple(failed)


def _act(act: At | Out | Refuse, case: Case) -> Act | Cannot:
    """Return what a line comes to, or why it cannot be followed."""
    match act:
        case At(place):
            return Stays(place) if place in free(case.holder) else Cannot("filled")
        case Refuse(to):
            there = _embassy(to, case.permitted)
            return SendsBack(there) if there or not to else Cannot("embassies")
        case Out(what, to):
            if free(case.holder):
                return Cannot("room")
            given, there = _held(what, case.holder), _embassy(to, case.vacant)
            if given is None:
                return Cannot("missing")
            return GivesUp(given, there) if there or not to else Cannot("embassies")


def _embassy(wanted: Sequence[Place], permitted: Sequence[Place]) -> Place | None:
    """Return the first embassy of the list that is permitted; without a list any will do."""
    return next((code for code in wanted if code in permitted), None)


def _held(what: int | str, holder: Holder) -> int | None:
    if isinstance(what, str):
        return first_place(holder, (what,))
    return what if what in filled_places(holder) else None
