"""One power's turn (rules 5.2): tile, police, search, spies, gifts."""

from collections.abc import Sequence

from adjudicator.games.spies.orders.values import Order
from adjudicator.games.spies.rules.atlas import Power
from adjudicator.games.spies.rules.events import Turned
from adjudicator.games.spies.rules.gifts import gifts_step
from adjudicator.games.spies.rules.plans import spies_step
from adjudicator.games.spies.rules.ply_in_progress import Course
from adjudicator.games.spies.rules.police_posts import police_step
from adjudicator.games.spies.rules.search import search_all
from adjudicator.games.spies.rules.tiles import tile_step


def play(course: Course, power: Power, sheet: Sequence[Order]) -> None:
    """Play a power's turn. An empty sheet is silence: the rest follows from standing orders (6.7).
    A dormant power only searches (1.5)."""
    course.tell(Turned(power, course.state.year))
    tile_step(course, power, sheet)
    police_step(course, power, sheet)
    search_all(course, power)
    spies_step(course, power, sheet)
    gifts_step(course, power, sheet)
