"""The whole truth of a match of Spies."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from adjudicator.core.match import Option, Outcome, Seat, StoredValue
from adjudicator.games.spies.orders.values import Answer, Cover
from adjudicator.games.spies.rules.atlas import SET_UP, City, Code, Power

Mode: TypeAlias = Literal["turns", "years"]
Order: TypeAlias = Literal["rotating", "fixed"]
Gone: TypeAlias = Literal["cashed", "kept", "removed"]

NEUTRAL_BOX = "neutral"  # captor of spies caught by a counterspy that worked for nobody (4.4)
DEAD = "dead"  # "captor" of spies that were killed (4.7)


OPTIONS: Mapping[str, Option] = {
    "mode": Option(
        ("years", "turns"),
        by_seats={2: "turns"},
        about="everyone orders a year at once, or each power's turn separately (usual for two)",
    ),  # 5.1
    "order": Option(
        ("rotating", "fixed"), about="another power begins each year, or always Germany"
    ),  # 5.1
    "assassination": Option(("false", "true"), about="with daggers"),  # 4.7
}


class Settings(StoredValue, frozen=True):
    mode: Mode
    order: Order
    assassination: bool


class Spy(StoredValue, frozen=True):
    """`captor` is a power, NEUTRAL_BOX or DEAD; `city` is None exactly before the set-up and
    while there is a captor."""

    strength: int
    city: City | None = None
    captor: str | None = None
    carries: Code | None = None


class Secret(StoredValue, frozen=True):
    """`face` is the map's id of what it is; `city` is also where its spy is."""

    face: str
    city: City | None = None
    spy: Code | None = None
    gone: Gone | None = None


class Police(StoredValue, frozen=True):
    """`on` is the secret that the piece guards."""

    strength: int
    city: City | None = None
    on: Code | None = None


class Hand(StoredValue, frozen=True):
    """The possessions of a power with a player; `tiles` as they were dealt."""

    money: int
    chits: Mapping[str, int] = {}
    tiles: tuple[str, ...] = ()


class Entry(StoredValue, frozen=True):
    """A line of a power's record: a secret cashed or kept, a spy captured."""

    kind: Literal["secret", "spy"]
    code: Code
    year: int


class Standing(StoredValue, frozen=True):
    """A seat's standing orders (6.2 to 6.4); None are the defaults of 6.6. `flee` is by spy or
    ALL; `spare` holds powers, spies, cities or ALL; `informer` secrets, ALL or NONE."""

    answer: tuple[Answer, ...] | None = None
    cover: tuple[Cover, ...] | None = None
    flee: Mapping[str, tuple[City, ...]] = {}
    spare: tuple[str, ...] = ()
    informer: tuple[str, ...] | None = None


class State(StoredValue, frozen=True):
    """`seats` are those in play with the powers that they lead, `left` those that gave up and
    why. `hands` and `spies` are those of powers with a player, `police` and `record` all powers'.
    `known` are, by seat, the spies and secrets whose strength or value it was told. `year` is
    the one to be played; `to_move` is None but in mode `turns`. `setups` are the lines to which
    each seat was committed. `ply` counts sheets, so a seat that leaves does not raise it (10.2);
    `shuffles` counts how often the discard became the pool (2.4)."""

    settings: Settings
    seats: Mapping[Seat, tuple[Power, ...]]
    hands: Mapping[Power, Hand]
    spies: Mapping[Code, Spy]
    secrets: Mapping[Code, Secret]
    police: Mapping[Code, Police]
    pool: tuple[str, ...]
    discard: Mapping[str, int] = {}
    shuffles: int = 0
    record: Mapping[Power, tuple[Entry, ...]] = {}
    known: Mapping[Seat, tuple[Code, ...]] = {}
    standing: Mapping[Seat, Standing] = {}
    played: tuple[str, ...] = ()
    setups: Mapping[Seat, str] = {}
    year: int = SET_UP
    to_move: Power | None = None
    ply: int = 0
    left: Mapping[Seat, str] = {}
    outcome: Outcome | None = None

    @property
    def placed(self) -> bool:
        return self.year > SET_UP
