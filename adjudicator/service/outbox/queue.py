"""Queue emails of each kind, in the transaction of what they tell: who gets what, each key once.

Nothing is sent here. All emails but the code to an address that the operator enters (`club/people`)
are queued by `post`, and what needs a human is told to the operator by `alert`. A player's own
address, beside those of his seats (club, 2), is made here, too.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypeAlias

from msgspec import Struct, structs
from msgspec.json import decode

from adjudicator.core.clock import forfeit_time, search_time
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.visible import plain
from adjudicator.mail.address import MailDomain, personal_address, seat_address
from adjudicator.mail.write import subjects
from adjudicator.resources import zone_of
from adjudicator.service.base.calendar import rfc3339, when
from adjudicator.service.base.context import Session
from adjudicator.service.base.deadlines import (
    facts_of,
    half_drawn,
    has_reserve,
    has_reserve_until,
    message_for_reserve,
    own_end,
)
from adjudicator.service.base.loaded_match import Loaded, Seated, Unreadable, load, refuse_unopened
from adjudicator.service.emails.paragraphs import Paragraphs, SeatReminder, SeatReminders
from adjudicator.service.reports.building import OnceTold
from adjudicator.store import matches, outbox, players
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder, Match
from adjudicator.store.outbox import OutgoingEmail
from adjudicator.store.outgoing import DueEmail
from adjudicator.store.players import Player


def post(s: Session, *emails: OutgoingEmail) -> None:
    """Queue emails. Raises Clash if another worker has just queued one with the same key."""
    outbox.put(s.tx, emails, s.now, sends_mail=s.context.sends_mail)


def post_once(s: Session, email: OutgoingEmail) -> bool:
    """Queue an email unless one with its key was queued before; return whether it was queued."""
    return outbox.put_once(s.tx, email, s.now, sends_mail=s.context.sends_mail)


def post_again(s: Session, email_id: int, key: str, body: Any) -> None:
    """Queue an email like that one, under another key, unless it was queued before."""
    outbox.repeat(s.tx, email_id, key, body, s.now, sends_mail=s.context.sends_mail)


def post_to_address(
    s: Session,
    key: str,
    kind: str,
    to: str | None,
    language: str,
    subject: Message,
    says: Paragraphs,
    *,
    answers: str | None = None,
    **more: Any,
) -> None:
    """Queue an email to an address of which nothing needs to be known; `more` goes into the email's
    body as it is."""
    body = {
        "to": to,
        "language": language,
        "subject": subject,
        "says": says,
        "answers": answers,
        **more,
    }
    post(s, OutgoingEmail(key=key, kind=kind, body=body))


def email_to_player(
    player: Player,
    key: str,
    body: Mapping[str, Any],
    *,
    kind: str = "notice",
    not_before: datetime | None = None,
) -> OutgoingEmail:
    """Return an email to a player and not to a seat: of no match, and with no address of a seat."""
    return OutgoingEmail(
        key=key,
        kind=kind,
        player_id=player.id,
        confirmed=player.confirmed_at is not None,
        body=body,
        not_before=not_before,
    )


def own_address(post: MailDomain, player: Player) -> str:
    """Return the personal address of a player as it is now."""
    return personal_address(post, player.token, player.number)


Once: TypeAlias = Literal["", "turn", "day", "ever"]


def alert(
    s: Session, told: Message, about: str = "", *, once: Once = "", match: Match | None = None
) -> bool:
    """Queue an email to the operator; return whether it was queued.

    What it is `about` is told once, in a turn of the match, a day, or ever; without `once` each
    time.
    """
    coming = match.ply + 1 if match else None
    key = f"{match.name}/{coming}/operator" if match and once in ("", "turn") else "operator"
    key += {
        "": "/alert",
        "turn": f"/waits/{about}",
        "day": f"/alert/{about}/{s.now:%Y-%m-%d}",
        "ever": f"/alert/{about}",
    }[once]
    if not once:
        key += f"/{outbox.count(s.tx, f'{key}/') + 1}"
    email = OutgoingEmail(
        key=key,
        kind="alert",
        match_id=match.id if match else None,
        ply=coming,
        body={"told": told},
    )
    if once:
        return post_once(s, email)
    post(s, email)  # a clash is tried again
    return True


# Say what silence costs.


def cost_of_silence(loaded: Loaded, seat: Seat) -> Message | None:
    """Say that an awaited seat loses by silence, and when; None if something milder follows. The
    deadline is told before it."""
    at = forfeit_time(facts_of(loaded), seat)
    if at is None:
        return None
    lost = _message_of_loss(loaded, seat, at)
    if not _all_are_forfeited(loaded, at):
        return lost
    return say("{lost} If nobody sends any, the match is cancelled.", lost=lost)


def _message_of_loss(loaded: Loaded, seat: Seat, at: datetime) -> Message:
    sought = search_time(facts_of(loaded), seat)
    if sought is not None and sought < at:
        return say(
            "If you send none by {when}, another player may take over your seat; if you have "
            "still sent none by {end}, you forfeit the match.",
            when=when(sought),
            end=when(at),
        )
    return (
        say("If you send none by then, you forfeit the match.")
        if at == loaded.match.deadline_at
        else say("If you send none by {when}, you forfeit the match.", when=when(at))
    )


def _all_are_forfeited(loaded: Loaded, at: datetime) -> bool:
    """Return whether all seats are people's, and forfeited then if they are silent; whether they
    are is not asked."""
    together = has_reserve(loaded)  # then nobody reads of another seat's own time
    return all(
        seat in loaded.awaited
        and not loaded.holders[seat].computer
        and (then := forfeit_time(facts_of(loaded), seat)) is not None
        and (together or then == at)
        for seat in loaded.seats
    )


# The daily email in place of reminders, for players who want it: all matches that await them.


A_DAY = timedelta(days=1)


class Awaited(Struct, frozen=True):
    """A player's seat that has not ordered yet."""

    loaded: Loaded
    seat: Seat


