"""Do one step of one match: decide what is due, do it and save it, in one transaction.

Before anything happens to a silent player, days of absence from his yearly budget are spent (club,
5.3). Only he is told, by one email for each time of silence, which the operator's queue does not
show. Nothing else changes that anybody could see: no deadline, no page, no line of a tick.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any, assert_never

from adjudicator.core import clock
from adjudicator.core.acts import (
    Act,
    DefaultsUsed,
    Excused,
    NearlyForgotten,
    NothingSent,
    Waits,
    sentence,
)
from adjudicator.core.clock import (
    DORMANT_AFTER,
    Adjudicate,
    Alert,
    Default,
    Excuse,
    Forfeit,
    Overdue,
    Remind,
    Seek,
)
from adjudicator.core.match import Seat
from adjudicator.core.message import both, count, say, together
from adjudicator.core.orders import number_lines
from adjudicator.mail.write import subjects
from adjudicator.reports import frame
from adjudicator.resources import zone_of
from adjudicator.service.base import deadlines, game_faults
from adjudicator.service.base.context import Progress, Session, fault_of_program
from adjudicator.service.base.deadlines import (
    days_of,
    days_spent,
    default_of,
    facts_of,
    given_days,
    has_reserve,
    next_step,
    out_of_time,
    own_end,
    silent_seats,
    waits_since,
)
from adjudicator.service.base.jobs import DueItem, Tick, raise_what_stops_all
from adjudicator.service.base.loaded_match import Loaded, Unreadable, gather, load, person, titles
from adjudicator.service.base.options import terms
from adjudicator.service.matches import append_ply, doubt, outage, substituting, unopened
from adjudicator.service.matches.append_ply import log_for_all, tell_all
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.queue import alert
from adjudicator.service.reports import building
from adjudicator.service.reports.standing import read_log
from adjudicator.store import matches, players, rulings, submissions
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match
from adjudicator.store.rulings import Declaration, StoredWord


def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the matches at which this tick looks."""
    return [DueItem(name, name) for name in tick.matches]


def advance(s: Session, name: str) -> Progress | None:
    """Do the next thing in a match, if it is still due and no other worker has the match.

    The match is ours until what was done is stored. However often and by however many workers this
    is called, each thing is done once, because each transaction decides anew.
    """
    match = matches.claim(s.tx, name, s.now)
    if match is None:
        return None
    if match.status != "playing":
        return _waits(s, match)
    loaded = gather(s.tx, match)
    done = _settle_declaration(s, loaded) or _due(s, loaded)
    if done is None:
        if since := waits_since(loaded):
            done = outage.remind_game_master(s, match, since)
        deadlines.reload_and_reschedule(s.tx, loaded, s.now)
    return done


def _waits(s: Session, match: Match) -> Progress | None:
    """Remind the game master of a match that is held, waits for a public number, or is open and
    cannot be read."""
    if match.status == "waiting" and match.held_at is None:
        return unopened.remind(s, match)
    if match.held_at is None:
        matches.update(s.tx, match.id, wake_at=None)
        return None
    if match.status in ("open", "waiting"):
        with suppress(Unreadable):
            gather(s.tx, match)
            wake = (
                s.now if match.status == "waiting" else None
            )  # then it is asked what it waits for
            matches.update(s.tx, match.id, held_at=None, wake_at=wake, trouble=None)
            return Progress(say("can be read again"), match.name)
    return outage.remind_game_master(s, match, match.held_at)


def hold(s: Session, item: DueItem, fault: Exception) -> Progress | None:
    """Hold a match that we cannot adjudicate, and tell the operator what kind of fault it was; if
    a part of the program is missing, the match waits.

    He is not told its text, which might hold what he may not know.
    """
    if isinstance(fault, Unreadable):
        return outage.lay_aside(s, fault)
    raise_what_stops_all(fault, s.context)
    if missing := fault_of_program(fault):
        waits = say("waiting: {why}", why=missing.message)
        return Progress(waits, item.name, sleeps=True, urgent=True)
    trouble = (
        fault.message if isinstance(fault, StrangeOrders) else game_faults.message_for_stop(fault)
    )
    match = matches.find(s.tx, item.name)
    if match is None or match.status != "playing":
        raise fault
    outage.hold_for_fault(s, match, trouble)
    return Progress(trouble, item.name, urgent=True)


