"""The rows of the page that tells the rules of Spies. Its sentences stand in the template."""

from collections.abc import Mapping
from typing import Any

from adjudicator.core.message import Words, say
from adjudicator.games.spies.page import drawing, tables
from adjudicator.games.spies.page.names import city_name
from adjudicator.games.spies.rules.atlas import POWERS, atlas


def rules(words: Words) -> Mapping[str, Any]:
    """The map as it lies at the start, and the names of its cities."""
    bare = _at_the_start()
    return {
        "shapes": drawing.shapes(bare),
        "powers": tables.powers(bare, words),
        "picture": words(say("The map with the neutral secrets.")),
        "names": sorted((city, city_name(city, words)) for city in atlas().cities),
    }


def _at_the_start() -> Mapping[str, Any]:
    """As much of a report as the drawing reads: the eight neutral secrets in their cities."""
    return {
        "powers": [],
        "dormant": [],
        "news": [],
        "spies": [],
        "police": [],
        "secrets": [
            {
                "secret": f"N-{number}",
                "origin": None,
                "city": city,
                "spy": None,
                "controller": None,
                "value": None,
                "counterspy": None,
            }
            for number, city in enumerate(atlas().neutral_cities, start=1)
        ],
        "money": {},
        "chits": {},
        "tiles": {},
        "points": {},
        "record": {power: [] for power in POWERS},
    }
