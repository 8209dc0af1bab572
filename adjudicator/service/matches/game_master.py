"""The game master's tools. Every use is logged with its reason and told to the players."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from adjudicator.core.acts import (
    Cancelled,
    DeadlineMoved,
    ForfeitDecided,
    HeldByMaster,
    SaidToAll,
    WaitingEnded,
    continuation,
    sentence,
)
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.mail.write import subjects
from adjudicator.service.base import calendar, deadlines, looks
from adjudicator.service.base.calendar import in_zone, later, parse_moment
from adjudicator.service.base.context import Doubtful, OpenClub, Refusal, Session
from adjudicator.service.base.loaded_match import (
    Loaded,
    Seated,
    load,
    load_going,
    load_open,
    person,
    seat_of,
)
from adjudicator.service.base.looks import refuse_names
from adjudicator.service.base.options import terms
from adjudicator.service.matches import append_ply, seating, unopened
from adjudicator.service.matches.append_ply import log_for_all, tell_all
from adjudicator.service.matches.creation import holder_of
from adjudicator.service.matches.results import note_hold, note_resumption
from adjudicator.service.matches.seating import keep_apart_in
from adjudicator.store import daily, ladders, matches, tournaments
from adjudicator.store.database import Tx

# Set the deadline of the present turn, earlier or later, and ask before a very long wait.


LONG = 10  # periods of the match that nobody is given without a question
SHORT = timedelta(days=1)  # notice of an earlier deadline that is called short


def be_sure(loaded: Loaded, at: datetime, added: timedelta, *, zone: str, sure: bool) -> None:
    """Raise Doubtful if a wait until `at`, with so much `added` to it, is very long for the match
    and nobody is `sure`."""
    if sure or added <= LONG * calendar.period(terms(loaded.match.options).deadline):
        return
    raise Doubtful(
        say(
            "{match} would wait until {when}, more than {n} times the usual time of a turn",
            match=loaded.match.name,
            when=in_zone(at, zone),
            n=LONG,
        )
    )


def set_deadline(
    club: OpenClub, name: str, time: str, *, sure: bool = False, zone: str = "UTC", reason: str
) -> tuple[Message, Message | None]:
    """Set the deadline of the present turn, also in a match that has none otherwise.

    Return what the game master reads, whose zone is `zone`, and a warning if the players get short
    notice. Raises Doubtful if they would wait very long and nobody is `sure`.
    """
    with club.session() as s:
        loaded = load_open(s.tx, name)
        match, agreed = loaded.match, terms(loaded.match.options)
        if match.status == "open":
            if loaded.has_begun:
                raise _has_open_seat(loaded)
            raise Refusal(say("{match} has not begun; it has no deadline yet", match=match.name))
        paused = club.now - deadlines.start_of_hold(loaded, club.now)
        before = match.deadline_at and match.deadline_at + paused
        deadline = parse_moment(time, agreed.zone, club.now, match.deadline_at)
        told = in_zone(deadline, zone)
        if deadline <= club.now:
            raise Refusal(say("{when} is in the past; write a later time", when=told))
        added = deadline - max(before or club.now, club.now)
        be_sure(loaded, deadline, added, zone=zone, sure=sure)
        matches.update(
            s.tx,
            match.id,
            held_at=match.held_at and club.now,
            reminded_ply=None,
            alerted_ply=None,
            trouble=match.trouble if match.held_at else None,
        )
        daily.look_again(s.tx, match.id)
        least = deadline if added > timedelta() else club.now
        moved = seating.move_forfeits(s.tx, loaded, lambda at: max(at + paused, least))
        tell_all(s, loaded, "deadline", [DeadlineMoved(deadline), *moved], reason)
        answer = say("{match}: the deadline is now {when}", match=match.name, when=told)
        usual = calendar.period(agreed.deadline) / 2
        if added >= timedelta() or deadline - club.now >= min(SHORT, usual):
            return answer, None
        return answer, say(
            "{match}: the new deadline is soon; some players may read about it too late",
            match=match.name,
        )


MOST_SAID = 2000  # characters of a notice


def hold(club: OpenClub, name: str, *, reason: str) -> Message:
    """Hold the match: nothing is adjudicated until `resume`; sheets are still taken."""
    with club.session() as s:
        loaded = load_open(s.tx, name)
        if loaded.match.status != "playing":
            raise Refusal(say("{match} is already {status}", **_status(loaded)))
        matches.update(s.tx, loaded.match.id, status="held", held_at=club.now)
        note_hold(s.tx, loaded.match, club.now)
        tell_all(s, loaded, "hold", [HeldByMaster()], reason)
        return say("{match} is on hold", match=loaded.match.name)


def resume(
    club: OpenClub,
    name: str,
    *,
    reason: str,
    extend: timedelta,
    sure: bool = False,
    zone: str = "UTC",
) -> Message:
    """Go on with a held match; the seats get the time that was left, and `extend`.

    If none was left, an outage may have taken it: without `extend` the turn gets its whole time
    anew. Raises Doubtful if that is very long and nobody is `sure`.
    """
    with club.session() as s:
        loaded = load_open(s.tx, name)
        match = loaded.match
        if match.status != "held" or match.held_at is None:
            raise Refusal(say("{match} is not on hold", match=match.name))
        held_from, deadline = deadlines.start_of_hold(loaded, club.now), match.deadline_at

        def moved(at: datetime) -> datetime:
            if at <= held_from and not extend:
                return deadlines.anew(s.tx, loaded, club.now)
            left = max(at, held_from) + (club.now - held_from)
            return deadlines.move_past_free_days(s.tx, loaded, later(left, extend))

        if deadline is not None:
            was_over = deadline <= held_from
            deadline = moved(deadline)
            be_sure(loaded, deadline, extend, zone=zone, sure=sure)
            if was_over:
                matches.update(s.tx, match.id, reminded_ply=None, alerted_ply=None)
        matches.update(s.tx, match.id, status="playing", held_at=None, trouble=None)
        daily.look_again(s.tx, match.id)
        note_resumption(s.tx, match, club.now)
        told = [continuation(deadline), *seating.move_forfeits(s.tx, loaded, moved)]
        tell_all(s, loaded, "resume", told, reason)
        return say("{match} continues", match=match.name)


def extend(
    club: OpenClub,
    name: str,
    duration: timedelta,
    *,
    sure: bool = False,
    zone: str = "UTC",
    reason: str,
) -> Message:
    """Give more time to the present turn; one whose deadline has passed is open again.

    In a held match the deadline is told as it would be if the match went on now: the time that was
    left when it was held, and the new time. `zone` is that of the game master, who reads the
    answer. Raises Doubtful if the new time is very long and nobody is `sure`.
    """
    with club.session() as s:
        loaded = load_open(s.tx, name)
        match = loaded.match
        if not duration:
            raise Refusal(say("by how much? write a duration like 2 days"))
        if match.deadline_at is None:
            raise Refusal(
                say(
                    "{match} has no deadline; there is nothing to extend. `adjud gm deadline` "
                    "sets one",
                    match=match.name,
                )
            )
        since = deadlines.start_of_hold(loaded, club.now)
        deadline = later(max(match.deadline_at, since) + (club.now - since), duration)
        be_sure(loaded, deadline, duration, zone=zone, sure=sure)
        matches.update(
            s.tx,
            match.id,
            held_at=match.held_at and club.now,
            reminded_ply=None,
            alerted_ply=None,
            trouble=match.trouble if match.held_at else None,
        )
        daily.look_again(s.tx, match.id)
        moved = seating.move_forfeits(
            s.tx, loaded, lambda at: max(at + (club.now - since), deadline)
        )
        tell_all(s, loaded, "extend", [DeadlineMoved(deadline), *moved], reason)
        local = in_zone(deadline, zone)
        return say("{match}: the deadline is now {when}", match=match.name, when=local)


def announce(club: OpenClub, name: str, text: str) -> Message:
    """Tell all seats something that the game master says, also when the match is over."""
    words = " ".join(text.split())
    if not words:
        raise Refusal(say("there is nothing to say: write some text"))
    if len(words) > MOST_SAID:
        raise Refusal(say("use at most {most} characters", most=MOST_SAID))
    with club.session() as s:
        told = SaidToAll(shown(words, MOST_SAID))
        loaded = load(s.tx, name)
        if loaded.is_opened:
            refuse_names(s.tx, loaded, words)
            tell_all(s, loaded, "say", [told])
        else:
            subject = subjects.ruling(loaded.match.name, "say")
            unopened.tell(s, loaded, sentence(told), subject=subject)
        return say("{match}: the message goes to all seats", match=loaded.match.name)


def cancel(club: OpenClub, name: str, *, reason: str) -> Message:
    with club.session() as s:
        return cancel_in(s, name, reason=reason)


def cancel_in(s: Session, name: str, *, reason: str) -> Message:
    """Cancel a match in a transaction of the caller's."""
    loaded = load_going(s.tx, name)
    if not loaded.is_opened:
        return unopened.cancel(s, loaded, reason)
    log_for_all(s.tx, loaded, "cancel", [Cancelled()], reason, s.now)
    events = loaded.game.rules.close(loaded.state, "cancelled")
    append_ply.append(s, loaded, events, cause="cancelled")
    return say("{match} is cancelled", match=loaded.match.name)


