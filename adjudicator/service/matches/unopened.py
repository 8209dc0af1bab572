"""A match whose chance takes a public number, before it has a position (`core/public_chance.py`).

Theory of operation. Such a match has its rows and its seed, and no ply. It is `open` until its last
seat is taken. From that moment, T0, it is `waiting`: all players are told the commitment to the
seed and which number decides, and nobody knows that number yet. When it is entered
(`service/matches/entering.py`), ply 0 is written, and from then on it is a match like any other.

Nothing of it can be foreseen from what is told in between: there is no state yet that could leak,
and the seed is told to nobody. Only a match that is cancelled after T0 opens its seed, so that a
club cannot draw seeds, look at the numbers, and throw away in silence what it does not like.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec.json import encode

from adjudicator.core import public_chance
from adjudicator.core.acts import Cancelled, NeverOpened
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, both, say
from adjudicator.core.result import CANCELLED, without_state, write
from adjudicator.mail.write import subjects
from adjudicator.service.base import lots_of_match
from adjudicator.service.base.calendar import OF_MATCH, in_zone, rfc3339, when
from adjudicator.service.base.context import Context, OpenClub, Progress, Refusal, Session
from adjudicator.service.base.loaded_match import Loaded, Seated, chance_of, load
from adjudicator.service.base.options import parse_draw
from adjudicator.service.base.public_number import (
    chance_option,
    is_too_early,
    number_due,
    number_named,
    which_number,
)
from adjudicator.service.matches.results import note_end, note_seat_change
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.queue import alert
from adjudicator.store import matches, outbox, rulings
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match

PATIENCE = timedelta(hours=1)  # until the operator hears that the number was not fetched


def waiting(tx: Tx, name: str) -> Loaded:
    """Return a match that has no position yet. Raises Refusal if it has one, and Unreadable."""
    loaded = load(tx, name)
    match = loaded.match
    if not loaded.is_opened:
        if match.status == "over":
            raise Refusal(say("{match} is over and stays over", match=match.name))
        return loaded
    if chance_option(match) == public_chance.SEED:
        raise Refusal(say("the chance of {match} comes from its seed alone", match=match.name))
    told = say(
        "the public number of {match} was entered and stays as it is: {value}",
        match=match.name,
        value=match.public_value,
    )
    raise Refusal(told)


def is_full(found: Seated) -> bool:
    return all(holder.shown_name for holder in found.holders.values())


def begin_to_wait(s: Session, name: str) -> None:
    """If the last seat of a match without a position is taken, note it and tell all players which
    number decides."""
    found = waiting(s.tx, name)
    if found.match.status != "open" or not is_full(found):
        return
    full = s.now.replace(microsecond=0)  # players are told it to the second
    matches.update(s.tx, found.match.id, status="waiting", full_at=full)
    found = waiting(s.tx, name)
    _sleep(s, found.match)
    for seat in found.seats:
        told = _with_number(found, seat, _what_decides(found.match))
        tell(s, found, told, seats=[seat], proofs=True)


def _with_number(found: Seated, seat: str, told: Message) -> Message:
    """Add the number by which a seat will be drawn for its player, if seats are by lot."""
    if found.match.lots != lots_of_match.PENDING:
        return told
    number = lots_of_match.number_of(found.match, seat, found.seats)
    assert number is not None
    drawn = say("The seats are drawn with the public number, too.")
    return both(both(told, drawn), lots_of_match.message_for_number(number))


def _what_decides(match: Match) -> Message:
    taken = say("All seats of {match} are taken.", match=match.name)
    if is_too_early(match):
        return both(
            taken,
            say(
                "The draw that was named comes too soon: it must be a day or more from now, so "
                "that nobody can know its numbers. The game master will name a later one. Orders "
                "that you send before the match opens are not used."
            ),
        )
    return both(taken, _unknown_yet(match))


def _unknown_yet(match: Match) -> Message:
    due = number_due(match)
    assert due is not None
    return say(
        "Its chance comes from {number}, published {when}, and from a secret seed. Nobody knows "
        "this number yet. The seed is fixed already, and its fingerprint is below: keep this email "
        "to check it later. When the number is known, the match opens and you get your first "
        "report. Orders that you send before that are not used.",
        number=number_named(which_number(match)),
        when=when(due),
    )


def tell(
    s: Session,
    found: Seated,
    told: Message,
    reason: str = "",
    *,
    seats: Collection[str] | None = None,
    subject: Message | None = None,
    proofs: bool = False,
) -> None:
    """Tell the players of a match without a position something by email."""
    body: dict[str, Any] = {"told": told, "reason": reason}
    body["subject"] = subject or subjects.waits_for_number(found.match.name)
    if proofs:
        body["proofs"] = facts(found)
    queue.queue_notices(s, found, found.seats if seats is None else seats, body)


def facts(found: Seated) -> Sequence[str]:
    """Return what a player needs to check the chance later: lines that `adjud audit` reads."""
    match = found.match
    lines = [f"Commitment: {chance_of(match, found.game).commitment}"]
    if match.full_at is not None:
        lines.append(f"Last seat taken: {rfc3339(match.full_at)}")
        if match.status == "over":
            lines.append(f"Seed: {match.seed.hex()}")
        lines.append(f"Public number: {which_number(match)}")  # last: it may need several lines
    return lines


def name_draw(club: OpenClub, name: str, text: str, *, zone: str) -> Message:
    """Name another draw for a match whose own comes too early, or whose seats are not all taken.

    A draw that was told to all players and may count is never changed: its numbers may have
    displeased somebody.
    """
    with club.session() as s:
        found = waiting(s.tx, name)
        match = found.match
        if not chance_option(match).startswith(public_chance.NUMBERS):
            raise Refusal(
                say(
                    "{match} has chance={seen}, which is not a draw", match=match.name, seen="drand"
                )
            )
        if match.full_at is not None and not is_too_early(match):
            raise Refusal(
                say("all players know the draw of {match}; it cannot be changed", match=match.name)
            )
        option = parse_draw(text)
        options = encode({**match.options, "chance": option}).decode()
        matches.update(s.tx, match.id, options=options)
        found = waiting(s.tx, name)
        due = number_due(found.match)
        assert due is not None
        if due < club.now + public_chance.LEAST_WAIT:
            raise Refusal(
                say(
                    "that draw comes too soon: name one that is not before {when}",
                    when=in_zone(club.now + public_chance.LEAST_WAIT, zone),
                )
            )
        _sleep(s, found.match)
        told = say("The game master has named another draw for {match}.", match=match.name)
        told = both(told, _unknown_yet(found.match))
        tell(s, found, told, proofs=True)
        return say(
            "{match} uses {number}, published {when}",
            match=match.name,
            number=number_named(option),
            when=in_zone(due, zone),
        )


def refuse_too_early(match: Match, zone: str, now: datetime) -> None:
    """Raise Refusal if a draw would come too soon even after a last seat that was taken now."""
    due = number_due(match)
    if (
        due is not None
        and chance_option(match) != public_chance.DRAND
        and due < now + public_chance.LEAST_WAIT
    ):
        raise Refusal(
            say(
                "that draw comes too soon: name one that is not before {when}",
                when=in_zone(now + public_chance.LEAST_WAIT, zone),
            )
        )


# Remind the operator of what a match waits for.


def _since(match: Match, context: Context) -> datetime | None:
    """Return since when the match waits for the operator, perhaps only in the future."""
    if match.full_at is None:
        return None
    if is_too_early(match):
        return match.full_at
    due = number_due(match)
    return due and due + (PATIENCE if _is_fetched(match, context) else timedelta())


def _is_fetched(match: Match, context: Context) -> bool:
    return bool(context.fetcher) and chance_option(match) == public_chance.DRAND


def _sleep(s: Session, match: Match) -> None:
    """Note when a tick must look at the match next; while a number is fetched, each does."""
    since = _since(match, s.context)
    if since is None:
        return
    wake = since if s.now < since else OF_MATCH.after(since, s.now)
    if _is_fetched(match, s.context):
        wake = number_due(match) or since
    elif is_too_early(match) and not _was_reminded(s.tx, match, since):
        wake = since
    matches.update(s.tx, match.id, wake_at=wake)


def _was_reminded(tx: Tx, match: Match, since: datetime) -> bool:
    return outbox.count(tx, f"{match.name}/{match.ply + 1}/operator/waits/{_key(since)}") > 0


def _key(since: datetime) -> str:
    return f"number/{since:%Y%m%dT%H%M%S}"


def remind(s: Session, match: Match) -> Progress | None:
    """Remind the operator that the number is due, or a later draw, if it is time for that."""
    since = _since(match, s.context)
    done = None
    if since is not None and since <= s.now:
        about = f"{_key(since)}/{OF_MATCH.due(since, s.now)}"
        told = _is_due(match)
        if alert(s, told, about, once="turn", match=match):
            waits = say("the match waits for you: {told}", told=told)
            done = Progress(waits, match.name, sleeps=True, urgent=True)
    _sleep(s, match)
    return done


def _is_due(match: Match) -> Message:
    due = number_due(match)
    assert due is not None
    if is_too_early(match):
        return say(
            'its draw comes too soon after its last seat was taken. `adjud gm chance {match} "N of '
            'WHAT at TIME"` names a later one',
            match=match.name,
        )
    return say(
        "its random numbers come from {number}, published {when}. `adjud gm value {match} VALUE` "
        "enters it",
        match=match.name,
        number=number_named(which_number(match)),
        when=when(due),
    )


# End such a match, or give its seats to others.


def cancel(s: Session, found: Seated, reason: str) -> Message:
    """End a match before it opens. If its last seat was taken, the seed is told: what the number
    would have made of it can be seen by everybody."""
    match = found.match
    full = match.full_at is not None
    acts = [Cancelled(), NeverOpened()] if full else [Cancelled()]
    made = rulings.of_acts(acts, ply=match.ply, at=s.now, action="cancel", reason=reason)
    rulings.insert(s.tx, match.id, made)
    result = without_state(found.seats, CANCELLED, in_set_up=True)
    matches.end(s.tx, match.id, write(result), s.now)
    note_end(s.tx, match, write(result), s.now)
    ended = load(s.tx, match.name)
    subject = subjects.cancellation(match.name)
    tell(s, ended, made.message, reason, subject=subject, proofs=full)
    return say("{match} is cancelled", match=match.name)


def take_seat(s: Session, found: Seated, seat: Seat, told: Message, reason: str = "") -> Seated:
    """Tell all who plays a seat that was just given to somebody, and begin to wait if it was the
    last one."""
    name, before = found.match.name, found.match.status
    found = waiting(s.tx, name)
    note_seat_change(s.tx, found.match, seat, s.now)
    others = [other for other in found.seats if other != seat]
    tell(s, found, told, reason, seats=others)
    if before == "waiting":
        yours = both(_yours(found, seat), _what_decides(found.match))
        yours = _with_number(found, seat, yours)
        tell(s, found, yours, seats=[seat], proofs=True)
    else:
        tell(s, found, _yours(found, seat), seats=[seat])
    begin_to_wait(s, name)
    return waiting(s.tx, name)


def _yours(found: Seated, seat: Seat) -> Message:
    if found.match.lots == lots_of_match.PENDING:
        return lots_of_match.message_for_taking(found.match.name)
    title = found.game.seat_titles[seat]
    return say("You play {seat} in {match}.", seat=title, match=found.match.name)


def end_tenure(s: Session, found: Seated, seat: Seat, reason: str, *, opens: bool = False) -> None:
    """End the tenure of a seat's holder, who has nothing in the match yet."""
    holder = found.holders[seat]
    if holder.player_id is not None:
        matches.end_tenure(s.tx, found.match.id, seat, holder.tenure, holder.player_id, s.now)
    changes: Mapping[str, Any] = {"tenure": max(holder.tenure, holder.above) + 1}
    matches.update_seats(s.tx, found.match.id, [seat], **changes)
    queue.queue_farewell(s, found, holder, reason, opens=opens)