def _settle_declaration(s: Session, loaded: Loaded) -> Progress | None:
    """Deal with the first declaration: resignations before draws, each by time of receipt
    (interface, section 2)."""
    pending = [d for d in loaded.declarations if d.status == "pending"]
    for kind, deal_with in (("RESIGN", _resign), ("DRAW", _tell_draw_offer)):
        for declared in pending:
            if declared.kind == kind:
                return deal_with(s, loaded, declared)
    return None


def _resign(s: Session, loaded: Loaded, declared: Declaration) -> Progress:
    rulings.settle(s.tx, [declared.id], "used", ply=loaded.match.ply + 1)
    _took_effect(s.tx, loaded, declared)
    seats = [Seat(declared.seat)]
    after = append_ply.append(
        s,
        loaded,
        loaded.game.rules.leave(loaded.state, seats, "resignation"),
        cause="resignation",
        leaving=seats,
    )
    return _progress_of_ply(_agreed(s, after) or after, s.now)


def _took_effect(tx: Tx, loaded: Loaded, declared: Declaration) -> None:
    match = loaded.match
    told = StoredWord(
        ply=match.ply, seat=declared.seat, word=declared.kind, at=declared.received_at
    )
    rulings.insert_word(tx, match.id, told)


def _tell_draw_offer(s: Session, loaded: Loaded, declared: Declaration) -> Progress:
    """Tell of a draw offer, which now stands; if all seats offer, the match is drawn."""
    rulings.settle(s.tx, [declared.id], "standing")
    _took_effect(s.tx, loaded, declared)
    if drawn := _agreed(s, gather(s.tx, loaded.match)):
        return _progress_of_ply(drawn, s.now)
    others = [seat for seat in loaded.seats if seat != declared.seat]
    who = person(loaded, declared.seat)
    body = {
        "told": frame.message_for_offer(who, len(loaded.seats)),
        "offers": declared.seat,
        "subject": subjects.draw_offer(loaded.match.name, who),
    }
    queue.queue_notices(s, loaded, others, body)
    deadlines.reload_and_reschedule(s.tx, loaded, s.now)
    return Progress(say("a draw offer was passed on"), loaded.match.name)


def _agreed(s: Session, loaded: Loaded) -> Loaded | None:
    """Draw the match if the offers of all who still play stand; else return None."""
    offering = {d.seat for d in loaded.declarations if (d.kind, d.status) == ("DRAW", "standing")}
    if loaded.match.status == "over" or not offering - loaded.gone:
        return None
    if not offering | loaded.gone >= set(loaded.seats):
        return None
    events = loaded.game.rules.close(loaded.state, "agreement")
    return append_ply.append(s, loaded, events, cause="agreement")


