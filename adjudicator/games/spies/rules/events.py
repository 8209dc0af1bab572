"""The facts that change a match. What of each a seat is told stands in `sight`."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType

from adjudicator.core.match import Outcome, Seat, StoredValue
from adjudicator.games.spies.rules.atlas import City, Code, Power
from adjudicator.games.spies.rules.state import Standing

Reply: TypeAlias = Literal["papers", "escape"]
Found: TypeAlias = Literal["found", "covered", "guarded", "counterspy"]
Killing: TypeAlias = Literal["killed", "nothing", "captured"]
Why: TypeAlias = Literal[
    "off-map",
    "no-goal",
    "condition",
    "nothing-here",
    "cannot-pay",
    "cannot-take",
    "empty",
    "cannot-return",
    "cannot-kill",
]
Told: TypeAlias = tuple[str, ...]  # seats, and the names of dormant powers (7.3)


class Event(StoredValue, frozen=True, tag=True):
    """The base of all facts."""


class Ordered(Event, frozen=True):
    """A seat's sheet as it was used, in canonical lines; secret until the end. `ply` counts
    sheets, the set-ups being 1 (10.2)."""

    seat: Seat
    ply: int
    lines: tuple[str, ...]


class Spot(StoredValue, frozen=True):
    """A place of a police piece, and the secret that it guards there."""

    city: City
    on: Code | None = None


class Placed(Event, frozen=True):
    """A power's pieces took their places (2.5, 2.7); a dormant power has no spies."""

    power: Power
    secrets: Mapping[Code, City]
    police: Mapping[Code, Spot]
    spies: Mapping[Code, City]


class Committed(Event, frozen=True):
    """The set-up of a seat, in lines joined by `/` (2.6)."""

    seat: Seat
    text: str


class Instructed(Event, frozen=True):
    """All standing orders of a seat as they are from now on (6.2)."""

    seat: Seat
    standing: Standing


class Turned(Event, frozen=True):
    """A power's turn begins (5.2)."""

    power: Power
    year: int


class Tile(Event, frozen=True):
    """A tile left the hand, played or discarded unseen (5.8)."""

    power: Power
    seat: Seat
    tile: str
    played: bool


class Gain(Event, frozen=True):
    """A line of a tile gave a power something in a city (5.8); `kinds` as drawn."""

    power: Power
    seat: Seat
    city: City
    kinds: tuple[str, ...]
    money: int


class Reshuffled(Event, frozen=True):
    """The discard became the pool for the `number`th time (2.4)."""

    number: int
    pool: tuple[str, ...]


class Rearranged(Event, frozen=True):
    """Police that stand elsewhere, or guard something else, from now on (5.9)."""

    power: Power
    police: Mapping[Code, Spot]


class Search(Event, frozen=True):
    """Police searched a spy (5.4). `strength` and `police` are those that were compared."""

    power: Power
    spy: Code
    city: City
    arrival: bool
    answer: Reply | None
    to: City | None
    captured: bool
    strength: int | None = None
    police: int | None = None
    told: Told = ()


class Go(Event, frozen=True):
    """A spy went to a city at least one space away (3.3)."""

    power: Power
    spy: Code
    start: City
    to: City


class Return(Event, frozen=True):
    """A captured spy stands in its capital again (5.7)."""

    power: Power
    spy: Code
    city: City


class Take(Event, frozen=True):
    """A spy took an own original (4.5)."""

    power: Power
    spy: Code
    secret: Code
    city: City


class Drop(Event, frozen=True):
    """A spy laid down what it carried (4.5)."""

    power: Power
    spy: Code
    secret: Code
    city: City


class Guard(Event, frozen=True):
    """A free piece guards an own original that was left behind (5.6)."""

    power: Power
    secret: Code
    city: City
    police: Code


class Learned(StoredValue, frozen=True):
    """The part of a discovery that one seat is told (7.3): the face by `value` and `title` or, of a
    counterspy, by its strength; `strength` of the spy whom a counterspy met; the strengths of
    discoverer (`spy`) and carrier (`guard`) that were compared."""

    value: int | UnsetType = UNSET
    title: str | UnsetType = UNSET
    counterspy: int | UnsetType = UNSET
    strength: int | UnsetType = UNSET
    spy: int | UnsetType = UNSET
    guard: int | UnsetType = UNSET


class Discover(Event, frozen=True):
    """A discovery was paid for, or free by a tile (4.3, 5.8). `by` is who captured the spy;
    `coverer` the power that covered; `carrier` the enemy spy that had the secret."""

    power: Power
    spy: Code
    secret: Code
    city: City
    free: bool
    result: Found
    captured: bool = False
    by: str | None = None
    coverer: Power | None = None
    carrier: Code | None = None
    told: Mapping[str, Learned] = {}


class Cash(Event, frozen=True):
    """A foreign secret was cashed in the capital (4.6); `chit` None: there was none left."""

    power: Power
    seat: Seat
    spy: Code
    secret: Code
    chit: str | None


class Give(Event, frozen=True):
    """Money or one chit changed hands (5.10)."""

    power: Power
    to: Power
    money: int
    chit: str | None = None
    told: Told = ()


class Kill(Event, frozen=True):
    """A spy with a dagger met another (4.7)."""

    power: Power
    spy: Code
    victim: Code
    city: City
    result: Killing
    strength: int
    victims_strength: int
    told: Told = ()


class Skipped(Event, frozen=True):
    """A step could not be done and was left out (3.2); `step` counts from 1."""

    power: Power
    seat: Seat
    spy: Code
    step: int
    why: Why


class Passed(Event, frozen=True):
    """`to_move` is next, None where all order together; `year` is the one to be played."""

    to_move: Power | None
    year: int


class Kept(Event, frozen=True):
    """Originals that went on their owner's record at the end (8.1)."""

    power: Power
    secrets: tuple[Code, ...]


class Left(Event, frozen=True):
    """A seat gave up or was forfeited; it is played by the defaults (6.7)."""

    seat: Seat
    reason: str


class Ended(Event, frozen=True):
    """The match is over."""

    outcome: Outcome


AnyEvent: TypeAlias = (
    Ordered
    | Placed
    | Committed
    | Instructed
    | Turned
    | Tile
    | Gain
    | Reshuffled
    | Rearranged
    | Search
    | Go
    | Return
    | Take
    | Drop
    | Guard
    | Discover
    | Cash
    | Give
    | Kill
    | Skipped
    | Passed
    | Kept
    | Left
    | Ended
)
