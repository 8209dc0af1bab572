"""Write a finished match down; nothing plays such a record again."""

from collections.abc import Sequence

from adjudicator.core.record import Chronicle, record_text
from tests.games.skeleton.game.rules import SEATS, Event, Hit, Marked, State


def write(chronicle: Chronicle, state: State, events: Sequence[Event]) -> str:
    outcome = chronicle.outcome
    tags = {
        "Game": "Skeleton",
        **{str(seat).title(): chronicle.names.get(seat, "?") for seat in SEATS},
        "Date": chronicle.date,
        "Result": f"{outcome.winner or 'none'} {outcome.reason}" if outcome else "*",
    }
    orders = (event for event in events if isinstance(event, Marked | Hit))
    lines = (f"{n}. {order.seat} {order.square}" for n, order in enumerate(orders, start=1))
    return record_text(tags, lines)
