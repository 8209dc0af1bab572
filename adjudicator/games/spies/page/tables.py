"""The tables of a report: powers, the reader's own pieces, cities by country, points by year."""

from collections.abc import Iterator, Mapping
from typing import Any

from adjudicator.core.message import Message, Words, count, say
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page.names import (
    COUNTRIES,
    city_name,
    held,
    place,
    tile_text,
    tile_years,
)
from adjudicator.games.spies.page.titles import secret_title, tile_title
from adjudicator.games.spies.rules.atlas import (
    FIRST_YEAR,
    LAST_YEAR,
    LETTERS,
    POWERS,
    City,
    Power,
    atlas,
    owner_of,
)
from adjudicator.games.spies.rules.tiles import in_time

Report = Mapping[str, Any]
Row = dict[str, Any]

LEFT: Mapping[str, Message] = {
    "resignation": say("{power} gave up; its turns go on by the rules."),
    "forfeit": say("{power} is out for sending no orders; its turns go on by the rules."),
}


def by_code(report: Report) -> dict[str, Mapping[str, Any]]:
    """Spies and secrets by their codes."""
    return {
        **{spy["spy"]: spy for spy in report["spies"]},
        **{secret["secret"]: secret for secret in report["secrets"]},
    }


def face(secret: Mapping[str, Any]) -> str:
    """What the reader knows of a secret: its value, `c3` for a counterspy of strength 3."""
    if secret["value"] is not None:
        return str(secret["value"])
    return f"c{secret['counterspy']}" if secret["counterspy"] is not None else ""


def with_face(secret: Mapping[str, Any]) -> str:
    """`N-4`, or `N-4=3` where the reader knows it."""
    return "=".join(filter(None, (secret["secret"], face(secret))))


def powers(report: Report, words: Words) -> list[Row]:
    """A row a power, the dormant ones too: what all see of it."""
    return [
        {
            "power": power,
            "letter": LETTERS[power],
            "title": words(TITLES[power]),
            "own": power in report["powers"],
            "dormant": power in report["dormant"],
            "money": report["money"].get(power),
            "chits": report["chits"].get(power),
            "tiles": report["tiles"].get(power),
            "record": _record(report, power),
            "points": report["points"].get(power),
        }
        for power in POWERS
    ]


def _record(report: Report, power: Power) -> list[tuple[int, str]]:
    """The years of a power's record and the pieces that came on it."""
    years: dict[int, list[str]] = {}
    known = by_code(report)
    for entry in report["record"][power]:
        piece = known[entry["code"]]
        told = _spy(piece) if entry["kind"] == "spy" else with_face(piece)
        years.setdefault(entry["year"], []).append(told)
    return [(year, ", ".join(told)) for year, told in years.items()]


def _spy(spy: Mapping[str, Any]) -> str:
    """`G-A`, or `G-A=4` where the reader knows its strength."""
    return spy["spy"] if spy["strength"] is None else f"{spy['spy']}={spy['strength']}"


def own(report: Report, words: Words) -> list[Row]:
    """What a seat holds, by its powers; nothing for who has no seat."""
    return [_hand(report, power, words) for power in report["powers"]]


def _hand(report: Report, power: Power, words: Words) -> Row:
    spies = [spy for spy in report["spies"] if spy["power"] == power]
    police = [piece for piece in report["own_police"] if owner_of(piece["police"]) == power]
    return {
        "power": power,
        "title": words(TITLES[power]),
        "capital": place(atlas().powers[power].capital, words),
        "homes": ", ".join(f"{city} {most}" for city, most in _room(power)),
        "money": report["money"][power],
        "chits": held(report["own_chits"][power], words),
        "points": report["points"][power],
        "tiles": [_tile(tile, report["year"], words) for tile in report["own_tiles"][power]],
        "spies": [
            (spy["spy"], spy["strength"], _where(report, spy, words), _load(report, spy))
            for spy in spies
        ],
        "police": [
            (
                piece["police"],
                piece["strength"],
                place(piece["city"], words) if piece["city"] else "-",
                piece["on"] or "",
            )
            for piece in police
        ],
        "originals": [
            (secret["secret"], face(secret), secret_title(secret["title"] or "", words))
            for secret in report["secrets"]
            if secret["origin"] == power
        ],
    }


def _room(power: Power) -> list[tuple[City, int]]:
    """The home cities and how many police have room in each (5.9)."""
    return [(city, atlas().cities[city].max_police) for city in atlas().powers[power].homes]