def to_queue(tx: Tx, people: Mapping[int, Holder], now: datetime) -> list[OutgoingEmail]:
    """Return the digests that must be queued so that each of these players gets one, whoever has
    sent.

    A player who has had today's gets tomorrow's.
    """
    players.hold(tx, list(people))
    made = (_to_queue(tx, player_id, people[player_id], now) for player_id in sorted(people))
    return [email for email in made if email is not None]


def _to_queue(tx: Tx, player_id: int, holder: Holder, now: datetime) -> OutgoingEmail | None:
    for at in (now, now + A_DAY):
        day = at.astimezone(zone_of(holder.zone)).date()
        key = f"player/{player_id}/digest/{day}"
        there = outbox.standing(tx, key)
        if there is None:
            return OutgoingEmail(
                key=key,
                kind="reminder",
                player_id=player_id,
                confirmed=holder.confirmed,
                not_before=at,
            )
        letter_id, status = there
        if status == "dropped":  # it had nothing to name
            outbox.update(tx, letter_id, status="waiting", next_at=now)
        if status in ("dropped", "waiting", "unconfirmed", "kept"):
            return None
    return None


def awaited_seats(tx: Tx, player_id: int) -> list[Awaited]:
    """Return where the player's orders are missing now."""
    found = []
    for name in matches.seats_of_player(tx, player_id).values():
        with suppress(Unreadable):
            found.append(load(tx, name))
    return [
        Awaited(loaded, seat)
        for loaded in found
        if loaded.match.status == "playing"
        for seat in loaded.awaited
        if loaded.holders[seat].player_id == player_id and seat not in loaded.sheets
    ]


def digest_subject(found: Sequence[Awaited]) -> Message:
    return subjects.digest(len({one.loaded.match.id for one in found}))


def digest_of(found: Sequence[Awaited], post: MailDomain) -> Paragraphs:
    """Return what the daily reminder says."""
    return (SeatReminders(tuple(_seat_reminder(one, post) for one in found)),)


def digest_address(one: Awaited, post: MailDomain) -> str:
    """Return where the orders go. Only the seat's holder is told it, as in his reports."""
    tenure = one.loaded.holders[one.seat].tenure
    return seat_address(post, one.loaded.match.name, one.seat, tenure)


def _seat_reminder(one: Awaited, post: MailDomain) -> SeatReminder:
    loaded, told = one.loaded, list[Message]()
    if ends := has_reserve_until(loaded, one.seat):
        told.append(message_for_reserve(ends))
    if lost := cost_of_silence(loaded, one.seat):
        told.append(lost)
    return SeatReminder(
        game=loaded.match.game,
        match=loaded.match.name,
        turn=loaded.match.turn,
        seat=loaded.game.seat_titles[one.seat],
        due=rfc3339(loaded.match.deadline_at),
        told=tuple(told),
        address=digest_address(one, post),
    )


def queue_reports(
    s: Session,
    loaded: Loaded,
    since: Mapping[Seat, int],
    ahead: Collection[str],
    *,
    everyone: bool = False,
) -> None:
    """Queue the report of the last ply for every seat that a person holds and that is to have it,
    or for `everyone`.

    `since` is the first ply of which each seat's report tells; `ahead` are the seats whose orders
    for this ply were sent in advance.
    """
    refuse_unopened(loaded)
    emails = []
    for holder in _people(loaded, loaded.seats):
        is_to_have = everyone or not s.context.sends_mail or _is_to_have(loaded, holder)
        if is_to_have or holder.seat in ahead:
            body = None if is_to_have else decode(outbox.FOR_ADVANCE)
            first = since[Seat(holder.seat)]
            email = _email(loaded, holder, "report", loaded.match.ply, body, since=first)
            emails.append(email)
    post(s, *emails)


