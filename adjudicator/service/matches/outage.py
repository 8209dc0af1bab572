"""What a tick does after an outage, and with orders that came late (emails, section 7).

If something may have kept the players' emails from us, nothing is adjudicated on a missed
deadline. A wrong reveal cannot be taken back.
"""

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from adjudicator.core.acts import Act, CameLate, Cancelled, HeldForEmails, Outage
from adjudicator.core.clock import late_seats, seats_out_of_time, time_was_up
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.result import UNREAD, without_state, write
from adjudicator.mail.transport import spool
from adjudicator.mail.write import subjects
from adjudicator.service.base.calendar import OF_MATCH, in_zone, when
from adjudicator.service.base.context import (
    Context,
    OpenClub,
    Progress,
    Refusal,
    Session,
    is_spool_anothers,
)
from adjudicator.service.base.deadlines import facts_of
from adjudicator.service.base.jobs import DueItem, Tick, Told, raise_what_stops_all
from adjudicator.service.base.loaded_match import (
    Loaded,
    Unreadable,
    find,
    gather,
    gather_some,
    rulings_since,
)
from adjudicator.service.base.options import terms
from adjudicator.service.base.outages import known_outages, may_be_used
from adjudicator.service.matches import doubt
from adjudicator.service.matches.append_ply import tell_all
from adjudicator.service.matches.results import note_end, note_hold
from adjudicator.service.outbox import faults, queue
from adjudicator.service.outbox.queue import alert
from adjudicator.service.reports.standing import can_read_log, read_log
from adjudicator.store import (
    clubs,
    inbox,
    matches,
    outbox,
    pending,
    players,
    results,
    rulings,
    turns,
)
from adjudicator.store.clubs import SLACK, ClubClock
from adjudicator.store.database import Tx
from adjudicator.store.inbox import UnprocessedEmail
from adjudicator.store.matches import Match


def hold_back(
    club: OpenClub, overdue: Collection[str]
) -> Generator[Progress, None, Collection[str]]:
    """Hold the matches with silent seats whose time is up, if there is reason to doubt the silence.

    All of them are held, and the email to the operator is queued, in one transaction. Return those
    that should have been held and could not, for a fault in their rows.
    """
    held, unheld = list[Progress](), dict[str, Exception]()
    with club.session() as s:
        loaded = [one for name in overdue if (one := _load(s, name))]
        for reason, acts, some in _reasons_to_doubt(s, loaded):
            for one in some:
                try:
                    with s.tx.begin_nested():
                        held.append(_hold(s, one, reason, acts))
                except Exception as fault:
                    raise_what_stops_all(fault, club.context)
                    unheld[one.match.name] = fault
            _tell_of(s, reason, [one for one in some if one.match.name not in unheld])
    yield from held
    for name, why in unheld.items():
        yield from faults.tell(club, name, why)
    return unheld


def _reasons_to_doubt(
    s: Session, loaded: Sequence[Loaded]
) -> Iterator[tuple[Message, Sequence[Act], Sequence[Loaded]]]:
    """Yield each reason to doubt the silence of seats, with what is told of it, and their matches,
    each match once."""
    clock = clubs.clock_of(s.tx, lock=True)
    silent = [one for one in loaded if seats_out_of_time(facts_of(one), s.now)[1]]
    leapt = [one for one in silent if _leapt(s, clock, one)]
    if clock.last_tick is not None and leapt:
        yield _of_clock(clock, clock.last_tick, s.now), known_outages(s.tx, s.now), leapt
    others = [one for one in silent if one not in leapt]
    if (many := _of_silence(loaded, s.now, s.context)) is not None:
        yield many, (), others
    else:
        yield _of_emails(), (), _with_emails(others, inbox.all_failed_to_read(s.tx), s.now, s.now)


