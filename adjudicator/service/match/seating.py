"""Decide who may take a seat, and what follows when it was the last one free."""

from collections.abc import Iterable
from datetime import datetime
from itertools import combinations

from adjudicator.core.mailbox import folded_address
from adjudicator.core.message import say
from adjudicator.service.base import deadlines
from adjudicator.service.base.loaded_match import Loaded, load, load_open
from adjudicator.service.base.refusal import Refusal
from adjudicator.store import clock, matches, players
from adjudicator.store.database import Store, Tx


def keep_apart(tx: Tx, ids: Iterable[int]) -> None:
    """Refuse a player two seats of a match, and two players one mailbox; `ids` are its players.

    One could read his opponent's reports there. Raises Refusal.
    """
    people = [players.one(tx, player_id) for player_id in ids]
    for one, other in combinations(people, 2):
        if one.id == other.id:
            raise Refusal(say("{player} cannot hold two seats of a match", player=one.name))
        if folded_address(one.address) == folded_address(other.address):
            raise Refusal(
                say(
                    "{player} and {other} have one address: in a match each would get the reports "
                    "of the other",
                    player=one.name,
                    other=other.name,
                )
            )


def unconfirmed(store: Store, match: str) -> list[str]:
    """Return the players of a match whose addresses are not confirmed."""
    with store.reading() as tx:
        loaded = load(tx, match)
        holders = [loaded.holders[seat] for seat in loaded.seats]
        return [one.shown_name for one in holders if one.player_name and not one.confirmed]


def start_when_full(tx: Tx, loaded: Loaded, now: datetime) -> Loaded:
    """Start an open match, which begins to count its time when its last seat is taken."""
    match = loaded.match
    if match.status == "open" and all(h.shown_name for h in loaded.holders.values()):
        people = deadlines.people_of(loaded, loaded.awaited)
        deadline = deadlines.fresh(tx, match.options, people, now)
        matches.update(tx, match.id, status="playing", deadline_at=deadline)
        clock.begin(tx, now)
        return load_open(tx, match.name)
    return loaded