def _due(s: Session, loaded: Loaded) -> Progress | None:
    loaded, played = _play_computers(s.tx, loaded, s.now)
    _, spared = clock.due_forfeits(facts_of(loaded), s.now)
    if spared:
        matches.update_seats(s.tx, loaded.match.id, spared, forfeit_at=None, forfeit_ply=None)
        loaded = gather(s.tx, loaded.match)
    loaded = spend_leave_days(s, loaded)
    step = next_step(loaded, s.now)
    if step and (doubted := doubt.of_match(s.tx, loaded.match, s.context)):
        step = doubt.certain_step(loaded, step, doubted, s.now)
    match step:
        case None:
            if played:
                deadlines.reload_and_reschedule(s.tx, loaded, s.now)
                return Progress(say("a built-in player gave orders"), loaded.match.name, played)
            return None
        case Adjudicate():
            if held := outage.hold_for_late_orders(s, loaded):
                return held
            after = adjudicate(s, loaded)
            return _progress_of_ply(after, s.now, played)
        case Forfeit(silent):
            told = [NothingSent(titles(loaded, silent))]
            log_for_all(s.tx, loaded, "silence", told, "", s.now)
            seats = [Seat(seat) for seat in silent]
            after = append_ply.append(
                s,
                loaded,
                loaded.game.rules.leave(loaded.state, seats, "forfeit"),
                cause="forfeit",
                leaving=seats,
            )
            return _progress_of_ply(after, s.now, played)
        case Seek(silent):
            return substituting.begin_for_silent(s, loaded, silent)
        case Excuse(silent):
            return _excuse(s, loaded, silent)
        case Alert():
            return _alert(s, loaded, silent_seats(loaded))
        case Default(silent):
            return _order_by_default(s, loaded, silent)
        case Remind(seats):
            queue.queue_reminders(s, loaded, seats)
            matches.update(s.tx, loaded.match.id, reminded_ply=loaded.match.ply + 1)
            deadlines.reload_and_reschedule(s.tx, loaded, s.now)
            return Progress(say("reminders were queued"), loaded.match.name, played)
        case Overdue(seats):
            return _overdue(s, loaded, seats, played)
        case _:
            assert_never(step)


def _overdue(s: Session, loaded: Loaded, seats: Sequence[str], played: int) -> Progress:
    """Note that the deadline has passed, which all may know, and remind of the reserves."""
    match = loaded.match
    if terms(match.options).reminders:
        queue.queue_second_reminders(s, loaded, seats)
    matches.update(s.tx, match.id, overdue_at=match.deadline_at, reminded_ply=match.ply + 1)
    deadlines.reload_and_reschedule(s.tx, loaded, s.now)
    return Progress(say("the deadline has passed; reserves are running"), match.name, played)


def adjudicate(s: Session, loaded: Loaded, *, everyone: bool = False) -> Loaded:
    """Adjudicate the ply, for which all awaited seats must have orders in force.

    With `everyone` each seat is sent its report, whoever is to order next.
    """
    orders = {seat: _orders(loaded, seat) for seat in loaded.awaited}
    events = loaded.game.rules.adjudicate(loaded.state, orders, loaded.chance)
    if late := [*outage.came_late(loaded)]:
        told = [*outage.outages_to_tell(s, loaded), *late]
        log_for_all(s.tx, loaded, "late", told, "", s.now)
    return append_ply.append(
        s, loaded, events, cause="orders", ordering=loaded.awaited, everyone=everyone
    )


class StrangeOrders(ValueError):
    """Stored orders that no sheet that we accept can have given. Its text names none of them."""

    def __init__(self, loaded: Loaded, seat: Seat, what: str) -> None:
        match = loaded.match
        self.message = say(
            "the stored orders of {seat} are not orders that adjud accepts, so the match is on "
            "hold. Perhaps the database was changed. If {seat} sends orders again, `adjud gm "
            "resume {match}` continues the match",
            seat=loaded.game.seat_titles[seat],
            match=match.name,
        )
        super().__init__(f"{match.name}, ply {match.ply + 1}, {seat}: {what}")


def _orders(loaded: Loaded, seat: Seat) -> Sequence[Any]:
    """Return the orders of a seat, judged once more as they were when they came.

    Who reads the log later judges them, too: nothing may be adjudicated that an audit would refuse.
    """
    game, stored = loaded.game, loaded.sheets[seat]
    sheet = game.orders.parse(number_lines(stored.lines))
    if sheet.problems:
        raise StrangeOrders(loaded, seat, "orders no longer parse")
    view = game.sight.observe(loaded.state, seat)
    if stored.channel != submissions.DEFAULT and game.orders.check(view, sheet):
        raise StrangeOrders(loaded, seat, "orders are not allowed")
    return sheet.orders


