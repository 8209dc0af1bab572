"""Let a player leave: open the seat, so that others may take it; the match waits for that."""

from functools import reduce

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, both, say
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import (
    Loaded,
    Seated,
    Unreadable,
    find_player,
    load,
    load_going,
)
from adjudicator.service.base.next_step import announced
from adjudicator.service.base.session import OpenClub, Session
from adjudicator.service.matches import events, seating, unopened
from adjudicator.service.matches.append_ply import tell_all
from adjudicator.store import matches, personal
from adjudicator.store.database import Store, Tx


def seats_of_player(store: Store, name: str) -> list[tuple[str, Seat]]:
    """Return (match, seat) of every seat that a player can leave. Raises Refusal if there is none.

    A seat that has left its match, which goes on without it, is not among them.
    """
    with store.reading() as tx:
        player = find_player(tx, name)
        found = seats_held(tx, player.id)
        if not found:
            raise Refusal(say("{name} plays in no match that continues", name=player.name))
        return found


def seats_held(tx: Tx, player_id: int) -> list[tuple[str, Seat]]:
    """Return (match, seat) of what a player holds in matches that continue, without the seats that
    have left their match."""
    held = [one for one in personal.holdings(tx, player_id) if one.until is None]
    going = [(one.match, Seat(one.seat)) for one in held if not one.is_over]
    return [(match, seat) for match, seat in going if not _is_gone(tx, match, seat)]


def _is_gone(tx: Tx, match: str, seat: Seat) -> bool:
    try:
        return seat in load(tx, match).gone
    except Unreadable:
        return False


def open_seat(club: OpenClub, name: str, seat: Seat, *, reason: str) -> Message:
    """End the tenure of a seat's holder as `gm replace` does, and give the seat to nobody yet."""
    with club.session() as s:
        before = load_going(s.tx, name)
        _refuse_if_none(before, seat)
        if not before.is_opened:
            return _open_early(s, before, seat, reason)
        if seat in before.gone:
            raise Refusal(say("{seat} has left this match", seat=seat))
        match = before.match
        if match.status == "held":
            raise Refusal(
                say(
                    "{match} is on hold, and an open seat would end that; resume it first, or name "
                    "the player who takes the seat",
                    match=match.name,
                )
            )
        told = _message_for_others(before, seat)
        seating.end_tenure(s, before, seat, reason, opens=True)
        matches.update_seats(s.tx, match.id, [seat], player_id=None, computer=None)
        matches.update_seats(s.tx, match.id, before.seats, forfeit_at=None, forfeit_ply=None)
        matches.update(
            s.tx,
            match.id,
            status="open",
            deadline_at=None,
            reminded_ply=None,
            alerted_ply=None,
            hurried_ply=None,
            trouble=None,
        )
        loaded = load_going(s.tx, name)
        seating.log_holder(s.tx, loaded, seat, club.now)
        tell_all(s, loaded, "leave", told, reason)
        return _message_of_open_seat(loaded, seat)


def _open_early(s: Session, found: Loaded, seat: Seat, reason: str) -> Message:
    """Open a seat of a match without a position, unless all know already which number decides."""
    if found.match.full_at is not None:
        raise Refusal(
            say(
                "all players of {match} know which number decides, so none of its seats can be "
                "open; name the player who takes it",
                match=found.match.name,
            )
        )
    unopened.end_tenure(s, found, seat, reason, opens=True)
    matches.update_seats(s.tx, found.match.id, [seat], player_id=None, computer=None)
    events.seat_changed(s.tx, found.match, seat, s.now)
    found = unopened.waiting(s.tx, found.match.name)
    subject = subjects.ruling(found.match.name, "leave")
    told = _has_left(found, seat)
    unopened.tell(s, found, told, reason, subject=subject)
    return _message_of_open_seat(found, seat)


def _refuse_if_none(found: Seated, seat: Seat) -> None:
    if found.holders[seat].player_id is None:
        title = found.game.seat_titles[seat]
        raise Refusal(say("nobody plays {seat} in {match}", seat=title, match=found.match.name))


def _has_left(found: Seated, seat: Seat) -> Message:
    return say(
        "The player of {seat} has left. The match waits until the seat is taken.",
        seat=found.game.seat_titles[seat],
    )


def _message_for_others(before: Loaded, seat: Seat) -> Message:
    """Return what the others are told, with what they were told before and is no longer true."""
    more = []
    if seat in before.draw_offers:
        more.append(say("The draw offer from that seat has ended."))
    if announced(before):
        more.append(say("The game master's forfeit warning no longer applies."))
    return reduce(both, more, _has_left(before, seat))


def _message_of_open_seat(found: Seated, seat: Seat) -> Message:
    return say("{match}: {seat} is open", match=found.match.name, seat=seat)
