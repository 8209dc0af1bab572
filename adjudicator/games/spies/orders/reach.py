"""Say where the spies that a question names can go now, as its sender sees the map."""

import re
from collections.abc import Iterator

from adjudicator.core.message import Message, count
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.sight.view import View

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
