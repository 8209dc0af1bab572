"""The news of Spies as values: every event as it may be seen, and what of it is told besides
(rules 7.3). The fields, their order and their names are those of the book."""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import UNSET, UnsetType

from adjudicator.core.visible import Visible


class Known(Visible, frozen=True, kw_only=True):
    """The base of private parts. Absent is what a seat is not told."""


class KnownTile(Known, frozen=True, kw_only=True):
    """Which tile was discarded."""

    tile: str


class KnownChits(Known, frozen=True, kw_only=True):
    """The kinds that were drawn."""

    chits: tuple[str, ...]


class KnownChit(Known, frozen=True, kw_only=True):
    """The kind of one chit."""

    chit: str


class KnownStrengths(Known, frozen=True, kw_only=True):
    """A spy and the police that were compared with it."""

    strength: int
    police: int


class KnownFace(Known, frozen=True, kw_only=True):
    """The part of a discovery that a seat was told: a face, the `strength` of a spy that met a
    counterspy, the strengths of the discovering `spy` and the carrier that was on `guard`."""

    value: int | UnsetType = UNSET
    title: str | UnsetType = UNSET
    counterspy: int | UnsetType = UNSET
    strength: int | UnsetType = UNSET
    spy: int | UnsetType = UNSET
    guard: int | UnsetType = UNSET


class KnownFight(Known, frozen=True, kw_only=True):
    """The strengths of a spy with a dagger and of the other."""

    spy: int
    victim: int


class KnownWhy(Known, frozen=True, kw_only=True):
    """Why a step was left out."""

    why: str


class Sighting(Visible, frozen=True, kw_only=True, tag_field="type"):
    """The base of all news, told apart by `type`. `known` is absent where the reader is told
    nothing besides."""


class SawTurn(Sighting, frozen=True, kw_only=True, tag="turn"):
    """A power's turn began."""

    power: str
    year: int


class SawTile(Sighting, frozen=True, kw_only=True, tag="tile"):
    """A tile was played or, None, discarded unseen."""

    power: str
    tile: str | None
    known: KnownTile | UnsetType = UNSET


class SawGain(Sighting, frozen=True, kw_only=True, tag="gain"):
    """A power got chits or money by a tile."""

    power: str
    city: str
    chits: int
    money: int
    known: KnownChits | UnsetType = UNSET


class SawSearch(Sighting, frozen=True, kw_only=True, tag="search"):
    """Police searched a spy."""

    power: str
    spy: str
    city: str
    arrival: bool
    answer: str | None
    to: str | None
    captured: bool
    known: KnownStrengths | UnsetType = UNSET


class SawGo(Sighting, frozen=True, kw_only=True, tag="go", rename={"start": "from"}):
    """A spy went from a city to another."""

    power: str
    spy: str
    start: str
    to: str


class SawReturn(Sighting, frozen=True, kw_only=True, tag="return"):
    """A captured spy came back to its capital."""

    power: str
    spy: str
    city: str


class SawTake(Sighting, frozen=True, kw_only=True, tag="take"):
    """A spy took an own original."""

    power: str
    spy: str
    secret: str
    city: str


class SawDrop(Sighting, frozen=True, kw_only=True, tag="drop"):
    """A spy laid down what it carried."""

    power: str
    spy: str
    secret: str
    city: str


class SawGuard(Sighting, frozen=True, kw_only=True, tag="guard"):
    """Free police guard a secret that was left behind."""

    power: str
    secret: str
    city: str


class SawDiscover(Sighting, frozen=True, kw_only=True, tag="discover"):
    """A discovery was played, or was free; `by` captured the spy."""

    power: str
    spy: str
    secret: str
    city: str
    free: bool
    result: str
    captured: bool
    by: str | None
    known: KnownFace | UnsetType = UNSET


class SawCash(Sighting, frozen=True, kw_only=True, tag="cash"):
    """A foreign secret was cashed."""

    power: str
    spy: str
    secret: str
    known: KnownChit | UnsetType = UNSET


class SawGive(Sighting, frozen=True, kw_only=True, tag="give"):
    """A gift of money or, where that is 0, of a chit."""

    power: str
    to: str
    money: int
    known: KnownChit | UnsetType = UNSET


class SawKill(Sighting, frozen=True, kw_only=True, tag="kill"):
    """A spy met another with a dagger."""

    power: str
    spy: str
    victim: str
    city: str
    result: str
    known: KnownFight | UnsetType = UNSET


class SawSkipped(Sighting, frozen=True, kw_only=True, tag="skipped"):
    """A step of the reader's own spy was left out."""

    power: str
    spy: str
    step: int
    known: KnownWhy | UnsetType = UNSET


News: TypeAlias = (
    SawTurn
    | SawTile
    | SawGain
    | SawSearch
    | SawGo
    | SawReturn
    | SawTake
    | SawDrop
    | SawGuard
    | SawDiscover
    | SawCash
    | SawGive
    | SawKill
    | SawSkipped
)
Private: TypeAlias = Mapping[str, Known]  # by seat or, for the record, dormant power
