"""Say what was agreed at any line of a log: the options in its first line, as rulings that all
players were told have changed them, the deadline in force, and what runs of a reserve."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from operator import itemgetter

from adjudicator.core.chain import HolderChange, Opening, PlyText, Ruled
from adjudicator.service.base.bank import Running
from adjudicator.service.base.options import Terms, options_after

_A_SECOND = timedelta(seconds=1)  # the log has times in whole seconds
LOOK = "look"  # a ruling that is told with the next ply and not before, and moves no deadline


def options_at(
    opening: Opening, entries: Iterable[PlyText], since: Sequence[Ruled] = ()
) -> dict[str, str]:
    """Return the options after these plies and the rulings since."""
    made = [*(one for entry in entries for one in entry.rulings), *since]
    return options_after(opening.options, (act for one in made for act in one.acts))


def deadline_after(
    due: str, rulings: Iterable[Ruled], holders: Iterable[HolderChange], *, before: str = ""
) -> str:
    """Return the deadline in force after these, where it was `due`; or `before` a time."""
    moved = [(one.at, one.due) for one in holders]
    moved += [(one.at, one.due) for one in rulings if one.action != LOOK]
    moved = [one for one in moved if not before or one[0] < before]
    return sorted(moved, key=itemgetter(0))[-1][1] if moved else due  # of one second the last


def calendar_of(agreed: Terms) -> Running:
    """Return what runs for a seat whose player is never away."""
    return Running(zone=agreed.zone, skip=agreed.skip, double=agreed.double)
