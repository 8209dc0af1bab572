"""Look for substitutes in a match: begin a search, and end it (club, 6.3).

Who is asked and what ACCEPT does is the matter of `service/club/offers/substitutes`. Nothing here
may tell which seat is silent: a search for silent seats is told to all players in the same words,
and it is not noted anywhere that a seat of it has sent orders.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from adjudicator.core.acts import SubstitutesSought, ThenDefaults, ThenForfeit
from adjudicator.core.clock import SEARCH, is_lost
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.service.base.calendar import when
from adjudicator.service.base.context import Progress, Refusal, Session
from adjudicator.service.base.deadlines import facts_of, silent_seats
from adjudicator.service.base.loaded_match import Loaded, load
from adjudicator.service.matches.append_ply import tell_all
from adjudicator.store import offers, rows
from adjudicator.store.database import Tx
from adjudicator.store.offers import ASKED, SILENT, Search

WHEN_ASKED = timedelta(days=14)  # how long somebody is looked for when a holder asks


def begin_for_silent(s: Session, loaded: Loaded, silent: Sequence[str]) -> Progress:
    """Begin to look for substitutes of silent seats, and tell all players that."""
    match, ends = loaded.match, s.now + SEARCH
    for number, seat in enumerate(silent):
        rows.add(
            s.tx,
            Search,
            match_id=match.id,
            seat=seat,
            tenure=loaded.holders[seat].tenure,
            ply=match.ply + 1,
            cause=SILENT,
            due_at=match.deadline_at,
            begun_at=s.now,
            next_at=None if number else s.now,  # the first row leads the others
            ends_at=ends,
            status="open",
        )
    then = ThenForfeit() if is_lost(facts_of(loaded), silent[0]) else ThenDefaults()
    tell_all(s, load(s.tx, match.name), "substitute", [SubstitutesSought(ends), then])
    told = say("the deadline has passed; looking for substitutes")
    return Progress(told, match.name)


def ask(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    """Begin to look for a substitute because a seat's holder asks for one; return what is
    answered. Raises Refusal."""
    match, holder = loaded.match, loaded.holders[seat]
    if match.status == "over":
        raise Refusal(say("{match} is over.", match=match.name))
    if seat in loaded.gone or seat in loaded.resigned:
        raise Refusal(say("You have left {match}.", match=match.name))
    before = _search_asked_for(tx, loaded, seat)
    if before is not None:
        return _looked_for(loaded, before)
    made = rows.add(
        tx,
        Search,
        match_id=match.id,
        seat=seat,
        tenure=holder.tenure,
        ply=loaded.coming,
        cause=ASKED,
        begun_at=now,
        next_at=now,
        ends_at=now + WHEN_ASKED,
        status="open",
    )
    return _looked_for(loaded, made)


def _looked_for(loaded: Loaded, search: Search) -> Message:
    return say(
        "Until {when}, other players are asked to take over your seat in {match}. Until one does, "
        "you play on: deadlines and your orders count as before. SUBSTITUTE OFF ends the search.",
        when=when(search.ends_at),
        match=loaded.match.name,
    )


def take_back(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    """End the search that a seat's holder asked for; return what is answered. Raises Refusal."""
    found = _search_asked_for(tx, loaded, seat)
    if found is None:
        raise Refusal(
            say("You have not asked for a substitute in {match}.", match=loaded.match.name)
        )
    offers.end_searches(tx, [found], "ended", now)
    return say("The search for a substitute has ended. You keep your seat.")


def standing(tx: Tx, loaded: Loaded, seat: str) -> Message | None:
    """Return what a seat's holder reads of the search that he asked for; None if there is none."""
    found = _search_asked_for(tx, loaded, seat)
    return None if found is None else _looked_for(loaded, found)


def _search_asked_for(tx: Tx, loaded: Loaded, seat: str) -> Search | None:
    tenure = loaded.holders[seat].tenure
    for one in rows.find(tx, Search, match_id=loaded.match.id, status="open"):
        if (one.cause, one.seat, one.tenure) == (ASKED, seat, tenure):
            return one
    return None


def open_searches(tx: Tx, loaded: Loaded, leader: Search, now: datetime) -> list[Search]:
    """Return the searches that a row leads for which somebody is still wanted. A silent seat that
    has sent by now needs nobody; that is told to whoever accepts, and to nobody else."""
    if now >= leader.ends_at or not is_current(loaded, leader):
        return []
    silent = set(silent_seats(loaded)) if leader.cause == SILENT else set(loaded.seats)
    return [
        one
        for one in offers.searches_led_by(tx, leader)
        if one.seat in silent
        and one.tenure == loaded.holders[one.seat].tenure
        and one.seat not in loaded.gone | loaded.resigned
    ]


def is_current(loaded: Loaded, leader: Search) -> bool:
    """Return whether the match is still where the search began: for a silent seat in the same turn
    with the same deadline, for one whose holder asked anywhere before its end."""
    match = loaded.match
    if match.status == "over":
        return False
    if leader.cause == ASKED:
        is_his = leader.tenure == loaded.holders[leader.seat].tenure
        return is_his and leader.seat not in loaded.gone
    return (match.ply + 1, match.deadline_at) == (leader.ply, leader.due_at)


def end_of_seat(tx: Tx, loaded: Loaded, seat: str, now: datetime) -> None:
    """End what was looked for in place of a holder whose tenure ends; the others who are silent get
    more time with a new holder, so their search ends with his."""
    found = rows.find(tx, Search, match_id=loaded.match.id, status="open")
    over = [one for one in found if one.seat == seat]
    if any(one.cause == SILENT for one in over):
        over += [one for one in found if one.cause == SILENT and one not in over]
    offers.end_searches(tx, over, "found", now)
