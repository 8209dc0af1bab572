"""The map as it is written in JSON (rules 1.4, 2, 3, 5.8, 5.9)."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

Names = Mapping[str, str]  # by language


class PieceEntry(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    strength: int


class PowerEntry(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    turn_order: int
    capital: str
    home_cities: tuple[str, ...]
    spies: tuple[PieceEntry, ...]
    police: tuple[PieceEntry, ...]
    start_money: int
    start_chits: int
    own_event_tiles: int
    random_event_tiles: int
    start_secrets: int
    seat: str
    names: Names


class SeatingEntry(Struct, frozen=True, forbid_unknown_fields=True):
    seats: Mapping[str, tuple[str, ...]]
    dormant: tuple[str, ...]


class YearEntry(Struct, frozen=True, forbid_unknown_fields=True):
    year: int
    vp_multiplier: int


class FaceEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A secret's face: a real one has a value, a counterspy a strength."""

    id: str
    kind: Literal["secret", "counterspy"]
    title: str
    value: int | None = None
    strength: int | None = None


class ChitEntry(Struct, frozen=True, forbid_unknown_fields=True):
    type: str
    code: str
    count: int
    cost: int
    count_with_assassination: int | None = None


class CashEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """The reward for a secret that is cashed, beside a chit (4.6)."""

    money: int


class CityEntry(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    power: str | None
    country: str
    capital: bool
    police_symbol: bool
    max_police: int
    sea_zones: tuple[str, ...]
    starts_with_neutral_secret: bool
    names: Names
    also: tuple[str, ...]


class LinkEntry(Struct, frozen=True, forbid_unknown_fields=True):
    a: str
    b: str
    type: Literal["rail", "air"]


class ZoneEntry(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    adjacent: tuple[str, ...]
    ports: tuple[str, ...]


class EffectEntry(Struct, frozen=True, forbid_unknown_fields=True):
    type: Literal["chits", "money", "free_discovery"]
    amount: int
    cities: tuple[str, ...]


class TileEntry(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    owner: str | None
    title: str
    first_year: int
    last_year: int
    effects: tuple[EffectEntry, ...]


class About(Struct, frozen=True):
    """Remarks for people who read the file."""

    title: str


class MapFile(Struct, frozen=True, forbid_unknown_fields=True):
    meta: About
    powers: tuple[PowerEntry, ...]
    player_setups: Mapping[str, SeatingEntry]
    years: tuple[YearEntry, ...]
    secrets: tuple[FaceEntry, ...]
    neutral_secret_cities: tuple[str, ...]
    action_chits: tuple[ChitEntry, ...]
    cash_in: CashEntry
    max_move: int
    max_secrets_per_city_at_setup: int
    cities: tuple[CityEntry, ...]
    links: tuple[LinkEntry, ...]
    sea_zones: tuple[ZoneEntry, ...]
    event_tiles: tuple[TileEntry, ...]