def _is_to_have(loaded: Loaded, holder: Holder) -> bool:
    """Return whether a seat is sent the report of the last ply (emails, section 6), whatever it
    has sent in advance.

    All of it is known to the seat, so an email tells nothing by coming: never whether somebody else
    has sent.
    """
    over = loaded.match.status == "over"
    wishes = holder.reports == "all"
    return over or wishes or holder.seat in loaded.awaited


def queue_asides(s: Session, loaded: Loaded, asides: Mapping[Seat, OnceTold]) -> None:
    """Queue what the reports of the last ply tell once only."""
    refuse_unopened(loaded)
    emails = [
        _email(loaded, holder, "aside", loaded.match.ply, _once(asides[Seat(holder.seat)]))
        for holder in _people(loaded, asides)
    ]
    post(s, *emails)


def _once(told: OnceTold) -> Mapping[str, Any]:
    return {"news": plain(told.news), "since": told.since}


def queue_reminders(s: Session, loaded: Loaded, seats: Collection[str]) -> None:
    """Queue reminders that orders for the coming ply are due.

    A reminder is not sent if its player has ordered by then.
    """
    coming = loaded.coming
    people = _people(loaded, seats)
    daily = {h.player_id: h for h in people if _has_digest(h) and h.player_id is not None}
    emails = [_reminder(s.tx, loaded, h, coming) for h in people if not _has_digest(h)]
    if daily:
        emails += to_queue(s.tx, daily, s.now)
    post(s, *emails)


def _has_digest(holder: Holder) -> bool:
    """Return whether a player gets all reminders of a day in one email; one email a day for
    everything replaces it."""
    return holder.reminders == "daily" and holder.letters != "daily"


def queue_second_reminders(s: Session, loaded: Loaded, seats: Collection[str]) -> None:
    """Queue reminders for when half of a seat's reserve is drawn, whoever has ordered by now.

    One is not sent if its player has ordered by then, or the deadline was moved.
    """
    coming, emails = loaded.match.ply + 1, []
    for holder in _people(loaded, seats):
        half, ends = half_drawn(loaded, holder.seat), own_end(loaded, holder.seat)
        if half is None or ends is None or ends <= s.now:
            continue
        at = max(half, s.now)
        if _has_digest(holder) and holder.player_id is not None:
            emails += to_queue(s.tx, {holder.player_id: holder}, at)
            continue
        body = {"overdue": rfc3339(loaded.match.deadline_at)}
        email = _reminder(s.tx, loaded, holder, coming, body)
        emails.append(structs.replace(email, not_before=at))
    post(s, *emails)


def queue_leave_day(s: Session, player: Player, day: date, told: Message) -> None:
    """Tell a player that a day of absence was spent, once for each day."""
    body = {"told": told, "subject": subjects.day_of_absence(day)}
    key = f"player/{player.id}/leave/{day}"
    post_once(s, email_to_player(player, key, body, kind="leave"))


def queue_welcome(s: Session, loaded: Loaded, seat: str, since: int) -> None:
    """Queue the present report, which tells of the plies from `since` on, for a seat's new
    holder."""
    refuse_unopened(loaded)
    name = f"report/{loaded.holders[seat].tenure}"
    people = _people(loaded, [seat])
    emails = [_email(loaded, holder, name, loaded.match.ply, since=since) for holder in people]
    post(s, *emails)


def queue_farewell(
    s: Session,
    loaded: Seated,
    former: Holder,
    reason: str,
    *,
    opens: bool = False,
    told: Message | None = None,
) -> None:
    """Queue an email to somebody who no longer holds a seat, and drop all else that waits for him.
    The seat `opens` or was given to another, by the game master unless something else is `told`.

    It is for him and not for the seat, so no address of the seat is in it.
    """
    outbox.drop_to_seat(s.tx, loaded.match.id, former.seat)
    if former.player_id is None:
        return
    given = say(
        "The game master has given your seat, {seat} in {match}, to another player. You no "
        "longer play it: nothing you sent for the coming turn is used, and emails to its address "
        "are not read any more.",
        seat=loaded.game.seat_titles[Seat(former.seat)],
        match=loaded.match.name,
    )
    if opens:
        given = say(
            "The game master has taken you out of {match}, and {seat} is open to other players. "
            "Nothing you sent for the coming turn is used, and emails to that seat's address are "
            "not read any more.",
            seat=loaded.game.seat_titles[Seat(former.seat)],
            match=loaded.match.name,
        )
    email = OutgoingEmail(
        key=f"{loaded.match.name}/replaced/{former.seat}/{former.tenure}",
        kind="notice",
        match_id=loaded.match.id,
        player_id=former.player_id,
        confirmed=former.confirmed,
        body={"told": told or given, "reason": reason},
    )
    post(s, email)


