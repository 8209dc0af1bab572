"""What an operator may see, who may be a player too: matches, seats and times, no outcomes."""

from collections.abc import Mapping
from typing import Any

from adjudicator.service.calendar import rfc3339
from adjudicator.service.loading import Loaded, gather, load
from adjudicator.service.waiting import silent_seats
from adjudicator.store import inbox, matches, outbox
from adjudicator.store.database import Store


def status(store: Store, name: str | None, *, gm: bool = False) -> dict[str, Any]:
    """Matches that are not over (or the one named), the queue, trouble. Only with `gm` it says
    which awaited seats have not sent."""
    with store.reading() as tx:
        if name:
            chosen = [load(tx, name)]
        else:
            chosen = [gather(tx, match) for match in matches.listed(tx) if match.status != "over"]
        told = {
            "matches": [_match(loaded, gm) for loaded in chosen],
            "letters": outbox.counts(tx),
        }
        stuck = inbox.stuck(tx)
        return {**told, "letters_in": stuck} if stuck else told


def _match(loaded: Loaded, gm: bool) -> Mapping[str, Any]:
    match = loaded.match
    told = {
        "match": match.name,
        "game": match.game,
        "variant": match.variant,
        "status": match.status,
        "turn": match.turn,
        "players": {seat: loaded.holders[seat].shown_name for seat in loaded.seats},
        "awaited": list(loaded.awaited),
        "deadline": rfc3339(match.deadline_at),
        "trouble": match.trouble,
    }
    return {**told, "silent": list(silent_seats(loaded))} if gm else told
