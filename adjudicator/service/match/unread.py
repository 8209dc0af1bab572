"""Matches that cannot be read: find them, and end one from its rows."""

from collections.abc import Iterator
from datetime import datetime

from adjudicator.core.message import Message, say
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Unreadable, find, gather, rulings_since
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.match import waiting
from adjudicator.service.report.standing import read_log
from adjudicator.store import inbox, matches, outbox, parking, rulings
from adjudicator.store.database import Store, Tx
from adjudicator.store.matches import Match
from adjudicator.store.rulings import Ruling

SOME = 100  # matches that are looked at in one transaction


def unreadable(store: Store, *, every: bool) -> Iterator[Unreadable]:
    """Yield why matches cannot be read: those that are not over, with their logs, or `every` one
    but those that were cancelled."""
    number = 0
    while True:
        with store.reading() as tx:
            found = matches.some(tx, number, SOME, every=every)
            faults = [fault for match in found if (fault := _waits(tx, match))]
        yield from faults
        if len(found) < SOME:
            return
        number += SOME


def _waits(tx: Tx, match: Match) -> Unreadable | None:
    over = match.status == "over"
    fault = fault_of(tx, match, log=not over)
    return None if fault and over and rulings.has(tx, match.id, "cancel") else fault


def fault_of(tx: Tx, match: Match, *, log: bool = False) -> Unreadable | None:
    """Return why a match cannot be read; None if it can."""
    try:
        loaded = gather(tx, match)
        if log:
            read_log(tx, match, loaded.game)
            rulings_since(tx, match, 0)
    except Unreadable as unread:
        return unread
    return None


def cancel(store: Store, name: str, *, reason: str, now: datetime, means: Means) -> Message:
    """End a match that cannot be read, from its rows alone: no ply is added and nothing is
    revealed. Its players are told, and letters that were kept for it are dropped."""
    with store.transaction() as tx:
        match = find(tx, name)
        if match.status == "over":
            raise Refusal(say("{match} is over and stays so", match=match.name))
        if fault_of(tx, match, log=True) is None:
            raise Refusal(
                say(
                    "{match} can be read; `adjud gm cancel` without --unread ends it",
                    match=match.name,
                )
            )
        told = say("The game master cancelled the match.")
        made = Ruling(ply=match.ply, at=now, action="cancel", told=told, reason=reason)
        rulings.insert(tx, match.id, made)
        matches.end(tx, match.id)
        inbox.drop_of_match(tx, match.id)
        outbox.drop_of_match(tx, match.id)
        parking.void_all(tx, match.id)
        news = say(
            "The game master cancelled your match {match}, because adjud can no longer read it. "
            "It has no result. {reason}",
            match=match.name,
            reason=reason,
        )
        waiting.tell_people(tx, match, "cancelled", news, now=now, means=means)
        return say("{match} is cancelled", match=match.name)
