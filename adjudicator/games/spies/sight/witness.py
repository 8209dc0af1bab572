"""Tell a seat what it learns of what happens (rules 7.3)."""

from functools import reduce

from msgspec import UNSET
from msgspec.structs import replace

from adjudicator.core.game import Seat
from adjudicator.games.spies.rules.events import AnyEvent, Skipped
from adjudicator.games.spies.sight.news import Known, News
from adjudicator.games.spies.sight.parts import private, public


def witness(event: AnyEvent, seat: Seat) -> News | None:
    """Return an event as `seat` may see it, with its own private part; None if it sees nothing of
    it."""
    if isinstance(event, Skipped) and event.seat != seat:
        return None
    return _with(public(event), private(event).get(seat))


def unveiled(event: AnyEvent) -> News | None:
    """Return an event with all that anybody was told of it, for a match that has ended; None if it
    is no news."""
    parts = private(event).values()
    return _with(public(event), reduce(_joined, parts) if parts else None)


def _with(seen: News | None, known: Known | None) -> News | None:
    return seen if seen is None or known is None else replace(seen, known=known)


def _joined(known: Known, other: Known) -> Known:
    """Add to a private part what another of the same event tells besides."""
    fields = ((name, getattr(other, name)) for name in other.__struct_fields__)
    return replace(known, **{name: told for name, told in fields if told is not UNSET})
