"""Addresses that nobody confirms: the operator hears of them, again and again.

He is told players and times only, never whether anything came from there or waits to go there: that
would tell who has sent orders.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from adjudicator.core.message import Message, count, say
from adjudicator.service.base.calendar import rfc3339, when
from adjudicator.service.base.environment import Means
from adjudicator.service.base.progress import Progress
from adjudicator.service.base.reminding import OF_ADDRESS
from adjudicator.service.outbox import to_queue
from adjudicator.store import joinings, matches, players
from adjudicator.store.database import Store, Tx
from adjudicator.store.joinings import Joining
from adjudicator.store.players import Player

_FEW = 5  # addresses that are named


def remind(store: Store, *, now: datetime, means: Means) -> Iterator[Progress]:
    """Tell the operator of the addresses that have not been confirmed for some time."""
    told: list[Message] = []
    with store.transaction() as tx:
        for player in players.to_remind_of(tx, now):
            since = player.unconfirmed_since
            following = OF_ADDRESS.after(since, now) if since and means.way_out else None
            players.update(tx, player.id, remind_at=following)
            if since and means.way_out and (text := _remind_of(tx, player, since, now, means)):
                told.append(text)
        if (asked := joinings.to_remind_of(tx, now)) and means.way_out:
            text = _of_joinings(asked)
            if to_queue.queue_warning_of_day(tx, "joinings", text, now=now, means=means):
                told.append(text)
    for text in told:
        yield Progress(text, urgent=True)


def _remind_of(
    tx: Tx, player: Player, since: datetime, now: datetime, means: Means
) -> Message | None:
    """Queue a letter about a player's address; return what it says, None if it was queued before.

    Of a player who holds no seat the operator hears on the first days only.
    """
    number = OF_ADDRESS.due(since, now)
    seats = matches.seats_of_player(tx, player.id)
    if not number or not (seats or number <= len(OF_ADDRESS.days)):
        return None
    told = _of_player(player.name, since, ", ".join(seats.values()))
    about = f"unconfirmed/{player.id}/{since:%Y%m%dT%H%M%S}/{number}"
    queued = to_queue.queue_warning_once(tx, about, told, now=now, means=means)
    return told if queued else None


def _of_player(name: str, since: datetime, playing: str) -> Message:
    told = say(
        "The address of {player} has not been confirmed since {when}. Nothing but a code goes "
        "there. If you know that the address is right, `adjud player set NAME --confirmed` "
        "ends this.",
        player=name,
        when=when(since),
    )
    if not playing:
        return told
    return say(
        "{told} {player} plays in {matches} and gets no report until then.",
        told=told,
        player=name,
        matches=playing,
    )


def _of_joinings(asked: list[Joining]) -> Message:
    named = ", ".join(f"{one.address} ({one.match})" for one in asked[:_FEW])
    return count(
        "{n} request for a seat by JOIN has not been confirmed for two days: {named}. The seat is "
        "still open.",
        "{n} requests for seats by JOIN have not been confirmed for two days: {named}. The seats "
        "are still open.",
        len(asked),
        named=named + (", …" if len(asked) > _FEW else ""),
    )


def listed(store: Store) -> list[dict[str, Any]]:
    """Return the players of running matches whose addresses are not confirmed, and since when."""
    with store.reading() as tx:
        found = [
            (player, [*matches.seats_of_player(tx, player.id).values()])
            for player in players.unconfirmed(tx)
        ]
    return [
        {"player": player.name, "since": rfc3339(player.unconfirmed_since), "matches": playing}
        for player, playing in found
        if playing
    ]