def _tile(tile: str, year: int, words: Words) -> tuple[str, str, str, str, bool]:
    return (
        tile,
        tile_title(tile, words),
        tile_years(tile),
        tile_text(tile, words),
        in_time(tile, year),
    )


def _where(report: Report, spy: Mapping[str, Any], words: Words) -> str:
    if spy["city"]:
        return place(spy["city"], words)
    return words(_fate(spy["captor"]))


def _fate(captor: str | None) -> Message:
    if captor is None:
        return say("has no place yet")
    if captor == "neutral":
        return say("in the neutral box")
    if captor == "dead":
        return say("dead")
    return say("captured by {power}", power=TITLES[captor])


def _load(report: Report, spy: Mapping[str, Any]) -> str:
    return with_face(by_code(report)[spy["carries"]]) if spy["carries"] else ""


def off_map(report: Report, words: Words) -> list[tuple[str, str]]:
    """All spies that are not on the map, and where they are instead."""
    return [
        (_spy(spy), words(_fate(spy["captor"])))
        for spy in report["spies"]
        if report["placed"] and not spy["city"]
    ]


def countries(report: Report, words: Words, empty: bool = False) -> list[tuple[str, list[Row]]]:
    """The cities by country in map order, each with what lies and stands there; `empty` too."""
    found: dict[str, list[Row]] = {}
    for row in cities(report, words):
        if empty or row["things"]:
            country = words(COUNTRIES[atlas().cities[row["city"]].country])
            found.setdefault(country, []).append(row)
    return list(found.items())


def cities(report: Report, words: Words) -> Iterator[Row]:
    """Each city with its police, secrets and spies, in words and codes."""
    police = {entry["city"]: entry for entry in report["police"]}
    for city in atlas().cities:
        yield {
            "city": city,
            "name": city_name(city, words),
            "things": list(_things(report, city, police.get(city), words)),
        }


def _things(
    report: Report, city: City, police: Mapping[str, Any] | None, words: Words
) -> Iterator[str]:
    known = by_code(report)
    guarded = police["guards"] if police else ()
    if police:
        n, on = police["pieces"], ", ".join(with_face(known[code]) for code in guarded)
        if on:
            yield words(count("{n} police on {secrets}", "{n} police on {secrets}", n, secrets=on))
        else:
            yield words(count("{n} police", "{n} police", n))
    for secret in report["secrets"]:
        lies = secret["city"] == city and not secret["spy"] and secret["secret"] not in guarded
        if lies:
            yield with_face(secret)
    for spy in report["spies"]:
        if spy["city"] == city:
            load = _load(report, spy)
            carrying = say("{spy} with {secret}", spy=_spy(spy), secret=load)
            yield words(carrying) if load else _spy(spy)


def ways(words: Words) -> list[tuple[City, str, str]]:
    """Each city with its neighbours by rail and air, and the ships that lie in it (3.1)."""
    return [
        (city, city_name(city, words), ", ".join(_near(city, words))) for city in atlas().cities
    ]


def _near(city: City, words: Words) -> Iterator[str]:
    for link in atlas().told.links:
        if city in (link.a, link.b):
            other = link.b if city == link.a else link.a
            yield other if link.type == "rail" else words(say("{city} by air", city=other))
    for zone in atlas().cities[city].sea_zones:
        yield words(say("ship {zone}", zone=zone))


def ships() -> list[tuple[str, str]]:
    """Each sea zone with those whose ships lie beside its own."""
    return [(zone.id, ", ".join(zone.adjacent)) for zone in atlas().told.sea_zones]


def left(report: Report) -> list[Message]:
    """Which seats gave up, and what follows (6.7)."""
    return [
        say(LEFT[reason].text, power=TITLES[power])
        for seat, reason in report["left"].items()
        for power in report["seats"][seat]
    ]


def points(report: Report, words: Words) -> list[tuple[str, list[int], int]] | None:
    """At the end: each seat's points as they came, year by year; None before."""
    if report["result"] is None or not report["placed"]:
        return None
    return [
        (words(TITLES[seat]), by_year, sum(by_year))
        for seat, led in report["seats"].items()
        for by_year in [[_came(report, led, year) for year in years()]]
    ]


def years() -> range:
    return range(FIRST_YEAR, LAST_YEAR + 1)


def _came(report: Report, led: list[Power], year: int) -> int:
    known = by_code(report)
    return sum(
        atlas().factors[year] * _worth(known[entry["code"]])
        for power in led
        for entry in report["record"][power]
        if entry["year"] == year
    )


def _worth(piece: Mapping[str, Any]) -> int:
    return int(piece["strength"] if "strength" in piece else piece["value"] or 0)