def _tell_of(s: Session, reason: Message, some: Sequence[Loaded]) -> None:
    """Tell the operator that these matches are on hold."""
    if some:
        told = say(
            "{reason}. These matches are past their deadline with orders missing; nothing was "
            "adjudicated and they are on hold: {matches}. To continue each of them, run `adjud "
            "gm resume MATCH --reason TEXT --extend DURATION`.",
            reason=reason,
            matches=", ".join(one.match.name for one in some),
        )
        alert(s, told)


def left_waiting(club: OpenClub, overdue: Collection[str], *, until: datetime) -> Collection[str]:
    """Return the matches that must wait because an email that was not read may be of a silent seat.

    Their time is up, and the email lies unread though we have read: another worker has it, or it
    could not be taken from the spool, or the spool is another club's, and the next tick knows more;
    or the email was put off. An email that came after their time does not make them wait: in a
    flood there is always one more. `until` is the present time, as late as this tick has become.

    The spool is looked at before the database: what another worker has taken from there by then is
    in what we see of the database, which is as it was when we first looked.
    """
    in_spool = list(_in_spool(club.context))
    with club.store.reading() as tx:
        unread, later = (
            _times_of_unread(Session(tx, club.now, club.context), in_spool),
            inbox.put_off_emails(tx, club.now),
        )
        if not (unread or later):
            return ()
        loaded = [
            one for name in overdue if (one := _load(Session(tx, club.now, club.context), name))
        ]
        silent = [one for one in loaded if seats_out_of_time(facts_of(one), club.now)[1]]
        left = [
            one for one in silent if any(_is_in_time(at, one, club.now, until) for at in unread)
        ]
        left += _with_emails(silent, later, club.now, until)
        return {one.match.name for one in left}


def _load(s: Session, name: str) -> Loaded | None:
    """Load a match; return None if it cannot be read, or not be said who is silent: the tick will
    come to it and set it aside."""
    try:
        match = matches.find(s.tx, name)
        if match is None or match.status != "playing":
            return None
        loaded = gather(s.tx, match)
        seats_out_of_time(facts_of(loaded), s.now)
        return loaded
    except Unreadable:
        return None
    except Exception as fault:
        raise_what_stops_all(fault, s.context)
        return None


def _leapt(s: Session, clock: ClubClock, loaded: Loaded) -> bool:
    """Return whether the clock leapt since the last tick, as far as is long for the match, or was
    just set back; or leapt over its deadline before, and a fault kept it from being held then."""
    last, most = clock.last_tick, doubt.long_for(s.tx, loaded.match, s.context)
    if last is None or most is None:
        return False
    if s.now - last > most or doubt.was_set_back(clock, s.now):
        return True
    known, deadline = clock.doubt, loaded.match.deadline_at
    if known is None or deadline is None or known.leap <= most:
        return False
    return known.right_at < deadline <= known.since


def _of_clock(clock: ClubClock, last: datetime, now: datetime) -> Message:
    if clock.doubt is not None and doubt.was_set_back(clock, now):
        last = clock.doubt.since - clock.doubt.leap
        return say("the clock is behind the last tick, {when}", when=in_zone(last, "UTC"))
    if clock.doubt is not None:
        last = min(last, clock.doubt.right_at)
    return say("`adjud tick` had not run since {when}", when=in_zone(last, "UTC"))


def _of_silence(loaded: Sequence[Loaded], now: datetime, context: Context) -> Message | None:
    """Return the reason to doubt that so many seats are silent, if there is one.

    It has no numbers: they would tell the operator, who may play, who has sent.
    """
    if context.max_silent is None:
        return None
    found = [seats_out_of_time(facts_of(one), now) for one in loaded]
    due = sum(len(awaited) for awaited, _ in found)
    silent = sum(len(silent) for _, silent in found)
    if silent > context.max_silent and 2 * silent > due:
        return say("more seats than usual sent nothing by their deadline")
    return None


def _times_of_unread(s: Session, in_spool: Sequence[datetime | None]) -> list[datetime | None]:
    """Return when the emails came that lie unread; None where nobody knows it."""
    if s.context.post is None:  # emails are not read at all
        return []
    if s.context.spool and is_spool_anothers(s.tx, s.context.spool):
        return [None]
    return [*in_spool, *inbox.span_of_unread(s.tx, s.now)]


