"""Text to orders (rules section 7). Sees no match, so it only says "not understood"."""

import re
from collections.abc import Sequence

from adjudicator.core.orders import Line, Sheet, cleaned, folded
from adjudicator.games.espionage.orders.set_up import set_up
from adjudicator.games.espionage.orders.steps import march
from adjudicator.games.espionage.orders.values import Order

_SET_UP = re.compile(r"(?:set-?\s?up|oppstilling|uppstallning)(?![a-z0-9])\s*:?\s*")


def parse(lines: Sequence[Line]) -> Sheet[Order]:
    """Read the orders of a sheet's body. It never raises, whatever the text."""
    body = list(cleaned(lines))
    for i, (line, text) in enumerate(body):
        if found := _SET_UP.match(folded(text)):
            marching = march(body[:i])
            inline = text[found.end() :]
            rest = [(line, inline), *body[i + 1 :]] if inline else body[i + 1 :]
            setting_up = set_up(line, rest)
            return Sheet(
                marching.written + setting_up.written, marching.problems + setting_up.problems
            )
    return march(body)