def queue_notices(
    s: Session,
    loaded: Seated,
    seats: Collection[str],
    body: Mapping[str, Any],
    kind: str = "notice",
) -> None:
    """Queue something that is told outside a report, as an email of that kind.

    It is numbered by seat, so that no seat's numbers say anything of another's emails.
    """
    people = _people(loaded, seats)
    post(s, *(_email_of_number(s.tx, loaded, holder, body, kind) for holder in people))


_LAST_PAGE = {"last_page": True}


def queue_last_page(s: Session, email: DueEmail) -> None:
    """Queue the page of a match's last report, which a daily email has without it."""
    made = OutgoingEmail(
        key=f"{email.key}/page",
        kind="notice",
        match_id=email.match_id,
        ply=email.ply,
        seat=email.seat,
        tenure=email.tenure,
        player_id=email.player_id,
        body=_LAST_PAGE,
    )
    post_once(s, made)


def is_last_page(body: Any) -> bool:
    """Return whether a notice is the page of a last report. It goes at once."""
    return bool(body == _LAST_PAGE)


def queue_press(s: Session, loaded: Loaded, seat: str, body: Mapping[str, Any]) -> str:
    """Queue what other seats wrote to this one, which a person holds; return the email's key."""
    refuse_unopened(loaded)
    email = _email_of_number(s.tx, loaded, loaded.holders[seat], body, "press")
    post(s, email)
    return email.key


def queue_to_person(
    s: Session,
    player: Player,
    key: str,
    subject: Message,
    told: Message,
    *,
    answers: str | None = None,
) -> None:
    """Queue an email to a player and not to his seat, once; nothing of a match is needed to write
    it."""
    body = {"told": told, "subject": subject, "answers": answers}
    post_once(s, email_to_player(player, key, body))


def queue_from_personal_address(
    s: Session,
    player: Player,
    about: str,
    subject: Message,
    says: Paragraphs,
    *,
    kind: str = "notice",
    answers: str | None = None,
    parts: Sequence[Mapping[str, Any]] = (),
    not_before: datetime | None = None,
) -> bool:
    """Queue an email to a player from his personal address (club, 2): Reply-To is that address as
    it is when the email goes out. Return whether one was queued: each `about` goes to him once.

    The `parts` that stand below what it says, each about one match, are collected when the email
    goes out. The
    email is of no match and no seat; a `notice` stands in the operator's queue, a receipt, a
    refusal and a confirm (which answer him) do not. It waits, as all others, until his address is
    confirmed, and a bounce of it is only noted.
    """
    key = f"{outbox.OF_PERSONS}{player.id}/{about}"
    body = {
        "to": player.address,
        "subject": subject,
        "says": says,
        "answers": answers,
        **({"parts": parts} if parts else {}),
    }
    return post_once(s, email_to_player(player, key, body, kind=kind, not_before=not_before))


def _people(loaded: Seated, seats: Collection[str]) -> Sequence[Holder]:
    holders = (loaded.holders[seat] for seat in loaded.seats if seat in seats)
    return [holder for holder in holders if holder.player_id is not None]


def _reminder(
    tx: Tx, loaded: Loaded, holder: Holder, coming: int, body: Any = None
) -> OutgoingEmail:
    """Make a reminder.

    It is numbered from the second one on, which comes if the game master gave more time.
    """
    before = outbox.count(tx, f"{loaded.match.name}/{coming}/{holder.seat}/reminder")
    name = f"reminder/{before + 1}" if before else "reminder"
    return _email(loaded, holder, name, coming, body)


def _email_of_number(
    tx: Tx, loaded: Seated, holder: Holder, body: Mapping[str, Any], kind: str = "notice"
) -> OutgoingEmail:
    prefix = f"{loaded.match.name}/{loaded.match.ply}/{holder.seat}/{kind}/"
    number = outbox.count(tx, prefix) + 1
    return _email(loaded, holder, f"{kind}/{number}", loaded.match.ply, body)


def _email(
    loaded: Seated,
    holder: Holder,
    name: str,
    ply: int,
    body: Any = None,
    *,
    since: int | None = None,
) -> OutgoingEmail:
    """Make an email. `name` is its kind, with a number if a seat may get several."""
    return OutgoingEmail(
        key=f"{loaded.match.name}/{ply}/{holder.seat}/{name}",
        kind=name.partition("/")[0],
        match_id=loaded.match.id,
        ply=ply,
        seat=holder.seat,
        tenure=holder.tenure,
        player_id=holder.player_id,
        confirmed=holder.confirmed,
        body=body,
        since=since,
    )