def forfeit(club: OpenClub, name: str, word: str, *, reason: str) -> Message:
    """Forfeit the seat, whatever it has sent.

    If the answer depended on that, it would tell a game master who plays.
    """
    with club.session() as s:
        loaded = _load_begun(s.tx, name)
        seat = _seat(loaded, word)
        told = [ForfeitDecided(loaded.game.seat_titles[seat])]
        log_for_all(s.tx, loaded, "forfeit", told, reason, club.now)
        events = loaded.game.rules.leave(loaded.state, [seat], "forfeit")
        append_ply.append(s, loaded, events, cause="forfeit", leaving=[seat])
        return say("{match}: {seat} has lost by forfeit", match=loaded.match.name, seat=seat)


def announce_forfeit(
    club: OpenClub,
    name: str,
    word: str,
    duration: timedelta,
    *,
    sure: bool = False,
    zone: str = "UTC",
    reason: str,
) -> Message:
    """Tell everybody that the seat is forfeited if it is silent until then; the tick carries it
    out.

    `zone` is that of the game master, who reads the answer. Raises Doubtful if the time is very
    long and nobody is `sure`.
    """
    with club.session() as s:
        loaded = _load_begun(s.tx, name)
        seat = _seat(loaded, word)
        if not duration:
            raise Refusal(say("by when? write a duration like 2 days"))
        if loaded.match.status != "playing":
            raise Refusal(say("{match} is {status}; nothing was done", **_status(loaded)))
        if seat not in loaded.awaited or seat in loaded.gone:
            raise Refusal(say("it's not {seat}'s turn", seat=seat))
        if loaded.holders[seat].computer:
            raise Refusal(say("{seat} is a computer, which never misses a turn", seat=seat))
        by = later(club.now, duration)
        be_sure(loaded, by, duration, zone=zone, sure=sure)
        told = seating.announce_forfeit_at(s.tx, loaded, seat, by)
        tell_all(s, loaded, "announce", [told], reason)
        return say(
            "{match}: {seat} forfeits if it sends no orders by {when}",
            match=loaded.match.name,
            seat=seat,
            when=in_zone(by, zone),
        )