def _play_computers(tx: Tx, loaded: Loaded, now: datetime) -> tuple[Loaded, int]:
    """Put orders of the awaited built-in players in force. They see their own view and nothing
    more."""
    awaited = [seat for seat in silent_seats(loaded) if loaded.holders[Seat(seat)].computer]
    log = remembered_events(tx, loaded) if awaited else []
    for seat in awaited:
        lines = orders_of(loaded, Seat(seat), str(loaded.holders[seat].computer), log)
        put_in_force(tx, loaded, seat, lines, "computer", now)
    return (gather(tx, loaded.match), len(awaited)) if awaited else (loaded, 0)


def remembered_events(tx: Tx, loaded: Loaded) -> list[Any]:
    """Return the match's events for built-in players that remember what they saw of them.

    Return none if the game has no such views.
    """
    if loaded.game.sight.remember is None:
        return []
    return [event for _, event in read_log(tx, loaded.match, loaded.game)]


def put_in_force(
    tx: Tx, loaded: Loaded, seat: str, lines: Sequence[str], channel: str, now: datetime
) -> None:
    """Put orders in force that no player wrote; `channel` says who did."""
    submissions.store(
        tx,
        loaded.match.id,
        ply=loaded.coming,
        seat=seat,
        received_at=now,
        channel=channel,
        lines=lines,
        text="\n".join(lines),
    )


def orders_of(loaded: Loaded, seat: Seat, computer: str, log: Sequence[Any] = ()) -> list[str]:
    """Return what a built-in player orders for a seat, in canonical lines.

    Of `log`, the events of the match, it is told what its seat has seen.
    """
    game = loaded.game
    chance = loaded.chance.private(seat, f"computer {loaded.match.ply + 1}")
    view = building.view_of(loaded, seat, log)
    return game.orders.lines(game.computers[computer](view, chance))


def _excuse(s: Session, loaded: Loaded, silent: Sequence[str]) -> Progress:
    """Give one more period to a turn whose silent seats still have an excused miss."""
    match = loaded.match
    deadline = deadlines.one_more(s.tx, loaded, s.now)
    assert deadline is not None
    for seat in silent:
        missed = loaded.holders[seat].missed + 1
        matches.update_seats(s.tx, match.id, [seat], missed=missed)
    matches.update(s.tx, match.id, reminded_ply=None)
    told = Excused(" ".join(silent), titles(loaded, silent), deadline)
    tell_all(s, loaded, "excuse", [told])
    return Progress(say("the deadline has passed; it was extended as agreed"), match.name)


def _order_by_default(s: Session, loaded: Loaded, silent: Sequence[str]) -> Progress:
    """Put the game's own orders in force for silent seats.

    A player who misses a second deadline in a row is warned; after three nobody waits for him. In
    the set-up nobody misses anything: what he adds to chance may be nothing (Spion rule 6.2).
    """
    for seat in silent:
        lines = default_of(loaded, seat)
        assert lines is not None
        put_in_force(s.tx, loaded, seat, lines, submissions.DEFAULT, s.now)
    awake = [s for s in silent if loaded.holders[s].silent < DORMANT_AFTER]
    if not awake:
        deadlines.reload_and_reschedule(s.tx, loaded, s.now)
        return Progress(say("players who are away got default orders"), loaded.match.name)
    counted = awake if loaded.game.rules.phase(loaded.state) != "setup" else []
    for seat in counted:
        row = loaded.holders[seat].silent + 1
        matches.update_seats(s.tx, loaded.match.id, [seat], silent=row)
    tell_all(s, loaded, "default", [_defaults_used(loaded, awake)])
    return Progress(say("the deadline has passed; default orders were given"), loaded.match.name)


def _defaults_used(loaded: Loaded, silent: Sequence[str]) -> Act:
    used = DefaultsUsed(titles(loaded, silent))
    warned = [seat for seat in silent if loaded.holders[seat].silent + 1 == DORMANT_AFTER - 1]
    return NearlyForgotten(sentence(used), titles(loaded, warned)) if warned else used


