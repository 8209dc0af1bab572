"""Which matches are late, or soon to be, and which wait for a player.

None of it depends on what was sent for an open turn, unless the game master asks for that and all
players are told (`service/base/looks`): a match is in these lists because of its deadline and of
the seats that are to move by the rules.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from adjudicator.core.message import say
from adjudicator.service.base import looks
from adjudicator.service.base.calendar import later, rfc3339
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import (
    Loaded,
    Unreadable,
    find_player,
    gather,
    load,
    load_seats,
)
from adjudicator.service.base.next_step import end_of_search, silent_seats
from adjudicator.service.matches import overview
from adjudicator.store import matches, players, tournaments
from adjudicator.store.database import Store, Tx
from adjudicator.store.matches import Match


def late(
    store: Store, within: timedelta, *, now: datetime, gm: bool = False, noting: bool = False
) -> list[Mapping[str, Any]]:
    """Return the matches whose deadline has passed or comes within so much time, the earliest
    first.

    A seat is named if it is the only one that is to move. With `gm` those that have not sent are
    named, and with `noting` that is a look, which is stored before.
    """
    with store.reading() as tx:
        due = matches.with_deadline(tx, until=later(now, within))
    if gm and noting:
        for match in due:
            with suppress(Unreadable), store.transaction() as tx:
                looks.at_senders(tx, load_seats(tx, match.name), now)
    with store.reading() as tx:
        return [_late(tx, match, now, gm=gm) for match in due]


def _late(tx: Tx, match: Match, now: datetime, *, gm: bool) -> Mapping[str, Any]:
    assert match.deadline_at is not None
    told: dict[str, Any] = {
        "match": match.name,
        "game": match.game,
        "turn": match.turn,
        "deadline": rfc3339(match.deadline_at),
        "late": match.deadline_at <= min(match.held_at or now, now),
        "held": match.status == "held",
        "alerted": match.alerted_ply == match.ply + 1,
        "seat": None,
        "trouble": match.trouble,
    }
    if here := tournaments.of_match(tx, match.id):
        told["tournament"] = here.tournament
    try:
        loaded = gather(tx, match)
    except Unreadable as unread:
        return {**told, "trouble": str(unread.message)}
    until = end_of_search(loaded)
    if until is not None and until > now:  # which all players were told
        told["substitutes_until"] = rfc3339(until)
    awaited = loaded.awaited
    told["seat"] = awaited[0] if len(awaited) == 1 else None
    return {**told, "silent": list(silent_seats(loaded))} if gm else told


def waiting_for(store: Store, name: str | None, operator: str) -> list[Mapping[str, Any]]:
    """Return the matches, as `status` shows them, in which a player is to move, those with the
    earliest deadline first: the player of that name, else who has the operator's address.

    Whether orders of theirs are here already is not asked. A match that hides names is there for
    the operator's own players alone. Raises Refusal if there is no such
    player.
    """
    with store.reading() as tx:
        people = _people(tx, name, operator)
        hidden = matches.hiding_names(tx)
        own = {one.id for one in players.all_at(tx, operator)} if hidden and operator else set()
        names = dict.fromkeys(
            match
            for one in people
            for match in matches.seats_of_player(tx, one).values()
            if one in own or match not in hidden
        )
        found = list(_waiting(tx, names, people))
    found.sort(key=lambda one: (one.match.deadline_at is None, one.match.deadline_at))
    return [entry for one in found for entry in overview.one(store, one.match.name)]


def _people(tx: Tx, name: str | None, operator: str) -> list[int]:
    if name is not None:
        return [find_player(tx, name).id]
    if not operator:
        raise Refusal(say("the settings name no operator; say who you are with --player NAME"))
    found = [one.id for one in players.all_at(tx, operator)]
    if not found:
        raise Refusal(
            say(
                "no player has the operator's address, {address}; say who you are with --player "
                "NAME",
                address=operator,
            )
        )
    return found


def _waiting(tx: Tx, names: Iterable[str], people: Sequence[int]) -> Iterator[Loaded]:
    for name in names:
        with suppress(Unreadable):
            loaded = load(tx, name)
            mine = {seat for seat in loaded.seats if loaded.holders[seat].player_id in people}
            if loaded.match.status == "playing" and mine & set(loaded.awaited):
                yield loaded