def _load_begun(tx: Tx, name: str) -> Loaded:
    loaded = load_open(tx, name)
    if loaded.match.status == "open":  # the winner might be a seat without a player
        if loaded.has_begun:
            raise _has_open_seat(loaded)
        raise Refusal(
            say("{match} has not begun; `adjud gm cancel` ends it", match=loaded.match.name)
        )
    return loaded


def _has_open_seat(loaded: Loaded) -> Refusal:
    return Refusal(
        say(
            "{match} waits until its open seat is taken; `adjud gm replace` gives it to a player, "
            "`adjud gm cancel` ends the match",
            match=loaded.match.name,
        )
    )


def replace(
    club: OpenClub,
    name: str,
    word: str,
    player: str,
    *,
    sure: bool = False,
    left: bool = False,
    zone: str = "UTC",
    reason: str,
) -> Message:
    """Give a seat to another holder, whose tenure begins with its present page; fill an open seat,
    too. With `left` the former one counts as having left the match.

    `zone` is that of the game master, who reads the answer. Raises Doubtful if the player has seen
    reports of another seat and nobody is `sure`. Where names are hidden, a refusal that tells of
    them is a look.
    """
    asked: list[str] = []
    noted_at = club.now if club.context.sends_mail else None
    with looks.at_refusal(club.store, asked, noted_at), club.session() as s:
        return replace_in(
            s, name, word, player, sure=sure, left=left, zone=zone, reason=reason, asked=asked
        )


def replace_in(
    s: Session,
    name: str,
    word: str,
    player: str,
    *,
    sure: bool = False,
    left: bool = False,
    zone: str = "UTC",
    reason: str,
    asked: list[str],
) -> Message:
    """Give a seat to another holder as `replace` does, in a transaction of the caller's; the match
    is put among the `asked` before anything is judged that depends on who plays."""
    before = load_going(s.tx, name)
    seat = _seat(before, word)
    holder, new = before.holders[seat], holder_of(s.tx, before.game, player)
    if seat in before.gone:
        raise Refusal(say("{seat} has left this match", seat=seat))
    _refuse_computer(s.tx, before, seat, new["computer"])
    if before.is_opened:
        refuse_names(s.tx, before, reason)
    asked[:] = [before.match.name]
    if (new["player_id"], new["computer"]) == (holder.player_id, holder.computer):
        raise Refusal(say("{player} already has that seat", player=shown(player)))
    if not before.is_opened:
        return _replace_unopened(s, before, seat, new, reason)
    knows = isinstance(one := new["player_id"], int) and seating.has_seen_another(
        s.tx, before, seat, one
    )
    if knows and not sure:
        raise Doubtful(
            say(
                "{player} had another seat in {match} and has seen its reports",
                player=shown(player),
                match=before.match.name,
            )
        )
    loaded = hand_over(s, before, seat, new, reason=reason, left=left)
    return _message_of_new_holder(before, loaded, seat, zone)