def _alert(s: Session, loaded: Loaded, silent: Sequence[str]) -> Progress:
    """Tell the operator that the deadline has passed and the match waits (`absence=gm`)."""
    told = say(
        "The deadline has passed without orders from {seats}, so the match is waiting. Continue "
        "with `adjud gm extend` or `adjud gm forfeit`.",
        seats=titles(loaded, silent),
    )
    alert(s, told, match=loaded.match)
    since = {"alerted_at": clock.absence_at(facts_of(loaded))} if has_reserve(loaded) else {}
    matches.update(
        s.tx,
        loaded.match.id,
        alerted_ply=loaded.match.ply + 1,
        **since,
        trouble="the deadline has passed and the match waits for the game master",
    )
    tell_all(s, loaded, "wait", [Waits()])
    told = say("the deadline has passed; the match waits for you")
    return Progress(told, loaded.match.name, urgent=True)


def _progress_of_ply(after: Loaded, now: datetime, played: int = 0) -> Progress:
    """Return what the operator may read of a match that has just been adjudicated."""
    match = after.match
    sleeps = match.wake_at is None or match.wake_at > now
    if match.status == "over":
        return Progress(say("adjudicated; the match is over"), match.name, played, sleeps)
    seats = together(after.awaited)
    told = say("adjudicated; turn {turn} is waiting for {seats}", turn=match.turn, seats=seats)
    return Progress(told, match.name, played, sleeps)


LEAVE_TOLD_FOR = timedelta(days=7)  # a day within it is of the same silence, of which he was told


def spend_leave_days(s: Session, loaded: Loaded) -> Loaded:
    """Spend a day for each silent seat whose own time has ended, and another one if that is over,
    too, as long as the player has any left. Return the match as it is then.

    While the clock is in doubt nothing is spent; a later tick looks again.
    """
    late = out_of_time(loaded, s.now)
    if not late or doubt.of_match(s.tx, loaded.match, s.context):
        return loaded
    people = {seat: loaded.holders[seat].player_id for seat in late}
    players.hold(s.tx, [one for one in people.values() if one is not None])
    for seat, player_id in people.items():
        if player_id is not None:
            loaded = _spend_leave_day(s, loaded, seat, player_id)
    # That this was looked at is noted by the time at which a tick looks next.
    matches.update(s.tx, loaded.match.id, wake_at=None)
    return load(s.tx, loaded.match.name)


def _spend_leave_day(s: Session, loaded: Loaded, seat: str, player_id: int) -> Loaded:
    zone, most = zone_of(players.one(s.tx, player_id).zone), terms(loaded.match.options).leave_days
    loaded = load(s.tx, loaded.match.name)  # another worker may have spent a day meanwhile
    while (ends := own_end(loaded, seat)) is not None and ends <= s.now:
        day = ends.astimezone(zone).date()
        away = players.days_away(s.tx, [player_id])
        known = days_of(away)
        left = s.context.absence_days - days_spent(day.year, known) - 1
        if left < 0 or day in known or (most is not None and len(given_days(loaded, seat)) >= most):
            return loaded
        players.spend_day(s.tx, player_id, day, s.now)
        if not any(one.auto and day - LEAVE_TOLD_FOR <= one.first < day for one in away):
            _tell_of_leave_day(s, loaded, player_id, day, left)
        loaded = load(s.tx, loaded.match.name)
    return loaded


def _tell_of_leave_day(s: Session, loaded: Loaded, player_id: int, day: date, left: int) -> None:
    told = both(
        say(
            "Your time for {match} ran out, and you had sent no orders. So {day} was used as one "
            "of your days of absence, and your time stops on that day. Please send your orders as "
            "soon as you can. Days of absence left in {year}: {left}.",
            match=loaded.match.name,
            day=str(day),
            year=str(day.year),
            left=left,
        ),
        say("If none come, the next days are used in the same way, without another email."),
    )
    if (most := terms(loaded.match.options).leave_days) is not None:
        told = both(
            told,
            count(
                "In one match this is done on {n} day at most.",
                "In one match this is done on {n} days at most.",
                most,
            ),
        )
    queue.queue_leave_day(s, players.one(s.tx, player_id), day, told)
