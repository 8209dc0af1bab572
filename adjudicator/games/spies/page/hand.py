"""Show what a seat holds itself: the rows of its spies, police, secrets, chits and event tiles."""

from collections.abc import Sequence

from msgspec import Struct

from adjudicator.core.message import Words
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page.names import chits_held, city_name, place, tile_text, tile_years
from adjudicator.games.spies.page.pieces import face, fate, load
from adjudicator.games.spies.page.titles import secret_title, tile_title
from adjudicator.games.spies.rules.atlas import Power, atlas, owner_of
from adjudicator.games.spies.rules.tiles import in_time
from adjudicator.games.spies.sight.view import OwnPolice, SeenSecret, SeenSpy, View


class SpyRow(Struct, frozen=True, kw_only=True):
    """An own spy: `where` it is, by code or in words, empty before it was placed, and the secret
    that it carries."""

    code: str
    strength: int | None
    where: str
    load: str


class PoliceRow(Struct, frozen=True, kw_only=True):
    """An own police piece, where it is, empty before it was placed, and the secret that it
    guards."""

    code: str
    strength: int
    where: str
    on: str


class SecretRow(Struct, frozen=True, kw_only=True):
    """A secret that began with the power: `face` is its value, `c3` for a counterspy."""

    code: str
    face: str
    title: str


class TileRow(Struct, frozen=True, kw_only=True):
    """An event tile: when it may be played, what it does, by the codes of its cities and by their
    names, whether that is `now`, and whether now or next year, for which spies go to its cities."""

    code: str
    title: str
    years: str
    told: str
    named: str
    now: bool
    soon: bool


class Hand(Struct, frozen=True, kw_only=True):
    """All that one power has. `homes` are its home cities and how many police have room in each
    (5.9)."""

    title: str
    capital: str
    homes: str
    money: int
    chits: str
    points: int
    tiles: Sequence[TileRow]
    spies: Sequence[SpyRow]
    police: Sequence[PoliceRow]
    originals: Sequence[SecretRow]


def hands(view: View, words: Words) -> list[Hand]:
    """Return the hands of the powers that the reader leads; none for a reader without a seat."""
    return [_hand(view, power, words) for power in view.powers]


def _hand(view: View, power: Power, words: Words) -> Hand:
    return Hand(
        title=words(TITLES[power]),
        capital=place(atlas().powers[power].capital, words),
        homes=_homes(power),
        money=view.money[power],
        chits=chits_held(view.own_chits[power], words),
        points=view.points[power],
        tiles=[_tile(tile, view.year, words) for tile in view.own_tiles[power]],
        spies=[_spy(view, spy, words) for spy in view.spies if spy.power == power],
        police=[_police(piece) for piece in view.own_police if owner_of(piece.police) == power],
        originals=[_secret(secret, words) for secret in view.secrets if secret.origin == power],
    )


def _homes(power: Power) -> str:
    cities = atlas().cities
    return ", ".join(f"{city} {cities[city].max_police}" for city in atlas().powers[power].homes)


def _tile(tile: str, year: int, words: Words) -> TileRow:
    return TileRow(
        code=tile,
        title=tile_title(tile, words),
        years=tile_years(tile),
        told=tile_text(tile, words),
        named=tile_text(tile, words, lambda city: city_name(city, words)),
        now=in_time(tile, year),
        soon=in_time(tile, year) or in_time(tile, year + 1),
    )


def _spy(view: View, spy: SeenSpy, words: Words) -> SpyRow:
    where = spy.city or (words(fate(spy)) if view.placed else "")
    return SpyRow(code=spy.spy, strength=spy.strength, where=where, load=load(view, spy))


def _police(piece: OwnPolice) -> PoliceRow:
    where, on = piece.city or "", piece.on or ""
    return PoliceRow(code=piece.police, strength=piece.strength, where=where, on=on)


def _secret(secret: SeenSecret, words: Words) -> SecretRow:
    title = secret_title(secret.title or "", words)
    return SecretRow(code=secret.secret, face=face(secret), title=title)