def _in_spool(context: Context) -> Iterator[datetime | None]:
    """Yield when the emails came that lie in the spool; None where nobody knows it."""
    folder = context.spool
    if context.post is None or folder is None:
        return
    for name in spool.names(folder):
        try:
            found = spool.read(folder, name)
        except (OSError, spool.NoEmail):
            yield None
        else:
            if found:
                yield spool.arrival_time(found.envelope, found.raw)


def _is_in_time(at: datetime | None, loaded: Loaded, now: datetime, until: datetime) -> bool:
    """Return whether an email that came then may be from before the time of a silent seat was up.

    A time that has not come yet was written by a clock that ran ahead, so it tells nothing.
    """
    return at is None or at <= time_was_up(facts_of(loaded), now) + SLACK or at > until + SLACK


def _of_emails() -> Message:
    return say(
        "an email that may contain orders is stuck (`adjud mail queue list --status stuck`, then "
        "`retry` or `drop`)"
    )


def _with_emails(
    loaded: Sequence[Loaded], emails: Sequence[UnprocessedEmail], now: datetime, until: datetime
) -> list[Loaded]:
    """Keep the matches of which a silent seat has written, or may have if nobody knows who
    wrote."""
    return [
        one for one in loaded if any(_may_hold_orders(email, one, now, until) for email in emails)
    ]


def _may_hold_orders(
    email: UnprocessedEmail, loaded: Loaded, now: datetime, until: datetime
) -> bool:
    match = loaded.match
    if email.match_id is None:  # anybody can write such emails, as many as he likes
        in_time = _is_in_time(email.received_at, loaded, now, until)
        return email.received_at >= loaded.since and in_time
    of_silent = (
        email.match_id == match.id and email.seat in seats_out_of_time(facts_of(loaded), now)[1]
    )
    return of_silent and (email.ply == match.ply + 1 or email.received_at >= loaded.since)


def hold_for_late_orders(s: Session, loaded: Loaded) -> Progress | None:
    """Hold a match whose orders are all in, if some came later than they may be used (`may_be_used`
    in `service/base/outages`), as where a part of the program was missing for days. The operator
    is told nothing that says which."""
    if not seats_too_late(s, loaded, outages_to_tell(s, loaded)):
        return None
    reason = say("its time was up long ago, and no outage explains that it was not played")
    _tell_of(s, reason, [loaded])
    return _hold(s, loaded, reason)


def _hold(s: Session, loaded: Loaded, reason: Message, acts: Sequence[Act] = ()) -> Progress:
    trouble = say("the deadline has passed, but {reason}; the match is on hold", reason=reason)
    changes = {"status": "held", "held_at": s.now, "wake_at": None, "trouble": str(trouble)}
    matches.update(s.tx, loaded.match.id, **changes)
    note_hold(s.tx, loaded.match, s.now)
    tell_all(s, loaded, "hold", [*acts, HeldForEmails()])
    return Progress(trouble, loaded.match.name, urgent=True)


# A match that waits for the game master: he is told, and reminded; its players are told once.
#
# The reminders follow from since when it waits, so nothing but `wake_at` is noted of them. Their
# keys have their number, so that two ticks, or one that was killed, queue each once. They name no
# seat: who is silent may have changed since the deadline, and the game master may play.


def remind_game_master(s: Session, match: Match, since: datetime) -> Progress | None:
    """Remind the game master of a match that waits for him since then, if that is due."""
    matches.update(s.tx, match.id, wake_at=OF_MATCH.after(since, s.now))
    number = OF_MATCH.due(since, s.now)
    if not number:
        return None
    told = say(
        "The match has waited for you since {when}: {trouble}",
        when=when(since),
        trouble=_why(match),
    )
    key = f"{since:%Y%m%dT%H%M%S}/{number}"
    if not alert(s, told, key, once="turn", match=match):
        return None
    return Progress(say("the match still waits for you"), match.name, urgent=True)


