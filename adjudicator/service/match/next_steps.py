"""Hint at what the operator may do next; the words are the same whoever has sent."""

from adjudicator.core.message import Message, say
from adjudicator.service.base.loaded_match import load
from adjudicator.store.database import Store

AFTER_SUBMIT = say("`adjud tick` adjudicates as soon as all orders are in")


def after_new(store: Store, name: str, *, way_out: bool) -> Message:
    """Say how a match goes on that has just been opened."""
    with store.reading() as tx:
        loaded = load(tx, name)
    if loaded.match.status == "open":
        return say(
            "{match} begins when its open seats are taken, by JOIN in a letter or `adjud gm "
            "replace`",
            match=name,
        )
    person = next((s for s in loaded.awaited if loaded.holders[s].player_id is not None), None)
    if person is None:
        return say("`adjud tick` plays it")
    if way_out:
        return say("`adjud tick` sends the first letters")
    return say(
        "`adjud report {match} {seat}` shows what to order, `adjud submit FILE` takes it, "
        "`adjud tick` adjudicates",
        match=name,
        seat=person,
    )