def hand_over(
    s: Session,
    before: Loaded,
    seat: Seat,
    new: Mapping[str, object],
    *,
    reason: str,
    left: bool = False,
    farewell: Message | None = None,
) -> Loaded:
    """Give a seat to its `new` holder, and tell all; return the match as it is then. The former
    one is told so by that `farewell`, which is a substitute's, or that the game master did it."""
    match, was_held = before.match, bool(before.holders[seat].shown_name)
    if was_held:
        seating.end_tenure(s, before, seat, reason, left=left, told=farewell)
    matches.update_seats(s.tx, match.id, [seat], kept=0, **new)  # for nobody else any more
    keep_apart_in(s.tx, match, new["player_id"])
    if was_held:
        loaded = seating.give_time(s.tx, load_open(s.tx, match.name), seat, s.now)
        told = seating.who_plays_now(before, loaded, seat, substitute=farewell is not None)
        seating.log_holder(s.tx, loaded, seat, s.now)
    else:
        loaded, told = seating.take_open_seat(s.tx, before, seat, now=s.now)
    tell_all(
        s,
        loaded,
        "replace",
        told.named,
        reason,
        logged=told.logged,
        besides=[seat],
        subject=subjects.plays_now(match.name, person(loaded, seat)),
    )
    seating.welcome(s, loaded, seat)
    return loaded


def _refuse_computer(tx: Tx, found: Seated, seat: Seat, computer: object) -> None:
    """Refuse a built-in player a seat that is an entry's in a tournament, or on a ladder (club,
    6.3). Raises Refusal."""
    match = found.match
    if computer and (tournaments.of_match(tx, match.id) or ladders.has_match(tx, match.id)):
        raise Refusal(
            say(
                "{match} belongs to a tournament or a ladder, and a computer cannot play there; "
                "`adjud gm forfeit {match} {seat} --reason TEXT` ends it for that seat",
                match=match.name,
                seat=seat,
            )
        )


def _replace_unopened(
    s: Session, before: Loaded, seat: Seat, new: Mapping[str, object], reason: str
) -> Message:
    """Give a seat of a match that has no position yet to another holder."""
    match, was_held = before.match, bool(before.holders[seat].shown_name)
    if was_held:
        unopened.end_tenure(s, before, seat, reason)
    matches.update_seats(s.tx, match.id, [seat], kept=0, **new)
    keep_apart_in(s.tx, match, new["player_id"])
    told = seating.who_plays(unopened.waiting(s.tx, match.name), seat, new=was_held)
    found = unopened.take_seat(s, before, seat, told, reason)
    who = found.holders[seat].player_name or found.holders[seat].shown_name
    return say("{match}: {player} plays {seat}", match=found.match.name, player=who, seat=seat)


def _message_of_new_holder(before: Loaded, loaded: Loaded, seat: Seat, zone: str) -> Message:
    """Return what the game master reads, also of a deadline that was moved."""
    who = loaded.holders[seat].player_name or loaded.holders[seat].shown_name
    match, deadline = loaded.match, loaded.match.deadline_at
    told = say("{match}: {player} plays {seat}", match=match.name, player=who, seat=seat)
    if deadline is None or deadline == before.match.deadline_at:
        return told
    return say("{told}; the deadline is now {when}", told=told, when=in_zone(deadline, zone))


def adjudicate(club: OpenClub, name: str, *, expect: int, reason: str) -> Message:
    """End the waiting for `settle` and READY: the tick adjudicates as soon as all orders are in.

    The answer is the same whether they are; otherwise a game master who plays could find out who
    has sent.
    """
    with club.session() as s:
        loaded = load_open(s.tx, name)
        match = loaded.match
        if match.turn != expect:
            raise Refusal(
                say(
                    "{match} is at turn {turn}, not {expect}; nothing was done",
                    match=match.name,
                    turn=match.turn,
                    expect=expect,
                )
            )
        if match.status != "playing":
            raise Refusal(say("{match} is {status}; nothing was done", **_status(loaded)))
        matches.update(s.tx, match.id, hurried_ply=match.ply + 1)
        tell_all(s, loaded, "adjudicate", [WaitingEnded(match.turn)], reason)
        return say(
            "{match}: the tick adjudicates turn {turn} as soon as all orders are in",
            match=match.name,
            turn=match.turn,
        )


def _seat(loaded: Seated, word: str) -> Seat:
    seat = seat_of(loaded.game, word)
    if seat not in loaded.holders:
        raise Refusal(say("nobody plays {seat} in {match}", seat=seat, match=loaded.match.name))
    return seat


def _status(loaded: Loaded) -> dict[str, str]:
    return {"match": loaded.match.name, "status": loaded.match.status}