def _why(match: Match) -> Message:
    """Say why a match waits, and what lets it go on."""
    if match.status == "playing":
        return say(
            "its deadline has passed and orders are missing. `adjud gm extend`, `adjud gm replace` "
            "or `adjud gm forfeit` lets it go on"
        )
    if match.trouble:
        return say(
            "{trouble}. When that is mended, `adjud gm resume {match} --reason TEXT` lets the "
            "match go on",
            trouble=match.trouble,
            match=match.name,
        )
    return say(
        "it is on hold. `adjud gm resume {match} --reason TEXT` resumes it", match=match.name
    )


def lay_aside(s: Session, unread: Unreadable) -> Progress | None:
    """Hold a match that cannot be read; tell the operator and its players, once."""
    match, trouble = unread.match, str(unread)
    if match.status == "over" or match.trouble == trouble:
        return None
    since = match.held_at or s.now
    matches.update(
        s.tx,
        match.id,
        status="held" if match.status == "playing" else match.status,
        held_at=since,
        wake_at=OF_MATCH.after(since, s.now),
        trouble=trouble,
    )
    if match.status == "playing":
        note_hold(s.tx, match, s.now)
    told = say(
        "{trouble}. It is on hold, and emails for it are saved. The other matches continue.",
        trouble=unread.message,
    )
    alert(s, told, match=match)
    tell_people(
        s,
        match,
        "held",
        say(
            "Your match {match} is on hold: adjud cannot read it at the moment. The game master "
            "has been informed. You need not send anything again.",
            match=match.name,
        ),
    )
    return Progress(
        say("cannot be read; it is on hold: {why}", why=unread.why), match.name, urgent=True
    )


def hold_for_fault(s: Session, match: Match, trouble: Message) -> None:
    """Hold a match that the program cannot adjudicate."""
    matches.update(
        s.tx,
        match.id,
        status="held",
        held_at=s.now,
        wake_at=OF_MATCH.after(s.now, s.now),
        trouble=str(trouble),
    )
    note_hold(s.tx, match, s.now)
    alert(s, trouble, match=match)
    news = say(
        "Your match {match} is on hold: adjud cannot play its turn at the moment. The game "
        "master has been informed. You can still send orders.",
        match=match.name,
    )
    tell_people(s, match, "held", news)


def tell_people(s: Session, match: Match, about: str, told: Message) -> None:
    """Tell the players of a match something as persons, for nothing of it can be read but who they
    are."""
    for player_id in dict.fromkeys(matches.people_of(s.tx, match.id)):
        key = f"{match.name}/{about}/{player_id}/{s.now:%Y%m%dT%H%M%S}"
        subject = (
            subjects.on_hold(match.name) if about == "held" else subjects.cancellation(match.name)
        )
        if player := players.if_readable(s.tx, player_id):
            queue.queue_to_person(s, player, key, subject, told)


# Matches that cannot be read: find them, and end one from its rows.


SOME = 100  # matches that are looked at together


