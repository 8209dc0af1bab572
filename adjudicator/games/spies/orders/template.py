"""The body of an order sheet: ready to edit, as it stands at the end of every report, and as an
example that is legal at once; and where what a question names can go."""

import re
from collections.abc import Iterator, Sequence

from adjudicator.core.message import Message, count
from adjudicator.games.spies.rules.atlas import (
    LETTERS,
    Power,
    atlas,
    police_codes,
    secret_codes,
    spy_codes,
)
from adjudicator.games.spies.rules.tiles import in_time
from adjudicator.games.spies.sight.view import View


def template(view: View) -> Sequence[str]:
    """Return the lines between head and END; dots stand where the player writes. A template sent
    back as it is must be refused, never played."""
    if view.phase == "setup":
        return ("SETUP", *(line for power in view.powers for line in _places(power)))
    turn = (line for power in view.moving for line in _turn(view, power))
    # What stays in force unless it is replaced is repeated as remarks.
    return (*turn, *(f"# {line}" for line in view.standing.lines))


def _places(power: Power) -> Iterator[str]:
    for code in secret_codes(LETTERS[power]):
        yield f"{code} ..."
    for code in police_codes(power):
        yield f"{code} ... ON ..."
    for code in spy_codes(power):
        yield f"{code} ..."


def _turn(view: View, power: Power) -> Iterator[str]:
    tiles = [tile for tile in view.own_tiles[power] if in_time(tile, view.year)]
    if tiles:
        yield f"PLAY ...          # {', '.join(tiles)}"
    else:
        yield f"DISCARD ...       # {', '.join(view.own_tiles[power])}"
    for spy in view.spies:
        if spy.power == power and not spy.dead:
            where = spy.city or spy.captor
            first = "ESCAPE; " if spy.captor else ""
            yield f"SPY {spy.spy}: {first}GO ...  # {where}"


def example(view: View) -> Sequence[str]:
    """Return the lines of a sheet that is legal now: a set-up that adjud makes, or a step to the
    next city for the first spy that can go."""
    if view.phase == "setup":
        return ("SETUP AUTO",)
    free = (spy for spy in view.spies if spy.power in view.moving and spy.city and not spy.dead)
    spy = next(free, None)
    if spy is None or spy.city is None:
        return ()
    goal = next(city for city in atlas().links[spy.city])
    return (f"SPY {spy.spy}: GO {goal}",)


_MOST = 3  # spies


def reach(view: View, question: str) -> Iterator[Message]:
    """Yield a sentence for each of the sender's own spies that is named and free."""
    most = atlas().most_spaces
    own = [spy for spy in view.spies if spy.power in view.powers and spy.city and not spy.captor]
    said = {word.upper() for word in re.findall(r"[^\W_]+(?:-\d+)?", question)}
    for spy in [one for one in own if one.spy.upper() in said][:_MOST]:
        assert spy.city is not None
        start = spy.city
        near = [city for city in atlas().cities if 0 < atlas().distance(start, city) <= most]
        yield count(
            "{spy} is in {city} and can go {n} space, to one of: {cities}.",
            "{spy} is in {city} and can go {n} spaces, to one of: {cities}.",
            most,
            spy=spy.spy,
            city=spy.city,
            cities=", ".join(near),
        )
