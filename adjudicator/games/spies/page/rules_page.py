"""The rows of the page that tells the rules of Spies. Its sentences stand in the template."""

from collections.abc import Sequence

from msgspec import Struct

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import Words, say
from adjudicator.games.spies.page import drawing
from adjudicator.games.spies.page.names import city_name
from adjudicator.games.spies.page.powers import PowerRow, powers
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.atlas import SEATS, atlas
from adjudicator.games.spies.rules.state import OPTIONS
from adjudicator.games.spies.sight.observe import observe
from adjudicator.games.spies.sight.view import View


class Rules(Struct, frozen=True, kw_only=True):
    """The map as it lies at the start, and the names of its cities."""

    shapes: drawing.Shapes
    powers: Sequence[PowerRow]
    picture: str
    names: Sequence[tuple[str, str]]


def rules(words: Words) -> Rules:
    view = _at_the_start()
    return Rules(
        shapes=drawing.shapes(view, ()),
        powers=powers(view, words),
        picture=words(say("The map with the neutral secrets.")),
        names=sorted((city, city_name(city, words)) for city in atlas().cities),
    )


def _at_the_start() -> View:
    """Return what somebody without a seat sees before anybody has placed a piece: the neutral
    secrets in their cities."""
    state = match.set_up(
        Setting.of(OPTIONS, "standard", {}, SEATS), Chance(bytes(32), "rules", label=LABEL)
    )
    return observe(state, Seat(""))