def unread_matches(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the matches that cannot be read, before their time comes or an email does."""
    return [DueItem(fault, fault.match.name) for fault in unreadable(tx, every=False)]


def hold_unread(s: Session, fault: Unreadable) -> Told:
    return lay_aside(s, fault)


def unreadable(tx: Tx, *, every: bool) -> Iterator[Unreadable]:
    """Yield why matches cannot be read: those that are not over, with their logs, or `every` one
    but those that were cancelled."""
    last = 0
    while True:
        found = matches.some(tx, 0, SOME, every=every, after=last)
        sound = _sound(tx, found)
        left = (match for match in found if match.name not in sound)
        yield from (fault for match in left if (fault := _waits(tx, match)))
        if len(found) < SOME:
            return
        last = found[-1].id


def _sound(tx: Tx, found: Sequence[Match]) -> frozenset[str]:
    """Return the names of matches that can be read, with statements that are as many for one; the
    others are to be looked at one by one."""
    going = [match.id for match in found if match.status != "over"]
    try:
        logs, unread = turns.logs_of(tx, going), rulings.cannot_be_read(tx, going)
    except ValueError:  # in a row of one of them
        return frozenset()
    return frozenset(
        one.match.name
        for one in gather_some(tx, found)
        if one.match.id not in unread and can_read_log(one, logs.get(one.match.id, ()))
    )


def _waits(tx: Tx, match: Match) -> Unreadable | None:
    over = match.status == "over"
    fault = fault_of_match(tx, match, log=not over)
    return None if fault and over and rulings.has(tx, match.id, "cancel") else fault


def fault_of_match(tx: Tx, match: Match, *, log: bool = False) -> Unreadable | None:
    """Return why a match cannot be read; None if it can."""
    try:
        loaded = gather(tx, match)
        if log and loaded.is_opened:
            read_log(tx, match, loaded.game)
            rulings_since(tx, match, 0)
    except Unreadable as unread:
        return unread
    return None


def cancel_unreadable(club: OpenClub, name: str, *, reason: str) -> Message:
    """End a match that cannot be read, from its rows alone: no ply is added and nothing is
    revealed. Its players are told, and emails that were kept for it are dropped."""
    with club.session() as s:
        match = find(s.tx, name)
        if match.status == "over":
            raise Refusal(say("{match} is over and stays over", match=match.name))
        if fault_of_match(s.tx, match, log=True) is None:
            raise Refusal(
                say(
                    "{match} can be read; `adjud gm cancel` without --unread ends it",
                    match=match.name,
                )
            )
        made = rulings.of_acts(
            [Cancelled()], ply=match.ply, at=club.now, action="cancel", reason=reason
        )
        rulings.insert(s.tx, match.id, made)
        result = without_state(results.seats(s.tx, match.id), UNREAD, in_set_up=match.turn == 0)
        matches.end(s.tx, match.id, write(result), club.now)
        note_end(s.tx, match, write(result), club.now)
        inbox.drop_of_match(s.tx, match.id)
        outbox.drop_of_match(s.tx, match.id)
        pending.void_all(s.tx, match.id)
        news = say(
            "The game master cancelled your match {match}, because adjud can no longer read it. "
            "It has no result. {reason}",
            match=match.name,
            reason=reason,
        )
        tell_people(s, match, "cancelled", news)
        return say("{match} is cancelled", match=match.name)


# Orders that came after the time of their seat was up, and what of it all players are told.


def late_orders(loaded: Loaded) -> Mapping[str, datetime]:
    """Return the seats whose orders came after their time was up, and when that was; none where
    that would tell when a player is away."""
    if terms(loaded.match.options).has_private_time:
        return {}
    return late_seats(facts_of(loaded))


def came_late(loaded: Loaded) -> Iterator[CameLate]:
    """Yield what all are told of orders that came late."""
    for seat, due in late_orders(loaded).items():
        came = loaded.sheets[seat].received_at.replace(microsecond=0)
        yield CameLate(loaded.game.seat_titles[Seat(seat)], came, due)


def outages_to_tell(s: Session, loaded: Loaded) -> Sequence[Outage]:
    """Return the outages without which the orders that came late could not be used."""
    return known_outages(s.tx, s.now) if seats_too_late(s, loaded, ()) else ()


def seats_too_late(s: Session, loaded: Loaded, outages: Iterable[Outage]) -> list[str]:
    """Return the seats whose orders came later than they may be used with these outages, where
    silence has consequences by itself."""
    late = late_orders(loaded)
    if not late or terms(loaded.match.options).absence != "forfeit":
        return []
    most, known = doubt.long_for(s.tx, loaded.match, s.context), [*outages]
    came = {seat: loaded.sheets[seat].received_at for seat in late}
    return [seat for seat, up in late.items() if not may_be_used(up, came[seat], most, known)]
